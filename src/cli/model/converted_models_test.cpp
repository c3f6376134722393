// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs converted models on the test device: every operator and type by itself, and random models with shaders next to
// the same models without shaders. SLIPWAY_TOSA_SUITE=all runs the complete suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/model/mixed_models.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "convert/segments/merge_segments.hpp"
#include "convert/verify.hpp"
#include "convert/verify_on_device.hpp"
#include "executors/cpu/info.hpp"
#include "model/graph_segment.hpp"
#include "model_jobs/model_runner.hpp"
#include "spirv/tools.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_tosa.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::cli {
namespace {

using reference::Tensor;
using slipway::tosa_cases::OperatorCase;

class ConvertedModels : public ::testing::Test {
 protected:
  void TearDown() override {
    Diagnostics found;
    runner_.add_messages(found);
    engine_runner_.add_messages(found);
    EXPECT_EQ(messages(found), "");
  }

  static std::string messages(const Diagnostics& diagnostics) {
    return format_diagnostics(diagnostics.all(), {.sources = false});
  }

  // Converts the model and checks the file and each of its modules.
  static std::shared_ptr<const model::ModelFile> convert(tosa::Model& model,
                                                         const convert::ConvertOptions& settings = {}) {
    Diagnostics problems;
    auto converted = convert::convert(model, settings, problems);
    auto bytes = converted ? problems.take(converted->file.finish()) : std::nullopt;
    auto file = bytes ? model::open_model(std::move(*bytes), "t.vgf", problems) : nullptr;
    EXPECT_EQ(messages(problems), "");
    if (!file) return nullptr;
    vgf::check_vgf(file->vgf, problems);
    for (const vgf::Module& module : file->vgf.modules) {
      const auto valid = spirv::validate(
          std::span(reinterpret_cast<const std::uint32_t*>(module.words.data()), module.words.size() / 4), "t.spv");
      EXPECT_TRUE(valid) << format_diagnostics(valid.error());
    }
    EXPECT_EQ(messages(problems), "");
    return file;
  }

  std::vector<Tensor> run(const std::shared_ptr<const model::ModelFile>& file, std::span<const Tensor> inputs,
                          const tosa::Graph& graph) {
    return run(runner_, file, inputs, graph);
  }
  static std::vector<Tensor> run(model::ModelRunner& runner, const std::shared_ptr<const model::ModelFile>& file,
                                 std::span<const Tensor> inputs, const tosa::Graph& graph) {
    std::vector<tosa::TensorType> types;
    for (const tosa::ValueId output : graph.outputs) types.push_back(graph[output].type);
    const auto outputs = runner.run(file, inputs, types);
    EXPECT_TRUE(outputs) << format_diagnostics(outputs.error());
    std::vector<Tensor> results;
    for (std::size_t i = 0; outputs && i < outputs->size(); ++i) results.push_back((*outputs)[i].value());
    return results;
  }

  // Writes and reads a `.tosa` file, converts the model and runs it on the device. Returns how the results differ from
  // the expected ones, or an empty text.
  std::string check(const OperatorCase& made) {
    tosa::Model model;
    model.graph = made.graph;
    const auto bytes = tosa::write_tosa(model);
    if (!bytes) return format_diagnostics(bytes.error());
    Diagnostics problems;
    auto read = convert::read_model(*bytes, "m.tosa", {}, problems);
    if (!read) return messages(problems);
    const auto file = convert(*read);
    if (!file) return "not converted";
    std::vector<Tensor> inputs(made.graph.inputs.size());
    for (std::size_t k = 0; k < made.operands.size(); ++k) {
      const tosa::Value& value = made.graph[made.node().inputs[k]];
      if (value.kind == tosa::ValueKind::Input) inputs[value.source] = made.operands[k];
    }
    const std::vector<Tensor> results = run(file, inputs, made.graph);
    return results.empty() ? "no results" : slipway::tosa_cases::disagreement(made, results);
  }

  // Merges the segments of the file and converts the result again. The merged graph must have the operators and inputs
  // of `graph`, from which the file was made, and the second file must have the segments of the first. Operands of
  // shaders are not compared, because their order may differ.
  static void check_merged(const model::ModelFile& file, const tosa::Graph& graph) {
    Diagnostics problems;
    auto merged = convert::merge_segments(
        file.vgf, [&](std::size_t segment) { return model::read_graph_segment(file.vgf, segment, problems); },
        problems);
    ASSERT_TRUE(merged) << messages(problems);
    EXPECT_EQ(merged->graph.nodes.size(), graph.nodes.size());
    EXPECT_EQ(merged->graph.inputs.size(), graph.inputs.size());
    const auto again = convert(*merged, {.order = convert::PartitionOrder::Program});
    ASSERT_TRUE(again);
    ASSERT_EQ(again->vgf.segments.size(), file.vgf.segments.size());
    for (std::size_t s = 0; s < file.vgf.segments.size(); ++s) {
      const vgf::Segment &a = file.vgf.segments[s], &b = again->vgf.segments[s];
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.inputs.size(), b.inputs.size());
      EXPECT_EQ(a.outputs.size(), b.outputs.size());
      if (a.kind != vgf::ModuleKind::Compute) continue;
      EXPECT_EQ(a.dispatch, b.dispatch);
      EXPECT_TRUE(std::ranges::equal(file.vgf.modules[a.module].words, again->vgf.modules[b.module].words));
    }
  }

  model::ModelRunner runner_{"", model::Engine::Kernels, true}, engine_runner_{"", model::Engine::Cpu, true};
};

TEST_F(ConvertedModels, EveryOperatorAndType) {
  std::map<std::string, int> checked;  // by operator and types
  std::set<tosa::Op> operators;
  const auto& matrix = slipway::tosa_cases::matrix();
  const bool whole = slipway::testing::whole_suite();
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (!whole && checked[matrix[i].label] > 0) continue;
    for (const slipway::tosa_cases::Pattern pattern : slipway::tosa_cases::kPatterns) {
      Diagnostics problems;
      const auto made = slipway::tosa_cases::case_of(i, pattern, problems);
      if (!made) continue;
      if (info_of(matrix[i].op).set != tosa::InstructionSet::Tosa) continue;
      EXPECT_EQ(check(*made), "") << made->name;
      ++checked[matrix[i].label];
      operators.insert(matrix[i].op);
      if (!whole) break;
    }
  }
  EXPECT_EQ(operators.size(), 66u);
  EXPECT_GT(checked.size(), 200u);
}

TEST_F(ConvertedModels, WithShadersAndWithoutAreAlike) {
  const std::uint64_t first = slipway::testing::number_of("SLIPWAY_TOSA_SEED", 1),
                      count = slipway::testing::number_of("SLIPWAY_TOSA_GRAPHS",
                                                          slipway::testing::whole_suite() ? 1000 : 20);
  std::size_t shaders = 0, failed = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < 5; ++seed) {
    testing::MixedModel made = testing::MixedModelGenerator(static_cast<std::uint32_t>(seed)).make();
    SCOPED_TRACE(formatted("seed {}\n{}", seed, tosa::print(made.mixed)));
    tosa::Model mixed, plain;
    mixed.graph = made.mixed;
    plain.graph = made.plain;
    const auto with = convert(mixed, {.order = seed % 2 ? convert::PartitionOrder::BreadthFirst
                                                        : convert::PartitionOrder::Program}),
               without = convert(plain);
    ASSERT_TRUE(with && without);
    shaders +=
        static_cast<std::size_t>(std::ranges::count(with->vgf.segments, vgf::ModuleKind::Compute, &vgf::Segment::kind));
    ASSERT_EQ(without->vgf.segments.size(), 1u);
    check_merged(*with, mixed.graph);
    const auto partitioned = run(with, made.inputs, made.mixed), whole = run(without, made.inputs, made.plain);
    ASSERT_EQ(partitioned.size(), whole.size());
    const auto expected = convert::evaluate(made.plain, made.inputs);
    ASSERT_TRUE(expected);
    // The graphs on the CPU engine, between the shaders.
    const auto on_engine = launch::has_cpu_engine() ? run(engine_runner_, with, made.inputs, made.mixed) : partitioned;
    ASSERT_EQ(on_engine.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const Tensor& wanted = (*expected)[tosa::index(made.plain.outputs[i])];
      const bool same = partitioned[i].reals == wanted.reals && partitioned[i].integers == wanted.integers &&
                        on_engine[i].reals == wanted.reals && on_engine[i].integers == wanted.integers &&
                        whole[i].reals == wanted.reals && whole[i].integers == wanted.integers;
      EXPECT_TRUE(same) << "output " << i;
      failed += !same;
    }
  }
  EXPECT_GT(shaders, count);
}

// The file's shader differs from the model's.
TEST_F(ConvertedModels, VerificationRunsTheShaders) {
  const auto shader = [](int number) {
    tosa::Model model;
    const tosa::TensorType type{tosa::DataType::F32, {4}};
    const auto x = model.graph.add_input(type, "x");
    const auto y = model.graph.add(tosa::Op::CUSTOM, {x}, {}, type);
    model.graph.nodes[0].custom = std::make_shared<tosa::CustomOperator>(
        std::string(convert::kShaderDomain), "add",
        formatted(R"({{"entry_point": "main", "workgroup_sizes": [1, 1, 1], "shader_language": "GLSL", "shader_code":
"layout(local_size_x = 4) in; layout(set = 0, binding = 0) readonly buffer A {{ float a[]; }}; layout(set = 0, binding = 1) writeonly buffer B {{ float b[]; }}; void main() {{ b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x] + {}.0; }}",
"input_0_vkformat": "VK_FORMAT_R32_SFLOAT", "input_0_vkdescriptortype": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", "input_0_binding": 0, "input_0_descriptorset": 0,
"output_0_vkformat": "VK_FORMAT_R32_SFLOAT", "output_0_vkdescriptortype": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", "output_0_binding": 1, "output_0_descriptorset": 0}})",
                  number));
    model.graph.outputs = {model.graph.add(tosa::Op::ABS, {y}, {}, type)};
    return model;
  };
  tosa::Model right = shader(1), wrong = shader(2);
  const tosa::Model original = right;
  for (const bool is_right : {true, false}) {
    tosa::Model& model = is_right ? right : wrong;
    Diagnostics problems;
    auto converted = convert::convert(model, {}, problems);
    ASSERT_TRUE(converted) << messages(problems);
    const auto bytes = converted->file.finish();
    const auto file = vgf::read_vgf(*bytes, "t.vgf", problems);
    ASSERT_TRUE(file) << messages(problems);
    model::ModelRunner runner("", model::Engine::Reference);
    const auto report = convert::verify_on_device(
        original, model, *file, *bytes, {}, {},
        [&](const auto& to_run, auto inputs, auto outputs) { return runner.run(to_run, inputs, outputs); }, problems);
    EXPECT_EQ(report.runs != 0, is_right);
    EXPECT_EQ(messages(problems), is_right ? ""
                                           : "t.vgf: error: verification: on zeros, output 0 of a run of the file "
                                             "differs: element 0 is 2, and the model returns 1 [expectation-failed]\n");
  }
}

}  // namespace
}  // namespace slipway::cli
