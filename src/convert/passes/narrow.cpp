// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/narrow.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tensor/float16.hpp"

namespace slipway::convert {
namespace {

using tosa::DataType;
using tosa::index;
using tosa::Op;
using tosa::ValueId;

constexpr double kMaxHalf = 65504;

bool keeps_float32(Op op) { return op == Op::FFT2D || op == Op::RFFT2D || op == Op::CUSTOM; }

class Narrower {
 public:
  Narrower(const tosa::Graph& graph, const NarrowOptions& options, Diagnostics& diagnostics)
      : graph_(graph), options_(options), diagnostics_(diagnostics), values_(graph.values.size(), tosa::kNoValue) {}

  tosa::Graph run() {
    out_.name = graph_.name;
    out_.storage = graph_.storage;
    for (const ValueId input : graph_.inputs) this->input(input);
    for (const tosa::Constant& constant : graph_.constants) this->constant(constant);
    for (const tosa::Node& node : graph_.nodes) this->node(node);
    for (const ValueId output : graph_.outputs) {
      const bool widen = preserves_io() && graph_[output].type.data == DataType::F32;
      out_.outputs.push_back(widen ? wide(output) : values_[index(output)]);
    }
    out_.input_bindings = graph_.input_bindings;
    out_.output_bindings = graph_.output_bindings;
    return std::move(out_);
  }

 private:
  bool preserves_io() const { return options_.mode == TypeNarrowing::FullPreserveIo; }

  static tosa::TensorType narrowed(tosa::TensorType type) {
    if (type.data == DataType::F32) type.data = DataType::F16;
    return type;
  }

  ValueId cast(ValueId value, DataType to) { return out_.add(Op::CAST, {value}, {}, {to, out_[value].type.shape}); }

  // The value as float32, for operators that keep float32.
  ValueId wide(ValueId old) {
    const ValueId value = values_[index(old)];
    if (graph_[old].type.data != DataType::F32 || out_[value].type.data == DataType::F32) return value;
    if (const auto known = wide_.find(index(old)); known != wide_.end()) return known->second;
    return wide_[index(old)] = cast(value, DataType::F32);
  }

  void input(ValueId old) {
    const tosa::Value& value = graph_[old];
    if (value.type.data == DataType::F32 && preserves_io()) {
      const ValueId kept = out_.add_input(value.type, value.name);
      wide_[index(old)] = kept;
      values_[index(old)] = cast(kept, DataType::F16);
    } else {
      values_[index(old)] = out_.add_input(narrowed(value.type), value.name);
    }
  }

  void constant(const tosa::Constant& constant) {
    const tosa::Value& value = graph_[constant.value];
    if (value.type.data != DataType::F32) {
      values_[index(constant.value)] = out_.add_constant(value.type, constant.data, constant.splat, value.name);
      return;
    }
    const std::size_t count = constant.data.size() / sizeof(float);
    std::vector<std::byte> half(count * 2);
    std::size_t overflows = 0, first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto wide = load<float>(&constant.data[i * sizeof(float)]);
      const auto narrow = static_cast<tensor::Float16>(wide);
      if (std::isfinite(wide) && !std::isfinite(static_cast<float>(narrow)) && overflows++ == 0) first = i;
      store(&half[i * 2], narrow);
    }
    if (overflows != 0) overflow(constant, overflows, first);
    values_[index(constant.value)] =
        out_.add_constant(narrowed(value.type), std::move(half), constant.splat, value.name);
  }

  void overflow(const tosa::Constant& constant, std::size_t count, std::size_t first) {
    const tosa::Value& value = graph_[constant.value];
    const std::string text =
        formatted("constant{} {}: {} element{} beyond the range of float16; the first is {} at {}",
                  value.name.empty() ? "" : formatted(" `{}`", value.name), text_of(value.type), count,
                  count == 1 ? "" : "s", load<float>(&constant.data[first * sizeof(float)]),
                  constant.splat ? "every place" : tensor::shape_text(tensor::coordinates_of(value.type.shape, first)));
    if (options_.allow_overflow)
      diagnostics_.warning(DiagnosticKind::OutOfRange, {}, text);
    else
      diagnostics_.error(DiagnosticKind::OutOfRange, {}, text).hint("`--allow-overflow` makes infinities of them");
  }

  void node(const tosa::Node& old) {
    if (vanishes(old)) {
      values_[index(old.outputs[0])] = values_[index(old.inputs[0])];
      return;
    }
    const bool keep = keeps_float32(old.op);
    tosa::Node copy = old;
    for (ValueId& input : copy.inputs) input = keep ? wide(input) : values_[index(input)];
    std::vector<tosa::TensorType> types;
    for (const ValueId output : old.outputs)
      types.push_back(keep ? graph_[output].type : narrowed(graph_[output].type));
    attributes(old, copy.attributes);
    const std::vector<ValueId> results = out_.add_node(old.op, copy.inputs, copy.attributes, types);
    copy.outputs = results;
    out_.nodes.back() = std::move(copy);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ValueId output = old.outputs[i];
      out_[results[i]].name = graph_[output].name;
      values_[index(output)] = results[i];
      if (!keep || graph_[output].type.data != DataType::F32) continue;
      wide_[index(output)] = results[i];
      values_[index(output)] = cast(results[i], DataType::F16);
    }
  }

  bool vanishes(const tosa::Node& node) const {
    if (node.op != Op::CAST) return false;
    const DataType from = graph_[node.inputs[0]].type.data, to = graph_[node.outputs[0]].type.data;
    const auto is_wide_or_half = [](DataType type) { return type == DataType::F32 || type == DataType::F16; };
    return is_wide_or_half(from) && is_wide_or_half(to);
  }

  void attributes(const tosa::Node& old, tosa::Attributes& of) const {
    if (of.has("acc_type") && options_.mode != TypeNarrowing::Partial &&
        of.enumerant<tosa::AccType>("acc_type") == tosa::AccType::Fp32 &&
        graph_[old.inputs[0]].type.data == DataType::F32)
      of.set("acc_type", std::int64_t{static_cast<std::uint32_t>(tosa::AccType::Fp16)});
    if (old.op != Op::CLAMP || graph_[old.inputs[0]].type.data != DataType::F32) return;
    // A bound beyond the range of float16 has no effect.
    for (const std::string_view bound : {"min_val", "max_val"}) {
      const double value = of.real(bound);
      of.set_real(bound, std::isfinite(value) ? std::clamp(value, -kMaxHalf, kMaxHalf) : value);
    }
  }

  const tosa::Graph& graph_;
  const NarrowOptions& options_;
  Diagnostics& diagnostics_;
  tosa::Graph out_;
  std::vector<ValueId> values_;  // of the new graph, by old value
  std::unordered_map<std::size_t, ValueId> wide_;
};

}  // namespace

void narrow_types(tosa::Graph& graph, const NarrowOptions& options, Diagnostics& diagnostics) {
  if (options.mode != TypeNarrowing::None) graph = Narrower(graph, options, diagnostics).run();
}

}  // namespace slipway::convert
