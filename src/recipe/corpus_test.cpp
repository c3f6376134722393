// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The corpora tests/corpus/recipe, profile and replay: NAME.json, with its expected diagnostics in NAME.expected.
//
// A name begins with `fail_` exactly if there is an error. Words between the dots of a name choose what is run:
//   x.json             read and planned as `run` does, without the files that it names
//   x.check.json       as `check` does: unknown keys are errors
//   x.portable.json    as `check --portable`
//   x.files.json       with the files that it names, from files/ in the same directory
// Profiles are checked against recipe.of.json in the same directory, with their files; captures with theirs.
//
// UPDATE_CORPUS=1 rewrites the expectations. It refuses to change the kinds of diagnostics of a case;
// UPDATE_CORPUS=kinds allows that.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/plan/portable.hpp"
#include "recipe/replay/replay.hpp"
#include "testing/corpus_expectation.hpp"
#include "testing/source_directory.hpp"
#include "testing/without_directory.hpp"

namespace slipway::recipe {
namespace {

Path corpus(std::string_view name) { return testing::source_directory() / "tests/corpus" / name; }

std::vector<Path> cases(const Path& directory) {
  std::vector<Path> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".json" && !entry.path().filename().string().contains(".of."))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

bool has_word(const Path& path, std::string_view word) {
  return path.filename().string().contains(formatted(".{}.", word));
}

std::optional<Recipe> read(const Path& path, const ReadOptions& options, Diagnostics& diagnostics) {
  const auto source = diagnostics.take(read_source(path, path.filename().string()));
  auto document = source ? read_document(*source, options, diagnostics) : nullptr;
  return document ? read_recipe(std::move(document), options, diagnostics) : std::nullopt;
}

Diagnostics run_recipe(const Path& path) {
  Diagnostics diagnostics;
  const ReadOptions options{.leniency = has_word(path, "check") ? Severity::Error : Severity::Warning};
  const auto recipe = read(path, options, diagnostics);
  const auto artifacts = Artifacts::in_directory(path.parent_path() / "files");
  if (recipe) {
    plan_recipe(*recipe, artifacts, {.depth = has_word(path, "files") ? Depth::Files : Depth::References}, diagnostics);
  }
  if (recipe && has_word(path, "portable")) check_portable(*recipe, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

Diagnostics run_profile(const Path& path) {
  Diagnostics diagnostics;
  const ReadOptions options{.leniency = has_word(path, "check") ? Severity::Error : Severity::Warning};
  const Path of = path.parent_path() / "recipe.of.json";
  const auto recipe = read(of, options, diagnostics);
  const auto source = diagnostics.take(read_source(path, path.filename().string()));
  auto document = source ? read_document(*source, options, diagnostics) : nullptr;
  const auto profile = document ? read_profile(std::move(document), options, diagnostics) : std::nullopt;
  const auto artifacts = Artifacts::in_directory(path.parent_path() / "files");
  if (profile) check_profile(*profile, &*recipe, &artifacts, diagnostics);
  if (profile && has_word(path, "portable")) check_portable(*profile, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

Diagnostics run_replay(const Path& path) {
  Diagnostics diagnostics;
  const ReadOptions options{.leniency = Severity::Error};
  const auto source = diagnostics.take(read_source(path, path.filename().string()));
  auto document = source ? read_document(*source, options, diagnostics) : nullptr;
  const auto replay = document ? read_replay(std::move(document), options, diagnostics) : std::nullopt;
  const auto artifacts = Artifacts::in_directory(path.parent_path() / "files");
  if (replay) check_replay(*replay, &artifacts, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

void compare(const Path& path, const Diagnostics& diagnostics) {
  SCOPED_TRACE(path.filename().string());
  const std::string actual =
      testing::without_directory(format_diagnostics(diagnostics.all(), {.sources = false}), path.parent_path());
  testing::expect_as_written(path, diagnostics, actual);
}

TEST(RecipeCorpus, ReportsTheExpectedDiagnostics) {
  const std::vector<Path> all = cases(corpus("recipe"));
  ASSERT_GT(all.size(), 120u);
  for (const Path& path : all) compare(path, run_recipe(path));
}

TEST(ProfileCorpus, ReportsTheExpectedDiagnostics) {
  const std::vector<Path> all = cases(corpus("profile"));
  ASSERT_GT(all.size(), 40u);
  for (const Path& path : all) compare(path, run_profile(path));
}

TEST(ReplayCorpus, ReportsTheExpectedDiagnostics) {
  const std::vector<Path> all = cases(corpus("replay"));
  ASSERT_GT(all.size(), 25u);
  for (const Path& path : all) compare(path, run_replay(path));
}

// Ordering must be linear in the number of frames, each of which waits for a frame of another thread.
TEST(Replay, LongCapturesAreOrderedInLinearTime) {
  constexpr int kFrames = 20'000;
  std::string text = R"({"resources": {"hwctxs": [{"name": "c", "programs": ["p"]}],
    "buffers": [], "kernels": [{"name": "k", "instance": "k", "hwctx": "c"}], "runs": [{"name": "r", "kernel": "k"}]},
    "execution": {"threads": [0, 1], "frames": [)";
  for (int i = 0; i < kFrames; ++i) {
    text += formatted(R"({}{{"name": "f{}", "tid": {}, "runs": [{{"run": "r"}}], "waits": [{}]}})", i ? "," : "", i,
                      i % 2, i ? formatted("\"f{}\"", i - 1) : "");
  }
  text += "]}}";
  Diagnostics diagnostics;
  const auto replay = read_replay(*json::parse(make_source("long.json", text)), {}, diagnostics);
  check_replay(*replay, nullptr, diagnostics);
  EXPECT_EQ(replay->frames.size(), std::size_t{kFrames});
  EXPECT_TRUE(diagnostics.empty()) << format_diagnostics(diagnostics.all(), {});
}

}  // namespace
}  // namespace slipway::recipe
