// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/scenarios/draw_scenarios.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "json/writer.hpp"
#include "rpl/settings.hpp"

namespace slipway::conformance {
namespace {

using rpl::SettingWord;
using rpl::SettingWords;
using Colour = std::array<double, 4>;

constexpr Colour kSource = {0.75, 0.5, 0.25, 0.5}, kThere = {0.25, 0.5, 1, 0.25}, kConstant = {0.5, 0.25, 0.75, 0.125};

std::vector<std::string> words(SettingWords list) {
  std::vector<std::string> names;
  for (const SettingWord& word : rpl::words_of(list)) names.emplace_back(word.name);
  return names;
}
std::uint32_t value_of(SettingWords list, std::string_view word) {
  return std::ranges::find(rpl::words_of(list), word, &SettingWord::name)->vulkan;
}

// Draws positions with depths in one colour.
std::string drawing_shader(std::string_view uid, const Colour& colour, const std::string& settings) {
  const std::string code = formatted(
      "vertex_attribute_container vertex {{ f3 position; }};\ncolor_output_container target {{ f4 color; }};\n"
      "setting color_output_format block 0 = \"r32g32b32a32_sfloat\";\n{}"
      "void vertex_main (void) {{ vertex_stage_output_position (f4 {{vertex.position, 1.0}}); }}\n"
      "void fragment_main (void) {{ target.color = f4 {{{:.4f}, {:.4f}, {:.4f}, {:.4f}}}; }}\n",
      settings, colour[0], colour[1], colour[2], colour[3]);
  return formatted(R"({{"shader": {{"uid": "{}", "type": "RPL", "source": {}, )"
                   R"("entry_points": {{"vertex": "vertex_main", "fragment": "fragment_main"}}}}}})",
                   uid, json::quoted(code));
}

std::string word_setting(std::string_view name, std::string_view word) {
  return formatted("setting {} = \"{}\";\n", name, word);
}
std::string output_setting(std::string_view name, std::string_view word) {
  return formatted("setting color_output_{} block 0 = \"{}\";\n", name, word);
}
const std::string kFlat = "setting cull_mode = \"none\";\nsetting depth_test = off;\nsetting depth_write = off;\n";

// A target of one texel.
std::string target_of(std::string_view uid, const Colour& expected, double tolerance = 1e-6) {
  return formatted(R"({{"image": {{"uid": "{}", "dims": [1, 1], "format": "VK_FORMAT_R32G32B32A32_SFLOAT", )"
                   R"("shader_access": "readonly", "color_attachment": true, "expect": {{"data": {}, "abs": {}}}}}}})",
                   uid, number_list({expected.begin(), expected.end()}), tolerance);
}

// A triangle over the whole target, at a depth.
std::string triangle(std::string_view uid, double depth, bool clockwise = true) {
  std::vector<double> values = {-1, -1, depth, 3, -1, depth, -1, 3, depth};
  if (!clockwise) std::swap_ranges(values.begin() + 3, values.begin() + 6, values.begin() + 6);
  return buffer_with(uid, "f32", values);
}

// `there`: the colour that the target is cleared to; nothing: its contents stay.
std::string draw(std::string_view shader, std::string_view vertices, std::string_view target, const Colour* there,
                 std::string_view more = "") {
  const std::string clear =
      there ? formatted(R"(, "clear": {})", number_list({there->begin(), there->end()})) : std::string();
  return formatted(R"({{"draw": {{"shader_ref": "{}", "vertices": 3, "attributes": {{"vertex": "{}"}}, )"
                   R"("color_attachments": [{{"resource_ref": "{}"{}}}]{}}}}})",
                   shader, vertices, target, clear, more);
}

// A scenario of draws, each with a shader and a target of its own.
class Draws {
 public:
  void add(const std::string& settings, const Colour& expected) {
    const std::string shader = formatted("s{}", count_), target = formatted("t{}", count_);
    resources_.push_back(drawing_shader(shader, kSource, kFlat + settings));
    resources_.push_back(target_of(target, expected));
    commands_.push_back(draw(shader, "v", target, &kThere));
    ++count_;
  }
  std::vector<ScenarioCase> cases(std::string_view name) {
    resources_.push_back(triangle("v", 0.5));
    return {{std::string(name), scenario_of(resources_, commands_)}};
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::string> resources_, commands_;
};

// The factor of a component (Vulkan, "Blend Factors").
double factor_of(std::string_view factor, std::size_t c) {
  constexpr std::string_view kOneMinus = "one_minus_";
  if (factor.starts_with(kOneMinus)) return 1 - factor_of(factor.substr(kOneMinus.size()), c);
  if (factor == "zero") return 0;
  if (factor == "one") return 1;
  if (factor == "source_color") return kSource[c];
  if (factor == "destination_color") return kThere[c];
  if (factor == "source_alpha") return kSource[3];
  if (factor == "destination_alpha") return kThere[3];
  if (factor == "constant_color") return kConstant[c];
  if (factor == "constant_alpha") return kConstant[3];
  return c == 3 ? 1 : std::min(kSource[3], 1 - kThere[3]);  // source_alpha_saturate
}

std::string blend_settings(std::string_view source, std::string_view destination, std::string_view operation) {
  return "setting color_output_use_blend block 0 = on;\n" + output_setting("source_color_blend_factor", source) +
         output_setting("source_alpha_blend_factor", source) +
         output_setting("destination_color_blend_factor", destination) +
         output_setting("destination_alpha_blend_factor", destination) +
         output_setting("color_blend_operation", operation) + output_setting("alpha_blend_operation", operation) +
         "setting color_blend_constant_r = 0.5;\nsetting color_blend_constant_g = 0.25;\n"
         "setting color_blend_constant_b = 0.75;\nsetting color_blend_constant_a = 0.125;\n";
}

Colour blended(std::string_view source, std::string_view destination, std::string_view operation) {
  Colour result{};
  for (std::size_t c = 0; c < 4; ++c) {
    const double s = kSource[c] * factor_of(source, c), d = kThere[c] * factor_of(destination, c);
    // The factors do not count in a minimum and a maximum.
    result[c] = operation == "add"                ? s + d
                : operation == "subtract"         ? s - d
                : operation == "reverse_subtract" ? d - s
                : operation == "min"              ? std::min(kSource[c], kThere[c])
                                                  : std::max(kSource[c], kThere[c]);
  }
  return result;
}

bool compares(std::string_view operation, double reference, double there) {
  const std::uint32_t value = value_of(SettingWords::Compare, operation);  // bits: less, equal, greater
  return (reference < there && (value & 1) != 0) || (reference == there && (value & 2) != 0) ||
         (reference > there && (value & 4) != 0);
}

// Of 8 bits.
std::uint32_t stencil_after(std::string_view operation, std::uint32_t there, std::uint32_t reference) {
  if (operation == "keep") return there;
  if (operation == "zero") return 0;
  if (operation == "replace") return reference;
  if (operation == "increment_and_clamp") return std::min(there + 1, 255u);
  if (operation == "decrement_and_clamp") return there == 0 ? 0 : there - 1;
  if (operation == "invert") return ~there & 255;
  return (operation == "increment_and_wrap" ? there + 1 : there - 1) & 255;
}

std::string stencil_settings(std::string_view compare, std::string_view on_pass, std::uint32_t reference) {
  std::string text = "setting stencil_test = on;\n";
  for (const std::string_view face : {"front", "back"}) {
    append_formatted(text,
                     "setting stencil_{0}_compare = \"{1}\";\nsetting stencil_{0}_on_pass = \"{2}\";\n"
                     "setting stencil_{0}_reference = {3}u;\nsetting stencil_{0}_compare_mask = 255u;\n"
                     "setting stencil_{0}_write_mask = 255u;\n",
                     face, compare, on_pass, reference);
  }
  return text;
}

}  // namespace

std::vector<std::string> blend_factors() { return words(SettingWords::BlendFactor); }

std::vector<ScenarioCase> blend_factor_scenarios(std::string_view factor) {
  Draws draws;
  for (const std::string& destination : blend_factors()) {
    if (destination == "source_alpha_saturate" && factor != "one") continue;
    draws.add(blend_settings(factor, destination, "add"), blended(factor, destination, "add"));
  }
  return draws.cases("with each factor of the destination");
}

std::vector<std::string> blend_operations() { return words(SettingWords::BlendOperation); }

std::vector<ScenarioCase> blend_operation_scenarios(std::string_view operation) {
  Draws draws;
  for (const std::string_view factor : {"one", "source_alpha", "constant_color"}) {
    draws.add(blend_settings(factor, "destination_color", operation), blended(factor, "destination_color", operation));
  }
  return draws.cases("with several factors");
}

std::vector<std::string> compare_operations() { return words(SettingWords::Compare); }

std::vector<ScenarioCase> depth_scenarios(std::string_view operation) {
  std::vector<ScenarioCase> cases;
  for (const bool writes : {false, true}) {
    std::vector<std::string> resources = {
        drawing_shader("s", kSource,
                       formatted("setting cull_mode = \"none\";\nsetting depth_test = on;\nsetting depth_write = {};\n",
                                 writes ? "on" : "off") +
                           word_setting("depth_compare_operation", operation))};
    std::vector<std::string> commands;
    constexpr double kThereDepth = 0.5;
    for (const double depth : {0.25, 0.5, 0.75}) {
      const bool passes = compares(operation, depth, kThereDepth);
      const std::string name = formatted("{}", static_cast<int>(depth * 100));
      resources.push_back(triangle("v" + name, depth));
      resources.push_back(target_of("t" + name, passes ? kSource : kThere));
      resources.push_back(formatted(
          R"({{"image": {{"uid": "d{}", "dims": [1, 1], "format": "VK_FORMAT_D32_SFLOAT", "shader_access": "readonly", )"
          R"("expect": {{"data": [{}]}}}}}})",
          name, passes && writes ? depth : kThereDepth));
      commands.push_back(draw("s", "v" + name, "t" + name, &kThere,
                              formatted(R"(, "depth_attachment": {{"resource_ref": "d{}", "clear": 0.5}})", name)));
    }
    cases.push_back({writes ? "written" : "tested", scenario_of(resources, commands)});
  }
  return cases;
}

std::vector<std::string> stencil_operations() { return words(SettingWords::Stencil); }

// The second draw shows whether the stencil is what follows from the first one.
std::vector<ScenarioCase> stencil_scenarios(std::string_view operation) {
  std::vector<ScenarioCase> cases;
  for (const std::uint32_t there : {0u, 5u, 255u}) {
    constexpr std::uint32_t kReference = 77;
    const std::uint32_t after = stencil_after(operation, there, kReference);
    const std::string attachment = R"(, "depth_attachment": )";
    cases.push_back(
        {formatted("from {}", there),
         scenario_of(
             {drawing_shader("change", kThere, kFlat + stencil_settings("always", operation, kReference)),
              drawing_shader("show", kSource, kFlat + stencil_settings("equal", "keep", after)),
              R"({"image": {"uid": "d", "dims": [1, 1], "format": "VK_FORMAT_D32_SFLOAT_S8_UINT", )"
              R"("shader_access": "readonly"}})",
              triangle("v", 0.5), target_of("t", kSource)},
             {draw("change", "v", "t", &kThere,
                   formatted(R"({}{{"resource_ref": "d", "clear": 1, "stencil_clear": {}}})", attachment, there)),
              draw("show", "v", "t", nullptr, attachment + R"("d")")})});
  }
  return cases;
}

std::vector<std::string> cull_modes() { return words(SettingWords::Cull); }

std::vector<ScenarioCase> cull_scenarios(std::string_view mode) {
  std::vector<ScenarioCase> cases;
  for (const std::string& front : words(SettingWords::FrontFace)) {
    for (const bool clockwise : {false, true}) {
      const bool is_front = clockwise == (front == "clockwise");
      const bool drawn = mode == "none" || (mode == "back") == is_front;
      cases.push_back(
          {formatted("front is {}, drawn {}", front, clockwise ? "clockwise" : "counter-clockwise"),
           scenario_of({drawing_shader("s", kSource,
                                       "setting depth_test = off;\nsetting depth_write = off;\n" +
                                           word_setting("cull_mode", mode) + word_setting("front_face", front)),
                        triangle("v", 0.5, clockwise), target_of("t", drawn ? kSource : kThere)},
                       {draw("s", "v", "t", &kThere)})});
    }
  }
  return cases;
}

std::vector<std::string> write_masks() { return {"none", "each", "others"}; }

std::vector<ScenarioCase> write_mask_scenarios(std::string_view mask) {
  Draws draws;
  for (std::size_t one = 0; one < 4; ++one) {
    std::string settings;
    Colour expected{};
    for (std::size_t c = 0; c < 4; ++c) {
      const bool writes = mask == "each" ? c == one : mask == "others" && c != one;
      append_formatted(settings, "setting color_output_write_{} block 0 = {};\n", "rgba"[c], writes ? "on" : "off");
      expected[c] = writes ? kSource[c] : kThere[c];
    }
    draws.add(settings, expected);
    if (mask == "none") break;
  }
  return draws.cases("of components");
}

}  // namespace slipway::conformance
