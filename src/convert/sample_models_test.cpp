// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of other tools, where present: read from VGF, written as TOSA FlatBuffers, read and converted again, a graph
// has the same operators, and its constants are identical byte for byte.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "convert/segments/merge_segments.hpp"
#include "convert/testing.hpp"
#include "convert/write_model.hpp"
#include "spirv/module.hpp"
#include "testing/data_files.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/read/read_tosa.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_tosa.hpp"
#include "vgf/read.hpp"

namespace slipway::convert {
namespace {

tosa::Graph graph_of(const vgf::File& file, std::size_t segment) {
  Diagnostics problems;
  const vgf::Module& module = file.modules[file.segments[segment].module];
  const auto words = spirv::read_module(module.words, "module");
  auto graph = words ? tosa::read_graph(*words, module.entry_point, problems) : std::nullopt;
  EXPECT_TRUE(graph) << testing::messages(problems);
  if (!graph) return {};
  tosa::bind_constants(
      *graph,
      [&](std::uint32_t id) -> std::optional<Bytes> {
        for (std::size_t i = 0; i < file.segments[segment].constants.size(); ++i) {
          if (file.segments[segment].constant_ids[i] == id)
            return file.constants[file.segments[segment].constants[i]].data;
        }
        return std::nullopt;
      },
      problems);
  tosa::verify(*graph, problems);
  EXPECT_EQ(testing::messages(problems), "");
  return std::move(*graph);
}

// All elements, with splats expanded.
std::vector<std::byte> all_of(const tosa::Graph& graph, const tosa::Constant& constant) {
  if (!constant.splat) return {constant.data.begin(), constant.data.end()};
  std::vector<std::byte> all;
  const std::uint64_t count = tensor::element_count(graph[constant.value].type.shape).value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) all.insert(all.end(), constant.data.begin(), constant.data.end());
  return all;
}

void expect_same(const tosa::Graph& a, const tosa::Graph& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  const auto same = [&](tosa::ValueId left, tosa::ValueId right) {
    ASSERT_EQ(text_of(a[left].type), text_of(b[right].type));
    ASSERT_EQ(a[left].kind, b[right].kind);
    if (a[left].kind == tosa::ValueKind::Constant) {
      ASSERT_EQ(all_of(a, *a.constant(left)), all_of(b, *b.constant(right)));
    } else {
      ASSERT_EQ(a[left].source, b[right].source);
    }
  };
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    SCOPED_TRACE(formatted("operator {} {}", i, name_of(a.nodes[i].op)));
    ASSERT_EQ(a.nodes[i].op, b.nodes[i].op);
    ASSERT_EQ(a.nodes[i].inputs.size(), b.nodes[i].inputs.size());
    for (const tosa::Attributes::Entry& entry : a.nodes[i].attributes.entries()) {
      const auto* other = b.nodes[i].attributes.find(entry.name);
      ASSERT_TRUE(other && *other == entry) << entry.name;
    }
    for (std::size_t k = 0; k < a.nodes[i].inputs.size(); ++k) same(a.nodes[i].inputs[k], b.nodes[i].inputs[k]);
    for (std::size_t k = 0; k < a.nodes[i].outputs.size(); ++k) same(a.nodes[i].outputs[k], b.nodes[i].outputs[k]);
  }
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (std::size_t i = 0; i < a.outputs.size(); ++i) same(a.outputs[i], b.outputs[i]);
}

TEST(SampleModels, RoundTripThroughEveryForm) {
  const std::vector<std::filesystem::path> files = slipway::testing::data_files("models", {".vgf"});
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    const auto mapped = map_file(path);
    ASSERT_TRUE(mapped);
    Diagnostics problems;
    const auto file = vgf::read_vgf(mapped->bytes(), "m.vgf", problems);
    ASSERT_TRUE(file);
    auto merged =
        merge_segments(*file, [&](std::size_t segment) { return std::optional(graph_of(*file, segment)); }, problems);
    ASSERT_TRUE(merged) << testing::messages(problems);
    const tosa::Model& model = *merged;
    expect_same(graph_of(*file, 0), model.graph);

    const auto as_tosa = tosa::write_tosa(model);
    ASSERT_TRUE(as_tosa);
    const auto again = tosa::read_tosa(*as_tosa, "m.tosa", problems);
    ASSERT_TRUE(again) << testing::messages(problems);
    expect_same(model.graph, again->graph);

    const auto as_vgf = write_model(again->graph);
    ASSERT_TRUE(as_vgf);
    const auto last = vgf::read_vgf(*as_vgf, "again.vgf", problems);
    ASSERT_TRUE(last) << testing::messages(problems);
    expect_same(model.graph, graph_of(*last, 0));
  }
}

}  // namespace
}  // namespace slipway::convert
