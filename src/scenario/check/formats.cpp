// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Format names, and which formats tensors may have (docs/spec/scenario.md#formats).
#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "scenario/check/context.hpp"
#include "scenario/records/codecs.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

bool check_name(Context& context, const FormatName& format, json::Value at) {
  if (format.value) return true;
  Diagnostic& diagnostic =
      context.error(at, DiagnosticKind::UnknownValue, formatted("Unknown VkFormat: {}", format.name));
  if (const auto near = closest_or_longer(format.name, format_names()))
    diagnostic.suggest(json::inside_quotes(at.location()), *near);
  return false;
}

json::Value format_of(json::Value object) { return object["format"] ? object["format"] : object["data_type"]; }

void check_element(Context& context, const FormatName& format, json::Value object) {
  const json::Value at = format_of(object);
  if (!check_name(context, format, at)) return;
  auto type = tensor::tensor_element_type(*format.value, at.location());
  if (type) return;
  for (Diagnostic& problem : type.error())
    context.diagnostics.add(std::move(problem.at(at.pointer(), json::uid_around(at))));
}

}  // namespace

void check_formats(Context& context) {
  for (const Resource& resource : context.scenario.resources) {
    if (const auto* buffer = std::get_if<Buffer>(&resource); buffer && buffer->texel_format)
      check_name(context, *buffer->texel_format, buffer->at["texel_format"]);
    if (const auto* image = std::get_if<Image>(&resource)) check_name(context, image->format, format_of(image->at));
    if (const auto* tensor = std::get_if<Tensor>(&resource)) check_element(context, tensor->format, tensor->at);
    if (const auto* constant = std::get_if<GraphConstant>(&resource))
      check_element(context, constant->format, constant->at);
  }
  for (const RequiredFormat& required : context.scenario.requirements.formats) {
    check_name(context, required.format, format_of(required.at));
  }
}

}  // namespace slipway::scenario
