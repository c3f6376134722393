// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sample binaries of tests/data/zebin: each is read and checked without a false error, goes through a directory
// unchanged, and its text is written back byte for byte.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "testing/data_files.hpp"
#include "zeinfo/write/write.hpp"
#include "zeinfo/zebin/image.hpp"
#include "zeinfo/zebin/input.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::zebin {
namespace {

std::vector<Path> samples() {
  std::vector<Path> paths = testing::data_files("zebin", {".bin", ".ar"});
  std::erase_if(paths, [](const Path& path) { return path.generic_string().contains("/negative/"); });
  return paths;
}

class ZebinSamples : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(samples().empty()); }
};

TEST_F(ZebinSamples, NoFalseError) {
  for (const Path& path : samples()) {
    for (const std::string_view level : {"spec", "consistency"}) {
      Diagnostics diagnostics;
      std::vector<Input> inputs = open_inputs(path.string(), {}, diagnostics);
      ASSERT_FALSE(inputs.empty()) << path;
      for (Input& input : inputs) check_input(input, *zeinfo::parse_level(level), nullptr);
      EXPECT_FALSE(diagnostics.has_errors()) << path << " at " << level << "\n"
                                             << format_diagnostics(diagnostics.all());
      EXPECT_EQ(diagnostics.warnings(), 0) << path << " at " << level << "\n" << format_diagnostics(diagnostics.all());
    }
  }
}

TEST_F(ZebinSamples, RepackedByteForByte) {
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    for (const Input& input : open_inputs(path.string(), {}, diagnostics)) {
      const auto files = unpack(input.zebin->elf);
      ASSERT_TRUE(files);
      const Result<Packed> packed = pack(make_source("zebin.json", std::string(text_of(files->front().bytes))),
                                         [&](const std::string& name) -> Result<std::vector<std::byte>> {
                                           return std::ranges::find(*files, name, &UnpackedFile::name)->bytes;
                                         });
      ASSERT_TRUE(packed) << path << format_diagnostics(packed.error());
      EXPECT_FALSE(packed->has_new_layout) << path;
      EXPECT_EQ(text_of(packed->bytes), text_of(input.zebin->elf.file)) << path;
    }
  }
}

// Files of compilers that align sections (1.49 on) are also written byte for byte by the image; the others keep their
// meaning.
TEST_F(ZebinSamples, WrittenAnew) {
  std::size_t same = 0;
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    for (Input& input : open_inputs(path.string(), {}, diagnostics)) {
      const std::optional<Image> image = image_of(*input.zebin, *input.container_diagnostics);
      ASSERT_TRUE(image) << path << format_diagnostics(diagnostics.all());
      const std::vector<std::byte> bytes = write_image(*image);
      const bool is_same = text_of(bytes) == text_of(input.zebin->elf.file);
      same += is_same;
      if (path.string().contains("v1.73") || path.string().contains("v1.49")) {
        EXPECT_TRUE(is_same) << path;
      }
      std::vector<Input> again = read_inputs("again", bytes, {}, diagnostics);
      ASSERT_EQ(again.size(), 1) << path;
      EXPECT_EQ(again[0].zebin->text(), input.zebin->text()) << path;
      EXPECT_EQ(again[0].zebin->elf.symbols.size(), input.zebin->elf.symbols.size()) << path;
      EXPECT_EQ(again[0].zebin->elf.relocations.size(), input.zebin->elf.relocations.size()) << path;
      EXPECT_FALSE(diagnostics.has_errors()) << path << format_diagnostics(diagnostics.all());
    }
  }
  EXPECT_GE(same, 28);
}

TEST_F(ZebinSamples, TextsAreCanonical) {
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    for (const Input& input : open_inputs(path.string(), {}, diagnostics)) {
      if (!input.has_document) continue;
      const Result<std::string> text = zeinfo::write(input.document);
      ASSERT_TRUE(text) << path;
      EXPECT_EQ(*text, input.zebin->text()) << path;
    }
  }
}

// The columns of the manifest, compared with what each file contains.
TEST_F(ZebinSamples, NameTheirDevice) {
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    const std::vector<Input> inputs = open_inputs(path.string(), {}, diagnostics);
    for (const Input& input : inputs) {
      const std::string name = path.stem().extension().string();  // "spill.dg2-g10.bin"
      if (path.extension() != ".bin") continue;
      ASSERT_TRUE(input.target.device || input.target.family) << path;
      if (!input.target.device) continue;  // old files only contain the family
      const zeinfo::Device* const expected = zeinfo::find_device(name.substr(1));
      ASSERT_TRUE(expected) << name;
      EXPECT_EQ(input.target.device->family, expected->family) << path;
    }
  }
}

TEST_F(ZebinSamples, ArePrintedCompletely) {
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    for (const Input& input : open_inputs(path.string(), {}, diagnostics)) {
      const InspectOptions all{.layout = true, .sections = true, .symbols = true, .relocations = true, .notes = true};
      const std::string text = print_input(input, all);
      for (const zeinfo::Kernel* kernel : chosen_kernels(input, {})) {
        EXPECT_TRUE(text.contains(printable(kernel->name))) << path;
        EXPECT_TRUE(layout_svg(layout_of(input.document, *kernel, input.target)).contains("</svg>")) << path;
      }
      json::Writer out;
      write_input(out, input, all);
      EXPECT_TRUE(json::parse(make_source("inspect", out.text()))) << path;
    }
  }
}

// Dimensions of local ids, names that are wider than their boxes, and registers that are not those of the hardware.
TEST_F(ZebinSamples, DiagramsAreLegible) {
  std::size_t with_ids = 0, with_long_names = 0;
  for (const Path& path : samples()) {
    Diagnostics diagnostics;
    for (const Input& input : open_inputs(path.string(), {}, diagnostics)) {
      for (const zeinfo::Kernel* kernel : chosen_kernels(input, {})) {
        const zeinfo::PayloadLayout layout = layout_of(input.document, *kernel, input.target);
        const std::string svg = layout_svg(layout);
        const bool has_ids = layout.local_id_bytes != 0;
        with_ids += has_ids;
        EXPECT_EQ(svg.contains(">local_id x<"), has_ids) << path;
        const bool three = has_ids && layout.per_thread_size == 3 * layout.local_id_bytes;
        EXPECT_EQ(svg.contains(">local_id z<"), three) << path;
        for (const zeinfo::PayloadRange& range : layout.cross_thread) {
          if (range.what != "work_dimensions") continue;
          ++with_long_names;
          EXPECT_TRUE(svg.contains(">work_dimensions<")) << path;
        }
        EXPECT_FALSE(svg.contains(">r0<"));
        EXPECT_EQ(svg.contains(">reg +0<"), layout.grf_bytes && layout.cross_thread_size + layout.per_thread_size > 0)
            << path;
      }
    }
  }
  EXPECT_GT(with_ids, 10u);
  EXPECT_GT(with_long_names, 0u);
}

TEST_F(ZebinSamples, TheWrapperIsNamed) {
  const Path path = testing::source_directory() / "tests/data/zebin/negative/opencl-elf-wrapper.apl.bin";
  Diagnostics diagnostics;
  EXPECT_TRUE(open_inputs(path.string(), {}, diagnostics).empty());
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::UnsupportedContainer);
  EXPECT_TRUE(diagnostics.all()[0].message.contains("OpenCL ELF wrapper"));
}

}  // namespace
}  // namespace slipway::zebin
