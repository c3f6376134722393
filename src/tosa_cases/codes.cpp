// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/format.hpp"
#include "reference/precision.hpp"
#include "reference/scale.hpp"
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

// Every bit pattern of a type of 8 or 16 bits, in the order of `shape`.
Tensor all_codes(DataType type, Shape shape = {}) {
  const std::size_t width = tosa::bits_of(type) / 8, count = std::size_t{1} << (8 * width);
  if (shape.empty()) shape = {static_cast<std::int64_t>(count)};
  std::vector<std::byte> bytes(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t b = 0; b < width; ++b) bytes[i * width + b] = static_cast<std::byte>(i >> (8 * b));
  }
  return Tensor::from_bytes({type, std::move(shape)}, bytes);
}

Tensor tensor_of(DataType type, Shape shape, const std::function<double(std::size_t)>& value) {
  return TensorBuilder(0, Pattern::Random).filled(type, std::move(shape), value);
}

class Builder {
 public:
  Builder(Codes codes, const std::function<void(OperatorCase)>& use, const std::function<bool(Op)>& wants)
      : all_(codes == Codes::All), use_(use), wants_(wants) {}

  void run() {
    unary();
    edges();
    if (all_) strided();
    if (wanted(Op::CAST)) casts();
    pairs();
    tables();
    rescales();
    means();
    resizes();
    nan_places();
  }

 private:
  bool wanted(Op op) const { return !wants_ || wants_(op); }

  void add(Op op, std::string_view what, CaseParts parts) {
    if (!wanted(op)) return;
    Diagnostics problems;
    auto made = make_case(formatted("{}/{}", tosa::name_of(op), what), op, std::move(parts), problems);
    if (!made) throw std::logic_error(std::string(tosa::name_of(op)) + ": " + text_of(problems));
    use_(std::move(*made));
  }

  // Calls `use` for each operator with one float operand, with the attributes that it needs.
  template <class Use>
  void for_each_unary(Use&& use_one) const {
    const auto use = [&](Op op, const Attributes& attributes) {
      if (wanted(op)) use_one(op, attributes);
    };
    for (const Op op : {Op::ERF, Op::SIGMOID, Op::TANH, Op::CEIL, Op::COS, Op::EXP, Op::FLOOR, Op::LOG, Op::RECIPROCAL,
                        Op::RSQRT, Op::SIN, Op::ABS})
      use(op, Attributes{});
    use(Op::NEGATE, Attributes{{"input1_zp", {0}}, {"output_zp", {0}}});
    for (const std::int64_t nan_mode : {1, 2}) {
      Attributes limits = {{"nan_mode", {nan_mode}}};
      limits.set_real("min_val", -1.5);
      limits.set_real("max_val", 2.5);
      use(Op::CLAMP, limits);
    }
  }

  void unary() {
    for (const DataType type : {DataType::F16, DataType::BF16}) {
      for_each_unary([&](Op op, const Attributes& attributes) {
        add(op, formatted("{}/all", tosa::name_of(type)), {{all_codes(type)}, attributes, {}});
      });
    }
  }

  // Values at which a function or its rounding changes.
  void edges() {
    for (const DataType type : kFloats) {
      const reference::Precision precision = reference::precision_of(type);
      const double unit = std::ldexp(1.0, -precision.fraction_bits), whole = 1 / unit;
      std::vector<double> values = edge_values(type);
      for (const double value : {1 - unit / 2, whole, whole + 1, std::numbers::pi / 2, std::numbers::pi, 100.0, 1000.0,
                                 2896.0, 1e6, 0.125, 8.0, 9.0}) {
        values.push_back(value);
        values.push_back(-value);
      }
      for (const double edge :
           {std::log(precision.max), std::log(precision.min_normal), std::log(precision.min_subnormal())}) {
        for (const double factor : {1 - unit, 1.0, 1 + unit}) values.push_back(edge * factor);
      }
      for_each_unary([&](Op op, const Attributes& attributes) {
        add(op, formatted("{}/edges", tosa::name_of(type)),
            {{tensor_of(type, {std::ssize(values)}, [&](std::size_t i) { return values[i]; })}, attributes, {}});
      });
    }
  }

  // Codes of 32 bits with a stride that has no factor in common with their number.
  void strided() {
    constexpr std::size_t kCount = 1u << 20, kPart = 1u << 16;
    constexpr std::uint32_t kStride = 4099;
    for_each_unary([&](Op op, const Attributes& attributes) {
      for (std::size_t first = 0; first < kCount; first += kPart) {
        add(op, formatted("f32/strided/{}", first),
            {{tensor_of(
                 DataType::F32, {kPart},
                 [&](std::size_t i) { return std::bit_cast<float>(static_cast<std::uint32_t>(first + i) * kStride); })},
             attributes,
             {}});
      }
    });
  }

  void casts() {
    using enum DataType;
    const auto cast = [&](DataType from, DataType to) {
      Tensor codes = all_codes(from);
      if (!tosa::is_float(to)) {  // a NaN has no integer value
        for (double& real : codes.reals) real = std::isnan(real) ? 0 : real;
      }
      add(Op::CAST, formatted("{} {}/all", tosa::name_of(from), tosa::name_of(to)), {{std::move(codes)}, {}, {to}});
    };
    for (const DataType small : kSmallFloats) {
      for (const DataType to : kFloats) cast(small, to);
    }
    for (const DataType to : {Bool, I16, I32, F16, BF16, F32}) cast(I8, to);
    for (const DataType from : {F16, BF16}) {
      for (const DataType to : {I8, I16, I32, F32, F8E4M3, F8E5M2}) cast(from, to);
    }
    for (const DataType to : {Bool, I8, I32, F16, BF16, F32}) cast(I16, to);
    for (const DataType to : kFloats) {
      const std::vector<double> middles = around_middles(to);
      add(Op::CAST, formatted("i32 {}/middles", tosa::name_of(to)),
          {{tensor_of(I32, {std::ssize(middles)}, [&](std::size_t i) { return middles[i]; })}, {}, {to}});
    }
  }

  // Integers of 32 bits in the middle between two neighbours of a float type, and the integers beside them: what is
  // rounded twice goes to the wrong neighbour.
  static std::vector<double> around_middles(DataType type) {
    const int fraction_bits = reference::precision_of(type).fraction_bits;
    const double max = std::min<double>(reference::precision_of(type).max, INT32_MAX);
    std::vector<double> values;
    for (int exponent = fraction_bits + 1; exponent < 31; ++exponent) {
      const double step = std::ldexp(1.0, exponent - fraction_bits);
      for (const double steps : {0.5, 1.5, 2.5}) {
        for (const double beside : {-1.0, 0.0, 1.0}) {
          const double value = std::ldexp(1.0, exponent) + steps * step + beside;
          if (value <= max) values.insert(values.end(), {value, -value});
        }
      }
    }
    return values;
  }

  // All pairs of i8, and shifts by every legal amount.
  void pairs() {
    const auto column = [](DataType type) { return all_codes(type, {256, 1}); };
    const auto row = [](DataType type) { return all_codes(type, {1, 256}); };
    add(Op::MUL, "i8/pairs", {{column(DataType::I8), row(DataType::I8)}, {{"shift", {0}}}, {}});
    for (const Op op : {Op::BITWISE_AND, Op::BITWISE_OR, Op::BITWISE_XOR})
      add(op, "i8/pairs", {{column(DataType::I8), row(DataType::I8)}, {}, {}});
    for (const DataType type : {DataType::I8, DataType::I16}) {
      const std::int64_t width = tosa::bits_of(type), values = std::int64_t{1} << width;
      if (type == DataType::I16 && !all_) continue;
      const Tensor amounts = tensor_of(type, {1, width}, [](std::size_t i) { return static_cast<double>(i); });
      for (const Op op : {Op::LOGICAL_LEFT_SHIFT, Op::LOGICAL_RIGHT_SHIFT})
        add(op, "all", {{all_codes(type, {values, 1}), amounts}, {}, {}});
      for (const std::int64_t round : {0, 1})
        add(Op::ARITHMETIC_RIGHT_SHIFT, "all", {{all_codes(type, {values, 1}), amounts}, {{"round", {round}}}, {}});
    }
  }

  void tables() {
    struct Function {
      double (*f)(double);
      double scale;
    };
    static constexpr auto kSigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (const auto& [f, scale] : {Function{[](double x) { return std::tanh(x); }, 32}, Function{kSigmoid, 16},
                                   Function{[](double x) { return std::erf(x); }, 64}}) {
      const Tensor wide = tensor_of(DataType::I16, {513}, [&](std::size_t i) {
        return std::clamp(std::nearbyint(32768 * f((static_cast<double>(i) - 256) / scale)), -32768.0, 32767.0);
      });
      const Tensor narrow = tensor_of(DataType::I8, {256}, [&](std::size_t i) {
        return std::clamp(std::nearbyint(128 * f((static_cast<double>(i) - 128) / scale)), -128.0, 127.0);
      });
      add(Op::TABLE, "i8/all", {{all_codes(DataType::I8), narrow}, {}, {}});
      add(Op::TABLE, "i16/all", {{all_codes(DataType::I16), wide}, {}, {}});
    }
  }

  // All values of the narrow types, signed and unsigned, with pairs of multiplier and shift.
  void rescales() {
    Random random(1);
    for (const DataType type : {DataType::I8, DataType::I16}) {
      if (type == DataType::I16 && !all_) continue;
      const std::size_t pairs = all_ ? 40 : 10;
      for (std::size_t i = 0; i < pairs; ++i) {
        // The shift permits every value; the first pairs are exact halves, where rounding changes.
        const std::int64_t least = type == DataType::I8 ? 10 : 18;
        const std::int64_t shift = random.between(least, 45);
        const std::int64_t multiplier =
            i < pairs / 4 ? std::int64_t{1} << std::min<std::int64_t>(shift - 1, 30) : random.between(0, INT32_MAX);
        for (const bool is_unsigned : {false, true}) {
          for (const tosa::RoundingMode rounding : {tosa::RoundingMode::SingleRound, tosa::RoundingMode::DoubleRound}) {
            const std::int64_t middle = !is_unsigned ? 0 : type == DataType::I8 ? -128 : -32768;
            CaseParts parts{{all_codes(type), tensor_of(DataType::I32, {1}, [&](std::size_t) { return multiplier; }),
                             tensor_of(DataType::I8, {1}, [&](std::size_t) { return shift; })},
                            {{"scale32", {1}},
                             {"rounding_mode", {static_cast<std::int64_t>(rounding)}},
                             {"per_channel", {0}},
                             {"input_unsigned", {is_unsigned}},
                             {"output_unsigned", {0}},
                             {"input_zp", {middle}},
                             {"output_zp", {0}}},
                            {DataType::I16}};
            // The result before saturation must fit into 32 bits.
            if (std::ldexp(static_cast<double>(multiplier), -static_cast<int>(shift)) * 65536 >= 0x1p31) continue;
            add(Op::RESCALE, formatted("{}/m={}/s={}", tosa::name_of(type), multiplier, shift), std::move(parts));
          }
        }
      }
    }
  }

  // Means of 1 to 256 values whose sum is at a half, and next to it.
  void means() {
    for (std::int64_t count = 1; count <= 256; ++count) {
      if (!all_ && count > 16 && count % 15 != 1) continue;
      std::vector<std::int64_t> sums;
      for (const std::int64_t quotient : {0, -1, 5, -6}) {
        for (const std::int64_t beside : {-1, 0, 1}) sums.push_back(quotient * count + count / 2 + beside);
      }
      Tensor input = Tensor::zeros({DataType::I8, {std::ssize(sums), 1, count, 1}});
      for (std::size_t i = 0; i < sums.size(); ++i) {
        std::int64_t rest = sums[i];
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int64_t part = std::clamp<std::int64_t>(rest / (count - k), -128, 127);
          input.integers[i * static_cast<std::size_t>(count) + static_cast<std::size_t>(k)] = part;
          rest -= part;
        }
      }
      add(Op::AVG_POOL2D, formatted("i8/{}", count),
          {{std::move(input)},
           {{"kernel", {1, count}},
            {"stride", {1, 1}},
            {"pad", {0, 0, 0, 0}},
            {"acc_type", {static_cast<std::int64_t>(tosa::AccType::Int32)}},
            {"input_zp", {0}},
            {"output_zp", {0}}},
           {}});
    }
  }

  // A row of eight pixels at every scale up to 16.
  void resizes() {
    const Tensor row = tensor_of(DataType::I8, {1, 1, 8, 1},
                                 [](std::size_t i) { return std::array{-128, 127, -1, 0, 1, 64, -77, 99}[i]; });
    for (std::int64_t n = 1; n <= 16; ++n) {
      for (std::int64_t d = 1; d <= 16; ++d) {
        if (!all_ && (16 * n + d) % 13 != 0) continue;
        for (const std::int64_t offset : {std::int64_t{0}, -n, n / 2, -n / 2}) {
          std::int64_t border = n - 1;
          while ((7 * n - offset + border) % d != 0) --border;
          if (border < -16 * n || 7 * n - offset + border < 0 || d >= 16 * n) continue;
          for (const tosa::ResizeMode mode : {tosa::ResizeMode::NearestNeighbor, tosa::ResizeMode::Bilinear}) {
            add(Op::RESIZE, formatted("i8/{}:{}", n, d),
                {{row},
                 {{"mode", {static_cast<std::int64_t>(mode)}},
                  {"scale", {1, 1, n, d}},
                  {"offset", {0, offset}},
                  {"border", {0, border}}},
                 {mode == tosa::ResizeMode::Bilinear ? DataType::I32 : DataType::I8}});
          }
        }
      }
    }
  }

  // NaN, -0, 1 and minus infinity at every position of four.
  void nan_places() {
    const auto value = [](std::size_t i) {
      return std::array{std::nan(""), -0.0, 1.0, -HUGE_VAL}[(i / 4) >> (2 * (i % 4)) & 3];
    };
    for (const DataType type : kFloats) {
      const Tensor rows = tensor_of(type, {256, 4}, value);
      for (const std::int64_t mode : {1, 2}) {
        for (const Op op : {Op::ARGMAX, Op::REDUCE_MAX, Op::REDUCE_MIN})
          add(op, "nan", {{rows}, {{"axis", {1}}, {"nan_mode", {mode}}}, {}});
        for (const Op op : {Op::MAXIMUM, Op::MINIMUM}) {
          const auto column = [&](std::size_t c) {
            return tensor_of(type, {256}, [&](std::size_t i) { return value(4 * i + c); });
          };
          add(op, "nan", {{column(0), column(1)}, {{"nan_mode", {mode}}}, {}});
        }
        Tensor image = rows;
        image.type.shape = {256, 1, 4, 1};
        add(Op::MAX_POOL2D, "nan",
            {{std::move(image)},
             {{"kernel", {1, 4}}, {"stride", {1, 1}}, {"pad", {0, 0, 0, 0}}, {"nan_mode", {mode}}},
             {}});
      }
    }
  }

  bool all_;
  const std::function<void(OperatorCase)>& use_;
  const std::function<bool(Op)>& wants_;
};

}  // namespace

void for_each_code_case(Codes codes, const std::function<void(OperatorCase)>& use,
                        const std::function<bool(tosa::Op)>& wants) {
  Builder(codes, use, wants).run();
}

std::set<tosa::Op> operators_with_codes() {
  std::set<tosa::Op> operators;
  for_each_code_case(Codes::Quick, {}, [&](tosa::Op op) {
    operators.insert(op);
    return false;
  });
  return operators;
}

}  // namespace slipway::tosa_cases
