// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker: a process that runs cases one after another, so that a case which hangs or crashes costs one process and
// not the run. The supervisor starts it with the options of the run, and sends a request for each case.
//
// Requests and replies are JSON lines over the socket kWorkerSocket. What a case prints goes to the standard streams
// of the worker, which are pipes to the supervisor.
//
//   {"device":true}                                  -> {"device":{"name":"...","driver":"..."}}
//   {"file":"YS5qc29u","format":"scenario","warmup":3} -> {"started":true}, then {"done":{...}}, or {"usage":2}
//
// Before a case that writes files runs, its worker asks, and runs it unless another case writes one of them:
//
//   {"uses":{"inputs":["..."],"outputs":["..."]}}        -> {"taken":["FILE","OWNER"]}, or {}
//
// Names of files are in Base64, because they may have bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/protected_inputs.hpp"
#include "cli/command_line.hpp"
#include "cli/lab/results/result.hpp"

namespace slipway::cli {

inline constexpr int kWorkerSocket = 3;
// The first argument of a worker.
inline constexpr std::string_view kWorkerVerb = "--worker";

// How a case ended that its worker survived.
struct CaseEnd {
  int exit_status = 0;
  CaseVerdict verdict = CaseVerdict::Error;
  double seconds = 0;
  bool worker_ends = false;  // because of a time-out or a lost device
  std::vector<CaseSamples> samples;
  std::optional<DeviceState> state;
  std::string files = "[]";  // the entries of a report, as JSON
};

struct WorkerRequest {
  std::string file, format;  // empty: asks for the device
  // Of a benchmark, which also reads the state of the device: how many runs of a recipe warm up. Its iterations have
  // none for that.
  std::optional<std::uint32_t> warmup = std::nullopt;
};

// The files of a case, before it runs.
struct CaseFiles {
  std::vector<FileKey> inputs, outputs;
};

struct WorkerReply {
  bool started = false;
  std::optional<int> usage;  // the arguments are not valid: exit status
  std::optional<DeviceIdentity> device;
  std::optional<CaseFiles> uses;
  std::optional<CaseEnd> done;
};

std::string request_text(const WorkerRequest& request);
// An output of a case that another one writes.
struct TakenOutput {
  FileKey file;
  std::string owner;  // for messages: "`b.json` writes"
};
std::string answer_text(const std::optional<TakenOutput>& taken);
WorkerReply read_reply(const std::string& line);  // empty if it is not a reply

// Serves requests until the socket is closed. `arguments`: the options of the run.
int worker_verb(const Arguments& arguments);

}  // namespace slipway::cli
