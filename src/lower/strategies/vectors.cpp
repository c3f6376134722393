// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbouring elements together.
//
// A group of pointwise operators whose tensors all have one shape is one long row, whatever its dimensions:
// neighbouring dimensions are merged where no operand is broadcast along one of them. The merged coordinate is stored
// in the last dimension of its run that is longer than 1, with zeros in the others, so that the row-major index of
// every operand is correct. Other operators keep their dimensions; the last long one is the row.
//
// On a CPU a workgroup is a vector that computes several vectors of a row. The last one of a row is moved back so that
// it is full: a few elements are computed twice, to the same value. On a GPU each invocation computes an element.
#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "lower/operator_traits.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::Op;

// Dimensions that are merged into one coordinate.
struct Run {
  std::int64_t extent = 1;
  std::size_t dimension = 0;  // the dimension that has the coordinate
};

struct PointwiseGroup {
  bool pure = true;  // pointwise operators and nothing else
  std::set<const Node*> nodes;
  bool per_channel = false;                  // some operator uses the last coordinate
  std::vector<const tensor::Shape*> shapes;  // of all operands
};

void collect(const ProgramBuilder& program, const Node& node, PointwiseGroup& group) {
  if (!group.nodes.insert(&node).second) return;
  if (!is_pointwise(node.op)) {
    group.pure = false;
    return;
  }
  group.per_channel |= node.op == Op::RESCALE && node.attributes.flag("per_channel");
  for (std::size_t i = 0; i < elementwise_inputs(node); ++i) {
    group.shapes.push_back(&program.graph()[node.inputs[i]].type.shape);
    if (!program.stored()[index(node.inputs[i])]) collect(program, *program.graph().producer(node.inputs[i]), group);
  }
}

bool may_merge(const PointwiseGroup& group, const tensor::Shape& shape, std::size_t first, std::size_t second) {
  if (!group.pure || (group.per_channel && second + 1 == shape.size())) return false;
  return std::ranges::all_of(group.shapes, [&](const tensor::Shape* operand) {
    const bool has_first = (*operand)[first] == shape[first], has_second = (*operand)[second] == shape[second];
    return has_first == has_second;
  });
}

std::vector<Run> runs_of(const PointwiseGroup& group, const tensor::Shape& shape) {
  std::vector<Run> runs;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!runs.empty() && may_merge(group, shape, runs.back().dimension, d))
      runs.back() = {runs.back().extent * shape[d], d};
    else
      runs.push_back({shape[d], d});
  }
  return runs;
}

struct Work {
  ProgramBuilder& program;
  const Node& node;
  std::size_t result;
  const tensor::Shape& shape;
  std::vector<Run> runs;
  GroupKey key;

  tosa::ValueId value() const { return node.outputs[result]; }

  // The coordinates of all runs but the last, from their common index.
  Coordinates outer(Kernel& k, Value index) const {
    Coordinates at(shape.size(), k.integer(0));
    for (std::size_t r = runs.size() - 1; r-- > 0;) {
      const Value rest = r == 0 ? k.integer(0) : k.unsigned_divide(index, k.integer(runs[r].extent));
      at[runs[r].dimension] = r == 0 ? index : index - rest * runs[r].extent;
      index = rest;
    }
    return at;
  }

  void store(KernelBuilder& builder, const Coordinates& at, Value element, BufferRef& to) const {
    builder.kernel().store(to, linear_index(builder.kernel(), shape, at), builder.stored_form(value(), element));
  }
};

// Vectors that a workgroup computes: enough to hide the cost of its start, few enough to keep its code small.
std::int64_t vectors_of(const PointwiseGroup& group, std::int64_t in_row) {
  if (!group.pure) return 1;
  const std::int64_t max = group.nodes.size() <= 12 ? 16 : group.nodes.size() <= 24 ? 8 : 2;
  return std::min(max, in_row);
}

void vectors_on_cpu(const Work& work, const PointwiseGroup& group) {
  const std::uint32_t lanes = work.program.device().lanes;
  const std::int64_t row = work.runs.back().extent, rows = [&] {
    std::int64_t count = 1;
    for (std::size_t r = 0; r + 1 < work.runs.size(); ++r) count *= work.runs[r].extent;
    return count;
  }();
  const std::int64_t vectors = vectors_of(group, row / lanes), step = vectors * lanes;
  const std::int64_t steps = (row + step - 1) / step;
  KernelBuilder builder = work.program.kernel({.local_size = lanes, .addresses = true, .lanes = lanes});
  Kernel& k = builder.kernel();
  // The grid may be a few workgroups longer than the work.
  const Value safe = k.min(k.group_index(), k.integer(rows * steps - 1));
  const Value row_index = rows == 1 ? k.integer(0) : k.unsigned_divide(safe, k.integer(steps));
  Coordinates at = work.outer(k, row_index);
  const Value first = k.min((safe - row_index * steps) * step, k.integer(row - step)) + k.local_index();
  std::vector<Value> elements;
  std::vector<Coordinates> coordinates;
  for (std::int64_t v = 0; v < vectors; ++v) {
    at[work.runs.back().dimension] = first + v * lanes;
    elements.push_back(builder.compute(work.node, work.result, at));
    coordinates.push_back(at);
  }
  BufferRef to = builder.write(work.value());
  for (std::size_t v = 0; v < elements.size(); ++v) work.store(builder, coordinates[v], elements[v], to);
  work.program.dispatch(builder, static_cast<std::uint64_t>(rows * steps), work.key);
}

constexpr std::uint32_t kGpuLocalSize = 128;

// The elements of one invocation are a workgroup apart, so that neighbouring invocations read neighbours. All are read
// before any is written, which hides memory latency.
void elements_on_gpu(const Work& work, const PointwiseGroup& group) {
  std::int64_t count = 1;
  for (const Run& run : work.runs) count *= run.extent;
  constexpr std::int64_t kMany = 1 << 18;
  const std::int64_t mine = group.pure && group.nodes.size() <= 12 && count >= kMany ? 4 : 1;
  const std::uint64_t groups = divide_up(static_cast<std::uint64_t>(count), kGpuLocalSize * mine);
  KernelBuilder builder = work.program.linked_kernel({.local_size = kGpuLocalSize, .addresses = true}, groups);
  builder.wait_for_stage();
  Kernel& k = builder.kernel();
  const Value first = k.group_index() * (kGpuLocalSize * mine) + k.local_index();
  // Only the last workgroups exceed the count: there an element is computed twice, to the same value.
  k.when(first < count, [&] {
    std::vector<Coordinates> coordinates;
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < mine; ++i) {
      const Value index = i == 0 ? first : k.min(first + i * kGpuLocalSize, k.integer(count - 1));
      const std::int64_t row = work.runs.back().extent;
      const Value row_index = work.runs.size() == 1 ? k.integer(0) : k.unsigned_divide(index, k.integer(row));
      Coordinates at = work.outer(k, row_index);
      at[work.runs.back().dimension] = index - row_index * row;
      elements.push_back(builder.compute(work.node, work.result, at));
      coordinates.push_back(std::move(at));
    }
    BufferRef to = builder.write(work.value());
    for (std::size_t i = 0; i < coordinates.size(); ++i) work.store(builder, coordinates[i], elements[i], to);
  });
  work.program.dispatch(builder, groups, work.key);
}

}  // namespace

bool lower_vectors(ProgramBuilder& program, const Node& node, std::size_t result) {
  const DeviceFacts& device = program.device();
  if (!device.addresses) return false;
  const tensor::Shape& shape = program.graph()[node.outputs[result]].type.shape;
  PointwiseGroup group;
  collect(program, node, group);
  Work work{program,
            node,
            result,
            shape,
            runs_of(group, shape),
            key_of_group(program.graph(), program.stored(), node.outputs[result], "vectors")};
  if (work.runs.empty() || work.runs.back().extent < device.lanes) return false;
  if (program.repeat(work.key)) return true;
  if (device.lanes)
    vectors_on_cpu(work, group);
  else
    elements_on_gpu(work, group);
  return true;
}

}  // namespace slipway::lower
