// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `dispatch_spirv_graph` and its constants: a graph of a SPIR-V module (docs/spec/scenario.md#commands,
// docs/spec/scenario.md#descriptors).
#include <algorithm>

#include "base/format.hpp"
#include "launch/plan/specialization.hpp"
#include "model/plan/plan_spirv_graph.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/plan/planning.hpp"
#include "spirv/specialize.hpp"
#include "spirv/tensors/emulate.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

// Integers of TOSA have no sign in SPIR-V: the tensor decides.
tensor::ElementType signed_as(tensor::ElementType declared, tensor::ElementType given) {
  using enum tensor::ElementKind;
  const auto is_integer = [](tensor::ElementType type) {
    return tensor::info_of(type).kind == Signed || tensor::info_of(type).kind == Unsigned;
  };
  const bool same = is_integer(declared) && is_integer(given) && tensor::size_of(declared) == tensor::size_of(given);
  return same ? declared : given;
}

// What a tensor cannot have where a graph declares another one. Another shape may be possible
// (tosa/check/bound_shapes.hpp).
std::optional<spirv::TensorMismatch> graph_mismatch(const spirv::TensorType& declared, tensor::ElementType given,
                                                    const tensor::Shape& shape) {
  auto difference = spirv::tensor_mismatch(declared, signed_as(declared.element, given), shape);
  if (!difference || signed_as(declared.element, given) != declared.element) return difference;
  const std::size_t rank = std::max<std::size_t>(shape.size(), 1);
  const tensor::Shape in_module(declared.shape.begin(), declared.shape.end());
  const bool as_many = !in_module.empty() && tensor::element_count(in_module) == tensor::element_count(shape);
  return declared.rank.value_or(rank) == rank || as_many ? std::nullopt : difference;
}

class SpirvGraphPlanner {
 public:
  SpirvGraphPlanner(Planning& planning, const DispatchSpirvGraph& command, const launch::Shader& shader,
                    const spirv::EntryPoint& entry)
      : planning_(planning), diagnostics_(planning.diagnostics), command_(command), shader_(shader), entry_(entry) {}

  void run() {
    const std::size_t before = diagnostics_.errors();
    model::SpirvGraph request{.entry_point = shader_.entry, .constants = {}, .tensors = {}};
    for (const Binding& binding : command_.bindings) {
      if (auto bound = bind(binding)) request.tensors.push_back(std::move(*bound));
    }
    for (const spirv::Binding& declared : entry_.bindings) check_bound(declared);
    const bool constants_are_ok = add_constants(request);
    if (diagnostics_.errors() != before || !constants_are_ok) return;
    if (request.tensors.size() != command_.bindings.size()) return;  // some have errors, which are already reported
    Diagnostics problems;
    if (const auto module = read_specialized(problems)) {
      if (auto graph = model::read_spirv_graph(*module, request, problems)) {
        model::plan_spirv_graph(planning_.plan, std::move(*graph), *module, request, graph_settings(planning_),
                                shader_.name, origin_of(command_.at), command_.implicit_barrier, problems);
      }
    }
    for (Diagnostic& problem : problems.release()) {
      problem.note(formatted("`{}` is run as a graph here", shader_.name), command_.shader.at.location());
      problem.at(command_.shader.at.pointer(), shader_.name);
      diagnostics_.add(std::move(problem));
    }
  }

 private:
  // A graph has no pipeline that could take specialization values.
  std::optional<spirv::Module> read_specialized(Diagnostics& problems) const {
    auto module = problems.take(spirv::read_module(spirv::Words(*shader_.spirv), shader_.name));
    if (!module || shader_.specializations.empty()) return module;
    return problems.take(
        spirv::read_module(spirv::specialize(*module, launch::values_of(shader_.specializations)), shader_.name));
  }

  // --- tensors ---

  std::string slots_text() const {
    std::string text;
    for (const spirv::Binding& declared : entry_.bindings) {
      text += formatted("{}set {}, binding {} ({})", text.empty() ? "" : "; ", declared.set, declared.binding,
                        describe(declared));
    }
    return text.empty() ? "nothing" : text;
  }

  void error(json::Value at, DiagnosticKind kind, std::string text) {
    diagnostics_.add(json::problem(at, kind, std::move(text)));
  }

  // Empty after an error, and for a resource with errors.
  std::optional<model::TensorResource> bind(const Binding& binding) {
    const auto declared = std::ranges::find_if(entry_.bindings, [&](const spirv::Binding& one) {
      return one.set == binding.set && one.binding == binding.id;
    });
    if (declared == entry_.bindings.end()) {
      error(binding.at, DiagnosticKind::BindingMismatch,
            formatted("graph `{}` has nothing at set {}, binding {}; it has {}", shader_.name, binding.set, binding.id,
                      slots_text()));
      return std::nullopt;
    }
    const auto planned = planning_.resources.find(binding.resource.uid);
    const Resource* resource = planning_.scenario.find(binding.resource.uid);
    if (!resource || planned == planning_.resources.end()) return std::nullopt;
    const std::string subject = formatted("graph `{}` has set {}, binding {} as {}", shader_.name, binding.set,
                                          binding.id, describe(*declared));
    const auto* tensor = std::get_if<Tensor>(resource);
    if (!tensor || declared->kind != spirv::BindingKind::Tensor || !declared->tensor) {
      error(binding.resource.at, DiagnosticKind::WrongReference,
            formatted("{}, but `{}` is {}", subject, binding.resource.uid, tensor ? "a tensor" : "an image"));
      return std::nullopt;
    }
    const auto element = tensor::tensor_element_type(*tensor->format.value, tensor->at.location());
    if (!element) return std::nullopt;
    // The shapes of outputs follow from the inputs.
    spirv::TensorType wanted = *declared->tensor;
    if (declared->writes) wanted = {.element = wanted.element, .rank = std::nullopt, .shape = {}};
    if (const auto difference = graph_mismatch(wanted, *element, tensor->dims)) {
      error(binding.resource.at, DiagnosticKind::BindingMismatch,
            formatted("{} with {}, but `{}` has {}", subject, difference->declared, binding.resource.uid,
                      difference->given));
      return std::nullopt;
    }
    check_access(binding, *declared, *tensor, subject);
    return model::TensorResource{{binding.set, binding.id, binding.element}, planned->second, tensor->dims};
  }

  // The inputs of a graph come first in its interface (docs/spec/scenario.md#descriptors).
  void check_access(const Binding& binding, const spirv::Binding& declared, const Tensor& tensor,
                    std::string_view subject) {
    const bool readonly = tensor.access == Access::ReadOnly || tensor.access == Access::ImageRead;
    const bool wrong = (declared.writes && readonly) || (declared.reads && tensor.access == Access::WriteOnly);
    if (!wrong) return;
    diagnostics_.add(
        json::problem(binding.resource.at, DiagnosticKind::BindingMismatch,
                      formatted("{} that it {}, but `{}` is {}", subject, declared.writes ? "writes" : "reads",
                                tensor.uid, declared.writes ? "readonly" : "writeonly"),
                      Severity::Warning));
  }

  void check_bound(const spirv::Binding& declared) {
    const bool bound = std::ranges::any_of(command_.bindings, [&](const Binding& binding) {
      return binding.set == declared.set && binding.id == declared.binding;
    });
    if (bound) return;
    const json::Value list = command_.at["bindings"];
    Diagnostic missing = json::problem(list, DiagnosticKind::BindingMismatch,
                                       formatted("graph `{}` uses set {}, binding {} ({}), but nothing is bound there",
                                                 shader_.name, declared.set, declared.binding, describe(declared)));
    missing.location = list.opening();
    diagnostics_.add(std::move(missing));
  }

  // --- constants ---

  // False when one has errors.
  bool add_constants(model::SpirvGraph& request) {
    const auto& declared = shader_.reflection->graph_constants;
    const std::vector<Reference>& given = command_.graph_constants;
    bool ok = true;
    for (std::uint32_t id = 0; id < given.size(); ++id) {
      const auto data = planning_.graph_constants.find(given[id].uid);
      const bool found = data != planning_.graph_constants.end();
      request.constants.push_back(found ? model::GraphConstant{data->second.bytes, data->second.shape}
                                        : model::GraphConstant{});
      ok &= request.constants.back().data != nullptr;
      const auto wanted = std::ranges::find(declared, id, &spirv::GraphConstant::constant_id);
      if (wanted == declared.end()) {
        diagnostics_.add(
            json::problem(given[id].at, DiagnosticKind::UnknownReference,
                          formatted("graph `{}` has no graph constant {}; this one has no effect", shader_.name, id),
                          Severity::Warning));
      } else if (found) {
        const ConstantData& constant = data->second;
        if (const auto difference = graph_mismatch(wanted->tensor, constant.type, constant.shape)) {
          error(given[id].at, DiagnosticKind::TypeMismatch,
                formatted("graph constant {} of graph `{}` has {}, but `{}` has {}", id, shader_.name,
                          difference->declared, given[id].uid, difference->given));
        }
      }
    }
    for (const spirv::GraphConstant& wanted : declared) {
      if (wanted.constant_id < given.size()) continue;
      const json::Value list = command_.at["graph_constants"];
      Diagnostic missing =
          json::problem(list ? list : command_.at, DiagnosticKind::UnknownReference,
                        formatted("Graph constant resource not found. Graph `{}` uses graph constant {}, and the "
                                  "command gives {}",
                                  shader_.name, wanted.constant_id, given.size()));
      missing.location = (list ? list : command_.at).opening();
      diagnostics_.add(std::move(missing));
    }
    return ok;
  }

  Planning& planning_;
  Diagnostics& diagnostics_;
  const DispatchSpirvGraph& command_;
  const launch::Shader& shader_;
  const spirv::EntryPoint& entry_;
};

}  // namespace

void open_graph_constant(Planning& planning, const GraphConstant& constant) {
  const auto type =
      planning.diagnostics.take(tensor::tensor_element_type(*constant.format.value, constant.at.location()));
  if (!type) return;
  const auto contents = array_contents({planning.scenario, constant.contents, constant.at}, *constant.format.value,
                                       constant.dims, ShapeRule::Exact, planning.diagnostics);
  if (!contents) return;
  auto bytes = planning.diagnostics.take(read_contents(*contents));
  if (!bytes) return;
  planning.graph_constants.emplace(
      constant.uid,
      ConstantData{*type, constant.dims, std::make_shared<const std::vector<std::byte>>(std::move(*bytes))});
}

void plan_spirv_graph(Planning& planning, const DispatchSpirvGraph& command) {
  const auto compiled = planning.compiled.find(command.shader.uid);
  if (compiled == planning.compiled.end()) return;
  const launch::Shader& shader = compiled->second.shader;
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, spirv::Stage::Graph);
  if (!entry) {
    planning.diagnostics.add(
        json::problem(command.shader.at, DiagnosticKind::WrongReference,
                      formatted("the entry point of shader `{}` is a {} shader, but a graph is needed here",
                                command.shader.uid, name_of(shader.stage))));
    return;
  }
  SpirvGraphPlanner(planning, command, shader, *entry).run();
}

}  // namespace slipway::scenario
