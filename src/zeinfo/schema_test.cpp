// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/schema.hpp"

#include <gtest/gtest.h>

namespace slipway::zeinfo {
namespace {

TEST(Schema, FieldsHaveTheirPlace) {
  for (const MappingInfo* mapping : all_mappings()) {
    for (std::size_t i = 0; i < mapping->fields.size(); ++i) {
      EXPECT_EQ(mapping->fields[i].index, i);
      EXPECT_EQ(mapping->find(mapping->fields[i].key), &mapping->fields[i]);
      EXPECT_LE(mapping->fields[i].lifetime.since, mapping->fields[i].lifetime.until) << mapping->fields[i].key;
    }
  }
}

}  // namespace
}  // namespace slipway::zeinfo
