// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enumerations of the language (docs/spec/scenario.md#enumerations): exact spellings, case-sensitive. Barrier
// fields have two spellings each: that of the specification, then the one used in practice
// (docs/spec/scenario.md#decision-2).
#pragma once

#include "json/record.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

using json::Word;

inline constexpr Word<Access> kAccess[] = {{"readonly", Access::ReadOnly},
                                           {"writeonly", Access::WriteOnly},
                                           {"readwrite", Access::ReadWrite},
                                           {"image_read", Access::ImageRead}};

inline constexpr Word<vk::Tiling> kTiling[] = {{"OPTIMAL", vk::Tiling::Optimal}, {"LINEAR", vk::Tiling::Linear}};

inline constexpr Word<vk::Filter> kFilter[] = {{"NEAREST", vk::Filter::NEAREST}, {"LINEAR", vk::Filter::LINEAR}};

inline constexpr Word<vk::AddressMode> kAddressMode[] = {{"CLAMP_EDGE", vk::AddressMode::CLAMP_TO_EDGE},
                                                         {"CLAMP_BORDER", vk::AddressMode::CLAMP_TO_BORDER},
                                                         {"REPEAT", vk::AddressMode::REPEAT},
                                                         {"MIRRORED_REPEAT", vk::AddressMode::MIRRORED_REPEAT}};

inline constexpr Word<vk::BorderColor> kBorderColor[] = {
    {"FLOAT_TRANSPARENT_BLACK", vk::BorderColor::FLOAT_TRANSPARENT_BLACK},
    {"FLOAT_OPAQUE_BLACK", vk::BorderColor::FLOAT_OPAQUE_BLACK},
    {"FLOAT_OPAQUE_WHITE", vk::BorderColor::FLOAT_OPAQUE_WHITE},
    {"INT_TRANSPARENT_BLACK", vk::BorderColor::INT_TRANSPARENT_BLACK},
    {"INT_OPAQUE_BLACK", vk::BorderColor::INT_OPAQUE_BLACK},
    {"INT_OPAQUE_WHITE", vk::BorderColor::INT_OPAQUE_WHITE},
    {"INT_CUSTOM_EXT", vk::BorderColor::INT_CUSTOM_EXT},
    {"FLOAT_CUSTOM_EXT", vk::BorderColor::FLOAT_CUSTOM_EXT}};

// The spellings of RPL's settings (docs/spec/rpl.md#settings).
inline constexpr Word<vk::CompareOperation> kCompareOperation[] = {
#define COMPARE_OPERATION(name, word, value) {word, vk::CompareOperation::name},
#include "vk/graphics_state.def"
};

inline constexpr Word<ShaderType> kShaderType[] = {{"GLSL", ShaderType::Glsl},
                                                   {"SPIR-V", ShaderType::Spirv},
                                                   {"HLSL", ShaderType::Hlsl},
                                                   {"SPIR-V-ASM", ShaderType::SpirvAssembly},
                                                   {"RPL", ShaderType::Rpl}};

inline constexpr Word<ShaderStage> kShaderStage[] = {
    {"compute", ShaderStage::Compute}, {"vertex", ShaderStage::Vertex}, {"fragment", ShaderStage::Fragment}};

inline constexpr Word<DescriptorChoice> kDescriptorType[] = {
    {"VK_DESCRIPTOR_TYPE_AUTO", DescriptorChoice::Auto},
    {"VK_DESCRIPTOR_TYPE_STORAGE_IMAGE", DescriptorChoice::StorageImage}};

inline constexpr Word<BarrierAccess> kBarrierAccess[] = {
    {"ACCESS_MEMORY_WRITE", BarrierAccess::MemoryWrite},
    {"ACCESS_MEMORY_READ", BarrierAccess::MemoryRead},
    {"ACCESS_GRAPH_WRITE", BarrierAccess::GraphWrite},
    {"ACCESS_GRAPH_READ", BarrierAccess::GraphRead},
    {"ACCESS_COMPUTE_SHADER_WRITE", BarrierAccess::ComputeShaderWrite},
    {"ACCESS_COMPUTE_SHADER_READ", BarrierAccess::ComputeShaderRead},
    {"memory_write", BarrierAccess::MemoryWrite},
    {"memory_read", BarrierAccess::MemoryRead},
    {"graph_write", BarrierAccess::GraphWrite},
    {"graph_read", BarrierAccess::GraphRead},
    {"compute_shader_write", BarrierAccess::ComputeShaderWrite},
    {"compute_shader_read", BarrierAccess::ComputeShaderRead}};

inline constexpr Word<BarrierStage> kBarrierStage[] = {
    {"GRAPH", BarrierStage::Graph},       {"COMPUTE", BarrierStage::Compute}, {"GRAPHICS", BarrierStage::Graphics},
    {"ALL", BarrierStage::All},           {"graph", BarrierStage::Graph},     {"compute", BarrierStage::Compute},
    {"graphics", BarrierStage::Graphics}, {"all", BarrierStage::All}};

inline constexpr Word<BarrierLayout> kBarrierLayout[] = {
    {"IMAGE_LAYOUT_GENERAL", BarrierLayout::General},
    {"IMAGE_LAYOUT_UNDEFINED", BarrierLayout::Undefined},
    {"IMAGE_LAYOUT_TENSOR_ALIASING", BarrierLayout::TensorAliasing},
    {"general", BarrierLayout::General},
    {"undefined", BarrierLayout::Undefined},
    {"tensor_aliasing", BarrierLayout::TensorAliasing}};

inline constexpr Word<NanRule> kNanRule[] = {
    {"equal", NanRule::Equal}, {"fail", NanRule::Fail}, {"ignore", NanRule::Ignore}};

inline constexpr Word<FlowGrid> kFlowGrid[] = {
    {"1x1", FlowGrid::Grid1x1}, {"2x2", FlowGrid::Grid2x2}, {"4x4", FlowGrid::Grid4x4}, {"8x8", FlowGrid::Grid8x8}};

inline constexpr Word<FlowPerformance> kFlowPerformance[] = {{"unknown", FlowPerformance::Unknown},
                                                             {"slow", FlowPerformance::Slow},
                                                             {"medium", FlowPerformance::Medium},
                                                             {"fast", FlowPerformance::Fast}};

inline constexpr Word<FlowFlag> kFlowFlag[] = {{"disable_temporal_hints", FlowFlag::DisableTemporalHints},
                                               {"input_unchanged", FlowFlag::InputUnchanged},
                                               {"reference_unchanged", FlowFlag::ReferenceUnchanged},
                                               {"input_is_previous_reference", FlowFlag::InputIsPreviousReference},
                                               {"reference_is_previous_input", FlowFlag::ReferenceIsPreviousInput}};

inline constexpr Word<IndexType> kIndexType[] = {{"u16", IndexType::U16}, {"u32", IndexType::U32}};

inline constexpr Word<FormatUse> kFormatUse[] = {{"sampled", FormatUse::Sampled},
                                                 {"storage", FormatUse::Storage},
                                                 {"color_attachment", FormatUse::ColorAttachment},
                                                 {"blit", FormatUse::Blit}};

inline constexpr Word<NativeFeature> kNativeFeature[] = {{"tensors", NativeFeature::Tensors},
                                                         {"data_graph", NativeFeature::DataGraph},
                                                         {"optical_flow", NativeFeature::OpticalFlow}};

// The spellings for a record: words(kTiling).
template <class E, std::size_t N>
json::Words<E> words(const Word<E> (&table)[N], std::string_view name = "") {
  return json::Words<E>(table, name);
}

}  // namespace slipway::scenario
