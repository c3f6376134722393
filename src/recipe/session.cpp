#include "recipe/session.hpp"

#include <algorithm>

#include "base/format.hpp"

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
    if (!has_profile) profile.execution->verbose = false;  // nobody asked for times
  }
  for (Binding& binding : profile.bindings) {
    if (binding.init && changes.no_map) binding.init->map = false;
  }
}

}  // namespace

Session Session::load(const SessionRequest& request, Diagnostics& diagnostics) {
  Session session;
  session.artifacts_ = request.artifacts;
  session.profile_ = std::make_unique<Profile>();
  session.has_profile_ = request.profile || request.changes.iterations || request.changes.mode;
  const std::size_t errors = diagnostics.errors();
  if (request.profile) {
    if (auto document = read_document(request.profile, request.read, diagnostics)) {
      if (auto profile = read_profile(std::move(document), request.read, diagnostics))
        *session.profile_ = std::move(*profile);
    }
  }
  if (auto document = read_document(request.recipe, request.read, diagnostics))
    session.recipe_ = read_recipe(std::move(document), request.read, diagnostics);
  if (session.recipe_ && request.kernels) {
    if (auto document = read_document(request.kernels, request.read, diagnostics))
      merge_kernels(*session.recipe_, std::move(document), request.read, diagnostics);
  }
  apply(request.changes, request.profile != nullptr, *session.profile_, diagnostics);
  const Recipe* recipe = session.recipe_ ? &*session.recipe_ : nullptr;
  PlanOptions options = request.plan;
  options.profile = session.profile_.get();
  std::optional<Plan> plan;
  if (recipe) plan = plan_recipe(*recipe, request.artifacts, options, diagnostics);
  if (request.profile) {
    check_profile(*session.profile_, recipe, options.depth == Depth::Files ? &request.artifacts : nullptr, diagnostics);
  }
  if (diagnostics.errors() == errors) session.plan_ = std::move(plan);
  return session;
}

bool Session::open(OpenOptions options, Diagnostics& diagnostics) {
  for (const DebugTrace& trace : profile_->traces) {
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

}  // namespace slipway::recipe
