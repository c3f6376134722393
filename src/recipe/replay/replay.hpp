// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay files: captures of what an application did with an NPU, written by `xrt-capture`
// (docs/spec/recipe.md#replay-files).
//
//   std::optional<Replay> replay = read_replay(document, {}, diagnostics);
//   if (replay) check_replay(*replay, &artifacts, diagnostics);
//
// Reading reports errors of single objects; checking reports errors across objects, and errors of the named files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipe/artifacts.hpp"
#include "recipe/read/read.hpp"

namespace slipway::recipe {

struct ReplayContext {
  std::string name, xclbin;
  std::vector<std::string> programs;  // a context has either an xclbin or programs
  json::Value configuration;          // an object of strings, or absent
  json::Value at;
};

struct ReplayBuffer {
  std::string name, type;
  std::uint64_t size = 0;   // bytes
  std::uint64_t flags = 0;  // of xrt::bo
  std::uint64_t memory_group = 0;
  json::Value at;
};

struct ReplayKernel {
  std::string name, instance, context, ctrlcode;
  json::Value at;
};

struct ReplayArgument {
  std::string buffer, type;
  std::optional<std::uint32_t> argidx;
  json::Value at;
};

struct ReplayConstant {
  std::uint64_t value = 0;  // constants are set as 64 bits
  std::string type;
  std::optional<std::uint32_t> argidx;
  json::Value at;
};

struct ReplayRun {
  std::string name, kernel;
  std::vector<ReplayArgument> arguments;
  std::vector<ReplayConstant> constants;
  json::Value at;
};

// A file to load into a buffer before a run of a frame starts.
struct FrameArgument {
  std::string buffer, file;
  std::optional<std::uint32_t> argidx;
  json::Value at;
};

struct FrameRun {
  std::string run;
  std::vector<FrameArgument> arguments;
  json::Value at;
};

// Started as one run, or as one run list. A thread continues with its next frame when those in `waits` have ended.
struct Frame {
  std::string name, thread;
  std::vector<FrameRun> runs;
  std::vector<std::string> waits;
  json::Value at;
};

struct Replay {
  std::shared_ptr<const json::Document> document;
  json::Value ini;  // an object of strings, or absent
  std::vector<ReplayContext> contexts;
  std::vector<ReplayBuffer> buffers;
  std::vector<ReplayKernel> kernels;
  std::vector<ReplayRun> runs;
  std::vector<std::string> threads;  // identifiers, as text
  std::uint64_t iterations = 1;
  std::vector<Frame> frames;  // in array order, which is the order of each thread
};

// Nothing if the document is not a JSON object. Members that could not be read are empty. Errors: missing-key,
// wrong-type, out-of-range, hardware-context; unknown-key with the severity in `options`.
std::optional<Replay> read_replay(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                  Diagnostics& diagnostics);

// Checks names, files (unless `artifacts` is null), and that every frame can start.
void check_replay(const Replay& replay, const Artifacts* artifacts, Diagnostics& diagnostics);

std::string replay_schema();

}  // namespace slipway::recipe
