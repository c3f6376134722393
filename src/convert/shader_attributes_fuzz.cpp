// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is read as the attributes of a shader operator or rejected; code is checked, but nothing is compiled.
#include "convert/shaders/shader_code.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  tosa::Graph graph;
  const tosa::TensorType type{tosa::DataType::F32, {1, 4, 4, 4}};
  const auto input = graph.add_input(type);
  graph.add_node(tosa::Op::CUSTOM, {input, input}, {}, {type, type});
  graph.nodes[0].custom = std::make_shared<tosa::CustomOperator>(
      "com.arm.VulkanCustomShader", "fuzz", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics;
  const auto shader = convert::read_shader_operator(graph, graph.nodes[0], diagnostics);
  const bool text =
      shader &&
      (shader->language == convert::ShaderLanguage::Glsl || shader->language == convert::ShaderLanguage::Hlsl ||
       (shader->language == convert::ShaderLanguage::Unset && !shader->code.starts_with("AwIjBw")));
  if (shader && !text) (void)convert::build_shader(*shader, graph, graph.nodes[0], {}, diagnostics);
  return 0;
}
