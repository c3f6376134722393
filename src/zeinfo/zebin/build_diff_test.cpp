// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/build_diff.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "base/format.hpp"
#include "testing/zebin_recipe.hpp"
#include "zeinfo/zebin/carve.hpp"

namespace slipway::zebin {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

// A zebin of a device with one kernel.
std::string zebin(std::string_view config, std::string_view kernel, int spill, std::string_view more = "") {
  const std::string recipe =
      formatted("section .text.{} PROGBITS AX zeros 256\nze_info\nnote 4 text 1.73\nnote 6 u32 {}\n", kernel, config);
  const std::vector<std::byte> bytes = testing::cook_zebin(
      recipe, formatted("---\nversion: '1.73'\nkernels:\n  - name: {}\n    execution_env:\n      grf_count: 128\n"
                        "      simd_size: 16\n      spill_size: {}\n{}...\n",
                        kernel, spill, more));
  return std::string(text_of(bytes));
}
constexpr std::string_view kDg2 = "0x030dc008", kPvc = "0x030f0007";

// The beginning of an ELF file for x86-64.
std::string host() {
  std::string text =
      "\x7f"
      "ELF\x02\x01\x01";
  text.resize(64);
  text[16] = 3;
  text[18] = 62;
  return text;
}

std::string ar_member(std::string_view name, std::string_view content) {
  return formatted("{:16}{:12}{:6}{:6}{:8}{:<10}`\n{}{}", name, "0", "0", "0", "644", content.size(), content,
                   content.size() % 2 ? "\n" : "");
}

std::vector<std::string> carved(std::string_view file) {
  std::vector<std::string> found;
  for (const CarvedZebin& one : carve_zebins(bytes_of(file)))
    found.push_back(formatted("{}+{}{}", one.offset, one.bytes.size(), one.member.empty() ? "" : " " + one.member));
  return found;
}

TEST(Carve, FindsWholeZebins) {
  const std::string k = zebin(kDg2, "k", 0);
  EXPECT_THAT(carved(k), ElementsAre());  // it is one, and has none inside
  EXPECT_FALSE(is_host_file(bytes_of(k)));
  const std::string two = host() + k + "between" + k;
  EXPECT_TRUE(is_host_file(bytes_of(two)));
  EXPECT_THAT(carved(two), ElementsAre(formatted("64+{}", k.size()), formatted("{}+{}", 71 + k.size(), k.size())));
  const std::string fat = host() + "!<arch>\n" + ar_member("64.dg2/", k) + ar_member("64.pvc/", k);
  EXPECT_THAT(carved(fat), ElementsAre(formatted("132+{} 64.dg2", k.size()),
                                       formatted("{}+{} 64.pvc", 192 + k.size() + k.size() % 2, k.size())));
  // What is not whole, or only looks like an ELF file, is not one.
  EXPECT_THAT(carved(host() + k.substr(0, k.size() - 1)), ElementsAre());
  EXPECT_THAT(carved(host() + host() + host()), ElementsAre());
}

TEST(Carve, FindsZebinsInOffloadBundles) {
  const std::string k = zebin(kDg2, "k", 0);
  for (const std::string& head : {"__CLANG_OFFLOAD_BUNDLE__\1"s, "\x10\xff\x10\xad\1\0\0\0"s}) {
    EXPECT_TRUE(is_host_file(bytes_of(head + k)));
    EXPECT_THAT(carved(head + k), ElementsAre(formatted("{}+{}", head.size(), k.size())));
    EXPECT_THAT(carved(head), ElementsAre());
  }
  EXPECT_FALSE(is_host_file(bytes_of("CCOB"s + k)));  // compressed
}

TEST(Carve, AnyTruncationIsHarmless) {
  const std::string file = host() + zebin(kDg2, "k", 0);
  for (std::size_t size = 0; size <= file.size(); ++size)
    EXPECT_EQ(carved(std::string_view(file).substr(0, size)).size(), size == file.size()) << size;
}

TEST(Carve, OpensAndChooses) {
  const std::string file = host() + zebin(kDg2, "k", 0) + zebin(kPvc, "k", 64);
  const auto names = [&](const InputOptions& options) {
    Diagnostics diagnostics;
    std::vector<std::string> found;
    for (const Input& input : read_inputs("lib.so", bytes_of(file), options, diagnostics)) found.push_back(input.name);
    for (const Diagnostic& diagnostic : diagnostics.all()) found.push_back(diagnostic.message);
    return found;
  };
  const std::string first = "lib.so(0x40)", second = formatted("lib.so({:#x})", 64 + zebin(kDg2, "k", 0).size());
  EXPECT_THAT(names({}), ElementsAre(first, second));
  EXPECT_THAT(names({.product = "pvc"}), ElementsAre(second));
  EXPECT_THAT(names({.member = "dg2"}), ElementsAre(first));
  EXPECT_THAT(names({.member = "0x40"}), ElementsAre(first));
  EXPECT_THAT(names({.product = "acm-g11"}), ElementsAre(first));  // runs on it
  EXPECT_THAT(names({.product = "lnl-m"}), ElementsAre("none of the 2 zebins in the file is for `lnl-m`"));
  Diagnostics diagnostics;
  EXPECT_TRUE(read_inputs("lib.so", bytes_of(host()), {}, diagnostics).empty());
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::NotRecognised);
}

// Builds of texts.
class BuildDiffTest : public ::testing::Test {
 protected:
  std::vector<BuildInput> build(std::vector<std::pair<std::string, std::string>> files) {
    std::vector<BuildInput> inputs;
    for (auto& [path, text] : files) {
      texts_.push_back(std::make_unique<std::string>(std::move(text)));
      for (Input& input : read_inputs(path, bytes_of(*texts_.back()), {}, diagnostics_))
        inputs.push_back({path, std::move(input)});
    }
    return inputs;
  }
  static std::string printed(const BuildDiff& diff) {
    std::string text;
    for (const KernelDiff& kernel : diff.kernels) {
      text += formatted("{} {} {} {}:", name_of(kernel.verdict), kernel.path, kernel.device, kernel.name);
      for (const zeinfo::Change& change : kernel.changes)
        text += formatted(" {} {}>{}", change.field, change.from, change.to);
      text += '\n';
    }
    for (const MetricTotal& total : diff.totals)
      text += formatted("{} {}>{} {}/{} x{:.2f}\n", total.field, total.before, total.after, total.better, total.worse,
                        total.ratio.value_or(0));
    return text + formatted("{} compared, {} equal, {} files", diff.compared, diff.equal_kernels, diff.files);
  }

  Diagnostics diagnostics_;
  std::vector<std::unique_ptr<std::string>> texts_;
};

std::string kernels(std::initializer_list<std::pair<std::string_view, std::string_view>> list) {
  std::string text = "version: 1.73\nkernels:\n";
  for (const auto& [name, env] : list) text += formatted("- {{ name: {}, execution_env: {{ {} }} }}\n", name, env);
  return text;
}

TEST_F(BuildDiffTest, MatchesByPathDeviceAndName) {
  const auto a = build({{"x.bin", zebin(kDg2, "k", 64)},
                        {"x.bin", zebin(kPvc, "k", 64)},
                        {"gone.bin", zebin(kDg2, "moved", 128)},
                        {"same.bin", zebin(kDg2, "k", 32)}});
  const auto b = build({{"same.bin", zebin(kDg2, "k", 32)},
                        {"x.bin", zebin(kPvc, "k", 32)},
                        {"x.bin", zebin(kDg2, "k", 128)},
                        {"other.bin", zebin(kDg2, "moved", 128)},
                        {"other.bin", zebin(kDg2, "more", 0)}});
  const BuildDiff diff = compare_builds(a, b);
  EXPECT_EQ(printed(diff), R"(worse x.bin dg2-g10 k: spill 64>128
better x.bin pvc k: spill 64>32
added other.bin dg2-g10 more: added >more
spill 288>320 1/1 x1.00
4 compared, 2 equal, 4 files)");
  EXPECT_EQ(diff.count(KernelVerdict::Worse), 1);
  EXPECT_FALSE(diff.equal());
  EXPECT_TRUE(compare_builds(a, a).equal());
  EXPECT_EQ(compare_builds(a, {}).count(KernelVerdict::Removed), 4);
}

TEST_F(BuildDiffTest, OneZebinOnEachSideByNameAlone) {
  const auto a = build({{"", zebin(kDg2, "k", 64)}}), b = build({{"", zebin(kPvc, "k", 64)}});
  const BuildDiff diff = compare_builds(a, b);
  EXPECT_EQ(diff.compared, 1);
  ASSERT_EQ(diff.whole.size(), 1);
  EXPECT_EQ(diff.whole[0].field, "target");
}

TEST_F(BuildDiffTest, VerdictsAndOptions) {
  constexpr std::string_view kBase = "grf_count: 128, simd_size: 16, spill_size: 64";
  const auto a = build({{"", kernels({{"mixed", "grf_count: 128, simd_size: 16, spill_size: 64, eu_thread_count: 8"},
                                      {"different", kBase},
                                      {"equal", kBase},
                                      {"twice", kBase},
                                      {"twice", "simd_size: 8"}})}});
  const auto b = build({{"", kernels({{"mixed", "grf_count: 256, simd_size: 16, eu_thread_count: 4"},
                                      {"different", "grf_count: 128, simd_size: 32, spill_size: 64"},
                                      {"equal", kBase},
                                      {"twice", kBase},
                                      {"twice", "simd_size: 8, slm_size: 1024"}})}});
  EXPECT_EQ(printed(compare_builds(a, b)), R"(worse  unknown twice: slm 0>1024
mixed  unknown mixed: grf 128>256 threads 8>4 spill 64>0
different  unknown different: simd 16>32
simd 72>88 0/0 x1.15
grf 512>640 0/0 x1.19
threads 8>4 0/1 x0.50
spill 256>192 1/0 x1.00
slm 0>1024 0/1 x0.00
5 compared, 2 equal, 1 files)");
  EXPECT_EQ(printed(compare_builds(a, b, {.kernel = "mixed", .ignored = {"grf", "threads"}})),
            R"(better  unknown mixed: spill 64>0
spill 64>0 1/0 x0.00
1 compared, 0 equal, 1 files)");
}

TEST_F(BuildDiffTest, OccupancyNeedsASize) {
  const auto with = [&](std::string_view more) { return build({{"", zebin(kDg2, "k", 0, more)}}); };
  const auto a = with("      slm_size: 1024\n"), b = with("      slm_size: 16384\n");
  const auto fields = [](const BuildDiff& diff) {
    std::vector<std::string> names;
    for (const zeinfo::Change& change : diff.kernels.at(0).changes)
      names.push_back(formatted("{} {}>{}", change.field, change.from, change.to));
    return names;
  };
  EXPECT_THAT(fields(compare_builds(a, b)), ElementsAre("slm 1024>16384"));
  EXPECT_THAT(fields(compare_builds(a, b, {.compare = {.local_size = {{64, 1, 1}}}})),
              ElementsAre("occupancy 32>4", "slm 1024>16384"));
  const std::string required = "      required_work_group_size: [ 32, 1, 1 ]\n";
  EXPECT_THAT(
      fields(compare_builds(with("      slm_size: 1024\n" + required), with("      slm_size: 16384\n" + required),
                            {.compare = {.local_size = {{64, 1, 1}}}})),
      ElementsAre("occupancy 64>4", "slm 1024>16384"));
}

}  // namespace
}  // namespace slipway::zebin
