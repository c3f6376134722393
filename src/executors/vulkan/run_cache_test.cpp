// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

using RunCache = LaunchTest;
using Lines = std::vector<std::string>;

Plan one_dispatch() {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4);
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {x});
  return plan;
}

class PipelineCacheFileTest : public LaunchTest {
 protected:
  PipelineCacheFile file_{.path = directory_ / "caches/scene.cache"};

  // The lines about the cache of one run.
  Lines run_with(PipelineCacheFile file) {
    lines_.clear();
    run_it(one_dispatch(), {.pipeline_cache = std::move(file)});
    return cache_lines();
  }
  Lines cache_lines() const {
    Lines about;
    for (const std::string& line : lines_) {
      if (line.find("ipeline") != line.npos) about.push_back(line);
    }
    return about;
  }
  // The stored file with one change.
  Lines run_with_changed_file(void (*change)(std::vector<std::byte>&)) {
    run_with(file_);
    std::vector<std::byte> data = read_raw<std::byte>(file_.path);
    change(data);
    must(write_file(file_.path, data));
    return run_with(file_);
  }
};

const Lines kStored = {"INFO: Load Pipeline Cache", "INFO: Pipeline Cache stored", "INFO: Pipeline Cache stored"};

Lines stored_after(Lines warnings) {
  Lines all = {kStored[0]};
  std::ranges::move(warnings, std::back_inserter(all));
  all.insert(all.end(), kStored.begin() + 1, kStored.end());
  return all;
}

TEST_F(PipelineCacheFileTest, StoredThenLoaded) {
  EXPECT_EQ(run_with(file_), kStored);
  EXPECT_GE(read_raw<std::byte>(file_.path).size(), 32u);
  EXPECT_EQ(run_with(file_), stored_after({"INFO: Pipeline Cache loaded and validated."}));
}

TEST_F(PipelineCacheFileTest, Cleared) {
  file_.clear = true;
  EXPECT_EQ(run_with(file_), kStored);
  EXPECT_EQ(run_with(file_), stored_after({"INFO: Pipeline Cache cleared"}));
}

TEST_F(PipelineCacheFileTest, Empty) {
  EXPECT_EQ(run_with_changed_file([](std::vector<std::byte>& data) { data.clear(); }),
            stored_after({"WARNING: Pipeline Cache skipped: size invalid"}));
}

TEST_F(PipelineCacheFileTest, WrongHeaderSize) {
  EXPECT_EQ(run_with_changed_file([](std::vector<std::byte>& data) { data[0] = std::byte{31}; }),
            stored_after({"WARNING: Pipeline validation: Incorrect pipeline cache header size",
                          "WARNING: Pipeline Cache skipped: failed to validate."}));
}

TEST_F(PipelineCacheFileTest, WrongVersion) {
  EXPECT_EQ(run_with_changed_file([](std::vector<std::byte>& data) { data[4] = std::byte{9}; }),
            stored_after({"WARNING: Pipeline validation: Incorrect pipeline header version (9). Expected (1)",
                          "WARNING: Pipeline Cache skipped: failed to validate."}));
}

TEST_F(PipelineCacheFileTest, WrongDevice) {
  const Lines lines = run_with_changed_file([](std::vector<std::byte>& data) { data[8] ^= std::byte{1}; });
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(
      lines[1].starts_with("WARNING: Pipeline validation: Incorrect device used with cache. (VendorID, DeviceID) = ("));
  EXPECT_EQ(lines[2], "WARNING: Pipeline Cache skipped: failed to validate.");
}

TEST_F(PipelineCacheFileTest, WithoutAValidFileAMissIsNotAnError) {
  file_.fail_on_miss = true;
  EXPECT_EQ(run_with(file_), kStored);
}

// Drivers whose cache is empty (the software one) miss every pipeline, others hit.
TEST_F(PipelineCacheFileTest, FailOnMiss) {
  run_with(file_);
  const std::vector<std::byte> before = read_raw<std::byte>(file_.path);
  file_.fail_on_miss = true;
  lines_.clear();
  const Result<Report> report = try_run(one_dispatch(), {.pipeline_cache = file_});
  Lines expected = {"INFO: Load Pipeline Cache", "INFO: Pipeline Cache loaded and validated."};
  if (report) {
    expected.insert(expected.end(), 2, "INFO: Pipeline Cache not stored");
  } else {
    EXPECT_EQ(report.error().at(0).message, "Pipeline cache miss for pipeline: increment");
    EXPECT_EQ(report.error().at(0).path, "/increment");
  }
  EXPECT_EQ(cache_lines(), expected);
  EXPECT_EQ(read_raw<std::byte>(file_.path), before);
}

TEST_F(PipelineCacheFileTest, CountersOfTheCache) {
  const Report report = run_it(one_dispatch(), {.pipeline_cache = file_});
  std::vector<std::string> names;
  for (const PerfCounter& counter : report.counters) {
    if (counter.category == CounterCategory::LoadPipelineCache ||
        counter.category == CounterCategory::SavePipelineCache) {
      names.push_back(counter.name);
    }
  }
  EXPECT_EQ(names, (Lines{"Load Pipeline Cache.", "Save Pipeline Cache (setup)", "Save Pipeline Cache"}));
}

TEST_F(PipelineCacheFileTest, FileThatCannotBeWritten) {
  must(write_file(directory_ / "file", "x"));
  file_.path = directory_ / "file/scene.cache";
  const Result<Report> report = try_run(one_dispatch(), {.pipeline_cache = file_});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().at(0).kind, DiagnosticKind::FileUnwritable);
}

// The program's own cache is silent, and keeps only what has pipelines in it.
TEST_F(RunCache, OwnCache) {
  const Cache cache(directory_ / "own");
  for (int i = 0; i < 2; ++i) run_it(one_dispatch(), {.cache = cache});
  for (const std::string& line : lines_) EXPECT_EQ(line.find("Cache"), line.npos) << line;
  if (!file_exists(directory_ / "own")) return;  // the driver has nothing to keep
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "own")) {
    EXPECT_TRUE(!entry.is_regular_file() || entry.file_size() > 32);
  }
}

TEST_F(RunCache, OwnCacheThatCannotBeUsed) {
  must(write_file(directory_ / "file", "x"));
  run_it(one_dispatch(), {.cache = Cache(directory_ / "file/own")});
}

}  // namespace
}  // namespace slipway::launch
