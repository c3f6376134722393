// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of the groups of the matrix.
#pragma once

#include <array>
#include <initializer_list>
#include <utility>

#include "tosa_cases/matrix/tensor_builder.hpp"

namespace slipway::tosa_cases {

using tosa::Attributes;
using tosa::Op;
using Shape = tensor::Shape;

inline constexpr std::array kFloats = {DataType::F32, DataType::F16, DataType::BF16};
inline constexpr std::array kSmallFloats = {DataType::F8E4M3, DataType::F8E5M2};
inline constexpr std::array kIntegers = {DataType::I8, DataType::I16, DataType::I32};
inline constexpr std::array kNumbers = {DataType::I8,  DataType::I16, DataType::I32,
                                        DataType::F32, DataType::F16, DataType::BF16};
// Of operators that move elements.
inline constexpr std::array kMoved = {DataType::Bool, DataType::I8,   DataType::I16,    DataType::I32,   DataType::F32,
                                      DataType::F16,  DataType::BF16, DataType::F8E4M3, DataType::F8E5M2};
inline constexpr ValueRange kAllButMin = {-2147483647.0, 2147483647.0};  // of i32, whose minimum cannot be negated

// An entry of the matrix. Either every pattern of it is a case, or none is.
struct Configuration {
  tosa::Op op{};
  std::string label;  // `CONV2D/i8`
  std::function<CaseParts(TensorBuilder&)> parts;
  bool has_edges = true;  // otherwise two patterns of random values
};

class MatrixBuilder {
 public:
  void add(Op op, std::string label, std::function<CaseParts(TensorBuilder&)> parts, bool has_edges = true) {
    configurations.push_back({op, std::string(tosa::name_of(op)) + "/" + label, std::move(parts), has_edges});
  }
  void add(Op op, DataType type, std::function<CaseParts(TensorBuilder&)> parts) {
    add(op, std::string(tosa::name_of(type)), std::move(parts));
  }
  std::vector<Configuration> configurations;
};

void add_unary(MatrixBuilder& matrix);
void add_binary(MatrixBuilder& matrix);
void add_reductions(MatrixBuilder& matrix);
void add_pools(MatrixBuilder& matrix);
void add_convolutions(MatrixBuilder& matrix);
void add_products(MatrixBuilder& matrix);  // MATMUL and the Fourier transforms
void add_layout(MatrixBuilder& matrix);
void add_gathers(MatrixBuilder& matrix);
void add_resizes(MatrixBuilder& matrix);
void add_casts(MatrixBuilder& matrix);
void add_rescales(MatrixBuilder& matrix);

// Values of `nan_mode`: both for types with a NaN.
inline std::vector<std::int64_t> nan_modes(DataType type) {
  return tosa::is_float(type) ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1};
}
// Pairs of zero points.
inline std::vector<std::pair<std::int64_t, std::int64_t>> zero_points(DataType type) {
  if (type == DataType::I8) return {{0, 0}, {-128, 127}, {3, -5}};
  return {{0, 0}};
}

}  // namespace slipway::tosa_cases
