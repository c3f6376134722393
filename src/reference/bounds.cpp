// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference/bounds.hpp"

#include <algorithm>
#include <numbers>

#include "reference/axis.hpp"
#include "reference/operation.hpp"
#include "reference/precision.hpp"

namespace slipway::reference {
namespace {

// B of docs/spec/tosa.md#error-bounds, which has the formula: an error of 2^(-F / d) relative to `magnitude`, which
// counts as `low` if it is smaller; times `value`.
double relative_bound(DataType type, double magnitude, double value, double low, double d) {
  const Precision precision = precision_of(type);
  if (std::isinf(value) && magnitude == 0) return 0;
  double size = std::max(std::fabs(magnitude), precision.min_normal);
  if (low > 0) size = std::max(size, low / value);
  return std::exp2(-precision.fraction_bits / d) * size * value;
}

// The bound of an elementwise operator for one element, from its operand and unrounded result.
double unary_bound(Op op, DataType type, double x, double ref) {
  const double c = type == DataType::F32 ? 3 : 1, size = std::fabs(x);
  switch (op) {
    case Op::ERF:
      return 5 * ulp(type, ref);
    case Op::SIGMOID:
      return std::isinf(x) ? 0 : relative_bound(type, ref, 2 * (1 + size), 0, 1);
    case Op::TANH:
      return std::isinf(x) ? 0 : relative_bound(type, ref, 4 * (c + 2 * size), 0.5, 1);
    case Op::COS:
      return relative_bound(type, 1 + size, 1, 0, 2);
    case Op::SIN:
      return std::max(relative_bound(type, x, 2, 0, 2), std::numbers::pi * precision_of(type).min_normal);
    case Op::EXP:
      return std::isinf(x) ? 0 : relative_bound(type, ref, c + 2 * size, 0, 1);
    case Op::LOG:
      return relative_bound(type, ref, 5, 0.5, 1);
    case Op::RECIPROCAL:
      return ulp(type, ref);
    case Op::RSQRT:
      return 2 * ulp(type, ref);
    case Op::CEIL:
    case Op::FLOOR:
      return 0.5 * ulp(type, ref);
    default:
      return 0;
  }
}

double pow_bound(DataType type, double a, double b, double ref) {
  // TOSA does not define these.
  if (a < 0 || (a == 0 && b <= 0) || !std::isfinite(a) || !std::isfinite(b)) return kInfinity;
  if (a == 0 || b == 0) return 0;
  const double logarithm = b * std::log(a), c = type == DataType::F32 ? 3 : 1;
  const double exponent_error = relative_bound(type, logarithm, 5.5, std::fabs(0.55 * b), 1);
  const double rounding = relative_bound(type, ref, c + 2 * std::fabs(logarithm + exponent_error), 0, 1);
  return ref * (std::exp(exponent_error) - 1) + rounding;
}

// --- dot products (docs/spec/tosa.md#dot-product-check) ---

bool is_dot_product(Op op) {
  switch (op) {
    case Op::CONV2D:
    case Op::CONV3D:
    case Op::DEPTHWISE_CONV2D:
    case Op::TRANSPOSE_CONV2D:
    case Op::MATMUL:
    case Op::MATMUL_T:
    case Op::AVG_POOL2D:
    case Op::REDUCE_SUM:
    case Op::FFT2D:
    case Op::RFFT2D:
      return true;
    default:
      return false;
  }
}

struct DotProduct {
  double length;                // KS
  DataType accumulator;         // acc_t
  std::size_t bias = SIZE_MAX;  // index of the bias operand
};

DotProduct dot_product_of(const tosa::Node& node, std::span<const Tensor* const> inputs, DataType out) {
  const auto extent = [&](std::size_t input, std::size_t dimension) {
    return static_cast<double>(inputs[input]->extent(dimension));
  };
  const DataType acc =
      node.attributes.has("acc_type") ? tosa::data_type_of(node.attributes.enumerant<tosa::AccType>("acc_type")) : out;
  switch (node.op) {
    case Op::CONV2D:
    case Op::TRANSPOSE_CONV2D:
      return {extent(1, 1) * extent(1, 2) * extent(1, 3), acc, 2};
    case Op::CONV3D:
      return {extent(1, 1) * extent(1, 2) * extent(1, 3) * extent(1, 4), acc, 2};
    case Op::DEPTHWISE_CONV2D:
      return {extent(1, 0) * extent(1, 1), acc, 2};
    case Op::MATMUL:
    case Op::MATMUL_T:
      // A result in bf16 is rounded from a sum in f32.
      return {extent(0, 2), out == DataType::BF16 ? DataType::F32 : out};
    case Op::AVG_POOL2D:
      return {static_cast<double>(node.attributes.list("kernel")[0] * node.attributes.list("kernel")[1]), acc};
    case Op::REDUCE_SUM:
      return {extent(0, static_cast<std::size_t>(node.attributes.integer("axis"))),
              out == DataType::BF16 ? DataType::F32 : out};
    default:  // FFT2D, RFFT2D
      return {(node.op == Op::FFT2D ? 2 : 1) * extent(0, 1) * extent(0, 2), DataType::F32};
  }
}

// Every input counts as the largest one where an algorithm may combine all of them (a transform of the whole image).
void make_global(std::span<Tensor> tensors) {
  double largest = 0;
  for (const Tensor& tensor : tensors) {
    for (const double real : tensor.reals)
      largest = std::isnan(real) || std::isnan(largest) ? kNan : std::max(largest, real);
  }
  for (Tensor& tensor : tensors) std::ranges::fill(tensor.reals, largest);
}

// Sums of magnitudes times those of the twiddle factors of a Fourier transform.
std::vector<std::vector<double>> transform_magnitudes(std::span<const Tensor> absolute, const NodeResults& results) {
  const std::int64_t height = absolute[0].extent(1), width = absolute[0].extent(2);
  std::vector<std::vector<double>> sums(2);
  for (std::size_t part = 0; part < 2; ++part) {
    const Tensor& value = results.values[part];
    const std::int64_t columns = value.extent(2);
    for (std::int64_t at = 0; at < std::ssize(value.reals); ++at) {
      go_on();
      const std::int64_t image = at / (height * columns), oy = at / columns % height, ox = at % columns;
      double sum = 0;
      for (std::int64_t i = 0; i < height * width; ++i) {
        const std::int64_t ay = i / width * oy % height, ax = i % width * ox % width;
        const double angle = 2 * std::numbers::pi *
                             (static_cast<double>(ay) / static_cast<double>(height) +
                              static_cast<double>(ax) / static_cast<double>(width));
        const bool real_only = 2 * ay % height == 0 && 2 * ax % width == 0;
        const double cosine = std::fabs(std::cos(angle)), sine = real_only ? 0 : std::fabs(std::sin(angle));
        const auto from = static_cast<std::size_t>(image * height * width + i);
        sum += absolute[0].reals[from] * (part == 0 ? cosine : sine);
        if (absolute.size() > 1) sum += absolute[1].reals[from] * (part == 0 ? sine : cosine);
      }
      sums[part].push_back(sum);
    }
  }
  return sums;
}

// The same operator on the magnitudes of its operands bounds the rounding errors of the sum.
std::vector<std::vector<double>> magnitudes(const tosa::Graph& graph, const tosa::Node& node,
                                            std::span<const Tensor* const> inputs, const NodeResults& results) {
  const double min_normal = precision_of(inputs[0]->type.data).min_normal;
  std::vector<Tensor> absolute;
  for (const Tensor* input : inputs) {
    absolute.push_back(*input);
    for (double& real : absolute.back().reals) real = std::isnan(real) ? real : std::max(std::fabs(real), min_normal);
  }
  const bool transform = node.op == Op::FFT2D || node.op == Op::RFFT2D;
  if (node.attributes.has("local_bound") && !node.attributes.flag("local_bound"))
    make_global(std::span(absolute).first(node.op == Op::FFT2D ? 2 : 1));
  if (transform) return transform_magnitudes(absolute, results);
  std::vector<const Tensor*> operands;
  for (const Tensor& tensor : absolute) operands.push_back(&tensor);
  Result<NodeResults> sums = run_node(graph, node, operands);
  if (!sums) throw StoppedWork{stop_reason()};
  return std::move(sums->unrounded);
}

void dot_bounds(const tosa::Graph& graph, const tosa::Node& node, std::span<const Tensor* const> inputs,
                const NodeResults& results, std::vector<std::vector<double>>& bounds) {
  const DataType out = results.values[0].type.data;
  const Precision precision = precision_of(out);
  const DotProductScale scale = *dot_product_scale(graph, node, inputs, results);
  const double unit = std::exp2(-1 - precision.fraction_bits);
  for (std::size_t r = 0; r < bounds.size(); ++r) {
    for (std::size_t i = 0; i < bounds[r].size(); ++i) {
      const double size = scale.magnitudes[r][i];
      bounds[r][i] =
          is_free(out, size, scale.steps) ? kInfinity : 2 * scale.steps * std::max(size * unit, precision.min_normal);
    }
  }
}

bool flushes(DataType type) { return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16; }

}  // namespace

double ulp(DataType type, double value) {
  if (value == 0 || !std::isfinite(value) || std::fabs(value) < std::numeric_limits<double>::min()) return 0;
  const Precision precision = precision_of(type);
  return std::max(std::exp2(std::floor(std::log2(std::fabs(value)))), precision.min_normal) *
         std::exp2(-precision.fraction_bits);
}

bool may_flush(DataType type, double value) {
  return flushes(type) && std::fabs(value) < precision_of(type).min_normal && value != 0;
}

bool accepts(DataType type, double test, double ref, double bound) {
  const Precision precision = precision_of(type);
  if (std::isinf(bound)) return true;
  if (std::isnan(ref)) return std::isnan(test);
  if (std::isnan(bound)) return true;
  if (ref < 0) {
    ref = -ref;
    test = -test;
  }
  double low = ref - bound, high = ref + bound;
  if (high > precision.max) high = kInfinity;
  if (low > precision.max) low = kInfinity;
  if (low < -precision.max) low = -kInfinity;
  if (flushes(type) && test == 0) return low < precision.min_normal;
  if (type == DataType::F8E4M3 && std::isnan(test)) return std::isinf(high) && high > 0;
  return low <= test && test <= high;
}

std::vector<bool> products_without_order(const tosa::Node& node, const Tensor& factors) {
  const auto axis = static_cast<std::size_t>(node.attributes.integer("axis"));
  const std::size_t results = factors.reals.size() / static_cast<std::size_t>(factors.extent(axis));
  std::vector<double> small(results, 1), large(results, 1);
  for_each_on_axis(factors.type.shape, axis, [&](std::size_t to, std::size_t from, std::int64_t) {
    const double factor = std::fabs(factors.reals[from]);
    if (factor != 0 && std::isfinite(factor)) (factor < 1 ? small : large)[to] *= factor;
  });
  const Precision precision = precision_of(factors.type.data);
  std::vector<bool> stay(results);
  for (std::size_t i = 0; i < results; ++i) stay[i] = small[i] >= precision.min_normal && large[i] <= precision.max;
  return stay;
}

std::optional<DotProductScale> dot_product_scale(const tosa::Graph& graph, const tosa::Node& node,
                                                 std::span<const Tensor* const> inputs, const NodeResults& results) {
  if (!is_dot_product(node.op)) return std::nullopt;
  const DataType out = results.values[0].type.data;
  if (!tosa::is_float(out)) return std::nullopt;
  const DotProduct product = dot_product_of(node, inputs, out);
  const int narrowed = precision_of(product.accumulator).fraction_bits - precision_of(out).fraction_bits;
  const bool biased =
      product.bias < inputs.size() && std::ranges::any_of(inputs[product.bias]->reals, [](double x) { return x != 0; });
  return DotProductScale{std::ceil(product.length / std::exp2(narrowed / 2.0)) + biased,
                         magnitudes(graph, node, inputs, results)};
}

bool is_free(DataType type, double magnitude, double steps) {
  const double most = round_to(type, magnitude * (1 + 2 * steps * std::exp2(-1 - precision_of(type).fraction_bits)));
  return std::isnan(most) || std::isinf(most);
}

namespace {

std::vector<std::vector<double>> bounds_of(const tosa::Graph& graph, const tosa::Node& node,
                                           std::span<const Tensor* const> inputs, const NodeResults& results) {
  std::vector<std::vector<double>> bounds;
  for (const Tensor& value : results.values) bounds.emplace_back(value.reals.size());
  if (bounds.empty() || bounds[0].empty()) return bounds;
  const DataType type = results.values[0].type.data;
  const std::vector<double>& ref = results.unrounded[0];
  if (tosa::is_float(type) && is_dot_product(node.op)) {
    dot_bounds(graph, node, inputs, results, bounds);
    return bounds;
  }
  const auto each = [&](auto&& bound_of) {
    for (std::size_t i = 0; i < ref.size(); ++i) bounds[0][i] = bound_of(i);
  };
  switch (node.op) {
    case Op::ADD:
    case Op::SUB:
    case Op::MUL:
      each([&](std::size_t i) { return 0.5 * ulp(type, ref[i]); });
      break;
    case Op::CAST:
      // Between floats, truncation and rounding to nearest are both permitted; from integers only the nearest.
      each([&](std::size_t i) { return (inputs[0]->is_float() ? 1 : 0.5) * ulp(type, ref[i]); });
      break;
    case Op::POW: {
      const tensor::Shape& shape = results.values[0].type.shape;
      std::vector<double> base(ref.size());
      for_each_strided(shape, broadcast_strides(inputs[0]->type.shape, shape), 0,
                       [&](std::size_t i, std::size_t from) { base[i] = inputs[0]->reals[from]; });
      for_each_strided(shape, broadcast_strides(inputs[1]->type.shape, shape), 0, [&](std::size_t i, std::size_t from) {
        bounds[0][i] = pow_bound(type, base[i], inputs[1]->reals[from], ref[i]);
      });
      break;
    }
    case Op::REDUCE_PRODUCT: {
      const auto n = static_cast<double>(inputs[0]->extent(static_cast<std::size_t>(node.attributes.integer("axis"))));
      const double growth = std::pow(1 + std::exp2(-precision_of(type).fraction_bits - 1), n) - 1;
      const std::vector<bool> without_order = products_without_order(node, *inputs[0]);
      each([&](std::size_t i) {
        if (!without_order[i]) return kInfinity;
        return std::isinf(ref[i]) ? 0 : std::max(std::fabs(ref[i]), precision_of(type).min_normal) * growth;
      });
      break;
    }
    case Op::RESIZE: {
      if (node.attributes.enumerant<tosa::ResizeMode>("mode") == tosa::ResizeMode::NearestNeighbor) break;
      double largest = 0;
      for (const double real : inputs[0]->reals) largest = std::isnan(real) ? real : std::max(largest, std::fabs(real));
      each([&](std::size_t) { return std::max(relative_bound(type, largest, 20, 0, 1), 0.006 * largest); });
      break;
    }
    default:
      if (inputs.size() == 1 && inputs[0]->reals.size() == ref.size())
        each([&](std::size_t i) { return unary_bound(node.op, type, inputs[0]->reals[i], ref[i]); });
  }
  return bounds;
}

}  // namespace

Result<std::vector<std::vector<double>>> bounds(const tosa::Graph& graph, const tosa::Node& node,
                                                std::span<const Tensor* const> inputs, const NodeResults& results) {
  std::vector<std::vector<double>> made;
  SLIPWAY_TRY_VOID(stoppable(node, [&] { made = bounds_of(graph, node, inputs, results); }));
  return made;
}

std::optional<WrongElement> first_difference(std::span<const Tensor> test, const NodeResults& reference,
                                             const std::vector<std::vector<double>>& bounds) {
  for (std::size_t r = 0; r < test.size(); ++r) {
    const Tensor& wanted = reference.values[r];
    for (std::size_t i = 0; i < test[r].integers.size(); ++i) {
      if (test[r].integers[i] != wanted.integers[i])
        return WrongElement{r, i, static_cast<double>(test[r].integers[i]), static_cast<double>(wanted.integers[i]), 0};
    }
    for (std::size_t i = 0; i < test[r].reals.size(); ++i) {
      const double bound = bounds[r][i];
      // Exact results are compared with the rounded value.
      const double ref = bound == 0 ? wanted.reals[i] : reference.unrounded[r][i];
      if (!accepts(wanted.type.data, test[r].reals[i], ref, bound))
        return WrongElement{r, i, test[r].reals[i], ref, bound};
    }
  }
  return std::nullopt;
}

}  // namespace slipway::reference
