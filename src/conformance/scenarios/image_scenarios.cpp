// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "base/vk_names.hpp"
#include "conformance/scenarios/scenarios.hpp"
#include "json/writer.hpp"
#include "scenario/records/codecs.hpp"
#include "tensor/format.hpp"

namespace slipway::conformance {
namespace {

using tensor::Channel;
using tensor::FormatInfo;
using tensor::NumericFormat;

constexpr std::size_t kWidth = 5, kHeight = 3, kTexels = kWidth * kHeight;  // rows that need padding

// 64 bits of a component need an extension of their own in shaders.
bool is_wide(const FormatInfo& info) {
  return std::ranges::any_of(info.channel, [](const Channel& c) { return c.bits > 32; });
}
bool has_depth_or_stencil(const FormatInfo& info) { return info.depth || info.stencil; }

bool is_srgb(const Channel& channel) { return channel.numeric == NumericFormat::Srgb && channel.letter != 'A'; }

// A value that the component represents exactly, the first ones being its ends. A stencil is 0: contents have none.
double value_of(const Channel& channel, std::size_t i) {
  if (channel.letter == 'S') return 0;
  const double max = std::ldexp(1.0, channel.bits) - 1, signed_max = std::ldexp(1.0, channel.bits - 1) - 1;
  const double part = i < 2 ? static_cast<double>(i) : static_cast<double>(i * 37 % 61) / 61;
  switch (channel.numeric) {
    case NumericFormat::Unorm:
    case NumericFormat::Srgb:
      return std::round(part * max) / max;
    case NumericFormat::Snorm:
      return std::round((2 * part - 1) * signed_max) / signed_max;
    case NumericFormat::Uint:
      return std::floor(part * std::min(max, 0x1p53));
    case NumericFormat::Sint:
      return std::floor((2 * part - 1) * std::min(signed_max, 0x1p53));
    case NumericFormat::Ufloat:
      return std::floor(part * 64) / 4;
    case NumericFormat::Sfloat:
      return std::floor(part * 128 - 64) / 4;
  }
  return 0;
}

double linear_of(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

struct ImageTexels {
  std::vector<double> stored;  // components in memory order
  std::vector<double> seen;    // red, green, blue, alpha of each, as shaders see them
  double tolerance = 0;        // of `seen`
};

// The error of a component that a shader reads. sRGB is decoded to the precision of the format. Devices may widen
// components of fewer than 8 bits to 8 by repeating their bits, as NVIDIA's do: 0.0028 for a component of 6 bits, and
// less for others.
double tolerance_of(const Channel& channel) {
  if (is_srgb(channel)) return 0.5 / 255;
  if (channel.numeric == NumericFormat::Unorm && channel.bits < 8) return 1.0 / 255;
  return channel.numeric == NumericFormat::Unorm || channel.numeric == NumericFormat::Snorm ? 1e-6 : 0;
}

ImageTexels texels_of(const FormatInfo& info) {
  ImageTexels texels;
  for (std::size_t i = 0; i < kTexels; ++i) {
    double seen[4] = {0, 0, 0, 1};
    // The stencil of D32_SFLOAT_S8_UINT is not stored.
    const std::size_t components = tensor::created_as(info.format) == info.format ? info.components : 1;
    for (std::size_t c = 0; c < components; ++c) {
      const Channel& channel = info.channel[c];
      const double value = value_of(channel, (i + 5 * c) % kTexels);
      texels.stored.push_back(value);
      const std::size_t at = std::string_view("RGBA").find(channel.letter == 'D' ? 'R' : channel.letter);
      if (at < 4) seen[at] = is_srgb(channel) ? linear_of(value) : value;
      texels.tolerance = std::max(texels.tolerance, tolerance_of(channel));
    }
    texels.seen.insert(texels.seen.end(), seen, seen + 4);
  }
  return texels;
}

struct SampledKind {
  std::string_view prefix, vector, type;
};
SampledKind kind_of_samples(const FormatInfo& info) {
  if (info.numeric == NumericFormat::Uint) return {"u", "uvec4", "u32"};
  if (info.numeric == NumericFormat::Sint) return {"i", "ivec4", "i32"};
  return {"", "vec4", "f32"};
}

std::string image_of(const FormatInfo& info, std::string_view access, std::string_view more) {
  return formatted(R"({{"image": {{"uid": "image", "dims": [{}, {}], "format": "{}", "shader_access": "{}"{}}}}})",
                   kWidth, kHeight, vk::name_of(info.format), access, more);
}

// The texels of a buffer, stored or drawn: integers of sRGB may differ by one.
std::string written(const FormatInfo& info, const ImageTexels& texels) {
  return formatted(R"(, "expect": {{"data": {}, "abs": {}}})", number_list(texels.stored),
                   info.numeric == NumericFormat::Srgb ? 1 : 0);
}

ScenarioCase copied(const FormatInfo& info, const ImageTexels& texels) {
  const std::string values = number_list(texels.stored);
  return {
      "copied",
      scenario_of({image_of(info, "readonly", formatted(R"(, "data": {}, "expect": {{"data": {}}})", values, values))},
                  {})};
}

ScenarioCase sampled(const FormatInfo& info, const ImageTexels& texels) {
  const SampledKind kind = kind_of_samples(info);
  std::vector<double> seen = texels.seen;
  if (info.depth) {  // Vulkan leaves the other components of a depth undefined
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i % 4 != 0) seen[i] = 0;
    }
  }
  const std::string code = formatted(
      "layout(local_size_x = {}, local_size_y = {}) in;\nlayout(set = 0, binding = 0) uniform {}sampler2D image;\n"
      "layout(set = 0, binding = 1) writeonly buffer Y {{ {} y[]; }};\nvoid main() {{\n"
      "  ivec2 at = ivec2(gl_LocalInvocationID.xy);\n  y[at.y * {} + at.x] = texelFetch(image, at, 0){};\n}}\n",
      kWidth, kHeight, kind.prefix, kind.vector, kWidth, info.depth ? " * vec4(1, 0, 0, 0)" : "");
  return {"sampled", scenario_of({compute_shader(code),
                                  image_of(info, "readonly", formatted(R"(, "data": {})", number_list(texels.stored))),
                                  buffer_expecting("y", kind.type, seen, texels.tolerance)},
                                 {dispatch({"image", "y"})})};
}

ScenarioCase stored(const FormatInfo& info, const ImageTexels& texels) {
  const SampledKind kind = kind_of_samples(info);
  const std::string code = formatted(
      "layout(local_size_x = {}, local_size_y = {}) in;\nlayout(set = 0, binding = 0) writeonly uniform {}image2D "
      "image;\n"
      "layout(set = 0, binding = 1) readonly buffer X {{ {} x[]; }};\nvoid main() {{\n"
      "  ivec2 at = ivec2(gl_LocalInvocationID.xy);\n  imageStore(image, at, x[at.y * {} + at.x]);\n}}\n",
      kWidth, kHeight, kind.prefix, kind.vector, kWidth);
  return {"stored", scenario_of({compute_shader(code), image_of(info, "writeonly", written(info, texels)),
                                 buffer_with("x", kind.type, texels.seen)},
                                {dispatch({"image", "x"})})};
}

ScenarioCase drawn(const FormatInfo& info, const ImageTexels& texels) {
  const SampledKind kind = kind_of_samples(info);
  const auto shader = [](std::string_view uid, std::string_view stage, const std::string& code) {
    return formatted(R"({{"shader": {{"uid": "{}", "type": "GLSL", "stage": "{}", "source": {}}}}})", uid, stage,
                     json::quoted("#version 460\n" + code));
  };
  const std::string vertex =
      shader("vertex", "vertex",
             "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 "
             "? 3 : -1, 0, 1); }\n");
  const std::string fragment = shader(
      "fragment", "fragment",
      formatted("layout(set = 0, binding = 0) readonly buffer X {{ {} x[]; }};\nlayout(location = 0) out {} color;\n"
                "void main() {{ ivec2 at = ivec2(gl_FragCoord.xy); color = x[at.y * {} + at.x]; }}\n",
                kind.vector, kind.vector, kWidth));
  return {"drawn",
          scenario_of(
              {vertex, fragment, image_of(info, "readonly", R"(, "color_attachment": true)" + written(info, texels)),
               buffer_with("x", kind.type, texels.seen)},
              {R"({"dispatch_fragment": {"vertex_shader_ref": "vertex", "fragment_shader_ref": "fragment", )"
               R"("bindings": [{"set": 0, "id": 0, "resource_ref": "x"}], "color_attachment_refs": ["image"]}})"})};
}

constexpr std::string_view kPrefix = "VK_FORMAT_";

}  // namespace

std::vector<std::string> image_formats() {
  std::vector<std::string> names;
  for (const FormatInfo& info : tensor::known_formats()) {
    const std::string name = vk::name_of(info.format);
    // Scenarios do not have the formats of Vulkan 1.4; of 10 and 12 bits in 16 the other bits are not kept.
    const bool has_padding = name.contains("X6") || name.contains("X4");
    if (info.is_block() || name.ends_with("_ARM") || has_padding ||
        !std::ranges::contains(scenario::format_names(), name))
      continue;
    names.push_back(name.substr(kPrefix.size()));
  }
  return names;
}

std::vector<ScenarioCase> image_scenarios(std::string_view format) {
  const FormatInfo& info = *std::ranges::find(tensor::known_formats(), formatted("{}{}", kPrefix, format),
                                              [](const FormatInfo& one) { return vk::name_of(one.format); });
  const ImageTexels texels = texels_of(info);
  // A copy of the depth leaves the bits of the stencil undefined (Vulkan 1.3, "Buffer and Image Addressing").
  if (info.format == vk::Format::D24_UNORM_S8_UINT) return {sampled(info, texels)};
  std::vector<ScenarioCase> cases = {copied(info, texels)};
  if (is_wide(info) || info.stencil) return cases;
  cases.push_back(sampled(info, texels));
  if (has_depth_or_stencil(info)) return cases;
  cases.push_back(stored(info, texels));
  cases.push_back(drawn(info, texels));
  return cases;
}

}  // namespace slipway::conformance
