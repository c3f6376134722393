// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/run/runner.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/cpu/library.hpp"
#include "recipe/run/coherence.hpp"
#include "recipe/run/execution_slot.hpp"
#include "recipe/run/output_proof.hpp"
#include "slipway/bo.hpp"

namespace slipway::recipe {
namespace {

Result<> state_error(std::string message) { return fail(DiagnosticKind::RunnerState, {}, std::move(message)); }

// In this order: the buffers of a recipe are those of the first back end that it uses.
constexpr BackendKind kKernelBackends[] = {BackendKind::Xrt, BackendKind::Vulkan, BackendKind::OpenCl,
                                           BackendKind::Engine};
static_assert(std::size(kKernelBackends) == kBackendNames.size() - 1);

}  // namespace

struct Runner::State {
  Plan plan;
  RunnerOptions options;
  std::map<BackendKind, BackendPtr> backends;
  BackendPtr memory;                                   // creates the buffers; null: host memory
  std::vector<KernelPtr> kernels;                      // by kernel of the plan; null if no run uses it
  std::vector<const cpu::LibraryFunction*> functions;  // by CPU function of the plan
  std::vector<std::optional<BufferRange>> bound;       // by buffer of the plan
  std::vector<bool> blank;                             // by buffer of the plan: of the bound one (BoundContents::Blank)
  std::vector<std::vector<const ArgumentPlan*>> uses;  // by buffer of the plan
  std::vector<bool> unset;  // by buffer of the plan: its arguments stay unset if it is not bound
  ListRunOptions execution;
  bool dirty = true;              // the lists do not match the bound buffers
  bool unpublished = false;       // `bind` was called, and the device may not see what the application wrote before
  std::uint64_t executions = 0;   // successful ones, of all copies
  std::vector<RunRecord> failed;  // counts from failed executions, by run
  std::vector<RunStatus> last_failure;  // by run; empty if the last execution was ok
  CpuTurn cpu;
  Coherence coherence;
  std::vector<std::unique_ptr<ExecutionSlot>> slots;
  std::optional<OutputProof> proof;
  bool proven = false;

  Result<BufferPtr> create(const BufferOptions& request) const {
    return memory ? memory->create_buffer(request) : cpu::make_host_buffer(request.size);
  }

  bool any_in_progress() const { return std::ranges::any_of(slots, &ExecutionSlot::in_progress); }

  Result<> make_slot_buffers(ExecutionSlot& slot) {
    slot.created.resize(plan.buffers.size());
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const BufferPlan& buffer = plan.buffers[i];
      if (buffer.size == 0 || bound[i] || slot.created[i]) continue;
      Result<BufferPtr> made = create({buffer.size, buffer.name, buffer.kernels_only, buffer.context});
      if (!made) {
        for (Diagnostic& problem : made.error()) {
          if (problem.location.kind == SourceLocation::Kind::None) problem.location = buffer.origin.location;
        }
        return fail(std::move(made.error()));
      }
      slot.created[i] = std::move(*made);
    }
    return {};
  }

  // The bytes of an argument. Offsets of arguments count from the start of the bound range.
  BufferRange part_of(const ExecutionSlot& slot, const ArgumentPlan& argument) const {
    BufferRange whole = bound[argument.buffer]
                            ? *bound[argument.buffer]
                            : BufferRange{slot.created[argument.buffer], 0, plan.buffers[argument.buffer].size};
    if (ignores_offset(argument.offset, argument.size, whole.size)) return whole;
    const std::uint64_t size = argument.size != 0 ? argument.size : whole.size - argument.offset;
    return {whole.storage, whole.offset + argument.offset, size};
  }

  // Whether a run uses the buffer, but nothing is bound and the recipe has no size for it.
  bool is_missing(std::size_t buffer) const {
    return plan.buffers[buffer].used && plan.buffers[buffer].size == 0 && !bound[buffer];
  }

  Result<> check_bound() const {
    std::string missing;
    int count = 0;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (!is_missing(i) || unset[i]) continue;
      missing += formatted("{}'{}'", count++ == 0 ? "" : ", ", plan.buffers[i].name);
    }
    if (count == 0) return {};
    return state_error(formatted("{} {} not bound; bind {} before executing", missing, count == 1 ? "is" : "are",
                                 count == 1 ? "it" : "them"));
  }

  // The copy of the whole storage, so that overlapping parts share memory. Valid until the next call.
  static Result<StagingCopy*> staging_copy(PreparedList& list, Backend& backend, const BufferRange& part,
                                           const std::string& name) {
    const auto known =
        std::ranges::find(list.staging, part.storage, [](const StagingCopy& one) { return one.original.storage; });
    if (known != list.staging.end()) return &*known;
    const std::uint64_t size = part.storage->size();
    SLIPWAY_TRY(BufferPtr copy, backend.create_buffer({.size = size, .name = name}));
    return &list.staging.emplace_back(BufferRange{part.storage, 0, size}, std::move(copy), false);
  }

  Result<PreparedList> prepare_list(const ExecutionSlot& slot, const ListPlan& list) {
    PreparedList prepared{.begin = list.begin, .end = list.end};
    for (std::size_t i = list.begin; i < list.end; ++i) prepared.names.push_back(plan.runs[i].id);
    prepared.note = formatted("run `{}`{}", prepared.names.front(),
                              prepared.names.size() == 1 ? "" : formatted(" to run `{}`", prepared.names.back()));
    if (list.backend == BackendKind::Cpu) return prepare_calls(slot, std::move(prepared));
    Backend& backend = *backends.at(list.backend);
    std::vector<KernelRun> runs;
    for (std::size_t i = list.begin; i < list.end; ++i) {
      const RunPlan& run = plan.runs[i];
      KernelRun& ready = runs.emplace_back(run.id, kernels[run.index], run.groups);
      ready.scalars = run.scalars;
      if (const auto script = options.trace_scripts.find(run.id); script != options.trace_scripts.end())
        ready.trace_script = script->second;
      for (const ArgumentPlan& argument : run.arguments) {
        if (is_missing(argument.buffer)) continue;
        const BufferRange part = part_of(slot, argument);
        if (backend.can_use(*part.storage)) {
          ready.buffers.push_back(
              {argument.argidx, part.storage, part.offset, part.size, bound[argument.buffer].has_value()});
          prepared.uses.push_back({part, argument.writes, bound[argument.buffer].has_value()});
          continue;
        }
        SLIPWAY_TRY(StagingCopy * staging, staging_copy(prepared, backend, part, plan.buffers[argument.buffer].name));
        staging->writes |= argument.writes;
        ready.buffers.push_back({argument.argidx, staging->copy, part.offset, part.size});
      }
    }
    SLIPWAY_TRY(prepared.kernels, backend.make_list(runs, {.timings = options.timings,
                                                           .overlaps = execution.copies > 1,
                                                           .runlist_threshold = execution.runlist_threshold}));
    return prepared;
  }

  Result<PreparedList> prepare_calls(const ExecutionSlot& slot, PreparedList prepared) {
    for (std::size_t i = prepared.begin; i < prepared.end; ++i) {
      const RunPlan& run = plan.runs[i];
      const cpu::LibraryFunction* function = functions[run.index];
      cpu::FunctionCall& call = prepared.calls.emplace_back(function, run.id, run.origin.location);
      call.pointer = run.origin.pointer;
      call.arguments.resize(function->num_args);
      for (const ArgumentPlan& argument : run.arguments) {
        const BufferRange part = part_of(slot, argument);
        prepared.uses.push_back({part, true, bound[argument.buffer].has_value()});
        if (cpu::abi_of(*function->library) == cpu::BufferAbi::Xrt) {
          call.arguments[argument.argidx] = memory->native_buffer(part.storage, part.offset, part.size);
          if (call.arguments[argument.argidx].has_value()) continue;
          SLIPWAY_TRY(StagingCopy * staging, staging_copy(prepared, *memory, part, plan.buffers[argument.buffer].name));
          staging->writes = true;
          call.arguments[argument.argidx] = memory->native_buffer(staging->copy, part.offset, part.size);
          continue;
        }
        const bo whole(part.storage);
        const bool all = part.offset == 0 && part.size == part.storage->size();
        call.arguments[argument.argidx] = all ? whole : bo(whole, part.size, part.offset);
      }
      for (const CpuConstant& constant : run.constants) call.arguments[constant.argidx] = constant.value;
    }
    return prepared;
  }

  Result<> prepare_slot(std::size_t index) {
    ExecutionSlot& slot = *slots[index];
    SLIPWAY_TRY_VOID(make_slot_buffers(slot));
    slot.timings = options.timings;
    slot.poll = execution.poll;
    slot.time_out = execution.time_out;
    std::vector<PreparedList> lists;
    for (const ListPlan& list : plan.lists) {
      SLIPWAY_TRY(PreparedList prepared, prepare_list(slot, list));
      lists.push_back(std::move(prepared));
    }
    slot.lists = std::move(lists);
    return {};
  }

  // Makes what the application wrote before `bind` visible to the device, outside of executions.
  Result<> publish() {
    if (!unpublished) return {};
    for (const std::optional<BufferRange>& range : bound) {
      if (range) SLIPWAY_TRY_VOID(coherence.to_device(*range));
    }
    unpublished = false;
    return {};
  }

  Result<> prepare() {
    SLIPWAY_TRY_VOID(check_bound());
    SLIPWAY_TRY_VOID(publish());
    for (std::size_t i = 0; i < execution.copies; ++i) {
      SLIPWAY_TRY_VOID(prepare_slot(i));
    }
    dirty = false;
    return {};
  }

  // By buffer of the plan, in the first copy of the runs; the storage of others is null.
  std::vector<BufferRange> first_buffers() const {
    std::vector<BufferRange> all(plan.buffers.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const BufferPtr& created = slots.front()->created[i];
      if (bound[i])
        all[i] = *bound[i];
      else if (created)
        all[i] = {created, 0, created->size()};
    }
    return all;
  }

  // Executes the first copy once more, with the pattern in outputs, and restores all that it writes.
  Result<> confirm_outputs() {
    std::vector<std::pair<BufferRange, std::vector<std::byte>>> contents;
    const std::vector<BufferRange> all = first_buffers();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].storage || std::ranges::none_of(uses[i], &ArgumentPlan::writes)) continue;
      SLIPWAY_TRY_VOID(coherence.read(all[i]));
      const Bytes bytes = Bytes(host_bytes(*all[i].storage)).subspan(all[i].offset, all[i].size);
      contents.emplace_back(all[i], std::vector(bytes.begin(), bytes.end()));
    }
    SLIPWAY_TRY_VOID(proof->fill(coherence));
    ExecutionSlot& slot = *slots.front();
    slot.timings = false;
    SLIPWAY_TRY_VOID(slot.start());
    std::optional<SlotResult> result = slot.finish(std::nullopt);
    slot.timings = options.timings;
    if (result && result->failure) return fail(std::move(result->failure->diagnostics));
    SLIPWAY_TRY_VOID(proof->check(coherence));
    for (const auto& [range, bytes] : contents) {
      std::ranges::copy(bytes, host_bytes(*range.storage).subspan(range.offset).begin());
      coherence.wrote_host(range);
      SLIPWAY_TRY_VOID(coherence.to_device(range));
    }
    return {};
  }

  void record_result(SlotResult& result) {
    if (!result.failure) {
      ++executions;
      last_failure.clear();
      return;
    }
    failed.resize(plan.runs.size());
    for (std::size_t i = 0; i < result.runs.size(); ++i) failed[i].count += result.runs[i] == RunStatus::Ok ? 1 : 0;
    last_failure = result.runs;
    if (!result.failed_run) return;
    // The message of the device is about a run of the recipe.
    const RunPlan& run = plan.runs[*result.failed_run];
    if (run.backend == BackendKind::Cpu) return;
    Diagnostic& first = result.failure->diagnostics.front();
    first.location = run.origin.location;
    first.path = run.origin.pointer;
  }
};

Runner::Runner(std::unique_ptr<State> state) : state_(std::move(state)) {}
// A function that did not end may still use everything.
Runner::~Runner() {
  static auto& kept = *new std::vector<std::unique_ptr<State>>;  // never destroyed
  if (state_ && state_->cpu.is_stuck) kept.push_back(std::move(state_));
}

const Plan& Runner::plan() const { return state_->plan; }

Result<> Runner::bind(std::string_view buffer, BufferRange bound, BoundContents contents) {
  State& state = *state_;
  const auto index = state.plan.find_buffer(buffer);
  if (!index) return fail(DiagnosticKind::UnknownReference, {}, formatted("Unknown buffer '{}'", buffer));
  if (!bound.storage) return state_error(formatted("the bo bound to '{}' is empty", buffer));
  if (state.any_in_progress())
    return state_error(formatted("'{}' is bound while an execution is in progress; wait first", buffer));
  const BufferPlan& plan = state.plan.buffers[*index];
  if (plan.size != 0 && bound.size != plan.size) {
    return fail(DiagnosticKind::BufferSize, plan.origin.location,
                formatted("Invalid size ({}) of bo bound to '{}', expected {}", bound.size, buffer, plan.size));
  }
  for (const ArgumentPlan* argument : state.uses[*index]) {
    if (ignores_offset(argument->offset, argument->size, bound.size)) continue;
    const Size end = checked_add(argument->offset, argument->size);
    if (end && *end <= bound.size) continue;
    return fail(DiagnosticKind::BufferSize, argument->origin.location,
                argument->size > bound.size
                    ? formatted("buffer size mismatch for buffer: {}; {} bytes are bound", buffer, bound.size)
                    : formatted("sub buffer size and offset: Invalid argument; {} bytes are bound to '{}'", bound.size,
                                buffer));
  }
  std::optional<BufferRange>& now = state.bound[*index];
  state.blank[*index] = contents == BoundContents::Blank;
  if (contents == BoundContents::Unsynced) {
    state.coherence.wrote_host(bound);
    state.unpublished = true;
  }
  if (now && now->storage == bound.storage && now->offset == bound.offset && now->size == bound.size) return {};
  now = std::move(bound);
  for (const auto& slot : state.slots) {
    if (*index < slot->created.size()) slot->created[*index] = nullptr;
  }
  state.dirty = true;
  if (!state.proven) state.proof.reset();
  return {};
}

std::optional<BufferRange> Runner::bound(std::string_view buffer) const {
  const auto index = state_->plan.find_buffer(buffer);
  if (!index) return std::nullopt;
  if (state_->bound[*index]) return state_->bound[*index];
  const std::vector<BufferPtr>& created = state_->slots.front()->created;
  if (created.empty() || !created[*index]) return std::nullopt;
  return BufferRange{created[*index], 0, created[*index]->size()};
}

Result<> Runner::create_buffers() { return state_->make_slot_buffers(*state_->slots.front()); }

std::vector<std::size_t> Runner::leave_unset() {
  State& state = *state_;
  std::vector<std::size_t> all;
  state.unset.assign(state.unset.size(), true);
  for (const RunPlan& run : state.plan.runs) {
    if (run.backend == BackendKind::Xrt) continue;
    for (const ArgumentPlan& argument : run.arguments) state.unset[argument.buffer] = false;
  }
  for (std::size_t i = 0; i < state.unset.size(); ++i) {
    if (state.unset[i] && state.is_missing(i)) all.push_back(i);
  }
  return all;
}

Result<> Runner::prepare(const ListRunOptions& options) {
  if (in_progress()) return state_error("an execution is in progress; wait first");
  State& state = *state_;
  state.dirty |= options.copies > state.slots.size() || options.runlist_threshold != state.execution.runlist_threshold;
  state.execution = options;
  state.execution.copies = std::max<std::uint32_t>(options.copies, 1);
  if (state.slots.size() > state.execution.copies) state.slots.resize(state.execution.copies);
  while (state.slots.size() < state.execution.copies) {
    state.slots.push_back(std::make_unique<ExecutionSlot>(state.cpu, state.coherence, state.plan.runs.size()));
  }
  if (state.dirty) return state.prepare();
  for (const auto& slot : state.slots) {
    slot->poll = options.poll;
    slot->time_out = options.time_out;
  }
  return {};
}

Result<> Runner::start(std::size_t copy) {
  State& state = *state_;
  if (state.dirty) {
    if (in_progress()) return state_error("an execution is in progress; wait first");
    SLIPWAY_TRY_VOID(state.prepare());
  }
  SLIPWAY_TRY_VOID(state.publish());
  ExecutionSlot& slot = *state.slots.at(copy);
  if (slot.in_progress()) return state_error("an execution is in progress; wait before the next one");
  return slot.start();
}

std::expected<bool, RunFailure> Runner::finish(std::size_t copy, std::optional<std::chrono::nanoseconds> time_out) {
  State& state = *state_;
  if (copy >= state.slots.size() || !state.slots[copy]->in_progress()) return true;
  std::optional<SlotResult> result = state.slots[copy]->finish(time_out);
  if (!result) return false;
  state.record_result(*result);
  if (!result->failure) return true;
  state.dirty = true;  // lists are not reused after a failure
  return std::unexpected(std::move(*result->failure));
}

bool Runner::in_progress() const { return state_->any_in_progress(); }

Result<Bytes> Runner::map_buffer(std::string_view buffer) {
  if (in_progress())
    return fail(DiagnosticKind::RunnerState, {},
                formatted("'{}' is mapped while an execution is in progress; wait first", buffer));
  SLIPWAY_TRY_VOID(create_buffers());
  const std::optional<BufferRange> part = bound(buffer);
  if (!part) return Bytes();
  SLIPWAY_TRY_VOID(make_visible(*part));
  return Bytes(host_bytes(*part->storage).subspan(part->offset, part->size));
}

Result<> Runner::fill_outputs() {
  State& state = *state_;
  if (state.proof) return {};
  if (state.dirty) SLIPWAY_TRY_VOID(state.prepare());
  std::vector<bool> blank = state.blank;
  for (std::size_t i = 0; i < blank.size(); ++i) blank[i] = blank[i] || !state.bound[i];
  state.proof.emplace(state.plan, blank, state.first_buffers());
  return state.proof->fill(state.coherence);
}

Result<> Runner::prove_outputs() {
  State& state = *state_;
  if (!state.proof || state.proven) return {};
  state.proven = true;
  SLIPWAY_TRY_VOID(state.proof->check(state.coherence));
  // CPU functions may have effects outside of the buffers. Work whose results differ may stay undecided.
  constexpr int kMaxRuns = 4;
  for (int i = 1; i < kMaxRuns && !state.plan.uses(BackendKind::Cpu) && !state.proof->is_decided(); ++i) {
    SLIPWAY_TRY_VOID(state.confirm_outputs());
  }
  return state.proof->settle(state.coherence);
}

Failure Runner::unwritten_outputs() const {
  return state_->proof && state_->proven ? state_->proof->unwritten(state_->plan) : Failure();
}

Result<> Runner::make_visible(const BufferRange& range) { return state_->coherence.read(range); }

Result<BufferPtr> Runner::create_buffer(const BufferOptions& request) { return state_->create(request); }

std::vector<RunRecord> Runner::records() const {
  const State& state = *state_;
  std::vector<RunRecord> records(state.plan.runs.size());
  const bool ran = state.executions != 0 || !state.last_failure.empty();
  for (std::size_t i = 0; i < records.size(); ++i) {
    RunRecord& record = records[i];
    record.count = state.executions + (i < state.failed.size() ? state.failed[i].count : 0);
    record.status = ran ? RunStatus::Ok : RunStatus::Skipped;
    if (!state.last_failure.empty()) record.status = state.last_failure[i];
    if (!state.options.timings) continue;
    double total = 0;
    for (const auto& slot : state.slots) total += slot->total_ns()[i];
    if (total > 0) record.total_ns = total;
  }
  return records;
}

std::uint64_t Runner::created_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& slot : state_->slots) {
    for (const BufferPtr& buffer : slot->created) bytes += buffer ? buffer->size() : 0;
  }
  return bytes;
}

std::vector<std::pair<BackendKind, BackendInfo>> Runner::backends() const {
  std::vector<std::pair<BackendKind, BackendInfo>> all;
  for (const auto& [kind, backend] : state_->backends) all.emplace_back(kind, backend->describe());
  return all;
}

bool Runner::chained(std::size_t list) const {
  const auto& lists = state_->slots.front()->lists;
  return list < lists.size() && lists[list].kernels && lists[list].kernels->chained();
}

namespace {

class Loader {
 public:
  Loader(Runner::State& state, Diagnostics& diagnostics) : state_(state), diagnostics_(diagnostics) {}

  void load() {
    for (const BackendKind kind : kKernelBackends) {
      if (!state_.plan.uses(kind)) continue;
      if (auto backend = diagnostics_.take(named_by_kernel(kind, state_.options.open_backend(kind)))) {
        if (!state_.memory) state_.memory = *backend;
        state_.backends[kind] = std::move(*backend);
      }
    }
    load_kernels();
    load_functions();
    state_.bound.resize(state_.plan.buffers.size());
    state_.blank.resize(state_.plan.buffers.size());
    state_.unset.resize(state_.plan.buffers.size());
    state_.uses.resize(state_.plan.buffers.size());
    for (const RunPlan& run : state_.plan.runs) {
      for (const ArgumentPlan& argument : run.arguments) state_.uses[argument.buffer].push_back(&argument);
    }
    if (diagnostics_.has_errors()) return;
    state_.slots.push_back(std::make_unique<ExecutionSlot>(state_.cpu, state_.coherence, state_.plan.runs.size()));
  }

 private:
  // Locates the failure to open a back end at the first kernel that needs it.
  Result<BackendPtr> named_by_kernel(BackendKind kind, Result<BackendPtr> opened) {
    if (opened) return opened;
    const auto kernel = std::ranges::find(state_.plan.kernels, kind, &KernelPlan::backend);
    for (Diagnostic& problem : opened.error()) {
      // Not if there are NPUs, and another one was selected.
      if (problem.cause == Cause::NoDeviceOfKind) {
        problem.hint(
            "without an NPU, give its kernels a `module`, in the recipe or with --kernels, to run them on another "
            "device");
      }
      if (problem.location.kind != SourceLocation::Kind::None || kernel == state_.plan.kernels.end()) continue;
      problem.location = kernel->origin.location;
      problem.path = kernel->origin.pointer;
    }
    return opened;
  }

  void load_kernels() {
    const Plan& plan = state_.plan;
    state_.kernels.resize(plan.kernels.size());
    for (const RunPlan& run : plan.runs) {
      if (run.backend == BackendKind::Cpu || state_.kernels[run.index]) continue;
      const KernelPlan& kernel = plan.kernels[run.index];
      const auto backend = state_.backends.find(kernel.backend);
      if (backend == state_.backends.end()) continue;
      const ContextPlan* context = kernel.context ? &plan.contexts[*kernel.context] : nullptr;
      auto loaded = diagnostics_.take(backend->second->load_kernel(kernel, context));
      if (!loaded) continue;
      diagnostics_.add((*loaded)->remarks());
      state_.kernels[run.index] = std::move(*loaded);
    }
  }

  void load_functions() {
    const Plan& plan = state_.plan;
    state_.functions.resize(plan.cpus.size());
    for (const RunPlan& run : plan.runs) {
      if (run.backend != BackendKind::Cpu) continue;
      if (!state_.functions[run.index]) state_.functions[run.index] = load_function(plan.cpus[run.index]);
      if (const cpu::LibraryFunction* function = state_.functions[run.index]) check_call(run, *function);
    }
  }

  const cpu::LibraryFunction* load_function(const CpuPlan& cpu) {
    if (failed_.contains(&cpu)) return nullptr;
    const auto give_up = [&] {
      failed_.insert(&cpu);
      return nullptr;
    };
    if (!state_.options.why_no_cpu_libraries.empty()) {
      diagnostics_.add({.kind = DiagnosticKind::CpuOpen,
                        .message = formatted("library `{}` of CPU function `{}` is not loaded: {}", cpu.library,
                                             cpu.name, state_.options.why_no_cpu_libraries),
                        .location = cpu.origin.location,
                        .path = cpu.origin.pointer});
      return give_up();
    }
    const auto file = diagnostics_.take(cpu::find_library(cpu.library, state_.options.libraries, cpu.origin.location));
    if (!file) return give_up();
    const auto library = diagnostics_.take(cpu::load_library(*file, cpu.origin.location));
    if (!library) return give_up();
    const auto function = diagnostics_.take(cpu::find_function(**library, cpu.name, cpu.origin.location));
    return function ? *function : give_up();
  }

  void check_call(const RunPlan& run, const cpu::LibraryFunction& function) {
    std::vector<bool> set(function.num_args);
    const auto use = [&](std::uint32_t argidx, const Origin& origin) {
      if (argidx < function.num_args) {
        set[argidx] = true;
        return;
      }
      diagnostics_.add({.kind = DiagnosticKind::ArgumentIndex,
                        .message = formatted("function `{}` takes {} argument{}; it has no argidx {}", function.name,
                                             function.num_args, function.num_args == 1 ? "" : "s", argidx),
                        .location = origin.location,
                        .path = origin.pointer});
    };
    for (const ArgumentPlan& argument : run.arguments) use(argument.argidx, argument.origin);
    for (const CpuConstant& constant : run.constants) use(constant.argidx, run.origin);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set[i]) continue;
      diagnostics_.add({.severity = Severity::Warning,
                        .kind = DiagnosticKind::UnsetArgument,
                        .message = formatted("run `{}` does not set argument {} of function `{}`; it is empty", run.id,
                                             i, function.name),
                        .location = run.origin.location,
                        .path = run.origin.pointer});
    }
    if (cpu::abi_of(*function.library) == cpu::BufferAbi::Xrt && !run.arguments.empty() &&
        !state_.backends.contains(BackendKind::Xrt)) {
      if (const auto backend = state_.options.open_backend(BackendKind::Xrt)) {
        state_.backends[BackendKind::Xrt] = *backend;
        state_.memory = *backend;
        return;
      }
      diagnostics_.add(
          {.kind = DiagnosticKind::CpuAbi,
           .message = formatted("library '{}' expects XRT buffer objects, which need an XRT device; rebuild it with "
                                "slipway/cpu_library.hpp",
                                cpu::file_of(*function.library).string()),
           .location = run.origin.location,
           .path = run.origin.pointer});
    }
  }

  Runner::State& state_;
  Diagnostics& diagnostics_;
  std::set<const CpuPlan*> failed_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(Plan plan, RunnerOptions options, Diagnostics& diagnostics) {
  auto state = std::make_unique<Runner::State>();
  state->plan = std::move(plan);
  state->options = std::move(options);
  const std::size_t errors = diagnostics.errors();
  Loader(*state, diagnostics).load();
  if (diagnostics.errors() != errors) return nullptr;
  return std::unique_ptr<Runner>(new Runner(std::move(state)));
}

}  // namespace slipway::recipe
