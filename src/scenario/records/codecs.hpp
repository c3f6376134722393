// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codecs for single values of a scenario, in addition to those of json/record.hpp.
#pragma once

#include <string>
#include <vector>

#include "json/record.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// A uid of another object. "" in an optional position means that the reference is absent
// (docs/spec/scenario.md#decision-4).
struct Uid {
  bool empty = false;  // whether "" is allowed
  bool read(json::Decoder& decoder, json::Value value, Reference& to) const;
  void schema(json::Schema& schema) const;
};

// Any text; `check_scenario` reports unknown formats.
struct FormatText {
  bool read(json::Decoder& decoder, json::Value value, FormatName& to) const;
  void schema(json::Schema& schema) const;
};

// The VkFormat names that files may use: core Vulkan 1.3 and four of VK_ARM_tensors (docs/spec/scenario.md#formats).
std::optional<vk::Format> format_from_name(std::string_view name);
std::vector<std::string_view> format_names();

// The members of an object whose keys are names. Duplicate keys are treated as in all objects.
struct NamedValues {
  std::string_view element_schema = "{}";
  bool read(json::Decoder& decoder, json::Value value, std::vector<NamedValue>& to) const;
  void schema(json::Schema& schema) const;
};

// `type` of inline contents.
json::Words<tensor::ElementType> element_type_words();

// Reports at the second key that the keys exclude each other: "`a` and `b` exclude each other in image `x`".
bool exclusive(json::Decoder& decoder, json::Value object, std::string_view first, std::string_view second,
               std::string_view subject);

inline constexpr std::string_view kImplicitBarrier =
    "whether later commands see what this one wrote without a barrier; true when absent";

}  // namespace slipway::scenario
