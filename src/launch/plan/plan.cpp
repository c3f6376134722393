// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/plan.hpp"

namespace slipway::launch {

Origin::Origin(SourceLocation location, std::string path, std::string uid)
    : from_(std::make_shared<const Known>(std::move(location), std::move(path), std::move(uid))) {}

SourceLocation Origin::location() const {
  if (const auto* json = std::get_if<InDocument>(&from_)) return json->at ? json->at.location() : SourceLocation();
  const auto& known = std::get<std::shared_ptr<const Known>>(from_);
  return known ? known->location : SourceLocation();
}

std::string Origin::path() const {
  if (const auto* json = std::get_if<InDocument>(&from_)) return json->at ? json->at.pointer() : std::string();
  const auto& known = std::get<std::shared_ptr<const Known>>(from_);
  return known ? known->path : std::string();
}

std::string Origin::uid() const {
  if (const auto* json = std::get_if<InDocument>(&from_)) {
    if (json->uid.is(json::Type::String)) return json->uid.string();
    return json->at ? json::uid_around(json->at) : std::string();
  }
  const auto& known = std::get<std::shared_ptr<const Known>>(from_);
  return known ? known->uid : std::string();
}

}  // namespace slipway::launch
