#include "lower/lower.hpp"

#include <algorithm>
#include <array>
#include <format>
#include <map>

#include "base/checked.hpp"
#include "lower/fusion.hpp"
#include "lower/memory.hpp"
#include "lower/operators/operation.hpp"
#include "tensor/element.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::Op;
using tosa::ValueId;

using Emit = Value (*)(Operation&, const Coordinates&, std::size_t);
constexpr std::array kEmits = {
#define OPERATOR(name, set, number, rule, operands, results, variables, types) static_cast<Emit>(emit_##name),
#include "tosa/operators.def"
#undef OPERATOR
};

// One kernel in the making: a stored value, with everything that it computes on the way.
class KernelMaker final : public Elements {
 public:
  KernelMaker(const tosa::Graph& graph, const std::vector<bool>& stored, Features features)
      : graph_(graph), stored_(stored), kernel_(features) {}

  // The kernel that stores result `number` of a node.
  void make(const Node& node, std::size_t number) {
    const tosa::TensorType& type = graph_[node.outputs[number]].type;
    const auto count = static_cast<std::int64_t>(tensor::element_count(type.shape).value_or(0));
    // The buffer that is written comes last, and a kernel's buffers are numbered as they are met: the element is
    // computed first.
    const Value index = kernel_.element_index();
    kernel_.when(index < count, [&] {
      const Value element = compute(node, number, coordinates_of(kernel_, type.shape, index));
      const BufferRef out = kernel_.buffer(tosa::storage_of(type.data), Access::Write);
      kernel_.store(out, index, element);
    });
    values.push_back(node.outputs[number]);
  }

  Value at(ValueId value, const Coordinates& coordinates) override {
    const tosa::TensorType& type = graph_[value].type;
    if (!stored_[index(value)]) {
      const Node* node = graph_.producer(value);
      const auto number = static_cast<std::size_t>(std::ranges::find(node->outputs, value) - node->outputs.begin());
      return compute(*node, number, coordinates);
    }
    if (const tosa::Constant* constant = graph_.constant(value); constant && constant->splat)
      return splat(*constant, type.data);
    Value index_of = kernel_.integer(0);
    for (std::size_t d = 0; d < type.shape.size(); ++d) index_of = index_of * type.shape[d] + coordinates[d];
    return kernel_.load(buffer_of(value, type.data), index_of);
  }

  std::vector<ValueId> values;       // by binding
  std::vector<std::uint32_t> nodes;  // computed, in the order in which they were met
  Kernel& kernel() { return kernel_; }

 private:
  // An element of a result as its declared type has it.
  Value compute(const Node& node, std::size_t number, const Coordinates& coordinates) {
    const auto position = static_cast<std::uint32_t>(&node - graph_.nodes.data());
    if (!std::ranges::contains(nodes, position)) nodes.push_back(position);
    Operation operation{kernel_, graph_, node, *this};
    const Value value = kEmits[static_cast<std::size_t>(node.op)](operation, coordinates, number);
    const tosa::DataType type = graph_[node.outputs[number]].type.data;
    const bool moves = is_view(node.op) || !tosa::is_float(type);
    return moves ? value : rounded(kernel_, tosa::storage_of(type), value);
  }

  BufferRef buffer_of(ValueId value, tosa::DataType type) {
    const auto known = std::ranges::find(values, value);
    if (known != values.end()) return {static_cast<std::uint32_t>(known - values.begin())};
    values.push_back(value);
    return kernel_.buffer(tosa::storage_of(type), Access::Read);
  }

  Value splat(const tosa::Constant& constant, tosa::DataType type) {
    const tensor::ElementType storage = tosa::storage_of(type);
    if (tosa::is_float(type)) return kernel_.real(static_cast<float>(tensor::double_of(storage, constant.data.data())));
    const auto value = std::visit([](auto x) { return static_cast<std::int64_t>(x); },
                                  tensor::number_of(storage, constant.data.data()));
    return kernel_.constant(scalar_of(type), value);
  }

  const tosa::Graph& graph_;
  const std::vector<bool>& stored_;
  Kernel kernel_;
};

class Lowering {
 public:
  Lowering(const tosa::Graph& graph, const LowerSettings& settings)
      : graph_(graph),
        settings_(settings),
        stored_(plan_fusion(graph, settings.fuse)),
        buffer_of_(graph.values.size(), kNone) {}

  Result<KernelProgram> run() {
    for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i) add_buffer(graph_.inputs[i], BufferKind::Input, i);
    for (const Node& node : graph_.nodes) {
      if (node.op == Op::CUSTOM) {
        return fail(DiagnosticKind::Unsupported, node.place,
                    std::format("the custom operator `{}` of `{}` runs only on a device that knows it",
                                node.custom->name, node.custom->domain));
      }
      for (std::size_t number = 0; number < node.outputs.size(); ++number) {
        if (stored_[index(node.outputs[number])]) dispatch(node, number);
      }
    }
    outputs();
    places();
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t add_buffer(ValueId value, BufferKind kind, std::uint32_t number) {
    const tosa::TensorType& type = graph_[value].type;
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value_or(0);
    program_.buffers.push_back({kind, number, size, 0, value});
    buffer_of_[index(value)] = static_cast<std::uint32_t>(program_.buffers.size() - 1);
    return buffer_of_[index(value)];
  }

  std::uint32_t buffer(ValueId value) {
    if (buffer_of_[index(value)] != kNone) return buffer_of_[index(value)];
    if (graph_.constant(value)) return add_buffer(value, BufferKind::Constant, graph_[value].source);
    const auto output = std::ranges::find(graph_.outputs, value);
    if (output != graph_.outputs.end())
      return add_buffer(value, BufferKind::Output, static_cast<std::uint32_t>(output - graph_.outputs.begin()));
    return add_buffer(value, BufferKind::Intermediate, 0);
  }

  void dispatch(const Node& node, std::size_t number) {
    KernelMaker maker(graph_, stored_, settings_.features);
    maker.make(node, number);
    ProgramDispatch dispatch;
    for (const ValueId value : maker.values) dispatch.buffers.push_back(buffer(value));
    std::ranges::sort(maker.nodes);
    dispatch.nodes = maker.nodes;
    const auto count = tensor::element_count(graph_[node.outputs[number]].type.shape).value_or(0);
    dispatch.groups = groups_for(count);
    dispatch.kernel = kernel(maker);
    program_.dispatches.push_back(std::move(dispatch));
  }

  std::array<std::uint32_t, 3> groups_for(std::uint64_t elements) const {
    const std::uint64_t groups = std::max<std::uint64_t>(divide_up(elements, kLocalSize), 1);
    const std::uint64_t rows = divide_up(groups, settings_.most_groups);
    return {static_cast<std::uint32_t>(divide_up(groups, rows)), static_cast<std::uint32_t>(rows), 1};
  }

  // Equal kernels are made once.
  std::uint32_t kernel(KernelMaker& maker) {
    spirv::Words words = maker.kernel().finish();
    const auto [known, is_new] = kernels_.try_emplace(words, static_cast<std::uint32_t>(program_.kernels.size()));
    if (!is_new) return known->second;
    std::string name;
    for (const std::uint32_t node : maker.nodes)
      name += (name.empty() ? "" : "+") + std::string(tosa::name_of(graph_.nodes[node].op));
    program_.kernels.push_back({std::move(name), std::make_shared<const spirv::Words>(std::move(words)),
                                static_cast<std::uint32_t>(maker.values.size())});
    program_.needs_int64 |= maker.kernel().uses_long();
    program_.needs_storage_8 |= maker.kernel().stores_8();
    program_.needs_storage_16 |= maker.kernel().stores_16();
    return known->second;
  }

  // Outputs that no node stores under their own name: inputs, constants, and values that are two outputs.
  void outputs() {
    for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId value = graph_.outputs[i];
      const std::uint32_t own = buffer_of_[index(value)];
      if (own != kNone && program_.buffers[own].kind == BufferKind::Output && program_.buffers[own].index == i)
        continue;
      copy(value, i);
    }
  }

  void copy(ValueId value, std::uint32_t output) {
    const tosa::TensorType& type = graph_[value].type;
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value_or(0);
    tosa::Graph one;
    const tosa::Constant* constant = graph_.constant(value);
    const ValueId from =
        constant && constant->splat ? one.add_constant(type, constant->data, true) : one.add_input(type);
    tosa::Attributes shape;
    shape.set("shape", std::vector<std::int64_t>(type.shape.begin(), type.shape.end()));
    one.outputs = one.add_node(Op::RESHAPE, {from}, shape, {type});
    const std::vector<bool> stored(one.values.size(), true);
    KernelMaker maker(one, stored, settings_.features);
    maker.make(one.nodes[0], 0);
    ProgramDispatch dispatch;
    if (maker.values.size() == 2) dispatch.buffers.push_back(buffer(value));
    program_.buffers.push_back({BufferKind::Output, output, size, 0, value});
    dispatch.buffers.push_back(static_cast<std::uint32_t>(program_.buffers.size() - 1));
    dispatch.groups = groups_for(tensor::element_count(type.shape).value_or(0));
    spirv::Words words = maker.kernel().finish();
    const auto [known, is_new] = kernels_.try_emplace(words, static_cast<std::uint32_t>(program_.kernels.size()));
    if (is_new)
      program_.kernels.push_back({"COPY", std::make_shared<const spirv::Words>(std::move(words)),
                                  static_cast<std::uint32_t>(dispatch.buffers.size())});
    dispatch.kernel = known->second;
    program_.needs_int64 |= maker.kernel().uses_long();
    program_.needs_storage_8 |= maker.kernel().stores_8();
    program_.needs_storage_16 |= maker.kernel().stores_16();
    program_.dispatches.push_back(std::move(dispatch));
  }

  void places() {
    std::vector<Lifetime> lifetimes;
    std::vector<std::uint32_t> which(program_.buffers.size(), kNone);
    for (std::uint32_t i = 0; i < program_.buffers.size(); ++i) {
      if (program_.buffers[i].kind != BufferKind::Intermediate) continue;
      which[i] = static_cast<std::uint32_t>(lifetimes.size());
      lifetimes.push_back({program_.buffers[i].size, kNone, 0});
    }
    for (std::uint32_t step = 0; step < program_.dispatches.size(); ++step) {
      for (const std::uint32_t buffer : program_.dispatches[step].buffers) {
        if (which[buffer] == kNone) continue;
        Lifetime& lifetime = lifetimes[which[buffer]];
        lifetime.first = std::min(lifetime.first, step);
        lifetime.last = std::max(lifetime.last, step);
      }
    }
    const MemoryPlan plan = plan_memory(lifetimes, settings_.alignment);
    for (std::uint32_t i = 0; i < which.size(); ++i) {
      if (which[i] != kNone) program_.buffers[i].offset = plan.offsets[which[i]];
    }
    program_.arena_size = plan.size;
    program_.arena_lower_bound = plan.lower_bound;
  }

  const tosa::Graph& graph_;
  const LowerSettings& settings_;
  std::vector<bool> stored_;
  std::vector<std::uint32_t> buffer_of_;  // by value
  std::map<spirv::Words, std::uint32_t> kernels_;
  KernelProgram program_;
};

}  // namespace

Result<KernelProgram> lower_graph(const tosa::Graph& graph, const LowerSettings& settings) {
  return Lowering(graph, settings).run();
}

std::string print(const tosa::Graph& graph, const KernelProgram& program) {
  std::string text = std::format("{} dispatches, {} kernels, arena {} bytes (at least {})\n", program.dispatches.size(),
                                 program.kernels.size(), program.arena_size, program.arena_lower_bound);
  const auto buffer_text = [&](std::uint32_t i) {
    const ProgramBuffer& buffer = program.buffers[i];
    switch (buffer.kind) {
      case BufferKind::Input:
        return std::format("input {}", buffer.index);
      case BufferKind::Output:
        return std::format("output {}", buffer.index);
      case BufferKind::Constant:
        return std::format("constant {}", buffer.index);
      case BufferKind::Intermediate:
        break;
    }
    return std::format("arena {:#x}", buffer.offset);
  };
  for (std::size_t i = 0; i < program.dispatches.size(); ++i) {
    const ProgramDispatch& dispatch = program.dispatches[i];
    const ProgramKernel& kernel = program.kernels[dispatch.kernel];
    text += std::format("{}: kernel {} {} [{}, {}, {}]", i, dispatch.kernel, kernel.name, dispatch.groups[0],
                        dispatch.groups[1], dispatch.groups[2]);
    for (std::size_t b = 0; b < dispatch.buffers.size(); ++b)
      text += std::format("{} {}",
                          b + 1 == dispatch.buffers.size() ? " ->"
                          : b                              ? ","
                                                           : "",
                          buffer_text(dispatch.buffers[b]));
    text += std::format(" {}\n", tosa::text_of(graph[program.buffers[dispatch.buffers.back()].value].type));
  }
  return text;
}

}  // namespace slipway::lower
