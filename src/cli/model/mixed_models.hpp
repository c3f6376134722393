// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: random models of graph operators and shaders, and the same models without shaders.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "convert/segments/partition.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::cli::testing {

using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

// `plain` computes bit for bit what `mixed` does, with graph operators in place of the shaders.
struct MixedModel {
  tosa::Graph mixed, plain;
  std::vector<reference::Tensor> inputs;
};

// All tensors have the same type, f32 or i32, and a shape that an image can have. A shader adds its inputs and a
// constant; its second result, if it has one, is its first input minus the constant. It accesses tensors as buffers,
// tensors or images, in several descriptor sets.
class MixedModelGenerator {
 public:
  explicit MixedModelGenerator(std::uint32_t seed) : random_(seed), float_(random_() % 2 == 0) {}

  MixedModel make() {
    structure();
    MixedModel made;
    emit(made.mixed, true);
    emit(made.plain, false);
    for (int i = 0; i < kInputs; ++i) {
      reference::Tensor input = reference::Tensor::zeros(type());
      for (std::size_t k = 0; k < kElements; ++k) {
        const int value = static_cast<int>(random_() % 41) - 20;
        if (float_)
          input.reals[k] = value / 4.0;
        else
          input.integers[k] = value;
      }
      made.inputs.push_back(std::move(input));
    }
    return made;
  }

 private:
  static constexpr int kInputs = 3, kConstants = 3;
  static constexpr std::size_t kHeight = 3, kWidth = 5, kElements = kHeight * kWidth;

  struct Node {
    Op op = Op::CUSTOM;
    std::vector<int> inputs, outputs;  // indices of values
    int bias = 0;
  };

  tosa::TensorType type() const { return {float_ ? DataType::F32 : DataType::I32, {1, kHeight, kWidth, 1}}; }

  // Indices of values count inputs, then constants, then results, in this order.
  void structure() {
    int values = kInputs + kConstants;
    std::vector<bool> used(100);
    const auto pick = [&] {
      // Prefers recent values, so that graphs become deep.
      const int span = random_() % 2 ? std::min(values, 4) : values;
      const int value = values - 1 - static_cast<int>(random_() % static_cast<unsigned>(span));
      used[static_cast<std::size_t>(value)] = true;
      return value;
    };
    const std::size_t count = 2 + random_() % 9;
    for (std::size_t i = 0; i < count; ++i) {
      Node node;
      std::size_t results = 1;
      if (random_() % 5 < 2) {
        node.bias = 1 + static_cast<int>(random_() % 3);
        const std::size_t operands = 1 + random_() % 3;
        for (std::size_t k = 0; k < operands; ++k) node.inputs.push_back(pick());
        results += random_() % 3 == 0;
      } else {
        static constexpr Op kOps[] = {Op::ABS, Op::REVERSE, Op::ADD, Op::SUB, Op::MAXIMUM};
        node.op = kOps[random_() % std::size(kOps)];
        node.inputs.push_back(pick());
        if (node.op != Op::ABS && node.op != Op::REVERSE) node.inputs.push_back(pick());
      }
      for (std::size_t k = 0; k < results; ++k) node.outputs.push_back(values++);
      nodes_.push_back(std::move(node));
    }
    for (int v = kInputs + kConstants; v < values; ++v) {
      if (!used[static_cast<std::size_t>(v)] || random_() % 6 == 0) returned_.push_back(v);
    }
    if (random_() % 8 == 0) returned_.push_back(kInputs);            // the first constant
    if (random_() % 8 == 0) returned_.push_back(returned_.front());  // the same value twice
    for (int v = 0; v < values; ++v) {
      const bool inside = v >= kInputs + kConstants && !std::ranges::contains(returned_, v);
      may_be_image_.push_back(inside);
    }
  }

  void emit(tosa::Graph& graph, bool shaders) {
    graph.name = "main";
    std::vector<ValueId> values;
    for (int i = 0; i < kInputs; ++i) values.push_back(graph.add_input(type(), formatted("x{}", i)));
    for (int i = 0; i < kConstants; ++i) values.push_back(constant(graph, i + 2));
    for (const Node& node : nodes_) {
      std::vector<ValueId> inputs;
      for (const int input : node.inputs) inputs.push_back(values[static_cast<std::size_t>(input)]);
      std::vector<ValueId> results;
      if (node.op != Op::CUSTOM) {
        tosa::Attributes attributes;
        if (node.op == Op::REVERSE) attributes.set("axis", 2);
        if (node.op == Op::MAXIMUM) attributes.set("nan_mode", 1);
        results = {graph.add(node.op, inputs, attributes, type())};
      } else if (shaders) {
        results = graph.add_node(Op::CUSTOM, inputs, {}, std::vector<tosa::TensorType>(node.outputs.size(), type()));
        graph.nodes.back().custom = std::make_shared<tosa::CustomOperator>(
            std::string(convert::kShaderDomain), formatted("shader_{}", graph.nodes.size()), attributes_of(node));
      } else {
        ValueId sum = constant(graph, node.bias, true);
        const ValueId bias = sum;
        for (const ValueId input : inputs) sum = graph.add(Op::ADD, {sum, input}, {}, type());
        results = {sum};
        if (node.outputs.size() > 1) results.push_back(graph.add(Op::SUB, {inputs[0], bias}, {}, type()));
      }
      values.insert(values.end(), results.begin(), results.end());
    }
    for (const int value : returned_) graph.outputs.push_back(values[static_cast<std::size_t>(value)]);
  }

  // The elements are number, number + 1...; with `splat` all are equal.
  ValueId constant(tosa::Graph& graph, int number, bool splat = false) const {
    reference::Tensor tensor = reference::Tensor::zeros(type());
    for (std::size_t k = 0; k < kElements; ++k) {
      const int value = splat ? number : number + static_cast<int>(k);
      if (float_)
        tensor.reals[k] = value;
      else
        tensor.integers[k] = value;
    }
    return graph.add_constant(type(), tensor.to_bytes());
  }

  // --- shaders ---

  enum class Seen { Buffer, Tensor, Image };

  // Long, because each kind of binding has its own declaration, read and write.
  std::string attributes_of(const Node& node) {
    std::string declarations, body, members;
    const char* const element = float_ ? "float" : "int";
    std::map<int, Seen> seen;  // a shader accesses each tensor in one way only
    std::set<std::pair<unsigned, unsigned>> taken;
    const auto declare = [&](int value, std::string name, std::string_view key) {
      const auto [at, is_new] = seen.try_emplace(value, static_cast<Seen>(random_() % 3));
      if (at->second == Seen::Image && !may_be_image_[static_cast<std::size_t>(value)]) at->second = Seen::Buffer;
      unsigned set = 0, binding = 0;
      do {
        set = random_() % 2;
        binding = random_() % 10;
      } while (!taken.emplace(set, binding).second);
      const bool in = name.starts_with("in");
      const char* descriptor = "STORAGE_BUFFER";
      std::string declared;
      switch (at->second) {
        case Seen::Buffer:
          declared =
              formatted("{} buffer B_{} {{ {} data[]; }} {}", in ? "readonly" : "writeonly", name, element, name);
          body += in ? formatted("  {1} v_{0} = {0}.data[i];\n", name, element) : "";
          break;
        case Seen::Tensor:
          descriptor = "TENSOR_ARM";
          declared = formatted("uniform tensorARM<{}, 4> {}", element, name);
          body +=
              in ? formatted("  {1} v_{0};\n  tensorReadARM({0}, uint[](0u, y, x, 0u), v_{0});\n", name, element) : "";
          break;
        case Seen::Image:
          descriptor = "STORAGE_IMAGE";
          declared = formatted("uniform {} {}image2D {}", in ? "readonly" : "writeonly", float_ ? "" : "i", name);
          body += in ? formatted("  {1} v_{0} = imageLoad({0}, ivec2(x, y)).x;\n", name, element) : "";
          break;
      }
      const char* const layout = at->second == Seen::Image ? (float_ ? ", r32f" : ", r32i") : "";
      declarations += formatted("layout(set = {}, binding = {}{}) {};\n", set, binding, layout, declared);
      members += formatted(
          ", \"{0}_vkformat\": \"VK_FORMAT_R32_{1}\", \"{0}_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_{2}\", "
          "\"{0}_descriptorset\": {3}, \"{0}_binding\": {4}",
          key, float_ ? "SFLOAT" : "SINT", descriptor, set, binding);
      return at->second;
    };
    std::string sum = formatted("{}({})", element, node.bias);
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      declare(node.inputs[k], formatted("in{}", k), formatted("input_{}", k));
      sum += formatted(" + v_in{}", k);
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const std::string name = formatted("out{}", k);
      const std::string result = k == 0 ? sum : formatted("v_in0 - {}({})", element, node.bias);
      switch (declare(node.outputs[k], name, formatted("output_{}", k))) {
        case Seen::Buffer:
          body += formatted("  {}.data[i] = {};\n", name, result);
          break;
        case Seen::Tensor:
          body += formatted("  tensorWriteARM({}, uint[](0u, y, x, 0u), {});\n", name, result);
          break;
        case Seen::Image:
          body += formatted("  imageStore({}, ivec2(x, y), {}vec4({}));\n", name, float_ ? "" : "i", result);
          break;
      }
    }
    const std::string code = formatted(
        "#version 460\n#extension GL_ARM_tensors : require\n"
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(local_size_x = 4) in;\n{}void main() {{\n"
        "  uint i = gl_GlobalInvocationID.x, y = i / {}, x = i % {};\n  if (i >= {}) return;\n{}}}\n",
        declarations, kWidth, kWidth, kElements, body);
    std::string text;
    for (const char c : code) text += c == '\n' ? std::string("\\n") : std::string(1, c);
    return formatted(
        "{{\"entry_point\": \"main\", \"workgroup_sizes\": [{}, 1, 1], \"shader_language\": \"GLSL\", \"shader_code\": "
        "\"{}\"{}}}",
        (kElements + 3) / 4, text, members);
  }

  std::mt19937 random_;
  bool float_;
  std::vector<Node> nodes_;
  std::vector<int> returned_;
  std::vector<bool> may_be_image_;  // by value; false for inputs and outputs of the model
};

}  // namespace slipway::cli::testing
