// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CONCAT of many inputs. A kernel reads each of its inputs for each element, so it takes few of them.
//
// On a GPU each of several kernels copies some inputs to their place in the result, because a kernel may have few
// buffers. On the CPU compiling a kernel is dear, and each place would need a kernel of its own: there the inputs are
// joined in a tree, whose kernels are equal where the shapes are.
#include <algorithm>
#include <variant>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "lower/operator_traits.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

// An input of the node, or the index of a buffer with several of them.
using Source = std::variant<tosa::ValueId, std::uint32_t>;
struct Part {
  Source source;
  std::int64_t extent = 0;  // along the axis
};

class WideConcat {
 public:
  WideConcat(ProgramBuilder& program, const tosa::Node& node)
      : program_(program),
        node_(node),
        result_(node.outputs[0]),
        axis_(static_cast<std::size_t>(node.attributes.integer("axis"))) {
    for (const tosa::ValueId input : node.inputs) parts_.push_back({input, shape_of(input)[axis_]});
  }

  void copy_in_place(std::size_t most) {
    std::int64_t start = 0;
    for (std::span<const Part> rest = parts_; !rest.empty();) {
      const std::span parts = rest.first(std::min(most, rest.size()));
      join(parts, start, std::nullopt);
      start += extent_of(parts);
      rest = rest.subspan(parts.size());
    }
  }

  void join_in_tree(std::size_t most) {
    for (std::size_t level = 0; parts_.size() > most; ++level) {
      std::vector<Part> joined;
      for (std::span<const Part> rest = parts_; !rest.empty();) {
        const std::span parts = rest.first(std::min(most, rest.size()));
        joined.push_back(parts.size() == 1 ? parts[0] : join_in_buffer(parts, level, joined.size()));
        rest = rest.subspan(parts.size());
      }
      parts_ = std::move(joined);
    }
    join(parts_, 0, std::nullopt);
  }

 private:
  const tensor::Shape& shape_of(tosa::ValueId value) const { return program_.graph()[value].type.shape; }
  ElementType storage() const { return tosa::storage_of(program_.graph()[result_].type.data); }

  static std::int64_t extent_of(std::span<const Part> parts) {
    std::int64_t extent = 0;
    for (const Part& part : parts) extent += part.extent;
    return extent;
  }

  tensor::Shape shape_with(std::int64_t extent) const {
    tensor::Shape shape = shape_of(result_);
    shape[axis_] = extent;
    return shape;
  }

  Part join_in_buffer(std::span<const Part> parts, std::size_t level, std::size_t position) {
    const std::int64_t extent = extent_of(parts);
    const std::uint64_t size = tensor::byte_count(shape_with(extent), storage()).value_or(0);
    const std::uint32_t buffer = program_.packed(result_, size, formatted("concat {} {}", level, position)).first;
    join(parts, 0, buffer);
    return {buffer, extent};
  }

  // To a place in the result, or to a buffer of their own.
  void join(std::span<const Part> parts, std::int64_t start, std::optional<std::uint32_t> target) {
    std::vector<tosa::ValueId> inputs;
    std::vector<std::uint32_t> buffers;
    std::string text = formatted("concat {} {}", axis_, start);
    for (const Part& part : parts) {
      text += formatted(" {}", part.extent);
      if (const auto* input = std::get_if<tosa::ValueId>(&part.source)) {
        inputs.push_back(*input);
      } else {
        text += "b";
        buffers.push_back(std::get<std::uint32_t>(part.source));
      }
    }
    if (target) buffers.push_back(*target);
    const std::int64_t extent = extent_of(parts);
    text += target ? " apart of" : " of";
    for (const std::int64_t all : shape_of(result_)) text += formatted(" {}", all);
    GroupKey key = key_of_operands(program_.graph(), program_.stored(), result_, inputs);
    key.text += text + formatted(" {}", static_cast<int>(program_.graph()[result_].type.data));
    if (program_.repeat(key, buffers)) return;

    const tensor::Shape shape = shape_with(extent);
    const auto count = static_cast<std::int64_t>(tensor::element_count(shape).value_or(0));
    KernelBuilder builder = program_.kernel({});
    Kernel& k = builder.kernel();
    const Value index = k.element_index();
    k.when(index < count, [&] {
      Coordinates at = coordinates_of(k, shape, index);
      const Value element = element_of(builder, parts, at);
      if (target) return k.store(builder.write_packed(*target, storage()), index, element);
      at[axis_] = at[axis_] + start;
      k.store(builder.write(result_), linear_index(k, shape_of(result_), at), builder.stored_form(result_, element));
    });
    builder.add_node(node_);
    program_.dispatch(builder, std::max<std::uint64_t>(divide_up(static_cast<std::uint64_t>(count), kLocalSize), 1),
                      key, buffers);
  }

  // Each part is read at clamped coordinates; the last one that starts at or before the coordinate is selected.
  Value element_of(KernelBuilder& builder, std::span<const Part> parts, const Coordinates& at) {
    Kernel& k = builder.kernel();
    Value element;
    std::int64_t start = 0;
    for (const Part& part : parts) {
      Coordinates from = at;
      from[axis_] = k.clamp(at[axis_] - start, k.integer(0), k.integer(std::max<std::int64_t>(part.extent - 1, 0)));
      const auto* input = std::get_if<tosa::ValueId>(&part.source);
      const Value value = input ? builder.at(*input, from)
                                : k.load(builder.read_packed(std::get<std::uint32_t>(part.source), storage()),
                                         linear_index(k, shape_with(part.extent), from));
      element = start == 0 ? value : k.select(at[axis_] >= start, value, element);
      start += part.extent;
    }
    return element;
  }

  ProgramBuilder& program_;
  const tosa::Node& node_;
  tosa::ValueId result_;
  std::size_t axis_;
  std::vector<Part> parts_;
};

}  // namespace

bool lower_wide_concat(ProgramBuilder& program, const tosa::Node& node, std::size_t) {
  const DeviceFacts& device = program.device();
  constexpr std::size_t kMaxJoined = 16;
  const std::size_t most =
      device.native_vectors ? kMaxJoined : (device.addresses ? kMaxAddresses : kMaxDescriptors) - 1;
  if (node.op != tosa::Op::CONCAT || node.inputs.size() <= most) return false;
  WideConcat concat(program, node);
  device.native_vectors ? concat.join_in_tree(most) : concat.copy_in_place(most);
  return true;
}

}  // namespace slipway::lower
