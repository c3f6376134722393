// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/execute/host_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/locate.hpp"
#include "launch/report/graph_dumps.hpp"
#include "launch/report/results.hpp"

namespace slipway::launch {
namespace {

// Zeroed memory of the host.
class HostMemory {
 public:
  static Result<HostMemory> make(std::uint64_t size) {
    HostMemory memory;
    memory.size_ = std::max<std::uint64_t>(size, 1);
    void* data = mmap(nullptr, memory.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      return fail(DiagnosticKind::DeviceFailed, {}, formatted("there is no memory for {} bytes", size));
    memory.data_ = static_cast<std::byte*>(data);
    return memory;
  }
  HostMemory(HostMemory&& other) noexcept : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  HostMemory& operator=(HostMemory&&) = delete;
  ~HostMemory() {
    if (data_) munmap(data_, size_);
  }
  MutableBytes bytes() const { return {data_, size_}; }

 private:
  HostMemory() = default;
  std::uint64_t size_ = 0;
  std::byte* data_ = nullptr;
};

class HostRun {
 public:
  HostRun(const Plan& plan, RunOptions options, const Log& log) : plan_(plan), options_(std::move(options)), log_(log) {
    if (options_.dry_run) options_.repeat = 1;
    report_.iterations = options_.repeat;
  }

  Result<Report> run(const std::string& device) {
    report_.device = device;
    report_.counters = std::move(options_.counters);
    report_.counters.insert(report_.counters.end(), plan_.preparation.begin(), plan_.preparation.end());
    SLIPWAY_TRY_VOID(open(options_.profile_path, "profiling data", profile_file_));
    SLIPWAY_TRY_VOID(open(options_.perf_counters_path, "perf counters", counters_file_));
    log_.info(formatted("Setup resources, count: {}", plan_.resources.size()));
    SLIPWAY_TRY_VOID(make_resources());
    SLIPWAY_TRY_VOID(fill_resources());
    for (std::uint32_t i = 0; i < options_.repeat && !options_.dry_run; ++i) {
      for (const GraphDispatch& graph : plan_.graphs)
        report_.profile.memory.push_back({graph.name, graph.session_size, i});
      SLIPWAY_TRY_VOID(iterate(i + 1));
    }
    SLIPWAY_TRY_VOID(store(profile_file_, write_profile(report_.profile), "Profiling data stored"));
    if (!options_.dry_run) {
      SLIPWAY_TRY_VOID(store_results(plan_, readback(), options_.failure_dump, report_));
      log_.info("Results stored");
      SLIPWAY_TRY_VOID(dump_graphs(plan_, {options_.session_memory_directory, options_.graph_profile_directory},
                                   report_.profile, log_));
    }
    SLIPWAY_TRY_VOID(store(counters_file_, write_perf_counters(report_.counters), "Performance stats stored"));
    return std::move(report_);
  }

 private:
  const Buffer& buffer(ResourceIndex index) const { return std::get<Buffer>(plan_.resources[index].kind); }

  // Members of a memory group share one allocation.
  Result<> make_resources() {
    std::map<std::string, std::uint64_t> groups;
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      const auto& sharing = plan_.resources[i].sharing;
      if (sharing) groups[sharing->group] = std::max(groups[sharing->group], sharing->offset + buffer(i).size);
    }
    std::map<std::string, MutableBytes> of_groups;
    const auto allocate = [&](std::uint64_t size) {
      return HostMemory::make(size).transform([&](HostMemory memory) {
        memory_.push_back(std::move(memory));
        return memory_.back().bytes();
      });
    };
    for (const auto& [name, size] : groups) {
      SLIPWAY_TRY(of_groups[name], allocate(size));
    }
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      if (const auto& sharing = plan_.resources[i].sharing) {
        bytes_.push_back(of_groups[sharing->group].subspan(sharing->offset, buffer(i).size));
        continue;
      }
      SLIPWAY_TRY(const MutableBytes own, allocate(buffer(i).size));
      bytes_.push_back(own.first(buffer(i).size));
    }
    return {};
  }

  Result<> fill_resources() {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      const Resource& resource = plan_.resources[i];
      for (const Contents& contents : resource.initial) {
        const ScopedTimer timer(
            report_.counters, CounterCategory::ScenarioSetup,
            resource.load_counter.empty() ? "Load Buffer: " + resource.name : resource.load_counter);
        if (Result<> written = contents.write(bytes_[i].first(contents.size)); !written)
          return fail(located(std::move(written.error()), resource.origin));
      }
    }
    return {};
  }

  Result<> iterate(std::uint32_t iteration) {
    const ScopedTimer timer(report_.counters, CounterCategory::RunScenario,
                            formatted("Submit Commands. Iteration: {}", iteration));
    if (iteration == 1) report_.profile.started = HostClock::now();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (const auto* copy = std::get_if<Copy>(&plan_.steps[i].action)) {
        std::memmove(bytes_[copy->to].data() + copy->to_offset, bytes_[copy->from].data() + copy->from_offset,
                     copy->size);
      } else if (const auto* call_of = std::get_if<Call>(&plan_.steps[i].action)) {
        SLIPWAY_TRY_VOID(call(*call_of, i, iteration));
      }
    }
    return {};
  }

  Result<> call(const Call& call, std::size_t index, std::uint32_t iteration) {
    const Step& step = plan_.steps[index];
    log_.info(graph_of_step(plan_, index) ? "Dispatch graph" : "Call function");
    CallControl control{.deadline = std::nullopt, .timed = options_.timestamps, .parts = {}};
    const HostClock::time_point start = HostClock::now();
    if (options_.time_out) control.deadline = start + *options_.time_out;
    std::vector<MutableBytes> arguments;
    for (const CallArgument& argument : call.arguments) arguments.push_back(bytes_[argument.buffer]);
    if (Result<> called = call.function(arguments, control); !called)
      return fail(located(std::move(called.error()), step.origin));
    report_.profile.calls.push_back(
        {.name = step.name,
         .milliseconds = std::chrono::duration<double, std::milli>(HostClock::now() - start).count(),
         .iteration = iteration,
         .step = index,
         .graph = graph_index_of_step(plan_, index),
         .parts = std::move(control.parts)});
    return {};
  }

  Readback readback() const {
    std::map<ResourceIndex, Bytes> all;
    for (ResourceIndex i = 0; i < bytes_.size(); ++i) all.emplace(i, bytes_[i]);
    return Readback(std::move(all));
  }

  Result<> open(const Path& path, std::string_view what, std::optional<OutputFile>& file) const {
    if (path.empty()) return {};
    Result<OutputFile> created = OutputFile::create(path);
    if (!created) {
      return fail(Diagnostic{.kind = DiagnosticKind::FileUnwritable,
                             .message = formatted("Unable to open {} file for writing {}", what, path.string()),
                             .location = SourceLocation::in_file(path.string())}
                      .note(created.error().front().message));
    }
    file.emplace(std::move(*created));
    return {};
  }

  Result<> store(std::optional<OutputFile>& file, const std::string& text, std::string_view line) const {
    if (!file) return {};
    return file->write(text).and_then([&] { return file->commit(); }).transform([&] { log_.info(line); });
  }

  const Plan& plan_;
  RunOptions options_;
  const Log& log_;
  Report report_;
  std::optional<OutputFile> profile_file_, counters_file_;
  std::vector<HostMemory> memory_;
  std::vector<MutableBytes> bytes_;  // by resource
};

}  // namespace

std::string why_not_on_host(const Plan& plan) {
  for (const Resource& resource : plan.resources) {
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) return formatted("`{}` is an image", resource.name);
    if (buffer->rows) return formatted("`{}` sees the texels of an image", resource.name);
    if (buffer->external) return formatted("`{}` is a buffer of a device", resource.name);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (std::holds_alternative<Draw>(step.action)) return formatted("the step `{}` draws", step.name);
    if (std::holds_alternative<Dispatch>(step.action)) return formatted("the step `{}` is a shader", step.name);
  }
  return {};
}

Result<Report> run_on_host(const Plan& plan, const std::string& device, RunOptions options, const Log& log) {
  return HostRun(plan, std::move(options), log).run(device);
}

}  // namespace slipway::launch
