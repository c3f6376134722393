// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `dispatch_graph`: a model in a VGF file, with the scenario's substitutions and constants for its modules
// (docs/spec/scenario.md#model-dispatch).
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "scenario/contents/input_file.hpp"
#include "scenario/paths.hpp"
#include "scenario/plan/graph_bindings.hpp"
#include "scenario/plan/planning.hpp"
#include "scenario/plan/push_constants.hpp"

namespace slipway::scenario {
namespace {

// The name of a module in a substitution or a specialization constant.
struct Target {
  const std::string& name;
  json::Value at;
};

template <class T>
const T* first_for(const std::vector<T>& list, std::string T::* name, std::string_view module) {
  const auto found = std::ranges::find(list, module, name);
  return found == list.end() ? nullptr : &*found;
}

std::string entry_text(spirv::Stage stage) {
  return stage == spirv::Stage::Graph ? "graph" : formatted("{} shader", name_of(stage));
}

class GraphPlanner {
 public:
  GraphPlanner(Planning& planning, const DispatchGraph& command, const Graph& graph, OpenGraph& open)
      : planning_(planning),
        diagnostics_(planning.diagnostics),
        command_(command),
        graph_(graph),
        open_(open),
        file_(open.file->vgf) {}

  void run() {
    check_targets();
    const auto bindings = resolve_graph_bindings(planning_, command_, file_);
    OpenGraph::Model& model = chosen_model();
    if (!model.plan) return;
    auto pushed = push_constants_by_module(model.shaders);
    if (!bindings || !pushed) return;
    Diagnostics problems;
    model.plan->dispatch(planning_.plan,
                         {.bindings = *bindings,
                          .push_constants = std::move(*pushed),
                          .barrier_after = command_.implicit_barrier,
                          .origin = origin_of(command_.at)},
                         problems);
    add(std::move(problems), command_.graph.at);
  }

 private:
  void add(Diagnostics problems, json::Value named_at) {
    for (Diagnostic& problem : problems.release()) diagnostics_.add(named_by(std::move(problem), named_at));
  }

  // --- modules by name ---

  void check_target(const Target& target) {
    if (std::ranges::contains(file_.modules, target.name, &vgf::Module::name)) return;
    Diagnostic& problem = diagnostics_.add(
        json::problem(target.at, DiagnosticKind::UnknownReference,
                      formatted("'{}' has no module `{}`; this has no effect", file_.name, target.name),
                      planning_.options.checking ? Severity::Error : Severity::Warning));
    std::vector<std::string_view> names;
    for (const vgf::Module& module : file_.modules) names.push_back(module.name);
    if (const auto near = closest(target.name, names))
      problem.suggest(json::inside_quotes(target.at.location()), *near);
  }

  void check_targets() {
    for (const Substitution& substitution : command_.shader_substitutions)
      check_target({substitution.target, substitution.at["target"]});
    for (const PushConstantMap& map : command_.push_constants)
      check_target({map.shader_target, map.at["shader_target"]});
    if (std::exchange(open_.targets_checked, true)) return;
    for (const Substitution& substitution : graph_.shader_substitutions)
      check_target({substitution.target, substitution.at["target"]});
    for (const SpecializationMap& map : graph_.specialization_constants_map)
      check_target({map.shader_target, map.at["shader_target"]});
  }

  // The command's entry overrides the resource's (docs/spec/scenario.md#decision-3).
  const Substitution* substitution_for(std::string_view module) const {
    if (const auto* own = first_for(command_.shader_substitutions, &Substitution::target, module)) return own;
    return first_for(graph_.shader_substitutions, &Substitution::target, module);
  }

  // --- the model with its code ---

  // One for each set of substitutions: dispatches with equal substitutions share everything.
  OpenGraph::Model& chosen_model() {
    std::string key;
    std::set<std::uint32_t> modules;
    for (const vgf::Segment& segment : file_.segments) modules.insert(segment.module);
    for (const std::uint32_t module : modules) {
      const Substitution* substitution = substitution_for(file_.modules[module].name);
      key += formatted("{}\n", substitution ? substitution->shader.uid : "");
    }
    const auto [found, is_new] = open_.models.try_emplace(key);
    if (is_new) make_model(modules, found->second);
    return found->second;
  }

  void make_model(const std::set<std::uint32_t>& modules, OpenGraph::Model& model) {
    model::ModelOptions settings{.graphs = graph_settings(planning_)};
    bool ok = true;
    for (const std::uint32_t index : modules) {
      if (file_.modules[index].kind == vgf::ModuleKind::Graph) {
        ok &= add_graph_module(index, settings);
      } else if (auto shader = shader_of(index)) {
        model.shaders.emplace(index, std::move(*shader));
      } else {
        ok = false;
      }
    }
    if (!ok) return;
    settings.shaders = model.shaders;
    Diagnostics problems;
    model.plan = model::ModelPlan::make(open_.file, graph_.uid, std::move(settings), problems);
    add(std::move(problems), graph_.at["src"]);
  }

  const SpecializationMap* constants_for(const vgf::Module& module) const {
    return first_for(graph_.specialization_constants_map, &SpecializationMap::shader_target, module.name);
  }

  // Null without a valid substitution; `ok` is false after an error.
  const launch::Shader* substituted(const vgf::Module& module, spirv::Stage stage, bool& ok) {
    const Substitution* substitution = substitution_for(module.name);
    if (!substitution) return nullptr;
    if (!module.is_placeholder()) {
      diagnostics_.add(json::problem(substitution->at, DiagnosticKind::BindingMismatch,
                                     formatted("Performing shader substitution despite shader module containing "
                                               "code: module `{}` of '{}'",
                                               module.name, file_.name),
                                     Severity::Warning));
    }
    ok = false;
    const auto compiled = planning_.compiled.find(substitution->shader.uid);
    if (compiled == planning_.compiled.end()) return nullptr;
    const launch::Shader& shader = compiled->second.shader;
    if (shader.stage != stage) {
      diagnostics_.add(json::problem(
          substitution->shader.at, DiagnosticKind::WrongReference,
          formatted("the entry point of shader `{}` is a {}, but that of module `{}` of "
                    "'{}' is a {}",
                    substitution->shader.uid, entry_text(shader.stage), module.name, file_.name, entry_text(stage))));
      return nullptr;
    }
    ok = true;
    return &shader;
  }

  // A compute module's shader: substituted, or the file's own.
  std::optional<launch::Shader> shader_of(std::uint32_t index) {
    const vgf::Module& module = file_.modules[index];
    bool ok = true;
    const launch::Shader* instead = substituted(module, spirv::Stage::Compute, ok);
    if (!ok) return std::nullopt;
    const SpecializationMap* map = constants_for(module);
    if (instead && !map && graph_.push_constants_size == 0) return *instead;
    Diagnostics problems;
    std::optional<spirv::Words> words;
    if (instead) {
      words = *instead->spirv;
    } else {
      words = model::module_words(*open_.file, index, planning_.options.cache, problems);
    }
    add(std::exchange(problems, {}), graph_.at["src"]);
    if (!words) return std::nullopt;
    auto constants =
        instead ? std::optional(instead->specializations) : std::optional(std::vector<launch::Specialization>());
    if (map) constants = specializations_of(*map, *words);
    if (!constants) return std::nullopt;
    const std::uint32_t push_size = graph_.push_constants_size ? graph_.push_constants_size
                                    : instead                  ? instead->push_constant_size
                                                               : 0;
    auto made = instead ? model::respecialize(*instead, std::move(*constants), push_size, problems)
                        : model::module_shader(*open_.file, index, std::move(*words), std::move(*constants), push_size,
                                               problems);
    add(std::move(problems), graph_.at["src"]);
    return made;
  }

  bool add_graph_module(std::uint32_t index, model::ModelOptions& settings) {
    const vgf::Module& module = file_.modules[index];
    bool ok = true;
    const launch::Shader* instead = substituted(module, spirv::Stage::Graph, ok);
    if (!ok) return false;
    if (instead) {
      settings.graph_words.emplace(index, instead->spirv);
      settings.graph_specializations.emplace(index, instead->specializations);
    }
    const SpecializationMap* map = constants_for(module);
    if (!map) return true;
    Diagnostics problems;
    const auto words = instead ? std::optional(*instead->spirv)
                               : model::module_words(*open_.file, index, planning_.options.cache, problems);
    add(std::move(problems), graph_.at["src"]);
    auto constants = words ? specializations_of(*map, *words) : std::nullopt;
    if (constants) settings.graph_specializations.insert_or_assign(index, std::move(*constants));
    return constants.has_value();
  }

  std::optional<std::vector<launch::Specialization>> specializations_of(const SpecializationMap& map,
                                                                        const spirv::Words& words) {
    Diagnostics problems;
    std::optional<spirv::Reflection> reflection;
    if (const auto module = problems.take(spirv::read_module(spirv::Words(words), map.shader_target)))
      reflection = problems.take(spirv::reflect(*module));
    add(std::move(problems), graph_.at["src"]);
    if (!reflection) return std::nullopt;
    return scenario::specializations_of(map.specialization_constants, formatted("module `{}`", map.shader_target),
                                        *reflection, diagnostics_);
  }

  // --- push constants ---

  std::optional<std::map<std::uint32_t, std::vector<std::byte>>> push_constants_by_module(
      const model::ModuleShaders& shaders) {
    std::map<std::uint32_t, std::vector<std::byte>> all;
    bool ok = true;
    for (const auto& [index, shader] : shaders) {
      const PushConstantMap* map =
          first_for(command_.push_constants, &PushConstantMap::shader_target, file_.modules[index].name);
      const Reference none;
      const Reference& reference = map ? map->push_data : none;
      const auto data = planning_.raw_data.find(reference.uid);
      const StageInterface stages[] = {
          {.shader = shader.name, .entry = shader.reflection->find(shader.entry, shader.stage)}};
      auto bytes = push_constants(reference, data == planning_.raw_data.end() ? nullptr : &data->second,
                                  shader.push_constant_size, command_.at, stages, diagnostics_);
      if (bytes)
        all.emplace(index, std::move(*bytes));
      else
        ok = false;
    }
    if (!ok) return std::nullopt;
    return all;
  }

  Planning& planning_;
  Diagnostics& diagnostics_;
  const DispatchGraph& command_;
  const Graph& graph_;
  OpenGraph& open_;
  const vgf::File& file_;
};

}  // namespace

const model::GraphOptions& graph_settings(Planning& planning) {
  if (!planning.graph_settings) {
    planning.graph_settings = planning.options.target ? planning.options.target() : model::GraphOptions();
    if (planning.options.emulation == Emulation::Always) planning.graph_settings->native = nullptr;
  }
  return *planning.graph_settings;
}

void open_graph(Planning& planning, const Graph& graph) {
  const Path path = source_path(planning.scenario, graph.src);
  Diagnostics problems;
  {
    const launch::ScopedTimer timer(planning.plan.preparation, launch::CounterCategory::ScenarioSetup,
                                    "Parse VGF: " + graph.uid);
    auto mapped = map_input(planning.scenario, path, graph.at["src"], planning.diagnostics);
    if (!mapped) return;
    if (auto file = model::open_model(std::move(*mapped), path.string(), problems))
      planning.graphs.emplace(graph.uid, OpenGraph{.file = std::move(file), .models = {}});
  }
  for (Diagnostic& problem : problems.release()) {
    // The existing runner uses this text for all errors in the header.
    constexpr std::uint64_t kHeader = 128;  // bytes
    if (problem.severity == Severity::Error && problem.location.kind == SourceLocation::Kind::Bytes &&
        problem.location.span.begin < kHeader)
      problem.message = "Invalid VGF header: " + problem.message;
    planning.diagnostics.add(named_by(std::move(problem), graph.at["src"]));
  }
}

void plan_graph(Planning& planning, const DispatchGraph& command) {
  const Graph* graph = planning.scenario.find<Graph>(command.graph.uid);
  const auto open = planning.graphs.find(command.graph.uid);
  if (!graph || planning.has_errors_in(graph->at) || open == planning.graphs.end()) return;
  GraphPlanner(planning, command, *graph, open->second).run();
}

}  // namespace slipway::scenario
