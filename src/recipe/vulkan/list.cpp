// A run list on Vulkan: recorded once and submitted as often as wanted, in one submission.
//
// It is one command buffer; where copies of the list run beside each other on several queues, two: the runs before the
// first that uses what the copies share and write need not wait for the other copies.
//
// Between two dispatches stands a barrier exactly when they may touch the same bytes and one of them writes. A part of
// a buffer that begins where the device allows no descriptor to begin goes through a small buffer: copied in before the
// dispatch, and back after it when the kernel may write.
#include <algorithm>

#include "base/format.hpp"
#include "launch/locate.hpp"
#include "launch/parallel.hpp"
#include "recipe/vulkan/model.hpp"
#include "recipe/vulkan/parts.hpp"

namespace slipway::recipe {
namespace {

// The constant 0 for a descriptor (recipe page 3.3.5).
constexpr std::uint64_t kZeroBytes = 16;

// What one run binds, after unaligned parts have got their own buffers.
struct BoundPart {
  const Parameter* parameter = nullptr;
  UsedPart original;                 // in the user's buffer
  bool outside = false;              // lists of others may use that buffer
  const gpu::Buffer* own = nullptr;  // the small buffer; null when the original is bound
};

// Runs that are recorded together.
struct Section {
  gpu::CommandList commands;
  std::size_t begin = 0, end = 0;  // runs
  std::vector<UsedPart> outside;   // what they use that lists of others may use too
};

class VulkanList final : public KernelList {
 public:
  explicit VulkanList(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}

  ~VulkanList() override {
    submission_.reset();  // waits
    leave();
  }

  Result<> submit() override {
    const std::scoped_lock lock(device_->submitting);
    QueueSpread& queues = device_->queues;
    const std::uint32_t queue = queues.choose(outside_, sections_.size() == 1);
    std::vector<gpu::Batch> batches;
    std::vector<const gpu::CommandList*> lists;
    std::vector<std::vector<gpu::QueuePoint>> waits;
    for (const Section& section : sections_) {
      lists.push_back(&section.commands);
      waits.push_back(queues.waits(queue, section.outside));
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) batches.push_back({.lists = {&lists[i], 1}, .after = waits[i]});
    batches.back().has_end = !outside_.empty();  // else nobody waits for it
    Result<gpu::Submission> submission = gpu::submit(*device_->device, queue, batches);
    if (!submission) return fail(std::move(submission.error()));
    submission_.emplace(std::move(*submission));
    number_ = queues.add({queue, submission_->end(sections_.size() - 1).value}, outside_);
    return {};
  }

  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) override {
    if (!submission_) return true;
    if (poll) return wait_polling(time_out);
    const Result<gpu::WaitStatus> status = submission_->wait(time_out);
    if (!status) return fail(status.error());
    if (*status == gpu::WaitStatus::TimedOut) return false;
    ended();
    return true;
  }

  std::vector<double> timings() override {
    if (!timestamps_) return {};
    const auto ticks = gpu::read_timestamps(*device_->device, *timestamps_);
    if (!ticks) return {};
    std::vector<double> times;
    for (std::size_t i = 0; i + 1 < ticks->size(); i += 2) {
      times.push_back(static_cast<double>((*ticks)[i + 1] - (*ticks)[i]) * device_->snapshot().timestamp_period);
    }
    return times;
  }

  Result<> record(std::span<const KernelRun> runs, const ListOptions& options) {
    runs_.assign(runs.begin(), runs.end());
    Result<> done = bind(options);
    if (!done) return done;
    const std::size_t split = options.overlaps && device_->queues.queues() > 1 ? first_contended() : 0;
    if (split > 0) done = record_section(0, split);
    if (done && split < runs_.size()) done = record_section(split, runs_.size());
    return done;
  }

 private:
  void ended() {
    submission_.reset();
    leave();
  }

  void leave() {
    if (!number_) return;
    const std::scoped_lock lock(device_->submitting);
    device_->queues.remove(*number_);
    number_.reset();
  }

  // The first run that uses outside bytes which a run of this list writes, as its copies do: only one copy at a time
  // may go on from there.
  std::size_t first_contended() const {
    std::vector<UsedPart> written;
    for (const std::vector<BoundPart>& parts : parts_) {
      for (const BoundPart& part : parts) {
        if (part.outside && part.original.writes) written.push_back(part.original);
      }
    }
    const auto contended = [&](const BoundPart& part) {
      return part.outside &&
             std::ranges::any_of(written, [&](const UsedPart& other) { return conflict(part.original, other); });
    };
    const auto run = std::ranges::find_if(
        parts_, [&](const std::vector<BoundPart>& parts) { return std::ranges::any_of(parts, contended); });
    return static_cast<std::size_t>(run - parts_.begin());
  }

  Result<> record_section(std::size_t begin, std::size_t end) {
    Result<gpu::CommandList> commands = gpu::create_command_list(*device_->device, "run list");
    if (!commands) return fail(std::move(commands.error()));
    Section& section = sections_.emplace_back(std::move(*commands), begin, end);
    Result<> done = section.commands.begin();
    if (!done) return done;
    if (timestamps_ && begin == 0) section.commands.reset_timestamps(*timestamps_, 0, timestamps_->count());
    open_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      record_run(section.commands, i);
      for (const BoundPart& part : parts_[i]) {
        if (part.outside) section.outside.push_back(part.original);
      }
    }
    outside_.append_range(section.outside);
    return section.commands.end();
  }

  Result<bool> wait_polling(std::optional<std::chrono::nanoseconds> time_out) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
      const Result<gpu::WaitStatus> status = submission_->wait(std::chrono::nanoseconds(0));
      if (!status) return fail(status.error());
      if (*status == gpu::WaitStatus::Done) break;
      if (time_out && std::chrono::steady_clock::now() - start >= *time_out) return false;
    }
    ended();
    return true;
  }

  Result<gpu::Buffer> small_buffer(std::uint64_t size, const std::string& name) {
    Result<gpu::Buffer> buffer = gpu::create_buffer(
        *device_->device, {.size = size, .uniform = true, .location = gpu::BufferPlace::Upload, .name = name});
    if (buffer) std::ranges::fill(buffer->mapped(), std::byte{});
    return buffer;
  }

  // Pipelines (in parallel), parts, sets.
  Result<> bind(const ListOptions& options) {
    std::vector<Result<const gpu::Pipeline*>> pipelines(runs_.size(), nullptr);
    launch::parallel_for(runs_.size(), [&](std::size_t i) {
      if (!kernel_of(runs_[i]).plan().model) pipelines[i] = kernel_of(runs_[i]).pipeline(runs_[i]);
    });
    Diagnostics problems;
    for (const KernelRun& run : runs_) {
      if (Result<> made = make_model(kernel_of(run)); !made) problems.add(std::move(made.error()));
    }
    for (Result<const gpu::Pipeline*>& pipeline : pipelines) {
      pipelines_.push_back(problems.take(std::move(pipeline)).value_or(nullptr));
    }
    for (const KernelRun& run : runs_) {
      if (Result<> good = check_grid(run); !good) problems.add(std::move(good.error()));
      if (Result<> good = bind_parts(run); !good) problems.add(std::move(good.error()));
    }
    if (problems.has_errors()) return fail(problems.release());
    if (options.timings) {
      Result<gpu::Timestamps> made =
          gpu::create_timestamps(*device_->device, static_cast<std::uint32_t>(2 * runs_.size()));
      if (made) timestamps_.emplace(std::move(*made));  // devices without any measure nothing
    }
    return make_sets();
  }

  // One for all runs of a model in this list, which have barriers between them.
  Result<> make_model(const VulkanKernel& kernel) {
    if (!kernel.plan().model || models_.contains(&kernel)) return {};
    auto made = ModelOnDevice::make(*device_, kernel.plan().model);
    if (!made) {
      return fail(launch::located(std::move(made.error()),
                                  {kernel.plan().origin.location, kernel.plan().origin.pointer, kernel.plan().name}));
    }
    models_.emplace(&kernel, std::move(*made));
    return {};
  }

  static const VulkanKernel& kernel_of(const KernelRun& run) { return static_cast<const VulkanKernel&>(*run.kernel); }

  Result<> check_grid(const KernelRun& run) const {
    const auto& most = device_->snapshot().limits.max_compute_workgroup_count;
    for (std::size_t i = 0; i < 3; ++i) {
      if (run.groups[i] <= most[i]) continue;
      return fail(DiagnosticKind::KernelGrid, kernel_of(run).plan().origin.location,
                  formatted("run `{}` has {} work groups in dimension {}, but the device allows at most {} "
                            "(`maxComputeWorkGroupCount`)",
                            run.id, run.groups[i], i, most[i]));
    }
    return {};
  }

  Result<> bind_parts(const KernelRun& run) {
    const gpu::Limits& limits = device_->snapshot().limits;
    const KernelPlan& kernel = kernel_of(run).plan();
    std::vector<BoundPart>& parts = parts_.emplace_back();
    if (kernel.model) return bind_ports(run, kernel, parts);
    for (const Parameter& parameter : kernel.signature.parameters) {
      const auto* target = std::get_if<DescriptorTarget>(&parameter.target);
      if (!target) continue;
      BoundPart part{.parameter = &parameter};
      const auto argument = std::ranges::find(run.buffers, parameter.argidx, &BufferArgument::argidx);
      if (argument == run.buffers.end()) {
        Result<gpu::Buffer> zeros = small_buffer(kZeroBytes, "zeros");
        if (!zeros) return fail(std::move(zeros.error()));
        part.own = &*own_buffers_.emplace_back(std::make_unique<gpu::Buffer>(std::move(*zeros)));
        parts.push_back(part);
        continue;
      }
      const auto& storage = static_cast<const VulkanBuffer&>(*argument->buffer);
      part.original = {&storage.buffer(), argument->offset, argument->offset + argument->size, parameter.writes};
      part.outside = argument->outside;
      const bool uniform = target->type == vk::DescriptorType::UNIFORM_BUFFER;
      const std::uint64_t range = uniform ? limits.max_uniform_buffer_range : limits.max_storage_buffer_range;
      if (argument->size > range) {
        return fail(
            DiagnosticKind::DeviceLacks, kernel.origin.location,
            formatted("argument {} of run `{}` has {} bytes, but the device binds at most {} ({})", parameter.argidx,
                      run.id, argument->size, range, uniform ? "`maxUniformBufferRange`" : "`maxStorageBufferRange`"));
      }
      const std::uint64_t alignment =
          uniform ? limits.min_uniform_buffer_offset_alignment : limits.min_storage_buffer_offset_alignment;
      if (argument->offset % alignment != 0) {
        Result<gpu::Buffer> copy = small_buffer(argument->size, run.id);
        if (!copy) return fail(std::move(copy.error()));
        part.own = &*own_buffers_.emplace_back(std::make_unique<gpu::Buffer>(std::move(*copy)));
      }
      parts.push_back(part);
    }
    return check_overlaps(run, parts);
  }

  // The inputs and outputs of a model are copied, and so may begin anywhere.
  static Result<> bind_ports(const KernelRun& run, const KernelPlan& kernel, std::vector<BoundPart>& parts) {
    for (const Parameter& parameter : kernel.signature.parameters) {
      const auto argument = std::ranges::find(run.buffers, parameter.argidx, &BufferArgument::argidx);
      if (argument == run.buffers.end() || argument->size != parameter.size) {
        return fail(DiagnosticKind::BufferSize, kernel.origin.location,
                    formatted("`{}` of the model needs a buffer of {} bytes, but argument {} of run `{}` {}",
                              parameter.name, parameter.size, parameter.argidx, run.id,
                              argument == run.buffers.end() ? "is none" : formatted("has {}", argument->size)));
      }
      const auto& storage = static_cast<const VulkanBuffer&>(*argument->buffer);
      parts.push_back(
          {.parameter = &parameter,
           .original = {&storage.buffer(), argument->offset, argument->offset + argument->size, parameter.writes},
           .outside = argument->outside});
    }
    return {};
  }

  // A copy of bytes that another argument of the same run touches would be a second truth.
  Result<> check_overlaps(const KernelRun& run, const std::vector<BoundPart>& parts) const {
    for (const BoundPart& a : parts) {
      for (const BoundPart& b : parts) {
        if (&a == &b || !a.own || !a.original.buffer || !b.original.buffer || !conflict(a.original, b.original))
          continue;
        return fail(DiagnosticKind::BufferSize, kernel_of(run).plan().origin.location,
                    formatted("arguments {} and {} of run `{}` overlap, one of them is written, and offset {} does "
                              "not suit the device; "
                              "its alignment is {}",
                              a.parameter->argidx, b.parameter->argidx, run.id, a.original.begin,
                              device_->snapshot().limits.min_storage_buffer_offset_alignment));
      }
    }
    return {};
  }

  Result<> make_sets() {
    std::vector<gpu::DescriptorSetInfo> infos;
    sets_of_.resize(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const gpu::PipelineLayout& layout = kernel_of(runs_[i]).layout();
      for (std::uint32_t set = 0; set < layout.info().sets.size(); ++set) {
        gpu::DescriptorSetInfo info{.layout = &layout, .set = set};
        for (const BoundPart& part : parts_[i]) {
          const auto& target = std::get<DescriptorTarget>(part.parameter->target);
          if (target.set != set) continue;
          info.writes.push_back(part.own ? gpu::DescriptorWrite{.binding = target.binding, .buffer = part.own}
                                         : gpu::DescriptorWrite{.binding = target.binding,
                                                                .buffer = part.original.buffer,
                                                                .offset = part.original.begin,
                                                                .size = part.original.end - part.original.begin});
        }
        if (info.writes.empty()) continue;
        sets_of_[i].push_back({set, infos.size()});
        infos.push_back(std::move(info));
      }
    }
    return gpu::create_descriptor_sets(*device_->device, infos).transform([&](gpu::DescriptorSets sets) {
      sets_ = std::move(sets);
    });
  }

  std::vector<std::byte> push_constants(const KernelRun& run) const {
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

  void record_model(gpu::CommandList& commands, std::size_t i) {
    std::vector<UsedPart> ports;
    for (const BoundPart& part : parts_[i]) ports.push_back(part.original);
    if (timestamps_) commands.write_timestamp(*timestamps_, static_cast<std::uint32_t>(2 * i));
    models_.at(&kernel_of(runs_[i]))->record(commands, ports);
    if (timestamps_) commands.write_timestamp(*timestamps_, static_cast<std::uint32_t>(2 * i + 1));
    open_.clear();
  }

  void record_run(gpu::CommandList& commands, std::size_t i) {
    if (kernel_of(runs_[i]).plan().model) return record_model(commands, i);
    const std::vector<BoundPart>& parts = parts_[i];
    const bool depends = std::ranges::any_of(parts, [&](const BoundPart& part) {
      return part.original.buffer &&
             std::ranges::any_of(open_, [&](const UsedPart& before) { return conflict(part.original, before); });
    });
    if (depends) {
      commands.full_barrier();
      open_.clear();
    }
    const bool copies =
        std::ranges::any_of(parts, [](const BoundPart& part) { return part.own && part.original.buffer; });
    if (copies) copy(commands, parts, true);
    if (timestamps_) commands.write_timestamp(*timestamps_, static_cast<std::uint32_t>(2 * i));
    const gpu::Pipeline& pipeline = *pipelines_[i];
    commands.bind(pipeline);
    for (const auto& [number, index] : sets_of_[i]) {
      VkDescriptorSet_T* const set[] = {sets_[index]};
      commands.bind_sets(pipeline, number, set);
    }
    if (const auto constants = push_constants(runs_[i]); !constants.empty())
      commands.push_constants(pipeline, constants);
    commands.dispatch(runs_[i].groups[0], runs_[i].groups[1], runs_[i].groups[2]);
    if (timestamps_) commands.write_timestamp(*timestamps_, static_cast<std::uint32_t>(2 * i + 1));
    if (copies) copy(commands, parts, false);
    for (const BoundPart& part : parts) {
      if (part.original.buffer) open_.push_back(part.original);
    }
  }

  // Into the small buffers before a dispatch; out of them after it.
  static void copy(gpu::CommandList& commands, const std::vector<BoundPart>& parts, bool in) {
    commands.full_barrier();
    for (const BoundPart& part : parts) {
      if (!part.own || !part.original.buffer) continue;
      const std::uint64_t size = part.original.end - part.original.begin;
      if (in)
        commands.copy(*part.original.buffer, part.original.begin, *part.own, 0, size);
      else if (part.original.writes)
        commands.copy(*part.own, 0, *part.original.buffer, part.original.begin, size);
    }
    commands.full_barrier();
  }

  struct SetOf {
    std::uint32_t number = 0;
    std::size_t index = 0;
  };

  std::shared_ptr<VulkanDevice> device_;
  std::vector<KernelRun> runs_;  // keep kernels and buffers alive
  std::vector<const gpu::Pipeline*> pipelines_;
  std::map<const VulkanKernel*, std::unique_ptr<ModelOnDevice>> models_;
  std::vector<std::unique_ptr<gpu::Buffer>> own_buffers_;
  std::vector<std::vector<BoundPart>> parts_;
  gpu::DescriptorSets sets_;
  std::vector<std::vector<SetOf>> sets_of_;
  std::optional<gpu::Timestamps> timestamps_;
  std::vector<UsedPart> open_;  // touched since the last barrier
  std::vector<Section> sections_;
  std::vector<UsedPart> outside_;        // of all sections
  std::optional<std::uint64_t> number_;  // while under way
  std::optional<gpu::Submission> submission_;
};

}  // namespace

Result<ListPtr> make_vulkan_list(std::shared_ptr<VulkanDevice> device, std::span<const KernelRun> runs,
                                 const ListOptions& options) {
  auto list = std::make_unique<VulkanList>(std::move(device));
  if (Result<> recorded = list->record(runs, options); !recorded) return fail(std::move(recorded.error()));
  return list;
}

}  // namespace slipway::recipe
