// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_model.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/specialization.hpp"
#include "model/graph_segment.hpp"
#include "model/plan/bind_interface.hpp"
#include "model/plan/graph_engine.hpp"
#include "model/plan/model_storage.hpp"
#include "model/plan/plan_compute.hpp"
#include "model/resolve_model.hpp"
#include "spirv/specialize.hpp"

namespace slipway::model {
namespace {

// Whether steps from `begin` to `middle` and from `middle` to `end` of a plan access the same memory, one of them
// writing.
bool depends(const launch::Plan& plan, std::size_t begin, std::size_t middle, std::size_t end) {
  // All resources of a group count as the same memory.
  std::set<std::pair<std::string, launch::ResourceIndex>> read, written;
  const auto memory = [&](const launch::Access& access) {
    const auto& sharing = plan.resources[access.resource].sharing;
    return sharing ? std::pair(sharing->group, launch::ResourceIndex{0}) : std::pair(std::string(), access.resource);
  };
  for (std::size_t i = begin; i < middle; ++i) {
    for (const launch::Access& access : launch::accesses_of(plan, plan.steps[i])) {
      if (access.reads) read.insert(memory(access));
      if (access.writes) written.insert(memory(access));
    }
  }
  for (std::size_t i = middle; i < end; ++i) {
    for (const launch::Access& access : launch::accesses_of(plan, plan.steps[i])) {
      const auto key = memory(access);
      if (written.contains(key) || (access.writes && read.contains(key))) return true;
    }
  }
  return false;
}

}  // namespace

// The parts of a model in the plan for one set of shapes.
struct Shaped {
  Shaped(const vgf::File& file, ResolvedModel model, const std::string& name, const launch::Origin& origin)
      : resolved(std::move(model)), storage(file, resolved.shapes, name, origin), kernels(file.segments.size()) {}

  ResolvedModel resolved;
  ModelStorage storage;
  std::vector<std::optional<PlannedGraph>> kernels;  // by segment
};

struct ModelPlan::State {
  std::shared_ptr<const ModelFile> file;
  std::string name;
  ModelOptions options;
  std::vector<std::shared_ptr<const tosa::Graph>> graphs;  // by segment, as read; null for compute segments
  std::vector<std::shared_ptr<const spirv::Words>> words;  // by segment; null: the code of the module
  std::map<std::vector<tensor::Shape>, Shaped> shaped;
  ComputeShaders shaders;
  std::map<std::uint32_t, launch::ResourceIndex> resources;  // of the last dispatch, by resource of the file
  bool has_run = false, ended_with_barrier = true;

  std::string step_name(std::size_t segment) const {
    return formatted("{}/{}", name, segment_name(file->vgf, segment));
  }
};

std::string segment_name(const vgf::File& file, std::size_t segment) {
  const std::string_view name = file.segments[segment].name;
  return name.empty() ? formatted("segment_{}", segment) : std::string(name);
}

ModelPlan::ModelPlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelPlan::ModelPlan(ModelPlan&&) noexcept = default;
ModelPlan& ModelPlan::operator=(ModelPlan&&) noexcept = default;
ModelPlan::~ModelPlan() = default;

std::optional<ModelPlan> ModelPlan::make(std::shared_ptr<const ModelFile> file, std::string name, ModelOptions options,
                                         Diagnostics& diagnostics) {
  auto state = std::make_unique<State>(file, std::move(name), std::move(options));
  const std::size_t before = diagnostics.errors();
  for (std::size_t i = 0; i < file->vgf.segments.size(); ++i) {
    const vgf::Segment& segment = file->vgf.segments[i];
    state->graphs.emplace_back();
    state->words.emplace_back();
    if (segment.kind != vgf::ModuleKind::Graph) continue;
    std::shared_ptr<const spirv::Words> words;
    if (const auto given = state->options.graph_words.find(segment.module); given != state->options.graph_words.end())
      words = given->second;
    if (const auto given = state->options.graph_specializations.find(segment.module);
        given != state->options.graph_specializations.end() && !given->second.empty()) {
      const auto module = diagnostics.take(
          words ? spirv::read_module(spirv::Words(*words), std::string(segment.name))
                : spirv::read_module(file->vgf.modules[segment.module].words, std::string(segment.name)));
      if (!module) continue;
      words = std::make_shared<const spirv::Words>(spirv::specialize(*module, launch::values_of(given->second)));
    }
    state->words.back() = words;
    if (auto graph = read_graph_segment(file->vgf, i, diagnostics, words.get()))
      state->graphs.back() = std::make_shared<const tosa::Graph>(std::move(*graph));
  }
  if (diagnostics.errors() != before) return std::nullopt;
  return ModelPlan(std::move(state));
}

std::optional<std::vector<tensor::Shape>> ModelPlan::resolve_shapes(std::span<const KnownShape> known,
                                                                    Diagnostics& diagnostics) const {
  auto resolved = resolve_model(state_->file->vgf, state_->graphs, known, diagnostics);
  if (!resolved) return std::nullopt;
  return std::move(resolved->shapes);
}

namespace {

// One dispatch of a model.
class Dispatcher {
 public:
  Dispatcher(launch::Plan& plan, ModelPlan::State& state, Shaped& shaped, const ModelDispatch& dispatch,
             Diagnostics& diagnostics)
      : plan_(plan),
        state_(state),
        file_(state.file->vgf),
        shaped_(shaped),
        dispatch_(dispatch),
        diagnostics_(diagnostics) {}

  std::optional<std::vector<SegmentSteps>> run() {
    const std::size_t before = diagnostics_.errors();
    BoundInterface interface = bind_interface(plan_, file_, shaped_.storage.storage(), dispatch_, state_.name);
    levels_ = std::move(interface.levels);
    shaped_.storage.bind(plan_, interface.resources, diagnostics_);
    share_images();
    wait_for_last_dispatch();
    add_copies(interface.before);
    std::vector<SegmentSteps> ran;
    for (std::size_t i = 0; i < file_.segments.size(); ++i) {
      const std::size_t first = plan_.steps.size();
      if (file_.segments[i].kind == vgf::ModuleKind::Graph)
        graph(i);
      else
        compute(i);
      if (diagnostics_.errors() == before) separate(first);
      const auto& kernels = shaped_.kernels[i];
      ran.push_back({i, segment_name(file_, i), first, plan_.steps.size() - first, shaped_.resolved.graphs[i],
                     kernels ? kernels->program() : nullptr});
    }
    if (diagnostics_.errors() != before) return std::nullopt;
    if (!interface.after.empty() && !plan_.steps.empty()) plan_.steps.back().barrier_after = true;
    add_copies(interface.after);
    remember_resources(interface.resources);
    state_.has_run = true;
    state_.ended_with_barrier = dispatch_.barrier_after;
    return ran;
  }

 private:
  void remember_resources(const std::map<std::uint32_t, launch::ResourceIndex>& bound) {
    state_.resources = bound;
    for (const vgf::Segment& segment : file_.segments) {
      for (const vgf::DescriptorSet& set : segment.sets) {
        for (const vgf::Slot& slot : set.slots) {
          if (const auto at = shaped_.storage.at(plan_, slot.resource, diagnostics_))
            state_.resources[slot.resource] = *at;
        }
      }
    }
  }

  // Values of inputs and outputs, with a barrier after each.
  void add_copies(std::span<const launch::Copy> copies) {
    for (const launch::Copy& copy : copies) {
      plan_.steps.push_back(
          {.name = formatted("{} to {}", plan_.resources[copy.from].name, plan_.resources[copy.to].name),
           .action = copy,
           .barrier_after = true,
           .origin = dispatch_.origin});
    }
  }

  // Must run before the first step that accesses an image: tensors and buffers that share its memory get the layout of
  // its rows.
  void share_images() {
    const std::span<const std::uint32_t> storage = shaped_.storage.storage();
    std::set<std::uint32_t> of_images;
    for (std::size_t i = 0; i < file_.resources.size(); ++i) {
      if (is_image(file_.resources[i])) of_images.insert(storage[i]);
    }
    for (const vgf::Segment& segment : file_.segments) {
      for (const vgf::DescriptorSet& set : segment.sets) {
        for (const vgf::Slot& slot : set.slots) {
          // Errors are reported when a segment needs it.
          Diagnostics later;
          if (of_images.contains(storage[slot.resource])) shaped_.storage.at(plan_, slot.resource, later);
        }
      }
    }
  }

  // Intermediates are shared with the last dispatch, which may still be running.
  void wait_for_last_dispatch() {
    if (!state_.has_run || state_.ended_with_barrier) return;
    launch::Barriers barriers;
    barriers.barriers.push_back({.kind = launch::Barrier::Kind::Memory,
                                 .name = state_.name + " intermediates",
                                 .src_access = vk::access::kMemoryRead | vk::access::kMemoryWrite,
                                 .dst_access = vk::access::kMemoryRead | vk::access::kMemoryWrite,
                                 .origin = dispatch_.origin});
    plan_.steps.push_back({.name = state_.name + " intermediates",
                           .action = std::move(barriers),
                           .barrier_after = false,
                           .origin = dispatch_.origin});
  }

  // Barriers after the segment that was added: after every segment if the dispatch asks for that, otherwise where the
  // data flow needs them.
  void separate(std::size_t first) {
    if (first == plan_.steps.size()) return;
    plan_.steps.back().barrier_after = dispatch_.barrier_after;
    if (dispatch_.barrier_after || !open_since_) {
      open_since_ = open_since_.value_or(first);
      return;
    }
    if (!depends(plan_, *open_since_, first, plan_.steps.size())) return;
    plan_.steps[first - 1].barrier_after = true;
    open_since_ = first;
  }

  void graph(std::size_t index) {
    const vgf::Segment& segment = file_.segments[index];
    const auto& graph = shaped_.resolved.graphs[index];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> bound;  // resources by set and binding
    for (const vgf::DescriptorSet& set : segment.sets) {
      for (const vgf::Slot& slot : set.slots) bound.try_emplace({set.index, slot.binding}, slot.resource);
    }
    const auto resources_of = [&](std::span<const tosa::Binding> bindings) {
      std::vector<launch::ResourceIndex> resources;
      for (const tosa::Binding& binding : bindings) {
        const auto resource = bound.find({binding.set, binding.binding});
        const auto at =
            resource != bound.end() ? shaped_.storage.at(plan_, resource->second, diagnostics_) : std::nullopt;
        if (at) resources.push_back(*at);
      }
      return resources;
    };
    const std::vector<launch::ResourceIndex> inputs = resources_of(graph->input_bindings);
    const std::vector<launch::ResourceIndex> outputs = resources_of(graph->output_bindings);
    if (inputs.size() != graph->inputs.size() || outputs.size() != graph->outputs.size()) return;
    std::optional<PlannedGraph>& kernels = shaped_.kernels[index];
    if (!kernels) {
      auto made = PlannedGraph::make(plan_, graph, words_of(index), state_.options.graphs, state_.step_name(index),
                                     dispatch_.origin, {state_.file, state_.file->bytes.bytes()});
      kernels = diagnostics_.take(std::move(made));
    }
    if (kernels) kernels->dispatch(plan_, {inputs, outputs}, state_.step_name(index), dispatch_.origin);
  }

  // The module of a graph segment as a device would run it.
  std::shared_ptr<const spirv::Words> words_of(std::size_t index) const {
    if (!state_.options.graphs.native || state_.words[index]) return state_.words[index];
    const Bytes bytes = file_.modules[file_.segments[index].module].words;
    const auto module = spirv::read_module(bytes, state_.step_name(index));
    return module ? std::make_shared<const spirv::Words>(module->words().begin(), module->words().end()) : nullptr;
  }

  void compute(std::size_t index) {
    const vgf::Segment& segment = file_.segments[index];
    const auto shader = state_.options.shaders.find(segment.module);
    if (shader == state_.options.shaders.end()) {
      diagnostics_.error(DiagnosticKind::Unsupported, file_.location(segment.range),
                         formatted("segment `{}` has no shader", segment_name(file_, index)));
      return;
    }
    const auto pushed = dispatch_.push_constants.find(segment.module);
    plan_compute(
        plan_,
        {.file = file_,
         .segment = index,
         .shader = shader->second,
         .native = state_.options.graphs.native,
         .storage = shaped_.storage,
         .levels = levels_,
         .push_constants = pushed == dispatch_.push_constants.end() ? std::vector<std::byte>() : pushed->second,
         .name = state_.step_name(index),
         .origin = dispatch_.origin},
        state_.shaders, diagnostics_);
  }

  launch::Plan& plan_;
  ModelPlan::State& state_;
  const vgf::File& file_;
  Shaped& shaped_;
  const ModelDispatch& dispatch_;
  Diagnostics& diagnostics_;
  std::map<std::uint32_t, std::uint32_t> levels_;  // of images, by resource
  std::optional<std::size_t> open_since_;          // the first step after the last barrier of this dispatch
};

}  // namespace

std::optional<launch::ResourceIndex> ModelPlan::resource(std::uint32_t of_file) const {
  const auto found = state_->resources.find(of_file);
  return found == state_->resources.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::vector<SegmentSteps>> ModelPlan::dispatch(launch::Plan& plan, const ModelDispatch& dispatch,
                                                             Diagnostics& diagnostics) {
  const vgf::File& file = state_->file->vgf;
  const std::size_t before = diagnostics.errors();
  std::vector<KnownShape> known;
  for (const ModelBinding& binding : dispatch.bindings) {
    if (!binding.shape.empty()) known.push_back({binding.binding, binding.shape});
  }
  std::set<std::uint32_t> bound;
  for (const ModelBinding& binding : dispatch.bindings) bound.insert(binding.binding);
  for (const auto* slots : {&file.inputs, &file.outputs}) {
    for (const vgf::Slot& slot : *slots) {
      if (bound.contains(slot.binding)) continue;
      diagnostics.error(DiagnosticKind::BindingMismatch, file.location(slot),
                        formatted("nothing is bound to the {} with the logical number {}",
                                  slots == &file.inputs ? "input" : "output", slot.binding));
    }
  }
  auto resolved = resolve_model(file, state_->graphs, known, diagnostics);
  if (!resolved || diagnostics.errors() != before) return std::nullopt;
  const auto [shaped, is_new] =
      state_->shaped.try_emplace(resolved->shapes, file, *resolved, state_->name, dispatch.origin);
  return Dispatcher(plan, *state_, shaped->second, dispatch, diagnostics).run();
}

}  // namespace slipway::model
