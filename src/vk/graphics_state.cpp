// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/graphics_state.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "vk/image_plan.hpp"

namespace slipway::vk {

// --- words -----------------------------------------------------------------------------------------------------------

template <>
std::span<const StateWord> words_of<VertexRate>() {
  static constexpr StateWord kWords[] = {
#define VERTEX_RATE(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<Topology>() {
  static constexpr StateWord kWords[] = {
#define TOPOLOGY(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<PolygonMode>() {
  static constexpr StateWord kWords[] = {
#define POLYGON_MODE(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<CullMode>() {
  static constexpr StateWord kWords[] = {
#define CULL_MODE(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<FrontFace>() {
  static constexpr StateWord kWords[] = {
#define FRONT_FACE(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<CompareOperation>() {
  static constexpr StateWord kWords[] = {
#define COMPARE_OPERATION(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<StencilOperation>() {
  static constexpr StateWord kWords[] = {
#define STENCIL_OPERATION(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<BlendFactor>() {
  static constexpr StateWord kWords[] = {
#define BLEND_FACTOR(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<BlendOperation>() {
  static constexpr StateWord kWords[] = {
#define BLEND_OPERATION(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

template <>
std::span<const StateWord> words_of<IndexType>() {
  static constexpr StateWord kWords[] = {
#define INDEX_TYPE(name, word, value) {word, value},
#include "vk/graphics_state.def"
  };
  return kWords;
}

// --- what it takes ---------------------------------------------------------------------------------------------------

namespace {

// Collects what is missing.
class Missing {
 public:
  Missing(const Snapshot& snapshot, const FeatureSet& features, const GraphicsState& state,
          const AttachmentFormats& formats)
      : snapshot_(snapshot), features_(features), state_(state), formats_(formats) {}

  std::vector<std::string> all() {
    for (const std::string& feature : features_of(state_, formats_.colors.size())) {
      if (!features_.contains(feature)) say("it needs the device feature `{}`", feature);
    }
    check_vertex_input();
    check_lines();
    check_colors();
    check_depth_stencil();
    check_samples();
    return std::move(phrases_);
  }

 private:
  template <class... T>
  void say(std::format_string<T...> text, T&&... values) {
    phrases_.push_back(formatted(text, std::forward<T>(values)...));
  }

  // A snapshot written by hand may lack a limit: then it is the required one (Vulkan 1.3, "Required Limits").
  double limit(std::string_view name, double least) const {
    const auto found = snapshot_.limits_by_name.find(name);
    return found == snapshot_.limits_by_name.end() ? least : found->second;
  }

  void check_at_most(std::string_view what, std::uint64_t value, std::string_view name, double least) {
    const double most = limit(name, least);
    if (static_cast<double>(value) > most) say("{} {}, but the device allows {} (`{}`)", what, value, most, name);
  }

  void check_vertex_input() {
    for (const VertexBinding& binding : state_.vertex_bindings) {
      check_at_most("it has vertex binding", binding.binding + 1ull, "maxVertexInputBindings", 16);
      check_at_most(formatted("vertex binding {} has a stride of", binding.binding), binding.stride,
                    "maxVertexInputBindingStride", 2048);
    }
    for (const VertexAttribute& attribute : state_.vertex_attributes) {
      check_at_most("it counts vertex attribute locations up to", attribute.location + 1ull, "maxVertexInputAttributes",
                    16);
      check_at_most(formatted("vertex attribute {} has an offset of", called(attribute)), attribute.offset,
                    "maxVertexInputAttributeOffset", 2047);
      if (!(snapshot_.format_features(attribute.format).buffer & format_feature::kVertexBuffer)) {
        say("vertex attribute {} needs vertex buffers of `{}`", called(attribute), name_of(attribute.format));
      }
    }
  }

  static std::string called(const VertexAttribute& attribute) {
    return attribute.name.empty() ? formatted("at location {}", attribute.location) : formatted("`{}`", attribute.name);
  }

  void check_lines() {
    if (state_.line_width == 1) return;
    const double least = limit("lineWidthRange[0]", 1), most = limit("lineWidthRange[1]", 1);
    if (state_.line_width >= least && state_.line_width <= most) return;
    say("line width {} is outside of {} to {} (`lineWidthRange`)", state_.line_width, least, most);
  }

  void check_colors() {
    if (formats_.colors.size() > snapshot_.limits.max_color_attachments) {
      say("it has {} colour attachments, but the device allows {} (`maxColorAttachments`)", formats_.colors.size(),
          snapshot_.limits.max_color_attachments);
    }
    for (std::size_t i = 0; i < formats_.colors.size(); ++i) {
      const Format format = formats_.colors[i];
      const FormatFeatures found = snapshot_.format_features(format);
      const std::uint64_t features = found.optimal | found.linear;
      if (!(features & format_feature::kColorAttachment)) {
        say("colour attachment {} needs attachments of `{}`", i, name_of(format));
      } else if (blend_of(state_, i).enabled && !(features & format_feature::kColorAttachmentBlend)) {
        say("colour attachment {} needs blending in `{}`", i, name_of(format));
      }
    }
  }

  void check_depth_stencil() {
    const Format format = formats_.depth_stencil;
    if (format == Format::UNDEFINED) return;
    if (!(snapshot_.format_features(format).optimal & format_feature::kDepthAttachment)) {
      say("the depth attachment needs attachments of `{}`", name_of(format));
    }
  }

  void check_samples() {
    check_sample_counts(!formats_.colors.empty(), "framebufferColorSampleCounts");
    check_sample_counts(has_depth(formats_.depth_stencil), "framebufferDepthSampleCounts");
    check_sample_counts(has_stencil(formats_.depth_stencil), "framebufferStencilSampleCounts");
    check_sample_counts(formats_.colors.empty() && formats_.depth_stencil == Format::UNDEFINED,
                        "framebufferNoAttachmentsSampleCounts");
  }

  // 1 and 4 samples are there always.
  void check_sample_counts(bool applies, std::string_view name) {
    if (!applies) return;
    const auto counts = static_cast<std::uint32_t>(limit(name, 5));
    if (!std::has_single_bit(state_.samples) || !(counts & state_.samples))
      say("it needs {} samples a pixel (`{}`)", state_.samples, name);
  }

  const Snapshot& snapshot_;
  const FeatureSet& features_;
  const GraphicsState& state_;
  const AttachmentFormats& formats_;
  std::vector<std::string> phrases_;
};

}  // namespace

ColorBlend blend_of(const GraphicsState& state, std::size_t attachment) {
  return attachment < state.blends.size() ? state.blends[attachment] : ColorBlend{};
}

std::set<std::string> features_of(const GraphicsState& state, std::size_t color_attachments) {
  std::set<std::string> features;
  if (state.polygon_mode != PolygonMode::Fill) features.insert("fillModeNonSolid");
  if (state.line_width != 1) features.insert("wideLines");
  if (state.depth_clamp) features.insert("depthClamp");
  if (state.depth_bias && state.depth_bias_clamp != 0) features.insert("depthBiasClamp");
  if (state.depth_bounds_test) features.insert("depthBounds");
  for (std::size_t i = 1; i < color_attachments; ++i) {
    if (blend_of(state, i) != blend_of(state, 0)) features.insert("independentBlend");
  }
  return features;
}

std::vector<std::string> missing_for_state(const Snapshot& snapshot, const FeatureSet& features,
                                           const GraphicsState& state, const AttachmentFormats& formats) {
  return Missing(snapshot, features, state, formats).all();
}

// --- for people ------------------------------------------------------------------------------------------------------

namespace {

std::string stencil_text(const StencilFace& face) {
  return formatted("{} against {} under {:#x}; on fail {}, on depth fail {}, on pass {} under {:#x}",
                   word_of(face.compare), face.reference, face.compare_mask, word_of(face.on_fail),
                   word_of(face.on_depth_fail), word_of(face.on_pass), face.write_mask);
}

std::string mask_text(std::uint32_t mask) {
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) {
    if (mask >> i & 1) text += "rgba"[i];
  }
  return text.empty() ? "nothing" : text;
}

std::string blend_text(const ColorBlend& blend) {
  std::string text = formatted("writes {}", mask_text(blend.write_mask));
  if (!blend.enabled) return text;
  return text + formatted(", blends colour {} * source {} {} * destination, alpha {} * source {} {} * destination",
                          word_of(blend.source_color), word_of(blend.color), word_of(blend.destination_color),
                          word_of(blend.source_alpha), word_of(blend.alpha), word_of(blend.destination_alpha));
}

std::string depth_text(const GraphicsState& state) {
  std::string text = state.depth_test ? formatted("passes when {}", word_of(state.depth_compare)) : "not tested";
  if (state.depth_write) text += ", written";
  return text;
}

}  // namespace

std::string print_graphics_state(const GraphicsState& state, std::string_view indent) {
  std::string text;
  const auto line = [&]<class... T>(std::format_string<T...> form, T&&... values) {
    text += indent;
    text += formatted(form, std::forward<T>(values)...);
    text += '\n';
  };
  const GraphicsState plain;
  for (const VertexBinding& binding : state.vertex_bindings) {
    line("vertex binding {}: {} bytes per {}", binding.binding, binding.stride, word_of(binding.rate));
  }
  for (const VertexAttribute& attribute : state.vertex_attributes) {
    line("location {}: {} at {} of binding {}", attribute.location, name_of(attribute.format), attribute.offset,
         attribute.binding);
  }
  if (state.topology != plain.topology) line("topology: {}", word_of(state.topology));
  if (state.primitive_restart) line("primitive restart");
  if (state.polygon_mode != plain.polygon_mode) line("polygon mode: {}", word_of(state.polygon_mode));
  if (state.cull_mode != plain.cull_mode) line("cull: {}", word_of(state.cull_mode));
  if (state.front_face != plain.front_face) line("front face: {}", word_of(state.front_face));
  if (state.line_width != 1) line("line width: {}", state.line_width);
  if (state.depth_clamp) line("depth clamp");
  if (state.depth_bias) {
    line("depth bias: constant {}, slope {}, clamp {}", state.depth_bias_constant, state.depth_bias_slope,
         state.depth_bias_clamp);
  }
  if (state.samples != 1) line("samples: {}", state.samples);
  if (state.alpha_to_coverage) line("alpha to coverage");
  if (state.depth_test || state.depth_write) line("depth: {}", depth_text(state));
  if (state.depth_bounds_test) line("depth bounds: {} to {}", state.depth_bounds_min, state.depth_bounds_max);
  if (state.stencil_test) {
    line("stencil of front faces: {}", stencil_text(state.stencil_front));
    line("stencil of back faces: {}", stencil_text(state.stencil_back));
  }
  for (std::size_t i = 0; i < state.blends.size(); ++i) {
    if (state.blends[i] != ColorBlend{}) line("colour attachment {} {}", i, blend_text(state.blends[i]));
  }
  if (state.blend_constants != plain.blend_constants) {
    const auto& [r, g, b, a] = state.blend_constants;
    line("blend constants: {} {} {} {}", r, g, b, a);
  }
  return text;
}

}  // namespace slipway::vk
