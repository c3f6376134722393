// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lowered graph that runs on this machine's CPU (docs/design/cpu_engine.md).
//
//   const Target target = host_target();
//   Result<KernelProgram> lowered = lower::lower_graph(graph, {.device = facts_of(target)});
//   Result<Program> program = compile(std::move(graph), std::move(*lowered), {.target = target});
//   program->run({input, output}, {.threads = 2});
//
// Kernels come from the cache where they are there, and otherwise from the compiler. Constants are packed once.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "base/system/cache.hpp"
#include "cpu/target.hpp"
#include "lower/program.hpp"

namespace slipway::cpu {

struct CompileOptions {
  Target target;
  Cache cache;           // of compiled kernels
  unsigned threads = 0;  // that compile and pack; 0: default_threads()
  // Keeps the data of constants that the graph does not own.
  std::shared_ptr<const void> owner;
  // Constants in this range are in a mapped file. Those that are packed are evicted from memory.
  Bytes mapped = {};
  ItemProgress progress = {};  // of kernels that are loaded from the cache or compiled
};

// When one dispatch of a run began and ended.
struct DispatchTime {
  std::chrono::steady_clock::time_point begin, end;
};

struct RunOptions {
  unsigned threads = 0;      // 0: default_threads()
  bool pin_threads = false;  // each of them but the caller stays on one CPU
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::vector<DispatchTime>* times = nullptr;  // gets one for each dispatch of the program
};

class Program {
 public:
  // `arguments`: the inputs of the graph, then its outputs, each with the size of its tensor. An output may share
  // memory with an input. Any number of threads may run a program at the same time. Errors: timed-out; then outputs are
  // undefined.
  Result<> run(std::span<const MutableBytes> arguments, const RunOptions& options = {}) const;

  // For tests: fills the arena of the next run, which is otherwise zero before the first one.
  void fill_arena(std::byte value) const;

  const lower::KernelProgram& program() const;
  // Of the kernels: from the cache, and compiled.
  std::size_t cached_kernels() const;
  std::size_t compiled_kernels() const;
  // Bytes of constants that are packed, and of the arena of one run.
  std::uint64_t constant_size() const;
  std::uint64_t arena_size() const;

 private:
  friend Result<Program> compile(std::shared_ptr<const tosa::Graph>, lower::KernelProgram, const CompileOptions&);
  struct State;
  explicit Program(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // copies share it
};

// The program must have been lowered for facts_of(options.target), in one dimension of workgroups
// (LowerOptions::max_groups). Errors: unsupported (a kernel that the engine refuses, by name), no-backend (kernels that
// are not cached, and no compiler).
Result<Program> compile(std::shared_ptr<const tosa::Graph> graph, lower::KernelProgram program,
                        const CompileOptions& options);

// Compiles the kernels for a machine of another kind, which `options.target` describes, into `options.cache`, from
// which `compile` there takes them: SLIPWAY_CACHE_PATH. Errors: unsupported (a kernel, or the compiler has no code
// generator for that architecture), no-backend (no compiler).
Result<> compile_into_cache(const lower::KernelProgram& program, const CompileOptions& options);

inline constexpr std::uint32_t kMaxGroups = 0x7fffffff;  // for LowerOptions::max_groups

}  // namespace slipway::cpu
