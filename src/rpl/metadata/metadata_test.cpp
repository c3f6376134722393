// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/metadata.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include "rpl/metadata/metadata_json.hpp"
#include "rpl/metadata/print_metadata.hpp"
#include "testing/rpl_programs.hpp"

namespace slipway::rpl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class List>
std::vector<std::string> numbered(const List& list) {
  std::vector<std::string> out;
  for (const auto& of : list) out.push_back(of.name + " " + std::to_string(of.binding));
  return out;
}

// The first example of docs/spec/rpl.md#numbering-examples.
TEST(Metadata, NumbersBindingsByKind) {
  const auto pass = make_source("p.rpl",
                                "set_pass sampler linear; set_pass uniform_buffer view { f4 a; };"
                                "set_pass image_depth_2d shadow; set_pass image_color_2d albedo;");
  const auto material = make_source("m.rpl",
                                    "set_pass read_only_storage_buffer lights { f4... list; };"
                                    "set_material image_color_2d[4] layers; set_material sampler wrap;");
  for (const bool one_module : {false, true}) {
    Diagnostics diagnostics;
    const Program program = parse(modules_of({pass, material}, one_module), diagnostics);
    Compiler compiler;
    const auto made = compiler.compile(program, {}, {}, diagnostics);
    ASSERT_TRUE(made) << text_of(diagnostics);
    const MetadataSet& set = made->metadata.pipeline_interface.sets[0];
    if (one_module) {
      EXPECT_THAT(numbered(set.buffers), ElementsAre("view 0", "lights 1"));
      EXPECT_THAT(numbered(set.samplers), ElementsAre("linear 2"));
      EXPECT_THAT(numbered(set.images), ElementsAre("albedo 3", "shadow 4"));
    } else {
      EXPECT_THAT(numbered(set.buffers), ElementsAre("view 0", "lights 4"));
      EXPECT_THAT(numbered(set.samplers), ElementsAre("linear 1"));
      EXPECT_THAT(numbered(set.images), ElementsAre("albedo 2", "shadow 3"));
    }
    EXPECT_THAT(numbered(made->metadata.pipeline_interface.sets[1].samplers), ElementsAre("wrap 0"));
    EXPECT_THAT(numbered(made->metadata.pipeline_interface.sets[1].images), ElementsAre("layers 1"));
    EXPECT_EQ(made->metadata.pipeline_interface.sets[1].images[0].image_array_size, 4U);
    EXPECT_THAT(made->metadata.code, IsEmpty());
    EXPECT_EQ(made->metadata.modules.size(), one_module ? 1U : 2U);
  }
}

// The second example of docs/spec/rpl.md#numbering-examples.
TEST(Metadata, NumbersAttributes) {
  const Built built(test_program("a.rpl",
                                 "vertex_attribute_container vertex { f3 position; pack (snorm16) f3 normal;"
                                 " pack (float16) f2 uv; };\n"
                                 "instanced_attribute_container inst { pack (unorm8) f4 tint; f4x4 model; };"));
  const auto& sources = built.made->metadata.pipeline_interface.attribute_sources;
  ASSERT_EQ(sources.size(), 2U);
  const auto layout = [](const MetadataAttributeSource& source) {
    std::vector<std::string> out;
    for (const MetadataAttribute& of : source.attributes) {
      out.push_back(formatted("{} {} {} {}", of.name, of.location, of.offset, of.vk_format));
    }
    return out;
  };
  EXPECT_EQ(sources[0].block_size, 24U);
  EXPECT_THAT(layout(sources[0]), ElementsAre("position 0 0 106", "normal 1 12 85", "uv 2 18 83"));
  EXPECT_EQ(sources[1].block_size, 68U);
  EXPECT_THAT(layout(sources[1]), ElementsAre("tint 3 0 37", "model 4 4 109"));
  EXPECT_EQ(sources[1].attributes[1].location_count, 4U);
  EXPECT_EQ(sources[1].attributes[1].column_stride, 16U);
}

// The layouts of docs/spec/rpl.md#layout-check-values.
TEST(Metadata, FlattensBuffersIntoParameters) {
  const Built built(tools_program("layouts.rpl"));
  const MetadataInterface& interface = built.made->metadata.pipeline_interface;
  const auto parameters = [](const std::vector<MetadataParameter>& list) {
    std::vector<std::string> out;
    for (const MetadataParameter& of : list) {
      out.push_back(formatted("{} {} x{} /{}", of.name, of.offset, of.total_item_count, of.array_stride));
    }
    return out;
  };
  const MetadataBuffer& items = interface.sets[0].buffers[1];
  EXPECT_EQ(items.main_size, 16U);
  EXPECT_EQ(items.tail_item_size, 16U);
  EXPECT_EQ(items.tail_name, "list");
  EXPECT_THAT(parameters(items.main_parameters), ElementsAre("a 0 x1 /0", "b 4 x1 /0"));
  EXPECT_THAT(parameters(items.tail_item_parameters), ElementsAre("v 0 x1 /0"));

  const MetadataBuffer& numbers = interface.sets[1].buffers[0];
  EXPECT_EQ(numbers.main_size, 20U);
  EXPECT_EQ(numbers.tail_item_size, 4U);
  EXPECT_EQ(numbers.tail_name, std::nullopt);
  EXPECT_EQ(numbers.tail, (MetadataTail{"list", "f1", 20, 4}));

  const MetadataBuffer& everything = interface.sets[1].buffers[1];
  EXPECT_THAT(parameters(everything.main_parameters),
              ElementsAre("all.inner.a 0 x1 /0", "all.inner.b 16 x1 /0", "all.inner.c 28 x1 /0", "all.inner.d 32 x1 /0",
                          "all.inner.m 48 x1 /0", "all.inner.e 96 x1 /0", "all.padded 112 x2 /16",
                          "all.pairs 144 x3 /8", "all.singles 168 x3 /4", "all.matrices 192 x2 /64",
                          "all.grid 320 x6 /4", "turn 352 x1 /0", "size 400 x1 /0", "where 416 x1 /0"));
  // A tail inside the last struct.
  const MetadataBuffer& nested = interface.sets[2].buffers[0];
  EXPECT_EQ(nested.tail_name, "tail.list");
  EXPECT_EQ(nested.tail->offset, 32U);
  EXPECT_EQ(interface.push_constant_name, "push");
  EXPECT_EQ(interface.push_constant_size, 80U);
}

TEST(Metadata, NamesWhatTheDeviceMustHave) {
  EXPECT_THAT(Built(tools_program("layouts.rpl")).made->metadata.requirements.features,
              ElementsAre("depthBiasClamp", "independentBlend", "shaderSampledImageArrayNonUniformIndexing"));
  EXPECT_THAT(Built(tools_program("tinted.rpl")).made->metadata.requirements.features, IsEmpty());
  EXPECT_THAT(Built(tools_program("tinted.rpl"), {"wireframe=on"}).made->metadata.requirements.features,
              ElementsAre("fillModeNonSolid"));
}

TEST(Metadata, RecordsWhatWasConsulted) {
  const Built built(tools_program("tinted.rpl"));
  const MetadataConsulted& consulted = built.made->metadata.consulted;
  EXPECT_THAT(consulted.interface_options, ElementsAre("tint_mode"));
  EXPECT_THAT(consulted.settings, ElementsAre("wireframe"));
  EXPECT_THAT(consulted.vertex.value(), ElementsAre("tint_mode"));
  EXPECT_THAT(consulted.fragment.value(), IsEmpty());
  EXPECT_FALSE(consulted.compute);
}

TEST(MetadataJson, ReadsBackWhatItWrote) {
  for (const TestProgram& test : tool_programs()) {
    const Built built(test);
    ASSERT_TRUE(built.made);
    const std::string text = metadata_text(built.made->metadata);
    Diagnostics diagnostics;
    const auto read = read_metadata(make_source("out.json", text), diagnostics);
    ASSERT_TRUE(read) << test.name << text_of(diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << text_of(diagnostics);
    EXPECT_EQ(metadata_text(*read), text) << test.name;
    EXPECT_TRUE(*read == built.made->metadata) << test.name;
    Metadata sealed = *read;
    seal(sealed);
    EXPECT_EQ(sealed.hashes, read->hashes);
    EXPECT_THAT(print_metadata(*read), HasSubstr(read->hashes.pipeline));
  }
}

TEST(MetadataJson, SaysWhatIsWrong) {
  const auto problems = [](const std::string& text) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_metadata(make_source("out.json", text), diagnostics));
    diagnostics.sort();
    return text_of(diagnostics);
  };
  std::string text = metadata_text(Built(tools_program("tinted.rpl")).made->metadata);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_THAT(problems(with("\"version\": 1", "\"version\": 9")), HasSubstr("[out-of-range]"));
  EXPECT_THAT(problems(with("slipway-rpl-metadata", "other")), HasSubstr("[file-format]"));
  EXPECT_THAT(problems(with("\"fill\"", "\"full\"")), HasSubstr("did you mean `fill`?"));
  EXPECT_THAT(problems(with("\"binding\": 0", "\"binding\": -1")), HasSubstr("/interface/attribute_sources/0/binding"));
  EXPECT_THAT(problems(with("\"cull_mode\": \"back\",", "")), HasSubstr("[missing-key]"));
  EXPECT_THAT(problems(with("\"color_2d\"", "\"color_4d\"")), HasSubstr("[unknown-value]"));
}

}  // namespace
}  // namespace slipway::rpl
