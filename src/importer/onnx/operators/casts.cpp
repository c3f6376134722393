// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types (docs/spec/import.md#types).
#include "base/format.hpp"
#include "importer/emit/small_types.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

void convert_to(NodeContext& node, FileType type) {
  const Term& x = node.in(0);
  if (!is_computable(x.type) && !is_coded(x.type))
    throw Refused(formatted("tensors of {} are not converted", name_of(x.type)));
  const std::string mode = node.text("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") throw Refused(formatted("the mode `{}` is not known", mode));
  const ScaleRounding rounding = mode == "up"     ? ScaleRounding::Up
                                 : mode == "down" ? ScaleRounding::Down
                                                  : ScaleRounding::Nearest;
  node.out(0, convert(node.b, x, type, {.saturate = node.flag("saturate", true), .scale = rounding}));
}

// The names of types in version 1.
FileType type_named(std::string_view name) {
  constexpr std::pair<std::string_view, FileType> kNames[] = {
      {"FLOAT", FileType::F32},  {"DOUBLE", FileType::F64}, {"FLOAT16", FileType::F16}, {"INT8", FileType::I8},
      {"INT16", FileType::I16},  {"INT32", FileType::I32},  {"INT64", FileType::I64},   {"UINT8", FileType::U8},
      {"UINT16", FileType::U16}, {"UINT32", FileType::U32}, {"UINT64", FileType::U64},  {"BOOL", FileType::Bool}};
  for (const auto& [each, type] : kNames) {
    if (each == name) return type;
  }
  throw Refused(formatted("the element type `{}` is not known", name));
}

}  // namespace

void emit_onnx_Cast(NodeContext& node) {
  if (node.version() < 6) return convert_to(node, type_named(node.text("to", "")));
  if (!node.has("to")) throw Refused("the attribute `to` is missing");
  convert_to(node, type_attribute(node, "to", FileType::F32));
}

void emit_onnx_CastLike(NodeContext& node) {
  const FileType type = node.in(1).type;
  if (!is_computable(type) && !is_coded(type))
    throw Refused(formatted("tensors of {} are not converted", name_of(type)));
  convert_to(node, type);
}

}  // namespace slipway::importer
