// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/scope.hpp"

#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr std::size_t kMaxPathPart = 200;

}  // namespace

std::string joined_path(std::string_view path, std::string_view name) {
  const std::string_view part = name.substr(0, kMaxPathPart);
  return path.empty() ? std::string(part) : formatted("{}/{}", path, part);
}

bool Scope::is_visible(std::string_view name) const {
  for (const Scope* scope = this; scope; scope = scope->outer) {
    if (scope->names.contains(name)) return true;
  }
  return false;
}

std::optional<NetValueId> Scope::find(std::string_view name) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  const std::optional<NetValueId> there = outer ? outer->find(name) : std::nullopt;
  if (!there || *there == kAbsent) return there;
  const NetValue& value = outer->graph().values[*there];
  const auto here = static_cast<NetValueId>(graph().values.size());
  graph().values.push_back({.name = value.name, .type = value.type, .shape = value.shape, .location = value.location});
  open.is_defined.push_back(true);
  graph().captured.emplace_back(here, *there);
  names.emplace(name, here);
  return here;
}

void Scope::reserve(std::size_t values) {
  graph().values.reserve(values);
  open.is_defined.reserve(values);
  names.reserve(values);
}

NetValueId Scope::add(std::string_view name, SourceLocation location) {
  const auto id = static_cast<NetValueId>(graph().values.size());
  graph().values.push_back(
      {.name = call ? formatted("{}/{}", path, name) : std::string(name), .location = std::move(location)});
  open.is_defined.push_back(false);
  return id;
}

}  // namespace slipway::importer::onnx
