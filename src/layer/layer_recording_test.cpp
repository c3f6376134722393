// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings of dispatches (SLIPWAY_LAYER_CAPTURE): which they have, in which order, and with which contents.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/containers/ar.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "platform/process.hpp"
#include "shader/compile.hpp"
#include "tensor/files/npy.hpp"
#include "testing/layer_fixture.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;

class LayerRecording : public testing::LayerTest {
 protected:
  void SetUp() override {
    LayerTest::SetUp();
    platform::set_environment("SLIPWAY_LAYER_CAPTURE", directory_.path().string());
    if (!IsSkipped()) start();
    platform::remove_environment("SLIPWAY_LAYER_CAPTURE");
  }

  // The members of the recording, by name; in their order.
  std::vector<std::pair<std::string, std::string>> members() {
    stop();
    std::vector<std::pair<std::string, std::string>> all;
    const auto text = read_text(Path(directory_.path()) / "recording-0.ar");
    if (!text) return all;
    const ArArchive archive = read_ar(bytes_of(std::string_view(*text)));
    EXPECT_FALSE(archive.fault);
    for (const ArMember& member : archive.members) all.emplace_back(member.name, text_of(member.bytes));
    return all;
  }

  static std::string integers(std::vector<std::int32_t> values) {
    return tensor::npy_file("<i4", tensor::Shape{static_cast<std::int64_t>(values.size())},
                            std::as_bytes(std::span(values)));
  }

  testing::ScratchDirectory directory_;
};

// Command buffers are recorded in another order than they are executed, one is executed twice, and one never.
TEST_F(LayerRecording, DispatchesAreInTheOrderOfExecution) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {2}), y = tensor(VK_FORMAT_R32_SINT, {2}),
                  z = tensor(VK_FORMAT_R32_SINT, {2});
  fill(x, std::vector<std::int32_t>{-1, 2});
  const AppGraph abs = graph(testing::graph_module("%0 = input i32[2] at 0.0\n%1 = ABS(%0) i32[2]\noutput %1 at 0.1\n"),
                             "main", {&x, &y});
  const AppGraph add = graph(
      testing::graph_module("%0 = input i32[2] at 0.0\n%1 = ADD(%0, %0) i32[2]\noutput %1 at 0.1\n"), "main", {&y, &z});
  const VkDescriptorSet first = descriptor_set(abs.set_layout, {&x, &y});
  const VkDescriptorSet second = descriptor_set(add.set_layout, {&y, &z});
  const auto recorded = [&](const AppGraph& of, VkDescriptorSet set) {
    const VkCommandBuffer commands = command_buffer();
    begin(commands);
    dispatch(commands, of, set);
    full_barrier(commands);
    EXPECT_EQ(vk().vkEndCommandBuffer(commands), VK_SUCCESS);
    return commands;
  };
  const VkCommandBuffer later = recorded(add, second), earlier = recorded(abs, first);
  recorded(abs, first);
  submit({earlier});
  submit({later});
  fill(x, std::vector<std::int32_t>{-5, 6});
  submit({earlier});
  submit({later});
  std::vector<std::string> names;
  std::map<std::string, std::string> contents;
  for (auto& [name, text] : members()) {
    names.push_back(name);
    contents.emplace(name, std::move(text));
  }
  EXPECT_THAT(names, ElementsAre("recording", HasSubstr(".vgf"), "0000.in.tensor_0_0.npy", "0000.out.tensor_0_1.npy",
                                 "0000.graph", HasSubstr(".vgf"), "0001.in.tensor_0_0.npy", "0001.out.tensor_0_1.npy",
                                 "0001.graph"));
  EXPECT_EQ(contents["0000.in.tensor_0_0.npy"], integers({-5, 6}));
  EXPECT_EQ(contents["0000.out.tensor_0_1.npy"], integers({5, 6}));
  EXPECT_EQ(contents["0001.in.tensor_0_0.npy"], integers({5, 6}));
  EXPECT_EQ(contents["0001.out.tensor_0_1.npy"], integers({10, 12}));
  EXPECT_EQ(contents["0000.graph"], names[1]);
}

// A shader that writes over its input, and leaves one element as it is.
TEST_F(LayerRecording, ShadersHaveTheirTensorsBeforeAndAfter) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3});
  fill(x, std::vector<std::int32_t>{1, 2, 3});
  const auto compiled =
      shader::compile(make_source("twice.comp",
                                  "#version 460\n#extension GL_ARM_tensors : require\n"
                                  "layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\nvoid main() {\n"
                                  "  int value; tensorReadARM(x, uint[](gl_WorkGroupID.x), value);\n"
                                  "  tensorWriteARM(x, uint[](gl_WorkGroupID.x), 2 * value); }\n"),
                      shader::Language::Glsl);
  ASSERT_TRUE(compiled) << format_diagnostics(compiled.error());
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline pipeline = compute_pipeline(compiled->words, layout);
  const VkDescriptorSet set = descriptor_set(sets, {&x});
  run([&](VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vk().vkCmdDispatch(commands, 2, 1, 1);
  });
  std::map<std::string, std::string> contents;
  for (auto& [name, text] : members()) contents.emplace(name, std::move(text));
  EXPECT_EQ(contents["0000.in.tensor_0_0.npy"], integers({1, 2, 3}));
  EXPECT_EQ(contents["0000.out.tensor_0_0.npy"], integers({2, 4, 3}));
  EXPECT_THAT(contents["0000.json"], HasSubstr("\"src\": \"0000.in.tensor_0_0.npy\""));
}

}  // namespace
}  // namespace slipway::layer
