// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/functions.hpp"

#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

// Names have no NUL that would make two keys equal: the parts have their sizes.
std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
  return formatted("{}:{}:{}{}{}", domain.size(), name.size(), domain, name, overload);
}

}  // namespace

std::string Function::label() const {
  const std::string_view domain = normal_domain(proto.domain);
  return in_backticks(domain.empty() ? std::string(proto.name) : formatted("{}.{}", domain, proto.name));
}

void FunctionTable::read(OnnxFile& file, const Submessages& parts) {
  static constexpr Context kModel;
  for (const Bytes part : parts) {
    Function& function = all_.emplace_back();
    function.where = context_of<FunctionProto>(kModel, "function", part);
    if (!decode(file, function.where, part, function.proto)) continue;
    function.versions = read_versions(file, function.where, function.proto.opset_import);
    const FunctionProto& proto = function.proto;
    const std::string key = function_key(normal_domain(proto.domain), proto.name, proto.overload);
    if (!by_key_.emplace(key, &function).second)
      file.error(DiagnosticKind::DuplicateName, part, formatted("function {} is defined twice", function.label()));
  }
}

const Function* FunctionTable::find(std::string_view domain, std::string_view name, std::string_view overload) const {
  if (by_key_.empty()) return nullptr;
  const auto found = by_key_.find(function_key(domain, name, overload));
  return found == by_key_.end() ? nullptr : found->second;
}

std::string recursion(const FunctionCall* caller, const Function& function) {
  const FunctionCall* first = caller;
  while (first && first->function != &function) first = first->caller;
  if (!first) return {};
  std::string chain = function.label();
  for (const FunctionCall* call = caller; call != first->caller; call = call->caller)
    chain = formatted("{} calls {}", call->function->label(), chain);
  return chain;
}

}  // namespace slipway::importer::onnx
