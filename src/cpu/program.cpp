// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/resident_memory.hpp"
#include "base/system/zeroed_memory.hpp"
#include "cpu/kernel_store.hpp"
#include "cpu/pool.hpp"
#include "lower/program_layout.hpp"
#include "tosa/graph.hpp"

namespace slipway::cpu {
namespace {

using lower::ProgramDispatch;
using lower::ProgramStage;

constexpr std::uint64_t kAlignment = 64;

std::unexpected<Failure> no_memory(std::uint64_t size) {
  return fail(DiagnosticKind::DeviceFailed, {}, formatted("there is no memory for {} bytes of a graph", size));
}

bool overlap(Bytes a, Bytes b) {
  const std::less<> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// Workgroups of a dispatch that one thread runs at a time.
struct Chunk {
  std::uint32_t dispatch = 0;
  std::int32_t begin = 0, end = 0;
};

struct alignas(64) Progress {
  std::atomic<std::uint32_t> next = 0, done = 0;  // chunks
};

// What one run of a program needs besides the constants. Runs at the same time have one each.
struct Instance {
  ZeroedMemory arena;
  std::vector<const void*> addresses;    // of all dispatches, one after the other
  std::unique_ptr<Progress[]> progress;  // by stage
};

}  // namespace

struct Program::State {
  std::shared_ptr<const tosa::Graph> graph;
  std::shared_ptr<const void> owner;
  lower::KernelProgram program;
  std::vector<Code> kernels;
  std::vector<const std::byte*> constants;    // by buffer; null for other kinds
  ZeroedMemory packed;                        // their data, where they are not read in place
  std::vector<std::size_t> first_address{0};  // by dispatch, and the count
  std::vector<ProgramStage> stages;
  std::size_t cached = 0, compiled = 0;

  std::mutex mutex;
  std::vector<std::unique_ptr<Instance>> idle;  // guarded by mutex

  Result<std::unique_ptr<Instance>> take();
  void give_back(std::unique_ptr<Instance> instance) {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(instance));
  }
  Result<> load_kernels(const CompileOptions& options);
  Result<> pack_constants(const CompileOptions& options);
  Result<> execute(Instance& instance, const RunOptions& options) const;
};

namespace {

// Calls work(i) for i from 0 to count - 1 on the threads of a pool. A failure ends the work: of all failures that of
// the smallest i is returned, so the answer does not depend on the order in which the threads run.
Result<> for_each(unsigned threads, std::size_t count, const std::function<Result<>(std::size_t)>& work,
                  const ItemProgress& progress = {}) {
  ItemCount items(count, progress);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<> outcome;
  std::size_t failed = count;
  std::exception_ptr exception;  // of `progress`: the pool expects none
  const auto pool = Pool::shared(threads);
  pool->run([&](unsigned) {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        if (Result<> done = work(i); !done) {
          const std::scoped_lock lock(mutex);
          if (i < failed) {
            failed = i;
            outcome = std::move(done);
          }
          next.store(count);
        }
        items.add();
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      exception = std::current_exception();
      next.store(count);
    }
  });
  if (exception) std::rethrow_exception(exception);
  items.finish();
  return outcome;
}

}  // namespace

Result<> Program::State::load_kernels(const CompileOptions& options) {
  kernels.resize(program.kernels.size());
  std::atomic<std::size_t> from_cache = 0;
  SLIPWAY_TRY_VOID(for_each(
      options.threads, kernels.size(),
      [&](std::size_t i) -> Result<> {
        SLIPWAY_TRY(CpuKernelCode loaded, load_kernel(program.kernels[i], options.target, options.cache));
        kernels[i] = std::move(loaded.code);
        from_cache.fetch_add(loaded.is_cached);
        return {};
      },
      options.progress));
  cached = from_cache;
  compiled = kernels.size() - cached;
  return {};
}

Result<> Program::State::pack_constants(const CompileOptions& options) {
  for (const lower::ProgramBuffer& buffer : program.buffers)
    constants.push_back(lower::readable_constant(*graph, buffer).data());
  const auto layout = lower::layout_of_constants(*graph, program, lower::ConstantMemory::Host, kAlignment);
  packed = ZeroedMemory(layout.size);
  if (packed.failed()) return no_memory(layout.size);
  return for_each(options.threads, layout.ranges.size(), [&](std::size_t n) -> Result<> {
    const auto [index, offset] = layout.ranges[n];
    const lower::ProgramBuffer& buffer = program.buffers[index];
    const MutableBytes to = packed.bytes().subspan(offset, buffer.size);
    constants[index] = to.data();
    lower::write_constant(*graph, buffer, lower::ConstantMemory::Host, to);
    if (buffer.packing) release_mapped_pages(graph->constants[buffer.index].data, options.mapped);
    return {};
  });
}

Result<std::unique_ptr<Instance>> Program::State::take() {
  {
    const std::scoped_lock lock(mutex);
    if (!idle.empty()) {
      auto instance = std::move(idle.back());
      idle.pop_back();
      return instance;
    }
  }
  auto instance = std::make_unique<Instance>();
  instance->arena = ZeroedMemory(program.arena_size);
  if (instance->arena.failed()) return no_memory(program.arena_size);
  instance->progress = std::make_unique<Progress[]>(stages.size());
  instance->addresses.resize(first_address.back());
  return instance;
}

namespace {

// A run: the threads go through the stages together. A stage ends when all of its chunks have ended; a thread that is
// late joins at the stage that is current then.
class Execution {
 public:
  Execution(const lower::KernelProgram& program, std::span<const Code> kernels, std::span<const ProgramStage> stages,
            std::span<const std::size_t> first_address, Instance& instance, const RunOptions& options, unsigned threads)
      : program_(program),
        kernels_(kernels),
        stages_(stages),
        first_address_(first_address),
        instance_(instance),
        options_(options),
        threads_(threads) {
    for (const auto& [begin, end] : stages) {
      first_chunk_.push_back(chunks_.size());
      for (std::uint32_t i = begin; i < end; ++i) divide(i);
    }
    first_chunk_.push_back(chunks_.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      instance_.progress[i].next.store(0);
      instance_.progress[i].done.store(0);
    }
    if (options.times) options.times->assign(program.dispatches.size(), {});
  }

  void take_part(unsigned worker) {
    for (std::size_t stage = 0; stage < stages_.size() && !stopped_.load(); ++stage) {
      const auto count = static_cast<std::uint32_t>(first_chunk_[stage + 1] - first_chunk_[stage]);
      Progress& progress = instance_.progress[stage];
      const bool timed = worker == 0 && options_.times;
      const auto begin = timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
      if (progress.next.load(std::memory_order_relaxed) < count) {
        for (std::uint32_t i = progress.next.fetch_add(1); i < count; i = progress.next.fetch_add(1)) {
          if (!is_late()) run(chunks_[first_chunk_[stage] + i]);
          progress.done.fetch_add(1);
        }
      }
      for (Backoff backoff; progress.done.load() < count;) backoff.pause();
      if (timed) {
        const auto end = std::chrono::steady_clock::now();
        for (std::uint32_t i = stages_[stage].begin; i < stages_[stage].end; ++i) (*options_.times)[i] = {begin, end};
      }
    }
  }

  bool stopped() const { return stopped_.load(); }

 private:
  // A few chunks for each thread, so that one that is slower or late gets less.
  void divide(std::uint32_t dispatch) {
    constexpr std::int32_t kChunksOfThread = 4;
    const auto groups = static_cast<std::int32_t>(program_.dispatches[dispatch].groups[0]);
    // One thread needs parts only to notice between them that the time is over.
    const bool whole = threads_ == 1 && !options_.deadline;
    const std::int32_t parts =
        whole ? 1 : std::min<std::int32_t>(groups, static_cast<std::int32_t>(threads_) * kChunksOfThread);
    for (std::int32_t part = 0; part < parts; ++part) {
      const auto at = [&](std::int32_t index) {
        return static_cast<std::int32_t>(std::int64_t{groups} * index / parts);
      };
      chunks_.push_back({dispatch, at(part), at(part + 1)});
    }
  }

  void run(const Chunk& chunk) const {
    const ProgramDispatch& dispatch = program_.dispatches[chunk.dispatch];
    kernels_[dispatch.kernel].function()(&instance_.addresses[first_address_[chunk.dispatch]], chunk.begin, chunk.end,
                                         static_cast<std::int32_t>(dispatch.groups[0]));
  }

  bool is_late() {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (!is_interrupted() && (!options_.deadline || std::chrono::steady_clock::now() < *options_.deadline))
      return false;
    stopped_.store(true);
    return true;
  }

  const lower::KernelProgram& program_;
  std::span<const Code> kernels_;
  std::span<const ProgramStage> stages_;
  std::span<const std::size_t> first_address_;
  Instance& instance_;
  const RunOptions& options_;
  unsigned threads_;
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> first_chunk_;  // by stage, and the count
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Result<> Program::State::execute(Instance& instance, const RunOptions& options) const {
  const auto pool = Pool::shared(options.threads ? options.threads : default_threads(), options.pin_threads);
  Execution execution(program, kernels, stages, first_address, instance, options, pool->threads());
  if (pool->threads() == 1)
    execution.take_part(0);
  else
    pool->run([&](unsigned worker) { execution.take_part(worker); });
  if (execution.stopped())
    return fail(stopped(is_interrupted() ? StopReason::Interrupted : StopReason::TimedOut, "the graph"));
  return {};
}

Result<> Program::run(std::span<const MutableBytes> arguments, const RunOptions& options) const {
  SLIPWAY_TRY(std::unique_ptr<Instance> instance, state_->take());
  const std::size_t inputs = state_->graph->inputs.size();
  // Kernels assume that what they write overlaps nothing that they read.
  std::vector<std::vector<std::byte>> copies;
  std::vector<const std::byte*> given;
  for (const MutableBytes argument : arguments) given.push_back(argument.data());
  for (std::size_t i = 0; i < inputs; ++i) {
    const bool shared = std::ranges::any_of(arguments.subspan(inputs),
                                            [&](MutableBytes output) { return overlap(arguments[i], output); });
    if (shared) given[i] = copies.emplace_back(arguments[i].begin(), arguments[i].end()).data();
  }
  const std::span all = given;
  const lower::ProgramAddresses<const std::byte*> address{
      state_->program.buffers, all.first(inputs), all.subspan(inputs), state_->constants, instance->arena.data()};
  auto to = instance->addresses.begin();
  for (const ProgramDispatch& dispatch : state_->program.dispatches)
    to = std::ranges::transform(dispatch.buffers, to, address).out;
  Result<> done = state_->execute(*instance, options);
  state_->give_back(std::move(instance));
  return done;
}

void Program::fill_arena(std::byte value) const {
  Result<std::unique_ptr<Instance>> instance = state_->take();
  if (!instance) return;
  std::fill_n((*instance)->arena.data(), state_->program.arena_size, value);
  state_->give_back(std::move(*instance));
}

const lower::KernelProgram& Program::program() const { return state_->program; }
std::size_t Program::cached_kernels() const { return state_->cached; }
std::size_t Program::compiled_kernels() const { return state_->compiled; }
std::uint64_t Program::constant_size() const { return state_->packed.bytes().size(); }
std::uint64_t Program::arena_size() const { return state_->program.arena_size; }

Result<> compile_into_cache(const lower::KernelProgram& program, const CompileOptions& options) {
  return for_each(
      options.threads ? options.threads : default_threads(), program.kernels.size(),
      [&](std::size_t i) { return store_kernel(program.kernels[i], options.target, options.cache); }, options.progress);
}

Result<Program> compile(std::shared_ptr<const tosa::Graph> graph, lower::KernelProgram program,
                        const CompileOptions& given) {
  CompileOptions options = given;
  if (options.threads == 0) options.threads = default_threads();
  if (!has_engine())
    return fail(DiagnosticKind::NoBackend, {}, "the CPU engine needs an x86-64 CPU with SSE4.2, or an AArch64 CPU");
  SLIPWAY_TRY_VOID(check_level_setting());
  for (const ProgramDispatch& dispatch : program.dispatches) {
    if (dispatch.groups[1] != 1 || dispatch.groups[2] != 1 || dispatch.groups[0] > kMaxGroups)
      return fail(DiagnosticKind::Unsupported, {}, "the CPU engine runs dispatches of one dimension");
  }
  auto state = std::make_shared<Program::State>();
  state->graph = std::move(graph);
  state->owner = options.owner;
  state->program = std::move(program);
  SLIPWAY_TRY_VOID(state->load_kernels(options));
  SLIPWAY_TRY_VOID(state->pack_constants(options));
  state->stages = lower::stages_of(state->program);
  for (const ProgramDispatch& dispatch : state->program.dispatches)
    state->first_address.push_back(state->first_address.back() + dispatch.buffers.size());
  return Program(std::move(state));
}

}  // namespace slipway::cpu
