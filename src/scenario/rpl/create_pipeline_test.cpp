// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/rpl/create_pipeline.hpp"

#include <gmock/gmock.h>

#include "executors/vulkan/executor.hpp"
#include "rpl/compile.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::scenario {
namespace {

using ::testing::HasSubstr;
using testing::must;
using testing::text_of;

constexpr std::string_view kProgram = R"(
vertex_attribute_container vertex { f3 position; pack (unorm8) f4 color; f3x3 turn; };
set_pass uniform_buffer view { f4x4 projection; };
set_material sampler s;
set_material image_color_2d[3] layers;
push_constant tune { f4 light; };
state_container state { f4 color; };
color_output_container target { f4 color; f1 mask; };
setting sample_count = 4u;
setting color_output_use_blend block 0 = on;
void vertex_main (void) {
  state.color = vertex.color * tune.light;
  vertex_stage_output_position (view.projection * f4 {vertex.turn * vertex.position, 1.0});
}
void fragment_main (void) {
  target.color = sample (s, layers[2u], f2 {0.5}) * state.color;
  target.mask = 1.0;
}
)";

struct Made {
  rpl::Metadata metadata;
  std::vector<spirv::Words> modules;
};

Made compile(std::string_view text, const std::vector<rpl::EntryPointName>& entries,
             rpl::PipelineKind pipeline = rpl::PipelineKind::Graphics) {
  Diagnostics diagnostics;
  const rpl::Program program = rpl::parse(make_source("p.rpl", std::string(text)), diagnostics);
  auto made =
      rpl::Compiler().compile(program, {}, {.entry_points = entries, .resolve = {.pipeline = pipeline}}, diagnostics);
  if (!made) throw std::runtime_error(diagnostics.all().at(0).message);
  Made result{.metadata = made->metadata};
  for (rpl::SpirvModule& module : made->modules) result.modules.push_back(std::move(module.words));
  return result;
}

Made graphics() {
  return compile(kProgram, {{rpl::Stage::Vertex, "vertex_main"}, {rpl::Stage::Fragment, "fragment_main"}});
}

class CreatePipeline : public testing::GpuTest {
 protected:
  Result<std::string> create(const Made& made) {
    launch::VulkanExecutor executor(device(pipeline_needs(made.metadata)));
    return create_pipeline(executor, made.metadata, made.modules, "p");
  }
};

TEST_F(CreatePipeline, ListsEachObject) {
  EXPECT_EQ(must(create(graphics())),
            "descriptor set layout 0 (set_pass): 1 binding\n"
            "  binding 0: VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER\n"
            "descriptor set layout 1 (set_material): 2 bindings\n"
            "  binding 0: VK_DESCRIPTOR_TYPE_SAMPLER\n"
            "  binding 1: VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 descriptors\n"
            "descriptor set layout 2 (set_object): 0 bindings\n"
            "descriptor set layout 3 (set_shared): 0 bindings\n"
            "pipeline layout: 4 sets, 16 bytes of push constants\n"
            "vertex stage: `vertex_main`\n"
            "fragment stage: `fragment_main`\n"
            "graphics pipeline\n"
            "  colour attachment 0: VK_FORMAT_R8G8B8A8_UNORM, `target.color`\n"
            "  colour attachment 1: VK_FORMAT_R8_UNORM, `target.mask`\n"
            "  depth attachment: VK_FORMAT_D32_SFLOAT\n"
            "  vertex binding 0: 52 bytes per vertex\n"
            "  location 0: VK_FORMAT_R32G32B32_SFLOAT at 0 of binding 0\n"
            "  location 1: VK_FORMAT_R8G8B8A8_UNORM at 12 of binding 0\n"
            "  location 2: VK_FORMAT_R32G32B32_SFLOAT at 16 of binding 0\n"
            "  location 3: VK_FORMAT_R32G32B32_SFLOAT at 28 of binding 0\n"
            "  location 4: VK_FORMAT_R32G32B32_SFLOAT at 40 of binding 0\n"
            "  cull: back\n"
            "  front face: clockwise\n"
            "  samples: 4\n"
            "  depth: passes when less, written\n"
            "  colour attachment 0 writes rgba, blends colour one * source add zero * destination, alpha one * source "
            "add zero * destination\n");
}

TEST_F(CreatePipeline, ComputeAndMetadataAlone) {
  constexpr std::string_view kCompute =
      "set_object read_write_storage_buffer d { f1... v; };\nvoid compute_main (void) { d.v[0u] = 1.0; }\n";
  EXPECT_THAT(must(create(compile(kCompute, {{rpl::Stage::Compute, "compute_main"}}, rpl::PipelineKind::Compute))),
              HasSubstr("compute stage: `compute_main`\ncompute pipeline\n"));
  EXPECT_THAT(must(create(compile(kProgram, {}))), HasSubstr("no pipeline: there are no entry points\n"));
}

TEST_F(CreatePipeline, InconsistentMetadataAreRejected) {
  const auto refused = [&](auto change) {
    Made made = graphics();
    change(made.metadata);
    const Result<std::string> created = create(made);
    return created ? "created" : text_of(created.error());
  };
  using rpl::Metadata;
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.sets[0].buffers[0].binding = 5; }),
              HasSubstr("`vertex_main` uses set 0, binding 0 as uniform buffer [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.sets[1].samplers[0].binding = 1; }),
              HasSubstr("two things of one set have binding 1 [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.attribute_sources[0].attributes[1].location = 0; }),
              HasSubstr("two attributes have location 0 [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.attribute_sources[0].attributes.pop_back(); }),
              HasSubstr("`vertex_main` reads location 2 [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.push_constant_size = 8; }),
              HasSubstr("`vertex_main` uses 16 bytes of push constants [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.push_constant_size = 17; }),
              HasSubstr("push constants are in units of 4 bytes [file-mismatch]"));
  EXPECT_THAT(refused([](Metadata& of) { of.settings[rpl::Setting::sample_count] = 3; }),
              HasSubstr("it needs 3 samples a pixel (`framebufferColorSampleCounts`) [device-lacks]"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.has_sets = false; }), HasSubstr("[unsupported]"));
  EXPECT_THAT(refused([](Metadata& of) { of.code.clear(); }), HasSubstr("list no code for the vertex stage"));
  EXPECT_THAT(refused([](Metadata& of) { of.pipeline_interface.sets[1].images[0].image_array_size = 2'000'000'000; }),
              HasSubstr("(`maxPerStageDescriptorSampledImages`) [device-lacks]"));
}

}  // namespace
}  // namespace slipway::scenario
