// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VGF files as readable texts, for tests and for the models of examples.
//
//   resource x input tensor R32_SFLOAT [1, 4]
//   resource h intermediate tensor R32_SFLOAT [1, 4] alias 0
//   resource p input combined_image_sampler R8G8B8A8_UNORM [4, 4, 4] sampler LINEAR NEAREST REPEAT CLAMP_TO_EDGE
//   resource w constant R32_SFLOAT [4]: f32 1 2 3 4       the data is a recipe of testing/file_recipe.hpp
//   module pre compute main glsl                          or hlsl, spirv (assembly), graph (TOSA text), none
//   | #version 460                                        lines of its code
//   | void main() {}
//   segment first pre 4 1 1                               the module, and workgroups of compute segments
//   set 0: 0 x, 1 h                                       descriptors: binding and resource
//   in 0 x                                                logical number and resource
//   out 1 h
//   constants w
//   push 0 8                                              offset and size
//   input 0 x name                                        of the model
//   output 2 y
//
// Resources, constants, modules and segments are written in their order.
#pragma once

#include <charconv>
#include <deque>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "spirv/tools.hpp"
#include "testing/file_recipe.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

namespace slipway::testing {

// A module and a segment whose lines are being read.
struct OpenModule {
  std::string name, entry, code;
  bool graph = false;
};
struct OpenSegment {
  std::string name;
  vgf::ModuleRef module{};
  std::array<std::uint32_t, 3> dispatch{};
};

class VgfRecipe {
 public:
  static std::vector<std::byte> cook(const std::string& text) {
    VgfRecipe recipe;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("|")) {
        recipe.code_ += (line.starts_with("| ") ? line.substr(2) : line.substr(1)) + "\n";
        continue;
      }
      recipe.end_module();
      recipe.line(line);
    }
    return recipe.finish();
  }

 private:
  [[noreturn]] static void fail_with(const std::string& what) { throw std::runtime_error("VGF recipe: " + what); }

  template <class T>
  static T number(const std::string& text) {
    T value{};
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc()) fail_with("no number: " + text);
    return value;
  }

  template <class E>
  static E value_named(const std::string& prefix, const std::string& name) {
    for (const auto& known : vk::names<E>()) {
      if (known.name == prefix + name || known.name == name) return static_cast<E>(known.value);
    }
    fail_with("unknown name " + name);
  }

  static std::string word(std::istream& in) {
    std::string text;
    in >> text;
    return text;
  }

  void line(const std::string& text) {
    std::istringstream in(text);
    const std::string what = word(in);
    if (what.empty() || what == "#") return;
    if (what == "resource") return resource(in, text);
    if (what == "module") return module(in);
    if (what == "segment") return segment(in);
    if (what == "set") return set(in);
    if (what == "in") return inputs_.push_back(slot(in));
    if (what == "out") return outputs_.push_back(slot(in));
    if (what == "push") {
      const auto offset = number<std::uint32_t>(word(in));
      return ranges_.push_back(encoder_.add_push_constants({0x20, offset, number<std::uint32_t>(word(in))}));
    }
    if (what == "constants") {
      for (std::string name; in >> name;) constants_.push_back(constant_refs_.at(name));
      return;
    }
    if (what != "input" && what != "output") fail_with("no such line: " + text);
    (what == "input" ? model_inputs_ : model_outputs_).push_back(slot(in));
    (what == "input" ? input_names_ : output_names_).push_back(word(in));
  }

  void resource(std::istream& in, const std::string& text) {
    const std::string name = word(in), category = word(in);
    vgf::NewResource made;
    const bool constant = category == "constant";
    made.category = constant                     ? vgf::Category::Constant
                    : category == "input"        ? vgf::Category::Input
                    : category == "output"       ? vgf::Category::Output
                    : category == "intermediate" ? vgf::Category::Intermediate
                                                 : (fail_with("no category: " + category), vgf::Category::Input);
    made.descriptor_type = constant ? std::nullopt : std::optional(descriptor_type(word(in)));
    made.format = value_named<vk::Format>("VK_FORMAT_", word(in));
    made.shape = shape(text);
    const std::size_t end = text.find(']');
    std::istringstream rest(text.substr(end + 1));
    for (std::string option; !constant && rest >> option;) {
      if (option == "alias") made.alias_group = number<std::uint32_t>(word(rest));
      if (option == "sampler") made.sampler = sampler(rest);
    }
    const vgf::ResourceRef ref = encoder_.add_resource(std::move(made));
    resources_[name] = ref;
    if (!constant) return;
    const std::size_t colon = text.find(':', end);
    data_.push_back(testing::cook(text.substr(colon + 1)));
    constant_refs_[name] = encoder_.add_constant(ref, data_.back());
  }

  static vk::DescriptorType descriptor_type(const std::string& name) {
    if (name == "tensor") return vk::DescriptorType::TENSOR_ARM;
    if (name == "storage_buffer") return vk::DescriptorType::STORAGE_BUFFER;
    if (name == "uniform_buffer") return vk::DescriptorType::UNIFORM_BUFFER;
    if (name == "uniform_texel_buffer") return vk::DescriptorType::UNIFORM_TEXEL_BUFFER;
    if (name == "storage_texel_buffer") return vk::DescriptorType::STORAGE_TEXEL_BUFFER;
    if (name == "storage_image") return vk::DescriptorType::STORAGE_IMAGE;
    if (name == "combined_image_sampler") return vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    return static_cast<vk::DescriptorType>(number<std::uint32_t>(name));
  }

  static tensor::Shape shape(const std::string& text) {
    tensor::Shape shape;
    const std::size_t open = text.find('['), close = text.find(']');
    std::istringstream in(text.substr(open + 1, close - open - 1));
    for (std::string extent; std::getline(in >> std::ws, extent, ',');) shape.push_back(number<std::int64_t>(extent));
    return shape;
  }

  static vgf::Sampler sampler(std::istream& in) {
    vgf::Sampler made;
    made.min_filter = value_named<vk::Filter>("VK_FILTER_", word(in));
    made.mag_filter = value_named<vk::Filter>("VK_FILTER_", word(in));
    made.address_mode_u = value_named<vk::AddressMode>("VK_SAMPLER_ADDRESS_MODE_", word(in));
    made.address_mode_v = value_named<vk::AddressMode>("VK_SAMPLER_ADDRESS_MODE_", word(in));
    if (const std::string border = word(in); !border.empty())
      made.border_color = value_named<vk::BorderColor>("VK_BORDER_COLOR_", border);
    return made;
  }

  vgf::SlotRef slot(std::istream& in) {
    const std::string binding = word(in), name = word(in);
    return slot(number<std::uint32_t>(binding), name.ends_with(',') ? name.substr(0, name.size() - 1) : name);
  }
  vgf::SlotRef slot(std::uint32_t binding, const std::string& name) {
    const auto found = resources_.find(name);
    if (found == resources_.end()) fail_with("no resource " + name);
    const auto [known, is_new] = slots_.try_emplace({binding, name});
    if (is_new) known->second = encoder_.add_slot(binding, found->second);
    return known->second;
  }

  // --- modules ---

  void module(std::istream& in) {
    OpenModule& made = pending_.emplace();
    made.name = word(in);
    made.graph = word(in) == "graph";
    made.entry = word(in);
    made.code = word(in);
    code_.clear();
  }

  void end_module() {
    if (!pending_) return;
    const OpenModule from = *std::exchange(pending_, std::nullopt);
    vgf::NewModule made{.kind = from.graph ? vgf::ModuleKind::Graph : vgf::ModuleKind::Compute,
                        .name = keep(from.name),
                        .entry_point = keep(from.entry),
                        .words = {},
                        .text = {}};
    if (from.code == "glsl" || from.code == "hlsl") {
      made.code = from.code == "glsl" ? vgf::CodeKind::Glsl : vgf::CodeKind::Hlsl;
      made.text = keep(code_);
    } else if (from.code == "spirv" || from.code == "graph") {
      const auto words = from.code == "graph" ? graph_words(code_) : spirv::assemble(make_source("recipe", code_));
      if (!words) fail_with(words.error().front().message);
      made.words = words_.emplace_back(*words);
    }
    modules_[from.name] = encoder_.add_module(made);
  }

  static Result<spirv::Words> graph_words(const std::string& text) {
    Diagnostics problems;
    auto graph = tosa::parse(make_source("recipe", text), problems);
    if (graph) tosa::verify(*graph, problems);
    if (!graph || problems.has_errors()) fail_with(problems.all().front().message);
    return tosa::write_graph_module(*graph);
  }

  // --- segments ---

  void segment(std::istream& in) {
    end_segment();
    OpenSegment& made = segment_.emplace();
    made.name = word(in);
    made.module = modules_.at(word(in));
    for (std::uint32_t& groups : made.dispatch) {
      const std::string count = word(in);
      groups = count.empty() ? 0 : number<std::uint32_t>(count);
    }
  }

  void set(std::istream& in) {
    std::string index = word(in);
    if (index.ends_with(':')) index.pop_back();
    std::vector<vgf::SlotRef> slots;
    while (in >> std::ws && !in.eof()) slots.push_back(slot(in));
    sets_.push_back(encoder_.add_set(slots, number<std::uint32_t>(index)));
  }

  void end_segment() {
    if (!segment_) return;
    const OpenSegment from = *std::exchange(segment_, std::nullopt);
    encoder_.add_segment({.module = from.module,
                          .name = keep(from.name == "-" ? "" : from.name),
                          .sets = sets_,
                          .inputs = inputs_,
                          .outputs = outputs_,
                          .constants = constants_,
                          .dispatch = from.dispatch,
                          .push_constants = ranges_});
    sets_.clear();
    inputs_.clear();
    outputs_.clear();
    constants_.clear();
    ranges_.clear();
  }

  std::vector<std::byte> finish() {
    end_module();
    end_segment();
    const auto views = [](const std::vector<std::string>& names) {
      return std::vector<std::string_view>(names.begin(), names.end());
    };
    encoder_.set_model(model_inputs_, views(input_names_), model_outputs_, views(output_names_));
    auto file = encoder_.finish();
    if (!file) fail_with(file.error().front().message);
    return std::move(*file);
  }

  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  vgf::Encoder encoder_;
  std::deque<std::string> texts_;
  std::deque<spirv::Words> words_;
  std::deque<std::vector<std::byte>> data_;
  std::map<std::string, vgf::ResourceRef> resources_;
  std::map<std::string, vgf::ConstantRef> constant_refs_;
  std::map<std::string, vgf::ModuleRef> modules_;
  std::map<std::pair<std::uint32_t, std::string>, vgf::SlotRef> slots_;
  std::optional<OpenModule> pending_;
  std::string code_;
  std::optional<OpenSegment> segment_;
  std::vector<vgf::SetRef> sets_;
  std::vector<vgf::SlotRef> inputs_, outputs_, model_inputs_, model_outputs_;
  std::vector<vgf::ConstantRef> constants_;
  std::vector<vgf::RangeRef> ranges_;
  std::vector<std::string> input_names_, output_names_;
};

inline std::vector<std::byte> cook_vgf(const std::string& recipe) { return VgfRecipe::cook(recipe); }

}  // namespace slipway::testing
