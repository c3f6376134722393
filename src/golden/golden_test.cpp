// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recorded bits: this machine computes them, the corpus has every operator, and a difference is seen.
#include "golden/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "slipway/device.hpp"
#include "slipway/model.hpp"
#include "tensor/element.hpp"
#include "testing/source_directory.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "tosa_cases/networks.hpp"

namespace slipway::golden {
namespace {

const Path kDirectory = testing::source_directory() / "tests/golden";

// `SLIPWAY_GOLDEN_CORPUS=1` makes the corpus again.
std::string entry(const std::string& name, const tosa::Graph& graph, std::span<const reference::Tensor> inputs) {
  constexpr std::uint64_t kAll = 1 << 20;
  tosa::Graph of_inputs;
  for (const reference::Tensor& input : inputs)
    of_inputs.outputs.push_back(of_inputs.add_constant(input.type, input.to_bytes()));
  return formatted("// graph {}\n{}// graph {}.inputs\n{}", name, tosa::print(graph, {.max_elements = kAll}), name,
                   tosa::print(of_inputs, {.max_elements = kAll}));
}

std::size_t elements_of(const tosa_cases::OperatorCase& made) {
  std::size_t count = 0;
  for (const reference::Tensor& operand : made.operands) count += operand.size();
  return count;
}

// Of each operator the cases of at most three sets of types, the smallest ones.
std::string operator_corpus() {
  constexpr std::size_t kOfEach = 3;
  std::map<tosa::Op, std::map<std::string, tosa_cases::OperatorCase>> chosen;
  for (std::size_t i = 0; i < tosa_cases::matrix().size(); ++i) {
    const tosa_cases::Configuration& configuration = tosa_cases::matrix()[i];
    auto& of_op = chosen[configuration.op];
    Diagnostics refused;
    auto made = tosa_cases::case_of(
        i, configuration.has_edges ? tosa_cases::Pattern::Edge : tosa_cases::Pattern::Random, refused);
    if (!made) continue;
    const auto known = of_op.find(configuration.label);
    if (known == of_op.end() || (elements_of(*made) > 16 && elements_of(*made) < elements_of(known->second)))
      of_op.insert_or_assign(configuration.label, std::move(*made));
  }
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// Each operator of TOSA with some of its types, "
      "and the inputs.\n";
  for (const auto& [op, cases] : chosen) {
    const std::size_t count = std::min(cases.size(), kOfEach);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [label, made] = *std::next(
          cases.begin(), std::ssize(cases) * static_cast<std::ptrdiff_t>(i) / static_cast<std::ptrdiff_t>(count));
      std::vector<reference::Tensor> inputs;
      for (const tosa::ValueId input : made.graph.inputs) {
        const auto at = std::ranges::find(made.node().inputs, input) - made.node().inputs.begin();
        inputs.push_back(made.operands[static_cast<std::size_t>(at)]);
      }
      text += entry(label, made.graph, inputs);
    }
  }
  return text;
}

std::string network_corpus() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// Graphs of several operators, and the inputs.\n";
  for (const tosa_cases::NamedGraph& block : tosa_cases::model_graphs()) {
    const std::string made = entry(block.name, block.builder.graph, block.builder.inputs());
    if (made.size() < 12000) text += made;
  }
  return text;
}

TEST(Golden, CorpusIsMadeWhenAskedFor) {
  if (!std::getenv("SLIPWAY_GOLDEN_CORPUS")) GTEST_SKIP() << "SLIPWAY_GOLDEN_CORPUS=1 makes the corpus again";
  ASSERT_TRUE(write_file(kDirectory / "operators.graph", operator_corpus()));
  ASSERT_TRUE(write_file(kDirectory / "networks.graph", network_corpus()));
}

TEST(Golden, CorpusHasEveryOperator) {
  std::set<tosa::Op> missing, present;
  for (const tosa_cases::Configuration& configuration : tosa_cases::matrix()) missing.insert(configuration.op);
  ASSERT_GT(missing.size(), 60U);
  for (const GoldenGraph& golden : graphs()) {
    for (const tosa::Node& node : golden.graph.nodes) missing.erase(node.op);
  }
  for (const tosa::Op op : missing) ADD_FAILURE() << tosa::name_of(op) << " is not in the corpus";
}

void expect_recorded(const std::vector<Bits>& found) {
  ASSERT_FALSE(found.empty());
  if (std::getenv("UPDATE_CORPUS")) {
    Recorded all = read_recorded(read_text(kDirectory / "bits.txt").value_or(""));
    for (const Bits& one : found) {
      EXPECT_TRUE(one.state != State::Failed && one.state != State::OutOfBounds)
          << one.name << " of " << one.engine << ": " << one.expected;
      if (const auto key = key_of(one)) all[*key] = one.digest;
    }
    ASSERT_TRUE(write_file(kDirectory / "bits.txt", write_recorded(all)));
    return;
  }
  for (const Bits& one : found) {
    EXPECT_FALSE(one.is_wrong()) << one.name << " of " << one.engine << ": " << one.digest << ", expected "
                                 << one.expected;
    EXPECT_NE(one.state, State::Unrecorded) << one.name << " of " << one.engine << ": UPDATE_CORPUS=1 records it";
  }
}

TEST(Golden, FilesAreRecorded) { expect_recorded(bits_of_files(recorded())); }
TEST(Golden, HostComputesWhatIsRecorded) { expect_recorded(bits_of_host(recorded())); }
TEST(Golden, DeviceComputesWhatIsRecorded) {
  auto device = Device::open();
  ASSERT_TRUE(device);
  expect_recorded(bits_of_device(*device, recorded()));
}

// Counts the NaNs among outputs, whose types are those of `outputs`; each must be the canonical one.
std::size_t count_nans(const GoldenGraph& golden, std::span<const reference::Tensor> outputs,
                       std::span<const std::vector<std::byte>> bytes) {
  std::size_t nans = 0;
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    if (!outputs[n].is_float()) continue;
    const auto type = tosa::storage_of(outputs[n].type.data);
    const std::size_t size = tensor::size_of(type);
    std::vector<std::byte> canonical(size);
    tensor::store_rounded(type, -std::nan("1"), canonical.data());
    for (std::size_t i = 0; i < outputs[n].size(); ++i) {
      const std::byte* element = &bytes[n][i * size];
      if (!std::isnan(tensor::double_of(type, element))) continue;
      ++nans;
      EXPECT_TRUE(std::equal(canonical.begin(), canonical.end(), element)) << golden.name << " " << i;
    }
  }
  return nans;
}

TEST(Golden, EveryEngineHasTheCanonicalNaN) {
  auto device = Device::open(), cpu = Device::open("cpu");
  ASSERT_TRUE(device);
  std::size_t nans = 0;
  for (const GoldenGraph& golden : graphs()) {
    const auto outputs = reference::run(golden.graph, golden.inputs);
    ASSERT_TRUE(outputs);
    std::vector<std::vector<std::byte>> bytes;
    for (const reference::Tensor& output : *outputs) bytes.push_back(output.to_bytes());
    const std::size_t found = count_nans(golden, *outputs, bytes);
    nans += found;
    if (found == 0) continue;
    const auto model =
        Model::parse({reinterpret_cast<const std::byte*>(golden.text.data()), golden.text.size()}, "golden");
    ASSERT_TRUE(model) << golden.name;
    for (Device* each : {&*device, cpu ? &*cpu : nullptr}) {
      if (!each) continue;
      auto prepared = model->prepare(*each);
      ASSERT_TRUE(prepared) << golden.name;
      for (std::size_t i = 0; i < golden.inputs.size(); ++i)
        std::ranges::copy(golden.inputs[i].to_bytes(), prepared->input_data(i));
      ASSERT_TRUE(prepared->run()) << golden.name;
      for (std::size_t i = 0; i < bytes.size(); ++i)
        std::copy_n(prepared->output_data(i), bytes[i].size(), bytes[i].begin());
      EXPECT_GE(count_nans(golden, *outputs, bytes), found) << golden.name << " on " << each->info().name;
    }
  }
  EXPECT_GT(nans, 15U);
}

TEST(Golden, ADifferenceIsSeen) {
  Recorded changed = recorded();
  std::size_t count = 0;
  for (auto& [key, digest] : changed) {
    if (!key.second.starts_with("vgf ")) continue;
    digest = "0000000000000000";
    ++count;
  }
  ASSERT_GT(count, 3U);
  std::size_t different = 0;
  for (const Bits& one : bits_of_files(changed)) {
    if (one.state != State::Different) continue;
    EXPECT_EQ(one.expected, "0000000000000000");
    ++different;
  }
  EXPECT_EQ(different, count);
  for (const Bits& one : bits_of_files({})) EXPECT_EQ(one.state, State::Unrecorded);
}

TEST(Golden, TableIsReadAsItIsWritten) { EXPECT_EQ(read_recorded(write_recorded(recorded())), recorded()); }

}  // namespace
}  // namespace slipway::golden
