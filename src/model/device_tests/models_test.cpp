// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole models on the software device (or on the one that a bundle finds) against the interpreter.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"
#include "model/device_facts.hpp"
#include "model/plan/graph_engine.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/tuning/kernel_times.hpp"
#include "network.hpp"
#include "platform/process.hpp"
#include "testing/device_facts.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/messages.hpp"
#include "testing/source_directory.hpp"
#include "testing/tosa/kernel_limits.hpp"
#include "tosa/check/verify.hpp"
#include "vk/device_profile.hpp"

namespace slipway::model {
namespace {

using slipway::testing::messages;

class Models : public launch::LaunchTest {
 protected:
  // Runs a model on generated inputs and compares everything that can be compared.
  void check(const Path& path, const Fill& how, GraphOptions graphs = {}) {
    graphs.lower.device = device_facts(snapshot());
    Diagnostics diagnostics;
    auto values = std::make_shared<ModelValues>();
    const auto file = open_model(path, path.filename().string(), diagnostics);
    ASSERT_TRUE(file) << messages(diagnostics);
    const auto alone = plan_standalone(
        {.file = file, .name = "m", .model = {.graphs = graphs}, .fill = how, .values = values}, diagnostics);
    ASSERT_TRUE(alone) << messages(diagnostics);
    const launch::Report report = run_it(alone->plan, {.timestamps = true});
    EXPECT_GT(kernel_times(*alone, report.profile).size(), 0u);
    const auto compared = compare_model(file->vgf, *alone, *values);
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->outputs.size(), file->vgf.outputs.size());
    for (const OutputComparison& output : compared->outputs) {
      EXPECT_EQ(output.values.different, 0u) << comparison_text(output.values);
      EXPECT_GT(output.values.elements, 0u);
    }
  }

  static Path sample(std::string_view name) {
    return slipway::testing::source_directory() / "tests/data/models" / name;
  }
};

TEST_F(Models, ImageClassifierOfAnotherProducer) {
  const Path path = sample("mobilenet_v2_int8.vgf");
  check(path, {.seed = 1});
  check(path, {.kind = FillKind::Edges, .seed = 2});
}

// Large images are slow to interpret, so this is the only one.
TEST_F(Models, UnsignedConvolutionOfAnotherProducer) {
  const Path path = sample("conv2d_rescale_unsigned.vgf");
  check(path, {.kind = FillKind::Edges, .seed = 3});
}

TEST_F(Models, TheExampleClassifier) {
  tosa::Graph graph = classifier::network({.seed = 5});
  Diagnostics diagnostics;
  tosa::verify(graph, diagnostics);
  ASSERT_EQ(messages(diagnostics), "");
  const lower::LowerOptions for_device{.device = device_facts(snapshot())};
  lower::LowerOptions plain;
  plain.device.narrow_accesses = for_device.device.narrow_accesses;
  plain.device.longs = for_device.device.longs;
  lower::LowerOptions not_fused = plain;
  not_fused.fuse = false;
  for (const lower::LowerOptions& lowering : {plain, not_fused, for_device}) {
    for (const FillKind kind : {FillKind::Random, FillKind::Edges}) {
      launch::Plan plan;
      const auto shared = std::make_shared<const tosa::Graph>(graph);
      std::vector<launch::ResourceIndex> in, out;
      std::vector<std::byte> image(static_cast<std::size_t>(32 * 32 * 3));
      ASSERT_TRUE(fill(tosa::DataType::I8, {.kind = kind, .seed = 1}, image));
      plan.resources.push_back(
          {.name = "image", .kind = launch::Buffer{.size = image.size()}, .initial = {launch::contents_of(image)}});
      std::vector<reference::Tensor> results(graph.outputs.size());
      for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const tosa::TensorType type = graph[graph.outputs[i]].type;
        const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
        plan.resources.push_back({.name = "result", .kind = launch::Buffer{.size = size}});
        out.push_back(static_cast<launch::ResourceIndex>(plan.resources.size() - 1));
        plan.captures.push_back({out.back(), [&results, i, type](Bytes bytes) {
                                   results[i] = reference::Tensor::from_bytes(type, bytes);
                                 }});
      }
      in = {0};
      auto planned = PlannedGraph::make(plan, shared, nullptr, {.lower = lowering}, "classifier", {}, {shared});
      ASSERT_TRUE(planned);
      planned->dispatch(plan, {in, out}, "classifier", {});
      run_it(plan);
      const auto compared =
          compare_with_reference(graph, {reference::Tensor::from_bytes(graph[graph.inputs[0]].type, image)}, results);
      ASSERT_TRUE(compared);
      for (const ValueComparison& output : *compared) EXPECT_EQ(output.different, 0u) << comparison_text(output);
      // The scores of an image must differ, otherwise the comparison would be meaningless.
      EXPECT_NE(std::ranges::min(results[0].integers), std::ranges::max(results[0].integers));
    }
  }
}

// Everything is decided for the smaller device, and made on it: features that it lacks are not enabled, and the
// validation layer reports their use.
class ModelsOnProfiles : public Models, public ::testing::WithParamInterface<std::string> {
 protected:
  ModelsOnProfiles() { platform::set_environment("SLIPWAY_DEVICE_PROFILE", GetParam()); }
  ~ModelsOnProfiles() override {
    if (before_.empty())
      platform::remove_environment("SLIPWAY_DEVICE_PROFILE");
    else
      platform::set_environment("SLIPWAY_DEVICE_PROFILE", before_);
  }

 private:
  const std::string before_ = [] {
    const char* value = std::getenv("SLIPWAY_DEVICE_PROFILE");
    return std::string(value ? value : "");
  }();
};

TEST_P(ModelsOnProfiles, AreComputedByKernels) {
  EXPECT_TRUE(snapshot().name.ends_with(GetParam()));
  check(sample("conv2d_rescale_unsigned.vgf"), {.kind = FillKind::Edges, .seed = 3});
}

// Kernels for the real device need more, so that the check of kernels can fail.
TEST_P(ModelsOnProfiles, KernelsOfALargeGpuNeedMore) {
  tosa::Graph graph;
  const tosa::ValueId x = graph.add_input({tosa::DataType::F16, {1, 300, 400}});
  graph.outputs = {graph.add(tosa::Op::MATMUL, {x, graph.add_input({tosa::DataType::F16, {1, 400, 300}})},
                             tosa::Attributes({{"A_zp", {0}}, {"B_zp", {0}}}), {tosa::DataType::F16, {1, 300, 300}})};
  lower::LowerOptions large{.device = slipway::testing::gpu_facts()};
  large.device.matrices = {{.m = 16, .n = 16, .k = 16}};
  const lower::LowerOptions fitting{.device = device_facts(snapshot())};
  const auto too_large =
      slipway::testing::beyond_device(slipway::testing::must(lower::lower_graph(graph, large)), snapshot());
  EXPECT_THAT(too_large, ::testing::Contains(::testing::HasSubstr("needs cooperativeMatrix")));
  EXPECT_THAT(slipway::testing::beyond_device(slipway::testing::must(lower::lower_graph(graph, fitting)), snapshot()),
              ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Profiles, ModelsOnProfiles, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const vk::DeviceProfile& profile : vk::device_profiles())
                             names.emplace_back(profile.name);
                           return names;
                         }()),
                         [](const auto& profile) {
                           std::string name = profile.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(Models, TheInterpreterAsEngine) {
  const Path path = sample("mobilenet_v2_int8.vgf");
  check(path, {.seed = 4}, {.engine = Engine::Reference});
}

}  // namespace
}  // namespace slipway::model
