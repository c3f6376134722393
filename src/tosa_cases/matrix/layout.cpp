// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move elements, RESIZE, and conversions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.hpp"
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

struct Moved {
  Shape from;
  List list, more;
};

void add_moves(MatrixBuilder& matrix, Op op, DataType type, std::initializer_list<Moved> moves, std::string_view list,
               std::string_view more = {}) {
  for (const Moved& move : moves) {
    matrix.add(op, type, [=](TensorBuilder& make) {
      CaseParts parts;
      parts.tensors.push_back(make.tensor(type, move.from));
      parts.attributes.set(list, move.list);
      if (!more.empty()) parts.attributes.set(more, move.more);
      return parts;
    });
  }
}

void add_pads(MatrixBuilder& matrix, DataType type) {
  for (const auto& [from, padding] : {std::pair{Shape{3}, List{0, 0}},
                                      {Shape{3}, List{2, 1}},
                                      {Shape{2, 2}, List{1, 0, 0, 2}},
                                      {Shape{1, 2, 3}, List{0, 1, 1, 0, 2, 0}},
                                      {Shape{1, 2, 2, 1}, List{0, 0, 1, 1, 1, 1, 0, 0}}}) {
    matrix.add(Op::PAD, type, [=](TensorBuilder& make) {
      CaseParts parts;
      parts.tensors.push_back(make.tensor(type, from));
      parts.attributes.set("padding", padding);
      const Tensor fill = make.tensor(type, {1});
      if (fill.is_float())
        parts.attributes.set_real("pad_const", fill.reals[0]);
      else
        parts.attributes.set("pad_const", fill.integers[0]);
      return parts;
    });
  }
}

void add_concats(MatrixBuilder& matrix, DataType type) {
  struct Joined {
    std::int64_t axis;
    std::vector<Shape> shapes;
  };
  for (const Joined& joined :
       {Joined{0, {{2}, {3}}}, Joined{0, {{4}}}, Joined{1, {{2, 1}, {2, 3}, {2, 2}}}, Joined{0, {{1, 2}, {2, 2}}},
        Joined{2, {{1, 2, 1, 2}, {1, 2, 3, 2}}}, Joined{3, {{1, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}}}}) {
    matrix.add(Op::CONCAT, type, [=](TensorBuilder& make) {
      CaseParts parts;
      for (const Shape& shape : joined.shapes) parts.tensors.push_back(make.tensor(type, shape));
      parts.attributes.set("axis", joined.axis);
      return parts;
    });
  }
}

void add_reverses(MatrixBuilder& matrix, DataType type) {
  for (const Shape& shape : {Shape{5}, Shape{2, 3}, Shape{2, 3, 2}, Shape{1, 2, 3, 2}}) {
    for (std::int64_t axis = 0; axis < std::ssize(shape); ++axis) {
      matrix.add(Op::REVERSE, type,
                 [=](TensorBuilder& make) { return CaseParts{{make.tensor(type, shape)}, {{"axis", {axis}}}, {}}; });
    }
  }
}

// One axis of an image that is resized: scale n / d.
struct Resized {
  std::int64_t n, d, extent, offset, border;
};

// Each ratio, size and offset with the first border that is legal.
std::vector<Resized> resized_axes() {
  std::vector<Resized> axes;
  for (const auto& [n, d] : {std::pair{1, 1}, {2, 1}, {3, 1}, {4, 2}, {8, 2}, {1, 2}, {2, 3}, {5, 3}, {16, 7}}) {
    for (const std::int64_t extent : {1, 3, 5}) {
      for (const std::int64_t offset : {0, -1, n / 2, -n, n + 1}) {
        for (std::int64_t border = -2 * n; border < n; ++border) {
          const std::int64_t last = (extent - 1) * n - offset + border;
          if (last < 0 || last % d != 0) continue;
          axes.push_back({n, d, extent, offset, border});
          break;
        }
      }
    }
  }
  return axes;
}

DataType resize_result(DataType type, tosa::ResizeMode mode) {
  if (mode == tosa::ResizeMode::NearestNeighbor || tosa::is_float(type)) return type;
  return type == DataType::I8 ? DataType::I32 : DataType::I48;
}

struct Rescale {
  DataType from, to;
  bool scale32, double_round, per_channel, in_unsigned, out_unsigned;
  std::int64_t shift;
};

bool is_legal(const Rescale& r) {
  const auto narrow = [](DataType type) { return type == DataType::I8 || type == DataType::I16; };
  if (r.in_unsigned && (!narrow(r.from) || r.to == DataType::I32)) return false;
  return !r.out_unsigned || (narrow(r.to) && narrow(r.from));
}

CaseParts rescale_parts(const Rescale& r, TensorBuilder& make) {
  const std::int64_t channels = r.per_channel ? 3 : 1, width = tosa::bits_of(r.from);
  // Values whose result is predictable with this shift and 32 bits.
  auto bits = std::min<std::int64_t>({r.shift - 1, r.scale32 && r.shift == 16 ? 14 : 46, width - 1});
  if (!r.scale32) bits = std::min<std::int64_t>({bits, 46, r.shift + 15});
  const auto zero_point = [&](DataType type, bool is_unsigned) -> std::int64_t {
    if (type == DataType::I8) return make.random.pick<std::int64_t>({0, -128, 127, 3});
    return type == DataType::I16 && is_unsigned ? make.random.pick<std::int64_t>({0, -32768}) : 0;
  };
  // With a shift of 16, an unsigned 16-bit value must be near its zero point.
  const bool centred = r.in_unsigned && r.from == DataType::I16 && r.shift == 16;
  const double size = std::ldexp(1.0, static_cast<int>(bits > 8 ? bits - 1 : bits));
  const std::int64_t one = r.scale32 ? 1 << 30 : 1 << 14;
  CaseParts parts;
  parts.tensors.push_back(make.tensor(r.from, {2, 5, 3}, ValueRange{-size, size - 1}));
  parts.tensors.push_back(make.random_tensor(r.scale32 ? DataType::I32 : DataType::I16, {channels},
                                             ValueRange{static_cast<double>(one), static_cast<double>(2 * one - 1)}));
  parts.tensors.push_back(
      make.filled(DataType::I8, {channels}, [&](std::size_t) { return static_cast<double>(r.shift); }));
  parts.attributes = {
      {"scale32", {r.scale32}},
      {"rounding_mode",
       {static_cast<std::int64_t>(r.double_round ? tosa::RoundingMode::DoubleRound : tosa::RoundingMode::SingleRound)}},
      {"per_channel", {r.per_channel}},
      {"input_unsigned", {r.in_unsigned}},
      {"output_unsigned", {r.out_unsigned}},
      {"input_zp", {centred ? -32768 : zero_point(r.from, r.in_unsigned)}},
      {"output_zp", {zero_point(r.to, r.out_unsigned)}}};
  parts.results = {r.to};
  return parts;
}

std::vector<std::pair<DataType, DataType>> cast_pairs() {
  using enum DataType;
  std::vector<std::pair<DataType, DataType>> pairs;
  for (const DataType from : {Bool, I8, I16, I32}) {
    for (const DataType to : {Bool, I8, I16, I32}) {
      if (from != to) pairs.emplace_back(from, to);
    }
  }
  for (const DataType integer : kIntegers) {
    for (const DataType real : kFloats) {
      pairs.emplace_back(integer, real);
      pairs.emplace_back(real, integer);
    }
  }
  for (const auto& pair : {std::pair{F16, F32}, {F32, F16}, {BF16, F32}, {F32, BF16}}) pairs.push_back(pair);
  for (const DataType large : kFloats) {
    for (const DataType small : kSmallFloats) {
      pairs.emplace_back(large, small);
      pairs.emplace_back(small, large);
    }
  }
  return pairs;
}

}  // namespace

void add_layout(MatrixBuilder& matrix) {
  for (const DataType type : kMoved) {
    add_concats(matrix, type);
    add_pads(matrix, type);
    add_moves(matrix, Op::RESHAPE, type,
              {{{6}, {2, 3}, {}},
               {{2, 3}, {6}, {}},
               {{1}, {}, {}},
               {{}, {1, 1}, {}},
               {{2, 3, 4}, {4, 6}, {}},
               {{1, 2, 3, 4}, {4, 3, 2, 1}, {}},
               {{2, 6}, {1, 1, 3, 1, 2, 2}, {}}},
              "shape");
    add_reverses(matrix, type);
    add_moves(matrix, Op::SLICE, type,
              {{{5}, {0}, {5}},
               {{5}, {4}, {1}},
               {{3, 4}, {1, 1}, {2, 2}},
               {{2, 3, 4}, {0, 2, 1}, {2, 1, 3}},
               {{1, 2, 3, 4, 2}, {0, 1, 0, 2, 1}, {1, 1, 3, 2, 1}}},
              "start", "size");
    add_moves(matrix, Op::TILE, type,
              {{{3}, {1}, {}},
               {{3}, {4}, {}},
               {{2, 3}, {3, 1}, {}},
               {{1, 2, 2}, {2, 1, 3}, {}},
               {{1, 1, 2, 2}, {3, 2, 1, 2}, {}}},
              "multiples");
    add_moves(matrix, Op::TRANSPOSE, type,
              {{{4}, {0}, {}},
               {{2, 3}, {0, 1}, {}},
               {{2, 3}, {1, 0}, {}},
               {{2, 3, 4}, {0, 1, 2}, {}},
               {{2, 3, 4}, {0, 2, 1}, {}},
               {{2, 3, 4}, {1, 0, 2}, {}},
               {{2, 3, 4}, {1, 2, 0}, {}},
               {{2, 3, 4}, {2, 0, 1}, {}},
               {{2, 3, 4}, {2, 1, 0}, {}},
               {{1, 2, 3, 2}, {0, 2, 3, 1}, {}},
               {{1, 2, 3, 2}, {0, 3, 1, 2}, {}},
               {{1, 2, 3, 2}, {3, 2, 1, 0}, {}},
               {{1, 2, 1, 3, 2, 2}, {5, 0, 4, 1, 3, 2}, {}}},
              "perms");
    // IDENTITY, which a graph represents by a tensor of the same shape.
    add_moves(matrix, Op::RESHAPE, type, {{{}, {}, {}}, {{1}, {1}, {}}, {{17}, {17}, {}}, {{3, 5}, {3, 5}, {}}},
              "shape");
  }
}

void add_gathers(MatrixBuilder& matrix) {
  for (const DataType type : kMoved) {
    for (const auto& [n, rows, channels, width] :
         {std::array<std::int64_t, 4>{1, 1, 1, 1}, {1, 5, 2, 3}, {2, 4, 3, 6}, {3, 7, 1, 2}}) {
      if (type != DataType::Bool)
        matrix.add(Op::GATHER, type, [=](TensorBuilder& make) {
          Tensor values = make.tensor(type, {n, rows, channels});
          const ValueRange indices{0, static_cast<double>(rows - 1)};
          return CaseParts{{std::move(values), make.random_tensor(DataType::I32, {n, width}, indices)}, {}, {}};
        });
      for (const std::int64_t count : {std::int64_t{1}, (rows + 1) / 2, rows}) {
        matrix.add(Op::ROW_GATHER, type, [=](TensorBuilder& make) {
          Tensor values = make.tensor(type, {n, rows, channels});
          const ValueRange indices{0, static_cast<double>(rows - count)};
          return CaseParts{{std::move(values), make.random_tensor(DataType::I32, {n, width}, indices)},
                           {{"row_count", {count}}},
                           {}};
        });
      }
      if (type == DataType::Bool) continue;
      const std::int64_t written = std::min(width, rows);
      matrix.add(Op::SCATTER, type, [=](TensorBuilder& make) {
        CaseParts parts;
        parts.tensors.push_back(make.tensor(type, {n, rows, channels}));
        Tensor indices = Tensor::zeros({DataType::I32, {n, written}});
        for (std::int64_t batch = 0; batch < n; ++batch) {
          List order(static_cast<std::size_t>(rows));
          std::iota(order.begin(), order.end(), 0);
          for (std::size_t i = 0; i < static_cast<std::size_t>(written); ++i) {
            std::swap(order[i],
                      order[static_cast<std::size_t>(make.random.between(static_cast<std::int64_t>(i), rows - 1))]);
            indices.integers[static_cast<std::size_t>(batch * written) + i] = order[i];
          }
        }
        parts.tensors.push_back(std::move(indices));
        parts.tensors.push_back(make.tensor(type, {n, written, channels}));
        return parts;
      });
    }
  }
}

void add_resizes(MatrixBuilder& matrix) {
  const std::vector<Resized> axes = resized_axes();
  for (const DataType type : {DataType::I8, DataType::I16, DataType::F32, DataType::F16, DataType::BF16}) {
    for (const tosa::ResizeMode mode : {tosa::ResizeMode::NearestNeighbor, tosa::ResizeMode::Bilinear}) {
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const Resized &y = axes[i], &x = axes[(i * 7 + 3) % axes.size()];
        matrix.add(Op::RESIZE, type, [=](TensorBuilder& make) {
          const auto limits = tosa::is_float(type) ? std::optional(ValueRange{-4, 4}) : std::nullopt;
          return CaseParts{{make.tensor(type, {1, y.extent, x.extent, 2}, limits)},
                           {{"mode", {static_cast<std::int64_t>(mode)}},
                            {"scale", {y.n, y.d, x.n, x.d}},
                            {"offset", {y.offset, x.offset}},
                            {"border", {y.border, x.border}}},
                           {resize_result(type, mode)}};
        });
      }
    }
  }
}

void add_casts(MatrixBuilder& matrix) {
  for (const auto& [from, to] : cast_pairs()) {
    for (const Shape& shape : {Shape{}, Shape{64}, Shape{3, 5}, Shape{2, 3, 2, 2}}) {
      matrix.add(Op::CAST, formatted("{} {}", tosa::name_of(from), tosa::name_of(to)), [=](TensorBuilder& make) {
        // A NaN has no integer value.
        const bool narrows = tosa::is_float(from) && !tosa::is_float(to);
        const auto limits =
            narrows ? std::optional(make.has_edges() ? ValueRange{-1e30, 1e30} : ValueRange{-300, 300}) : std::nullopt;
        return CaseParts{{make.tensor(from, shape, limits)}, {}, {to}};
      });
      if (!tosa::is_integer(from)) continue;
      matrix.add(
          Op::CAST, formatted("{} {}/unsigned", tosa::name_of(from), tosa::name_of(to)),
          [=](TensorBuilder& make) { return CaseParts{{make.tensor(from, shape)}, {{"input_unsigned", {1}}}, {to}}; });
    }
  }
}

void add_rescales(MatrixBuilder& matrix) {
  for (const DataType from : {DataType::I8, DataType::I16, DataType::I32, DataType::I48}) {
    for (const DataType to : kIntegers) {
      for (const bool scale32 : {true, false}) {
        for (const bool double_round : {false, true}) {
          if ((scale32 && from == DataType::I48) || (double_round && !scale32)) continue;
          for (const bool per_channel : {false, true}) {
            for (const auto& [in_unsigned, out_unsigned] : {std::pair{false, false}, {true, false}, {false, true}}) {
              const std::array<std::int64_t, 3> shifts =
                  scale32 ? std::array<std::int64_t, 3>{16, 30, 37} : std::array<std::int64_t, 3>{10, 14, 30};
              for (const std::int64_t shift : shifts) {
                const Rescale r{from, to, scale32, double_round, per_channel, in_unsigned, out_unsigned, shift};
                if (!is_legal(r)) continue;
                matrix.add(Op::RESCALE, formatted("{} {}", tosa::name_of(from), tosa::name_of(to)),
                           [=](TensorBuilder& make) { return rescale_parts(r, make); });
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace slipway::tosa_cases
