#include "launch/run.hpp"

#include "base/format.hpp"
#include "base/resident_memory.hpp"
#include "launch/bindings.hpp"
#include "launch/execute.hpp"
#include "launch/graph_dumps.hpp"
#include "launch/pipeline_caching.hpp"
#include "launch/pipelines.hpp"
#include "launch/resources.hpp"
#include "launch/results.hpp"
#include "launch/upload.hpp"

namespace slipway::launch {
namespace {

// What a run has made so far, in the order of destruction, and its stages in their order.
class Run {
 public:
  Run(const Plan& plan, const gpu::Device& device, RunOptions options, const Log& log)
      : plan_(plan), device_(device), options_(std::move(options)), log_(log) {
    report_.device = device.snapshot().name;
    report_.counters = std::move(options_.counters);
    report_.counters.insert(report_.counters.end(), plan.preparation.begin(), plan.preparation.end());
    if (options_.dry_run) options_.repeat = 1;
    report_.iterations = options_.repeat;
  }

  // A place that cannot be written to is found before anything runs.
  Result<> open_files() {
    return open(options_.profile_path, "profiling data", profile_file_).and_then([&] {
      return open(options_.perf_counters_path, "perf counters", counters_file_);
    });
  }

  Result<> make_resources() {
    log_device();
    log_.info(formatted("Setup resources, count: {}", plan_.resources.size()));
    return keep(create_resources(plan_, device_), resources_).and_then([&] {
      return upload_contents(plan_, device_, *resources_, report_.counters);
    });
  }

  Result<> make_pipelines() {
    const PipelinePlan wanted = plan_pipelines(plan_, *resources_);
    if (Result<> loaded = keep(load_pipeline_cache(device_, wanted, options_, report_.counters, log_), caching_);
        !loaded)
      return loaded;
    log_.info("Setup commands");
    for (const GraphDispatch& graph : plan_.graphs) {
      if (!graph.native) log_session_memory(graph.session_size);
    }
    const gpu::PipelineOptions options{.cache = &caching_->cache(), .fail_on_cache_miss = caching_->fail_on_miss()};
    return keep(create_pipelines(plan_, device_, *resources_, wanted, options, report_.counters, options_.pipelines),
                pipelines_)
        .transform([&] {
          for (const GraphDispatch& graph : plan_.graphs) {
            if (graph.native) log_session_memory(pipelines_->of_step(graph.first_step).session_size());
          }
        })
        .and_then([&] {
          // Drivers compile what they were given in several stages; the next one begins with the first dispatch.
          release_freed_memory();
          return keep(bind_steps(plan_, device_, *resources_, *pipelines_), bindings_);
        })
        .and_then([&] {
          caching_->keep(device_, *pipelines_);
          return caching_->store(device_, "Save Pipeline Cache (setup)", report_.counters, log_);
        });
  }

  Result<> execute_steps() {
    return execute(plan_, device_, *resources_, *pipelines_, *bindings_, options_, log_, report_)
        .and_then([&] { return store(profile_file_, write_profile(report_.profile), "Profiling data stored"); })
        .and_then([&] { return caching_->store(device_, "Save Pipeline Cache", report_.counters, log_); });
  }

  Result<> finish() {
    Result<> done;
    if (!options_.dry_run) {
      done =
          store_results(plan_, device_, *resources_, options_, report_).transform([&] { log_.info("Results stored"); });
      done = done.and_then([&] { return dump_graphs(plan_, device_, *resources_, options_, report_, log_); });
    }
    return done.and_then(
        [&] { return store(counters_file_, write_perf_counters(report_.counters), "Performance stats stored"); });
  }

  Report report() { return std::move(report_); }

 private:
  template <class T>
  static Result<> keep(Result<T> made, std::optional<T>& where) {
    return std::move(made).transform([&](T value) { where.emplace(std::move(value)); });
  }

  Result<> open(const Path& path, std::string_view what, std::optional<OutputFile>& file) const {
    if (path.empty()) return {};
    Result<OutputFile> created = OutputFile::create(path);
    if (created) {
      file.emplace(std::move(*created));
      return {};
    }
    return fail(Diagnostic{.kind = DiagnosticKind::FileUnwritable,
                           .message = formatted("Unable to open {} file for writing {}", what, path.string()),
                           .location = SourceLocation::in_file(path.string())}
                    .note(created.error().front().message));
  }

  Result<> store(std::optional<OutputFile>& file, const std::string& text, std::string_view line) const {
    if (!file) return {};
    return file->write(text).and_then([&] { return file->commit(); }).transform([&] { log_.info(line); });
  }

  void log_session_memory(std::uint64_t size) const {
    log_.info(formatted("Datagraph pipeline session memory requirement: {}", size));
  }

  // Scenario page 5.3.
  void log_device() const {
    const gpu::Snapshot& snapshot = device_.snapshot();
    log_.info(formatted("Device: {}, Type: {}, Vendor: 0x{:04x}", snapshot.name, gpu::name_of(snapshot.type),
                        snapshot.vendor_id));
    std::string line = formatted("Vulkan device shader capabilities: apiVersion={}.{}.{}, driverVersion={}",
                                 snapshot.api.major, snapshot.api.minor, snapshot.api.patch, snapshot.driver_version);
    for (const std::string_view feature : {"shaderInt64", "shaderInt8", "shaderFloat16", "storageBuffer8BitAccess",
                                           "storagePushConstant16", "bufferDeviceAddress"}) {
      line += formatted(", {}={}", feature, snapshot.has_feature(feature));
    }
    log_.info(line);
  }

  const Plan& plan_;
  const gpu::Device& device_;
  RunOptions options_;
  const Log& log_;
  Report report_;
  std::optional<OutputFile> profile_file_, counters_file_;
  std::optional<Resources> resources_;
  std::optional<PipelineCaching> caching_;
  std::optional<Pipelines> pipelines_;
  std::optional<StepBindings> bindings_;
};

}  // namespace

Result<Report> run(const Plan& plan, const gpu::Device& device, RunOptions options, const Log& log) {
  Run run(plan, device, std::move(options), log);
  return run.open_files()
      .and_then([&] { return run.make_resources(); })
      .and_then([&] { return run.make_pipelines(); })
      .and_then([&] { return run.execute_steps(); })
      .and_then([&] { return run.finish(); })
      .transform([&] { return run.report(); });
}

}  // namespace slipway::launch
