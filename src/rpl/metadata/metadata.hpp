// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metadata of a pipeline: all information that is needed to create its Vulkan objects (docs/spec/rpl.md#metadata).
//
// A plain value with a member for each key of the JSON form, in its order; it needs neither the program nor the
// resolved variant that it was made from. These facts are the same for every pipeline and are not stored:
//   - four descriptor set layouts, empty ones too; stage flags VERTEX|FRAGMENT or COMPUTE for every binding and for the
//     push constants (offset 0); an image takes `image_array_size` descriptors, everything else one;
//   - viewport (depth 0..1) and scissor are dynamic, one each; dynamic rendering with the formats of the color outputs
//     and the setting depth_stencil_format;
//   - the settings depth_min and depth_max are the depth bounds.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rpl/builtins.hpp"
#include "rpl/options.hpp"
#include "rpl/resolved.hpp"
#include "rpl/settings.hpp"
#include "rpl/types.hpp"

namespace slipway::rpl {

// Values of settings by their index in settings.def, in the form of SettingInfo::initial; read them with the accessors.
//
//   rasterization.cullMode = metadata.settings.vulkan(Setting::cull_mode);
template <std::uint32_t first, std::uint32_t count>
struct SettingValues {
  std::array<std::uint32_t, count> raw = initial_values();

  static const std::array<std::uint32_t, count>& initial_values() {
    static const std::array<std::uint32_t, count> values = [] {
      std::array<std::uint32_t, count> initial{};
      for (std::uint32_t i = 0; i < count; ++i) initial[i] = info_of(static_cast<Setting::Id>(first + i)).initial;
      return initial;
    }();
    return values;
  }

  std::uint32_t& operator[](Setting::Id id) { return raw[id - first]; }
  std::uint32_t operator[](Setting::Id id) const { return raw[id - first]; }
  bool flag(Setting::Id id) const { return raw[id - first] != 0; }
  std::uint32_t number(Setting::Id id) const { return raw[id - first]; }
  float real(Setting::Id id) const { return std::bit_cast<float>(raw[id - first]); }
  // The Vulkan enumerant of a word: VkCullModeFlagBits, VkCompareOp, VkBlendFactor, VkFormat...
  std::uint32_t vulkan(Setting::Id id) const { return word_of(id, raw[id - first]).vulkan; }
  std::string_view word(Setting::Id id) const { return word_of(id, raw[id - first]).name; }
  bool operator==(const SettingValues&) const = default;
};
using PipelineSettings = SettingValues<0, kSettingCount>;  // those of color outputs are unused here
using OutputSettings = SettingValues<kFirstOutputSetting, kOutputSettingCount>;

// The runtime array of a buffer. It is outside Metadata because clang 21 rejects a class with default member values in
// an std::optional while the enclosing class is incomplete.
struct MetadataTail {
  std::string name;       // dotted path of the field
  std::string item_type;  // "f4", or the name of a struct
  std::uint32_t offset = 0;
  std::uint32_t item_size = 0;  // bytes: the stride
  bool operator==(const MetadataTail&) const = default;
};

struct Metadata {
  struct Module {
    std::string name;
    std::vector<std::string> sources;
    bool operator==(const Module&) const = default;
  };

  // By type: flag, uint, sint, float, enum.
  using OptionValue = std::variant<bool, std::uint32_t, std::int32_t, float, std::string>;
  struct Option {
    std::string name;
    OptionClass option_class = OptionClass::Global;
    OptionType type = OptionType::Flag;
    OptionValue value;
    std::vector<std::string> values;  // of an enum
    OptionValue default_value;
    bool operator==(const Option&) const = default;
  };

  struct EntryPoint {
    Stage stage = Stage::Vertex;
    std::string function;  // the name of the OpEntryPoint
    bool operator==(const EntryPoint&) const = default;
  };

  struct Attribute {
    std::string name;
    TypeId type = kF1;  // vector or matrix
    // A matrix takes a location for each column: column c is at location + c and offset + c * column_stride.
    std::uint32_t location = 0;
    std::uint32_t location_count = 1;
    std::uint32_t offset = 0;  // bytes, in the source's block
    ItemFormat item_format = ItemFormat::Float32;
    std::uint32_t vk_format = 0;  // of the vector, or of one column
    std::uint32_t column_stride = 0;
    std::vector<std::string> meta;
    bool operator==(const Attribute&) const = default;
  };
  enum class Rate : std::uint8_t { Vertex, Instance };
  struct AttributeSource {
    std::string name;
    Rate rate = Rate::Vertex;
    std::uint32_t binding = 0;
    std::uint32_t block_size = 0;  // bytes: the stride
    std::vector<Attribute> attributes;
    bool operator==(const AttributeSource&) const = default;
  };

  // A leaf of a buffer: a vector, a matrix, or an array of these.
  struct Parameter {
    std::string name;   // dotted path, without the buffer's name
    TypeId type = kF1;  // of one item
    std::uint32_t offset = 0;
    std::uint32_t total_item_count = 1;     // product of the dimensions
    std::vector<std::uint32_t> dimensions;  // outermost first
    std::uint32_t array_stride = 0;         // bytes, of the innermost dimension; 0: no array
    std::uint32_t matrix_stride = 0;        // bytes from column to column; 0: no matrix
    std::vector<std::string> meta;
    bool operator==(const Parameter&) const = default;
  };
  using Tail = MetadataTail;
  enum class BufferType : std::uint8_t { Uniform, ReadOnlyStorage, ReadWriteStorage };
  // n items of a tail need main_size + n * tail_item_size bytes.
  struct Buffer {
    std::string name;
    std::uint32_t binding = 0;
    BufferType type = BufferType::Uniform;
    std::uint32_t main_size = 0;
    std::uint32_t tail_item_size = 0;
    std::vector<Parameter> main_parameters;
    std::optional<Tail> tail;
    std::optional<std::string> tail_name;         // of a tail of structs
    std::vector<Parameter> tail_item_parameters;  // of a tail of structs: relative to the item
    bool operator==(const Buffer&) const = default;
  };
  struct Sampler {
    std::string name;
    std::uint32_t binding = 0;
    bool operator==(const Sampler&) const = default;
  };
  struct Image {
    std::string name;
    std::uint32_t binding = 0;
    TypeId type = kFirstImage;           // an image or storage image type without array
    std::uint32_t image_array_size = 1;  // descriptors
    std::optional<ItemFormat> storage_format;
    std::uint32_t vk_format = 0;  // of a storage image
    bool operator==(const Image&) const = default;
  };
  struct Set {
    std::uint32_t index = 0;
    std::vector<Buffer> buffers;
    std::vector<Sampler> samplers;
    std::vector<Image> images;
    bool operator==(const Set&) const = default;
  };

  // What instance options cannot reach: pipelines with equal interfaces take the same buffers and descriptor sets.
  struct Interface {
    std::vector<AttributeSource> attribute_sources;
    std::optional<std::string> push_constant_name;
    std::uint32_t push_constant_size = 0;  // bytes; 0: none
    // 0 pass, 1 material, 2 object, 3 shared.
    std::array<Set, 4> sets = {Set{.index = 0}, Set{.index = 1}, Set{.index = 2}, Set{.index = 3}};
    // --skip-attributes and --skip-sets leave these parts out of the JSON form; such metadata makes no pipeline.
    bool has_attributes = true;
    bool has_sets = true;
    bool operator==(const Interface&) const = default;
  };

  // In the order of locations.
  struct ColorOutput {
    std::string name;  // container.field
    TypeId type = kF4;
    std::uint32_t components_count = 4;
    OutputSettings settings;
    bool operator==(const ColorOutput&) const = default;
  };
  struct State {
    std::string name;  // container.field
    TypeId type = kF1;
    std::uint32_t location = 0;
    bool operator==(const State&) const = default;
  };
  struct Requirements {
    std::string target = "vulkan1.3";   // or vulkan1.1, vulkan1.2, vulkan1.4
    std::vector<std::string> features;  // members of VkPhysicalDevice...Features: "wideLines"
    std::vector<std::string> extensions;
    bool operator==(const Requirements&) const = default;
  };
  // A SPIR-V module.
  struct Code {
    std::string file;  // beside the metadata file
    std::vector<Stage> stages;
    std::uint32_t words = 0;
    std::string sha256;  // of its bytes
    bool operator==(const Code&) const = default;
  };
  // The names of the options that decided each output. A stage's list is there when the stage is an entry point.
  struct ConsultedNames {
    std::vector<std::string> interface_options;
    std::vector<std::string> settings;
    std::array<std::optional<std::vector<std::string>>, kStageCount> stages;
    bool operator==(const ConsultedNames&) const = default;
  };
  struct Hashes {  // SHA-256, hexadecimal
    std::string interface_hash;
    std::string pipeline;
    bool operator==(const Hashes&) const = default;
  };

  PipelineKind pipeline_type = PipelineKind::Graphics;
  std::vector<Module> modules;
  std::vector<Option> options;
  std::vector<EntryPoint> entry_points;
  Interface interface;
  PipelineSettings settings;
  std::vector<ColorOutput> color_outputs;
  std::array<float, 4> color_blend_constants{};
  std::vector<State> state;
  std::vector<std::string> dynamic_states;  // "viewport", "scissor"; none for compute
  Requirements requirements;
  // The fields of the push constants, which do not decide whether pipeline layouts are equal.
  std::vector<Parameter> push_constant_parameters;
  std::vector<Code> code;
  ConsultedNames consulted;
  Hashes hashes;
  bool operator==(const Metadata&) const = default;
};

// The format and version of the JSON form.
inline constexpr std::string_view kMetadataFormat = "slipway-rpl-metadata";
inline constexpr std::uint32_t kMetadataVersion = 1;

inline constexpr std::array<std::string_view, 4> kSetNames = {"set_pass", "set_material", "set_object", "set_shared"};
std::string_view name_of(PipelineKind pipeline);
std::string_view name_of(Metadata::Rate rate);
std::string_view name_of(Metadata::BufferType type);
// "vector_3", "matrix_4x4"
std::string_view attribute_class(TypeId type);
// "color_2d_array", "storage_f4_2d"
std::string_view image_type_name(TypeId type);

}  // namespace slipway::rpl
