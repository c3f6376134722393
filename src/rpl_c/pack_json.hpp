// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pack contains, as JSON.
#pragma once

#include <string>
#include <vector>

#include "json/record.hpp"
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl_c {

struct ListedVariant {
  std::string reason;
  rpl::Metadata metadata;
};
struct ListedProgram {
  std::string name;
  std::vector<rpl::MetadataOption> options;
  std::vector<ListedVariant> variants;
};
struct ListedPack {
  std::vector<ListedProgram> programs;
};

const json::Record<ListedPack>& pack_record();
// The content of `schema/rpl-pack.schema.json`.
std::string pack_schema_text();

}  // namespace slipway::rpl_c
