// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a session as a value (docs/spec/recipe.md#reports). The tables of report_records.cpp describe its JSON
// once, for writing it and for its schema. `slipway run --report` writes the details of a session into its own document
// (cli/run/run_report.hpp); `Session::report` writes the shape of the shipped runner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/system/process_usage.hpp"
#include "json/record.hpp"
#include "recipe/session.hpp"

namespace slipway::recipe {

// What a recipe adds to the report of its run. Parts are absent if the session did not come that far.
struct SessionDetails {
  struct CpuTime {
    std::uint64_t elapsed_us = 0;
    std::optional<std::uint64_t> latency_us, throughput;
  };
  // `depth`, `mode` and `poll` are reported for profiles with several executions.
  struct Execution {
    CpuTime cpu;
    std::optional<std::uint32_t> depth;
    std::uint64_t iterations = 0;
    std::optional<Mode> mode;
    std::string name;
    std::optional<bool> poll;
    std::optional<launch::SampleSummary> samples;  // nothing if no iteration was completed
    std::vector<double> times;                     // us; not in the report
  };
  struct RunList {
    BackendKind backend = BackendKind::Cpu;
    std::uint64_t runs = 0;
    bool chained = false;
  };
  struct Resources {
    std::uint64_t buffers = 0, contexts = 0, kernels = 0, runs = 0;
    std::uint64_t total_buffer_size = 0;  // bytes
    std::uint64_t cpus = 0;
    std::vector<RunList> lists;
    std::uint64_t runlist_threshold = 0;
  };
  struct Run {
    std::uint64_t index = 0;
    std::string id;
    std::string kernel;
    Where where = Where::Npu;
    BackendKind backend = BackendKind::Cpu;
    RunStatus status = RunStatus::Skipped;
    std::uint64_t count = 0;
    std::optional<double> total_us, mean_us;
  };
  struct Context {
    std::optional<std::string> uuid, elf_uid;
  };
  struct Validation {
    std::string buffer;
    bool ok = false;
    std::uint64_t mismatches = 0;
    std::optional<std::uint64_t> first;
  };

  std::optional<Execution> execution;
  std::optional<std::vector<Execution>> executions;
  std::optional<Resources> resources;
  std::optional<std::vector<Run>> runs;
  std::optional<Context> xclbin;
  std::optional<std::vector<std::pair<std::string, Context>>> contexts;  // by name
  std::optional<std::vector<std::pair<std::string, BackendInfo>>> backends;
  std::optional<std::vector<Validation>> validation;
};

// What `Session::report` writes.
struct SessionReport {
  struct Error {
    std::string kind;
    std::string message;
    std::optional<std::string> pointer;
  };

  SessionDetails details;
  std::optional<Error> error;
  std::optional<std::string> version;  // of the program
  std::optional<ProcessUsage> system;
};

SessionReport::Error error_of(const Diagnostic& diagnostic);

// Of a script of jobs.
struct JobsReport {
  std::vector<std::pair<std::string, SessionReport>> jobs;  // by id
  std::optional<ProcessUsage> system;
};

const json::Record<SessionDetails>& details_record();  // of `slipway run --report`
const json::Record<SessionReport>& report_record();
const json::Record<JobsReport>& jobs_report_record();
const json::Record<ProcessUsage>& system_record();

}  // namespace slipway::recipe
