// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CONCAT of more inputs than a kernel may have buffers: several kernels, each of which copies some of the inputs to
// their place in the result.
#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "lower/operator_traits.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

// Neighbouring inputs, and where they begin along the axis.
struct InputRange {
  std::size_t first = 0, end = 0;
  std::int64_t start = 0, extent = 0;
};

class WideConcat {
 public:
  WideConcat(ProgramBuilder& program, const tosa::Node& node)
      : program_(program), node_(node), axis_(static_cast<std::size_t>(node.attributes.integer("axis"))) {}

  void copy(InputRange inputs) {
    const tosa::ValueId result = node_.outputs[0];
    GroupKey key = key_of_group(program_.graph(), program_.stored(), result, "inputs");
    key.text += formatted(" {} to {}", inputs.first, inputs.end);
    if (program_.repeat(key)) return;
    tensor::Shape shape = shape_of(result);
    shape[axis_] = inputs.extent;
    const auto count = static_cast<std::int64_t>(tensor::element_count(shape).value_or(0));
    KernelBuilder builder = program_.kernel({});
    Kernel& k = builder.kernel();
    const Value index = k.element_index();
    k.when(index < count, [&] {
      Coordinates at = coordinates_of(k, shape, index);
      const Value element = element_of(builder, inputs, at);
      at[axis_] = at[axis_] + inputs.start;
      k.store(builder.write(result), linear_index(k, shape_of(result), at), builder.stored_form(result, element));
    });
    builder.add_node(node_);
    program_.dispatch(builder, std::max<std::uint64_t>(divide_up(static_cast<std::uint64_t>(count), kLocalSize), 1),
                      key);
  }

  std::int64_t extent_of(std::size_t input) const { return shape_of(node_.inputs[input])[axis_]; }

 private:
  const tensor::Shape& shape_of(tosa::ValueId value) const { return program_.graph()[value].type.shape; }

  // Each input is read at clamped coordinates; the last one that starts at or before the coordinate is selected.
  Value element_of(KernelBuilder& builder, InputRange inputs, const Coordinates& at) {
    Kernel& k = builder.kernel();
    Value element;
    std::int64_t start = 0;
    for (std::size_t input = inputs.first; input < inputs.end; ++input) {
      Coordinates from = at;
      from[axis_] =
          k.clamp(at[axis_] - start, k.integer(0), k.integer(std::max<std::int64_t>(extent_of(input) - 1, 0)));
      const Value part = builder.at(node_.inputs[input], from);
      element = input == inputs.first ? part : k.select(at[axis_] >= start, part, element);
      start += extent_of(input);
    }
    return element;
  }

  ProgramBuilder& program_;
  const tosa::Node& node_;
  std::size_t axis_;
};

}  // namespace

bool lower_wide_concat(ProgramBuilder& program, const tosa::Node& node, std::size_t) {
  const DeviceFacts& device = program.device();
  const std::size_t most = (device.addresses ? kMaxAddresses : kMaxDescriptors) - 1;
  // The CPU engine passes any number of buffers.
  if (node.op != tosa::Op::CONCAT || node.inputs.size() <= most || device.native_vectors) return false;
  WideConcat concat(program, node);
  InputRange range;
  for (std::size_t first = 0; first < node.inputs.size(); first += most) {
    range = {first, std::min(first + most, node.inputs.size()), range.start + range.extent, 0};
    for (std::size_t input = range.first; input < range.end; ++input) range.extent += concat.extent_of(input);
    concat.copy(range);
  }
  return true;
}

}  // namespace slipway::lower
