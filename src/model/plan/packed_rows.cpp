// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/packed_rows.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "spirv/tools.hpp"

namespace slipway::model {
namespace {

constexpr std::uint32_t kFromStride = 0, kToStride = 1, kRowBytes = 2, kTotalBytes = 3;  // specialization constants
constexpr std::uint32_t kLocalSize = 64, kMaxGroups = 65535;

// Byte i of the packed rows is byte i % row of row i / row.
constexpr std::string_view kCopy = R"(
OpCapability Shader
OpCapability StorageBuffer8BitAccess
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %from %to
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %from_stride SpecId 0
OpDecorate %to_stride SpecId 1
OpDecorate %row SpecId 2
OpDecorate %total SpecId 3
OpDecorate %bytes ArrayStride 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %from NonWritable
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %to NonReadable
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 0
%uint3 = OpTypeVector %uint 3
%bytes = OpTypeRuntimeArray %byte
%block = OpTypeStruct %bytes
%block_pointer = OpTypePointer StorageBuffer %block
%byte_pointer = OpTypePointer StorageBuffer %byte
%id_pointer = OpTypePointer Input %uint3
%id = OpVariable %id_pointer Input
%from = OpVariable %block_pointer StorageBuffer
%to = OpVariable %block_pointer StorageBuffer
%zero = OpConstant %uint 0
%line = OpConstant %uint 4194240
%from_stride = OpSpecConstant %uint 1
%to_stride = OpSpecConstant %uint 1
%row = OpSpecConstant %uint 1
%total = OpSpecConstant %uint 1
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %at 0
%y = OpCompositeExtract %uint %at 1
%lines = OpIMul %uint %y %line
%i = OpIAdd %uint %lines %x
%inside = OpULessThan %bool %i %total
OpSelectionMerge %done None
OpBranchConditional %inside %copy %done
%copy = OpLabel
%number = OpUDiv %uint %i %row
%column = OpUMod %uint %i %row
%from_row = OpIMul %uint %number %from_stride
%to_row = OpIMul %uint %number %to_stride
%from_at = OpIAdd %uint %from_row %column
%to_at = OpIAdd %uint %to_row %column
%source = OpAccessChain %byte_pointer %from %zero %from_at
%target = OpAccessChain %byte_pointer %to %zero %to_at
%value = OpLoad %byte %source
OpStore %target %value
OpBranch %done
%done = OpLabel
OpReturn
OpFunctionEnd
)";
static_assert(kLocalSize * kMaxGroups == 4194240);

const launch::Buffer& buffer_at(const launch::Plan& plan, launch::ResourceIndex resource) {
  return std::get<launch::Buffer>(plan.resources[resource].kind);
}

launch::Specialization constant(std::uint32_t id, std::uint64_t value) {
  launch::Specialization made{.id = id, .bytes = std::vector<std::byte>(4)};
  store(made.bytes.data(), static_cast<std::uint32_t>(value));
  return made;
}

// One of the two has padded rows.
void add_copy(launch::Plan& plan, launch::ResourceIndex from, launch::ResourceIndex to, const launch::TexelRows& rows,
              bool gathers, const launch::Origin& origin) {
  static const auto words =
      std::make_shared<const spirv::Words>(spirv::assemble(make_source("copy of rows", std::string(kCopy))).value());
  const std::uint64_t total = rows.count * rows.bytes;
  const auto module = spirv::read_module(spirv::Words(*words), "copy of rows");
  plan.shaders.push_back(
      {.name = "copy of rows",
       .spirv = words,
       .reflection = std::make_shared<const spirv::Reflection>(spirv::reflect(module.value()).value()),
       .entry = "main",
       .stage = spirv::Stage::Compute,
       .specializations = {constant(kRowBytes, rows.bytes), constant(kTotalBytes, total),
                           constant(gathers ? kToStride : kFromStride, rows.bytes)},
       .row_strides = {{gathers ? kFromStride : kToStride, gathers ? from : to}},
       .origin = origin});
  const std::uint64_t groups = (total + kLocalSize - 1) / kLocalSize;
  const auto across = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, kMaxGroups));
  launch::Dispatch dispatch{.shader = static_cast<launch::ShaderIndex>(plan.shaders.size() - 1),
                            .groups = {across, static_cast<std::uint32_t>((groups + kMaxGroups - 1) / kMaxGroups), 1},
                            .bindings = {},
                            .push_constants = {}};
  dispatch.bindings.push_back({.set = 0, .binding = 0, .resource = from, .reads = true, .origin = origin});
  dispatch.bindings.push_back({.set = 0, .binding = 1, .resource = to, .writes = true, .origin = origin});
  plan.steps.push_back({.name = formatted("rows of {}", plan.resources[gathers ? from : to].name),
                        .action = std::move(dispatch),
                        .barrier_after = true,
                        .origin = origin});
}

}  // namespace

launch::ResourceIndex PackedRows::packed(launch::Plan& plan, launch::ResourceIndex resource) {
  if (!buffer_at(plan, resource).rows) return resource;
  const auto [known, is_new] = buffers_.try_emplace(resource);
  if (is_new) {
    launch::Resource made{.name = plan.resources[resource].name + " packed",
                          .kind = launch::Buffer{.size = buffer_at(plan, resource).size},
                          .initial = {},
                          .outputs = {},
                          .sharing = std::nullopt,
                          .origin = plan.resources[resource].origin,
                          .load_counter = {}};
    known->second = static_cast<launch::ResourceIndex>(plan.resources.size());
    plan.resources.push_back(std::move(made));
  }
  return known->second;
}

void PackedRows::gather(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin) {
  if (const auto rows = buffer_at(plan, resource).rows)
    add_copy(plan, resource, packed(plan, resource), *rows, true, origin);
}

void PackedRows::scatter(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin) {
  if (const auto rows = buffer_at(plan, resource).rows)
    add_copy(plan, packed(plan, resource), resource, *rows, false, origin);
}

}  // namespace slipway::model
