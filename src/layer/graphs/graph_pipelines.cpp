// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of VK_ARM_data_graph: pipelines, their properties, sessions, dispatches.
#include <chrono>
#include <cstring>

#include "base/format.hpp"
#include "layer/chain.hpp"
#include "layer/graphs/graph_profile.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/resources/capture.hpp"
#include "layer/shaders.hpp"
#include "spirv/tools.hpp"

namespace slipway::layer {
namespace {

// --- pipelines -------------------------------------------------------------------------------------------------------

std::optional<BoundTensors> read_tensors(const LayerDevice& device, const VkDataGraphPipelineCreateInfoARM& info,
                                         Diagnostics& problems) {
  BoundTensors tensors;
  for (const VkDataGraphPipelineResourceInfoARM& resource : array_of(info.pResourceInfos, info.resourceInfoCount)) {
    const auto* given = find_in_chain<VkTensorDescriptionARM>(resource.pNext, VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM);
    TensorDescription description;
    const tosa::Binding at{resource.descriptorSet, resource.binding, resource.arrayElement};
    if (given == nullptr || !read_description(device, *given, description)) {
      problems.error(DiagnosticKind::Unsupported, {},
                     formatted("the resource of a graph at {} is not a tensor that graphs have", text_of(at)));
      return std::nullopt;
    }
    tensors.emplace(at, description);
  }
  return tensors;
}

// Of everything that a pipeline depends on.
std::string identifier_of(const spirv::Words& words, const VkDataGraphPipelineShaderModuleCreateInfoARM& shader,
                          const BoundTensors& tensors, const tosa::Graph& graph) {
  std::string interface;
  for (const auto& [at, tensor] : tensors) {
    interface += formatted("{}.{}.{} {} {}", at.set, at.binding, at.element, static_cast<std::uint32_t>(tensor.format),
                           tensor::shape_text(tensor.shape_of()));
    for (std::uint32_t d = 0; d < tensor.rank; ++d) interface += formatted(" {}", tensor.strides[d]);
  }
  std::string specialization;
  if (const VkSpecializationInfo* given = shader.pSpecializationInfo) {
    for (std::uint32_t i = 0; i < given->mapEntryCount; ++i) {
      const VkSpecializationMapEntry& entry = given->pMapEntries[i];
      specialization += formatted("{} {} {};", entry.constantID, entry.offset, entry.size);
    }
    specialization.append(static_cast<const char*>(given->pData), given->dataSize);
  }
  std::string constants;
  for (const tosa::Constant& constant : graph.constants) {
    if (constant.graph_constant) constants += Cache::key({text_of(constant.data)});
  }
  return Cache::key({text_of(std::as_bytes(std::span(words))), graph.name, specialization, interface, constants});
}

class PipelineRequest {
 public:
  PipelineRequest(LayerDevice& device, VkPipelineCache cache, const VkDataGraphPipelineCreateInfoARM& info)
      : device_(device), cache_(cache), info_(info), identified_(device.identified.find(cache)) {
    if (const KnownPipelineLayout* layout = device.pipeline_layouts.find(info.layout)) after_bind_ = layout->after_bind;
    // An identifier does not name the sets of the layout.
    if (after_bind_) identified_ = nullptr;
  }

  VkResult make(GraphPipeline& pipeline) {
    const auto* shader = find_in_chain<VkDataGraphPipelineShaderModuleCreateInfoARM>(
        info_.pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
    const auto* node = find_in_chain<VkDataGraphPipelineSingleNodeCreateInfoARM>(
        info_.pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SINGLE_NODE_CREATE_INFO_ARM);
    if (shader == nullptr && node == nullptr) return from_identifier(pipeline);
    Diagnostics problems;
    const VkResult result =
        shader == nullptr ? from_node(*node, pipeline, problems) : from_module(*shader, pipeline, problems);
    device_.instance->report(problems.all());
    return result;
  }

 private:
  // Flags of the kernels' pipelines: those that both kinds have.
  VkPipelineCreateFlags flags() const {
    constexpr VkPipelineCreateFlags2 passed =
        VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT | VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
        VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT | VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT;
    return static_cast<VkPipelineCreateFlags>(info_.flags & passed);
  }

  VkResult from_node(const VkDataGraphPipelineSingleNodeCreateInfoARM& node, GraphPipeline& pipeline,
                     Diagnostics& problems) const {
    auto program = std::make_shared<GraphProgram>(device_);
    program->flow = std::make_unique<FlowKernel>(device_);
    program->log = "optical flow: 1 dispatch\n";
    const VkResult result = program->flow->make(info_, node, cache_, flags(), problems);
    if (result == VK_SUCCESS) pipeline.program = std::move(program);
    return result;
  }

  VkResult from_identifier(GraphPipeline& pipeline) const {
    const auto* given = find_in_chain<VkDataGraphPipelineIdentifierCreateInfoARM>(
        info_.pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM);
    if (given == nullptr) {
      device_.instance->message(MessageLevel::Error, "a data graph pipeline without a module of graphs");
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    const std::string identifier(reinterpret_cast<const char*>(given->pIdentifier), given->identifierSize);
    if (identified_ == nullptr) return VK_PIPELINE_COMPILE_REQUIRED;
    const std::scoped_lock lock(identified_->mutex);
    const auto found = identified_->programs.find(identifier);
    if (found == identified_->programs.end()) return VK_PIPELINE_COMPILE_REQUIRED;
    pipeline.program = found->second;
    pipeline.identifier = identifier;
    return VK_SUCCESS;
  }

  VkResult from_module(const VkDataGraphPipelineShaderModuleCreateInfoARM& shader, GraphPipeline& pipeline,
                       Diagnostics& problems) {
    const auto words = graph_words(device_, shader);
    if (!words) {
      problems.error(DiagnosticKind::FileFormat, {}, "a data graph pipeline without a module of graphs");
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    if (device_.instance->settings.validate) {
      spirv::check_module(*words, "graph", problems);
      if (problems.has_errors()) return VK_ERROR_INITIALIZATION_FAILED;
    }
    const auto tensors = read_tensors(device_, info_, problems);
    if (!tensors) return VK_ERROR_INITIALIZATION_FAILED;
    const auto graph = read_graph(*words, shader, *tensors, problems);
    if (device_.instance->settings.validate) problems.enforce_rules();
    if (!graph || problems.has_errors()) return VK_ERROR_INITIALIZATION_FAILED;
    std::shared_ptr<const RecordedWork> recorded = capture_graph(device_, *words, *graph, *tensors);
    if (identified_ != nullptr) pipeline.identifier = identifier_of(*words, shader, *tensors, *graph);
    auto program = std::make_shared<GraphProgram>(device_);
    program->recorded = std::move(recorded);
    const IdentifiedGraphs* const cached = device_.identified.find(cache_);
    const VkResult result = program->make(*graph, *tensors, after_bind_, cache_,
                                          cached == nullptr || !cached->externally_synchronized, flags(), problems);
    if (result != VK_SUCCESS) return result;
    device_.instance->message(MessageLevel::Info,
                              formatted("graph `{}`: {} dispatches, {} bytes of session memory", graph->name,
                                        program->program.dispatches.size(), program->session_size));
    if (identified_ != nullptr) {
      const std::scoped_lock lock(identified_->mutex);
      identified_->programs.emplace(pipeline.identifier, program);
    }
    pipeline.program = std::move(program);
    return VK_SUCCESS;
  }

  LayerDevice& device_;
  VkPipelineCache cache_;
  const VkDataGraphPipelineCreateInfoARM& info_;
  IdentifiedGraphs* identified_;  // null without a cache
  std::shared_ptr<const AfterBindLayout> after_bind_;
};

void write_feedback(const VkDataGraphPipelineCreateInfoARM& info, VkResult result,
                    std::chrono::steady_clock::time_point start) {
  const auto* feedback = find_in_chain<VkPipelineCreationFeedbackCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  if (feedback == nullptr || feedback->pPipelineCreationFeedback == nullptr) return;
  const auto duration = std::chrono::steady_clock::now() - start;
  feedback->pPipelineCreationFeedback->flags =
      result == VK_SUCCESS ? VkPipelineCreationFeedbackFlags{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT} : 0;
  feedback->pPipelineCreationFeedback->duration =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

VkResult CreateDataGraphPipelinesARM(VkDevice handle, VkDeferredOperationKHR, VkPipelineCache cache,
                                     std::uint32_t count, const VkDataGraphPipelineCreateInfoARM* infos,
                                     const VkAllocationCallbacks*, VkPipeline* made) {
  std::fill_n(made, count, VkPipeline{VK_NULL_HANDLE});
  LayerDevice& device = device_of(handle);
  VkResult all = VK_SUCCESS;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const VkResult result = guarded([&] {
      if (!allows(device, device.implied.graphs, "dataGraph")) return VK_ERROR_INITIALIZATION_FAILED;
      auto pipeline = std::make_unique<GraphPipeline>();
      const VkResult one = PipelineRequest(device, cache, infos[i]).make(*pipeline);
      if (one != VK_SUCCESS) return one;
      const auto own = handle_of<VkPipeline>(pipeline.get());
      device.graph_pipelines.add(own, std::move(pipeline));
      made[i] = own;
      return VK_SUCCESS;
    });
    write_feedback(infos[i], result, start);
    // An error is returned rather than that a pipeline would have to be compiled.
    if (result != VK_SUCCESS && all >= VK_SUCCESS) all = result;
    if (result != VK_SUCCESS && (infos[i].flags & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) != 0) break;
  }
  return all;
}

void DestroyPipeline(VkDevice handle, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  static_cast<void>(device.captures.pipelines.remove(pipeline));
  if (!device.graph_pipelines.remove(pipeline)) return device.next.vkDestroyPipeline(handle, pipeline, allocator);
  device.forget_private_data(reinterpret_cast<std::uint64_t>(pipeline));
}

VkResult CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* info,
                             const VkAllocationCallbacks* allocator, VkPipelineCache* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    auto identified = std::make_unique<IdentifiedGraphs>();
    identified->externally_synchronized = (info->flags & VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT) != 0;
    const VkResult result = device.next.vkCreatePipelineCache(handle, info, allocator, made);
    if (result == VK_SUCCESS) device.identified.add(*made, std::move(identified));
    return result;
  });
}

void DestroyPipelineCache(VkDevice handle, VkPipelineCache cache, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  const auto removed = device.identified.remove(cache);
  device.next.vkDestroyPipelineCache(handle, cache, allocator);
}

VkResult MergePipelineCaches(VkDevice handle, VkPipelineCache target, std::uint32_t count,
                             const VkPipelineCache* sources) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const VkResult result = device.next.vkMergePipelineCaches(handle, target, count, sources);
    IdentifiedGraphs* const to = device.identified.find(target);
    if (result != VK_SUCCESS || to == nullptr) return result;
    for (std::uint32_t i = 0; i < count; ++i) {
      IdentifiedGraphs* const from = device.identified.find(sources[i]);
      if (from == nullptr || from == to) continue;
      const std::scoped_lock lock(from->mutex, to->mutex);
      to->programs.insert(from->programs.begin(), from->programs.end());
    }
    return VK_SUCCESS;
  });
}

// --- properties ------------------------------------------------------------------------------------------------------

// The pipeline that a query is about. Null, with a message, for a handle that is not one of a data graph: tests and
// tools of other implementations pass null.
const GraphPipeline* queried(const LayerDevice& device, std::string_view function,
                             const VkDataGraphPipelineInfoARM* info) {
  if (info == nullptr || info->dataGraphPipeline == VK_NULL_HANDLE) {
    static_cast<void>(refuse_null(device, function, info == nullptr ? "pPipelineInfo" : "dataGraphPipeline"));
    return nullptr;
  }
  const GraphPipeline* pipeline = device.graph_pipelines.find(info->dataGraphPipeline);
  if (pipeline == nullptr)
    device.instance->message(MessageLevel::Error, formatted("{}: the pipeline is not a data graph", function));
  return pipeline;
}

// What a pipeline answers about a property; empty for one that it does not have.
struct PropertyValue {
  std::string bytes;
  bool is_text = false;
};
PropertyValue value_of(const GraphPipeline& pipeline, VkDataGraphPipelinePropertyARM property) {
  if (property == VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM) return {pipeline.program->log, true};
  if (property == VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM) return {pipeline.identifier, false};
  if (property == kGraphProfileProperty && pipeline.program->profile) return {pipeline.program->profile->text(), true};
  return {};
}

VkResult GetDataGraphPipelineAvailablePropertiesARM(VkDevice handle, const VkDataGraphPipelineInfoARM* info,
                                                    std::uint32_t* count, VkDataGraphPipelinePropertyARM* properties) {
  return guarded([&] {
    const GraphPipeline* pipeline = queried(device_of(handle), "vkGetDataGraphPipelineAvailablePropertiesARM", info);
    if (pipeline == nullptr) return VK_ERROR_UNKNOWN;
    std::vector all = {VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM};
    if (!pipeline->identifier.empty()) all.push_back(VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM);
    if (pipeline->program->profile) all.push_back(kGraphProfileProperty);
    return write_array<VkDataGraphPipelinePropertyARM>(all, count, properties);
  });
}

VkResult GetDataGraphPipelinePropertiesARM(VkDevice handle, const VkDataGraphPipelineInfoARM* info, std::uint32_t count,
                                           VkDataGraphPipelinePropertyQueryResultARM* properties) {
  return guarded([&] {
    constexpr std::string_view function = "vkGetDataGraphPipelinePropertiesARM";
    const LayerDevice& device = device_of(handle);
    const GraphPipeline* pipeline = queried(device, function, info);
    if (pipeline == nullptr) return VK_ERROR_UNKNOWN;
    if (properties == nullptr && count != 0) return refuse_null(device, function, "pProperties");
    VkResult result = VK_SUCCESS;
    for (VkDataGraphPipelinePropertyQueryResultARM& to : std::span(properties, count)) {
      const auto [value, is_text] = value_of(*pipeline, to.property);
      const std::size_t size = value.size() + (is_text ? 1 : 0);  // text ends with a zero
      to.isText = is_text ? VK_TRUE : VK_FALSE;
      if (to.pData == nullptr) {
        to.dataSize = size;
        continue;
      }
      const std::size_t written = std::min(to.dataSize, size);
      std::memcpy(to.pData, value.c_str(), written);
      if (is_text && written > 0 && written < size) static_cast<char*>(to.pData)[written - 1] = 0;
      if (written < size) result = VK_INCOMPLETE;
      to.dataSize = written;
    }
    return result;
  });
}

// Applications expect that a session has memory, so that one that needs none asks for little.
constexpr std::uint64_t kMinSessionSize = 256;

// --- sessions --------------------------------------------------------------------------------------------------------

VkResult CreateDataGraphPipelineSessionARM(VkDevice handle, const VkDataGraphPipelineSessionCreateInfoARM* info,
                                           const VkAllocationCallbacks* allocator,
                                           VkDataGraphPipelineSessionARM* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    const auto* pipeline = object_of<GraphPipeline>(info->dataGraphPipeline);
    if (pipeline == nullptr) return refuse_null(device, "vkCreateDataGraphPipelineSessionARM", "dataGraphPipeline");
    auto* session = create_object<SessionObject>(
        allocator, SessionObject{.program = pipeline->program, .recorded = std::make_unique<RecordedGraphs>(device)});
    if (session == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkBufferCreateInfo create{
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .flags = (info->flags & VK_DATA_GRAPH_PIPELINE_SESSION_CREATE_PROTECTED_BIT_ARM) != 0
                     ? VkBufferCreateFlags{VK_BUFFER_CREATE_PROTECTED_BIT}
                     : 0,
        .size = std::max(pipeline->program->session_size, kMinSessionSize),
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkResult result = device.next.vkCreateBuffer(handle, &create, allocator, &session->buffer);
    if (result != VK_SUCCESS) {
      destroy_object(allocator, session);
      return result;
    }
    *made = handle_of<VkDataGraphPipelineSessionARM>(session);
    return VK_SUCCESS;
  });
}

void DestroyDataGraphPipelineSessionARM(VkDevice handle, VkDataGraphPipelineSessionARM session,
                                        const VkAllocationCallbacks* allocator) {
  auto* object = object_of<SessionObject>(session);
  if (object == nullptr) return;
  LayerDevice& device = device_of(handle);
  device.forget_private_data(reinterpret_cast<std::uint64_t>(object));
  object->recorded.reset();
  device.next.vkDestroyBuffer(handle, object->buffer, allocator);
  destroy_object(allocator, object);
}

VkResult GetDataGraphPipelineSessionBindPointRequirementsARM(
    VkDevice, const VkDataGraphPipelineSessionBindPointRequirementsInfoARM*, std::uint32_t* count,
    VkDataGraphPipelineSessionBindPointRequirementARM* requirements) {
  constexpr VkDataGraphPipelineSessionBindPointRequirementARM transient[] = {
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM,
       .bindPoint = VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TRANSIENT_ARM,
       .bindPointType = VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TYPE_MEMORY_ARM,
       .numObjects = 1}};
  return write_array<VkDataGraphPipelineSessionBindPointRequirementARM>(transient, count, requirements);
}

void GetDataGraphPipelineSessionMemoryRequirementsARM(VkDevice handle,
                                                      const VkDataGraphPipelineSessionMemoryRequirementsInfoARM* info,
                                                      VkMemoryRequirements2* requirements) {
  const auto* session = object_of<SessionObject>(info->session);
  if (session == nullptr)
    return (void)refuse_null(device_of(handle), "vkGetDataGraphPipelineSessionMemoryRequirementsARM", "session");
  const VkBufferMemoryRequirementsInfo2 buffer{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                               .buffer = session->buffer};
  device_of(handle).next.vkGetBufferMemoryRequirements2(handle, &buffer, requirements);
  VkMemoryRequirements& needs = requirements->memoryRequirements;
  needs.alignment = std::max<VkDeviceSize>(needs.alignment, 256);
}

VkResult BindDataGraphPipelineSessionMemoryARM(VkDevice handle, std::uint32_t count,
                                               const VkBindDataGraphPipelineSessionMemoryInfoARM* infos) {
  const LayerDevice& device = device_of(handle);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto* session = object_of<SessionObject>(infos[i].session);
    if (session == nullptr) return refuse_null(device, "vkBindDataGraphPipelineSessionMemoryARM", "session");
    const VkResult result =
        bind_buffer(device, session->buffer, infos[i].memory, infos[i].memoryOffset, session->address);
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

void CmdDispatchDataGraphARM(VkCommandBuffer commands, VkDataGraphPipelineSessionARM session,
                             const VkDataGraphPipelineDispatchInfoARM* info) {
  const LayerDevice& device = device_of(commands);
  if (session == VK_NULL_HANDLE) return (void)refuse_null(device, "vkCmdDispatchDataGraphARM", "session");
  try {
    record_graph(device, commands, *object_of<SessionObject>(session), info);
  } catch (...) {
    device.instance->message(MessageLevel::Error, "out of memory in vkCmdDispatchDataGraphARM");
  }
}

}  // namespace

std::span<const NamedFunction> graph_functions() {
  static const NamedFunction table[] = {
      named("vkCreateDataGraphPipelinesARM", CreateDataGraphPipelinesARM),
      named("vkDestroyPipeline", DestroyPipeline),
      named("vkCreatePipelineCache", CreatePipelineCache),
      named("vkDestroyPipelineCache", DestroyPipelineCache),
      named("vkMergePipelineCaches", MergePipelineCaches),
      named("vkGetDataGraphPipelineAvailablePropertiesARM", GetDataGraphPipelineAvailablePropertiesARM),
      named("vkGetDataGraphPipelinePropertiesARM", GetDataGraphPipelinePropertiesARM),
      named("vkCreateDataGraphPipelineSessionARM", CreateDataGraphPipelineSessionARM),
      named("vkDestroyDataGraphPipelineSessionARM", DestroyDataGraphPipelineSessionARM),
      named("vkGetDataGraphPipelineSessionBindPointRequirementsARM",
            GetDataGraphPipelineSessionBindPointRequirementsARM),
      named("vkGetDataGraphPipelineSessionMemoryRequirementsARM", GetDataGraphPipelineSessionMemoryRequirementsARM),
      named("vkBindDataGraphPipelineSessionMemoryARM", BindDataGraphPipelineSessionMemoryARM),
      named("vkCmdDispatchDataGraphARM", CmdDispatchDataGraphARM),
  };
  return table;
}

}  // namespace slipway::layer
