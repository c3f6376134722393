// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests with the files of examples/npu, which make.py there generates, and with malformed copies of them.
#include "recipe/xclbin/xclbin.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "recipe/xclbin/print.hpp"
#include "recipe/xclbin/xml.hpp"
#include "testing/source_directory.hpp"

namespace slipway::recipe::xclbin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Offsets in design.xclbin.
constexpr std::size_t kLength = 304, kSections = 448, kTable = 456, kEntry = 40;

std::vector<std::byte> design() {
  const MappedFile file = *map_file(slipway::testing::source_directory() / "examples/npu/design.xclbin");
  return {file.bytes().begin(), file.bytes().end()};
}

struct ReadResult {
  std::optional<Xclbin> file;
  Diagnostics diagnostics;
};

ReadResult read(Bytes bytes) {
  ReadResult result;
  result.file = read_xclbin(bytes, "design.xclbin", result.diagnostics);
  return result;
}

// The offset of the contents of a section in the file.
std::size_t contents_of(Bytes bytes, std::uint32_t kind) {
  for (std::size_t at = kTable;; at += kEntry) {
    if (load<std::uint32_t>(&bytes[at]) == kind) return load<std::uint64_t>(&bytes[at + 24]);
  }
}

// The only diagnostic of a file.
Diagnostic problem_of(Bytes bytes) {
  const ReadResult result = read(bytes);
  EXPECT_EQ(result.diagnostics.all().size(), 1u);
  return result.diagnostics.empty() ? Diagnostic{} : result.diagnostics.all().front();
}

TEST(Xclbin, ReadsEverything) {
  const ReadResult result = read(design());
  ASSERT_TRUE(result.file && result.diagnostics.empty());
  const Xclbin& file = *result.file;
  EXPECT_EQ(uuid_text(file.uuid), "51177ab0-0000-4000-8000-000000000001");
  EXPECT_EQ(file.length, file.size);
  EXPECT_EQ(file.sections.size(), 5u);

  ASSERT_EQ(file.kernels.size(), 1u);
  const XclbinKernel* kernel = file.find_kernel("DPU");
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(file.find_kernel("DPU:dpu0"));
  EXPECT_THAT(kernel->instances, ElementsAre("dpu0"));
  ASSERT_EQ(kernel->arguments.size(), 6u);
  EXPECT_EQ(kernel->arguments[3].name, "bo0");
  EXPECT_EQ(kernel->arguments[3].offset, 0x14u);
  EXPECT_TRUE(kernel->arguments[3].is_buffer());
  EXPECT_FALSE(kernel->arguments[0].is_buffer());

  ASSERT_TRUE(file.partition);
  EXPECT_THAT(file.partition->start_columns, ElementsAre(0, 4));
  ASSERT_EQ(file.partition->pdis.size(), 1u);
  ASSERT_EQ(file.partition->pdis[0].cdo_groups.size(), 1u);
  EXPECT_EQ(file.partition->pdis[0].cdo_groups[0].name, "DPU");
  EXPECT_THAT(file.partition->pdis[0].cdo_groups[0].kernel_ids, ElementsAre(0x901u));
  EXPECT_EQ(file.connectivity.size(), 4u);
  EXPECT_EQ(file.memory[1].tag, "SRAM");
  EXPECT_EQ(file.ip_layout[0].name, "DPU:dpu0");
}

TEST(Xclbin, WritesJson) {
  json::Writer out;
  write_xclbin(*read(design()).file, out);
  const auto document = json::parse(make_source("inspect.json", out.text()));
  ASSERT_TRUE(document) << out.text();
  const json::Value root = (*document)->root();
  EXPECT_EQ(root["format"].string(), "xclbin");
  EXPECT_EQ(root["version"].string(), "2.25.0");
  EXPECT_EQ(root["kernels"][std::size_t{0}]["args"][std::size_t{3}]["qualifier"].string(), "global");
  EXPECT_EQ(root["ip_layout"][std::size_t{0}]["base"].unsigned_integer(), ~std::uint64_t{0});
}

TEST(Xclbin, RefusesOtherFiles) {
  const Diagnostic other = problem_of(bytes_of("xclbin1 of another time"));
  EXPECT_EQ(other.kind, DiagnosticKind::FileFormat);
  const std::vector<std::byte> bytes = design();
  const Diagnostic cut = problem_of(Bytes(bytes).first(455));
  EXPECT_EQ(cut.kind, DiagnosticKind::FileTruncated);
  EXPECT_THAT(cut.message, HasSubstr("xclbin: buffer too small to contain header"));
}

TEST(Xclbin, ChecksTheLength) {
  std::vector<std::byte> bytes = design();
  store(&bytes[kLength], std::uint64_t{bytes.size()} + 1);
  EXPECT_EQ(problem_of(bytes).kind, DiagnosticKind::FileTruncated);
  store(&bytes[kLength], std::uint64_t{bytes.size()});
  bytes.resize(bytes.size() + 10);
  const Diagnostic more = problem_of(bytes);
  EXPECT_EQ(more.severity, Severity::Warning);
  EXPECT_EQ(more.kind, DiagnosticKind::TrailingData);
}

TEST(Xclbin, ChecksTheSectionTable) {
  std::vector<std::byte> bytes = design();
  store(&bytes[kSections], std::uint32_t{0x10001});
  EXPECT_EQ(problem_of(bytes).kind, DiagnosticKind::OutOfRange);
  store(&bytes[kSections], std::uint32_t{0x1000});
  EXPECT_EQ(problem_of(bytes).kind, DiagnosticKind::FileTruncated);

  bytes = design();
  store(&bytes[kTable + 24], ~std::uint64_t{0} - 1);  // its sum with the size overflows
  const ReadResult result = read(bytes);
  ASSERT_EQ(result.diagnostics.errors(), 2u);  // MEM_TOPOLOGY, and CONNECTIVITY that names its memory
  EXPECT_THAT(result.diagnostics.all()[0].message, HasSubstr("section 0 (MEM_TOPOLOGY) has 88 bytes from byte 1844"));
  EXPECT_EQ(result.diagnostics.all()[0].location.span, (Span{kTable, kTable + kEntry}));
  EXPECT_EQ(result.file->kernels.size(), 1u);
}

TEST(Xclbin, ChecksCounts) {
  std::vector<std::byte> bytes = design();
  const std::size_t layout = contents_of(bytes, 8);
  store(&bytes[layout], std::int32_t{-1});
  EXPECT_EQ(read(bytes).diagnostics.all()[0].kind, DiagnosticKind::OutOfRange);
  store(&bytes[layout], std::int32_t{0x7fffffff});
  EXPECT_THAT(read(bytes).diagnostics.all()[0].message,
              HasSubstr("the entries of section IP_LAYOUT (2147483647 of 80 bytes from byte 8 on) extends past"));
}

TEST(Xclbin, ChecksReferences) {
  std::vector<std::byte> bytes = design();
  store(&bytes[contents_of(bytes, 7) + 8], std::int32_t{5});
  const Diagnostic ip = problem_of(bytes);
  EXPECT_EQ(ip.kind, DiagnosticKind::IndexOutOfRange);
  EXPECT_THAT(ip.message, HasSubstr("names IP 5, but there are 1"));
}

TEST(Xclbin, ChecksThePartition) {
  const std::size_t at = contents_of(design(), 32);
  const auto with = [&](std::size_t offset, std::uint32_t value) {
    std::vector<std::byte> bytes = design();
    store(&bytes[at + offset], value);
    return problem_of(bytes);
  };
  EXPECT_THAT(with(4, 1'000'000).message, HasSubstr("the name of section AIE_PARTITION"));
  EXPECT_THAT(with(40, 0xffffffff).message, HasSubstr("the start columns of section AIE_PARTITION"));
  EXPECT_THAT(with(124, 0xfffffff0).message, HasSubstr("the PDIs of section AIE_PARTITION"));
  EXPECT_THAT(with(200 + 16, 1'000'000).message, HasSubstr("the image of a PDI"));
}

TEST(Xclbin, OverlappingArraysAreRefused) {
  std::vector<std::byte> bytes = design();
  const std::size_t at = contents_of(bytes, 32);
  store(&bytes[at + 40], std::uint32_t{230});  // start columns: all of the section
  store(&bytes[at + 44], std::uint32_t{0});
  EXPECT_THAT(problem_of(bytes).message, HasSubstr("overlap"));
}

TEST(Xclbin, ChecksTheMetadata) {
  const auto with = [](std::string_view what, std::string_view instead) {
    std::vector<std::byte> bytes = design();
    const std::size_t at = text_of(bytes).find(what);
    std::memcpy(&bytes[at], instead.data(), instead.size());
    return problem_of(bytes);
  };
  EXPECT_THAT(with("id=\"3\"", "id=\"x\"").message,
              HasSubstr("attribute `id` of element `arg` is `x`, which is not a number"));
  EXPECT_THAT(with("</kernel>", "</korner>").message, HasSubstr("`</korner>` does not close the open element"));
  EXPECT_THAT(with("\"void*\"", "\"v&id*\"").message, HasSubstr("`&` that does not begin a known character reference"));
}

TEST(Xclbin, SurvivesEveryTruncationAndEveryChangedByte) {
  const std::vector<std::byte> good = design();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(read(Bytes(good).first(size)).diagnostics.has_errors()) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::vector<std::byte> bytes = good;
    bytes[at] ^= std::byte{0xff};
    if (const std::optional<Xclbin> file = read(bytes).file) {
      json::Writer out;
      write_xclbin(*file, out);
      EXPECT_TRUE(json::parse(make_source("inspect.json", out.text()))) << at;
      EXPECT_FALSE(print_xclbin(*file).empty());
    }
  }
}

std::string events_of(std::string_view text) {
  XmlReader reader(text, "test.xml", 100);
  std::string events;
  while (true) {
    const Result<XmlEvent> event = reader.next();
    if (!event) return events + "! " + event.error().front().message;
    if (event->kind == XmlEvent::Kind::End) return events;
    events += formatted("{}{}", event->kind == XmlEvent::Kind::Open ? "<" : ">", event->name);
    for (const auto& [name, value] : event->attributes) events += formatted(" {}={}", name, value);
    events += ';';
  }
}

TEST(Xml, ReadsElementsAndAttributes) {
  EXPECT_EQ(events_of("<?xml version='1.0'?><!DOCTYPE a><a>text<b x=\"1\" y = '&lt;&#65;&#x20ac;'/><!-- <c> --></a>"),
            "<a;<b x=1 y=<A\u20ac;>b;>a;");
  EXPECT_EQ(events_of("<a><![CDATA[<b>]]></a\n>"), "<a;>a;");
  EXPECT_EQ(events_of("no elements"), "");
}

TEST(Xml, ReportsErrors) {
  EXPECT_THAT(events_of("<a>"), HasSubstr("element `a` without end"));
  EXPECT_THAT(events_of("<a"), HasSubstr("element `a` without `>`"));
  EXPECT_THAT(events_of("<a b>"), HasSubstr("attribute `b` without a value"));
  EXPECT_THAT(events_of("<a b=1>"), HasSubstr("without quotes"));
  EXPECT_THAT(events_of("<a b='1>"), HasSubstr("the value of an attribute without end"));
  EXPECT_THAT(events_of("< >"), HasSubstr("`<` without the name of an element"));
  EXPECT_THAT(events_of("<!-- "), HasSubstr("comment without end"));
  EXPECT_THAT(events_of("<a x='&#0;'/>"), HasSubstr("character reference"));
  EXPECT_THAT(events_of("<a x='&#xd800;'/>"), HasSubstr("character reference"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_THAT(events_of(deep), HasSubstr("more than 64 levels"));
}

}  // namespace
}  // namespace slipway::recipe::xclbin
