// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules with tensors and graphs, and their pipelines.
#include <algorithm>

#include "base/print_diagnostic.hpp"
#include "testing/arm_driver/driver.hpp"
#include "tosa/bind_constants.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/shapes.hpp"
#include "tosa/verify.hpp"

namespace slipway::testing::arm_driver {
namespace {

constexpr std::uint32_t kOpCapability = 17, kTensorsARM = 4174, kGraphARM = 4191;  // SPV_ARM_tensors, SPV_ARM_graph

// Capabilities are at the beginning of a module.
bool is_ours(const VkShaderModuleCreateInfo& info) {
  const std::size_t words = info.codeSize / 4;
  for (std::size_t at = spirv::kHeaderWords; at + 1 < words && info.pCode[at] == (2u << 16 | kOpCapability); at += 2) {
    if (info.pCode[at + 1] == kTensorsARM || info.pCode[at + 1] == kGraphARM) return true;
  }
  return false;
}

VkResult CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                            const VkAllocationCallbacks* allocator, VkShaderModule* made) {
  if (!is_ours(*info)) return state().real.vkCreateShaderModule(device, info, allocator, made);
  auto module = std::make_unique<Module>(spirv::Words(info->pCode, info->pCode + info->codeSize / 4));
  *made = handle_of<VkShaderModule>(module.get());
  const std::lock_guard lock(state().mutex);
  state().modules[*made] = std::move(module);
  return VK_SUCCESS;
}

void DestroyShaderModule(VkDevice device, VkShaderModule module, const VkAllocationCallbacks* allocator) {
  {
    const std::lock_guard lock(state().mutex);
    if (state().modules.erase(module)) return;
  }
  state().real.vkDestroyShaderModule(device, module, allocator);
}

const Module* find_module(VkShaderModule handle) {
  const auto found = state().modules.find(handle);
  return found == state().modules.end() ? nullptr : found->second.get();
}

VkPipeline keep(std::unique_ptr<TensorPipeline> pipeline) {
  const auto handle = handle_of<VkPipeline>(pipeline.get());
  state().tensor_pipelines[handle] = std::move(pipeline);
  return handle;
}

VkResult CreateComputePipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                VkPipeline* made) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkComputePipelineCreateInfo& info = infos[i];
    std::unique_lock lock(state().mutex);
    const Module* module = find_module(info.stage.module);
    if (!module) {
      lock.unlock();
      const VkResult result = state().real.vkCreateComputePipelines(device, cache, 1, &info, allocator, &made[i]);
      if (result != VK_SUCCESS) return result;
      continue;
    }
    auto pipeline = std::make_unique<TensorPipeline>(module->words, info.stage.pName);
    if (const VkSpecializationInfo* values = info.stage.pSpecializationInfo) {
      pipeline->entries.assign(values->pMapEntries, values->pMapEntries + values->mapEntryCount);
      const auto* data = static_cast<const std::byte*>(values->pData);
      pipeline->data.assign(data, data + values->dataSize);
    }
    pipeline->layout = info.layout;
    made[i] = keep(std::move(pipeline));
  }
  return VK_SUCCESS;
}

// --- graphs ----------------------------------------------------------------------------------------------------------

std::string text_of(const Diagnostics& diagnostics) {
  return format_diagnostics(diagnostics.all(), {.sources = false});
}

const VkTensorDescriptionARM& description_in(const void* chain) {
  const auto* found = find_in_chain<VkTensorDescriptionARM>(chain, VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM);
  if (!found) complain("a tensor of a graph without a description");
  return *found;
}

// Copies the data of constants, because the caller may release them after the pipeline is created.
tosa::Graph read(const VkDataGraphPipelineShaderModuleCreateInfoARM& shader, const Module& module,
                 const std::map<std::pair<std::uint32_t, std::uint32_t>, Description>& tensors) {
  Diagnostics problems;
  const auto parsed = problems.take(spirv::read_module(spirv::Words(module.words), "graph"));
  auto graph = parsed ? tosa::read_graph(*parsed, shader.pName, problems) : std::nullopt;
  if (!graph) complain(text_of(problems));
  std::map<std::uint32_t, std::shared_ptr<const std::vector<std::byte>>> constants;
  for (std::uint32_t i = 0; i < shader.constantCount; ++i) {
    const Description description = describe(description_in(shader.pConstants[i].pNext));
    const auto* data = static_cast<const std::byte*>(shader.pConstants[i].pConstantData);
    constants[shader.pConstants[i].id] =
        std::make_shared<const std::vector<std::byte>>(data, data + description.size());
  }
  tosa::bind_constants(
      *graph,
      [&](std::uint32_t id) -> std::optional<Bytes> {
        const auto found = constants.find(id);
        return found == constants.end() ? std::nullopt : std::optional(Bytes(*found->second));
      },
      problems);
  if (!problems.has_errors()) tosa::verify(*graph, problems);
  std::vector<tensor::Shape> shapes;
  for (const tosa::Binding& at : graph->input_bindings) {
    const auto found = tensors.find({at.set, at.binding});
    if (found == tensors.end()) complain("an input of a graph that the pipeline has no tensor for");
    shapes.push_back(found->second.shape);
  }
  auto resolved = problems.has_errors() ? std::nullopt : tosa::with_input_shapes(*graph, shapes, problems);
  if (!resolved) complain(text_of(problems));
  for (const auto& [id, data] : constants) resolved->storage.push_back(data);
  return std::move(*resolved);
}

VkResult CreateDataGraphPipelinesARM(VkDevice, VkDeferredOperationKHR, VkPipelineCache, std::uint32_t count,
                                     const VkDataGraphPipelineCreateInfoARM* infos, const VkAllocationCallbacks*,
                                     VkPipeline* made) {
  const std::lock_guard lock(state().mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto* shader = find_in_chain<VkDataGraphPipelineShaderModuleCreateInfoARM>(
        infos[i].pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
    const Module* module = shader ? find_module(shader->module) : nullptr;
    if (!module) complain("a graph pipeline without a module");
    auto pipeline = std::make_unique<GraphPipeline>();
    for (std::uint32_t r = 0; r < infos[i].resourceInfoCount; ++r) {
      const VkDataGraphPipelineResourceInfoARM& resource = infos[i].pResourceInfos[r];
      pipeline->tensors[{resource.descriptorSet, resource.binding}] = describe(description_in(resource.pNext));
    }
    pipeline->graph = read(*shader, *module, pipeline->tensors);
    made[i] = handle_of<VkPipeline>(pipeline.get());
    state().graph_pipelines[made[i]] = std::move(pipeline);
  }
  return VK_SUCCESS;
}

void DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  const std::lock_guard lock(state().mutex);
  if (state().graph_pipelines.erase(pipeline)) return;
  const auto tensors = state().tensor_pipelines.find(pipeline);
  if (tensors == state().tensor_pipelines.end()) return state().real.vkDestroyPipeline(device, pipeline, allocator);
  for (const auto& [shapes, made] : tensors->second->by_shapes) state().real.vkDestroyPipeline(device, made, nullptr);
  state().tensor_pipelines.erase(tensors);
}

// --- sessions --------------------------------------------------------------------------------------------------------

VkResult CreateDataGraphPipelineSessionARM(VkDevice, const VkDataGraphPipelineSessionCreateInfoARM* info,
                                           const VkAllocationCallbacks*, VkDataGraphPipelineSessionARM* made) {
  *made = handle_of<VkDataGraphPipelineSessionARM>(new Session{object_of<GraphPipeline>(info->dataGraphPipeline)});
  return VK_SUCCESS;
}

void DestroyDataGraphPipelineSessionARM(VkDevice, VkDataGraphPipelineSessionARM session, const VkAllocationCallbacks*) {
  delete object_of<Session>(session);
}

VkResult GetDataGraphPipelineSessionBindPointRequirementsARM(
    VkDevice, const VkDataGraphPipelineSessionBindPointRequirementsInfoARM*, std::uint32_t* count,
    VkDataGraphPipelineSessionBindPointRequirementARM* requirements) {
  if (requirements && *count >= 1) {
    requirements[0].bindPoint = VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TRANSIENT_ARM;
    requirements[0].bindPointType = VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TYPE_MEMORY_ARM;
    requirements[0].numObjects = 1;
  }
  *count = 1;
  return VK_SUCCESS;
}

// The interpreter allocates its own memory; this size only lets tests allocate and bind some.
void GetDataGraphPipelineSessionMemoryRequirementsARM(VkDevice,
                                                      const VkDataGraphPipelineSessionMemoryRequirementsInfoARM*,
                                                      VkMemoryRequirements2* requirements) {
  requirements->memoryRequirements = {.size = 4096, .alignment = 256, .memoryTypeBits = 1};
}

VkResult BindDataGraphPipelineSessionMemoryARM(VkDevice, std::uint32_t count,
                                               const VkBindDataGraphPipelineSessionMemoryInfoARM* infos) {
  for (std::uint32_t i = 0; i < count; ++i) object_of<Session>(infos[i].session)->bound = true;
  return VK_SUCCESS;
}

}  // namespace

PFN_vkVoidFunction find_pipelines(std::string_view name) {
  static const Named table[] = {
      ARM_DRIVER_FUNCTION(CreateShaderModule),
      ARM_DRIVER_FUNCTION(DestroyShaderModule),
      ARM_DRIVER_FUNCTION(CreateComputePipelines),
      ARM_DRIVER_FUNCTION(CreateDataGraphPipelinesARM),
      ARM_DRIVER_FUNCTION(DestroyPipeline),
      ARM_DRIVER_FUNCTION(CreateDataGraphPipelineSessionARM),
      ARM_DRIVER_FUNCTION(DestroyDataGraphPipelineSessionARM),
      ARM_DRIVER_FUNCTION(GetDataGraphPipelineSessionBindPointRequirementsARM),
      ARM_DRIVER_FUNCTION(GetDataGraphPipelineSessionMemoryRequirementsARM),
      ARM_DRIVER_FUNCTION(BindDataGraphPipelineSessionMemoryARM),
  };
  return find_in(table, name);
}

}  // namespace slipway::testing::arm_driver
