// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shader modules: shaders with tensors are rewritten when the module is made, because records describe the tensors;
// modules with graphs are kept here.
#include "layer/shaders.hpp"

#include <cstring>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "base/cache.hpp"
#include "base/print_diagnostic.hpp"
#include "layer/capture.hpp"
#include "layer/chain.hpp"
#include "layer/device.hpp"
#include "layer/graphs.hpp"
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

void report(const LayerDevice& device, const Failure& failure) {
  device.instance->message(MessageLevel::Error, format_diagnostics(failure, {.sources = false}));
}

// The rewritten words; empty after a message.
std::optional<spirv::Words> rewritten(const LayerDevice& device, std::span<const std::uint32_t> words) {
  if (device.instance->settings.validate) {
    if (const Result<> valid = spirv::validate(words, "shader"); !valid) report(device, valid.error());
  }
  auto made =
      spirv::read_module(spirv::Words(words.begin(), words.end()), "shader").and_then([](const spirv::Module& module) {
        return spirv::emulate_tensors_by_record(module);
      });
  if (!made) {
    report(device, made.error());
    return std::nullopt;
  }
  capture_shader(device, words);
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
        const auto code = rewritten(device, words);
        if (!code) return VK_ERROR_INVALID_SHADER_NV;
        VkShaderModuleCreateInfo theirs = *info;
        theirs.codeSize = code->size() * sizeof(std::uint32_t);
        theirs.pCode = code->data();
        return device.next.vkCreateShaderModule(handle, &theirs, allocator, made);
      }
    }
    return device.next.vkCreateShaderModule(handle, info, allocator, made);
  });
}

void DestroyShaderModule(VkDevice handle, VkShaderModule module, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  if (!device.graph_modules.remove(module)) device.next.vkDestroyShaderModule(handle, module, allocator);
}

void GetShaderModuleIdentifierEXT(VkDevice handle, VkShaderModule module, VkShaderModuleIdentifierEXT* identifier) {
  const LayerDevice& device = device_of(handle);
  const GraphModule* graph = device.graph_modules.find(module);
  if (graph == nullptr) return device.next.vkGetShaderModuleIdentifierEXT(handle, module, identifier);
  try {
    const std::string key = Cache::key({text_of(std::as_bytes(std::span(graph->words)))});
    identifier->identifierSize =
        static_cast<std::uint32_t>(std::min<std::size_t>(key.size(), VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT));
    std::memcpy(identifier->identifier, key.data(), identifier->identifierSize);
  } catch (...) {
    identifier->identifierSize = 0;
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
    const auto code = rewritten(device_, words_of(*given));
    if (!code) return VK_ERROR_INVALID_SHADER_NV;
    const VkShaderModuleCreateInfo create{
        .sType = type[0], .codeSize = code->size() * sizeof(std::uint32_t), .pCode = code->data()};
    const VkResult result = device_.next.vkCreateShaderModule(device_.handle, &create, nullptr, &stage.module);
    if (result != VK_SUCCESS) return result;
    modules_.push_back(stage.module);
    stage.pNext = chains_.emplace_back(std::make_unique<ChainCopy>())->make(stage.pNext, type);
    return VK_SUCCESS;
  }

 private:
  const LayerDevice& device_;
  std::vector<VkShaderModule> modules_;
  std::vector<std::unique_ptr<ChainCopy>> chains_;
};

VkResult CreateComputePipelines(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                VkPipeline* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    Stages stages(device);
    std::vector<VkComputePipelineCreateInfo> theirs(infos, infos + count);
    for (VkComputePipelineCreateInfo& info : theirs) {
      if (const VkResult result = stages.translate(info.stage); result != VK_SUCCESS) {
        std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
        return result;
      }
    }
    return device.next.vkCreateComputePipelines(handle, cache, count, theirs.data(), allocator, made);
  });
}

VkResult CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                 const VkGraphicsPipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                 VkPipeline* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    Stages stages(device);
    std::vector<VkGraphicsPipelineCreateInfo> theirs(infos, infos + count);
    std::vector<std::vector<VkPipelineShaderStageCreateInfo>> all;
    for (VkGraphicsPipelineCreateInfo& info : theirs) {
      if (info.stageCount == 0 || info.pStages == nullptr) continue;
      auto& own = all.emplace_back(info.pStages, info.pStages + info.stageCount);
      for (VkPipelineShaderStageCreateInfo& stage : own) {
        if (const VkResult result = stages.translate(stage); result != VK_SUCCESS) {
          std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
          return result;
        }
      }
      info.pStages = own.data();
    }
    return device.next.vkCreateGraphicsPipelines(handle, cache, count, theirs.data(), allocator, made);
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
      named("vkCreateComputePipelines", CreateComputePipelines),
      named("vkCreateGraphicsPipelines", CreateGraphicsPipelines),
      named("vkCreateShadersEXT", CreateShadersEXT),
  };
  return table;
}

}  // namespace slipway::layer
