// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/session.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "recipe/control_code/control_code.hpp"

namespace slipway::recipe {
namespace {

void apply(const ProfileChanges& changes, bool has_profile, Profile& profile, Diagnostics& diagnostics) {
  if (!has_profile && (changes.iterations || changes.mode)) profile.executions.emplace_back().mode = changes.mode;
  if (has_profile && changes.mode && !profile.executions.empty()) {
    std::erase_if(profile.executions, [&](const Execution& execution) { return execution.mode != changes.mode; });
    if (profile.executions.empty()) {
      diagnostics.error(DiagnosticKind::ProfileExecution, profile.document->root()["executions"].location(),
                        formatted("No execution profile with mode '{}'", name_of(*changes.mode)));
    }
  }
  const auto change = [&](Execution& execution) {
    if (changes.iterations) execution.iterations = *changes.iterations;
    if (changes.no_poll) execution.poll = false;
    if (changes.silent) execution.verbose = false;
  };
  std::ranges::for_each(profile.executions, change);
  if (profile.execution) change(*profile.execution);
  if (profile.is_single() && !profile.execution) {
    change(profile.execution.emplace());
    if (!has_profile) profile.execution->verbose = false;  // times were not asked for
  }
  for (Binding& binding : profile.bindings) {
    if (binding.init && changes.no_map) binding.init->map = false;
  }
}

// XRT refuses scripts for runs whose control code is for the platform aie2p.
bool can_trace(const Plan& plan, std::string_view run) {
  const auto found = std::ranges::find(plan.runs, run, &RunPlan::id);
  if (found == plan.runs.end() || found->backend != BackendKind::Xrt) return true;
  const std::optional<Artifact>& code = plan.kernels[found->index].ctrlcode;
  constexpr std::size_t kOsAbi = 7;  // in an ELF header
  return !code || code->bytes.size() <= kOsAbi ||
         control_code::platform_name(static_cast<std::uint8_t>(code->bytes[kOsAbi])) != "aie2p";
}

}  // namespace

Session Session::load(const SessionOptions& options, Diagnostics& diagnostics) {
  Session session;
  session.artifacts_ = options.artifacts;
  session.profile_ = std::make_unique<Profile>();
  session.has_profile_ = options.profile || options.changes.iterations || options.changes.mode;
  const std::size_t errors = diagnostics.errors();
  if (options.profile) {
    if (auto document = read_document(options.profile, options.read, diagnostics)) {
      if (auto profile = read_profile(std::move(document), options.read, diagnostics))
        *session.profile_ = std::move(*profile);
    }
  }
  if (auto document = read_document(options.recipe, options.read, diagnostics))
    session.recipe_ = read_recipe(std::move(document), options.read, diagnostics);
  if (session.recipe_ && options.kernels) {
    if (auto document = read_document(options.kernels, options.read, diagnostics))
      merge_kernels(*session.recipe_, std::move(document), options.read, diagnostics);
  }
  apply(options.changes, options.profile != nullptr, *session.profile_, diagnostics);
  const Recipe* recipe = session.recipe_ ? &*session.recipe_ : nullptr;
  PlanOptions plan_options = options.plan;
  plan_options.profile = session.profile_.get();
  std::optional<Plan> plan;
  if (recipe) plan = plan_recipe(*recipe, options.artifacts, plan_options, diagnostics);
  if (options.profile) {
    check_profile(*session.profile_, recipe, plan_options.depth == Depth::Files ? &options.artifacts : nullptr,
                  diagnostics);
  }
  if (diagnostics.errors() == errors) session.plan_ = std::move(plan);
  return session;
}

bool Session::open(OpenOptions options, Diagnostics& diagnostics) {
  for (const DebugTrace& trace : profile_->traces) {
    if (!std::ranges::contains(plan_->runs, trace.name, &RunPlan::id)) continue;
    if (!can_trace(*plan_, trace.name)) {
      diagnostics.add(
          json::problem(trace.at["name"], DiagnosticKind::ProfileBinding,
                        formatted("run `{}` is not traced: XRT has no trace scripts for control code of the "
                                  "platform aie2p; `{}` is ignored",
                                  trace.name, trace.file),
                        Severity::Warning));
      continue;
    }
    if (auto script = diagnostics.take(artifacts_.open(trace.file)))
      options.runner.trace_scripts[trace.name] = text_of(script->bytes);
  }
  runner_ = make_runner(*plan_, std::move(options.runner), diagnostics);
  if (!runner_) return false;
  engine_ = std::make_unique<ProfileEngine>(*profile_, *runner_, artifacts_, std::move(options.profile));
  if (Result<> bound = engine_->bind(); !bound) {
    diagnostics.add(std::move(bound.error()));
    return false;
  }
  return true;
}

bool Session::prepare(Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  for (const std::size_t index : runner_->leave_unset()) {
    const BufferPlan& buffer = plan_->buffers[index];
    Diagnostic problem{
        .kind = DiagnosticKind::RunnerState,
        .message = formatted("buffer `{}` is not bound; arguments that it is for stay unset", buffer.name),
        .location = buffer.origin.location,
        .path = buffer.origin.pointer};
    diagnostics.add(std::move(problem.as_rule()));
  }
  if (Result<> created = runner_->create_buffers(); !created) diagnostics.add(std::move(created.error()));
  return diagnostics.errors() == errors;
}

}  // namespace slipway::recipe
