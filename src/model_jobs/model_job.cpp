// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/model_job.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "launch/check/hazards.hpp"
#include "launch/run.hpp"
#include "model/native.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/standalone/graph_device.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"
#include "tensor/files/npz.hpp"

namespace slipway::model {
namespace {

constexpr std::string_view kInterpreter = "reference interpreter";

// What `report` has of one comparison, beside that of another one: an output counts if both have it.
void add_compared(const tensor::ComparedOutputs& more, launch::Report& report) {
  tensor::ComparedOutputs& all = report.compared ? *report.compared : report.compared.emplace();
  all.total = more.total;
  for (const tensor::LeftOutOutput& one : more.left_out) {
    if (!std::ranges::contains(all.left_out, one.output, &tensor::LeftOutOutput::output)) all.left_out.push_back(one);
  }
  all.compared = all.total - all.left_out.size();
}

// Which of two devices is wrong.
std::string judgement(const std::optional<DeviceComparison>& devices) {
  if (!devices) return {};
  return formatted("; by the {}, {} are wrong on this device and {} on the other one", kInterpreter,
                   devices->first_wrong, devices->second_wrong);
}

}  // namespace

bool ModelJob::plan(Diagnostics& diagnostics) {
  if (Path& output = options_.request.output_directory; output.extension() == ".npz" && !directory_exists(output)) {
    auto made = diagnostics.take(TemporaryDirectory::make("outputs"));
    if (!made) return false;
    archived_.emplace(std::move(*made));
    archive_ = std::exchange(output, archived_->path());
  }
  ModelOptions& model = options_.request.model;
  if (model.shaders.empty()) {
    auto shaders = compile_modules(*options_.request.file, options_.cache, diagnostics);
    if (!shaders) return false;
    model.shaders = std::move(*shaders);
  }
  auto graphs = diagnostics.take(graph_options(options_.executor.get(), options_.graphs, options_.cache, diagnostics));
  if (!graphs) return false;
  graphs->intermediates = std::move(model.graphs.intermediates);
  graphs->progress = std::move(model.graphs.progress);
  model.graphs = std::move(*graphs);
  alone_ = plan_standalone(options_.request, diagnostics);
  model.graphs.progress = nullptr;  // what it reports to may not live as long
  if (alone_) diagnostics.add(launch::check_hazards(alone_->plan).release());
  return alone_.has_value();
}

bool ModelJob::check(Diagnostics& diagnostics) const {
  const auto info = diagnostics.take(options_.executor->info());
  if (!info) return false;
  if (!options_.emulates) {
    // What is not a Vulkan device has no graphs of its own.
    Diagnostics refused;
    refuse_emulation(alone_->plan, info->vulkan ? *info->vulkan : vk::Snapshot(), refused);
    for (Diagnostic& problem : refused.release()) {
      if (problem.location.kind == SourceLocation::Kind::None)
        problem.location = SourceLocation::in_file(options_.request.file->vgf.name);
      diagnostics.add(std::move(problem));
    }
  }
  diagnostics.add(options_.executor->check(alone_->plan).release());
  return !diagnostics.has_errors();
}

std::optional<launch::Report> ModelJob::run(launch::RunOptions options, const Log& log,
                                            Diagnostics& diagnostics) const {
  const bool stores = !options.dry_run;
  const auto info = diagnostics.take(options_.executor->info());
  auto report =
      info ? diagnostics.take(launch::run(alone_->plan, *options_.executor, std::move(options), log)) : std::nullopt;
  if (report && archived_ && stores && !report->is_interrupted) {
    if (Result<> written = write_archive(*report); !written) diagnostics.add(std::move(written.error()));
  }
  if (!report || !is_interpreted()) return report;
  if (info->runs_graphs_on_host)
    report->device = kInterpreter;
  else
    report->device += formatted("; graphs by the {}", kInterpreter);
  return report;
}

// The name of an output in an archive, which needs no letters that file systems have: its own, if it is the only one.
std::string ModelJob::array_name(const std::string& file_name) const {
  const vgf::File& file = options_.request.file->vgf;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < file.outputs.size(); ++i) labels.push_back(output_label(file, i));
  const std::vector<std::string> names = output_file_names(file);
  const auto at = std::ranges::find(names, file_name);
  if (at == names.end()) return file_name;
  const std::string& label = labels[static_cast<std::size_t>(at - names.begin())];
  return std::ranges::count(labels, label) == 1 ? label : file_name;
}

// In the order of the model, by which readers match arrays with other names.
Result<> ModelJob::write_archive(launch::Report& report) const {
  const std::vector<std::string> names = output_file_names(options_.request.file->vgf);
  std::ranges::stable_sort(report.outputs, {},
                           [&](const Path& path) { return std::ranges::find(names, path.stem().string()); });
  std::vector<MappedFile> files;
  std::vector<tensor::NpzMember> members;
  for (const Path& path : report.outputs) {
    SLIPWAY_TRY(MappedFile mapped, map_file(path));
    members.push_back({array_name(path.stem().string()), mapped.bytes()});
    files.push_back(std::move(mapped));
  }
  SLIPWAY_TRY(const auto archive, tensor::write_npz(members));
  report.outputs = {archive_};
  return write_file(archive_, archive);
}

std::optional<ModelComparison> ModelJob::compare(GraphDevice* other, launch::Report& report,
                                                 Diagnostics& diagnostics) const {
  const vgf::File& file = options_.request.file->vgf;
  const Intermediates* const intermediates = options_.request.model.graphs.intermediates.get();
  auto compared = diagnostics.take(
      compare_model(file, *alone_, *options_.request.values, intermediates, other ? other->runner() : GraphRunner()));
  if (!compared) return std::nullopt;
  add_compared(compared->compared, report);
  const std::string with = other ? formatted("`{}`", other->name()) : formatted("the {}", kInterpreter);
  const auto differs = [&](std::string message) {
    diagnostics.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(file.name), std::move(message));
  };
  for (const SegmentLayers& segment : compared->layers) {
    const auto first =
        std::ranges::find_if(segment.layers, [](const LayerComparison& layer) { return !layer.own.passed(); });
    if (first == segment.layers.end()) continue;
    differs(formatted(
        "layer {}, {}, is the first that is wrong for the inputs that it had: {} of {} elements differ from {}{}",
        first - segment.layers.begin(), layer_name(*first), first->own.wrong, first->own.elements, with,
        judgement(first->devices)));
  }
  for (const OutputComparison& output : compared->outputs) {
    tensor::Comparison outcome{.type = tosa::storage_of(output.values.type.data),
                               .count = output.values.elements,
                               .mismatches = output.values.wrong,
                               .passed = output.values.passed()};
    outcome.max.abs = output.values.max_difference;
    report.expectations.push_back({output.name, outcome});
    if (output.values.passed()) continue;
    differs(formatted("{}`{}` differs from {} in {} of {} elements{}",
                      alone_->segments.size() > 1 ? formatted("segment {} ", output.segment) : "", output.name, with,
                      output.values.wrong, output.values.elements, judgement(output.devices)));
  }
  return compared;
}

Result<std::unique_ptr<launch::PreparedPlan>> ModelJob::prepare(const launch::ExecutionOptions& options,
                                                                ItemProgress progress) const {
  const auto turn = options_.executor->take_turn();
  return options_.executor->prepare(alone_->plan, {.execution = options,
                                                   .cache = options_.cache,
                                                   .host_inputs = alone_->inputs,
                                                   .host_outputs = alone_->outputs,
                                                   .progress = std::move(progress)});
}

std::optional<Tuned> ModelJob::tune(std::optional<std::chrono::milliseconds> limit, ItemProgress progress,
                                    Diagnostics& diagnostics) const {
  auto tuned = model::tune({.standalone = options_.request,
                            .executor = *options_.executor,
                            .cache = options_.cache,
                            .limit = limit,
                            .progress = std::move(progress)},
                           diagnostics);
  if (!tuned || (diagnostics.has_errors() && !is_interrupted())) return std::nullopt;
  if (options_.cache.enabled()) cache_tuning(tuned->device, tuned->tuning, options_.cache, tuned->rates);
  return tuned;
}

ModelJob ModelJob::for_same_inputs(std::shared_ptr<const ModelFile> file) const {
  ModelJobOptions options = options_;
  const vgf::File& known = options_.request.file->vgf;
  StandaloneOptions request{.file = std::move(file), .name = options_.request.name};
  request.values = std::make_shared<ModelValues>();
  for (std::size_t i = 0; i < known.inputs.size(); ++i)
    request.given[i] = options_.request.values->at(known.inputs[i].resource);
  options.request = std::move(request);
  return ModelJob(std::move(options));
}

bool ModelJob::is_interpreted() const {
  return options_.request.model.graphs.engine == Engine::Reference &&
         std::ranges::contains(options_.request.file->vgf.segments, vgf::ModuleKind::Graph, &vgf::Segment::kind);
}

}  // namespace slipway::model
