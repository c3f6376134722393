// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/jobs/session_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "testing/cpu_libraries.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::recipe {
namespace {

using ::testing::HasSubstr;

// Adds 2 to every byte of `x`, which the profile fills with 40 and compares with `expected`.
constexpr std::string_view kRecipe = R"({"resources": {
  "buffers": [{"name": "x", "type": "inout", "size": 8}],
  "cpus": [{"name": "FUNCTION", "library_path": "arithmetic"}]},
  "execution": {"runs": [{"name": "FUNCTION", "where": "cpu",
    "arguments": [{"name": "x", "argidx": 0}], "constants": [{"value": 2, "argidx": 1}]}]}})";
constexpr std::string_view kProfile = R"({"bindings": [
  {"name": "x", "size": 8, "init": {"stride": 1, "value": 40}, "validate": {"name": "expected"}},
  {"name": "expected", "size": 8, "init": {"stride": 1, "value": EXPECTED}}],
  "executions": [{"mode": "validate"}]})";

std::string with(std::string_view text, std::string_view what, std::string_view instead) {
  std::string result(text);
  for (std::size_t at = result.find(what); at != result.npos; at = result.find(what, at)) {
    result.replace(at, what.size(), instead);
  }
  return result;
}

TEST(SessionJobs, RunReportAndContinue) {
  const slipway::testing::ScratchDirectory directory;
  const auto write = [&](const char* name, const std::string& text) {
    ASSERT_TRUE(write_file(directory / name, text));
  };
  write("add.json", with(kRecipe, "FUNCTION", "add"));
  write("sub.json", with(kRecipe, "FUNCTION", "sub"));
  write("good.json", with(kProfile, "EXPECTED", "42"));
  write("wrong.json", with(kProfile, "EXPECTED", "43"));
  Diagnostics diagnostics;
  const auto document = json::parse(make_source("jobs.json", R"({"jobs": [
    {"id": "good", "recipe": "add.json", "profile": "good.json"},
    {"id": "wrong", "recipe": "add.json", "profile": "wrong.json"},
    {"id": "unknown", "recipe": "sub.json"},
    {"id": "missing", "recipe": "none.json"}]})"));
  const auto script = read_jobs(*document, {}, diagnostics);
  ASSERT_TRUE(script && diagnostics.empty());

  SessionJobOptions options{.directory = directory.path()};
  options.open = [](const Path& artifacts) {
    OpenOptions open;
    open.runner.libraries = cpu::library_roots(testing::cpu_libraries(), artifacts);
    return open;
  };
  const auto results = run_jobs(*script, {}, session_jobs(options));
  ASSERT_EQ(results.size(), 4u);
  const auto text = [&](std::size_t i) { return json::object_text(report_record(), results[i].report); };
  EXPECT_EQ(results[0].status, 0) << text(0);
  EXPECT_EQ(results[0].recipe, "add.json");
  EXPECT_EQ(results[1].status, 1);
  EXPECT_THAT(text(1), HasSubstr("\"error\""));
  EXPECT_EQ(results[2].status, 3);
  EXPECT_THAT(text(2), HasSubstr("function 'sub' not found"));
  EXPECT_EQ(results[3].status, 3);
  EXPECT_THAT(text(3), HasSubstr("\"file-not-found\""));
  EXPECT_EQ(status_of(results), 3);
}

}  // namespace
}  // namespace slipway::recipe
