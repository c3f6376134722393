// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that only parameters and shapes decide (docs/spec/import.md#shape-and-data-movement).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {

void emit_onnx_Identity(NodeContext& node) { node.out(0, node.operand(0)); }

void emit_onnx_Constant(NodeContext& node) {
  for (const std::string_view name : {"value", "sparse_value"}) {
    if (const Array* array = node.array(name)) return node.out(0, known_term(*array));
  }
  if (node.has("value_float")) return node.out(0, known_term(scalar_of(FileType::F32, node.real("value_float", 0))));
  if (node.has("value_int")) {
    const std::int64_t value = node.integer("value_int");
    return node.out(0, node.b.integers(FileType::I64, {}, std::span(&value, 1)));
  }
  if (const auto values = node.reals("value_floats")) {
    const auto count = static_cast<std::int64_t>(values->size());
    return node.out(0, known_term(array_of(FileType::F32, {count}, std::span<const double>(*values))));
  }
  if (const auto values = node.list("value_ints")) {
    const auto count = static_cast<std::int64_t>(values->size());
    return node.out(0, node.b.integers(FileType::I64, {count}, *values));
  }
  if (node.has("value_string") || node.has("value_strings")) throw Refused("tensors of strings are not converted");
  throw Refused("it has no value");
}

void emit_onnx_ConstantOfShape(NodeContext& node) {
  const tensor::Shape shape = node.integers(0, "input");
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw Refused(formatted("the shape has the extent {}", extent));
  }
  const Array* value = node.array("value");
  if (value && value->count() != 1) throw Refused("`value` does not have one element");
  const Term filling = value ? known_term(*value) : node.b.number(FileType::F32, 0);
  node.out(0, node.b.broadcast(node.b.reshape(filling, {}), shape));
}

void emit_onnx_Shape(NodeContext& node) {
  const Term& x = node.in(0);
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto bound = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const std::int64_t start = bound(node.integer("start", 0)), end = bound(node.integer("end", rank));
  const std::int64_t count = std::max<std::int64_t>(end - start, 0);
  const auto part =
      std::span<const std::int64_t>(x.shape).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(count));
  node.out(0, node.b.integers(FileType::I64, {count}, part));
}

void emit_onnx_Size(NodeContext& node) {
  const std::int64_t count = node.in(0).count();
  node.out(0, node.b.integers(FileType::I64, {}, std::span(&count, 1)));
}

void emit_onnx_EyeLike(NodeContext& node) {
  const Term& x = node.in(0);
  if (x.rank() != 2) throw Refused(formatted("the tensor has rank {}; it has to be 2", x.rank()));
  const FileType type = type_attribute(node, "dtype", x.type);
  const Term rows = node.b.arange(FileType::I32, node.integer("k", 0), x.shape[0]);
  const Term columns = node.b.arange(FileType::I32, 0, x.shape[1]);
  const Term on_diagonal = node.b.binary(Binary::Equal, node.b.reshape(rows, {x.shape[0], 1}), columns);
  node.out(0, node.b.cast(on_diagonal, type));
}

void emit_onnx_Trilu(NodeContext& node) {
  const Term& x = node.in(0);
  if (x.rank() < 2) throw Refused(formatted("the tensor has rank {}; it has to be 2 or more", x.rank()));
  if (x.count() == 0) return node.out(0, x);
  // Beyond the corners nothing changes.
  const std::int64_t given = node.has(1) ? integer_operand(node, 1, "k") : 0;
  const std::int64_t k = std::clamp(given, -x.extent(-2), x.extent(-1));
  const bool upper = node.flag("upper", true);
  const Term rows = node.b.reshape(node.b.arange(FileType::I32, k, x.extent(-2)), {x.extent(-2), 1});
  const Term columns = node.b.arange(FileType::I32, 0, x.extent(-1));
  const Term stays = node.b.binary(upper ? Binary::GreaterEqual : Binary::LessEqual, columns, rows);
  node.out(0, node.b.select(stays, x, node.b.number(x.type, 0)));
}

void emit_onnx_Range(NodeContext& node) {
  constexpr std::int64_t kMaxCount = 1 << 24;
  const Array& start = node.known(0, "start");
  const Array& limit = node.known(1, "limit");
  const Array& delta = node.known(2, "delta");
  if (start.count() != 1 || limit.count() != 1 || delta.count() != 1)
    throw Refused("an operand does not have one element");
  if (delta.real(0) == 0) throw Refused("`delta` is 0");
  const bool real = is_real(start.type);
  const double length = std::ceil((limit.real(0) - start.real(0)) / delta.real(0));
  if (!(length <= kMaxCount)) throw Refused("it has too many elements");
  const std::int64_t count = std::max<std::int64_t>(static_cast<std::int64_t>(length), 0);
  if (!real) return node.out(0, node.b.arange(start.type, start.integer(0), count, delta.integer(0)));
  node.b.will_make({count});
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start.real(0) + static_cast<double>(i) * delta.real(0);
  node.out(0, known_term(array_of(start.type, {count}, std::span<const double>(values))));
}

namespace {

// A window of `size` elements whose value at the fraction t of a period is `at(t)`.
template <class At>
void window(NodeContext& node, At at) {
  constexpr std::int64_t kMaxSize = 1 << 24;
  const std::int64_t size = integer_operand(node, 0, "size");
  if (size < 0 || size > kMaxSize) throw Refused(formatted("the size is {}", size));
  const std::int64_t period = node.flag("periodic", true) ? size : size - 1;
  node.b.will_make({size});
  std::vector<double> values(static_cast<std::size_t>(size), 1);
  for (std::size_t i = 0; period > 0 && i < values.size(); ++i)
    values[i] = at(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(period));
  const FileType type = type_attribute(node, "output_datatype", FileType::F32);
  node.out(0, known_term(array_of(type, {size}, std::span<const double>(values))));
}

}  // namespace

void emit_onnx_HannWindow(NodeContext& node) {
  window(node, [](double angle) { return 0.5 - 0.5 * std::cos(angle); });
}

void emit_onnx_HammingWindow(NodeContext& node) {
  constexpr double kBase = 25.0 / 46;
  window(node, [](double angle) { return kBase - (1 - kBase) * std::cos(angle); });
}

void emit_onnx_BlackmanWindow(NodeContext& node) {
  window(node, [](double angle) { return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle); });
}

// Triangles over the bins of a spectrum, equally wide on the mel scale.
void emit_onnx_MelWeightMatrix(NodeContext& node) {
  constexpr std::int64_t kMaxElements = 1 << 24;
  const std::int64_t bands = integer_operand(node, 0, "num_mel_bins");
  const std::int64_t length = integer_operand(node, 1, "dft_length");
  const std::int64_t rate = integer_operand(node, 2, "sample_rate");
  const std::int64_t bins = length / 2 + 1;
  if (bands < 1 || length < 1 || rate < 1 || bins > kMaxElements / bands) throw Refused("its sizes are out of range");
  const auto to_mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = to_mel(node.known(3, "lower_edge_hertz").real(0));
  const double high = to_mel(node.known(4, "upper_edge_hertz").real(0));
  const auto bin_of = [&](std::int64_t edge) {
    const double mel = low + static_cast<double>(edge) * (high - low) / static_cast<double>(bands + 2);
    const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    return static_cast<std::int64_t>(std::clamp(bin, 0.0, static_cast<double>(bins)));
  };
  node.b.will_make({bins, bands});
  std::vector<double> weights(static_cast<std::size_t>(bins * bands), 0);
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t lower = bin_of(band), centre = bin_of(band + 1), upper = bin_of(band + 2);
    const auto set = [&](std::int64_t bin, std::int64_t part, std::int64_t whole) {
      if (bin < bins)
        weights[static_cast<std::size_t>(bin * bands + band)] = static_cast<double>(part) / static_cast<double>(whole);
    };
    for (std::int64_t bin = lower; bin < centre; ++bin) set(bin, bin - lower, centre - lower);
    set(centre, 1, 1);
    for (std::int64_t bin = centre; bin < upper; ++bin) set(bin, upper - bin, upper - centre);
  }
  const FileType type = type_attribute(node, "output_datatype", FileType::F32);
  node.out(0, known_term(array_of(type, {bins, bands}, std::span<const double>(weights))));
}

}  // namespace slipway::importer
