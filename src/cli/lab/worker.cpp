// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>

#include "base/format.hpp"
#include "base/input_scope.hpp"
#include "base/protected_inputs.hpp"
#include "cli/formats.hpp"
#include "cli/lab/options.hpp"
#include "cli/run_report.hpp"
#include "gpu/device/choose_device.hpp"
#include "gpu/device/device_failure.hpp"
#include "gpu/device/instance.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"

namespace slipway::cli {
namespace {

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
      char buffer[4096];
      const ssize_t count = ::recv(kWorkerSocket, buffer, sizeof buffer, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      received_.append(buffer, static_cast<std::size_t>(count));
    }
  }

  void send(std::string line) {
    std::fflush(nullptr);  // what the case printed is in the pipes before its result
    line += '\n';
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t count = ::send(kWorkerSocket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) end_process(0);  // the supervisor has ended
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
  }

 private:
  std::string received_;
};

DeviceIdentity identify_device(const std::string& selector) {
  const Result<gpu::Instance> instance = gpu::create_instance();
  if (!instance) return {};
  const Result<std::size_t> index = gpu::choose_device(instance->snapshots(), selector);
  if (!index) return {};
  const auto device = std::ranges::find(instance->snapshots(), *index, &gpu::Snapshot::index);
  if (device == instance->snapshots().end()) return {};
  return {device->name, gpu::driver_of(*device)};
}

Verdict verdict_of(int status, std::span<const RunReportEntry> entries, bool timed_out) {
  if (timed_out) return Verdict::TimedOut;
  if (status == static_cast<int>(ExitClass::CheckFailed)) return Verdict::Failed;
  if (status == static_cast<int>(ExitClass::DeviceLacks)) return Verdict::Skipped;
  if (status != 0) return Verdict::Error;
  const bool compared = std::ranges::any_of(entries, [](const RunReportEntry& e) { return e.outcome.is_checked; });
  return compared ? Verdict::Passed : Verdict::Ran;
}

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
        run_case(request["file"].string(), request["format"].string());
    }
  }

 private:
  void reply_device() {
    std::string selector;
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      if (words_[i] == "--device") selector = words_[i + 1];
    }
    const DeviceIdentity device = identify_device(selector);
    json::Writer out(json::kCompact);
    out.object(
        [&] { out.key("device").object([&] { out.member("name", device.name).member("driver", device.driver); }); });
    link_.send(out.text());
  }

  void run_case(const std::string& file, const std::string& format) {
    link_.send(R"({"started":true})");
    const auto start = std::chrono::steady_clock::now();
    const InputScope inputs;  // of this case
    protect_input(file);
    const MadeJob made = source(format).make({.words = words_for(format, words_, file), .format = format});
    if (!made.job) return link_.send(R"({"usage":2})");
    run_one(*made.job, *made.options);
    print_result(*made.job, *made.options, false);
    const std::vector<RunReportEntry> entries = made.job->report();
    const std::vector<Diagnostic> diagnostics = made.job->all_diagnostics();
    const bool timed_out = has_timed_out(diagnostics);
    CaseEnd end{.exit_status = made.job->status()};
    end.verdict = verdict_of(end.exit_status, entries, timed_out);
    end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end.worker_ends = gpu::is_device_lost(diagnostics);  // a time-out is one

    end.files = valid_utf8(entries_text(entries));
    link_.send(end_text(end));
    if (end.worker_ends) end_process(0);
  }

  JobSource& source(const std::string& format) {
    const auto known = std::ranges::find(formats(), format, &Format::name);
    std::unique_ptr<JobSource>& source = sources_[known->jobs];
    if (!source) source = known->jobs();
    return *source;
  }

  static std::string end_text(const CaseEnd& end) {
    json::Writer out(json::kCompact);
    out.object([&] {
      out.key("done").object([&] {
        out.member("exit_status", end.exit_status).member("verdict", static_cast<int>(end.verdict));
        out.member("seconds", end.seconds).member("worker_ends", end.worker_ends);
        out.key("files").raw(end.files);
      });
    });
    return out.text();
  }

  std::vector<std::string> words_;
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
      out.member("file", request.file).member("format", request.format);
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
  if (const json::Value done = root["done"]) {
    reply.done = CaseEnd{.exit_status = static_cast<int>(done["exit_status"].integer().value_or(5)),
                         .verdict = static_cast<Verdict>(done["verdict"].integer().value_or(0)),
                         .seconds = done["seconds"].number(),
                         .worker_ends = done["worker_ends"].boolean(),
                         .files = std::string(done["files"].text())};
  }
  return reply;
}

int worker_verb(const Arguments& arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a worker never outlives its supervisor
  Worker(arguments.words).serve();
  return 0;
}

}  // namespace slipway::cli
