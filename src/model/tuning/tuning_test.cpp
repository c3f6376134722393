// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cmath>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/executor.hpp"
#include "model/device_facts.hpp"
#include "model/tuning/measure_rates.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"
#include "platform/process.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway::model {
namespace {

using ::testing::HasSubstr;

vk::Snapshot some_device() {
  vk::Snapshot snapshot;
  snapshot.name = "a \"GPU\"";
  snapshot.vendor_id = 1;
  snapshot.device_id = 2;
  snapshot.driver_version = 3;
  return snapshot;
}

const lower::Tuning kTuning = {
    {"matrices of some size", {{"down", 2}, {"parts", 9}}}, {"tiles", {{"side", 64}}}, {"estimated", {}}};

TEST(TuningTable, ReadsBack) {
  const std::string text = write_tuning(TuningTable::of(launch::key_of(some_device()), kTuning));
  Diagnostics diagnostics;
  const auto table = read_tuning(make_source("t.json", text), diagnostics);
  ASSERT_TRUE(table) << format_diagnostics(diagnostics.all());
  EXPECT_EQ(table->tuning(), kTuning);
  EXPECT_TRUE(table->is_for(launch::key_of(some_device())));
  vk::Snapshot newer = some_device();
  newer.driver_version = 4;
  EXPECT_FALSE(table->is_for(launch::key_of(newer)));
}

TEST(TuningTable, HasRatesIfTheyWereMeasured) {
  lower::Rates rates;
  rates.further_dispatch = 7.5;
  rates.products = 1e4;
  rates.moved_bytes = 2e3;
  Diagnostics diagnostics;
  const auto table = read_tuning(
      make_source("t.json", write_tuning(TuningTable::of(launch::key_of(some_device()), kTuning, rates))), diagnostics);
  ASSERT_TRUE(table) << format_diagnostics(diagnostics.all());
  EXPECT_EQ(table->rates, rates);
  const std::string none = R"({"device": "x", "vendor_id": 1, "device_id": 2, "driver_version": 3, "tuned": [],
    "rates": {"further_dispatch": 0, "products": 1, "moved_bytes": 1}})";
  EXPECT_FALSE(read_tuning(make_source("t.json", none), diagnostics));
  EXPECT_THAT(format_diagnostics(diagnostics.all()), HasSubstr("`further_dispatch`"));
}

TEST(Rates, AreThoseOfTheReferenceChangedByRatios) {
  EXPECT_EQ(rates_of({}, kReferenceMultiprocessors), lower::Rates());
  const MeasuredTimes reference;
  const lower::Rates half =
      rates_of({.product = 2 * reference.product, .copy = 4 * reference.copy, .dispatch = 3 * reference.dispatch},
               kReferenceMultiprocessors);
  const lower::Rates generic;
  EXPECT_DOUBLE_EQ(half.products, generic.products / 2);
  EXPECT_DOUBLE_EQ(half.moved_bytes, generic.moved_bytes / 4);
  EXPECT_DOUBLE_EQ(half.further_dispatch, generic.further_dispatch * 3);
  // The same times with fewer multiprocessors: each of them does more.
  EXPECT_DOUBLE_EQ(rates_of({}, kReferenceMultiprocessors / 4).products, generic.products * 4);
}

TEST(TuningTable, ReportsAllErrors) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_tuning(make_source("t.json", R"({"device": "x", "vendor_id": 1, "device_id": 2, "tuned":
    [{"kernel": "", "parameters": {"rows": "many"}}, {"kernel": "k", "parameters": 3}]})"),
                           diagnostics));
  const std::string said = format_diagnostics(diagnostics.all());
  for (const std::string_view part : {"driver_version", "`kernel`", "`rows`", "`parameters`"})
    EXPECT_THAT(said, HasSubstr(part));
}

class TuningCacheTest : public ::testing::Test {
 protected:
  ~TuningCacheTest() override { platform::remove_environment("SLIPWAY_TUNING"); }

  slipway::testing::ScratchDirectory directory_;
  Diagnostics diagnostics_;
};

TEST_F(TuningCacheTest, IsStoredByDevice) {
  const Cache cache(directory_.path());
  EXPECT_TRUE(cached_tuning(launch::key_of(some_device()), cache).empty());
  cache_tuning(launch::key_of(some_device()), kTuning, cache);
  cache_tuning(launch::key_of(some_device()), {{"tiles", {{"side", 128}}}}, cache);
  lower::Tuning wanted = kTuning;
  wanted["tiles"] = {{"side", 128}};
  EXPECT_EQ(cached_tuning(launch::key_of(some_device()), cache), wanted);
  EXPECT_EQ(tuned_facts(some_device(), cache, diagnostics_).tuning, wanted);
  vk::Snapshot other = some_device();
  other.driver_version = 4;
  EXPECT_TRUE(cached_tuning(launch::key_of(other), cache).empty());
  EXPECT_TRUE(tuned_facts(some_device(), Cache(), diagnostics_).tuning.empty());
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(TuningCacheTest, RatesAreFactsOfTheDevice) {
  const Cache cache(directory_.path());
  lower::Rates rates;
  rates.further_dispatch = 20;
  cache_tuning(launch::key_of(some_device()), {}, cache, rates);
  cache_tuning(launch::key_of(some_device()), kTuning, cache);  // of another model: they stay
  const lower::DeviceFacts facts = tuned_facts(some_device(), cache, diagnostics_);
  EXPECT_EQ(facts.rates, rates);
  EXPECT_EQ(facts.tuning, kTuning);
  EXPECT_EQ(tuned_facts(some_device(), Cache(), diagnostics_).rates, lower::Rates());
}

TEST_F(TuningCacheTest, AFileTakesPrecedenceOverTheCache) {
  const Path file = directory_.path() / "t.json";
  ASSERT_TRUE(write_file(file, write_tuning(TuningTable::of(launch::key_of(some_device()), kTuning))));
  platform::set_environment("SLIPWAY_TUNING", file.string());
  EXPECT_EQ(tuned_facts(some_device(), Cache(), diagnostics_).tuning, kTuning);
  EXPECT_TRUE(diagnostics_.empty());
  // A table of another device: a warning, and no tuning.
  vk::Snapshot other = some_device();
  other.name = "another";
  EXPECT_TRUE(tuned_facts(other, Cache(), diagnostics_).tuning.empty());
  EXPECT_FALSE(diagnostics_.has_errors());
  EXPECT_THAT(format_diagnostics(diagnostics_.all()), HasSubstr("[file-mismatch]"));
  platform::set_environment("SLIPWAY_TUNING", (directory_.path() / "none.json").string());
  (void)tuned_facts(some_device(), Cache(), diagnostics_);
  EXPECT_THAT(format_diagnostics(diagnostics_.all()), HasSubstr("[file-not-found]"));
}

TEST_F(TuningCacheTest, ShippedTablesServeWhatWasNotMeasured) {
  vk::Snapshot h100 = some_device();
  h100.name = "NVIDIA H100 80GB HBM3";
  EXPECT_TRUE(shipped_tuning(launch::key_of(h100)).empty()) << "another device has the same name";
  h100.vendor_id = 0x10de;
  h100.device_id = 0x2330;
  const lower::Tuning shipped = shipped_tuning(launch::key_of(h100));
  ASSERT_FALSE(shipped.empty());
  EXPECT_EQ(tuned_facts(h100, Cache(), diagnostics_).tuning, shipped);
  // What was measured on this machine takes precedence.
  const Cache cache(directory_.path());
  const std::string& known = shipped.begin()->first;
  cache_tuning(launch::key_of(h100), {{known, {{"side", 1}}}, {"new", {{"side", 2}}}}, cache);
  const lower::Tuning both = tuned_facts(h100, cache, diagnostics_).tuning;
  EXPECT_EQ(both.size(), shipped.size() + 1);
  EXPECT_EQ(both.at(known), lower::Parameters({{"side", 1}}));
  platform::set_environment("SLIPWAY_TUNING", "none");
  EXPECT_TRUE(tuned_facts(h100, cache, diagnostics_).tuning.empty());
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(TuningCacheTest, GpusWithoutATableHaveTheGenericOne) {
  vk::Snapshot gpu = some_device();
  EXPECT_TRUE(generic_tuning(gpu).empty()) << "not known to be a GPU";
  gpu.type = vk::DeviceType::Integrated;
  const lower::Tuning generic = generic_tuning(gpu);
  ASSERT_FALSE(generic.empty());
  EXPECT_EQ(tuned_facts(gpu, Cache(), diagnostics_).tuning, generic);
  // All measured GPUs agree, and nothing depends on how many multiprocessors they have.
  vk::Snapshot h200 = gpu;
  h200.name = "NVIDIA H200";
  h200.vendor_id = 0x10de;
  h200.device_id = 9013;
  const lower::Tuning measured = shipped_tuning(launch::key_of(h200));
  for (const auto& [kernel, parameters] : generic) {
    EXPECT_EQ(measured.at(kernel), parameters) << kernel;
    const auto parts = parameters.find("parts");
    EXPECT_TRUE(parts == parameters.end() || parts->second == 1) << kernel;
  }
  EXPECT_EQ(tuned_facts(h200, Cache(), diagnostics_).tuning, measured);
  const Cache cache(directory_.path());
  cache_tuning(launch::key_of(gpu), kTuning, cache);
  EXPECT_EQ(tuned_facts(gpu, cache, diagnostics_).tuning, kTuning) << "what was measured replaces it";
  platform::set_environment("SLIPWAY_TUNING", "none");
  EXPECT_TRUE(tuned_facts(gpu, Cache(), diagnostics_).tuning.empty());
}

class TuneTest : public launch::LaunchTest {
 protected:
  StandaloneOptions request() {
    const Path path = directory_ / "m.vgf";
    const std::string recipe = R"(
resource x input tensor R32_SFLOAT [1, 24, 40]
resource w input tensor R32_SFLOAT [1, 40, 32]
resource y output tensor R32_SFLOAT [1, 24, 32]
module product graph main graph
| graph main {
|   %0 = input f32[1, 24, 40] at 0.0
|   %1 = input f32[1, 40, 32] at 0.1
|   %2 = MATMUL(%0, %1) f32[1, 24, 32] A_zp=0 B_zp=0
|   output %2 at 0.2
| }
segment product product
set 0: 0 x, 1 w, 2 y
in 0 x, 1 w
out 2 y
input 0 x x
input 1 w w
output 2 y y
)";
    testing::must(write_file(path, Bytes(testing::VgfRecipe::cook(recipe))));
    auto file = open_model(path, "m.vgf", diagnostics_);
    if (!file) throw std::runtime_error(format_diagnostics(diagnostics_.all()));
    StandaloneOptions request{.file = std::move(file), .name = "m"};
    request.model.graphs.lower.device = device_facts(snapshot());
    return request;
  }

  Diagnostics diagnostics_;
};

class TuneSite : public TuneTest {
 protected:
  void SetUp() override {
    TuneTest::SetUp();
    if (!device_facts(snapshot()).addresses) GTEST_SKIP() << "the kernels of this device have nothing to choose";
  }

  // The result for the only site of the model.
  Tuned tuned(std::optional<std::chrono::milliseconds> limit = std::nullopt) {
    const StandaloneOptions wanted = request();
    launch::VulkanExecutor executor(device());
    auto result = tune({.standalone = wanted,
                        .executor = executor,
                        .cache = Cache(),
                        .limit = limit,
                        .progress = [&](std::size_t done, std::size_t) { reports_.push_back(done); }},
                       diagnostics_);
    if (!result || result->sites.size() != 1) throw std::runtime_error(format_diagnostics(diagnostics_.all()));
    return std::move(*result);
  }

  std::vector<std::size_t> reports_;  // of progress
};

// The best parameters depend on the machine; but every site must be measured, and the result must be used.
TEST_F(TuneSite, IsMeasured) {
  const Tuned result = tuned();
  const TunedSite& site = result.sites[0];
  // Before each round, and after the last one.
  ASSERT_EQ(reports_.size(), site.candidates + 1);
  for (std::size_t i = 0; i < reports_.size(); ++i) EXPECT_EQ(reports_[i], i);
  EXPECT_GE(site.candidates, 2u);
  EXPECT_GT(site.estimated_time, 0);
  EXPECT_LE(site.best_time, site.estimated_time);
  EXPECT_EQ(result.tuning.at(site.kernel), site.better() ? site.best : lower::Parameters());
  EXPECT_GT(result.before, 0);
  EXPECT_GT(result.after, 0);
}

TEST_F(TuneSite, IsMeasuredUntilTheLimit) {
  const Tuned result = tuned(std::chrono::milliseconds(0));
  EXPECT_EQ(reports_.front(), 0u);
  EXPECT_EQ(reports_.size(), 2u) << "one round, and the end";
  EXPECT_EQ(result.sites[0].candidates, 1u);
  EXPECT_FALSE(result.sites[0].better());
}

// The numbers depend on the machine; but each must be measured.
TEST_F(TuneTest, MeasuresRatesWhereEstimatesUseThem) {
  lower::DeviceFacts facts = device_facts(snapshot());
  launch::VulkanExecutor executor(device());
  EXPECT_FALSE(measure_rates(executor, {}, Cache()));
  if (!facts.addresses) return;
  facts.lanes = 0;
  const auto rates = measure_rates(executor, facts, Cache());
  ASSERT_TRUE(rates);
  const lower::Rates generic;
  for (const auto rate : {&lower::Rates::further_dispatch, &lower::Rates::products, &lower::Rates::moved_bytes}) {
    EXPECT_GT((*rates).*rate, 0);
    EXPECT_TRUE(std::isfinite((*rates).*rate));
    EXPECT_NE((*rates).*rate, generic.*rate);
  }
  EXPECT_EQ(rates->operand_bytes, generic.operand_bytes);
}

TEST_F(TuneTest, ReportsWhenThereIsNothingToChoose) {
  StandaloneOptions plain = request();
  plain.model.graphs.lower.device = {};
  launch::VulkanExecutor executor(device());
  EXPECT_FALSE(tune({.standalone = plain, .executor = executor, .cache = Cache()}, diagnostics_));
  EXPECT_THAT(format_diagnostics(diagnostics_.all()), HasSubstr("nothing to tune"));
}

}  // namespace
}  // namespace slipway::model
