// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operators and reductions.
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

const std::vector<Shape> kShapes = {
    {}, {1}, {17}, {3, 5}, {2, 3, 4}, {1, 2, 3, 4}, {1, 2, 1, 3, 2}, {2, 1, 2, 1, 2, 3}};
const std::vector<std::pair<Shape, Shape>> kPairs = {{{}, {}},
                                                     {{1}, {5}},
                                                     {{5}, {1}},
                                                     {{5}, {5}},
                                                     {{2, 1, 3}, {1, 4, 1}},
                                                     {{1, 1, 1}, {2, 3, 4}},
                                                     {{2, 3, 4}, {2, 3, 4}},
                                                     {{1, 4, 1, 3}, {2, 1, 5, 1}},
                                                     {{1, 1, 1, 1, 1}, {1, 2, 1, 2, 3}},
                                                     {{2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 3}}};

void add_plain(MatrixBuilder& matrix, Op op, std::span<const DataType> types) {
  for (const DataType type : types) {
    for (const Shape& shape : kShapes) {
      matrix.add(op, type, [=](TensorBuilder& make) {
        const auto limits = type == DataType::I32 ? std::optional(kAllButMin) : std::nullopt;
        return CaseParts{{make.tensor(type, shape, limits)}, {}, {}};
      });
    }
  }
}

// The limits of both operands of a binary operator.
using PairOfLimits = std::pair<std::optional<ValueRange>, std::optional<ValueRange>>;

void add_pairs(MatrixBuilder& matrix, Op op, DataType type, const Attributes& attributes, const PairOfLimits& limits) {
  for (const auto& [a, b] : kPairs) {
    matrix.add(op, type, [=](TensorBuilder& make) {
      Tensor first = make.tensor(type, a, limits.first);
      return CaseParts{{std::move(first), make.tensor(type, b, limits.second)}, attributes, {}};
    });
  }
}

void add_divisions(MatrixBuilder& matrix) {
  for (const auto& [a, b] : kPairs) {
    matrix.add(Op::INTDIV, DataType::I32, [=](TensorBuilder& make) {
      Tensor dividend = make.tensor(DataType::I32, a, kAllButMin);
      const auto divisor = [&](std::size_t) {
        return static_cast<double>(
            make.random.pick<std::int64_t>({1, -1, 2, -2, 3, 7, -7, 1000, INT32_MAX, INT32_MIN}));
      };
      return CaseParts{{std::move(dividend), make.filled(DataType::I32, b, divisor)}, {}, {}};
    });
  }
}

void add_shifts(MatrixBuilder& matrix, Op op, DataType type, const Attributes& attributes) {
  add_pairs(matrix, op, type, attributes, {std::nullopt, ValueRange{0, static_cast<double>(tosa::bits_of(type)) - 1}});
}

// The product of i32 must fit into 32 bits after the shift; without a shift it wraps.
void add_products_of_elements(MatrixBuilder& matrix) {
  for (const DataType type : kNumbers) {
    if (type != DataType::I32) {
      add_pairs(matrix, Op::MUL, type, {{"shift", {0}}}, {});
      continue;
    }
    for (const auto& [shift, bits] : {std::pair{0, 31}, {1, 15}, {15, 22}, {31, 30}, {47, 31}}) {
      const double size = std::int64_t{1} << bits;
      add_pairs(matrix, Op::MUL, type, {{"shift", {shift}}},
                {ValueRange{-size, size - 1}, ValueRange{-size, size - 1}});
    }
  }
}

void add_selects(MatrixBuilder& matrix) {
  static const std::vector<std::array<Shape, 3>> kTriples = {{Shape{}, Shape{}, Shape{}},
                                                             {Shape{3}, Shape{3}, Shape{3}},
                                                             {Shape{1}, Shape{4}, Shape{1}},
                                                             {Shape{4}, Shape{1}, Shape{1}},
                                                             {Shape{2, 1, 3}, Shape{1, 4, 1}, Shape{2, 4, 3}},
                                                             {Shape{1, 1, 1, 1}, Shape{2, 1, 3, 1}, Shape{1, 2, 1, 4}}};
  constexpr std::array kTypes = {DataType::Bool, DataType::I8,  DataType::I16, DataType::I32,
                                 DataType::F32,  DataType::F16, DataType::BF16};
  for (const DataType type : kTypes) {
    for (const auto& shapes : kTriples) {
      matrix.add(Op::SELECT, type, [=](TensorBuilder& make) {
        CaseParts parts;
        parts.tensors.push_back(make.random_tensor(DataType::Bool, shapes[0]));
        parts.tensors.push_back(make.tensor(type, shapes[1]));
        parts.tensors.push_back(make.tensor(type, shapes[2]));
        return parts;
      });
    }
  }
}

void add_clamps(MatrixBuilder& matrix) {
  for (const DataType type : {DataType::I8, DataType::I16, DataType::F32, DataType::F16, DataType::BF16}) {
    for (const Shape& shape : kShapes) {
      for (const std::int64_t nan_mode : nan_modes(type)) {
        for (const auto& [low, high] : {std::pair{-1, 1}, {0, 6}, {0, 0}}) {
          const Attributes attributes = {{"min_val", {low}}, {"max_val", {high}}, {"nan_mode", {nan_mode}}};
          matrix.add(Op::CLAMP, type,
                     [=](TensorBuilder& make) { return CaseParts{{make.tensor(type, shape)}, attributes, {}}; });
        }
      }
    }
  }
}

void add_negations(MatrixBuilder& matrix) {
  for (const DataType type : kNumbers) {
    for (const Shape& shape : kShapes) {
      auto zeros = zero_points(type);
      if (zeros.size() > 1) zeros.back() = {5, -7};
      for (const auto& [in, out] : zeros) {
        const Attributes attributes = {{"input1_zp", {in}}, {"output_zp", {out}}};
        matrix.add(Op::NEGATE, type, [=](TensorBuilder& make) {
          const auto limits = type == DataType::I32 ? std::optional(kAllButMin) : std::nullopt;
          return CaseParts{{make.tensor(type, shape, limits)}, attributes, {}};
        });
      }
    }
  }
}

void add_tables(MatrixBuilder& matrix) {
  for (const auto& [type, entries] : {std::pair{DataType::I8, 256}, {DataType::I16, 513}}) {
    for (const Shape& shape : kShapes) {
      matrix.add(Op::TABLE, type, [=](TensorBuilder& make) {
        // The difference of 16-bit neighbours must fit into 16 bits.
        const auto limits = type == DataType::I16 ? std::optional(ValueRange{-16000, 16000}) : std::nullopt;
        Tensor input = make.tensor(type, shape);
        return CaseParts{{std::move(input), make.random_tensor(type, {entries}, limits)}, {}, {}};
      });
    }
  }
}

void add_reduction(MatrixBuilder& matrix, Op op, std::span<const DataType> types, bool has_nan_mode) {
  static const std::vector<Shape> kReduced = {{5}, {4, 3}, {2, 3, 4}, {1, 2, 3, 2}, {2, 1, 2, 3, 1}};
  for (const DataType type : types) {
    const auto modes = has_nan_mode ? nan_modes(type) : std::vector<std::int64_t>{1};
    for (const std::int64_t nan_mode : modes) {
      for (const Shape& shape : kReduced) {
        for (std::int64_t axis = 0; axis < std::ssize(shape); ++axis) {
          Attributes attributes = {{"axis", {axis}}};
          if (has_nan_mode) attributes.set("nan_mode", nan_mode);
          matrix.add(op, type, [=](TensorBuilder& make) {
            const auto limits = type == DataType::I32 ? std::optional(ValueRange{-1e8, 1e8}) : std::nullopt;
            return CaseParts{{make.tensor(type, shape, limits)}, attributes, {}};
          });
        }
      }
    }
  }
}

}  // namespace

void add_unary(MatrixBuilder& matrix) {
  constexpr std::array kSigned = {DataType::I32, DataType::F32, DataType::F16, DataType::BF16};
  for (const Op op : {Op::ERF, Op::SIGMOID, Op::TANH, Op::CEIL, Op::COS, Op::EXP, Op::FLOOR, Op::LOG, Op::RECIPROCAL,
                      Op::RSQRT, Op::SIN})
    add_plain(matrix, op, kFloats);
  add_plain(matrix, Op::ABS, kSigned);
  add_plain(matrix, Op::BITWISE_NOT, kIntegers);
  add_plain(matrix, Op::CLZ, std::array{DataType::I32});
  add_plain(matrix, Op::LOGICAL_NOT, std::array{DataType::Bool});
  add_negations(matrix);
  add_clamps(matrix);
  add_tables(matrix);
}

void add_binary(MatrixBuilder& matrix) {
  constexpr std::array kCompared = {DataType::I32, DataType::F32, DataType::F16, DataType::BF16};
  for (const DataType type : kCompared) {
    const auto half = type == DataType::I32 ? std::optional(ValueRange{-0x1p30, 0x1p30 - 1}) : std::nullopt;
    for (const Op op : {Op::ADD, Op::SUB}) add_pairs(matrix, op, type, {}, {half, half});
    for (const Op op : {Op::EQUAL, Op::GREATER, Op::GREATER_EQUAL}) add_pairs(matrix, op, type, {}, {});
    for (const Op op : {Op::MAXIMUM, Op::MINIMUM}) {
      for (const std::int64_t nan_mode : nan_modes(type)) add_pairs(matrix, op, type, {{"nan_mode", {nan_mode}}}, {});
    }
  }
  for (const DataType type : kFloats) add_pairs(matrix, Op::POW, type, {}, {ValueRange{0x1p-6, 16}, ValueRange{-2, 2}});
  for (const DataType type : kIntegers) {
    for (const Op op : {Op::BITWISE_AND, Op::BITWISE_OR, Op::BITWISE_XOR}) add_pairs(matrix, op, type, {}, {});
    for (const std::int64_t round : {0, 1}) add_shifts(matrix, Op::ARITHMETIC_RIGHT_SHIFT, type, {{"round", {round}}});
    for (const Op op : {Op::LOGICAL_LEFT_SHIFT, Op::LOGICAL_RIGHT_SHIFT}) add_shifts(matrix, op, type, {});
  }
  for (const Op op : {Op::LOGICAL_AND, Op::LOGICAL_OR, Op::LOGICAL_XOR}) add_pairs(matrix, op, DataType::Bool, {}, {});
  add_divisions(matrix);
  add_products_of_elements(matrix);
  add_selects(matrix);
}

void add_reductions(MatrixBuilder& matrix) {
  constexpr std::array kSummed = {DataType::I32, DataType::F32, DataType::F16, DataType::BF16};
  constexpr std::array kRanked = {DataType::I8,   DataType::I16,    DataType::F32,   DataType::F16,
                                  DataType::BF16, DataType::F8E4M3, DataType::F8E5M2};
  add_reduction(matrix, Op::REDUCE_ALL, std::array{DataType::Bool}, false);
  add_reduction(matrix, Op::REDUCE_ANY, std::array{DataType::Bool}, false);
  add_reduction(matrix, Op::REDUCE_MAX, kNumbers, true);
  add_reduction(matrix, Op::REDUCE_MIN, kNumbers, true);
  add_reduction(matrix, Op::REDUCE_PRODUCT, kFloats, false);
  add_reduction(matrix, Op::REDUCE_SUM, kSummed, false);
  add_reduction(matrix, Op::ARGMAX, kRanked, true);
}

}  // namespace slipway::tosa_cases
