// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model after reading: every default, every spelling. Diagnostics are tested by the corpus (corpus_test.cpp).
#include "scenario/read.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "scenario/paths.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

// A scenario of these elements, which must be valid.
Scenario read(std::string resources, std::string commands = "", std::string root = "") {
  Diagnostics diagnostics;
  auto scenario = read_scenario(
      make_source("t.json", "{\"resources\": [" + resources + "], \"commands\": [" + commands + "]" + root + "}"),
      "/directory", {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format_diagnostics(diagnostics.all());
  return scenario ? std::move(*scenario) : Scenario{};
}

template <class T>
T resource(std::string text) {
  const Scenario scenario = read(std::move(text));
  const T* found = scenario.resources.empty() ? nullptr : std::get_if<T>(&scenario.resources.front());
  EXPECT_TRUE(found);
  static std::vector<std::shared_ptr<const json::Document>> documents;  // the result points into them
  documents.push_back(scenario.document);
  return found ? *found : T{};
}

template <class T>
T command(std::string text) {
  const Scenario scenario = read("", std::move(text));
  std::optional<T> found;
  scenario.commands.each<T>([&](const Command& one) {
    std::visit(
        [&](const auto& each) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(unboxed(each))>, T>) found = unboxed(each);
        },
        one);
  });
  EXPECT_TRUE(found);
  static std::vector<std::shared_ptr<const json::Document>> documents;
  documents.push_back(scenario.document);
  return found.value_or(T{});
}

TEST(Read, Buffer) {
  const auto plain = resource<Buffer>(R"({"buffer": {"uid": "b", "size": 40.0, "shader_access": "writeonly"}})");
  EXPECT_EQ(plain.size, 40u);
  EXPECT_EQ(plain.access, Access::WriteOnly);
  EXPECT_FALSE(plain.contents.given());
  EXPECT_EQ(plain.results.dst, "");
  EXPECT_FALSE(plain.memory_group);
  EXPECT_FALSE(plain.texel_format);
  EXPECT_EQ(plain.at.pointer(), "/resources/0/buffer");
  const auto full = resource<Buffer>(
      R"({"buffer": {"uid": "b", "size": 1, "shader_access": "image_read", "src": "a.npy", "dst": "b.npy", "memory_group": {"id": "m"}, "texel_format": "VK_FORMAT_R8_UINT"}})");
  EXPECT_EQ(full.access, Access::ReadOnly);
  EXPECT_EQ(full.texel_format->value, vk::Format::R8_UINT);
  EXPECT_EQ(full.contents.src, "a.npy");
  EXPECT_EQ(full.results.dst, "b.npy");
  EXPECT_EQ(full.memory_group->id, "m");
  EXPECT_EQ(full.memory_group->offset, 0u);
}

TEST(Read, EmptyPathsAreAbsent) {
  const auto buffer =
      resource<Buffer>(R"({"buffer": {"uid": "b", "size": 1, "shader_access": "readonly", "src": "", "dst": ""}})");
  EXPECT_FALSE(buffer.contents.given());
  EXPECT_EQ(buffer.results.dst, "");
}

TEST(Read, Tensor) {
  const auto tensor = resource<Tensor>(
      R"({"tensor": {"uid": "t", "dims": [2, 3], "format": "VK_FORMAT_R8_SINT", "shader_access": "image_read"}})");
  EXPECT_EQ(tensor.dims, (tensor::Shape{2, 3}));
  EXPECT_EQ(tensor.format.value, vk::Format::R8_SINT);
  EXPECT_EQ(tensor.access, Access::ReadOnly);
  EXPECT_FALSE(tensor.tiling);
  EXPECT_FALSE(tensor.aliases());
  const auto alias = resource<Tensor>(
      R"({"tensor": {"uid": "t", "dims": [], "data_type": "VK_FORMAT_NONE", "shader_access": "readonly", "tiling": "OPTIMAL",
          "alias_target": {"resource_ref": "i", "mip_level": 2, "array_layer": 3}}})");
  EXPECT_TRUE(alias.dims.empty());
  EXPECT_EQ(alias.format.name, "VK_FORMAT_NONE");
  EXPECT_FALSE(alias.format.value);
  EXPECT_EQ(alias.tiling, vk::Tiling::Optimal);
  EXPECT_TRUE(alias.aliases());
  EXPECT_EQ(alias.alias_target->image.uid, "i");
  EXPECT_EQ(alias.alias_target->image.at.pointer(), "/resources/0/tensor/alias_target/resource_ref");
  EXPECT_EQ(alias.alias_target->mip_level, 2u);
  EXPECT_EQ(alias.alias_target->array_layer, 3u);
  const auto none = resource<Tensor>(
      R"({"tensor": {"uid": "t", "dims": [], "format": "f", "shader_access": "readonly", "alias_target": {"resource_ref": ""}}})");
  EXPECT_FALSE(none.aliases());
  EXPECT_EQ(none.alias_target->mip_level, 0u);
  EXPECT_EQ(none.alias_target->array_layer, 0u);
}

Image image_with(std::string members) {
  return resource<Image>(R"({"image": {"uid": "i", "format": "VK_FORMAT_R8_UNORM", "shader_access": "image_read", )" +
                         members + "}}");
}

TEST(Read, Image) {
  const Image plain = image_with(R"("dims": [1, 8, 4, 2])");
  EXPECT_EQ(plain.extent, (std::array<std::uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(plain.access, Access::ImageRead);
  EXPECT_EQ(plain.mips, 1u);
  EXPECT_FALSE(plain.color_attachment);
  EXPECT_EQ(plain.sampler.min_filter, vk::Filter::NEAREST);
  EXPECT_EQ(plain.sampler.mag_filter, vk::Filter::NEAREST);
  EXPECT_EQ(plain.sampler.mip_filter, vk::Filter::NEAREST);
  EXPECT_EQ(plain.sampler.address_mode, vk::AddressMode::CLAMP_TO_EDGE);
  EXPECT_FALSE(plain.sampler.border_color);
  EXPECT_FALSE(plain.tiling);
  EXPECT_EQ(image_with(R"("dims": [8])").extent, (std::array<std::uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(image_with(R"("dims": [8, 4])").extent, (std::array<std::uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(image_with(R"("dims": [8, 4, 2])").extent, (std::array<std::uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(image_with(R"("dims": [8], "mips": true)").mips, 1u);
  EXPECT_EQ(image_with(R"("dims": [8], "mips": "false")").mips, 1u);
  const Image full = image_with(
      R"("dims": [8], "mips": 3, "color_attachment": true, "min_filter": "LINEAR", "mag_filter": "LINEAR", "mip_filter": "LINEAR",
         "border_address_mode": "CLAMP_BORDER", "border_color": "INT_CUSTOM_EXT", "custom_border_color": [1, 2, 3, 4], "tiling": "LINEAR")");
  EXPECT_EQ(full.mips, 3u);
  EXPECT_TRUE(full.color_attachment);
  EXPECT_EQ(full.sampler.min_filter, vk::Filter::LINEAR);
  EXPECT_EQ(full.sampler.mag_filter, vk::Filter::LINEAR);
  EXPECT_EQ(full.sampler.mip_filter, vk::Filter::LINEAR);
  EXPECT_EQ(full.sampler.address_mode, vk::AddressMode::CLAMP_TO_BORDER);
  EXPECT_EQ(full.sampler.border_color, vk::BorderColor::INT_CUSTOM_EXT);
  EXPECT_EQ(full.sampler.custom_border_color, (std::array<double, 4>{1, 2, 3, 4}));
  EXPECT_EQ(full.tiling, vk::Tiling::Linear);
}

TEST(Read, SamplerWords) {
  const std::pair<std::string, vk::AddressMode> modes[] = {{"CLAMP_EDGE", vk::AddressMode::CLAMP_TO_EDGE},
                                                           {"CLAMP_BORDER", vk::AddressMode::CLAMP_TO_BORDER},
                                                           {"REPEAT", vk::AddressMode::REPEAT},
                                                           {"MIRRORED_REPEAT", vk::AddressMode::MIRRORED_REPEAT}};
  for (const auto& [word, mode] : modes) {
    EXPECT_EQ(image_with("\"dims\": [8], \"border_address_mode\": \"" + word + "\"").sampler.address_mode, mode)
        << word;
  }
  for (const std::string word :
       {"FLOAT_TRANSPARENT_BLACK", "FLOAT_OPAQUE_BLACK", "FLOAT_OPAQUE_WHITE", "INT_TRANSPARENT_BLACK",
        "INT_OPAQUE_BLACK", "INT_OPAQUE_WHITE", "INT_CUSTOM_EXT", "FLOAT_CUSTOM_EXT"}) {
    const auto color = image_with("\"dims\": [8], \"border_color\": \"" + word + "\"").sampler.border_color;
    EXPECT_EQ(color, vk::from_name<vk::BorderColor>("VK_BORDER_COLOR_" + word)) << word;
  }
}

TEST(Read, Shader) {
  const auto plain = resource<Shader>(R"({"shader": {"uid": "s", "src": "a.SPV"}})");
  EXPECT_FALSE(plain.type);
  EXPECT_EQ(plain.likely_type(), ShaderType::Spirv);
  EXPECT_EQ(plain.stage, ShaderStage::Compute);
  EXPECT_EQ(plain.entry, "main");
  EXPECT_EQ(plain.build_options, "");
  EXPECT_TRUE(plain.include_dirs.empty());
  EXPECT_EQ(plain.push_constants_size, 0u);
  EXPECT_TRUE(plain.specialization_constants.empty());
  const auto full = resource<Shader>(
      R"({"shader": {"uid": "s", "type": "RPL", "stage": "fragment", "source": ["a", "", "b"], "entry": "f", "build_options": "-DX",
          "include_dirs": ["i", "j"], "push_constants_size": 16, "specialization_constants": [{"id": 3, "value": true}],
          "options": {"fog": true}, "entry_points": {"vertex": "v", "fragment": "f"}}})");
  EXPECT_EQ(full.type, ShaderType::Rpl);
  EXPECT_EQ(full.stage, ShaderStage::Fragment);
  EXPECT_EQ(full.source, "a\n\nb");
  EXPECT_EQ(full.entry, "f");
  EXPECT_EQ(full.build_options, "-DX");
  EXPECT_EQ(full.include_dirs, (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(full.push_constants_size, 16u);
  EXPECT_EQ(full.specialization_constants.at(0).id, 3u);
  EXPECT_TRUE(full.specialization_constants.at(0).value.boolean());
  EXPECT_EQ(full.options.at(0).name, "fog");
  EXPECT_EQ(full.entry_points->vertex, "v");
  EXPECT_EQ(full.entry_points->fragment, "f");
}

TEST(Read, ShaderTypes) {
  const std::pair<std::string, std::optional<ShaderType>> files[] = {
      {"a.spv", ShaderType::Spirv}, {"a.comp", ShaderType::Glsl},
      {"a.vert", ShaderType::Glsl}, {"a.frag", ShaderType::Glsl},
      {"a.glsl", ShaderType::Glsl}, {"a.hlsl", ShaderType::Hlsl},
      {"a.rpl", ShaderType::Rpl},   {"a.spvasm", ShaderType::SpirvAssembly},
      {"a.txt", std::nullopt},      {"spv", std::nullopt}};
  for (const auto& [src, type] : files) EXPECT_EQ((Shader{.src = src}.likely_type()), type) << src;
  EXPECT_EQ((Shader{.src = "a.glsl", .type = ShaderType::Hlsl}.likely_type()), ShaderType::Hlsl);
}

TEST(Read, Graph) {
  const auto graph = resource<Graph>(
      R"({"graph": {"uid": "g", "src": "g.vgf", "push_constants_size": 8,
          "specialization_constants_map": [{"shader_target": "n", "specialization_constants": [{"id": 1, "value": 2.5}]}],
          "shader_substitutions": [{"shader_ref": "s", "target": "m"}]}})");
  EXPECT_EQ(graph.src, "g.vgf");
  EXPECT_EQ(graph.push_constants_size, 8u);
  EXPECT_EQ(graph.specialization_constants_map.at(0).shader_target, "n");
  EXPECT_EQ(graph.specialization_constants_map.at(0).specialization_constants.at(0).value.number(), 2.5);
  EXPECT_EQ(graph.shader_substitutions.at(0).shader.uid, "s");
  EXPECT_EQ(graph.shader_substitutions.at(0).target, "m");
  EXPECT_EQ(resource<Graph>(R"({"graph": {"uid": "g", "src": "g.vgf"}})").push_constants_size, 0u);
}

TEST(Read, BarrierSpellings) {
  const std::tuple<std::string, std::string, BarrierAccess> accesses[] = {
      {"ACCESS_MEMORY_WRITE", "memory_write", BarrierAccess::MemoryWrite},
      {"ACCESS_MEMORY_READ", "memory_read", BarrierAccess::MemoryRead},
      {"ACCESS_GRAPH_WRITE", "graph_write", BarrierAccess::GraphWrite},
      {"ACCESS_GRAPH_READ", "graph_read", BarrierAccess::GraphRead},
      {"ACCESS_COMPUTE_SHADER_WRITE", "compute_shader_write", BarrierAccess::ComputeShaderWrite},
      {"ACCESS_COMPUTE_SHADER_READ", "compute_shader_read", BarrierAccess::ComputeShaderRead}};
  for (const auto& [published, other, access] : accesses) {
    const auto barrier = resource<MemoryBarrier>(R"({"memory_barrier": {"uid": "b", "src_access": ")" + published +
                                                 R"(", "dst_access": ")" + other + "\"}}");
    EXPECT_EQ(barrier.scope.src_access, access) << published;
    EXPECT_EQ(barrier.scope.dst_access, access) << other;
    EXPECT_EQ(barrier.scope.src_stage, std::vector{BarrierStage::All});
    EXPECT_EQ(barrier.scope.dst_stage, std::vector{BarrierStage::All});
  }
  const auto stages = resource<TensorBarrier>(
      R"({"tensor_barrier": {"uid": "b", "tensor_resource": "t", "src_access": "graph_read", "dst_access": "graph_write",
          "src_stage": ["GRAPH", "COMPUTE", "GRAPHICS", "ALL"], "dst_stage": ["graph", "compute", "graphics", "all"]}})");
  const std::vector expected{BarrierStage::Graph, BarrierStage::Compute, BarrierStage::Graphics, BarrierStage::All};
  EXPECT_EQ(stages.scope.src_stage, expected);
  EXPECT_EQ(stages.scope.dst_stage, expected);
  EXPECT_EQ(stages.tensor.uid, "t");
  const std::tuple<std::string, std::string, BarrierLayout> layouts[] = {
      {"IMAGE_LAYOUT_GENERAL", "general", BarrierLayout::General},
      {"IMAGE_LAYOUT_UNDEFINED", "undefined", BarrierLayout::Undefined},
      {"IMAGE_LAYOUT_TENSOR_ALIASING", "tensor_aliasing", BarrierLayout::TensorAliasing}};
  for (const auto& [published, other, layout] : layouts) {
    const auto barrier = resource<ImageBarrier>(
        R"({"image_barrier": {"uid": "b", "image_resource": "i", "src_access": "memory_read", "dst_access": "memory_read",
          "old_layout": ")" +
        published + R"(", "new_layout": ")" + other + "\"}}");
    EXPECT_EQ(barrier.old_layout, layout) << published;
    EXPECT_EQ(barrier.new_layout, layout) << other;
  }
}

TEST(Read, BarrierRanges) {
  const std::string access = R"("src_access": "memory_read", "dst_access": "memory_read", )";
  const auto buffer = resource<BufferBarrier>(R"({"buffer_barrier": {"uid": "b", )" + access +
                                              R"("buffer_resource": "x", "size": 4}})");
  EXPECT_EQ(buffer.buffer.uid, "x");
  EXPECT_EQ(buffer.size, 4u);
  EXPECT_EQ(buffer.offset, 0u);
  const std::string image = R"({"image_barrier": {"uid": "b", )" + access +
                            R"("image_resource": "x", "old_layout": "general", "new_layout": "general")";
  for (const std::string range : {"}}", R"(, "subresource_range": {}}})"}) {
    const SubresourceRange whole = resource<ImageBarrier>(image + range).range;
    EXPECT_EQ(whole.base_mip_level, 0u);
    EXPECT_EQ(whole.level_count, 1u);
    EXPECT_EQ(whole.base_array_layer, 0u);
    EXPECT_EQ(whole.layer_count, 1u);
  }
  const SubresourceRange part =
      resource<ImageBarrier>(
          image +
          R"(, "subresource_range": {"base_mip_level": 1, "level_count": 2, "base_array_layer": 3, "layer_count": 4}}})")
          .range;
  EXPECT_EQ(part.base_mip_level, 1u);
  EXPECT_EQ(part.level_count, 2u);
  EXPECT_EQ(part.base_array_layer, 3u);
  EXPECT_EQ(part.layer_count, 4u);
}

TEST(Read, ArraysOfDescriptorsAndAddresses) {
  const auto dispatch = command<DispatchCompute>(
      R"({"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": [
           {"set": 0, "id": 3, "element": 2, "resource_refs": ["a", "b"]}, {"set": 0, "id": 4, "resource_ref": "c"}],
         "push_addresses": [{"offset": 8, "resource_ref": "a"},
                            {"offset": 16, "resource_ref": "b", "resource_offset": 4}]}})");
  ASSERT_EQ(dispatch.bindings.size(), 3u);
  EXPECT_EQ(dispatch.bindings[0].resource.uid, "a");
  EXPECT_EQ(dispatch.bindings[0].element, 2u);
  EXPECT_EQ(dispatch.bindings[1].resource.uid, "b");
  EXPECT_EQ(dispatch.bindings[1].id, 3u);
  EXPECT_EQ(dispatch.bindings[1].element, 3u);
  EXPECT_EQ(dispatch.bindings[2].resource.uid, "c");
  EXPECT_EQ(dispatch.bindings[2].element, 0u);
  ASSERT_EQ(dispatch.push_addresses.size(), 2u);
  EXPECT_EQ(dispatch.push_addresses[0].offset, 8u);
  EXPECT_EQ(dispatch.push_addresses[0].buffer.uid, "a");
  EXPECT_EQ(dispatch.push_addresses[0].buffer_offset, 0u);
  EXPECT_EQ(dispatch.push_addresses[1].buffer_offset, 4u);
}

TEST(Read, InlineContents) {
  const auto tensor = resource<Tensor>(
      R"({"tensor": {"uid": "t", "dims": [2], "format": "f", "shader_access": "readonly", "data": [1, 2]}})");
  EXPECT_FALSE(tensor.contents.data->type);
  EXPECT_EQ(tensor.contents.data->values.size(), 2u);
  const auto buffer = resource<Buffer>(
      R"({"buffer": {"uid": "b", "size": 8, "shader_access": "readonly", "random": {"type": "bf16", "seed": 7, "min": -1, "max": 1}}})");
  EXPECT_EQ(buffer.contents.random->type, tensor::ElementType::BF16);
  EXPECT_EQ(buffer.contents.random->seed, 7u);
  EXPECT_EQ(buffer.contents.random->min.integer(), -1);
  EXPECT_EQ(buffer.contents.random->max.integer(), 1);
  const auto normal = resource<Tensor>(
      R"({"tensor": {"uid": "t", "dims": [2], "format": "f", "shader_access": "readonly", "random": {"type": "f32", "seed": 1, "mean": 2, "stddev": 3}}})");
  EXPECT_EQ(normal.contents.random->type, tensor::ElementType::F32);
  EXPECT_EQ(normal.contents.random->mean, 2.0);
  EXPECT_EQ(normal.contents.random->stddev, 3.0);
  const auto fill = resource<Buffer>(
      R"({"buffer": {"uid": "b", "size": 8, "shader_access": "readonly", "fill": {"type": "i8", "value": 5}}})");
  EXPECT_EQ(fill.contents.fill->type, tensor::ElementType::I8);
  EXPECT_EQ(fill.contents.fill->value.integer(), 5);
  const auto raw = resource<RawData>(
      R"({"raw_data": {"uid": "r", "data": {"values": [{"type": "u8", "values": [1]}, {"type": "f64", "values": [2]}]}}})");
  EXPECT_FALSE(raw.contents.data->values);
  ASSERT_EQ(raw.contents.data->parts.size(), 2u);
  EXPECT_EQ(raw.contents.data->parts[1].type, tensor::ElementType::F64);
}

TEST(Read, Expect) {
  const auto one = resource<Buffer>(
      R"({"buffer": {"uid": "b", "size": 8, "shader_access": "readonly", "expect": {"ref": "c", "type": "u32"}}})");
  ASSERT_EQ(one.results.expect.size(), 1u);
  const Expect& plain = one.results.expect.front();
  EXPECT_EQ(plain.ref.uid, "c");
  EXPECT_EQ(plain.type, tensor::ElementType::U32);
  EXPECT_EQ(plain.abs, 0);
  EXPECT_EQ(plain.rel, 0);
  EXPECT_EQ(plain.ulp, 0u);
  EXPECT_EQ(plain.nan, NanRule::Equal);
  EXPECT_EQ(plain.max_mismatches, 0u);
  EXPECT_EQ(plain.show, 10u);
  const auto several = resource<Buffer>(
      R"({"buffer": {"uid": "b", "size": 8, "shader_access": "readonly", "expect": [{"src": "a.npy", "abs": 0.5, "rel": 0.25, "ulp": 2, "nan": "fail", "max_mismatches": 3, "show": 4},
          {"fill": {"type": "u8", "value": 1}, "nan": "ignore"}]}})");
  ASSERT_EQ(several.results.expect.size(), 2u);
  const Expect& full = several.results.expect.front();
  EXPECT_EQ(full.src, "a.npy");
  EXPECT_EQ(full.abs, 0.5);
  EXPECT_EQ(full.rel, 0.25);
  EXPECT_EQ(full.ulp, 2u);
  EXPECT_EQ(full.nan, NanRule::Fail);
  EXPECT_EQ(full.max_mismatches, 3u);
  EXPECT_EQ(full.show, 4u);
  EXPECT_EQ(several.results.expect[1].nan, NanRule::Ignore);
  EXPECT_EQ(several.results.expect[1].fill->type, tensor::ElementType::U8);
}

TEST(Read, DispatchCompute) {
  const auto plain =
      command<DispatchCompute>(R"({"dispatch_compute": {"shader_ref": "s", "rangeND": [10], "push_data_ref": "",
      "bindings": [{"set": 1, "id": 2, "resource_ref": "b"}]}})");
  EXPECT_EQ(plain.groups, (std::array<std::uint32_t, 3>{10, 1, 1}));
  EXPECT_FALSE(plain.push_data);
  EXPECT_TRUE(plain.implicit_barrier);
  const Binding& binding = plain.bindings.at(0);
  EXPECT_EQ(binding.set, 1u);
  EXPECT_EQ(binding.id, 2u);
  EXPECT_EQ(binding.resource.uid, "b");
  EXPECT_FALSE(binding.lod);
  EXPECT_EQ(binding.descriptor_type, DescriptorChoice::Auto);
  EXPECT_EQ(binding.at.pointer(), "/commands/0/dispatch_compute/bindings/0");
  const auto full =
      command<DispatchCompute>(R"({"dispatch_compute": {"shader_ref": "s", "rangeND": [1, 2, 3], "push_data_ref": "p",
      "implicit_barrier": false, "bindings": [{"set": 0, "id": 0, "resource_ref": "b", "lod": 0, "descriptor_type": "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE"},
      {"name": "x", "resource_ref": "c"}]}})");
  EXPECT_EQ(full.groups, (std::array<std::uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(full.push_data.uid, "p");
  EXPECT_FALSE(full.implicit_barrier);
  EXPECT_EQ(full.bindings.at(0).lod, 0u);
  EXPECT_EQ(full.bindings.at(0).descriptor_type, DescriptorChoice::StorageImage);
  EXPECT_EQ(full.bindings.at(1).name, "x");
}

TEST(Read, DispatchGraphs) {
  const auto graph = command<DispatchGraph>(R"({"dispatch_graph": {"graph_ref": "g", "bindings": [],
      "push_constants": [{"push_data_ref": "p", "shader_target": "n"}], "shader_substitutions": [{"shader_ref": "s", "target": "m"}]}})");
  EXPECT_EQ(graph.graph.uid, "g");
  EXPECT_EQ(graph.push_constants.at(0).push_data.uid, "p");
  EXPECT_EQ(graph.push_constants.at(0).shader_target, "n");
  EXPECT_EQ(graph.shader_substitutions.at(0).shader.uid, "s");
  EXPECT_TRUE(graph.implicit_barrier);
  const auto spirv = command<DispatchSpirvGraph>(
      R"({"dispatch_spirv_graph": {"graph_ref": "s", "bindings": [], "graph_constants": ["a", "b"], "implicit_barrier": false}})");
  EXPECT_EQ(spirv.shader.uid, "s");
  EXPECT_EQ(spirv.graph_constants.at(1).uid, "b");
  EXPECT_FALSE(spirv.implicit_barrier);
}

TEST(Read, DispatchFragment) {
  const auto plain =
      command<DispatchFragment>(R"({"dispatch_fragment": {"vertex_shader_ref": "v", "fragment_shader_ref": "f",
      "bindings": [], "color_attachment_refs": ["a", {"resource_ref": "b", "lod": 2}]}})");
  EXPECT_EQ(plain.vertex_shader.uid, "v");
  EXPECT_EQ(plain.debug_name, "f");
  EXPECT_EQ(plain.color_attachments.at(0).image.uid, "a");
  EXPECT_FALSE(plain.color_attachments.at(0).lod);
  EXPECT_EQ(plain.color_attachments.at(1).lod, 2u);
  EXPECT_FALSE(plain.render_extent);
  EXPECT_TRUE(plain.implicit_barrier);
  const auto named =
      command<DispatchFragment>(R"({"dispatch_fragment": {"vertex_shader_ref": "v", "fragment_shader_ref": "f",
      "bindings": [], "render_extent": [4, 5], "debug_name": "tint"}})");
  EXPECT_EQ(named.debug_name, "tint");
  EXPECT_EQ(named.render_extent, (std::array<std::uint32_t, 2>{4, 5}));
}

TEST(Read, OpticalFlow) {
  const std::string images = R"("bindings": {"search_image": {"id": 0, "set": 1, "resource_ref": "a"},
      "template_image": {"id": 1, "set": 1, "resource_ref": "b", "lod": 1}, "output_image": {"id": 2, "set": 1, "resource_ref": "c"})";
  const auto plain = command<DispatchOpticalFlow>(
      R"({"dispatch_optical_flow": {"width": 64, "height": 65, "grid_size": "8x8", )" + images + "}}}");
  EXPECT_EQ(plain.width, 64u);
  EXPECT_EQ(plain.height, 65u);
  EXPECT_EQ(plain.grid_size, FlowGrid::Grid8x8);
  EXPECT_EQ(plain.performance_level, FlowPerformance::Medium);
  EXPECT_TRUE(plain.execution_flags.empty());
  EXPECT_EQ(plain.mean_flow_l1_norm_hint, 0u);
  EXPECT_TRUE(plain.implicit_barrier);
  EXPECT_EQ(plain.bindings->all().size(), 3u);
  EXPECT_EQ(plain.bindings->template_image.lod, 1u);
  const auto full = command<DispatchOpticalFlow>(
      R"({"dispatch_optical_flow": {"width": 64, "height": 65, "grid_size": "1x1", "performance_level": "slow",
          "execution_flags": ["disable_temporal_hints", "input_unchanged", "reference_unchanged", "input_is_previous_reference", "reference_is_previous_input"],
          "mean_flow_l1_norm_hint": 9, "implicit_barrier": false, )" +
      images +
      R"(, "hint_motion_vectors": {"id": 3, "set": 1, "resource_ref": "d"}, "output_cost": {"id": 4, "set": 1, "resource_ref": "e"}}}})");
  EXPECT_EQ(full.performance_level, FlowPerformance::Slow);
  unsigned bits = 0;
  for (const FlowFlag flag : full.execution_flags) bits |= static_cast<unsigned>(flag);
  EXPECT_EQ(bits, 31u);
  EXPECT_EQ(full.mean_flow_l1_norm_hint, 9u);
  EXPECT_FALSE(full.implicit_barrier);
  EXPECT_EQ(full.bindings->all().at(4).resource.uid, "e");
}

TEST(Read, BarriersAndBoundaries) {
  const auto none = command<DispatchBarrier>(R"({"dispatch_barrier": {}})");
  EXPECT_TRUE(none.image_barriers.empty() && none.tensor_barriers.empty() && none.memory_barriers.empty() &&
              none.buffer_barriers.empty());
  const auto all = command<DispatchBarrier>(
      R"({"dispatch_barrier": {"image_barrier_refs": ["i"], "tensor_barrier_refs": ["t"], "memory_barrier_refs": ["m"], "buffer_barrier_refs": ["b", "c"]}})");
  EXPECT_EQ(all.image_barriers.at(0).uid, "i");
  EXPECT_EQ(all.tensor_barriers.at(0).uid, "t");
  EXPECT_EQ(all.memory_barriers.at(0).uid, "m");
  EXPECT_EQ(all.buffer_barriers.at(1).uid, "c");
  EXPECT_EQ(command<MarkBoundary>(R"({"mark_boundary": {"resources": ["a"]}})").resources.at(0).uid, "a");
  EXPECT_FALSE(command<MarkBoundary>(R"({"mark_boundary": {"resources": []}})").frame_id);
  EXPECT_EQ(command<MarkBoundary>(R"({"mark_boundary": {"resources": [], "frame_id": 3}})").frame_id, 3u);
  EXPECT_EQ(
      command<MarkBoundary>(R"({"mark_boundary": {"resources": [], "frame_id": "18446744073709551615"}})").frame_id,
      18446744073709551615u);
}

TEST(Read, Draw) {
  const auto plain = command<Draw>(R"({"draw": {"shader_ref": "s", "vertices": 3}})");
  EXPECT_EQ(plain.vertices, 3u);
  EXPECT_EQ(plain.instances, 1u);
  EXPECT_EQ(plain.first_vertex, 0u);
  EXPECT_EQ(plain.debug_name, "s");
  EXPECT_TRUE(plain.implicit_barrier);
  const auto full = command<Draw>(
      R"({"draw": {"shader_ref": "s", "indices": "i", "index_type": "u16", "instances": 4, "first_vertex": 5, "attributes": {"vertex": "v"},
          "bindings": [{"name": "n", "resource_ref": "b"}], "parameters": {"camera.x": [1]}, "push_data_ref": "p",
          "color_attachments": ["c", {"resource_ref": "d", "lod": 1, "clear": [0, 0.5, 1, 1]}],
          "depth_attachment": {"resource_ref": "z", "clear": 1, "stencil_clear": 255}, "render_extent": [6, 7], "debug_name": "n", "implicit_barrier": false}})");
  EXPECT_FALSE(full.vertices);
  EXPECT_EQ(full.indices.uid, "i");
  EXPECT_EQ(full.index_type, IndexType::U16);
  EXPECT_EQ(full.instances, 4u);
  EXPECT_EQ(full.first_vertex, 5u);
  EXPECT_EQ(full.attributes.at(0).source, "vertex");
  EXPECT_EQ(full.attributes.at(0).buffer.uid, "v");
  EXPECT_EQ(full.bindings.at(0).name, "n");
  EXPECT_EQ(full.parameters.at(0).name, "camera.x");
  EXPECT_EQ(full.color_attachments.at(1).clear, (std::array<double, 4>{0, 0.5, 1, 1}));
  EXPECT_FALSE(full.color_attachments.at(0).clear);
  EXPECT_EQ(full.depth_attachment->clear, 1.0);
  EXPECT_EQ(full.depth_attachment->stencil_clear, 255u);
  EXPECT_EQ(full.debug_name, "n");
}

TEST(Read, Requirements) {
  const Scenario scenario =
      read("", "", R"(, "requires": {"api": "1.4", "extensions": ["E"], "features": ["f"], "limits": {"maxX": 5},
      "formats": [{"format": "VK_FORMAT_R8_UINT", "usage": ["sampled", "storage", "color_attachment", "blit"]}], "native": ["tensors", "data_graph", "optical_flow"], "memory": 6})");
  const Requirements& requirements = scenario.requirements;
  EXPECT_EQ(requirements.api, (std::array<std::uint32_t, 2>{1, 4}));
  EXPECT_EQ(requirements.extensions, std::vector<std::string>{"E"});
  EXPECT_EQ(requirements.features, std::vector<std::string>{"f"});
  EXPECT_EQ(requirements.limits.at(0).name, "maxX");
  EXPECT_EQ(requirements.limits.at(0).value, 5u);
  EXPECT_EQ(requirements.formats.at(0).format.value, vk::Format::R8_UINT);
  EXPECT_EQ(requirements.formats.at(0).tiling, vk::Tiling::Optimal);
  EXPECT_EQ(requirements.formats.at(0).usage,
            (std::vector{FormatUse::Sampled, FormatUse::Storage, FormatUse::ColorAttachment, FormatUse::Blit}));
  EXPECT_EQ(requirements.native,
            (std::vector{NativeFeature::Tensors, NativeFeature::DataGraph, NativeFeature::OpticalFlow}));
  EXPECT_EQ(requirements.memory, 6u);
  EXPECT_FALSE(read("").requirements.api);
}

TEST(Read, Lookup) {
  const Scenario scenario =
      read(R"({"raw_data": {"uid": "r", "src": "r.npy"}}, {"graph": {"uid": "g", "src": "g.vgf"}})",
           R"({"mark_boundary": {"resources": []}}, {"dispatch_graph": {"graph_ref": "g", "bindings": []}})");
  EXPECT_EQ(scenario.directory, Path("/directory"));
  EXPECT_EQ(key_of(scenario.resources.at(1)), "graph");
  EXPECT_EQ(uid_of(scenario.resources.at(1)), "g");
  EXPECT_EQ(object_of(scenario.resources.at(1)).pointer(), "/resources/1/graph");
  EXPECT_EQ(scenario.find("r"), &scenario.resources.at(0));
  EXPECT_EQ(scenario.find("x"), nullptr);
  EXPECT_TRUE(scenario.find<Graph>("g"));
  EXPECT_FALSE(scenario.find<RawData>("g"));
  std::string commands;
  scenario.commands.each([&](const Command& command) {
    commands += formatted("{} {} {}\n", key_of(command), object_of(command).pointer(), bindings_of(command) != nullptr);
  });
  EXPECT_EQ(commands,
            "mark_boundary /commands/0/mark_boundary false\ndispatch_graph /commands/1/dispatch_graph true\n");
  EXPECT_FALSE(scenario.left_out.anything());
}

// They are read again for each pass; what is left out and what was reported stays so.
TEST(Read, ManyCommands) {
  constexpr std::size_t kCount = Commands::kMaxKept + 3;
  std::string text;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i != 0) text += ", ";
    if (i % 2 == 0)
      text += formatted(R"({{"mark_boundary": {{"resources": [], "frame_id": {}}}}})", i);
    else
      text += formatted(R"({{"dispatch_barrier": {{"memory_barrier_refs": {}}}}})",
                        i == 7 ? "3" : formatted("[\"m{}\"]", i));
  }
  Diagnostics diagnostics;
  const auto scenario = read_scenario(
      make_source("t.json", formatted(R"({{"resources": [], "commands": [{}]}})", text)), "", {}, diagnostics);
  ASSERT_TRUE(scenario);
  EXPECT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(scenario->commands.size(), kCount - 1);
  EXPECT_TRUE(scenario->left_out.command);
  std::size_t boundaries = 0, next = 0;
  scenario->commands.each<MarkBoundary>(
      [&](const Command& command) { EXPECT_EQ(std::get<MarkBoundary>(command).frame_id, 2 * boundaries++); });
  EXPECT_EQ(boundaries, kCount / 2 + 1);
  scenario->commands.each([&](const Command& command) {
    next += next == 7 ? 1 : 0;
    if (const auto* barrier = std::get_if<DispatchBarrier>(&command)) {
      ASSERT_EQ(barrier->memory_barriers.size(), 1u);
      EXPECT_EQ(barrier->memory_barriers[0].uid, formatted("m{}", next));
    }
    EXPECT_EQ(object_of(command).parent().pointer(), formatted("/commands/{}", next++));
  });
  EXPECT_EQ(next, kCount);
  EXPECT_EQ(diagnostics.all().size(), 1u);
}

TEST(Read, RecordsWhatItLeftOut) {
  Diagnostics diagnostics;
  const auto scenario = read_scenario(
      make_source("t.json", R"({"resources": [{"buffer": {"uid": "a"}}, {"graf": {"uid": "b"}}, {"image": {}}],
      "commands": [{}]})"),
      "", {}, diagnostics);
  ASSERT_TRUE(scenario);
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_TRUE(scenario->resources.empty());
  EXPECT_EQ(scenario->left_out.uids, (std::set<std::string, std::less<>>{"a", "b"}));
  EXPECT_TRUE(scenario->left_out.nameless_resource);
  EXPECT_TRUE(scenario->left_out.command);
}

TEST(Paths, AreRelativeToTheirDirectories) {
  const Scenario scenario{.directory = "/s"};
  EXPECT_EQ(source_path(scenario, "a/b.npy"), Path("/s/a/b.npy"));
  EXPECT_EQ(source_path(scenario, "/x/b.npy"), Path("/x/b.npy"));
  EXPECT_EQ(output_path(scenario, "b.npy"), Path("/s/b.npy"));
  EXPECT_EQ(output_path(scenario, "b.npy", "/out"), Path("/out/b.npy"));
  EXPECT_EQ(output_path(scenario, "/x/b.npy", "/out"), Path("/x/b.npy"));
  EXPECT_EQ(extension_of("a.b/C.DdS"), ".dds");
  EXPECT_EQ(extension_of("a.b/c"), "");
}

}  // namespace
}  // namespace slipway::scenario
