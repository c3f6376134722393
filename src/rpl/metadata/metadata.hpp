// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metadata of a pipeline: all information that is needed to create its Vulkan objects (docs/spec/rpl.md#metadata).
//
// A plain value with a member for each key of the JSON form, in its order, made from the table rpl_runtime/structs.def;
// it needs neither the program nor the resolved variant that it was made from. These facts are the same for every
// pipeline and are not stored:
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

// By type: flag, uint, sint, float, enum.
using MetadataValue = std::variant<bool, std::uint32_t, std::int32_t, float, std::string>;

enum class MetadataRate : std::uint8_t { Vertex, Instance };
enum class MetadataBufferType : std::uint8_t { Uniform, ReadOnlyStorage, ReadWriteStorage };

// The members and what they mean are in the table: MetadataBuffer, MetadataAttribute, ..., and Metadata itself.
#define STRUCT(name, Name, title, meaning) \
  struct Metadata##Name {                  \
    bool operator==(const Metadata##Name&) const = default;
#define END(name) \
  }               \
  ;
#define TEXT(of, name, meaning) std::string name;
#define U32(of, name, meaning) std::uint32_t name = 0;
#define COUNT(of, name, min, max, meaning) std::uint32_t name = (min);
#define F32S(of, name, count, meaning) std::array<float, count> name{};
#define TEXTS(of, name, meaning) std::vector<std::string> name;
#define NUMBERS(of, name, meaning) std::vector<std::uint32_t> name;
#define ENUMERANT(of, type, Type, name, meaning) Type name{};
#define NESTED(of, type, Type, name, meaning) Metadata##Type name;
#define NESTEDS(of, type, Type, name, count, meaning) std::array<Metadata##Type, count> name;
#define LIST(of, type, Type, name, meaning) std::vector<Metadata##Type> name;
#define OPTIONAL_TEXT(of, name, meaning) std::optional<std::string> name;
#define OPTIONAL_TEXTS(of, name, meaning) std::optional<std::vector<std::string>> name;
#define OPTIONAL_NESTED(of, type, Type, name, meaning) std::optional<Metadata##Type> name;
#define TYPE(of, name, meaning) TypeId name = kF1;
#define IMAGE_TYPE(of, name, meaning) TypeId name = kFirstImage;
#define ITEM_FORMAT(of, name, meaning) ItemFormat name = ItemFormat::Float32;
#define OPTIONAL_ITEM_FORMAT(of, name, meaning) std::optional<ItemFormat> name;
#define OPTION_VALUE(of, name, meaning) MetadataValue name;
#define STAGES(of, name, meaning) std::vector<Stage> name;
#define SETTINGS(of, name, meaning) PipelineSettings name;
#define OUTPUT_SETTINGS(of, name) OutputSettings name;
#define VARIABLE(of, type, name, initial) type name = (initial);
#include "rpl_runtime/structs.def"

// The format and version of the JSON form.
inline constexpr std::string_view kMetadataFormat = "slipway-rpl-metadata";
inline constexpr std::uint32_t kMetadataVersion = 1;

inline constexpr std::array<std::string_view, 4> kSetNames = {"set_pass", "set_material", "set_object", "set_shared"};
std::string_view name_of(PipelineKind pipeline);
std::string_view name_of(MetadataRate rate);
std::string_view name_of(MetadataBufferType type);
// "vector_3", "matrix_4x4"
std::string_view attribute_class(TypeId type);
// "color_2d_array", "storage_f4_2d"
std::string_view image_type_name(TypeId type);

}  // namespace slipway::rpl
