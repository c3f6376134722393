// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/worker.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <ranges>

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/base64.hpp"
#include "cli/conformance/job.hpp"
#include "cli/formats.hpp"
#include "cli/lab/options.hpp"
#include "cli/run/run_report.hpp"
#include "executors/open.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "launch/report/iteration_times.hpp"
#include "platform/channel.hpp"
#include "platform/process.hpp"
#include "tensor/compare.hpp"
#include "vk/device_failure.hpp"

namespace slipway::cli {
namespace {

// The name of a file in a request. The supervisor sends no other text than Base64.
std::string file_of(std::string_view text) {
  const auto bytes = from_base64(text);
  return bytes ? std::string(text_of(*bytes)) : std::string();
}

// Lines over the socket to the supervisor.
class SupervisorLink {
 public:
  // The next request, or nothing if the supervisor closed the socket or ended.
  std::optional<std::string> receive() {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != received_.npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      std::byte buffer[4096];
      const std::size_t count = platform::receive_some(kWorkerSocket, buffer, true).value_or(0);
      if (count == 0) return std::nullopt;
      received_.append(reinterpret_cast<const char*>(buffer), count);
    }
  }

  void send(std::string line) {
    std::fflush(nullptr);  // what the case printed is in the pipes before its result
    line += '\n';
    const Bytes whole[] = {bytes_of(line)};
    if (!platform::send_all(kWorkerSocket, whole)) end_process(0);  // the supervisor has ended
  }

 private:
  std::string received_;
};

// "DEVICE INODE NAME", in Base64.
std::string key_text(const FileKey& key) {
  return to_base64(bytes_of(formatted("{} {} {}", key.device, key.inode, key.name)));
}

std::optional<FileKey> key_from(std::string_view text) {
  const std::string whole = file_of(text);
  FileKey key;
  const char* const end = whole.data() + whole.size();
  const auto [space, device_error] = std::from_chars(whole.data(), end, key.device);
  if (device_error != std::errc() || space == end) return std::nullopt;
  const auto [name, inode_error] = std::from_chars(space + 1, end, key.inode);
  if (inode_error != std::errc() || name == end) return std::nullopt;
  key.name.assign(name + 1, end);
  return key;
}

CaseSamples samples_named(std::string name, std::vector<double> times, double per_second) {
  const std::size_t stride = (times.size() + kMaxCaseSamples - 1) / kMaxCaseSamples;
  CaseSamples samples{.name = std::move(name), .seconds = {}};
  for (std::size_t i = 0; i < times.size(); i += stride) samples.seconds.push_back(times[i] / per_second);
  return samples;
}

// `warmup`: the iterations of recipes that warm up.
std::vector<CaseSamples> samples_of(std::span<const RunReportEntry> entries, std::uint32_t warmup) {
  std::vector<CaseSamples> all;
  for (const RunReportEntry& entry : entries) {
    const std::string job = entry.job.value_or("");
    if (entry.outcome.report) {
      if (std::vector<double> times = launch::measured_times(*entry.outcome.report); !times.empty())
        all.push_back(samples_named(job, std::move(times), 1e3));
    }
    const auto add = [&](const recipe::SessionDetails::Execution& execution, const std::string& name) {
      if (execution.times.size() < warmup + std::size_t{2}) return;
      all.push_back(samples_named(job.empty() || name.empty() ? job + name : job + ", " + name,
                                  {execution.times.begin() + warmup, execution.times.end()}, 1e6));
    };
    if (entry.recipe.execution) add(*entry.recipe.execution, "");
    if (!entry.recipe.executions) continue;
    for (const auto& execution : *entry.recipe.executions) add(execution, execution.name);
  }
  return all;
}

CaseVerdict verdict_of(int status, std::span<const RunReportEntry> entries, std::span<const Diagnostic> diagnostics) {
  if (has_timed_out(diagnostics)) return CaseVerdict::TimedOut;
  if (tensor::is_only_partly_compared(diagnostics)) return CaseVerdict::PartlyCompared;
  if (status == static_cast<int>(ExitClass::CheckFailed)) return CaseVerdict::Failed;
  if (status == static_cast<int>(ExitClass::DeviceLacks)) return CaseVerdict::Skipped;
  if (status != 0) return CaseVerdict::Error;
  const bool compared = std::ranges::any_of(entries, [](const RunReportEntry& e) { return e.outcome.is_checked; });
  return compared ? CaseVerdict::Passed : CaseVerdict::Ran;
}

// In the order of replies; -1 is one that is not known.
constexpr std::optional<double> DeviceState::* kStateMembers[] = {
    &DeviceState::clock_mhz, &DeviceState::memory_clock_mhz, &DeviceState::temperature_c};

class Worker {
 public:
  explicit Worker(std::vector<std::string> words) : words_(std::move(words)) {}

  void serve() {
    while (const std::optional<std::string> line = link_.receive()) {
      const auto document = json::parse(make_source("request", *line));
      if (!document) return;
      const json::Value request = (*document)->root();
      if (request["device"])
        reply_device();
      else
        run_case(file_of(request["file"].string()), request["format"].string(),
                 request["warmup"] ? request["warmup"].integer() : std::nullopt);
    }
  }

 private:
  void reply_device() {
    std::string selector;
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      if (words_[i] == "--device") selector = words_[i + 1];
    }
    // What computes graphs of conformance runs, under the names that reports of runs have.
    std::string engine;
    if (std::ranges::contains(words_, "--engine=reference")) engine = "reference interpreter";
    if (std::ranges::contains(words_, "--engine=cpu")) engine = executors::host_kind().open({})->info()->name;
    DeviceIdentity device;
    const executors::ExecutorKind& kind = executors::kind_of(selector);
    if (kind.runs_graphs_on_host) {
      device.name = engine.empty() ? kind.open({})->info()->name : engine;
    } else if (const Result<vk::Snapshot> found = executors::vulkan_device(selector)) {
      device = {found->name, vk::driver_of(device_.emplace(*found))};
      if (!engine.empty()) device.name += formatted("; graphs by {}", engine);
    }
    json::Writer out(json::kCompact);
    out.object(
        [&] { out.key("device").object([&] { out.member("name", device.name).member("driver", device.driver); }); });
    link_.send(out.text());
  }

  // `warmup`: of a benchmark.
  void run_case(const std::string& file, const std::string& format, std::optional<std::int64_t> warmup) {
    link_.send(R"({"started":true})");
    const auto start = std::chrono::steady_clock::now();
    const InputScope inputs;  // of this case
    inputs_ = &inputs;
    protect_input(file);
    std::optional<CaseEnd> end = check(file, format, warmup.has_value());
    if (end && warmup && end->exit_status == 0)
      end = measure(file, format, static_cast<std::uint32_t>(*warmup), std::move(*end));
    if (!end) return link_.send(R"({"usage":2})");
    end->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    link_.send(end_text(*end));
    if (end->worker_ends) end_process(0);
  }

  // Without a value the arguments are not valid. A benchmark first runs a case once.
  std::optional<CaseEnd> check(const std::string& file, const std::string& format, bool of_bench) {
    std::vector<std::string> words = words_;
    if (of_bench) words.resize(words.size() - words_of_bench({}).size());
    const MadeJob made = source(format).make({.words = words_for(format, words, file), .format = format});
    if (!made.job) return std::nullopt;
    run_one(*made.job, *made.options, [&](std::span<const Path> outputs) { return claim(outputs); });
    print_result(*made.job, *made.options, false);
    return end_of(*made.job);
  }

  // Errors: output-conflict, when another case of the run writes one of the files.
  Result<> claim(std::span<const Path> outputs) {
    std::map<FileKey, const Path*> files;
    for (const Path& path : outputs) {
      if (path.empty()) continue;
      if (auto key = replaced_file(path)) files.emplace(*std::move(key), &path);
    }
    json::Writer out(json::kCompact);
    out.object([&] {
      out.key("uses").object([&] {
        out.key("inputs").array([&] {
          for (const FileKey& key : inputs_->added()) out.value(key_text(key));
        });
        out.key("outputs").array([&] {
          for (const auto& [key, path] : files) out.value(key_text(key));
        });
      });
    });
    link_.send(out.text());
    const std::optional<std::string> line = link_.receive();
    if (!line) end_process(0);  // the supervisor has ended
    const auto answer = json::parse(make_source("answer", *line));
    if (!answer) end_process(0);
    const json::Value taken = (*answer)->root()["taken"];
    if (!taken) return {};
    const auto key = key_from(taken[0].string());
    const auto file = key ? files.find(*key) : files.end();
    const std::string path = file == files.end() ? std::string() : file->second->string();
    return fail(Diagnostic{.kind = DiagnosticKind::OutputConflict,
                           .message = formatted("{} {}, too", file_of(taken[1].string()), path),
                           .location = SourceLocation::in_file(path)}
                    .hint("give the outputs names of their own, or run the files separately"));
  }

  static CaseEnd end_of(const Job& job) {
    const std::vector<RunReportEntry> entries = job.report();
    const std::vector<Diagnostic> diagnostics = job.all_diagnostics();
    CaseEnd end{.exit_status = job.status()};
    end.verdict = verdict_of(end.exit_status, entries, diagnostics);
    end.worker_ends = vk::is_device_lost(diagnostics);  // a time-out is one
    end.samples = samples_of(entries, 0);
    end.files = valid_utf8(entries_text(entries));
    return end;
  }

  // `checked`: the case when it ran once. A case that changes its own inputs has other results in further runs.
  std::optional<CaseEnd> measure(const std::string& file, const std::string& format, std::uint32_t warmup,
                                 CaseEnd checked) {
    const MadeJob made = source(format).make({.words = words_for(format, words_, file), .format = format});
    if (!made.job) return std::nullopt;
    run_one(*made.job, *made.options);
    CaseEnd end = end_of(*made.job);
    if (end.exit_status > static_cast<int>(ExitClass::CheckFailed)) {
      print_result(*made.job, *made.options, false);
      return end;
    }
    if (end.exit_status == 0) checked.files = std::move(end.files);
    checked.samples = samples_of(made.job->report(), warmup);
    checked.state = read_device_state(device_ ? &*device_ : nullptr, device_state_sources());
    return checked;
  }

  JobSource& source(const std::string& format) {
    const auto known = std::ranges::find(formats(), format, &Format::name);
    const auto jobs = format == kRowFormat ? &row_jobs : known->jobs;
    std::unique_ptr<JobSource>& source = sources_[jobs];
    if (!source) source = jobs();
    return *source;
  }

  static std::string end_text(const CaseEnd& end) {
    json::Writer out(json::kCompact);
    out.object([&] {
      out.key("done").object([&] {
        out.member("exit_status", end.exit_status).member("verdict", static_cast<int>(end.verdict));
        out.member("seconds", end.seconds).member("worker_ends", end.worker_ends);
        out.key("samples").array([&] {
          for (const CaseSamples& list : end.samples) {
            out.array([&] {
              out.value(list.name);
              for (const double seconds : list.seconds) out.value(seconds);
            });
          }
        });
        if (end.state) {
          out.key("state").array([&] {
            for (const auto member : kStateMembers) out.value(((*end.state).*member).value_or(-1));
          });
        }
        out.key("files").raw(end.files);
      });
    });
    return out.text();
  }

  std::vector<std::string> words_;
  const InputScope* inputs_ = nullptr;  // of the case that runs
  std::optional<vk::Snapshot> device_;  // of Vulkan
  SupervisorLink link_;
  std::map<std::unique_ptr<JobSource> (*)(), std::unique_ptr<JobSource>> sources_;
};

}  // namespace

std::string request_text(const WorkerRequest& request) {
  json::Writer out(json::kCompact);
  out.object([&] {
    if (request.file.empty())
      out.member("device", true);
    else
      out.member("file", to_base64(bytes_of(request.file))).member("format", request.format);
    if (request.warmup) out.member("warmup", *request.warmup);
  });
  return out.text();
}

std::string answer_text(const std::optional<TakenOutput>& taken) {
  json::Writer out(json::kCompact);
  out.object([&] {
    if (!taken) return;
    out.key("taken").array([&] { out.value(key_text(taken->file)).value(to_base64(bytes_of(taken->owner))); });
  });
  return out.text();
}

WorkerReply read_reply(const std::string& line) {
  WorkerReply reply;
  const auto document = json::parse(make_source("reply", line));
  if (!document) return reply;
  const json::Value root = (*document)->root();
  reply.started = static_cast<bool>(root["started"]);
  if (const json::Value usage = root["usage"]) reply.usage = static_cast<int>(usage.integer().value_or(2));
  if (const json::Value device = root["device"])
    reply.device = DeviceIdentity{device["name"].string(), device["driver"].string()};
  if (const json::Value uses = root["uses"]) {
    const auto keys = [](const json::Value& list) {
      std::vector<FileKey> read;
      for (const json::Value one : list) {
        if (auto key = key_from(one.string())) read.push_back(*std::move(key));
      }
      return read;
    };
    reply.uses = CaseFiles{keys(uses["inputs"]), keys(uses["outputs"])};
  }
  if (const json::Value done = root["done"]) {
    reply.done = CaseEnd{.exit_status = static_cast<int>(done["exit_status"].integer().value_or(5)),
                         .verdict = static_cast<CaseVerdict>(done["verdict"].integer().value_or(0)),
                         .seconds = done["seconds"].number(),
                         .worker_ends = done["worker_ends"].boolean(),
                         .samples = {},
                         .state = {},
                         .files = std::string(done["files"].text())};
    for (const json::Value list : done["samples"]) {
      CaseSamples& samples = reply.done->samples.emplace_back(CaseSamples{.name = list[0].string(), .seconds = {}});
      for (const json::Value one : list | std::views::drop(1)) samples.seconds.push_back(one.number());
    }
    if (const json::Value state = done["state"]) {
      reply.done->state.emplace();
      for (std::size_t i = 0; i < std::size(kStateMembers); ++i) {
        if (const double value = state[i].number(); value >= 0) (*reply.done->state).*kStateMembers[i] = value;
      }
    }
  }
  return reply;
}

int worker_verb(const Arguments& arguments) {
  platform::end_with_parent();  // a worker never outlives its supervisor
  Worker(arguments.words).serve();
  return 0;
}

}  // namespace slipway::cli
