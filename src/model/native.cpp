// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/native.hpp"

#include <algorithm>
#include <expected>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "spirv/extensions/newer.hpp"
#include "spirv/tools.hpp"
#include "tosa/vulkan_format.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vk/device_plan.hpp"
#include "vk/tensor_info.hpp"

namespace slipway::model {
namespace {

constexpr std::uint32_t stage_bit(spirv::Stage stage) {
  return stage == spirv::Stage::Vertex ? 0x1 : stage == spirv::Stage::Fragment ? 0x10 : 0x20;  // VkShaderStageFlagBits
}

std::string does_not_have(std::string_view what) { return formatted("the device does not have {}", what); }

// A tensor of rank 0 is created with one element.
tensor::Shape created(const tensor::Shape& shape) { return shape.empty() ? tensor::Shape{1} : shape; }

std::string why_no_capability(const vk::Snapshot& device, const spirv::Reflection& reflection) {
  for (const std::string& capability : reflection.capabilities) {
    if (std::string missing = vk::missing_for_capability(device, capability); !missing.empty()) return missing;
  }
  return {};
}

// Whether tensors of the module have a rank and no shape.
bool has_open_shapes(const spirv::Module& module) {
  return std::ranges::any_of(module.instructions(), [](const spirv::Instruction& instruction) {
    constexpr std::size_t kWithShape = 4;  // result, element type, rank, shape
    return instruction.op == spv::Op::OpTypeTensorARM && instruction.operands.size() < kWithShape;
  });
}

// Whether the tensors that are bound have other shapes than the module declares (tosa/check/bound_shapes.hpp).
bool has_other_shapes(const spirv::Reflection& reflection, const tosa::Graph& graph) {
  const spirv::EntryPoint* entry = reflection.find(graph.name, spirv::Stage::Graph);
  const auto differs = [&](const std::vector<tosa::ValueId>& values, const std::vector<tosa::Binding>& bindings) {
    for (std::size_t i = 0; entry != nullptr && i < std::min(values.size(), bindings.size()); ++i) {
      const auto declared = std::ranges::find_if(entry->bindings, [&](const spirv::Binding& one) {
        return one.set == bindings[i].set && one.binding == bindings[i].binding;
      });
      if (declared == entry->bindings.end() || !declared->tensor || declared->tensor->shape.empty()) continue;
      if (!std::ranges::equal(declared->tensor->shape, graph[values[i]].type.shape,
                              [](std::uint64_t a, std::int64_t b) { return std::cmp_equal(a, b); }))
        return true;
    }
    return false;
  };
  return differs(graph.inputs, graph.input_bindings) || differs(graph.outputs, graph.output_bindings);
}

bool has_arrays(const tosa::Graph& graph) {
  const auto is_later = [](const tosa::Binding& at) { return at.element != 0; };
  return std::ranges::any_of(graph.input_bindings, is_later) || std::ranges::any_of(graph.output_bindings, is_later);
}

// The Vulkan format of a tensor of a graph; empty for types without one.
std::optional<vk::Format> format_of(tosa::DataType type) {
  if (type == tosa::DataType::I4) return std::nullopt;
  return tosa::tensor_format(type);
}

// The error names the first kind of tensor that the device does not have.
class Tensors {
 public:
  explicit Tensors(const vk::Snapshot& device) : device_(device) {}

  vk::TensorInfo of(const tosa::TensorType& type) {
    const auto format = format_of(type.data);
    const vk::TensorInfo info{
        .format = format.value_or(vk::Format::UNDEFINED), .shape = created(type.shape), .graphs = true};
    if (missing_.empty()) {
      missing_ = format ? vk::missing_for_tensor(device_, info)
                        : formatted("tensors of {} in graphs", tosa::name_of(type.data));
    }
    return info;
  }

  const std::string& missing() const { return missing_; }

 private:
  const vk::Snapshot& device_;
  std::string missing_;
};

// One queue must have all instruction sets that the module imports.
std::string missing_instruction_sets(const vk::Snapshot& device, const spirv::Reflection& reflection) {
  constexpr std::uint32_t both = vk::queue_flag::kCompute | vk::queue_flag::kDataGraph;
  std::string missing;
  for (const vk::QueueFamily& family : device.queue_families) {
    if ((family.flags & both) != both) continue;
    const auto absent = std::ranges::find_if_not(reflection.instruction_sets, [&](const std::string& set) {
      return family.graph_instruction_sets.contains(set);
    });
    if (absent == reflection.instruction_sets.end()) return {};
    missing = formatted("graphs of {}", *absent);
  }
  return missing;
}

}  // namespace

std::string why_not_native(const vk::Snapshot& device, const launch::Shader& shader,
                           std::span<const NativeTensor> tensors) {
  if (const std::string missing = vk::missing_for_tensors(device); !missing.empty()) return does_not_have(missing);
  if (std::string why = why_no_capability(device, *shader.reflection); !why.empty()) return why;
  const auto stages = device.limits_by_name.find("shaderTensorSupportedStages");
  if (stages != device.limits_by_name.end() &&
      (static_cast<std::uint32_t>(stages->second) & stage_bit(shader.stage)) == 0) {
    return does_not_have(formatted("tensors in {} shaders", name_of(shader.stage)));
  }
  for (const NativeTensor& tensor : tensors) {
    const std::string missing =
        vk::missing_for_tensor(device, {.format = tensor.format, .shape = created(tensor.shape), .shaders = true});
    if (!missing.empty()) return does_not_have(missing);
  }
  return {};
}

std::expected<NativeGraph, std::string> native_graph(const vk::Snapshot& device, const tosa::Graph& graph,
                                                     std::shared_ptr<const spirv::Words> words, const std::string& name,
                                                     const launch::Origin& origin, std::shared_ptr<const void> owner) {
  if (const std::string missing = vk::missing_for_graphs(device); !missing.empty())
    return std::unexpected(does_not_have(missing));
  if (has_arrays(graph)) return std::unexpected("it has arrays of tensors");
  // Our reader is more tolerant than drivers may be.
  const auto reflected = [&] {
    return spirv::validate(*words, name).and_then([&] { return spirv::read_module(spirv::Words(*words), name); });
  };
  auto module = reflected();
  const auto declared = module ? spirv::reflect(*module) : std::unexpected(Failure{});
  if (module && (!spirv::unknown_extensions(*words).empty() || has_open_shapes(*module) ||
                 (declared && has_other_shapes(*declared, graph)))) {
    // Drivers see the shapes of this run only, and no module of others that was not validated.
    Result<spirv::Words> specialised = tosa::write_graph_module(graph);
    if (!specialised)
      return std::unexpected(formatted("its shapes cannot be fixed: {}", specialised.error().front().message));
    words = std::make_shared<const spirv::Words>(std::move(*specialised));
    module = reflected();
  }
  auto reflection = std::move(module).and_then([&](const spirv::Module& read) { return spirv::reflect(read); });
  if (!reflection)
    return std::unexpected(formatted("a driver need not take its module: {}", reflection.error().front().message));
  // Debug information is for tools; drivers need not support it.
  std::erase_if(reflection->instruction_sets, [](const std::string& set) { return set.starts_with("NonSemantic."); });
  if (std::string why = why_no_capability(device, *reflection); !why.empty()) return std::unexpected(std::move(why));
  if (const std::string missing = missing_instruction_sets(device, *reflection); !missing.empty())
    return std::unexpected(does_not_have(missing));

  Tensors tensors(device);
  NativeGraph made{.shader = {.name = name,
                              .spirv = std::move(words),
                              .reflection = std::make_shared<const spirv::Reflection>(*reflection),
                              .entry = graph.name,
                              .stage = spirv::Stage::Graph,
                              .origin = origin},
                   .inputs = {},
                   .outputs = {}};
  for (const tosa::ValueId input : graph.inputs) made.inputs.push_back(tensors.of(graph[input].type));
  for (const tosa::ValueId output : graph.outputs) made.outputs.push_back(tensors.of(graph[output].type));
  for (const tosa::Constant& constant : graph.constants) {
    if (!constant.graph_constant) continue;
    made.shader.graph_constants.push_back({.id = *constant.graph_constant,
                                           .tensor = tensors.of(graph[constant.value].type),
                                           .data = constant.data,
                                           .owner = owner});
  }
  if (!tensors.missing().empty()) return std::unexpected(does_not_have(tensors.missing()));
  return made;
}

std::uint32_t add_tensor(launch::Plan& plan, launch::ResourceIndex buffer, vk::TensorInfo info) {
  std::vector<vk::TensorInfo>& tensors = std::get<launch::Buffer>(plan.resources[buffer].kind).tensors;
  info.shape = created(info.shape);
  const auto known = std::ranges::find_if(
      tensors, [&](const vk::TensorInfo& one) { return one.format == info.format && one.shape == info.shape; });
  if (known == tensors.end()) {
    tensors.push_back(std::move(info));
    return static_cast<std::uint32_t>(tensors.size() - 1);
  }
  known->shaders |= info.shaders;
  known->graphs |= info.graphs;
  return static_cast<std::uint32_t>(known - tensors.begin());
}

void refuse_emulation(const launch::Plan& plan, const vk::Snapshot& device, Diagnostics& diagnostics) {
  const auto refuse = [&](const launch::Origin& origin, std::string_view what, const std::string& because,
                          const std::string& missing) {
    const std::string why = !because.empty()  ? because
                            : missing.empty() ? "this build never leaves it to the device"
                                              : does_not_have(missing);
    diagnostics
        .error(because.empty() && missing.empty() ? DiagnosticKind::Unsupported : DiagnosticKind::DeviceLacks,
               origin.location(),
               formatted("{}, and --emulate=never forbids to emulate {}: {}", what,
                         what.ends_with("graph") ? "it" : "them", why))
        .at(origin.path(), origin.uid());
  };
  std::set<std::string_view> named;
  for (const launch::Shader& shader : plan.shaders) {
    if (!shader.emulates_tensors || !named.insert(shader.name).second) continue;
    refuse(shader.origin, formatted("shader `{}` has tensors", shader.name), shader.emulated_because,
           vk::missing_for_tensors(device));
  }
  for (const launch::GraphDispatch& graph : plan.graphs) {
    if (graph.native) continue;
    refuse(plan.steps[graph.first_step].origin, formatted("`{}` is a graph", graph.name), graph.emulated_because,
           vk::missing_for_graphs(device));
  }
}

}  // namespace slipway::model
