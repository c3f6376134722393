// How single values of a scenario are read, beyond the codecs of json/record.hpp.
#pragma once

#include <string>
#include <vector>

#include "json/record.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// A uid of another object. "" in an optional place means that there is none (decision 4).
struct Uid {
  bool empty = false;  // whether "" is allowed
  bool read(json::Decoder& decoder, json::Value value, Reference& to) const;
  void schema(json::Schema& schema) const;
};

// Any text; `check_scenario` says whether there is such a format.
struct FormatText {
  bool read(json::Decoder& decoder, json::Value value, FormatName& to) const;
  void schema(json::Schema& schema) const;
};

// The VkFormat names that files may use: those of core Vulkan 1.3 and four of VK_ARM_tensors (page 3.5).
std::optional<vk::Format> format_from_name(std::string_view name);
std::vector<std::string_view> format_names();

// The members of an object whose keys are names. `meaning` of duplicates is that of all objects.
struct NamedValues {
  std::string_view element_schema = "{}";
  bool read(json::Decoder& decoder, json::Value value, std::vector<NamedValue>& to) const;
  void schema(json::Schema& schema) const;
};

// `type` of inline contents.
json::Words<tensor::ElementType> element_type_words();

// Says that the keys exclude each other: "`a` and `b` exclude each other in image `x`", at the second.
bool exclusive(json::Decoder& decoder, json::Value object, std::string_view first, std::string_view second,
               std::string_view subject);

}  // namespace slipway::scenario
