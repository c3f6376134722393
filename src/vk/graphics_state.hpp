// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed-function state of a graphics pipeline, as plain data: everything but its shaders, its layout and the
// formats of its attachments.
//
// A default state draws a list of triangles without vertex input, without cull, depth test or blending, into one sample
// a pixel (docs/spec/scenario.md#shaders). What of a state a device must offer is decided from its snapshot alone:
//
//   GraphicsState state{.topology = Topology::LineList, .line_width = 2};
//   features_of(state) == {"wideLines"};   missing_for_state(snapshot, snapshot.features, state, formats) == {}
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/vk_names.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {

// The numbers are Vulkan's.
enum class VertexRate : std::uint8_t {
#define VERTEX_RATE(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class Topology : std::uint8_t {
#define TOPOLOGY(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class PolygonMode : std::uint8_t {
#define POLYGON_MODE(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class CullMode : std::uint8_t {
#define CULL_MODE(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class FrontFace : std::uint8_t {
#define FRONT_FACE(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class CompareOperation : std::uint8_t {
#define COMPARE_OPERATION(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class StencilOperation : std::uint8_t {
#define STENCIL_OPERATION(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class BlendFactor : std::uint8_t {
#define BLEND_FACTOR(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class BlendOperation : std::uint8_t {
#define BLEND_OPERATION(name, word, value) name = value,
#include "vk/graphics_state.def"
};
enum class IndexType : std::uint8_t {
#define INDEX_TYPE(name, word, value) name = value,
#include "vk/graphics_state.def"
};
constexpr std::uint32_t size_of(IndexType type) { return type == IndexType::U16 ? 2 : 4; }  // bytes

// A value of one of the enumerations above and its word: `less_or_equal`.
struct StateWord {
  std::string_view word;
  std::uint8_t value;
};
template <class E>
std::span<const StateWord> words_of();
template <>
std::span<const StateWord> words_of<VertexRate>();
template <>
std::span<const StateWord> words_of<Topology>();
template <>
std::span<const StateWord> words_of<PolygonMode>();
template <>
std::span<const StateWord> words_of<CullMode>();
template <>
std::span<const StateWord> words_of<FrontFace>();
template <>
std::span<const StateWord> words_of<CompareOperation>();
template <>
std::span<const StateWord> words_of<StencilOperation>();
template <>
std::span<const StateWord> words_of<BlendFactor>();
template <>
std::span<const StateWord> words_of<BlendOperation>();
template <>
std::span<const StateWord> words_of<IndexType>();

template <class E>
std::string_view word_of(E value) {
  for (const StateWord& known : words_of<E>()) {
    if (known.value == static_cast<std::uint8_t>(value)) return known.word;
  }
  return "?";
}

// --- the state -------------------------------------------------------------------------------------------------------

// A buffer that attributes are read from, an element a vertex or an instance.
struct VertexBinding {
  std::uint32_t binding = 0;
  std::uint32_t stride = 0;  // bytes
  VertexRate rate = VertexRate::Vertex;
  bool operator==(const VertexBinding&) const = default;
};

struct VertexAttribute {
  std::uint32_t location = 0;
  std::uint32_t binding = 0;
  Format format = Format::UNDEFINED;
  std::uint32_t offset = 0;  // bytes in the element
  std::string name;          // for messages
  bool operator==(const VertexAttribute&) const = default;
};

struct StencilFace {
  StencilOperation on_fail = StencilOperation::Keep;
  StencilOperation on_depth_fail = StencilOperation::Keep;
  StencilOperation on_pass = StencilOperation::Keep;
  CompareOperation compare = CompareOperation::Never;
  std::uint32_t compare_mask = 0, write_mask = 0, reference = 0;
  bool operator==(const StencilFace&) const = default;
};

// What happens to a fragment's colour in one attachment.
struct ColorBlend {
  bool enabled = false;
  BlendFactor source_color = BlendFactor::One, destination_color = BlendFactor::Zero;
  BlendOperation color = BlendOperation::Add;
  BlendFactor source_alpha = BlendFactor::One, destination_alpha = BlendFactor::Zero;
  BlendOperation alpha = BlendOperation::Add;
  std::uint32_t write_mask = 0xf;  // bits 0 to 3: red, green, blue, alpha
  bool operator==(const ColorBlend&) const = default;
};

struct GraphicsState {
  std::vector<VertexBinding> vertex_bindings;
  std::vector<VertexAttribute> vertex_attributes;
  Topology topology = Topology::TriangleList;
  bool primitive_restart = false;

  PolygonMode polygon_mode = PolygonMode::Fill;
  CullMode cull_mode = CullMode::None;
  FrontFace front_face = FrontFace::CounterClockwise;
  float line_width = 1;
  bool depth_clamp = false;
  bool depth_bias = false;
  float depth_bias_constant = 0, depth_bias_slope = 0, depth_bias_clamp = 0;

  std::uint32_t samples = 1;  // a pixel: 1, 2, 4, 8, 16
  bool alpha_to_coverage = false;

  bool depth_test = false, depth_write = false;
  CompareOperation depth_compare = CompareOperation::Less;
  bool depth_bounds_test = false;
  float depth_bounds_min = 0, depth_bounds_max = 1;
  bool stencil_test = false;
  StencilFace stencil_front, stencil_back;

  std::vector<ColorBlend> blends;  // by colour attachment; those that are missing do not blend and write everything
  std::array<float, 4> blend_constants{};

  bool operator==(const GraphicsState&) const = default;
};

// Formats of the attachments that a pipeline draws to; UNDEFINED: none.
struct AttachmentFormats {
  std::vector<Format> colors;
  Format depth_stencil = Format::UNDEFINED;
};

// What an attachment holds when rendering begins.
enum class Load : std::uint8_t { DontCare, Contents, Clear };

// The blending of one attachment.
ColorBlend blend_of(const GraphicsState& state, std::size_t attachment);

// --- what it takes ---------------------------------------------------------------------------------------------------

// The device features without which the state cannot be made, by their Vulkan names.
std::set<std::string> features_of(const GraphicsState& state, std::size_t color_attachments);

using FeatureSet = std::set<std::string, std::less<>>;

// What a device lacks for the state, a phrase each: "vertex attribute `normal` needs vertex buffers of
// `VK_FORMAT_R16G16B16_SNORM`", "line width 70 is outside of 1 to 64 (`lineWidthRange`)". `features` are those that are
// switched on, or all that could be.
std::vector<std::string> missing_for_state(const Snapshot& snapshot, const FeatureSet& features,
                                           const GraphicsState& state, const AttachmentFormats& formats);

// A line for each thing that is not as in the default state, each after `indent`. Two states with one text are equal
// but for the names of attributes.
std::string print_graphics_state(const GraphicsState& state, std::string_view indent);

}  // namespace slipway::vk
