// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: programs of graph operators and shaders in a short notation, and what shader operators need.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "convert/segments/partition.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert::testing {

// The attributes of a shader that adds its inputs elementwise, as GLSL over storage buffers of `elements` floats.
inline std::string adding_shader(std::size_t inputs, std::size_t elements, double bias = 1) {
  std::string code = "layout(local_size_x = 4) in;\\n", sum = formatted("{:.1f}", bias), attributes;
  for (std::size_t i = 0; i < inputs; ++i) {
    code += formatted("layout(set = 0, binding = {}) readonly buffer In{} {{ float data[]; }} in{};\\n", i, i, i);
    sum += formatted(" + in{}.data[i]", i);
  }
  code += formatted(
      "layout(set = 0, binding = {}) writeonly buffer Out {{ float data[]; }} result;\\nvoid main() {{\\n"
      "  uint i = gl_GlobalInvocationID.x;\\n  if (i < {}) result.data[i] = {};\\n}}\\n",
      inputs, elements, sum);
  attributes = formatted(
      "{{\"entry_point\": \"main\", \"workgroup_sizes\": [{}, 1, 1], \"shader_language\": \"GLSL\", "
      "\"shader_code\": \"{}\"",
      (elements + 3) / 4, code);
  for (std::size_t i = 0; i <= inputs; ++i) {
    const std::string prefix = i < inputs ? formatted("input_{}", i) : "output_0";
    attributes += formatted(
        ", \"{0}_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"{0}_vkdescriptortype\": "
        "\"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", "
        "\"{0}_binding\": {1}, \"{0}_descriptorset\": 0",
        prefix, i);
  }
  return attributes + "}";
}

// `g1(a) s1(g1,k1) g2(s1) > g1 k1`: nodes by the first letter of their names (g: an operator, s: a shader, which add
// their inputs), constants k, inputs of the model a to f; after `>` what the model returns, otherwise the values that
// no node uses. All tensors are f32[2].
struct Program {
  explicit Program(const std::string& text) {
    graph.name = "main";
    std::istringstream words(text);
    std::string word;
    while (words >> word && word != ">") node(word);
    bool listed = false;
    while (words >> word) {
      graph.outputs.push_back(value(word));
      listed = true;
    }
    if (listed) return;
    for (const tosa::Node& each : graph.nodes) {
      if (!taken[index(each.outputs[0])]) graph.outputs.push_back(each.outputs[0]);
    }
  }

  tosa::Graph graph;
  std::vector<bool> shaders;  // by node
  std::map<std::string, tosa::ValueId> values;
  std::map<std::size_t, bool> taken;

 private:
  inline static const tosa::TensorType kType{tosa::DataType::F32, {2}};

  tosa::ValueId value(const std::string& name) {
    const auto known = values.find(name);
    if (known != values.end()) return known->second;
    if (name[0] != 'k') return values[name] = graph.add_input(kType, name);
    const std::array<float, 2> data = {static_cast<float>(values.size()), 0.5f};
    const auto bytes = std::as_bytes(std::span(data));
    return values[name] = graph.add_constant(kType, std::vector<std::byte>(bytes.begin(), bytes.end()), false, name);
  }

  void node(const std::string& word) {
    const std::size_t open = word.find('(');
    const std::string name = word.substr(0, open);
    std::vector<tosa::ValueId> inputs;
    std::string list = word.substr(open + 1, word.size() - open - 2);
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      inputs.push_back(value(list.substr(0, comma)));
      taken[index(inputs.back())] = true;
      list.erase(0, comma + 1);
    }
    const bool shader = name[0] == 's';
    shaders.push_back(shader);
    const tosa::Op op = shader ? tosa::Op::CUSTOM : inputs.size() == 1 ? tosa::Op::ABS : tosa::Op::ADD;
    values[name] = graph.add(op, inputs, {}, kType);
    graph.nodes.back().name = name;
    if (shader) {
      graph.nodes.back().custom =
          std::make_shared<tosa::CustomOperator>(std::string(kShaderDomain), name, adding_shader(inputs.size(), 2));
    }
  }
};

// A random program of `count` nodes with inputs, constants used by both kinds, and results returned and used.
inline std::string random_program(std::mt19937& random, std::size_t count) {
  std::string text;
  std::vector<std::string> names = {"a", "b", "c", "k1", "k2", "k3"};
  for (std::size_t i = 0; i < count; ++i) {
    const bool shader = random() % 3 == 0;
    const auto pick = [&] {
      // Mostly recent values, so that graphs become deep.
      const std::size_t span = random() % 2 ? std::min<std::size_t>(names.size(), 4) : names.size();
      return names[names.size() - 1 - random() % span];
    };
    const std::string name = formatted("{}{}", shader ? 's' : 'g', i);
    std::string first = pick(), second = pick();
    const bool two = random() % 2 && first != second;
    text += formatted("{}({}{}) ", name, first, two ? "," + second : "");
    names.push_back(name);
  }
  if (random() % 2) {
    text += ">";
    for (std::size_t i = 0; i < 3; ++i) text += " " + names[random() % names.size()];
    text += " " + names.back();
  }
  return text;
}

inline std::string messages(const Diagnostics& diagnostics) {
  return format_diagnostics(diagnostics.all(), {.sources = false});
}

}  // namespace slipway::convert::testing
