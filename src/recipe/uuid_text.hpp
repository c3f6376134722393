// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UUIDs in JSON documents that are only written.
#pragma once

#include "json/record.hpp"

namespace slipway::recipe {

struct UuidText {
  void write(json::Writer& out, std::string_view from) const { out.value(from); }
  void schema(json::Schema& schema) const {
    schema.out().raw(R"({ "type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" })");
  }
};

}  // namespace slipway::recipe
