// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of samplers: texels outside of an image, levels.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "conformance/scenarios/scenarios.hpp"

namespace slipway::conformance {
namespace {

constexpr int kSide = 4;     // texels of a row
constexpr int kOutside = 6;  // texels beyond each end
constexpr std::string_view kEdge = "CLAMP_EDGE", kBorder = "CLAMP_BORDER", kRepeat = "REPEAT",
                           kMirrored = "MIRRORED_REPEAT";

// The index of the texel that a coordinate outside sees; -1: the border.
int texel_at(std::string_view mode, int i) {
  if (mode == kEdge) return std::clamp(i, 0, kSide - 1);
  if (mode == kBorder) return i < 0 || i >= kSide ? -1 : i;
  const int period = mode == kRepeat ? kSide : 2 * kSide, turn = ((i % period) + period) % period;
  return turn < kSide ? turn : 2 * kSide - 1 - turn;
}

struct BorderColour {
  std::string_view name;
  std::array<double, 4> value;
  std::string_view more;  // a custom one
};

std::string border_text(std::string_view mode, bool integers, const BorderColour& colour, bool linear) {
  std::vector<double> texels, expected;
  for (int i = 0; i < kSide; ++i) {
    for (int c = 0; c < 4; ++c) texels.push_back(10 * i + c);
  }
  const auto at = [&](int i, int c) {
    const int texel = texel_at(mode, i);
    return texel < 0 ? colour.value[static_cast<std::size_t>(c)] : texels[static_cast<std::size_t>(4 * texel + c)];
  };
  for (int i = -kOutside; i < kSide + kOutside; ++i) {
    for (int c = 0; c < 4; ++c) expected.push_back(linear ? (at(i, c) + at(i + 1, c)) / 2 : at(i, c));
  }
  const std::string image = formatted(
      R"({{"image": {{"uid": "image", "dims": [{}, 1], "format": "VK_FORMAT_R32G32B32A32_{}", "shader_access": "readonly", )"
      R"("border_address_mode": "{}", "border_color": "{}"{}, "min_filter": "{}", "mag_filter": "{}", "data": {}}}}})",
      kSide, integers ? "SINT" : "SFLOAT", mode, colour.name, colour.more, linear ? "LINEAR" : "NEAREST",
      linear ? "LINEAR" : "NEAREST", number_list(texels));
  const std::string code = formatted(
      "layout(local_size_x = {}) in;\nlayout(set = 0, binding = 0) uniform {}sampler2D image;\n"
      "layout(set = 0, binding = 1) writeonly buffer Y {{ {}vec4 y[]; }};\nvoid main() {{\n"
      "  int i = int(gl_LocalInvocationID.x);\n"
      "  y[i] = textureLod(image, vec2((float(i - {}) + {}) / {}.0, 0.5), 0);\n}}\n",
      kSide + 2 * kOutside, integers ? "i" : "", integers ? "i" : "", kOutside, linear ? "1.0" : "0.5", kSide);
  return scenario_of(
      {compute_shader(code), image, buffer_expecting("y", integers ? "i32" : "f32", expected, linear ? 0.1 : 0)},
      {dispatch({"image", "y"})});
}

// The mean of the 2 x 2 texels below, as far up as `level`.
std::vector<double> level_of(std::vector<double> texels, int side, int level) {
  for (int l = 0; l < level; ++l, side /= 2) {
    std::vector<double> next;
    for (int y = 0; y < side; y += 2) {
      for (int x = 0; x < side; x += 2) {
        const auto at = static_cast<std::size_t>(y * side + x);
        const auto below = at + static_cast<std::size_t>(side);
        next.push_back((texels[at] + texels[at + 1] + texels[below] + texels[below + 1]) / 4);
      }
    }
    texels = std::move(next);
  }
  return texels;
}

constexpr int kMipSide = 8, kLevels = 4;

std::vector<double> mip_texels() {
  std::vector<double> texels;
  for (int i = 0; i < kMipSide * kMipSide; ++i) texels.push_back(i * 7 % 64);
  return texels;
}

std::string mip_image(std::string_view more = "") {
  return formatted(R"({{"image": {{"uid": "image", "dims": [{}, {}], "format": "VK_FORMAT_R32_SFLOAT", )"
                   R"("shader_access": "readonly", "mips": {}, "data": {}{}}}}})",
                   kMipSide, kMipSide, kLevels, number_list(mip_texels()), more);
}

// A shader with one invocation for each of `count` results.
std::string reading(std::size_t count, std::string_view expression) {
  return formatted(
      "layout(local_size_x = {}) in;\nlayout(set = 0, binding = 0) uniform sampler2D image;\n"
      "layout(set = 0, binding = 1) writeonly buffer Y {{ float y[]; }};\n"
      "void main() {{ int i = int(gl_LocalInvocationID.x); y[i] = {}; }}\n",
      count, expression);
}

constexpr std::string_view kLevelRow = "levels", kViewRow = "views", kBetweenRow = "between_levels", kSizeRow = "sizes";

}  // namespace

std::vector<std::string> address_modes() {
  return {std::string(kEdge), std::string(kBorder), std::string(kRepeat), std::string(kMirrored)};
}

std::vector<ScenarioCase> border_scenarios(std::string_view mode) {
  const BorderColour colours[] = {
      {"FLOAT_TRANSPARENT_BLACK", {0, 0, 0, 0}, ""},
      {"FLOAT_OPAQUE_BLACK", {0, 0, 0, 1}, ""},
      {"FLOAT_OPAQUE_WHITE", {1, 1, 1, 1}, ""},
      {"INT_TRANSPARENT_BLACK", {0, 0, 0, 0}, ""},
      {"INT_OPAQUE_BLACK", {0, 0, 0, 1}, ""},
      {"INT_OPAQUE_WHITE", {1, 1, 1, 1}, ""},
      {"FLOAT_CUSTOM_EXT", {0.25, 2, -3, 0.5}, R"(, "custom_border_color": [0.25, 2.0, -3.0, 0.5])"},
      {"INT_CUSTOM_EXT", {7, -8, 100000, 5}, R"(, "custom_border_color": [7, -8, 100000, 5])"}};
  std::vector<ScenarioCase> cases;
  for (const BorderColour& colour : colours) {
    const bool integers = colour.name.starts_with("INT");
    if (mode != kBorder && !colour.name.ends_with("TRANSPARENT_BLACK")) continue;
    cases.push_back({std::string(colour.name), border_text(mode, integers, colour, false)});
    if (!integers) cases.push_back({formatted("{}, linear", colour.name), border_text(mode, false, colour, true)});
  }
  return cases;
}

std::vector<std::string> mip_rows() {
  return {std::string(kLevelRow), std::string(kViewRow), std::string(kBetweenRow), std::string(kSizeRow)};
}

std::vector<ScenarioCase> mip_scenarios(std::string_view row) {
  std::vector<ScenarioCase> cases;
  for (int level = 0; level < kLevels; ++level) {
    const int side = kMipSide >> level;
    const std::vector<double> texels = level_of(mip_texels(), kMipSide, level);
    const std::string name = formatted("level {}", level);
    const std::string at = formatted("ivec2(i % {}, i / {})", side, side);
    if (row == kLevelRow) {
      cases.push_back(
          {name,
           scenario_of({compute_shader(reading(texels.size(), formatted("texelFetch(image, {}, {}).r", at, level))),
                        mip_image(), buffer_expecting("y", "f32", texels, 1e-4)},
                       {dispatch({"image", "y"})})});
    } else if (row == kViewRow) {
      std::string command = dispatch({"image", "y"});
      command.insert(command.find(R"("image")") + 7, formatted(R"(, "lod": {})", level));
      cases.push_back(
          {name, scenario_of({compute_shader(reading(texels.size(), formatted("texelFetch(image, {}, 0).r", at))),
                              mip_image(), buffer_expecting("y", "f32", texels, 1e-4)},
                             {command})});
    } else if (row == kBetweenRow && level + 1 < kLevels) {
      // In the middle of the image, so that the texels of both levels are means of the same four texels.
      const std::vector<double> next = level_of(mip_texels(), kMipSide, level + 1);
      const double here = texels[0], above = next[0];
      std::vector<double> expected;
      for (int i = 0; i <= 4; ++i) expected.push_back(here + (above - here) * i / 4);
      cases.push_back(
          {name, scenario_of(
                     {compute_shader(reading(
                          5, formatted("textureLod(image, vec2(0.25 / {}.0), {}.0 + float(i) / 4.0).r", side, level))),
                      mip_image(R"(, "mip_filter": "LINEAR")"), buffer_expecting("y", "f32", expected, 0.5)},
                     {dispatch({"image", "y"})})});
    } else if (row == kSizeRow) {
      cases.push_back({name, scenario_of({compute_shader(reading(1, formatted("float(textureSize(image, {}).x * 100 + "
                                                                              "textureQueryLevels(image))",
                                                                              level))),
                                          mip_image(), buffer_expecting("y", "f32", {100.0 * side + kLevels})},
                                         {dispatch({"image", "y"})})});
    }
  }
  return cases;
}

}  // namespace slipway::conformance
