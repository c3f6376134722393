// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scenario class of the public interface: include/slipway/scenario.hpp.
#include "base/format.hpp"
#include "slipway/scenario.hpp"

#include <algorithm>
#include <cstring>

#include "base/public_problems.hpp"
#include "base/public_state.hpp"
#include "executors/public_device.hpp"
#include "launch/plan/resource_array.hpp"
#include "launch/run.hpp"
#include "model/graph_target.hpp"
#include "scenario/replan.hpp"
#include "tensor/format.hpp"

namespace slipway {

struct Scenario::State {
  scenario::Replannable scenario;
  std::vector<Problem> remarks;
  std::shared_ptr<const vk::Snapshot> device;  // that the plan may have graphs of
};

namespace {

std::unexpected<std::vector<Problem>> problems(std::span<const Diagnostic> failure) {
  return std::unexpected(public_problems(failure));
}

std::unexpected<std::vector<Problem>> unknown_resource(std::string_view uid) {
  return problems(Failure{{.kind = DiagnosticKind::UnknownReference,
                           .message = formatted("the scenario has no buffer or image `{}`", uid),
                           .uid = std::string(uid)}});
}

// The index of a buffer or image.
std::optional<launch::ResourceIndex> find_resource(const launch::Plan& plan, std::string_view uid) {
  const auto found = std::ranges::find(plan.resources, uid, &launch::Resource::name);
  if (found == plan.resources.end()) return std::nullopt;
  return static_cast<launch::ResourceIndex>(found - plan.resources.begin());
}

// The element type and the shape of a captured resource (RunReport::captured_types).
TensorInfo captured_type(const scenario::Scenario& scenario, const launch::Resource& resource) {
  const auto made = [&](tensor::ElementType type, const tensor::Shape& shape) {
    return TensorInfo{
        resource.name, std::string(tensor::name_of(type)), tensor::size_of(type), {shape.begin(), shape.end()}};
  };
  for (const scenario::Resource& one : scenario.resources) {
    const auto* tensor = std::get_if<scenario::Tensor>(&one);
    if (!tensor || tensor->uid != resource.name) continue;
    if (const auto type = tensor::tensor_element_type(*tensor->format.value, {})) return made(*type, tensor->dims);
  }
  const launch::ResourceArray array = launch::array_of(resource);
  return made(array.type, array.shape);
}

}  // namespace

Scenario::Scenario(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scenario::Scenario(Scenario&&) noexcept = default;
Scenario& Scenario::operator=(Scenario&&) noexcept = default;
Scenario::~Scenario() = default;

const std::vector<Problem>& Scenario::remarks() const { return alive(state_).remarks; }

Outcome<Scenario> Scenario::load(const std::filesystem::path& file, const LoadOptions& options) {
  const Result<std::string> text = read_text(file);
  if (!text) return problems(text.error());
  return load_text(*text, file.string(), file.parent_path(), options);
}

Outcome<Scenario> Scenario::parse(std::string_view text, const std::filesystem::path& directory,
                                  const LoadOptions& options) {
  return load_text(std::string(text), "<text>", directory, options);
}

Outcome<Scenario> Scenario::load_text(std::string text, std::string name, const std::filesystem::path& directory,
                                      const LoadOptions& options) {
  Diagnostics diagnostics;
  scenario::Replannable loaded(
      {make_source(std::move(name), std::move(text)),
       directory,
       {.output = options.output, .confine = options.confine, .cache = options.cache ? Cache::of_user() : Cache()}},
      diagnostics);
  if (options.strict) diagnostics.make_strict();
  diagnostics.sort();
  if (!loaded.loaded().plan || diagnostics.has_errors()) return problems(diagnostics.all());
  return Scenario(std::make_unique<State>(State{std::move(loaded), public_problems(diagnostics.all())}));
}

Outcome<bool> Scenario::set_contents(std::string_view uid, ByteView bytes) {
  const launch::Plan& plan = *alive(state_).scenario.loaded().plan;
  const auto index = find_resource(plan, uid);
  if (!index) return unknown_resource(uid);
  const launch::Resource& resource = plan.resources[*index];
  const std::uint64_t size = launch::contents_size(resource);
  if (bytes.size() != size) {
    return problems(Failure{{.kind = DiagnosticKind::FileMismatch,
                             .message = formatted("`{}` takes {} bytes, but {} are given", uid, size, bytes.size()),
                             .location = resource.origin.location(),
                             .uid = std::string(uid)}});
  }
  alive(state_).scenario.set_contents(std::string(uid), bytes);
  return true;
}

Outcome<RunReport> Scenario::run(Device& device, const RunOptions& options) {
  Diagnostics diagnostics;
  if (options.repeat == 0)
    return problems(Failure{{.kind = DiagnosticKind::Usage, .message = "`repeat` is 0; it must be at least 1"}});
  launch::Executor& executor = *device.state().executor;
  const auto turn = executor.take_turn();
  const auto graphs =
      diagnostics.take(model::graph_options(&executor, {}, alive(state_).scenario.cache(), diagnostics));
  if (!graphs || diagnostics.has_errors() || !alive(state_).scenario.plan_for(*graphs, diagnostics))
    return problems(diagnostics.all());
  alive(state_).device = executor.info()->vulkan;
  scenario::Loaded loaded = alive(state_).scenario.loaded();
  launch::RunOptions how{.repeat = options.repeat};
  if (options.timeout) {
    const Result<std::chrono::nanoseconds> time_out = launch::checked_time_out(*options.timeout);
    if (!time_out) return problems(time_out.error());
    how.time_out = *time_out;
  }
  if (!options.write_outputs) {
    for (launch::Resource& resource : loaded.plan->resources) resource.outputs.clear();
  }
  RunReport result;
  for (const std::string& uid : options.capture) {
    const auto index = find_resource(*loaded.plan, uid);
    if (!index) return unknown_resource(uid);
    result.captured_types[uid] = captured_type(*loaded.scenario, loaded.plan->resources[*index]);
    loaded.plan->captures.push_back(
        {.resource = *index,
         .take = [&result, uid](Bytes bytes) { result.captured[uid].assign(bytes.begin(), bytes.end()); },
         .is_output = true});
  }
  auto report = scenario::run(loaded, executor, std::move(how), Log(), diagnostics);
  if (report) diagnostics.add(launch::take_unwritten(*report));
  if (!report || diagnostics.has_errors()) return problems(diagnostics.all());
  for (const launch::ExpectationOutcome& outcome : report->expectations) {
    result.expectations.push_back(
        {outcome.resource, outcome.comparison.passed, tensor::comparison_text(outcome.resource, outcome.comparison)});
  }
  return result;
}

}  // namespace slipway
