// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests with the files of examples/npu, which make.py there generates, and with malformed copies of them.
#include "recipe/control_code/control_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "recipe/control_code/elf32.hpp"
#include "recipe/control_code/mangled.hpp"
#include "recipe/control_code/print.hpp"
#include "testing/source_directory.hpp"

namespace slipway::recipe::control_code {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::byte> example(const char* name) {
  const MappedFile file = *map_file(slipway::testing::source_directory() / "examples/npu" / name);
  return {file.bytes().begin(), file.bytes().end()};
}

struct ReadResult {
  std::optional<ControlCode> file;
  Diagnostics diagnostics;
};

ReadResult read(Bytes bytes) {
  ReadResult result;
  result.file = read_control_code(bytes, "code.elf", result.diagnostics);
  return result;
}

Diagnostic problem_of(Bytes bytes) {
  const ReadResult result = read(bytes);
  EXPECT_EQ(result.diagnostics.all().size(), 1u);
  return result.diagnostics.empty() ? Diagnostic{} : result.diagnostics.all().front();
}

// The offset of the header of a section in the file.
std::size_t header_of(Bytes bytes, std::string_view name) {
  const ReadResult result = read(bytes);
  for (const ControlSection& section : result.file->sections) {
    if (section.name == name) return load<std::uint32_t>(&bytes[32]) + section.index * std::size_t{40};
  }
  throw std::runtime_error("no such section");
}
std::size_t contents_of(Bytes bytes, std::string_view name) {
  return load<std::uint32_t>(&bytes[header_of(bytes, name) + 16]);
}

TEST(ControlCode, ReadsControlCode) {
  const ReadResult result = read(example("control.elf"));
  ASSERT_TRUE(result.file && result.diagnostics.empty());
  const ControlCode& file = *result.file;
  EXPECT_EQ(platform_name(file.os_abi), "aie2p");
  EXPECT_EQ(file.abi_version, 0x02);
  EXPECT_FALSE(file.full || file.grouped || file.partition_columns);
  EXPECT_EQ(xclbin::uuid_text(*file.uid), "51177ab0-0000-4000-8000-000000000002");
  ASSERT_EQ(file.patches.size(), 2u);
  EXPECT_EQ(file.patches[1].argument(), 5u);
  EXPECT_EQ(file.patches[1].offset, 96u);
  EXPECT_EQ(file.patches[1].addend, 64u);
  EXPECT_EQ(scheme_name(file.patches[1].scheme), "shim_dma_48");
  EXPECT_EQ(command_opcode(file), 20u);
}

TEST(ControlCode, ReadsConfigurations) {
  const ReadResult result = read(example("config.elf"));
  ASSERT_TRUE(result.file && result.diagnostics.empty());
  const ControlCode& file = *result.file;
  EXPECT_TRUE(file.full && file.grouped);
  EXPECT_EQ(file.partition_columns, 4u);
  ASSERT_EQ(file.kernels.size(), 2u);
  const ControlKernel* kernel = file.find_kernel("CONV");
  ASSERT_TRUE(kernel);
  EXPECT_THAT(kernel->arguments, ElementsAre("char*", "char*", "char*", "char*"));
  ASSERT_EQ(kernel->instances.size(), 2u);
  EXPECT_EQ(kernel->instances[1].name, "b");
  ASSERT_EQ(kernel->instances[1].members.size(), 1u);
  EXPECT_EQ(file.sections[kernel->instances[1].members[0] - 1].name, ".ctrltext.1");
  EXPECT_EQ(command_opcode(file), 22u);
}

TEST(ControlCode, FindsInstances) {
  const ControlCode file = *read(example("config.elf")).file;
  EXPECT_EQ(find_instance(file, "CONV:b")->instance->name, "b");
  EXPECT_EQ(find_instance(file, "POOL")->instance->name, "p");
  const auto message = [&](std::string_view name) {
    const auto found = find_instance(file, name, SourceLocation::in_file("recipe.json"));
    EXPECT_FALSE(found);
    EXPECT_EQ(found.error().front().kind, DiagnosticKind::KernelInstance);
    EXPECT_EQ(found.error().front().location.file, "recipe.json");
    return found.error().front().message;
  };
  EXPECT_EQ(message("CON"), "No such kernel 'CON'; did you mean `CONV`?");
  EXPECT_EQ(message("CONV"),
            "Multiple sub kernels present for given kernel, cannot choose sub kernel; name one of `CONV:a`, `CONV:b`");
  EXPECT_THAT(message("POOL:q"),
              StartsWith("No such kernel 'POOL:q': `POOL` has no instance `q`; did you mean `POOL:p`?"));
}

TEST(ControlCode, WritesJson) {
  for (const char* name : {"control.elf", "config.elf"}) {
    json::Writer out;
    write_control_code(*read(example(name)).file, out);
    const auto document = json::parse(make_source("inspect.json", out.text()));
    ASSERT_TRUE(document) << out.text();
    EXPECT_EQ((*document)->root()["patches"][std::size_t{1}]["scheme_name"].string(), "shim_dma_48");
  }
}

TEST(ControlCode, RefusesOtherFiles) {
  EXPECT_THAT(problem_of(bytes_of("text")).message, StartsWith("not a valid ELF stream"));
  EXPECT_FALSE(
      is_control_code(bytes_of("\x7f"
                               "ELF")));
  std::vector<std::byte> bytes = example("control.elf");
  EXPECT_TRUE(is_control_code(bytes));
  EXPECT_EQ(problem_of(Bytes(bytes).first(51)).kind, DiagnosticKind::FileTruncated);
  bytes[7] = std::byte{3};
  EXPECT_THAT(problem_of(bytes).message, HasSubstr("platform 3, which is not a known NPU"));
  EXPECT_FALSE(is_control_code(bytes));
  bytes = example("control.elf");
  bytes[4] = std::byte{2};
  EXPECT_THAT(problem_of(bytes).message, HasSubstr("class 2"));
}

TEST(ControlCode, ChecksTables) {
  const std::vector<std::byte> good = example("control.elf");
  const auto with = [&](std::size_t at, auto value) {
    std::vector<std::byte> bytes = good;
    store(&bytes[at], value);
    return problem_of(bytes);
  };
  EXPECT_EQ(with(48, std::uint16_t{0xffff}).kind, DiagnosticKind::FileTruncated);
  EXPECT_EQ(with(50, std::uint16_t{200}).kind, DiagnosticKind::IndexOutOfRange);
  const std::size_t code = header_of(good, ".ctrltext");
  EXPECT_EQ(with(code + 20, std::uint32_t{0xffffffff}).kind, DiagnosticKind::FileTruncated);
  EXPECT_THAT(with(code, std::uint32_t{0xffffff}).message, HasSubstr("the name of a section"));
  const std::size_t patches = contents_of(good, ".rela.dyn");
  EXPECT_THAT(with(patches, std::uint32_t{220}).message,
              HasSubstr(".rela.dyn patches byte 220 of section .ctrltext, which has 220 bytes"));
  EXPECT_THAT(with(patches + 4, std::uint32_t{0x905}).message, HasSubstr("names symbol 9, but table .dynsym has 3"));
  EXPECT_THAT(with(contents_of(good, ".note.xrt.UID") + 8, std::uint32_t{9}).message,
              HasSubstr("is not a note of XRT of type 4 with 16 bytes or 32 hexadecimal digits"));
}

// The example with an identifier of text, as older assemblers write it.
std::vector<std::byte> with_uid_text(std::string_view text) {
  std::vector<std::byte> bytes = example("control.elf");
  const std::size_t header = header_of(bytes, ".note.xrt.UID"), old = contents_of(bytes, ".note.xrt.UID");
  const std::size_t at = bytes.size();
  bytes.insert(bytes.end(), 16 + text.size(), std::byte{});
  std::memcpy(&bytes[at], &bytes[old], 16);
  store(&bytes[at + 4], static_cast<std::uint32_t>(text.size()));
  std::memcpy(&bytes[at + 16], text.data(), text.size());
  store(&bytes[header + 16], static_cast<std::uint32_t>(at));
  store(&bytes[header + 20], static_cast<std::uint32_t>(16 + text.size()));
  return bytes;
}

TEST(ControlCode, IdentifiersOfText) {
  const ReadResult result = read(with_uid_text("0123456789abcdeffedcba9876543210"));
  ASSERT_TRUE(result.file && result.diagnostics.empty());
  EXPECT_EQ(xclbin::uuid_text(*result.file->uid), "01234567-89ab-cdef-fedc-ba9876543210");
  // Nothing needs the identifier: a rule of Slipway.
  const Diagnostic problem = problem_of(with_uid_text("0123456789abcdef-edcba9876543210"));
  EXPECT_EQ(problem.severity, Severity::Warning);
  EXPECT_TRUE(problem.is_rule);
}

TEST(ControlCode, ChecksGroups) {
  const std::vector<std::byte> good = example("config.elf");
  const auto with = [&](std::size_t at, auto value) {
    std::vector<std::byte> bytes = good;
    store(&bytes[at], value);
    return problem_of(bytes);
  };
  EXPECT_THAT(with(header_of(good, ".group.0") + 28, std::uint32_t{1}).message,
              HasSubstr("must name an OBJECT symbol"));
  EXPECT_THAT(with(contents_of(good, ".group.0") + 4, std::uint32_t{99}).message,
              HasSubstr(".group.0 names section 99"));
  std::vector<std::byte> bytes = good;
  bytes[text_of(bytes).find("_Z4CONV") + 1] = std::byte{'x'};
  EXPECT_THAT(read(bytes).diagnostics.all()[0].message,
              HasSubstr("is not the mangled name of a function with pointer parameters"));
}

TEST(ControlCode, PreemptionComesInPairs) {
  std::vector<std::byte> bytes = example("control.elf");
  const std::string_view name = ".note.xrt.UID";
  std::memcpy(&bytes[text_of(bytes).find(name)], ".preempt_save", name.size());
  EXPECT_THAT(problem_of(bytes).message, HasSubstr("unpaired preempt sections"));
}

TEST(ControlCode, SchemeInTheAddendOfOldFiles) {
  std::vector<std::byte> bytes = example("control.elf");
  bytes[8] = std::byte{0x01};
  store(&bytes[contents_of(bytes, ".rela.dyn") + 8], std::uint32_t{0x123 << 4 | 2});
  const ControlCode file = *read(bytes).file;
  EXPECT_EQ(file.patches[0].scheme, 2u);
  EXPECT_EQ(file.patches[0].addend, 0x123u);
}

TEST(ControlCode, SurvivesEveryTruncationAndEveryChangedByte) {
  for (const char* name : {"control.elf", "config.elf"}) {
    const std::vector<std::byte> good = example(name);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_TRUE(read(Bytes(good).first(size)).diagnostics.has_errors()) << size;
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::vector<std::byte> bytes = good;
      bytes[at] ^= std::byte{0xff};
      if (const std::optional<ControlCode> file = read(bytes).file) {
        json::Writer out;
        write_control_code(*file, out);
        EXPECT_TRUE(json::parse(make_source("inspect.json", out.text()))) << at;
        EXPECT_FALSE(print_control_code(*file).empty());
      }
    }
  }
}

TEST(Mangled, KnowsPointersOnly) {
  EXPECT_EQ(demangle("_Z4CONVPcPPiPv")->arguments, (std::vector<std::string>{"char*", "int**", "void*"}));
  EXPECT_EQ(demangle("_Z4CONVv")->arguments.size(), 0u);
  EXPECT_EQ(demangle("_Z3DPUi")->arguments, (std::vector<std::string>{"int"}));
  for (const char* bad :
       {"", "CONV", "_Z", "_Z9CONV", "_Z0", "_Z4CONVP", "_Z4CONVvv", "_Z4CONVPx", "_Z99999999999999999999A"}) {
    EXPECT_FALSE(demangle(bad)) << bad;
  }
}

}  // namespace
}  // namespace slipway::recipe::control_code
