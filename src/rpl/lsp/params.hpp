// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of the parameters of messages, which may have any shape.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace slipway::rpl::lsp {

// The member of an object; nothing if it is missing, or if the value is not an object.
inline json::Value member_of(json::Value object, std::string_view key) {
  return object.is(json::Type::Object) ? object[key] : json::Value();
}
// The same for a string; empty if it is not one.
inline std::string string_of(json::Value object, std::string_view key) {
  const json::Value value = member_of(object, key);
  return value.is(json::Type::String) ? value.string() : "";
}

}  // namespace slipway::rpl::lsp
