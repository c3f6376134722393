// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model classes of the public interface: include/slipway/model.hpp.
#include "slipway/model.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "base/public_problems.hpp"
#include "base/public_state.hpp"
#include "base/text/suggest.hpp"
#include "convert/read_model.hpp"
#include "executors/open.hpp"
#include "executors/public_device.hpp"
#include "importer/import.hpp"
#include "launch/output_proof.hpp"
#include "launch/run.hpp"
#include "model/describe.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/standalone/declared.hpp"
#include "model/tuning/kernel_times.hpp"
#include "model_jobs/model_job.hpp"
#include "model_jobs/model_state.hpp"
#include "model_jobs/open_any_model.hpp"

namespace slipway {

namespace {

Failed failed(std::span<const Diagnostic> failure) { return Failed{public_problems(failure)}; }

// A tensor of the interface; `shape` is that of the resource.
TensorInfo info_of(const vgf::Resource& resource, std::string name, const tensor::Shape& shape,
                   const tosa::DeclaredTensor* declared) {
  TensorInfo info{.name = std::move(name), .element_type = {}, .element_size = 0, .shape = {}};
  auto elements = model::elements_of(resource, shape);
  if (declared) elements = {declared->type, declared->shape};
  if (elements) {
    info.element_type = tensor::name_of(elements->type);
    info.element_size = tensor::size_of(elements->type);
    info.shape.assign(elements->shape.begin(), elements->shape.end());
    for (std::int64_t& extent : info.shape) extent = std::max<std::int64_t>(extent, -1);
  }
  return info;
}

std::vector<TensorInfo> infos_of(const vgf::File& file, std::span<const vgf::Slot> slots,
                                 std::string (*label)(const vgf::File&, std::size_t),
                                 const std::vector<tensor::Shape>* shapes,
                                 const std::vector<tosa::DeclaredTensor>& declared) {
  std::vector<TensorInfo> infos;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const vgf::Resource& resource = file.resources[slots[i].resource];
    infos.push_back(info_of(resource, label(file, i), shapes ? (*shapes)[slots[i].resource] : resource.shape,
                            declared.empty() ? nullptr : &declared[i]));
  }
  return infos;
}

// The index of a tensor with the name. Errors: unknown-reference.
Result<std::size_t> find_tensor(const std::vector<TensorInfo>& tensors, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  if (found != tensors.end()) return static_cast<std::size_t>(found - tensors.begin());
  Diagnostic problem{.kind = DiagnosticKind::UnknownReference,
                     .message = formatted("the model has no {} `{}`", what, name)};
  std::vector<std::string> names;
  for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
  if (const auto near = closest(name, names)) problem.hint(formatted("did you mean `{}`?", *near));
  return fail(std::move(problem));
}

}  // namespace

struct PreparedModel::State {
  std::shared_ptr<const model::ModelFile> file;
  std::vector<std::string> bound;
  std::vector<TensorInfo> inputs, outputs;
  std::shared_ptr<model::ModelValues> values;  // null: no comparison is wanted
  bool times = false;
  std::uint32_t runs = 0;
  std::optional<launch::PlanProof> proof;  // of the first run
  bool is_proven = false;
  Failure unwritten;  // what it found, for each run

  std::optional<model::ModelJob> job;
  std::unique_ptr<launch::PreparedPlan> prepared;  // is destroyed first

  // Elements as users see them, where the graph has others; empty where they are the same bytes.
  std::vector<std::vector<std::byte>> wide_inputs, wide_outputs;

  MutableBytes input(std::size_t i) { return wide_inputs[i].empty() ? prepared->host_input(i) : wide_inputs[i]; }
  MutableBytes output(std::size_t i) { return wide_outputs[i].empty() ? prepared->host_output(i) : wide_outputs[i]; }

  // The elements of an input or output in its graph.
  tensor::ElementType stored_type(const vgf::Slot& slot) const {
    return model::elements_of(file->vgf.resources[slot.resource], job->planned().shapes[slot.resource])->type;
  }

  void make_wide() {
    const auto make = [&](const std::vector<TensorInfo>& infos, std::span<const vgf::Slot> slots) {
      std::vector<std::vector<std::byte>> wide(infos.size());
      for (std::size_t i = 0; i < infos.size(); ++i) {
        if (infos[i].element_size != tensor::size_of(stored_type(slots[i]))) wide[i].resize(infos[i].size());
      }
      return wide;
    };
    wide_inputs = make(inputs, file->vgf.inputs);
    wide_outputs = make(outputs, file->vgf.outputs);
  }

  Result<> narrow_inputs() {
    for (std::size_t i = 0; i < wide_inputs.size(); ++i) {
      if (wide_inputs[i].empty()) continue;
      SLIPWAY_TRY_VOID(model::narrow_elements(file->declared.inputs[i].type, wide_inputs[i],
                                              stored_type(file->vgf.inputs[i]), prepared->host_input(i),
                                              formatted("input `{}`", inputs[i].name)));
    }
    return {};
  }

  void widen_outputs() {
    for (std::size_t i = 0; i < wide_outputs.size(); ++i) {
      if (wide_outputs[i].empty()) continue;
      model::widen_elements(stored_type(file->vgf.outputs[i]), prepared->host_output(i), file->declared.outputs[i].type,
                            wide_outputs[i]);
    }
  }

  Result<> run() {
    SLIPWAY_TRY_VOID(narrow_inputs());
    const auto turn = job->executor().take_turn();
    ++runs;
    const bool is_first = !is_proven;
    if (is_first) {
      proof.emplace(job->planned().plan, 1);
      SLIPWAY_TRY_VOID(proof->fill(*prepared));
    }
    SLIPWAY_TRY_VOID(prepared->run_once());
    if (times) SLIPWAY_TRY_VOID(prepared->add_times());
    if (is_first) SLIPWAY_TRY_VOID(prove());
    widen_outputs();
    if (unwritten.empty()) return {};
    return fail(unwritten);
  }

  // Which bytes kernels write does not depend on the inputs, so the first run shows it for all.
  Result<> prove() {
    SLIPWAY_TRY(launch::Readback results,
                prepared->read_back({job->planned().outputs.begin(), job->planned().outputs.end()}));
    SLIPWAY_TRY_VOID(proof->check(results, *prepared));
    is_proven = true;
    unwritten = proof->unwritten();
    for (std::size_t i = 0; i < job->planned().outputs.size() && !unwritten.empty(); ++i) {
      proof->zero(job->planned().outputs[i], prepared->host_output(i));
      SLIPWAY_TRY_VOID(prepared->write(job->planned().outputs[i], prepared->host_output(i)));
    }
    proof.reset();
    return {};
  }

  // The values after a run of all resources of the model that can be compared.
  Result<> take_values() {
    for (std::size_t i = 0; i < file->vgf.inputs.size(); ++i) {
      const Bytes bytes = prepared->host_input(i);
      (*values)[file->vgf.inputs[i].resource].assign(bytes.begin(), bytes.end());
    }
    const auto turn = job->executor().take_turn();
    std::set<launch::ResourceIndex> wanted;
    for (const launch::Capture& capture : job->planned().plan.captures) wanted.insert(capture.resource);
    SLIPWAY_TRY(const launch::Readback taken, prepared->read_back(wanted));
    for (const launch::Capture& capture : job->planned().plan.captures) capture.take(taken.bytes(capture.resource));
    return {};
  }
};

PreparedModel::PreparedModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedModel::PreparedModel(PreparedModel&&) noexcept = default;
PreparedModel& PreparedModel::operator=(PreparedModel&&) noexcept = default;
PreparedModel::~PreparedModel() = default;

const std::vector<TensorInfo>& PreparedModel::inputs() const { return alive(state_).inputs; }
const std::vector<TensorInfo>& PreparedModel::outputs() const { return alive(state_).outputs; }

const std::vector<std::string>& PreparedModel::bound_inputs() const { return alive(state_).bound; }

std::byte* PreparedModel::input_data(std::size_t index) {
  return index < alive(state_).inputs.size() ? alive(state_).input(index).data() : nullptr;
}

const std::byte* PreparedModel::output_data(std::size_t index) const {
  return index < alive(state_).outputs.size() ? alive(state_).output(index).data() : nullptr;
}

Outcome<bool> PreparedModel::set_input(std::string_view name, ByteView bytes) {
  const Result<std::size_t> index = find_tensor(alive(state_).inputs, name, "input");
  if (!index) return failed(index.error());
  const MutableBytes to = alive(state_).input(*index);
  const std::size_t size = alive(state_).inputs[*index].size();
  if (bytes.size() != size) {
    return failed(
        Failure{{.kind = DiagnosticKind::FileMismatch,
                 .message = formatted("input `{}` takes {} bytes, but {} are given", name, size, bytes.size()),
                 .location = alive(state_).file->vgf.location(alive(state_).file->vgf.inputs[*index])}});
  }
  if (size != 0) std::memcpy(to.data(), bytes.data(), size);
  return true;
}

Outcome<ByteView> PreparedModel::output(std::string_view name) const {
  const Result<std::size_t> index = find_tensor(alive(state_).outputs, name, "output");
  if (!index) return failed(index.error());
  return ByteView(alive(state_).output(*index).data(), alive(state_).outputs[*index].size());
}

Outcome<bool> PreparedModel::run() {
  if (const Result<> done = alive(state_).run(); !done) return failed(done.error());
  return true;
}

std::vector<StepTime> PreparedModel::times() const {
  if (!alive(state_).times || alive(state_).runs == 0) return {};
  const launch::Profile& profile = alive(state_).prepared->profile();
  std::vector<StepTime> times;
  for (model::KernelTime& time : model::kernel_times(alive(state_).job->planned(), profile)) {
    times.push_back({.segment = alive(state_).job->planned().segments[time.segment].name,
                     .name = std::move(time.name),
                     .milliseconds = time.milliseconds,
                     .bytes = time.bytes,
                     .operations = time.operations});
  }
  return times;
}

Outcome<std::vector<OutputComparison>> PreparedModel::compare_with_reference() const {
  if (!alive(state_).values || alive(state_).runs == 0) {
    return failed(Failure{
        {.kind = DiagnosticKind::Usage, .message = "a comparison needs PrepareOptions::compare, and a run before it"}});
  }
  const Result<> taken = alive(state_).take_values();
  if (!taken) return failed(taken.error());
  const auto compared =
      model::compare_model(alive(state_).file->vgf, alive(state_).job->planned(), *alive(state_).values);
  if (!compared) return failed(compared.error());
  std::vector<OutputComparison> outputs;
  for (const model::OutputComparison& output : compared->outputs) {
    outputs.push_back({.name = output.name,
                       .elements = output.values.elements,
                       .wrong = output.values.wrong,
                       .max_difference = output.values.max_difference,
                       .text = model::comparison_text(output.values)});
  }
  for (const tensor::LeftOutOutput& one : compared->compared.left_out) {
    const auto listed = std::ranges::find(outputs, one.output, &OutputComparison::name);
    if (listed == outputs.end())
      outputs.push_back({.name = one.output, .text = one.reason, .compared = false});
    else if (listed->wrong == 0)
      *listed = {.name = one.output, .text = one.reason, .compared = false};
  }
  return outputs;
}

// --- Model -----------------------------------------------------------------------------------------------------------

namespace {

convert::ReadModelOptions read_options(const ModelOptions& options) {
  convert::ReadModelOptions read{.entry = options.entry};
  for (const auto& [name, shape] : options.shapes) read.import.shapes[name] = {shape.begin(), shape.end()};
  read.import.dimensions = options.dimensions;
  read.files.directory = options.data_directory;
  return read;
}

// As the file declares them.
std::vector<TensorInfo> infos_of(const std::vector<importer::InterfaceTensor>& tensors) {
  std::vector<TensorInfo> infos;
  for (const importer::InterfaceTensor& one : tensors) {
    const tensor::ElementType type = importer::info_of(one.type).storage;
    TensorInfo& info = infos.emplace_back();
    info.name = one.name;
    info.element_type = tensor::name_of(type);
    info.element_size = tensor::size_of(type);
    for (const importer::Dimension& dimension : one.shape) info.shape.push_back(dimension.extent);
  }
  return infos;
}

// Sets the file of a model that was read, unless shapes have to be given.
bool import_known(Model::State& state, model::Stages& stages, Diagnostics& diagnostics) {
  if (state.late->is_open()) return true;
  stages.set_count(model::kConversionStages + 1);
  stages.begin("read");
  Diagnostics problems;
  const auto imported = state.late->import({}, {}, problems, &stages);
  if (!imported && state.late->needs_values()) return true;
  diagnostics.add(problems.release());
  if (!imported) return false;
  state.file = imported->file;
  state.late.reset();
  return true;
}

template <class Open>
Result<std::unique_ptr<Model::State>> made(const ModelOptions& options, Open open) try {
  Diagnostics diagnostics;
  auto state = std::make_unique<Model::State>();
  if (options.cache) state->cache = Cache::of_user();
  model::Stages stages(options.progress, 2);
  bool ok = open(*state, diagnostics, stages);
  if (ok && state->file) {
    stages.begin("shaders");
    auto shaders = model::compile_modules(*state->file, state->cache, diagnostics);
    ok = shaders.has_value();
    if (ok) state->shaders = std::move(*shaders);
  }
  diagnostics.sort();
  if (!ok || diagnostics.has_errors())
    return std::unexpected(Failure(diagnostics.all().begin(), diagnostics.all().end()));
  if (state->late) {
    state->inputs = infos_of(state->late->inputs());
    state->outputs = infos_of(state->late->outputs());
  } else {
    const vgf::File& file = state->file->vgf;
    state->inputs = infos_of(file, file.inputs, model::input_label, nullptr, state->file->declared.inputs);
    state->outputs = infos_of(file, file.outputs, model::output_label, nullptr, state->file->declared.outputs);
  }
  state->remarks = public_problems(diagnostics.all());
  return state;
} catch (const model::Stopped& stopped) {
  return std::unexpected(model::stopped_failure(stopped));
}

}  // namespace

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::vector<TensorInfo>& Model::inputs() const { return alive(state_).inputs; }
const std::vector<TensorInfo>& Model::outputs() const { return alive(state_).outputs; }
const std::vector<Problem>& Model::remarks() const { return alive(state_).remarks; }

bool Model::is_late() const { return alive(state_).late != nullptr; }

Outcome<Model> Model::load(const std::filesystem::path& file, const ModelOptions& options) {
  auto state = made(options, [&](State& model, Diagnostics& diagnostics, model::Stages& stages) {
    auto mapped = diagnostics.take(map_file(file));
    if (!mapped) return false;
    if (!convert::is_imported(mapped->bytes(), file.string())) {
      model.file = model::open_any_model(file, file.string(), read_options(options), diagnostics, &stages);
      return model.file != nullptr;
    }
    const auto owner = std::make_shared<const MappedFile>(std::move(*mapped));
    model.late = model::LateModel::open(owner, owner->bytes(), file.string(),
                                        convert::beside(file, read_options(options)), diagnostics);
    return model.late && import_known(model, stages, diagnostics);
  });
  if (!state) return failed(state.error());
  return Model(std::move(*state));
}

Outcome<Model> Model::parse(ByteView bytes, std::string_view name, const ModelOptions& options) {
  auto state = made(options, [&](State& model, Diagnostics& diagnostics, model::Stages& stages) {
    const Bytes all(bytes.data(), bytes.size());
    if (!convert::is_imported(all, std::string(name))) {
      model.file = model::open_any_model(all, std::string(name), read_options(options), diagnostics, &stages);
      return model.file != nullptr;
    }
    const auto owner = std::make_shared<const std::vector<std::byte>>(all.begin(), all.end());
    model.late = model::LateModel::open(owner, *owner, std::string(name), read_options(options), diagnostics);
    return model.late && import_known(model, stages, diagnostics);
  });
  if (!state) return failed(state.error());
  return Model(std::move(*state));
}

Outcome<std::string> Model::graph_page() const {
  Diagnostics diagnostics;
  const auto imported = alive(state_).file_for({}, {}, diagnostics);
  if (!imported) return failed(diagnostics.all());
  const vgf::File& file = imported->file->vgf;
  const std::vector<model::LoweredSegment> lowered = model::lower_segments(file, {}, diagnostics);
  Result<std::string> page = model::write_html(model::build_diagram(file, model::diagram_segments(lowered)));
  if (!page) return failed(page.error());
  return std::move(*page);
}

namespace {

void refuse_images(const model::Standalone& alone, Diagnostics& diagnostics) {
  for (const std::vector<launch::ResourceIndex>* list : {&alone.inputs, &alone.outputs}) {
    for (const launch::ResourceIndex index : *list) {
      const launch::Resource& resource = alone.plan.resources[index];
      if (std::holds_alternative<launch::Buffer>(resource.kind)) continue;
      diagnostics
          .error(DiagnosticKind::Unsupported, resource.origin.location(),
                 formatted("`{}` is an image, which prepared models do not take", resource.name))
          .hint("run the model in a scenario");
    }
  }
}

}  // namespace

Outcome<PreparedModel> Model::prepare(Device& device, const PrepareOptions& options) const {
  return prepare(alive(state_), &device, options);
}

Outcome<PreparedModel> Model::prepare(const PrepareOptions& options) const {
  return prepare(alive(state_), nullptr, options);
}

Outcome<PreparedModel> Model::prepare(const State& model, Device* device, const PrepareOptions& options) try {
  Diagnostics diagnostics;
  model::Stages stages(options.progress, 3);
  stages.begin("plan");
  const auto problems = [&] {
    diagnostics.sort();
    return failed(diagnostics.all());
  };
  const auto imported = model.file_for(options.shapes, options.values, diagnostics);
  if (!imported) return problems();
  model::StandaloneOptions request{.file = imported->file, .name = "model", .empty_inputs = true};
  request.model.shaders = model.shaders;
  request.model.graphs.progress = stages.items();
  for (const auto& [name, shape] : options.shapes) {
    if (!model.late) request.shapes.push_back({name, tensor::Shape(shape.begin(), shape.end())});
  }

  auto state = std::make_unique<PreparedModel::State>();
  state->file = imported->file;
  state->bound = imported->bound;
  state->times = options.times;
  launch::ExecutionOptions execution{.timestamps = options.times};
  if (options.timeout) {
    const Result<std::chrono::nanoseconds> time_out = launch::checked_time_out(*options.timeout);
    if (!time_out) return failed(time_out.error());
    execution.time_out = *time_out;
  }
  if (options.compare) request.values = state->values = std::make_shared<model::ModelValues>();
  model::ModelJob& job = state->job.emplace(model::ModelJobOptions{
      .request = std::move(request),
      .executor = device ? device->state().executor : executors::host_kind().open({}),
      .graphs = {.engine = options.reference ? std::optional(model::Engine::Reference) : std::nullopt,
                 .threads = options.threads,
                 .fuse = options.fuse},
      .cache = model.cache});
  if (!job.plan(diagnostics)) return problems();
  stages.begin("check");
  refuse_images(job.planned(), diagnostics);
  if (!job.check(diagnostics)) return problems();
  stages.begin(job.executor().info()->runs_graphs_on_host ? "memory" : "device");
  auto prepared = diagnostics.take(job.prepare(execution, stages.items()));
  if (!prepared) return problems();
  state->prepared = std::move(*prepared);
  const vgf::File& file = imported->file->vgf;
  const model::DeclaredInterface& declared = imported->file->declared;
  state->inputs = infos_of(file, file.inputs, model::input_label, &job.planned().shapes, declared.inputs);
  state->outputs = infos_of(file, file.outputs, model::output_label, &job.planned().shapes, declared.outputs);
  state->make_wide();
  return PreparedModel(std::move(state));
} catch (const model::Stopped& stopped) {
  return failed(model::stopped_failure(stopped));
}

}  // namespace slipway
