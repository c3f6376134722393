// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/confine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/program.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::cli {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(Confine, IsAnArgumentBeforeTheFiles) {
  EXPECT_TRUE(wants_confinement({"run", "a.json", "--confine"}));
  EXPECT_FALSE(wants_confinement({"run", "a.json"}));
  EXPECT_FALSE(wants_confinement({"run", "--", "--confine"}));
}

// An option that writes and is not in the table has no effect with --confine, because the kernel refuses the file.
TEST(Confine, KnowsEveryOptionOfAnOutput) {
  constexpr std::string_view kWrites[] = {"write ", "created if missing", "draw ", "reduced file", "write to", "dump"};
  // What is written, not where.
  constexpr std::string_view kOther[] = {"--form", "--module", "--constant", "--tosa-flatbuffer-schema"};
  std::size_t outputs = 0;
  for (const VerbDescription& verb : describe_verbs()) {
    for (const LineDescription& line : verb.lines) {
      for (const OptionDescription& option : line.options) {
        const auto is_in = [&](const auto& table) {
          return std::ranges::any_of(option.names,
                                     [&](const std::string& name) { return std::ranges::contains(table, name); });
        };
        const bool writes =
            std::ranges::any_of(kWrites, [&](std::string_view text) { return option.meaning.contains(text); });
        if (option.value.empty() || option.names.empty() || !writes || is_in(kOther)) continue;
        EXPECT_TRUE(is_in(output_options())) << line.name << " " << option.names.front() << ": " << option.meaning;
        ++outputs;
      }
    }
  }
  EXPECT_GT(outputs, 30u);
}

TEST(Confine, AllowsWhatTheArgumentsName) {
  const testing::ScratchDirectory scratch;
  const Path in = scratch / "in", data = scratch / "data", out = scratch / "out", list = scratch / "lists" / "list";
  for (const Path& file : {in / "a.json", data / "x.npy", list}) ASSERT_TRUE(write_file(file, std::string_view("{}")));
  ASSERT_TRUE(make_directories(out));
  const std::vector<std::string> words = {(in / "a.json").string(), "--input",
                                          formatted("x={}", (data / "x.npy").string()),
                                          formatted("--report={}", (out / "new" / "r.json").string())};
  // A run updates its expectations, and `validate` reads them.
  const std::vector<std::string> expecting = {"--expect", (data / "x.npy").string()};
  EXPECT_THAT(rules_for(expecting, true).write, Contains(data));
  EXPECT_THAT(rules_for(expecting, false).write, Not(Contains(data)));
  EXPECT_THAT(rules_for(expecting, false).read, Contains(data));
  const platform::FileRules checked = rules_for(words, false);
  EXPECT_THAT(checked.read, Contains(in));
  EXPECT_THAT(checked.read, Contains(data));
  EXPECT_THAT(checked.write, Contains(out));
  EXPECT_THAT(checked.write, Not(Contains(in)));
  EXPECT_THAT(rules_for(words, true).write, Contains(in));
  EXPECT_THAT(checked.read, Not(Contains(scratch.path())));
  ASSERT_TRUE(write_file(list, formatted("# cases\n  {}  \n", (data / "x.npy").string())));
  const platform::FileRules listed =
      rules_for({formatted("@{}", list.string()), "--save", formatted("x={}", (out / "y.bin").string())}, true);
  EXPECT_THAT(listed.write, Contains(data));
  EXPECT_THAT(listed.write, Contains(out));
  EXPECT_THAT(listed.read, Contains(list.parent_path()));
  for (const platform::FileRules& rules : {checked, listed}) EXPECT_THAT(rules.write, Not(Contains(Path("/"))));
}

}  // namespace
}  // namespace slipway::cli
