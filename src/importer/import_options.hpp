// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user decides about a model that is imported: shapes, parameters, and the arithmetic of integers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "importer/array.hpp"

namespace slipway::importer {

struct ShaderNode;  // importer/emit/bound_shader.hpp
// The attributes of a shader operator (docs/spec/converter.md#attributes) that computes a node.
using ShaderOfNode = std::function<Result<std::string>(const ShaderNode& node)>;

// How integers with a scale are computed (docs/spec/import.md#three-arithmetics).
enum class Arithmetic : std::uint8_t { OfFormat, Double, Single, Float };

struct ImportOptions {
  std::map<std::string, tensor::Shape> shapes;     // of inputs
  std::map<std::string, std::int64_t> dimensions;  // by symbol
  // The shape of the array that will be the input, and its elements for an input that decides a shape; empty without
  // such an array. Either may be null.
  std::function<std::optional<tensor::Shape>(const std::string& input)> shape_of;
  std::function<std::optional<Array>(const std::string& input)> elements_of;
  // Inputs whose elements were given as such: each must exist, and decide a shape or a parameter.
  std::set<std::string, std::less<>> bound;
  // Is called before a shape is missed: reports the arrays of these inputs that cannot be read, and returns the names
  // of arrays that are for none of them. May be null.
  std::function<std::vector<std::string>(const std::vector<std::string>& inputs, Diagnostics& diagnostics)>
      check_arrays;
  std::string signature;            // of a TensorFlow Lite file; empty: the default
  std::vector<std::string> expose;  // tensors of the file that become outputs
  // The results of all nodes become outputs after these, where a graph can have them.
  bool expose_nodes = false;
  // Kinds of nodes that compute shaders compute: `com.acme.Warp`, or the name of a custom operator.
  std::map<std::string, ShaderOfNode, std::less<>> shaders;
  Arithmetic arithmetic = Arithmetic::OfFormat;
  bool fuses_quantised = true;  // operators between DequantizeLinear and QuantizeLinear of ONNX compute integers
};

}  // namespace slipway::importer
