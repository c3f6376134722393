// The report of a run (recipe page 3.7): the keys of the shipped runner, and ours.
#include <sys/resource.h>

#include <algorithm>

#include "base/print_diagnostic.hpp"
#include "generated_version.hpp"
#include "json/writer.hpp"
#include "recipe/control_code/control_code.hpp"
#include "recipe/session.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe {
namespace {

using json::Writer;

void write_samples(Writer& out, const SampleSummary& samples) {
  out.key("samples").object([&] {
    out.member("unit", "us").member("count", samples.count).member("min", samples.min).member("mean", samples.mean);
    out.member("stddev", samples.stddev)
        .member("p50", samples.p50)
        .member("p90", samples.p90)
        .member("p95", samples.p95);
    out.member("p99", samples.p99).member("max", samples.max);
  });
}

void write_execution(Writer& out, const ExecutionOutcome& execution, bool single) {
  out.object([&] {
    out.key("cpu").object([&] {
      out.member("elapsed", static_cast<std::uint64_t>(execution.elapsed_ns / 1000));
      if (execution.latency_us) out.member("latency", *execution.latency_us);
      if (execution.throughput) out.member("throughput", *execution.throughput);
    });
    if (!single) out.member("depth", execution.depth);
    out.member("iterations", execution.iterations);
    if (!single) out.member("mode", name_of(execution.mode));
    out.member("name", execution.name);
    if (!single) out.member("poll", execution.poll);
    write_samples(out, execution.samples);
  });
}

void write_resources(Writer& out, const Plan& plan, const Runner* runner, std::uint32_t threshold) {
  out.key("resources").object([&] {
    out.member("buffers", plan.buffers.size())
        .member("hwctxs", plan.contexts.size())
        .member("kernels", plan.kernels.size());
    out.member("runs", plan.runs.size()).member("total_buffer_size", runner ? runner->created_bytes() : 0);
    out.member("cpus", plan.cpus.size());
    out.key("runlists").array([&] {
      for (std::size_t i = 0; i < plan.lists.size(); ++i) {
        const ListPlan& list = plan.lists[i];
        out.object([&] {
          out.member("kind", name_of(list.backend)).member("runs", list.end - list.begin);
          out.member("chained", runner != nullptr && runner->chained(i));
        });
      }
    });
    out.member("runlist_threshold", threshold);
  });
}

std::string_view name_of(RunStatus status) {
  switch (status) {
    case RunStatus::Ok:
      return "ok";
    case RunStatus::Failed:
      return "failed";
    case RunStatus::Skipped:
      return "skipped";
  }
  return "";
}

void write_context(Writer& out, const ContextPlan& context) {
  // Files that cannot be read have been reported when the recipe was loaded.
  Diagnostics ignored;
  if (context.xclbin) {
    if (const auto file = xclbin::read_xclbin(context.xclbin->bytes, context.xclbin->name, ignored))
      out.member("uuid", xclbin::uuid_text(file->uuid));
  } else if (!context.programs.empty()) {
    const Artifact& first = context.programs.front();
    const auto file = control_code::read_control_code(first.bytes, first.name, ignored);
    if (file && file->uid) out.member("elf_uid", xclbin::uuid_text(*file->uid));
  }
}

void write_contexts(Writer& out, const Plan& plan) {
  for (const ContextPlan& context : plan.contexts) {
    if (context.name != "header" || !context.xclbin) continue;
    out.key("xclbin").object([&] { write_context(out, context); });
  }
  const auto has_file = [](const ContextPlan& context) { return context.xclbin || !context.programs.empty(); };
  if (std::ranges::none_of(plan.contexts, has_file)) return;
  out.key("hwctxs_detail").object([&] {
    for (const ContextPlan& context : plan.contexts) {
      if (has_file(context)) out.key(context.name).object([&] { write_context(out, context); });
    }
  });
}

void write_runs(Writer& out, const Plan& plan, const Runner* runner) {
  const std::vector<RunRecord> records = runner ? runner->records() : std::vector<RunRecord>(plan.runs.size());
  out.key("runs").array([&] {
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
      const RunPlan& run = plan.runs[i];
      const RunRecord& record = records[i];
      out.object([&] {
        out.member("index", i).member("id", run.id).member("kernel", run.resource);
        out.member("where", run.backend == BackendKind::Cpu ? "cpu" : "npu").member("backend", name_of(run.backend));
        out.member("status", name_of(record.status)).member("count", record.count);
        if (record.total_ns) {
          out.member("total_us", *record.total_ns / 1000);
          out.member("mean_us", record.count ? *record.total_ns / 1000 / static_cast<double>(record.count) : 0.0);
        } else {
          out.key("total_us").null();
          out.key("mean_us").null();
        }
      });
    }
  });
}

void write_validation(Writer& out, const std::vector<ValidationResult>& results) {
  out.key("validation").array([&] {
    for (const ValidationResult& result : results) {
      out.object([&] {
        out.member("buffer", result.buffer)
            .member("ok", result.mismatches == 0)
            .member("mismatches", result.mismatches);
        if (result.mismatches)
          out.member("first", result.first);
        else
          out.key("first").null();
      });
    }
  });
}

}  // namespace

std::string Session::report(const Failure* failure, const System* system, int indent) const {
  Writer out(indent);
  out.object([&] {
    if (engine_) {
      const auto& outcomes = engine_->executions();
      if (!profile_->is_single()) {
        out.key("executions").array([&] {
          for (const ExecutionOutcome& outcome : outcomes) write_execution(out, outcome, false);
        });
      } else if (!outcomes.empty()) {
        out.key("execution");
        write_execution(out, outcomes.front(), true);
      }
    }
    if (plan_) {
      const Execution* first = profile_->is_single() ? (profile_->execution ? &*profile_->execution : nullptr)
                                                     : &profile_->executions.front();
      write_resources(out, *plan_, runner_.get(),
                      first ? static_cast<std::uint32_t>(first->runlist_threshold.value_or(6)) : 6);
      write_runs(out, *plan_, runner_.get());
      write_contexts(out, *plan_);
    }
    if (runner_) {
      out.key("backends").object([&] {
        for (const auto& [kind, info] : runner_->backends()) {
          out.key(name_of(kind)).object([&] { out.member("device", info.device).member("driver", info.driver); });
        }
      });
    }
    if (engine_) write_validation(out, engine_->validation());
    if (failure && !failure->empty()) {
      const Diagnostic& first = failure->front();
      out.key("error").object([&] {
        out.member("kind", slipway::name_of(first.kind)).member("message", first.message);
        if (!first.path.empty()) out.member("pointer", first.path);
      });
    }
    out.key("slipway").object([&] { out.member("version", cli::kVersion).member("report_schema", 1); });
    if (system) {
      out.key("system").object([&] {
        out.member("real", system->real).member("user", system->user).member("kernel", system->kernel);
        out.member("peak_memory_mb", system->peak_memory_mb);
      });
    }
  });
  return out.text();
}

Session::System system_usage(std::chrono::steady_clock::time_point start) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {.real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          .user = seconds(usage.ru_utime),
          .kernel = seconds(usage.ru_stime),
          .peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace slipway::recipe
