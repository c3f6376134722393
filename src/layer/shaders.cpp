// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shader modules: shaders with tensors are rewritten when the module is made, because records describe the tensors;
// modules with graphs are kept here.
#include "layer/shaders.hpp"

#include <cstring>
#include <map>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "layer/chain.hpp"
#include "layer/device.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/limits.hpp"
#include "layer/resources/capture.hpp"
#include "spirv/tensors/emulate.hpp"
#include "spirv/tools.hpp"

namespace slipway::layer {
namespace {

enum class ModuleKind { Other, Tensors, Graphs };

// Capabilities come first in a module, so that this is fast for the shaders of others.
ModuleKind kind_of(std::span<const std::uint32_t> words) {
  ModuleKind kind = ModuleKind::Other;
  if (words.size() < spirv::kHeaderWords || words[0] != spv::MagicNumber) return kind;
  for (std::size_t at = spirv::kHeaderWords; at + 1 < words.size(); at += 2) {
    if (words[at] != (2u << 16 | static_cast<std::uint32_t>(spv::Op::OpCapability))) break;
    if (words[at + 1] == static_cast<std::uint32_t>(spv::Capability::GraphARM)) return ModuleKind::Graphs;
    if (words[at + 1] == static_cast<std::uint32_t>(spv::Capability::TensorsARM)) kind = ModuleKind::Tensors;
  }
  return kind;
}

void report(const LayerDevice& device, const Failure& failure) { device.instance->report(failure); }

// A shader stage by the execution model of an entry point; 0 for a model that is not a stage of shaders with tensors.
VkShaderStageFlags stage_of(spv::ExecutionModel model) {
  switch (model) {
    case spv::ExecutionModel::GLCompute:
      return VK_SHADER_STAGE_COMPUTE_BIT;
    case spv::ExecutionModel::Vertex:
      return VK_SHADER_STAGE_VERTEX_BIT;
    case spv::ExecutionModel::Fragment:
      return VK_SHADER_STAGE_FRAGMENT_BIT;
    case spv::ExecutionModel::TessellationControl:
      return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    case spv::ExecutionModel::TessellationEvaluation:
      return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    case spv::ExecutionModel::Geometry:
      return VK_SHADER_STAGE_GEOMETRY_BIT;
    case spv::ExecutionModel::TaskEXT:
      return VK_SHADER_STAGE_TASK_BIT_EXT;
    case spv::ExecutionModel::MeshEXT:
      return VK_SHADER_STAGE_MESH_BIT_EXT;
    case spv::ExecutionModel::RayGenerationKHR:
      return VK_SHADER_STAGE_RAYGEN_BIT_KHR;
    case spv::ExecutionModel::AnyHitKHR:
      return VK_SHADER_STAGE_ANY_HIT_BIT_KHR;
    case spv::ExecutionModel::ClosestHitKHR:
      return VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;
    case spv::ExecutionModel::MissKHR:
      return VK_SHADER_STAGE_MISS_BIT_KHR;
    case spv::ExecutionModel::IntersectionKHR:
      return VK_SHADER_STAGE_INTERSECTION_BIT_KHR;
    case spv::ExecutionModel::CallableKHR:
      return VK_SHADER_STAGE_CALLABLE_BIT_KHR;
    default:
      return 0;
  }
}

// Whether all entry points of a module are in stages that may have tensors; reports one that is not.
bool check_stages(const LayerDevice& device, const spirv::Module& module) {
  const VkShaderStageFlags offered = tensor_stages(device.physical->snapshot);
  for (const spirv::Instruction& instruction : module.instructions()) {
    if (instruction.op != spv::Op::OpEntryPoint) continue;
    const auto model = static_cast<spv::ExecutionModel>(instruction.operand(0));
    if ((stage_of(model) & offered) != 0) continue;
    device.instance->message(
        MessageLevel::Error,
        formatted("a shader of execution model {} uses tensors, which the layer offers in the stages {:#x} "
                  "(VkPhysicalDeviceTensorPropertiesARM::shaderTensorSupportedStages)",
                  static_cast<std::uint32_t>(model), offered));
    return false;
  }
  return true;
}

// The rewritten words; empty after a message.
std::optional<spirv::Words> rewritten(const LayerDevice& device, std::span<const std::uint32_t> words,
                                      std::optional<CapturedShader>* captured = nullptr) {
  if (device.instance->settings.validate) {
    Diagnostics found;
    const bool valid = spirv::check_module(words, "shader", found);
    report(device, found.all());
    if (!valid) return std::nullopt;
  }
  const auto module = spirv::read_module(spirv::Words(words.begin(), words.end()), "shader");
  if (!module) {
    report(device, module.error());
    return std::nullopt;
  }
  if (!check_stages(device, *module)) return std::nullopt;
  auto made = spirv::emulate_tensors_by_record(*module);
  if (!made) {
    report(device, made.error());
    return std::nullopt;
  }
  auto written = capture_shader(device, *module);
  if (captured != nullptr) *captured = std::move(written);
  return std::move(*made);
}

std::span<const std::uint32_t> words_of(const VkShaderModuleCreateInfo& info) {
  return {info.pCode, info.codeSize / sizeof(std::uint32_t)};
}

VkResult CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* info,
                            const VkAllocationCallbacks* allocator, VkShaderModule* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const std::span<const std::uint32_t> words = words_of(*info);
    switch (kind_of(words)) {
      case ModuleKind::Other:
        break;
      case ModuleKind::Graphs: {
        auto module = std::make_unique<GraphModule>(GraphModule{{words.begin(), words.end()}});
        *made = handle_of<VkShaderModule>(module.get());
        device.graph_modules.add(*made, std::move(module));
        return VK_SUCCESS;
      }
      case ModuleKind::Tensors: {
        std::optional<CapturedShader> captured;
        const auto code = rewritten(device, words, &captured);
        if (!code) return VK_ERROR_INVALID_SHADER_NV;
        VkShaderModuleCreateInfo theirs = *info;
        theirs.codeSize = code->size() * sizeof(std::uint32_t);
        theirs.pCode = code->data();
        const VkResult result = device.next.vkCreateShaderModule(handle, &theirs, allocator, made);
        if (result == VK_SUCCESS && captured)
          device.captures.modules.add(*made, std::make_unique<CapturedShader>(std::move(*captured)));
        return result;
      }
    }
    return device.next.vkCreateShaderModule(handle, info, allocator, made);
  });
}

void DestroyShaderModule(VkDevice handle, VkShaderModule module, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  static_cast<void>(device.captures.modules.remove(module));
  if (!device.graph_modules.remove(module)) return device.next.vkDestroyShaderModule(handle, module, allocator);
  device.forget_private_data(reinterpret_cast<std::uint64_t>(module));
}

void write_identifier(std::span<const std::uint32_t> words, VkShaderModuleIdentifierEXT& identifier) noexcept {
  try {
    const std::string key = Cache::key({text_of(std::as_bytes(words))});
    identifier.identifierSize =
        static_cast<std::uint32_t>(std::min<std::size_t>(key.size(), VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT));
    std::memcpy(identifier.identifier, key.data(), identifier.identifierSize);
  } catch (...) {
    identifier.identifierSize = 0;
  }
}

void GetShaderModuleIdentifierEXT(VkDevice handle, VkShaderModule module, VkShaderModuleIdentifierEXT* identifier) {
  const LayerDevice& device = device_of(handle);
  const GraphModule* graph = device.graph_modules.find(module);
  if (graph == nullptr) return device.next.vkGetShaderModuleIdentifierEXT(handle, module, identifier);
  write_identifier(graph->words, *identifier);
}

// The same as for a module of the words.
void GetShaderModuleCreateInfoIdentifierEXT(VkDevice handle, const VkShaderModuleCreateInfo* info,
                                            VkShaderModuleIdentifierEXT* identifier) {
  const LayerDevice& device = device_of(handle);
  const ModuleKind kind = kind_of(words_of(*info));
  if (kind == ModuleKind::Graphs) return write_identifier(words_of(*info), *identifier);
  if (kind == ModuleKind::Other) return device.next.vkGetShaderModuleCreateInfoIdentifierEXT(handle, info, identifier);
  identifier->identifierSize = 0;
  try {
    const auto code = rewritten(device, words_of(*info));
    if (!code) return;
    VkShaderModuleCreateInfo theirs = *info;
    theirs.codeSize = code->size() * sizeof(std::uint32_t);
    theirs.pCode = code->data();
    device.next.vkGetShaderModuleCreateInfoIdentifierEXT(handle, &theirs, identifier);
  } catch (...) {
    device.instance->message(MessageLevel::Error, "out of memory in vkGetShaderModuleCreateInfoIdentifierEXT");
  }
}

// --- modules inside the create-info of a pipeline --------------------------------------------------------------------

class Stages {
 public:
  explicit Stages(const LayerDevice& device) : device_(device) {}
  Stages(const Stages&) = delete;
  ~Stages() {
    for (const VkShaderModule module : modules_) device_.next.vkDestroyShaderModule(device_.handle, module, nullptr);
  }

  // Replaces a module with tensors in the chain of a stage by a module of its own.
  VkResult translate(VkPipelineShaderStageCreateInfo& stage) {
    constexpr VkStructureType type[] = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    if (stage.module != VK_NULL_HANDLE) return VK_SUCCESS;
    const auto* given = find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, type[0]);
    if (given == nullptr || kind_of(words_of(*given)) != ModuleKind::Tensors) return VK_SUCCESS;
    std::optional<CapturedShader> captured;
    const auto code = rewritten(device_, words_of(*given), &captured);
    if (!code) return VK_ERROR_INVALID_SHADER_NV;
    const VkShaderModuleCreateInfo create{
        .sType = type[0], .codeSize = code->size() * sizeof(std::uint32_t), .pCode = code->data()};
    const VkResult result = device_.next.vkCreateShaderModule(device_.handle, &create, nullptr, &stage.module);
    if (result != VK_SUCCESS) return result;
    modules_.push_back(stage.module);
    if (captured) captured_.emplace(stage.module, std::move(*captured));
    stage.pNext = chains_.emplace_back(std::make_unique<ChainCopy>())->make(stage.pNext, type);
    return VK_SUCCESS;
  }

  // The same for all stages of pipelines, which then are copies.
  template <class Info>
  VkResult translate_all(std::vector<Info>& pipelines) {
    for (Info& pipeline : pipelines) {
      if (pipeline.stageCount == 0 || pipeline.pStages == nullptr) continue;
      auto& own = stages_.emplace_back(pipeline.pStages, pipeline.pStages + pipeline.stageCount);
      for (VkPipelineShaderStageCreateInfo& stage : own) {
        if (const VkResult result = translate(stage); result != VK_SUCCESS) return result;
      }
      pipeline.pStages = own.data();
    }
    return VK_SUCCESS;
  }

  bool empty() const { return modules_.empty(); }

  // The captured shader of a stage; null if it was not captured.
  const CapturedShader* captured(VkShaderModule module) const {
    const auto found = captured_.find(module);
    return found != captured_.end() ? &found->second : device_.captures.modules.find(module);
  }

 private:
  const LayerDevice& device_;
  std::vector<VkShaderModule> modules_;
  std::map<VkShaderModule, CapturedShader> captured_;
  std::vector<std::unique_ptr<ChainCopy>> chains_;
  std::vector<std::vector<VkPipelineShaderStageCreateInfo>> stages_;  // of `translate_all`
};

VkResult CreateComputePipelines(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                VkPipeline* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    Stages stages(device);
    std::vector<VkComputePipelineCreateInfo> theirs(infos, infos + count);
    for (VkComputePipelineCreateInfo& info : theirs) {
      if (const VkResult result = stages.translate(info.stage); result != VK_SUCCESS) {
        std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
        return result;
      }
    }
    const VkResult result = device.next.vkCreateComputePipelines(handle, cache, count, theirs.data(), allocator, made);
    if (device.instance->settings.capture.empty()) return result;
    for (std::uint32_t i = 0; i < count; ++i) {
      const CapturedShader* shader = stages.captured(theirs[i].stage.module);
      if (shader == nullptr || made[i] == VK_NULL_HANDLE) continue;
      auto own = std::make_unique<CapturedShader>(*shader);
      own->entry = theirs[i].stage.pName;
      if (theirs[i].stage.pSpecializationInfo != nullptr)
        own->specialization = values_of(*theirs[i].stage.pSpecializationInfo);
      device.captures.pipelines.add(made[i], std::move(own));
    }
    return result;
  });
}

VkResult CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                 const VkGraphicsPipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                 VkPipeline* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    Stages stages(device);
    std::vector<VkGraphicsPipelineCreateInfo> theirs(infos, infos + count);
    if (const VkResult result = stages.translate_all(theirs); result != VK_SUCCESS) {
      std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
      return result;
    }
    return device.next.vkCreateGraphicsPipelines(handle, cache, count, theirs.data(), allocator, made);
  });
}

VkResult CreateRayTracingPipelinesKHR(VkDevice handle, VkDeferredOperationKHR deferred, VkPipelineCache cache,
                                      std::uint32_t count, const VkRayTracingPipelineCreateInfoKHR* infos,
                                      const VkAllocationCallbacks* allocator, VkPipeline* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    Stages stages(device);
    std::vector<VkRayTracingPipelineCreateInfoKHR> theirs(infos, infos + count);
    if (const VkResult result = stages.translate_all(theirs); result != VK_SUCCESS) {
      std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
      return result;
    }
    // The driver may read what is passed to a deferred operation until it is complete. What was translated lives
    // here alone, so that such a call is not deferred.
    const bool translated = !stages.empty();
    const VkResult result = device.next.vkCreateRayTracingPipelinesKHR(
        handle, translated ? VkDeferredOperationKHR{VK_NULL_HANDLE} : deferred, cache, count,
        translated ? theirs.data() : infos, allocator, made);
    return translated && deferred != VK_NULL_HANDLE && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
  });
}

VkResult CreateShadersEXT(VkDevice handle, std::uint32_t count, const VkShaderCreateInfoEXT* infos,
                          const VkAllocationCallbacks* allocator, VkShaderEXT* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    std::vector<VkShaderCreateInfoEXT> theirs(infos, infos + count);
    std::vector<spirv::Words> codes;
    for (VkShaderCreateInfoEXT& info : theirs) {
      const std::span words(static_cast<const std::uint32_t*>(info.pCode), info.codeSize / sizeof(std::uint32_t));
      if (info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT || kind_of(words) != ModuleKind::Tensors) continue;
      auto code = rewritten(device, words);
      if (!code) {
        std::fill_n(made, count, VkShaderEXT{VK_NULL_HANDLE});
        return VK_ERROR_INITIALIZATION_FAILED;
      }
      const spirv::Words& kept = codes.emplace_back(std::move(*code));
      info.pCode = kept.data();
      info.codeSize = kept.size() * sizeof(std::uint32_t);
    }
    return device.next.vkCreateShadersEXT(handle, count, theirs.data(), allocator, made);
  });
}

}  // namespace

std::optional<spirv::Words> graph_words(const LayerDevice& device,
                                        const VkDataGraphPipelineShaderModuleCreateInfoARM& info) {
  if (const GraphModule* module = device.graph_modules.find(info.module)) return module->words;
  const auto* given = find_in_chain<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (given == nullptr || kind_of(words_of(*given)) != ModuleKind::Graphs) return std::nullopt;
  const std::span<const std::uint32_t> words = words_of(*given);
  return spirv::Words(words.begin(), words.end());
}

std::span<const NamedFunction> shader_functions() {
  static const NamedFunction table[] = {
      named("vkCreateShaderModule", CreateShaderModule),
      named("vkDestroyShaderModule", DestroyShaderModule),
      named("vkGetShaderModuleIdentifierEXT", GetShaderModuleIdentifierEXT),
      named("vkGetShaderModuleCreateInfoIdentifierEXT", GetShaderModuleCreateInfoIdentifierEXT),
      named("vkCreateComputePipelines", CreateComputePipelines),
      named("vkCreateGraphicsPipelines", CreateGraphicsPipelines),
      named("vkCreateRayTracingPipelinesKHR", CreateRayTracingPipelinesKHR),
      named("vkCreateShadersEXT", CreateShadersEXT),
  };
  return table;
}

}  // namespace slipway::layer
