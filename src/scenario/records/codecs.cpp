// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"

#include <algorithm>
#include <ranges>

#include "base/format.hpp"

namespace slipway::scenario {

using json::Decoder;
using json::Schema;
using json::Value;

bool Uid::read(Decoder& decoder, Value value, Reference& to) const {
  to.at = value;
  return json::Text{.empty = empty}.read(decoder, value, to.uid);
}

void Uid::schema(Schema& schema) const { json::Text{.empty = empty}.schema(schema); }

bool FormatText::read(Decoder& decoder, Value value, FormatName& to) const {
  if (!json::kNotEmpty.read(decoder, value, to.name)) return false;
  to.value = format_from_name(to.name);
  return true;
}

void FormatText::schema(Schema& schema) const {
  schema.reference("format", [](Schema& inner) {
    inner.out().object([&] {
      inner.out().member("description", "the name of a VkFormat").member("type", "string");
      inner.out().key("enum").array([&] {
        for (const std::string_view name : format_names()) inner.out().value(name);
      });
    });
  });
}

namespace {

// Values of VkFormat: the core ranges of 1.0, then what 1.1 (multi-planar) and 1.3 (ASTC HDR, 4:4:4 two planes,
// A4R4G4B4) adopted from extensions with their values, then VK_ARM_tensors.
bool is_accepted(const vk::EnumName& format) {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr Range kRanges[] = {{1, 184},
                               {1000156000, 1000156033},
                               {1000066000, 1000066013},
                               {1000330000, 1000330003},
                               {1000340000, 1000340001},
                               {1000460000, 1000460003}};
  if (format.name.ends_with("_KHR") || format.name.ends_with("_EXT")) return false;  // aliases of the extensions
  return std::ranges::any_of(kRanges,
                             [&](Range range) { return format.value >= range.first && format.value <= range.last; });
}

}  // namespace

std::optional<vk::Format> format_from_name(std::string_view name) {
  for (const vk::EnumName& known : vk::names<vk::Format>()) {
    if (known.name == name && is_accepted(known)) return static_cast<vk::Format>(known.value);
  }
  return std::nullopt;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const vk::EnumName& known : vk::names<vk::Format>()) {
    if (is_accepted(known)) names.push_back(known.name);
  }
  return names;
}

bool NamedValues::read(Decoder& decoder, Value value, std::vector<NamedValue>& to) const {
  if (!value.is(json::Type::Object)) return decoder.wrong_type(value, "an object");
  decoder.check_duplicates(value, formatted("`{}`", json::key_above(value)));
  for (const Value member : value) to.push_back({member.key(), member});
  return true;
}

void NamedValues::schema(Schema& schema) const {
  schema.out().object([&] {
    schema.out().member("type", "object");
    schema.out().key("additionalProperties").raw(element_schema);
  });
}

json::Words<tensor::ElementType> element_type_words() {
  static const auto words =
      tensor::element_types() |
      std::views::filter([](const tensor::ElementTypeInfo& info) { return !is_block_scaled(info.type); }) |
      std::views::transform(
          [](const tensor::ElementTypeInfo& info) { return json::Word<tensor::ElementType>{info.name, info.type}; }) |
      std::ranges::to<std::vector>();
  return json::Words<tensor::ElementType>(words);
}

bool exclusive(Decoder& decoder, Value object, std::string_view first, std::string_view second,
               std::string_view subject) {
  const Value a = object[first], b = object[second];
  if (!a || !b) return true;
  Diagnostic diagnostic = json::problem(b, DiagnosticKind::ConflictingKeys,
                                        formatted("`{}` and `{}` exclude each other in {}", first, second, subject));
  diagnostic.location = b.key_location();
  diagnostic.note(formatted("`{}` is here", first), a.key_location());
  decoder.add(std::move(diagnostic));
  return false;
}

}  // namespace slipway::scenario
