// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/plan/batch_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "recipe/plan/model_kernel.hpp"

namespace slipway::recipe {
namespace {

// The constant 0 for a descriptor (docs/spec/recipe.md#argument-indices).
constexpr std::uint64_t kZeroBytes = 16;
// Of ranges that kernels of the host use in place: a cache line, which is also what SIMD code asks for.
constexpr std::uintptr_t kInPlaceAlignment = 64;

const PlanKernel& kernel_of(const KernelRun& run) { return static_cast<const PlanKernel&>(*run.kernel); }

launch::Origin origin_of(const KernelPlan& kernel) {
  return {kernel.origin.location, kernel.origin.pointer, kernel.name};
}

bool is_written(const launch::Plan& plan, launch::ResourceIndex resource) {
  return plan.resources[resource].sharing || std::ranges::any_of(plan.steps, [&](const launch::Step& step) {
           const auto* copy = std::get_if<launch::Copy>(&step.action);
           const auto* call = std::get_if<launch::Call>(&step.action);
           return (copy && copy->to == resource) ||
                  (call && std::ranges::any_of(call->arguments, [&](const launch::CallArgument& argument) {
                     return argument.buffer == resource && argument.writes;
                   }));
         });
}

// The bytes that a parameter of a run gets.
struct BoundRange {
  const Parameter* parameter = nullptr;
  AccessedRange original;              // in the runner's buffer; its `buffer` is null for zeros
  bool shared = false;                 // other lists may use that buffer
  bool staged = false;                 // `resource` is a staging copy
  launch::ResourceIndex resource = 0;  // the buffer that the descriptor refers to
};

class BatchPlanner {
 public:
  BatchPlanner(std::span<const KernelRun> runs, const PlanDevice& device)
      : runs_(runs), executor_(*device.executor), limits_(device.info.vulkan ? &device.info.vulkan->limits : nullptr) {}

  Result<BatchPlan> make() {
    made_.plan.name = "run list";
    Diagnostics problems;
    for (const KernelRun& run : runs_) {
      if (Result<> checked = limits_ ? check_grid(run) : Result<>(); !checked) problems.add(std::move(checked.error()));
      if (Result<> added = add(run); !added) problems.add(std::move(added.error()));
    }
    if (problems.has_errors()) return fail(problems.release());
    return std::move(made_);
  }

 private:
  // --- checks ---

  // Bytes, for offsets of buffers in descriptors.
  std::uint64_t alignment_of(vk::DescriptorType type) const {
    return type == vk::DescriptorType::UNIFORM_BUFFER ? limits_->min_uniform_buffer_offset_alignment
                                                      : limits_->min_storage_buffer_offset_alignment;
  }

  Result<> check_grid(const KernelRun& run) const {
    const auto& max = limits_->max_compute_workgroup_count;
    for (std::size_t i = 0; i < 3; ++i) {
      if (run.groups[i] <= max[i]) continue;
      return fail(DiagnosticKind::KernelGrid, kernel_of(run).plan().origin.location,
                  formatted("run `{}` has {} work groups in dimension {}, but the device allows at most {} "
                            "(`maxComputeWorkGroupCount`)",
                            run.id, run.groups[i], i, max[i]));
    }
    return {};
  }

  // A run accesses its arguments at the same time. If one of two overlapping arguments is a staging copy, the other
  // does not see what is written to it.
  Result<> check_overlaps(const KernelRun& run, const std::vector<BoundRange>& ranges) const {
    for (const BoundRange& a : ranges) {
      for (const BoundRange& b : ranges) {
        if (&a == &b || !a.staged || !b.original.buffer || !conflict(a.original, b.original)) continue;
        return fail(DiagnosticKind::BufferSize, kernel_of(run).plan().origin.location,
                    formatted("arguments {} and {} of run `{}` overlap, one of them is written, and offset {} is "
                              "not a multiple of {}, which the device requires",
                              a.parameter->argidx, b.parameter->argidx, run.id, a.original.begin,
                              alignment_of(std::get<DescriptorTarget>(a.parameter->target).type)));
      }
    }
    return {};
  }

  // --- resources ---

  launch::ResourceIndex add_buffer(std::uint64_t size, const std::string& name) {
    made_.plan.resources.push_back({.name = name, .kind = launch::Buffer{.size = size, .uniform = true}});
    return static_cast<launch::ResourceIndex>(made_.plan.resources.size() - 1);
  }

  launch::ResourceIndex add_external(const launch::ExternalBuffer& buffer, const std::string& name) {
    const launch::ResourceIndex resource = add_buffer(buffer.bytes().size(), name);
    std::get<launch::Buffer>(made_.plan.resources.back().kind).external =
        static_cast<std::uint32_t>(made_.external.size());
    made_.external.push_back(&buffer);
    return resource;
  }

  launch::ResourceIndex add_borrowed(MutableBytes bytes, const std::string& name) {
    return add_external(*made_.borrowed.emplace_back(executor_.borrow(bytes)), name);
  }

  launch::ResourceIndex resource_of(const buffer_storage& buffer) {
    const auto [at, added] = external_.try_emplace(&buffer);
    if (!added) return at->second;
    const auto* own = dynamic_cast<const PlanBuffer*>(&buffer);
    return at->second =
               own ? add_external(own->buffer(), own->name()) : add_borrowed(host_bytes(buffer), "host memory");
  }

  static BoundRange range_of(const Parameter& parameter, const BufferArgument& argument) {
    return {.parameter = &parameter,
            .original = {argument.buffer.get(), argument.offset, argument.offset + argument.size, parameter.writes},
            .shared = argument.external};
  }

  Result<BoundRange> bind(const KernelRun& run, const Parameter& parameter, vk::DescriptorType type) {
    const auto argument = std::ranges::find(run.buffers, parameter.argidx, &BufferArgument::argidx);
    if (argument == run.buffers.end())
      return BoundRange{.parameter = &parameter, .resource = add_buffer(kZeroBytes, "zeros")};
    const bool uniform = type == vk::DescriptorType::UNIFORM_BUFFER;
    const std::uint64_t max = uniform ? limits_->max_uniform_buffer_range : limits_->max_storage_buffer_range;
    if (argument->size > max) {
      return fail(
          DiagnosticKind::DeviceLacks, kernel_of(run).plan().origin.location,
          formatted("argument {} of run `{}` has {} bytes, but the device binds at most {} ({})", parameter.argidx,
                    run.id, argument->size, max, uniform ? "`maxUniformBufferRange`" : "`maxStorageBufferRange`"));
    }
    BoundRange range = range_of(parameter, *argument);
    const launch::ResourceIndex whole = resource_of(*argument->buffer);
    range.staged = argument->offset % alignment_of(type) != 0;
    range.resource = range.staged ? add_buffer(argument->size, run.id) : whole;
    return range;
  }

  Result<std::vector<BoundRange>> bind(const KernelRun& run) {
    std::vector<BoundRange> ranges;
    for (const Parameter& parameter : kernel_of(run).plan().signature.parameters) {
      const auto* target = std::get_if<DescriptorTarget>(&parameter.target);
      if (!target) continue;
      Result<BoundRange> range = bind(run, parameter, target->type);
      if (!range) return fail(std::move(range.error()));
      ranges.push_back(*range);
    }
    return check_overlaps(run, ranges).transform([&] { return std::move(ranges); });
  }

  // The inputs and outputs of a model are copied, so their offsets need no alignment.
  Result<std::vector<BoundRange>> bind_ports(const KernelRun& run) {
    const KernelPlan& kernel = kernel_of(run).plan();
    SLIPWAY_TRY(const std::vector<const BufferArgument*> arguments, port_arguments(kernel, run));
    std::vector<BoundRange> ranges;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      ranges.push_back(range_of(kernel.signature.parameters[i], *arguments[i]));
    return ranges;
  }

  // --- steps ---

  Result<> add(const KernelRun& run) {
    const bool is_model = kernel_of(run).plan().model != nullptr;
    const Result<std::vector<BoundRange>> ranges = is_model ? bind_ports(run) : bind(run);
    if (!ranges) return fail(ranges.error());
    if (depends(*ranges) || is_model || has_staged(*ranges)) end_with_barrier();
    BatchPlan::Run& entry = made_.runs.emplace_back();
    entry.first_step = made_.plan.steps.size();
    for (const BoundRange& range : *ranges) {
      if (range.shared) entry.shared.push_back(range.original);
    }
    is_model ? add_model(run, *ranges) : add_dispatch(run, *ranges);
    entry.end_step = made_.plan.steps.size();
    return {};
  }

  static bool has_staged(const std::vector<BoundRange>& ranges) {
    return std::ranges::any_of(ranges, &BoundRange::staged);
  }

  // Whether one of the ranges conflicts with a step since the last barrier.
  bool depends(const std::vector<BoundRange>& ranges) const {
    return std::ranges::any_of(ranges, [&](const BoundRange& range) {
      return range.original.buffer &&
             std::ranges::any_of(open_, [&](const AccessedRange& before) { return conflict(range.original, before); });
    });
  }

  void end_with_barrier() {
    if (!made_.plan.steps.empty()) made_.plan.steps.back().barrier_after = true;
    open_.clear();
  }

  void add_step(const KernelRun& run, decltype(launch::Step::action) action) {
    made_.plan.steps.push_back({.name = run.id,
                                .action = std::move(action),
                                .barrier_after = false,
                                .origin = origin_of(kernel_of(run).plan())});
  }

  void add_dispatch(const KernelRun& run, const std::vector<BoundRange>& ranges) {
    for (const BoundRange& range : ranges) {
      if (range.staged) add_copy(run, range.original, range.resource, 0, true);
    }
    if (has_staged(ranges)) end_with_barrier();
    launch::Dispatch dispatch{
        .shader = shader_of(run), .groups = run.groups, .bindings = {}, .push_constants = push_constants(run)};
    for (const BoundRange& range : ranges) dispatch.bindings.push_back(binding_of(run, range));
    add_step(run, std::move(dispatch));
    const auto is_stored = [](const BoundRange& range) { return range.staged && range.original.writes; };
    if (std::ranges::any_of(ranges, is_stored)) {
      end_with_barrier();
      for (const BoundRange& range : ranges) {
        if (is_stored(range)) add_copy(run, range.original, range.resource, 0, false);
      }
      return end_with_barrier();
    }
    for (const BoundRange& range : ranges) {
      if (range.original.buffer && !range.staged) open_.push_back(range.original);
    }
  }

  // Copies a range of a runner's buffer to `buffer` at `offset` in bytes; back if not `into`.
  void add_copy(const KernelRun& run, const AccessedRange& range, launch::ResourceIndex buffer, std::uint64_t offset,
                bool into) {
    launch::Copy copy{.from = resource_of(*range.buffer),
                      .to = buffer,
                      .from_offset = range.begin,
                      .to_offset = offset,
                      .size = range.end - range.begin};
    if (!into) {
      std::swap(copy.from, copy.to);
      std::swap(copy.from_offset, copy.to_offset);
    }
    add_step(run, copy);
  }

  static launch::Binding binding_of(const KernelRun& run, const BoundRange& range) {
    const auto& target = std::get<DescriptorTarget>(range.parameter->target);
    launch::Binding binding{.set = target.set,
                            .binding = target.binding,
                            .type = target.type,
                            .resource = range.resource,
                            .reads = range.parameter->reads,
                            .writes = range.parameter->writes,
                            .origin = origin_of(kernel_of(run).plan())};
    if (!range.staged && range.original.buffer) {
      binding.offset = range.original.begin;
      binding.size = range.original.end - range.original.begin;
    }
    return binding;
  }

  // --- shaders ---

  // Shaders are shared by runs of one kernel with the same specialization.
  launch::ShaderIndex shader_of(const KernelRun& run) {
    const KernelPlan& kernel = kernel_of(run).plan();
    std::vector<launch::Specialization> specializations = specializations_of(run);
    Variant variant{&kernel, {}};
    for (const launch::Specialization& constant : specializations) {
      variant.second.push_back(std::byte(constant.bytes.size()));
      variant.second.append_range(constant.bytes);
    }
    const auto [at, added] =
        shaders_.try_emplace(std::move(variant), static_cast<launch::ShaderIndex>(made_.plan.shaders.size()));
    if (added) {
      made_.plan.shaders.push_back({.name = kernel.name,
                                    .spirv = kernel.module->words,
                                    .reflection = kernel.module->reflection,
                                    .entry = kernel.entry,
                                    .specializations = std::move(specializations),
                                    .push_constant_size = kernel.push_constant_size,
                                    .origin = origin_of(kernel)});
    }
    return at->second;
  }

  static std::vector<launch::Specialization> specializations_of(const KernelRun& run) {
    const KernelPlan& kernel = kernel_of(run).plan();
    std::vector<launch::Specialization> constants;
    for (const FixedValue& fixed : kernel.fixed) {
      if (const auto* target = std::get_if<SpecializationTarget>(&fixed.target))
        constants.push_back({target->id, fixed.bytes});
    }
    for (const ScalarArgument& scalar : run.scalars) {
      const Parameter* parameter = kernel.signature.find(scalar.argidx);
      const auto* target = parameter ? std::get_if<SpecializationTarget>(&parameter->target) : nullptr;
      if (target) constants.push_back({target->id, scalar.bytes});
    }
    return constants;
  }

  static std::vector<std::byte> push_constants(const KernelRun& run) {
    const KernelPlan& kernel = kernel_of(run).plan();
    std::vector<std::byte> data(kernel.push_constant_size);
    const auto put = [&](const PushTarget& target, Bytes bytes) {
      const std::size_t size = tensor::size_of(target.type);
      for (std::size_t i = 0; i < target.offsets.size(); ++i)
        std::ranges::copy(bytes.subspan(i * size, size), data.begin() + target.offsets[i]);
    };
    for (const FixedValue& fixed : kernel.fixed) {
      if (const auto* target = std::get_if<PushTarget>(&fixed.target)) put(*target, fixed.bytes);
    }
    for (const ScalarArgument& scalar : run.scalars) {
      const Parameter* parameter = kernel.signature.find(scalar.argidx);
      const auto* target = parameter ? std::get_if<PushTarget>(&parameter->target) : nullptr;
      if (target) put(*target, scalar.bytes);
    }
    return data;
  }

  // --- models ---

  // A model's resources and its first shader in the batch's plan.
  struct ModelParts {
    std::vector<launch::ResourceIndex> resources;
    launch::ShaderIndex shaders = 0;
  };

  // All runs of a model share its resources, which is correct because there are barriers between the runs.
  const ModelParts& parts_of(const ModelKernel& model) {
    const auto [at, added] = models_.try_emplace(&model);
    ModelParts& parts = at->second;
    if (!added) return parts;
    launch::Plan& plan = made_.plan;
    const auto first = static_cast<launch::ResourceIndex>(plan.resources.size());
    parts.shaders = static_cast<launch::ShaderIndex>(plan.shaders.size());
    for (launch::Resource resource : model.plan.resources) {
      if (resource.sharing) resource.sharing->group = formatted("model {} {}", models_.size(), resource.sharing->group);
      if (auto* buffer = std::get_if<launch::Buffer>(&resource.kind); buffer && buffer->rows)
        buffer->rows->image += first;
      parts.resources.push_back(static_cast<launch::ResourceIndex>(plan.resources.size()));
      plan.resources.push_back(std::move(resource));
    }
    for (launch::Shader shader : model.plan.shaders) {
      for (launch::RowStride& stride : shader.row_strides) stride.rows += first;
      plan.shaders.push_back(std::move(shader));
    }
    return parts;
  }

  // Whether the model can use the bytes of the runner instead of a copy of them.
  bool is_in_place(const ModelKernel& model, const ModelPort& port, const BoundRange& range,
                   const std::vector<BoundRange>& ranges) const {
    const MutableBytes bytes = host_bytes(*range.original.buffer).subspan(range.original.begin);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kInPlaceAlignment != 0 || !executor_.borrows()) return false;
    // An intermediate in the memory of an input.
    if (!port.writes && is_written(model.plan, port.resource)) return false;
    return std::ranges::none_of(
        ranges, [&](const BoundRange& other) { return &other != &range && conflict(range.original, other.original); });
  }

  void add_model(const KernelRun& run, const std::vector<BoundRange>& ranges) {
    const ModelKernel& model = *kernel_of(run).plan().model;
    ModelParts parts = parts_of(model);
    std::vector<bool> copied(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const AccessedRange& range = ranges[i].original;
      copied[i] = !is_in_place(model, model.ports[i], ranges[i], ranges);
      if (!copied[i])
        parts.resources[model.ports[i].resource] =
            add_borrowed(host_bytes(*range.buffer).subspan(range.begin, range.end - range.begin), model.ports[i].name);
    }
    // The contents of outputs too, so that the runner sees which elements the model does not write.
    const auto copy = [&](bool outputs, bool into) {
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const ModelPort& port = model.ports[i];
        if (copied[i] && port.writes == outputs)
          add_copy(run, ranges[i].original, parts.resources[port.resource], 0, into);
      }
      end_with_barrier();
    };
    copy(true, true);
    copy(false, true);
    add_steps(model, parts);
    copy(true, false);
  }

  void add_steps(const ModelKernel& model, const ModelParts& parts) {
    launch::Plan& plan = made_.plan;
    const std::size_t first = plan.steps.size();
    for (launch::Step step : model.plan.steps) {
      if (auto* call = std::get_if<launch::Call>(&step.action)) {
        for (launch::CallArgument& argument : call->arguments) argument.buffer = parts.resources[argument.buffer];
      } else if (auto* copy = std::get_if<launch::Copy>(&step.action)) {
        copy->from = parts.resources[copy->from];
        copy->to = parts.resources[copy->to];
      } else {
        auto& dispatch = std::get<launch::Dispatch>(step.action);
        dispatch.shader += parts.shaders;
        for (launch::Binding& binding : dispatch.bindings) binding.resource = parts.resources[binding.resource];
      }
      plan.steps.push_back(std::move(step));
    }
    for (launch::GraphDispatch graph : model.plan.graphs) {
      graph.first_step += first;
      if (graph.session_memory) graph.session_memory = parts.resources[*graph.session_memory];
      plan.graphs.push_back(std::move(graph));
    }
    end_with_barrier();
  }

  using Variant = std::pair<const KernelPlan*, std::vector<std::byte>>;

  std::span<const KernelRun> runs_;
  launch::Executor& executor_;
  const vk::Limits* limits_;  // null: the executor runs no shaders
  BatchPlan made_;
  std::map<const buffer_storage*, launch::ResourceIndex> external_;
  std::map<Variant, launch::ShaderIndex> shaders_;
  std::map<const ModelKernel*, ModelParts> models_;
  std::vector<AccessedRange> open_;  // accessed since the last barrier
};

}  // namespace

std::size_t BatchPlan::first_contended() const {
  std::vector<AccessedRange> written;
  for (const Run& run : runs) {
    for (const AccessedRange& range : run.shared) {
      if (range.writes) written.push_back(range);
    }
  }
  const auto contended = [&](const AccessedRange& range) {
    return std::ranges::any_of(written, [&](const AccessedRange& other) { return conflict(range, other); });
  };
  const auto run = std::ranges::find_if(runs, [&](const Run& of) { return std::ranges::any_of(of.shared, contended); });
  return static_cast<std::size_t>(run - runs.begin());
}

Result<BatchPlan> plan_batch(std::span<const KernelRun> runs, const PlanDevice& device) {
  return BatchPlanner(runs, device).make();
}

}  // namespace slipway::recipe
