// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_segment.hpp"

#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "reference/run.hpp"
#include "testing/data_files.hpp"
#include "testing/messages.hpp"
#include "tosa/text.hpp"
#include "vgf/read.hpp"

namespace slipway::model {
namespace {

using slipway::testing::messages;

TEST(GraphSegment, SampleModelsAreReadAndVerified) {
  const std::vector<std::filesystem::path> files = slipway::testing::data_files("models", {".vgf"});
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    const auto mapped = map_file(path);
    Diagnostics diagnostics;
    const auto file = vgf::read_vgf(mapped->bytes(), "m.vgf", diagnostics);
    ASSERT_TRUE(file);
    for (std::size_t i = 0; i < file->segments.size(); ++i) {
      if (file->segments[i].kind != vgf::ModuleKind::Graph) continue;
      const auto graph = read_graph_segment(*file, i, diagnostics);
      ASSERT_TRUE(graph) << messages(diagnostics);
      EXPECT_EQ(messages(diagnostics), "");
      EXPECT_GT(graph->nodes.size(), 3u);
      for (const tosa::Value& value : graph->values) EXPECT_TRUE(value.type.is_static()) << tosa::text_of(value.type);
      // The printed text is read again.
      const std::string text = tosa::print(*graph, {.max_elements = 1u << 20});
      const auto again = tosa::parse(make_source("again", text), diagnostics);
      ASSERT_TRUE(again) << messages(diagnostics);
      EXPECT_EQ(tosa::print(*again, {.max_elements = 1u << 20}), text);
    }
  }
}

}  // namespace
}  // namespace slipway::model
