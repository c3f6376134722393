// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/jobs/jobs.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

namespace slipway::recipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ReadResult {
  std::optional<JobScript> script;
  Diagnostics diagnostics;
};

ReadResult read(std::string text, Severity leniency = Severity::Warning) {
  ReadResult result;
  const auto document = json::parse(make_source("jobs.json", std::move(text)));
  if (!document) throw std::runtime_error(document.error().front().message);
  result.script = read_jobs(*document, {.leniency = leniency}, result.diagnostics);
  return result;
}

Diagnostic problem_of(std::string text) {
  const ReadResult result = read(std::move(text));
  EXPECT_FALSE(result.script);
  EXPECT_EQ(result.diagnostics.errors(), 1u);
  return result.diagnostics.empty() ? Diagnostic{} : result.diagnostics.all().front();
}

TEST(Jobs, ReadsBothForms) {
  const auto list = read(R"({"jobs": [
    {"id": "a", "recipe": "a.json", "profile": "p.json", "dir": "d", "iterations": "3", "mode": "latency"},
    {"recipe": "b.json"}]})");
  ASSERT_TRUE(list.script && list.diagnostics.empty());
  const Job& first = list.script->jobs[0];
  EXPECT_EQ(first.id, "a");
  EXPECT_EQ(first.profile, "p.json");
  EXPECT_EQ(first.directory, "d");
  EXPECT_EQ(first.iterations, 3u);
  EXPECT_EQ(first.mode, Mode::Latency);
  EXPECT_EQ(list.script->jobs[1].id, "job1");

  const auto object = read(R"({"jobs": {"x": {"recipe": "a.json"}, "y": {"id": "z", "recipe": "b.json"}}})");
  ASSERT_TRUE(object.script);
  EXPECT_EQ(object.script->jobs[0].id, "x");
  EXPECT_EQ(object.script->jobs[1].id, "z");
}

TEST(Jobs, ReportsErrors) {
  EXPECT_EQ(problem_of(R"({"jobs": [{"id": "a"}]})").kind, DiagnosticKind::MissingKey);
  EXPECT_EQ(problem_of(R"({})").kind, DiagnosticKind::MissingKey);
  EXPECT_EQ(problem_of(R"([])").kind, DiagnosticKind::WrongType);
  EXPECT_EQ(problem_of(R"({"jobs": 3})").kind, DiagnosticKind::WrongType);
  EXPECT_EQ(problem_of(R"({"jobs": [7]})").kind, DiagnosticKind::WrongType);
  EXPECT_EQ(problem_of(R"({"jobs": [{"recipe": "a", "mode": "fast"}]})").kind, DiagnosticKind::ProfileExecution);
  EXPECT_EQ(problem_of(R"({"jobs": [{"recipe": "a", "iterations": -1}]})").kind, DiagnosticKind::ProfileExecution);
  const auto unknown = read(R"({"jobs": [{"recipe": "a", "profil": "b"}]})");
  EXPECT_TRUE(unknown.script);
  EXPECT_EQ(unknown.diagnostics.warnings(), 1u);
  EXPECT_FALSE(read(R"({"jobs": [{"recipe": "a", "profil": "b"}]})", Severity::Error).script);
}

JobScript script_of(std::size_t count) {
  JobScript script;
  for (std::size_t i = 0; i < count; ++i) script.jobs.push_back({.id = formatted("j{}", i)});
  return script;
}

// What the shipped runner accepts is a rule.
TEST(Jobs, ReportsRules) {
  const auto rule_of = [](std::string text) {
    const ReadResult result = read(std::move(text));
    EXPECT_TRUE(result.script);
    EXPECT_EQ(result.diagnostics.warnings(), 1u);
    EXPECT_TRUE(result.diagnostics.all().at(0).is_rule);
    return result.diagnostics.all().at(0);
  };
  EXPECT_EQ(rule_of(R"({"jobs": []})").kind, DiagnosticKind::NoRuns);
  EXPECT_EQ(rule_of(R"({"jobs": [{"recipe": "a", "iterations": 0}]})").kind, DiagnosticKind::ProfileExecution);
  const Diagnostic twice = rule_of(R"({"jobs": [{"id": "job1", "recipe": "a"}, {"recipe": "b"}]})");
  EXPECT_EQ(twice.kind, DiagnosticKind::DuplicateName);
  EXPECT_EQ(twice.path, "/jobs/1");
}

TEST(Jobs, TheReportHasTheLastJobOfAnId) {
  JobScript script = script_of(3);
  script.jobs[2].id = "j0";
  int made = 0;
  const auto results = run_jobs(script, {.threads = 1}, [&](const Job&) -> std::expected<RunJob, JobResult> {
    return [version = formatted("{}", ++made)] { return JobResult{.report = {.version = version}}; };
  });
  EXPECT_EQ(results.size(), 3u);
  const JobsReport report = jobs_report(results, {});
  ASSERT_EQ(report.jobs.size(), 2u);
  EXPECT_EQ(report.jobs[0].first, "j0");
  EXPECT_EQ(report.jobs[0].second.version, "3");
  EXPECT_EQ(report.jobs[1].first, "j1");
}

TEST(Jobs, RunConcurrentlyAndReportInOrder) {
  const JobScript script = script_of(4);
  std::latch all(4);  // every job waits for the others, so all must run concurrently
  const auto results = run_jobs(script, {}, [&](const Job& job) -> std::expected<RunJob, JobResult> {
    return [&all, id = job.id] {
      all.arrive_and_wait();
      return JobResult{.report = {.version = id}};
    };
  });
  ASSERT_EQ(results.size(), 4u);
  const auto job = [](std::string_view id) {
    return formatted(R"("{0}":{{"slipway":{{"version":"{0}", "report_schema":2}}}})", id);
  };
  EXPECT_EQ(json::object_text(jobs_report_record(), jobs_report(results, {.real = 1, .peak_memory_mb = 2}), 0),
            formatted(R"({{"jobs":{{{}, {}, {}, {}}}, "system":{{"real":1.0, "user":0.0, "kernel":0.0, )"
                      R"("peak_memory_mb":2.0}}}})",
                      job("j0"), job("j1"), job("j2"), job("j3")));
}

TEST(Jobs, ContinueAfterFailures) {
  const JobScript script = script_of(4);
  const auto results = run_jobs(script, {.threads = 1}, [&](const Job& job) -> std::expected<RunJob, JobResult> {
    if (job.id == "j0")
      return std::unexpected(JobResult{
          .status = 4,
          .report = {.error = error_of({.kind = DiagnosticKind::NoBackend, .message = "none", .path = "/x"})}});
    if (job.id == "j1") throw std::runtime_error("cannot load");
    if (job.id == "j2") return [] -> JobResult { throw std::runtime_error("cannot run"); };
    return [] { return JobResult{}; };
  });
  EXPECT_EQ(json::object_text(report_record(), results[0].report, 0),
            R"({"error":{"kind":"no-backend", "message":"none", "pointer":"/x"}})");
  ASSERT_TRUE(results[1].report.error && results[2].report.error);
  EXPECT_EQ(results[1].report.error->message, "cannot load");
  EXPECT_EQ(results[2].report.error->message, "cannot run");
  EXPECT_EQ(results[2].diagnostics.at(0).kind, DiagnosticKind::RunFailed);
  EXPECT_EQ(results[3].status, 0);
  EXPECT_EQ(status_of(results), 5);
  EXPECT_EQ(status_of({{.status = 0}, {.status = 4}, {.status = 1}}), 1);
  EXPECT_EQ(status_of({}), 0);
}

TEST(Jobs, HaveNoMoreThreadsThanAreUseful) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  run_jobs(script_of(600), {}, [&](const Job&) -> std::expected<RunJob, JobResult> {
    return [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
      return JobResult{};
    };
  });
  EXPECT_LE(threads.size(), kMaxThreads);
}

TEST(Jobs, LoadNoMoreJobsAheadThanTheLimit) {
  std::atomic<int> loaded = 0, most = 0;
  run_jobs(script_of(32), {.threads = 2, .queue_limit = 3}, [&](const Job&) -> std::expected<RunJob, JobResult> {
    const int now = ++loaded;
    int before = most;
    while (now > before && !most.compare_exchange_weak(before, now)) {
    }
    return [&loaded] {
      --loaded;
      return JobResult{};
    };
  });
  EXPECT_EQ(loaded, 0);
  EXPECT_LE(most, 2 + 3);  // those of workers, and those in the queue
}

}  // namespace
}  // namespace slipway::recipe
