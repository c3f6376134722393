// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/dot_data.hpp"

#include <cmath>
#include <map>
#include <stdexcept>

#include "base/format.hpp"
#include "reference/bounds.hpp"
#include "reference/precision.hpp"
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

// Returns the index inside the kernel of an element of a tensor with these coordinates.
using KernelIndex = std::function<std::int64_t(std::span<const std::int64_t>)>;

// The largest magnitude of the data of a set, for types of input and result.
double magnitude(DataType in, DataType out) {
  using enum DataType;
  if (in == F8E4M3) return out == F16 ? 240 : out == F32 ? 448 : 20;
  if (in == F8E5M2) return out == F32 ? 57344 : 224;
  if (in == F16) return out == F16 ? 255.875 : 65504;
  return in == BF16 ? 0x1p64 - 0x1p56 : 0x1p64 - 0x1p40;
}

enum class Part : std::uint8_t { Input, Weight, Bias };

// Element `i` of a tensor, at index `k` of a kernel of `length` (docs/spec/tosa.md#conformance-data).
double element(int set, double length, Part part, std::int64_t k, std::uint64_t i, double b) {
  const auto p = static_cast<std::uint32_t>(part);
  const auto d = [](std::uint32_t sequence, std::uint64_t at) { return set_data(sequence, at); };
  if (set == 1) {
    const double value = std::copysign(0.75, d(3 + p, 2 * i)) + 0.25 * d(3 + p, 2 * i + 1);
    return value * (part == Part::Bias ? b * b / (length + 1) : b / std::sqrt(length + 1));
  }
  if (part == Part::Bias) return 0;
  const bool input = part == Part::Input;
  switch (set) {
    case 0:
      return (d(0, i) < 0) == input ? 0 : d(1, i);
    case 2:
      return k == 0 ? 1 : d(6 + p, i) / std::sqrt(length);
    case 3:
      if (k == 0) return std::copysign(16, d(9 + p, 2 * i));
      return std::exp(2 * d(9 + p, 2 * i)) * d(9 + p, 2 * i + 1);
    case 4: {
      const bool negative = d(12, i) < 0;
      if (k == static_cast<std::int64_t>(length) / 2) return negative == input ? -0.5 : 0.5;
      return negative == input ? 0 : b / std::sqrt(length) * d(13, i);
    }
    default:
      return b / std::sqrt(length) * d(15 + p, i);
  }
}

// The function from coordinates to indices in a kernel, for an operand of the setup's operator.
KernelIndex kernel_index_of(const DotSetup& setup, std::size_t operand) {
  using At = std::span<const std::int64_t>;
  const Shape& input = setup.tensors[0].shape;
  const auto weight = [&](std::size_t d) { return setup.tensors[1].shape[d]; };
  switch (setup.op) {
    case Op::CONV2D:
    case Op::TRANSPOSE_CONV2D:
      if (operand == 0) {
        return [h = weight(1), w = weight(2), c = weight(3)](At at) { return (at[1] % h * w + at[2] % w) * c + at[3]; };
      }
      return [w = weight(2), c = weight(3)](At at) { return (at[1] * w + at[2]) * c + at[3]; };
    case Op::CONV3D:
      if (operand == 0) {
        return [d = weight(1), h = weight(2), w = weight(3), c = weight(4)](At at) {
          return ((at[1] % d * h + at[2] % h) * w + at[3] % w) * c + at[4];
        };
      }
      return [h = weight(2), w = weight(3), c = weight(4)](At at) {
        return ((at[1] * h + at[2]) * w + at[3]) * c + at[4];
      };
    case Op::DEPTHWISE_CONV2D:
      if (operand == 0) return [h = weight(0), w = weight(1)](At at) { return at[1] % h * w + at[2] % w; };
      return [w = weight(1)](At at) { return at[0] * w + at[1]; };
    case Op::MATMUL:
      return operand == 0 ? KernelIndex([](At at) { return at[2]; }) : KernelIndex([](At at) { return at[1]; });
    case Op::REDUCE_SUM:
      return [axis = static_cast<std::size_t>(setup.attributes.integer("axis"))](At at) { return at[axis]; };
    case Op::AVG_POOL2D:
      return [y = setup.attributes.list("kernel")[0], x = setup.attributes.list("kernel")[1], c = input[3]](At at) {
        return (at[1] % y * x + at[2] % x) * c + at[3];
      };
    default:  // FFT2D, RFFT2D
      return [w = input[2]](At at) { return at[1] * w + at[2]; };
  }
}

double length_of(const DotSetup& setup) {
  const auto extent = [&](std::size_t operand, std::size_t d) {
    return static_cast<double>(setup.tensors[operand].shape[d]);
  };
  switch (setup.op) {
    case Op::CONV2D:
    case Op::TRANSPOSE_CONV2D:
      return extent(1, 1) * extent(1, 2) * extent(1, 3);
    case Op::CONV3D:
      return extent(1, 1) * extent(1, 2) * extent(1, 3) * extent(1, 4);
    case Op::DEPTHWISE_CONV2D:
      return extent(1, 0) * extent(1, 1);
    case Op::MATMUL:
      return extent(0, 2);
    case Op::REDUCE_SUM:
      return extent(0, static_cast<std::size_t>(setup.attributes.integer("axis")));
    case Op::AVG_POOL2D:
      return static_cast<double>(setup.attributes.list("kernel")[0] * setup.attributes.list("kernel")[1]);
    default:
      return (setup.op == Op::FFT2D ? 2 : 1) * extent(0, 1) * extent(0, 2);
  }
}

// --- the setups ---

struct Types {
  DataType in, out;
  tosa::AccType accumulator;
};
constexpr std::array kTypes = {Types{DataType::F32, DataType::F32, tosa::AccType::Fp32},
                               Types{DataType::F16, DataType::F16, tosa::AccType::Fp16},
                               Types{DataType::F16, DataType::F16, tosa::AccType::Fp32},
                               Types{DataType::BF16, DataType::BF16, tosa::AccType::Fp32},
                               Types{DataType::F8E4M3, DataType::F16, tosa::AccType::Fp16},
                               Types{DataType::F8E5M2, DataType::F16, tosa::AccType::Fp16}};

struct Geometry {
  std::string_view name;
  Op op;
  Shape input, weight;
  std::int64_t channels;
  Attributes attributes;
};

const std::vector<Geometry>& geometries() {
  static const std::vector<Geometry> all = {
      {"1x1",
       Op::CONV2D,
       {1, 10, 10, 8},
       {12, 1, 1, 8},
       12,
       {{"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}}},
      {"3x3",
       Op::CONV2D,
       {1, 10, 10, 8},
       {12, 3, 3, 8},
       12,
       {{"pad", {1, 1, 1, 1}}, {"stride", {1, 1}}, {"dilation", {1, 1}}}},
      {"2x2x2",
       Op::CONV3D,
       {1, 5, 5, 5, 4},
       {16, 2, 2, 2, 4},
       16,
       {{"pad", {0, 0, 0, 0, 0, 0}}, {"stride", {1, 1, 1}}, {"dilation", {1, 1, 1}}}},
      {"3x3",
       Op::DEPTHWISE_CONV2D,
       {1, 10, 10, 6},
       {3, 3, 6, 2},
       12,
       {{"pad", {1, 1, 1, 1}}, {"stride", {1, 1}}, {"dilation", {1, 1}}}},
      {"3x3", Op::TRANSPOSE_CONV2D, {1, 5, 5, 8}, {12, 3, 3, 8}, 12, {{"out_pad", {0, 0, 0, 0}}, {"stride", {2, 2}}}}};
  return all;
}

void add_both_bounds(std::vector<DotSetup>& setups, DotSetup setup) {
  for (const std::int64_t local : {0, 1}) {
    setup.attributes.set("local_bound", local);
    setups.push_back(setup);
    if (local) setups.back().name += "/local";
  }
}

}  // namespace

double set_data(std::uint32_t sequence, std::uint64_t i) {
  static std::map<std::uint32_t, std::vector<double>> made;
  std::vector<double>& values = made[sequence];
  if (i >= values.size()) {
    const std::uint32_t factor = (8 * sequence + 1) * 0x705A5E75u;
    std::uint32_t state = factor + 1;
    const std::size_t count = std::max<std::size_t>(4096, 2 * i + 2);
    values.clear();
    for (std::size_t k = 0; k < count; ++k, state = state * factor + 1) {
      const double size = static_cast<double>(static_cast<float>(state & 0x7fffffff)) / 0x1p31;
      values.push_back(state >> 31 ? -size : size);
    }
  }
  return values[i];
}

std::vector<DotSetup> dot_setups() {
  std::vector<DotSetup> setups;
  const auto label = [](Op op, std::string_view what, const Types& types) {
    return formatted("{}/{}/{} {} {}", tosa::name_of(op), what, tosa::name_of(types.in), tosa::name_of(types.out),
                     tosa::name_of(tosa::data_type_of(types.accumulator)));
  };
  for (const Types& types : kTypes) {
    const auto accumulator = static_cast<std::int64_t>(types.accumulator);
    for (const Geometry& geometry : geometries()) {
      DotSetup setup{label(geometry.op, geometry.name, types),
                     geometry.op,
                     geometry.attributes,
                     {{types.in, geometry.input}, {types.in, geometry.weight}, {types.out, {geometry.channels}}},
                     types.out};
      setup.attributes.set("acc_type", accumulator);
      setup.attributes.set("input_zp", 0);
      setup.attributes.set("weight_zp", 0);
      add_both_bounds(setups, std::move(setup));
    }
    // The accumulator of a matrix product has the type of its result.
    const DataType product = types.accumulator == tosa::AccType::Fp32 ? DataType::F32 : DataType::F16;
    for (const std::int64_t common : {1, 24, 300}) {
      setups.push_back({label(Op::MATMUL, formatted("{}", common), types),
                        Op::MATMUL,
                        {{"A_zp", {0}}, {"B_zp", {0}}},
                        {{types.in, {1, 32, common}}, {types.in, {1, common, 32}}},
                        product});
    }
    setups.push_back({label(Op::AVG_POOL2D, "3x3", types),
                      Op::AVG_POOL2D,
                      {{"kernel", {3, 3}},
                       {"stride", {1, 1}},
                       {"pad", {0, 0, 0, 0}},
                       {"acc_type", {accumulator}},
                       {"input_zp", {0}},
                       {"output_zp", {0}}},
                      {{types.in, {1, 12, 12, 12}}},
                      types.in});
  }
  for (const DataType type : kFloats) {
    setups.push_back({formatted("REDUCE_SUM/64/{}", tosa::name_of(type)),
                      Op::REDUCE_SUM,
                      {{"axis", {1}}},
                      {{type, {32, 64, 32}}},
                      type});
  }
  for (const auto& [size, real_images, images] : {std::array<std::int64_t, 3>{8, 26, 16}, {32, 2, 1}}) {
    const Shape image = {images, size, size};
    add_both_bounds(setups, {formatted("FFT2D/{}", size),
                             Op::FFT2D,
                             {{"inverse", {0}}},
                             {{DataType::F32, image}, {DataType::F32, image}},
                             DataType::F32});
    add_both_bounds(
        setups,
        {formatted("RFFT2D/{}", size), Op::RFFT2D, {}, {{DataType::F32, {real_images, size, size}}}, DataType::F32});
  }
  return setups;
}

OperatorCase dot_case(const DotSetup& setup, int set) {
  const double length = length_of(setup), b = magnitude(setup.tensors[0].data, setup.result);
  CaseParts parts{{}, setup.attributes, {setup.result}, set % 2 == 1};
  if (setup.op == Op::FFT2D || setup.op == Op::RFFT2D) parts.results.push_back(setup.result);
  const bool transform = setup.op == Op::FFT2D;
  std::uint64_t before = 0;  // indices of the imaginary part follow those of the real part
  for (std::size_t operand = 0; operand < setup.tensors.size(); ++operand) {
    Tensor tensor = Tensor::zeros(setup.tensors[operand]);
    const Part part = transform ? Part::Input : static_cast<Part>(operand);
    const KernelIndex index_of = part == Part::Bias ? [](std::span<const std::int64_t>) { return std::int64_t{0}; }
                                                    : kernel_index_of(setup, operand);
    std::vector<std::int64_t> at(tensor.type.shape.size(), 0);
    for (std::size_t i = 0; i < tensor.reals.size(); ++i) {
      tensor.reals[i] = reference::round_to(tensor.type.data, element(set, length, part, index_of(at), before + i, b));
      for (std::size_t d = at.size(); d-- > 0 && ++at[d] == tensor.type.shape[d];) at[d] = 0;
    }
    if (transform) before += tensor.reals.size();
    parts.tensors.push_back(std::move(tensor));
  }
  Diagnostics problems;
  auto made = make_case(formatted("{}/set {}", setup.name, set), setup.op, std::move(parts), problems);
  if (!made) throw std::logic_error(setup.name + ": " + text_of(problems));
  return std::move(*made);
}

std::string dot_failure(const OperatorCase& made, int set, std::span<const Tensor> results) {
  std::vector<const Tensor*> operands;
  for (const Tensor& operand : made.operands) operands.push_back(&operand);
  const auto wanted = reference::run_node(made.graph, made.node(), operands);
  if (!wanted) return wanted.error()[0].message;
  const auto scale = reference::dot_product_scale(made.graph, made.node(), operands, *wanted);
  if (!scale) return "not a dot product of floats";
  for (std::size_t r = 0; r < results.size(); ++r) {
    const DataType type = results[r].type.data;
    const reference::Precision precision = reference::precision_of(type);
    const double unit = std::exp2(-1 - precision.fraction_bits), most = 2 * scale->steps;
    const auto count = static_cast<double>(results[r].reals.size()), variance = 4 * 0.4 * scale->steps;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < results[r].reals.size(); ++i) {
      const double test = results[r].reals[i], ref = wanted->unrounded[r][i], size = scale->magnitudes[r][i];
      const auto at = [&] {
        return formatted("{}: result {} element {} is {} instead of {}", made.name, r, i, test, ref);
      };
      if (std::isnan(ref) ? !std::isnan(test) : size == 0 && (ref != 0 || test != 0)) return at();
      if (std::isnan(ref) || size == 0 || reference::is_free(type, size, scale->steps)) continue;
      const double error = (test - ref) / std::max(size * unit, precision.min_normal);
      if (!(std::fabs(error) <= most)) return formatted("{}, an error of {} where {} is allowed", at(), error, most);
      sum += error;
      squares += error * error;
    }
    if (squares > variance * count)
      return formatted("{}: result {}: the squares of its errors are {}; {} is allowed", made.name, r, squares,
                       variance * count);
    if (set >= 3 && std::fabs(sum) > std::sqrt(10 * variance * count))
      return formatted("{}: result {}: its errors come to {}; {} is allowed", made.name, r, sum,
                       std::sqrt(10 * variance * count));
  }
  return "";
}

}  // namespace slipway::tosa_cases
