// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program_builder.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "lower/plan/memory.hpp"
#include "lower/plan/schedule.hpp"

namespace slipway::lower {
namespace {

using tosa::ValueId;

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::uint32_t kLinkBytes = 128;  // a counter of a stage, in a cache line of its own

}  // namespace

ProgramBuilder::ProgramBuilder(const tosa::Graph& graph, const LowerOptions& options, std::vector<bool> stored)
    : graph_(graph),
      options_(options),
      stored_(std::move(stored)),
      widened_(plan_widening(graph, stored_, options.device)),
      buffer_of_(graph.values.size(), kNone) {
  for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i)
    add_buffer(graph_.inputs[i], BufferKind::Input, i, size_of(graph_.inputs[i]));
}

std::size_t ProgramBuilder::choose(const std::string& what, const tosa::Node& node, std::size_t count,
                                   const std::function<Parameters(std::size_t)>& candidate,
                                   const std::string& otherwise) {
  const Tuning& tuning = options_.device.tuning;
  if (count < 2 || (tuning.empty() && !options_.list_sites)) return 0;
  std::vector<Parameters> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(candidate(i));
  std::size_t chosen = 0;
  const Parameters* known = find_parameters(tuning, what);
  if (!known && !otherwise.empty()) known = find_parameters(tuning, otherwise);
  if (known) {
    // What was best for a similar kernel, or in another version, is not always a candidate.
    const auto found = std::ranges::find(all, *known);
    if (found != all.end()) chosen = static_cast<std::size_t>(found - all.begin());
  }
  if (options_.list_sites)
    program_.sites.push_back({what, std::move(all), static_cast<std::uint32_t>(&node - graph_.nodes.data())});
  return chosen;
}

std::uint64_t ProgramBuilder::size_of(ValueId value) const {
  const tosa::TensorType& type = graph_[value].type;
  const auto storage = widened(value) ? widened(value)->type : tosa::storage_of(type.data);
  return tensor::byte_count(type.shape, storage).value_or(0);
}

std::uint32_t ProgramBuilder::add_buffer(ValueId value, BufferKind kind, std::uint32_t source, std::uint64_t size) {
  program_.buffers.push_back({.kind = kind, .index = source, .size = size, .value = value, .packing = {}});
  return buffer_of_[index(value)] = static_cast<std::uint32_t>(program_.buffers.size() - 1);
}

std::uint32_t ProgramBuilder::buffer(ValueId value) {
  if (buffer_of_[index(value)] != kNone) return buffer_of_[index(value)];
  const std::uint64_t size = size_of(value);
  if (graph_.constant(value)) return add_buffer(value, BufferKind::Constant, graph_[value].source, size);
  const auto output = std::ranges::find(graph_.outputs, value);
  if (output != graph_.outputs.end())
    return add_buffer(value, BufferKind::Output, static_cast<std::uint32_t>(output - graph_.outputs.begin()), size);
  return add_buffer(value, BufferKind::Intermediate, 0, size);
}

std::uint32_t ProgramBuilder::packed_constant(ValueId value, const Packing& packing) {
  for (std::uint32_t i = 0; i < program_.buffers.size(); ++i) {
    if (program_.buffers[i].value == value && program_.buffers[i].packing == packing) return i;
  }
  program_.buffers.push_back({.kind = BufferKind::Constant,
                              .index = graph_[value].source,
                              .size = packing.size(),
                              .value = value,
                              .packing = packing});
  return static_cast<std::uint32_t>(program_.buffers.size() - 1);
}

std::pair<std::uint32_t, bool> ProgramBuilder::packed(ValueId value, std::uint64_t size, const std::string& purpose) {
  const auto [known, is_new] =
      packed_.try_emplace({value, purpose}, static_cast<std::uint32_t>(program_.buffers.size()));
  if (is_new)
    program_.buffers.push_back({.kind = BufferKind::Intermediate, .size = size, .value = value, .packing = {}});
  return {known->second, is_new};
}

// Few: all run at the same time. Others would wait and count one after the other, which takes longer than a barrier.
KernelBuilder ProgramBuilder::linked_kernel(Grid grid, std::uint64_t groups, std::uint64_t registers) {
  const DeviceFacts& device = options_.device;
  const std::uint64_t together =
      std::min<std::uint64_t>(device.invocations_of_multiprocessor, device.registers_of_multiprocessor / registers);
  grid.linked = device.starts_in_order && !device.lanes && !options_.list_sites &&
                groups * grid.local_size <= together * device.multiprocessors;
  if (!grid.linked) return kernel(grid);
  grid.vulkan_memory_model = true;
  if (!links_) {
    links_ = static_cast<std::uint32_t>(program_.buffers.size());
    program_.buffers.push_back({.kind = BufferKind::Intermediate, .packing = {}});
  }
  return KernelBuilder(graph_, stored_, widened_, device.floats, addressed(grid), *links_);
}

std::uint32_t ProgramBuilder::counters(ValueId value, std::uint64_t count) {
  if (!counters_) {
    counters_ = static_cast<std::uint32_t>(program_.buffers.size());
    program_.buffers.push_back({.kind = BufferKind::Intermediate, .value = value, .packing = {}});
  }
  std::uint64_t& size = program_.buffers[*counters_].size;
  size = std::max(size, count * tensor::size_of(ElementType::I32));
  return *counters_;
}

// A kernel also depends on how its operands and its result are stored.
std::string ProgramBuilder::text_of(const GroupKey& key) const {
  std::string text = key.text;
  for (std::size_t i = 0; i < key.values.size(); ++i) {
    if (const auto wide = widened(key.values[i]))
      text += formatted(" {} wide {} {}", i, wide->zero, tensor::name_of(wide->type));
  }
  return text;
}

bool ProgramBuilder::repeat(const GroupKey& key, std::span<const std::uint32_t> packed) {
  const auto known = made_.find(text_of(key));
  if (known == made_.end()) return false;
  const Made& made = known->second;
  ProgramDispatch dispatch{.kernel = made.kernel, .buffers = {}, .groups = made.groups, .nodes = {}};
  for (const Made::Source& source : made.buffers) {
    dispatch.buffers.push_back(source.from == Made::Source::From::Values   ? buffer(key.values[source.index])
                               : source.from == Made::Source::From::Packed ? packed[source.index]
                                                                           : *links_);
  }
  for (const std::size_t value : made.nodes) dispatch.nodes.push_back(graph_[key.values[value]].source);
  std::ranges::sort(dispatch.nodes);
  program_.dispatches.push_back(std::move(dispatch));
  return true;
}

void ProgramBuilder::remember(const GroupKey& key, std::span<const std::uint32_t> packed,
                              const KernelBuilder& builder) {
  const ProgramDispatch& dispatch = program_.dispatches.back();
  Made made{.kernel = dispatch.kernel, .groups = dispatch.groups, .buffers = {}, .nodes = {}};
  const auto index_in = [](const auto& range, const auto& what) {
    return static_cast<std::size_t>(std::ranges::find(range, what) - std::ranges::begin(range));
  };
  for (const Slot& slot : builder.slots()) {
    using enum Made::Source::From;
    if (slot.value)
      made.buffers.push_back({Values, index_in(key.values, *slot.value)});
    else if (slot.buffer == links_)
      made.buffers.push_back({Links});
    else
      made.buffers.push_back({Packed, index_in(packed, slot.buffer)});
  }
  for (const std::uint32_t node : dispatch.nodes) {
    const auto& results = graph_.nodes[node].outputs;
    made.nodes.push_back(
        static_cast<std::size_t>(std::ranges::find_first_of(key.values, results) - key.values.begin()));
  }
  made_.emplace(text_of(key), std::move(made));
}

void ProgramBuilder::dispatch(KernelBuilder& builder, std::uint64_t groups, const GroupKey& key,
                              std::span<const std::uint32_t> packed, const std::string& note) {
  std::vector<std::uint32_t> buffers;
  for (const Slot& slot : builder.slots()) buffers.push_back(slot.value ? buffer(*slot.value) : slot.buffer);
  builder.count_for_stage();
  const std::vector<std::uint32_t> nodes = builder.nodes();
  std::string name = note;
  for (const std::uint32_t node : nodes)
    name += (name.empty() ? "" : "+") + std::string(tosa::name_of(graph_.nodes[node].op));
  add_dispatch(builder, groups, std::move(name), std::move(buffers), nodes);
  remember(key, packed, builder);
}

// Equal kernels are stored once, under the name of the first.
void ProgramBuilder::add_dispatch(KernelBuilder& builder, std::uint64_t groups, std::string name,
                                  std::vector<std::uint32_t> buffers, std::vector<std::uint32_t> nodes) {
  spirv::Words words = builder.kernel().finish();
  const auto [first, last] = kernels_.equal_range(words.size());
  auto known =
      std::find_if(first, last, [&](const auto& each) { return *program_.kernels[each.second].spirv == words; });
  if (known == last) {
    known = kernels_.emplace(words.size(), static_cast<std::uint32_t>(program_.kernels.size()));
    std::vector<std::uint32_t> exchanged;
    for (std::uint32_t i = 0; i < builder.slots().size(); ++i) {
      if (builder.slots()[i].exchanged) exchanged.push_back(i);
    }
    program_.kernels.push_back({.name = std::move(name),
                                .spirv = std::make_shared<const spirv::Words>(std::move(words)),
                                .bindings = static_cast<std::uint32_t>(buffers.size()),
                                .exchanged = std::move(exchanged),
                                .addresses = builder.kernel().grid().addresses,
                                .linked = builder.kernel().grid().linked,
                                .by_words = !builder.kernel().grid().narrow_accesses});
  }
  // Several rows of workgroups where a single one would exceed the limit.
  const std::uint64_t rows = divide_up(groups, options_.max_groups);
  program_.dispatches.push_back(
      {.kernel = known->second,
       .buffers = std::move(buffers),
       .groups = {static_cast<std::uint32_t>(divide_up(groups, rows)), static_cast<std::uint32_t>(rows), 1},
       .nodes = std::move(nodes)});
}

void ProgramBuilder::copy_outputs() {
  for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
    const ValueId value = graph_.outputs[i];
    const std::uint32_t own = buffer_of_[index(value)];
    if (own != kNone && program_.buffers[own].kind == BufferKind::Output && program_.buffers[own].index == i) continue;
    copy(value, i);
  }
}

void ProgramBuilder::copy(ValueId value, std::uint32_t output) {
  const tosa::TensorType& type = graph_[value].type;
  tosa::Graph one;
  const tosa::Constant* constant = graph_.constant(value);
  const ValueId from = constant && constant->splat ? one.add_constant(type, constant->data, true) : one.add_input(type);
  tosa::Attributes shape;
  shape.set("shape", std::vector<std::int64_t>(type.shape.begin(), type.shape.end()));
  one.outputs = one.add_node(tosa::Op::RESHAPE, {from}, shape, {type});
  const std::vector<bool> stored(one.values.size(), true);
  const Widening widened(one.values.size());
  KernelBuilder builder(one, stored, widened, options_.device.floats, addressed({}));
  Kernel& k = builder.kernel();
  const auto count = static_cast<std::int64_t>(tensor::element_count(type.shape).value_or(0));
  const Value at = k.element_index();
  k.when(at < count, [&] {
    const Value element = builder.compute(one.nodes[0], 0, coordinates_of(k, type.shape, at));
    k.store(builder.write(one.outputs[0]), at, element);
  });
  std::vector<std::uint32_t> buffers;
  if (builder.slots().size() == 2) buffers.push_back(buffer(value));
  program_.buffers.push_back(
      {.kind = BufferKind::Output, .index = output, .size = size_of(value), .value = value, .packing = {}});
  buffers.push_back(static_cast<std::uint32_t>(program_.buffers.size() - 1));
  add_dispatch(builder, divide_up(static_cast<std::uint64_t>(count), kLocalSize), "COPY", std::move(buffers), {});
}

KernelProgram ProgramBuilder::finish() {
  // CPUs run one dispatch at a time, so the original order is kept, which needs the minimum of memory. It is also kept
  // when the time of each kernel is measured.
  schedule(program_.dispatches, program_.buffers.size(), options_.device.lanes > 0 || options_.list_sites);
  if (links_ && !link_stages()) links_ = std::nullopt;
  if (counters_ || links_) clear_counters();
  place_intermediates();
  return std::move(program_);
}

// Dispatches of one stage need counters of their own; those of different stages share them. A dispatch sets them to
// zero in the first stage, or before it if they are needed there.
void ProgramBuilder::clear_counters() {
  std::vector<std::uint32_t> all;
  if (links_) all.push_back(*links_);
  const std::size_t first = all.size();
  if (counters_) all.push_back(*counters_);
  std::uint32_t stage = kNone;
  std::size_t next = first;
  for (ProgramDispatch& dispatch : program_.dispatches) {
    const auto mine = counters_ ? std::ranges::find(dispatch.buffers, *counters_) : dispatch.buffers.end();
    if (std::exchange(stage, dispatch.stage) != dispatch.stage) next = first;
    if (mine == dispatch.buffers.end()) continue;
    if (next == all.size()) {
      all.push_back(static_cast<std::uint32_t>(program_.buffers.size()));
      program_.buffers.push_back(program_.buffers[*counters_]);
    }
    *mine = all[next++];
  }
  const bool apart = options_.list_sites || std::ranges::any_of(program_.dispatches, [&](const ProgramDispatch& one) {
                       return one.stage == 0 && counters_ && std::ranges::contains(one.buffers, *counters_);
                     });
  if (apart) {
    for (ProgramDispatch& dispatch : program_.dispatches) ++dispatch.stage;
  }
  std::uint64_t size = 0;
  for (const std::uint32_t buffer : all) size = std::max(size, program_.buffers[buffer].size);
  for (const std::uint32_t buffer : all) program_.buffers[buffer].size = size;
  const auto count = static_cast<std::int64_t>(size / tensor::size_of(ElementType::I32));
  Kernel kernel(options_.device.floats, addressed({.addresses = true}));
  const BufferRef to = kernel.buffer(ElementType::I32, Access::Write);
  const Value at = kernel.element_index();
  kernel.when(at < count, [&] { kernel.store(to, at, kernel.integer(0)); });
  const auto clear = static_cast<std::uint32_t>(program_.kernels.size());
  program_.kernels.push_back({.name = "CLEAR",
                              .spirv = std::make_shared<const spirv::Words>(kernel.finish()),
                              .bindings = 1,
                              .exchanged = {},
                              .addresses = true});
  const auto groups = static_cast<std::uint32_t>(divide_up(static_cast<std::uint64_t>(count), kLocalSize));
  for (const std::uint32_t buffer : all)
    program_.dispatches.push_back({.kernel = clear, .buffers = {buffer}, .groups = {groups, 1, 1}, .nodes = {}});
  std::ranges::stable_sort(program_.dispatches, {}, &ProgramDispatch::stage);
}

// A counter for each stage. The first stage does not count, because the counters are set to zero in it. Returns whether
// any stage waits.
bool ProgramBuilder::link_stages() {
  program_.buffers[*links_].size = kLinkBytes * (program_.dispatches.back().stage + 1);
  bool any = false;
  const auto in_stage = [](const auto& a, const auto& b) { return a.stage == b.stage; };
  std::span<ProgramDispatch> before;  // of the stage before, if it can count
  for (auto chunk : program_.dispatches | std::views::chunk_by(in_stage)) {
    const std::span stage(chunk.begin(), chunk.end());
    const auto workgroups = [](const ProgramDispatch& one) { return one.groups[0] * one.groups[1] * one.groups[2]; };
    const bool linked =
        std::ranges::all_of(stage, [&](const ProgramDispatch& one) { return program_.kernels[one.kernel].linked; });
    if (!linked) before = {};
    for (ProgramDispatch& one : stage) {
      if (linked) one.link.counts_at = one.stage * kLinkBytes;
      for (ProgramDispatch& other : before) {
        one.link.waits_at = other.link.counts_at;
        one.link.workgroups += workgroups(other);
        other.link.counts = any = true;
      }
    }
    before = linked && stage.front().stage > 0 ? stage : std::span<ProgramDispatch>();
  }
  return any;
}

void ProgramBuilder::place_intermediates() {
  std::vector<Lifetime> lifetimes;
  std::vector<std::uint32_t> lifetime_of(program_.buffers.size(), kNone);
  for (std::uint32_t i = 0; i < program_.buffers.size(); ++i) {
    if (program_.buffers[i].kind != BufferKind::Intermediate) continue;
    lifetime_of[i] = static_cast<std::uint32_t>(lifetimes.size());
    lifetimes.push_back({program_.buffers[i].size, kNone, 0});
  }
  for (const ProgramDispatch& dispatch : program_.dispatches) {
    for (const std::uint32_t buffer : dispatch.buffers) {
      if (lifetime_of[buffer] == kNone) continue;
      Lifetime& lifetime = lifetimes[lifetime_of[buffer]];
      lifetime.first = std::min(lifetime.first, dispatch.stage);
      lifetime.last = std::max(lifetime.last, dispatch.stage);
    }
  }
  const MemoryPlan plan = plan_memory(lifetimes, options_.alignment);
  for (std::uint32_t i = 0; i < lifetime_of.size(); ++i) {
    if (lifetime_of[i] != kNone) program_.buffers[i].offset = plan.offsets[lifetime_of[i]];
  }
  program_.arena_size = plan.size;
  program_.arena_lower_bound = plan.lower_bound;
}

}  // namespace slipway::lower
