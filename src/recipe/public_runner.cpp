// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of include/slipway/recipe.hpp: wraps sessions, and throws failures as exceptions.
#include <algorithm>
#include <cctype>

#include "base/format.hpp"
#include "base/public_problems.hpp"
#include "executors/open.hpp"
#include "model/graph_target.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/session.hpp"
#include "slipway/recipe.hpp"

namespace slipway {

struct device::state {
  state(const std::string& selector, std::shared_ptr<const void> xrt_device)
      : is_host(!xrt_device && executors::kind_of(selector).runs_graphs_on_host),
        backends(selector, Cache::of_user(), std::move(xrt_device)) {}
  bool is_host;  // models run on the CPU engine
  recipe::Backends backends;
};

struct artifacts::state {
  recipe::Artifacts files;
  std::filesystem::path directory;
  bool in_memory = false;
};

struct runner::impl {
  std::shared_ptr<device::state> on;
  recipe::Session session;
  bool profiled = false;
  bool proven = false;  // see Runner::prove_outputs
  std::vector<Problem> remarks;
  Failure last_failure;
};

runner::error::~error() = default;
runner::json_error::~json_error() = default;
runner::recipe_error::~recipe_error() = default;
runner::profile_error::~profile_error() = default;
runner::validation_error::~validation_error() = default;
runner::repo_error::~repo_error() = default;
runner::hwctx_error::~hwctx_error() = default;
runner::cpu_error::~cpu_error() = default;
runner::backend_error::~backend_error() = default;
runner::state_error::~state_error() = default;

namespace {

enum class ErrorClass { Json, Recipe, Profile, Validation, Repo, Hwctx, Cpu, Backend, State };

ErrorClass class_of(const Diagnostic& diagnostic) {
  const std::string_view kind = name_of(diagnostic.kind);
  if (kind.starts_with("json-syntax")) return ErrorClass::Json;
  if (kind.starts_with("profile-")) return ErrorClass::Profile;
  if (kind.starts_with("file-")) return ErrorClass::Repo;
  if (kind.starts_with("cpu-")) return ErrorClass::Cpu;
  switch (diagnostic.kind) {
    case DiagnosticKind::ExpectationFailed:
    case DiagnosticKind::OutputNotWritten:
      return ErrorClass::Validation;
    case DiagnosticKind::PathOutside:
      return ErrorClass::Repo;
    case DiagnosticKind::HardwareContext:
      return ErrorClass::Hwctx;
    case DiagnosticKind::RunnerState:
      return ErrorClass::State;
    default:
      break;
  }
  const ExitClass exit_class = exit_class_of(diagnostic.kind);
  const bool backend = exit_class == ExitClass::DeviceLacks || exit_class == ExitClass::Failed;
  return backend ? ErrorClass::Backend : ErrorClass::Recipe;
}

template <class Error>
[[noreturn]] void throw_as(std::string text, std::vector<Problem> problems, const std::exception_ptr& thrown) {
  if (!thrown) throw Error(std::move(text), std::move(problems));
  try {
    std::rethrow_exception(thrown);
  } catch (...) {
    std::throw_with_nested(Error(std::move(text), std::move(problems)));
  }
}

// The first error determines the class.
[[noreturn]] void throw_failure(const Failure& failure, const std::exception_ptr& thrown = nullptr) {
  const auto is_error = [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; };
  auto first = std::ranges::find_if(failure, is_error);
  if (first == failure.end()) first = failure.begin();
  std::string text = first->message;
  const auto others = std::ranges::count_if(failure, is_error) - 1;
  if (others > 0) text += formatted(" (and {} other problem{})", others, others == 1 ? "" : "s");
  std::vector<Problem> problems = public_problems(failure);
  switch (class_of(*first)) {
    case ErrorClass::Json:
      throw_as<runner::json_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Profile:
      throw_as<runner::profile_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Validation:
      throw_as<runner::validation_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Repo:
      throw_as<runner::repo_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Hwctx:
      throw_as<runner::hwctx_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Cpu:
      throw_as<runner::cpu_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Backend:
      throw_as<runner::backend_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::State:
      throw_as<runner::state_error>(std::move(text), std::move(problems), thrown);
    case ErrorClass::Recipe:
      break;
  }
  throw_as<runner::recipe_error>(std::move(text), std::move(problems), thrown);
}

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw_failure(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

SourcePtr source_of(const std::string& text_or_path, std::string name) {
  const auto first = std::ranges::find_if(text_or_path, [](unsigned char c) { return std::isspace(c) == 0; });
  if (first != text_or_path.end() && *first == '{') return make_source(std::move(name), text_or_path);
  return value_or_throw(read_source(text_or_path));
}

std::optional<recipe::BackendKind> backend_kind(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::optional<recipe::BackendKind> kind = recipe::kernel_backend_from_name(name);
  if (!kind) {
    throw_failure(
        {{.kind = DiagnosticKind::UnknownValue,
          .message = formatted("there is no back end `{}`; there are {}", name, recipe::kernel_backend_list())}});
  }
  return kind;
}

}  // namespace

device::device(std::string selector) : state_(std::make_shared<state>(std::move(selector), nullptr)) {}

device slipway_adopt_xrt_device(std::shared_ptr<const void> xrt_device) {
  device adopted;
  adopted.state_ = std::make_shared<device::state>(std::string(), std::move(xrt_device));
  return adopted;
}

bo slipway_make_buffer(const device& device, std::size_t size) {
  if (device.shared()->is_host) return bo(value_or_throw(recipe::cpu::make_host_buffer(size)));
  recipe::Backends& backends = device.shared()->backends;
  const auto backend = backends.open(backends.preferred());
  if (!backend && backends.preferred() == recipe::BackendKind::Vulkan &&
      backend.error().front().kind == DiagnosticKind::NoDevice)
    return bo(value_or_throw(recipe::cpu::make_host_buffer(size)));
  return bo(value_or_throw(value_or_throw(backend)->create_buffer({.size = size, .name = "bo"})));
}

artifacts::artifacts(const std::filesystem::path& directory)
    : state_(std::make_shared<state>(state{recipe::Artifacts::in_directory(directory), directory, false})) {}

artifacts::artifacts(map files)
    : state_(std::make_shared<state>(
          state{recipe::Artifacts::in_memory(std::make_shared<const recipe::ArtifactMap>(
                    std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()))),
                {},
                true})) {}

runner::runner() = default;
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;
runner::~runner() = default;

runner::runner(const device& device, const std::string& recipe) : runner(device, recipe, run_options{}) {}
runner::runner(const device& device, const std::string& recipe, const std::filesystem::path& artifacts_dir)
    : runner(device, recipe, run_options{.files = artifacts(artifacts_dir)}) {}
runner::runner(const device& device, const std::string& recipe, const artifacts_repository& files)
    : runner(device, recipe, run_options{.files = files}) {}
runner::runner(const device& device, const std::string& recipe, const std::string& profile)
    : runner(device, recipe, run_options{.profile = profile}) {}
runner::runner(const device& device, const std::string& recipe, const char* profile)
    : runner(device, recipe, run_options{.profile = profile}) {}
runner::runner(const device& device, const std::string& recipe, const std::string& profile,
               const std::filesystem::path& artifacts_dir)
    : runner(device, recipe, run_options{.profile = profile, .files = artifacts(artifacts_dir)}) {}
runner::runner(const device& device, const std::string& recipe, const std::string& profile,
               const artifacts_repository& files)
    : runner(device, recipe, run_options{.profile = profile, .files = files}) {}

runner::runner(const device& device, const std::string& text, const run_options& options)
    : impl_(std::make_unique<impl>()) {
  impl_->on = device.shared();
  impl_->profiled = !options.profile.empty();
  const artifacts files = options.files.value_or(artifacts(std::filesystem::path(".")));
  recipe::SessionOptions session_options{
      .recipe = source_of(text, "<recipe>"),
      .profile = options.profile.empty() ? nullptr : source_of(options.profile, "<profile>"),
      .kernels = options.kernels.empty() ? nullptr : value_or_throw(read_source(options.kernels)),
      .artifacts = files.shared()->in_memory
                       ? files.shared()->files
                       : recipe::Artifacts::in_directory(files.shared()->directory, options.allow_outside),
      .plan = {.backend = backend_kind(options.backend), .cache = Cache::of_user()}};
  if (device.shared()->is_host)
    session_options.plan.graphs =
        std::make_shared<model::GraphChoices>(model::GraphChoices{.engine = model::Engine::Cpu});
  Diagnostics diagnostics;
  impl_->session = recipe::Session::load(session_options, diagnostics);
  const auto throw_errors = [&] {
    if (options.strict) diagnostics.make_strict();
    if (!diagnostics.has_errors()) return;
    diagnostics.sort();
    throw_failure(diagnostics.all());
  };
  throw_errors();
  impl_->session.open({.runner = {.open_backend = [shared = impl_->on](
                                                      recipe::BackendKind kind) { return shared->backends.open(kind); },
                                  .libraries = recipe::cpu::library_roots(
                                      options.library_root, files.shared()->directory, options.allow_outside),
                                  .timings = options.timings},
                       .profile = {.seed = options.seed}},
                      diagnostics);
  throw_errors();
  impl_->remarks = public_problems(diagnostics.all());
}

namespace {

runner::impl& checked(const std::unique_ptr<runner::impl>& impl) {
  if (!impl) throw_failure({{.kind = DiagnosticKind::RunnerState, .message = "this runner is empty"}});
  return *impl;
}

[[noreturn]] void throw_run_failure(runner::impl& impl, const recipe::RunFailure& failure) {
  impl.last_failure = failure.diagnostics;
  throw_failure(failure.diagnostics, failure.thrown);
}

// Throws once, after the first execution.
void prove_outputs(runner::impl& impl) {
  recipe::Runner& runner = impl.session.runner();
  if (impl.proven) return;
  value_or_throw(runner.prove_outputs());
  impl.proven = true;
  if (Failure unwritten = runner.unwritten_outputs(); !unwritten.empty())
    throw_run_failure(impl, {std::move(unwritten)});
}

bool wait_for(runner::impl& impl, std::optional<std::chrono::nanoseconds> timeout) {
  recipe::Runner& runner = impl.session.runner();
  const bool executed = runner.in_progress();
  const auto done = runner.wait(timeout);
  if (!done) throw_run_failure(impl, done.error());
  if (executed && *done) prove_outputs(impl);
  return *done;
}

}  // namespace

void runner::bind(const std::string& name, const bo& buffer) {
  value_or_throw(
      checked(impl_).session.runner().bind(name, {buffer.shared_storage(), buffer.storage_offset(), buffer.size()}));
}

void runner::execute() {
  impl& impl = checked(impl_);
  impl.last_failure.clear();
  recipe::Runner& runner = impl.session.runner();
  if (!impl.profiled) return value_or_throw(runner.fill_outputs().and_then([&] { return runner.execute(); }));
  if (const auto failure = impl.session.run()) throw_run_failure(impl, *failure);
  prove_outputs(impl);
}

void runner::wait() { wait_for(checked(impl_), std::nullopt); }

bool runner::wait(std::chrono::milliseconds timeout) { return wait_for(checked(impl_), timeout); }

ByteView runner::map_buffer(const std::string& name) const {
  return value_or_throw(checked(impl_).session.runner().map_buffer(name));
}

std::string runner::report() const {
  impl& impl = checked(impl_);
  return impl.session.report(impl.last_failure.empty() ? nullptr : &impl.last_failure, nullptr, 0);
}

const std::vector<Problem>& runner::remarks() const { return checked(impl_).remarks; }

}  // namespace slipway
