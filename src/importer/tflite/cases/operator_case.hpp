// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of one operator with operands of random numbers, whose results TensorFlow Lite has computed
// (tests/data/tflite/README.md).
//
//   cases.add("RELU float32", [](CaseBuilder& c) { c.op("RELU", {c.real({2, 3})}, {FileType::F32}); });
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "importer/tflite/testing.hpp"

namespace slipway::importer {

// What one element represents.
struct Scale {
  float scale = 0;  // 0: the tensor is not quantised
  std::int64_t zero = 0;
};

struct OperatorCase {
  std::string name;
  TfliteModel model;
  std::vector<Array> inputs;
};

// A type of a result, and its quantisation.
struct OperatorResult {
  FileType type = FileType::F32;
  Scale scale;
};

class CaseBuilder {
 public:
  explicit CaseBuilder(OperatorCase& made)
      : case_(made), random_(static_cast<std::uint32_t>(std::hash<std::string>()(""))) {
    std::uint32_t seed = 2166136261U;
    for (const char each : made.name) seed = (seed ^ static_cast<unsigned char>(each)) * 16777619U;
    random_.seed(seed);
  }

  TfliteModel& model() { return case_.model; }

  // Inputs. Floats are multiples of 1/64 from low to high; numbers of integers are from low to high, or any of the
  // type.
  int real(std::vector<std::int32_t> shape, double low = -4, double high = 4) {
    return input(FileType::F32, std::move(shape), low, high);
  }
  int whole(FileType type, std::vector<std::int32_t> shape, std::int64_t low, std::int64_t high) {
    return input(type, std::move(shape), static_cast<double>(low), static_cast<double>(high));
  }
  int quantised(FileType type, std::vector<std::int32_t> shape, Scale scale) {
    const auto [low, high] = limits(type);
    return input(type, std::move(shape), low, high, scale);
  }
  int input(FileType type, std::vector<std::int32_t> shape, double low, double high, Scale scale = {}) {
    case_.inputs.push_back(array(type, shape, low, high));
    return case_.model.input(tensor(type, std::move(shape), scale));
  }
  // The same numbers in an input.
  int given(FileType type, std::vector<std::int32_t> shape, const std::vector<double>& numbers, Scale scale = {}) {
    tensor::Shape extents(shape.begin(), shape.end());
    case_.inputs.push_back(array_of(type, std::move(extents), std::span<const double>(numbers)));
    return case_.model.input(tensor(type, std::move(shape), scale));
  }

  int constant(FileType type, std::vector<std::int32_t> shape, const std::vector<double>& numbers, Scale scale = {}) {
    return case_.model.constant(tensor(type, std::move(shape), scale), numbers);
  }
  int list(const std::vector<double>& numbers) {
    return constant(FileType::I32, {static_cast<std::int32_t>(numbers.size())}, numbers);
  }
  int number(double value) { return constant(FileType::I32, {}, {value}); }
  int random_constant(FileType type, std::vector<std::int32_t> shape, double low, double high, Scale scale = {}) {
    const Array made = array(type, shape, low, high);
    return constant(type, std::move(shape), made.reals(), scale);
  }
  // Weights of int8 with a scale for each index of an axis.
  int channel_weights(std::vector<std::int32_t> shape, const std::vector<float>& scales, std::int32_t axis) {
    const Array made = array(FileType::I8, shape, -127, 127);
    TestTensor of = tensor(FileType::I8, std::move(shape), {});
    of.scales = scales;
    of.zero_points.assign(scales.size(), 0);
    of.axis = axis;
    return case_.model.constant(of, made.reals());
  }
  // A bias with the scales that products have.
  int channel_bias(FileType type, float of_input, const std::vector<float>& of_weights, double range = 2000) {
    const auto count = static_cast<std::int32_t>(of_weights.size());
    TestTensor of = tensor(type, {count}, {});
    for (const float scale : of_weights) of.scales.push_back(of_input * scale);
    of.zero_points.assign(of_weights.size(), 0);
    return case_.model.constant(of, array(type, {count}, -range, range).reals());
  }

  // A tensor that keeps its value between runs and begins with zeros.
  int variable(FileType type, std::vector<std::int32_t> shape, Scale scale = {}) {
    const int made = case_.model.tensor(tensor(type, std::move(shape), scale));
    case_.model.tensor_at(made).is_variable = true;
    return made;
  }

  // A tensor of which operators use the type and the scale.
  int intermediate(FileType type, Scale scale) { return case_.model.tensor(tensor(type, {}, scale)); }

  fb::OperatorT& op(std::string_view kind, std::vector<int> inputs, const std::vector<OperatorResult>& results,
                    std::int32_t version = 1) {
    std::vector<int> outputs;
    for (const OperatorResult& each : results) {
      TestTensor of = tensor(each.type, {}, each.scale);
      of.name = "y" + std::to_string(outputs.size());
      outputs.push_back(case_.model.result(of));
      case_.model.tensor_at(outputs.back()).has_rank = false;
      case_.model.output(outputs.back());
    }
    return case_.model.add(kind, std::move(inputs), std::move(outputs), version);
  }
  template <class Options>
  void op_with(std::string_view kind, std::vector<int> inputs, const std::vector<OperatorResult>& results,
               Options options) {
    op(kind, std::move(inputs), results).builtin_options.Set(std::move(options));
  }

  static std::pair<double, double> limits(FileType type) {
    const int bits = static_cast<int>(bits_of(type));
    const auto whole = static_cast<double>(std::int64_t{1} << bits);
    return is_unsigned(type) ? std::pair{0.0, whole - 1} : std::pair{-whole / 2, whole / 2 - 1};
  }

 private:
  TestTensor tensor(FileType type, std::vector<std::int32_t> shape, Scale scale) {
    TestTensor made{.name = "t" + std::to_string(count_++), .type = type, .shape = std::move(shape)};
    if (scale.scale != 0) {
      made.scales = {scale.scale};
      made.zero_points = {scale.zero};
    }
    return made;
  }

  Array array(FileType type, const std::vector<std::int32_t>& shape, double low, double high) {
    std::size_t count = 1;
    for (const std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double part = random_() / 4294967296.0;
      numbers[i] =
          is_real(type) ? std::round((low + part * (high - low)) * 64) / 64 : std::floor(low + part * (high - low + 1));
      // The ends of the range occur.
      if (!is_real(type) && i < 2) numbers[i] = i == 0 ? low : high;
    }
    return array_of(type, tensor::Shape(shape.begin(), shape.end()), std::span<const double>(numbers));
  }

  OperatorCase& case_;
  std::mt19937 random_;
  int count_ = 0;
};

class OperatorCases {
 public:
  void add(const std::string& name, const std::function<void(CaseBuilder&)>& build) {
    cases_.push_back({.name = name});
    CaseBuilder builder(cases_.back());
    build(builder);
  }
  std::vector<OperatorCase>& all() { return cases_; }

 private:
  std::vector<OperatorCase> cases_;
};

void add_arithmetic_cases(OperatorCases& cases);
void add_function_cases(OperatorCases& cases);
void add_weight_cases(OperatorCases& cases);
void add_movement_cases(OperatorCases& cases);
void add_index_cases(OperatorCases& cases);
void add_reduction_cases(OperatorCases& cases);
void add_recurrent_cases(OperatorCases& cases);

}  // namespace slipway::importer
