// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/archive.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include "testing/zebin_recipe.hpp"
#include "zeinfo/zebin/input.hpp"
#include "zeinfo/zebin/runtime.hpp"

namespace slipway::zebin {
namespace {

std::string member(std::string_view name, std::string_view content) {
  return formatted("{:16}{:12}{:6}{:6}{:8}{:<10}`\n{}{}", name, "0", "0", "0", "644", content.size(), content,
                   content.size() % 2 ? "\n" : "");
}

std::vector<std::string> names(std::string_view text, Diagnostics& diagnostics) {
  ContainerDiagnostics problems("a.ar", diagnostics);
  std::vector<std::string> found;
  for (const Member& m : read_archive(bytes_of(text), problems))
    found.push_back(formatted("{}@{}+{}", m.name, m.offset, m.bytes.size()));
  return found;
}

TEST(Archive, Members) {
  const std::string archive = "!<arch>\n" + member("pad_0/", "        ") + member("64.dg2/", "odd") +
                              member("//", "a_long_member_name/\n") + member("/0", "x") + member("generic_ir/", "");
  Diagnostics diagnostics;
  EXPECT_THAT(names(archive, diagnostics),
              ::testing::ElementsAre("pad_0@68+8", "64.dg2@136+3", "a_long_member_name@280+1", "generic_ir@342+0"));
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ((Member{"64.12.55.8", 0, {}}).device(), "12.55.8");
  EXPECT_EQ((Member{"generic_ir", 0, {}}).device(), "");
  EXPECT_TRUE((Member{"pad_12", 0, {}}).is_padding());
}

TEST(Archive, TruncatedKeepsEarlierMembers) {
  const std::string archive = "!<arch>\n" + member("a/", "1234") + member("b/", "5678");
  for (std::size_t size = 8; size < archive.size(); ++size) {
    Diagnostics diagnostics;
    const auto found = names(std::string_view(archive).substr(0, size), diagnostics);
    const bool whole = size == 8 || size == 72;
    EXPECT_EQ(diagnostics.has_errors(), !whole) << size;
    EXPECT_EQ(found.size(), size >= 72 ? 1 : 0) << size;
    if (!whole) {
      EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::ArchiveTruncated);
    }
  }
}

TEST(Archive, HostileSizes) {
  for (const std::string_view size : {"99999999999", "-1", "4x", "", "18446744073709551615"}) {
    std::string archive = "!<arch>\n" + member("a/", "1234");
    archive.replace(8 + 48, 10, formatted("{:10}", size).substr(0, 10));
    Diagnostics diagnostics;
    names(archive, diagnostics);
    EXPECT_TRUE(diagnostics.has_errors()) << size;
  }
}

TEST(Archive, ADeviceSelectsTheMember) {
  const auto zebin_for = [](std::string_view product) {
    const auto bytes = testing::cook_zebin(formatted("section .text.k PROGBITS AX zeros 8\nnote 6 u32 {}", product));
    return std::string(text_of(bytes));
  };
  const std::string archive = "!<arch>\n" + member("64.dg2/", zebin_for("0x030dc008")) +
                              member("64.bmg-g21/", zebin_for("0x05004000")) + member("generic_ir/", "SPIR-V");
  const std::string by_number = "!<arch>\n" + member("64.12.60.7/", zebin_for("0x030f0007"));
  for (const std::string_view name : {"pvc", "64.pvc", "64.12.60.7", "12.60.7"}) {
    Diagnostics problems;
    EXPECT_EQ(read_inputs("fat.ar", bytes_of(by_number), {.member = std::string(name)}, problems).size(), 1u) << name;
    EXPECT_TRUE(problems.empty());
  }
  const auto open = [&](const InputOptions& options, Diagnostics& diagnostics) {
    std::vector<std::string> found;
    for (const Input& input : read_inputs("fat.ar", bytes_of(archive), options, diagnostics))
      found.push_back(input.name);
    return found;
  };
  Diagnostics none;
  EXPECT_THAT(open({}, none), ::testing::ElementsAre("fat.ar(64.dg2)", "fat.ar(64.bmg-g21)"));
  EXPECT_THAT(open({.member = "64.dg2"}, none), ::testing::ElementsAre("fat.ar(64.dg2)"));
  EXPECT_THAT(open({.product = "dg2-g10"}, none), ::testing::ElementsAre("fat.ar(64.dg2)"));
  EXPECT_THAT(open({.product = "acm-g11"}, none), ::testing::ElementsAre("fat.ar(64.dg2)"));  // 12.55.8 runs on 12.56.5
  EXPECT_THAT(open({.product = "lnl-m"}, none), ::testing::ElementsAre("fat.ar(64.bmg-g21)"));
  EXPECT_TRUE(none.empty());
  for (const InputOptions& options :
       {InputOptions{.member = "pvc"}, InputOptions{.product = "pvc"}, InputOptions{.product = "nonsense"}}) {
    Diagnostics diagnostics;
    EXPECT_THAT(open(options, diagnostics), ::testing::ElementsAre());
    ASSERT_TRUE(diagnostics.has_errors());
    EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::UnknownValue);
  }
}

// Legal, and every release of the runtime loads it, as a module without kernels.
TEST(Archive, AFileWithoutZeInfo) {
  const auto bytes = testing::cook_zebin("section .text.k PROGBITS AX zeros 8\nnote 6 u32 0x030dc008");
  for (const char* product : {"", "dg2"}) {
    Diagnostics problems;
    const std::vector<Input> inputs = read_inputs("k.bin", bytes, {.product = product}, problems);
    ASSERT_EQ(inputs.size(), 1u);
    const zeinfo::RuntimeVerdict verdict = runtime_verdict(inputs[0], zeinfo::kLastRelease, nullptr);
    EXPECT_EQ(verdict.verdict, zeinfo::Verdict::AcceptsWithWarnings);
    EXPECT_EQ(verdict.code, 0);
    EXPECT_EQ(reason_of(verdict), "the file has no section .ze_info; the runtime loads it without kernels");
  }
}

// What a compiler writes that has failed silently.
TEST(Archive, AFileWithNeitherCodeNorKernels) {
  const auto warned = [](std::string_view sections) {
    const auto bytes = testing::cook_zebin(formatted("{}note 6 u32 0x030dc008", sections));
    Diagnostics problems;
    std::vector<Input> inputs = read_inputs("k.bin", bytes, {}, problems);
    EXPECT_EQ(inputs.size(), 1u);
    for (Input& input : inputs) check_input(input, {}, nullptr);
    return std::ranges::contains(problems.all(), DiagnosticKind::TextMissing, &Diagnostic::kind);
  };
  EXPECT_TRUE(warned(""));
  EXPECT_TRUE(warned("section .text.k PROGBITS AX zeros 0\n"));
  EXPECT_FALSE(warned("section .text.k PROGBITS AX zeros 8\n"));
  EXPECT_FALSE(warned("section .spv 0xff000009 - zeros 20\n"));  // the driver compiles it
}

}  // namespace
}  // namespace slipway::zebin
