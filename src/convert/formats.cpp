#include "convert/formats.hpp"

#include <algorithm>
#include <utility>

namespace slipway::convert {

vk::Format tensor_format(tosa::DataType type, bool is_unsigned) {
  using enum tosa::DataType;
  switch (type) {
    case Bool:
      return vk::Format::R8_BOOL_ARM;
    case I4:
    case I8:
      return is_unsigned ? vk::Format::R8_UINT : vk::Format::R8_SINT;
    case I16:
      return is_unsigned ? vk::Format::R16_UINT : vk::Format::R16_SINT;
    case I32:
      return is_unsigned ? vk::Format::R32_UINT : vk::Format::R32_SINT;
    case I48:
      return vk::Format::R64_SINT;
    case F16:
      return vk::Format::R16_SFLOAT;
    case BF16:
      return vk::Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM;
    case F32:
      return vk::Format::R32_SFLOAT;
    case F8E4M3:
      return vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM;
    case F8E5M2:
      return vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM;
  }
  std::unreachable();
}

std::vector<bool> unsigned_values(const tosa::Graph& graph) {
  std::vector<bool> found(graph.values.size()), signed_use(graph.values.size());
  for (const tosa::Node& node : graph.nodes) {
    const bool unsigned_input = node.op == tosa::Op::RESCALE && node.attributes.flag("input_unsigned");
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::size_t value = index(node.inputs[i]);
      const bool constant = graph.values[value].kind == tosa::ValueKind::Constant;
      if (unsigned_input && (i == 0 || !constant))
        found[value] = true;
      else
        signed_use[value] = true;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const tosa::ValueKind kind = graph.values[i].kind;
    if (kind == tosa::ValueKind::Result || (kind == tosa::ValueKind::Constant && signed_use[i])) found[i] = false;
  }
  for (const tosa::ValueId output : graph.outputs) {
    const tosa::Node* producer = graph.producer(output);
    if (producer && producer->op == tosa::Op::RESCALE && producer->attributes.flag("output_unsigned"))
      found[index(output)] = true;
  }
  return found;
}

}  // namespace slipway::convert
