// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/plan.hpp"

namespace slipway::launch {

Origin::Origin(SourceLocation location, std::string path, std::string uid)
    : from_(std::make_shared<const Known>(std::move(location), std::move(path), std::move(uid))) {}

// Nothing for an origin that is not in JSON.
json::Value Origin::value() const {
  if (const auto* at = std::get_if<json::Value>(&from_)) return *at;
  json::Value object;
  if (const auto* reference = std::get_if<Reference>(&from_)) {
    object = reference->uid.parent();
    if (object.is(json::Type::Array)) object = object.parent();
  }
  return object;
}

SourceLocation Origin::location() const {
  if (const json::Value at = value()) return at.location();
  const auto* known = std::get_if<std::shared_ptr<const Known>>(&from_);
  return known && *known ? (*known)->location : SourceLocation();
}
std::string Origin::path() const {
  if (const json::Value at = value()) return at.pointer();
  const auto* known = std::get_if<std::shared_ptr<const Known>>(&from_);
  return known && *known ? (*known)->path : std::string();
}
std::string Origin::uid() const {
  const auto* reference = std::get_if<Reference>(&from_);
  if (reference && reference->uid.is(json::Type::String)) return reference->uid.string();
  if (const json::Value at = value()) return json::uid_around(at);
  const auto* known = std::get_if<std::shared_ptr<const Known>>(&from_);
  return known && *known ? (*known)->uid : std::string();
}

}  // namespace slipway::launch
