// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes keys for people, from the JSON Schema, which is generated from the tables of the reader.
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "json/document.hpp"
#include "scenario/schema.hpp"

namespace slipway::scenario {
namespace {

using json::Value;

// The schema as a tree. It is generated from our own tables, so parsing it cannot fail.
std::shared_ptr<const json::Document> schema_tree() { return *json::parse(make_source("schema", schema_text())); }

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

std::string range_text(Value schema, std::string_view least, std::string_view most) {
  const Value min = schema[least], max = schema[most];
  if (min && max && min.text() == max.text()) return formatted(", {}", min.text());
  if (min && max) return formatted(", {} to {}", min.text(), max.text());
  return min ? formatted(", at least {}", min.text()) : max ? formatted(", at most {}", max.text()) : "";
}

std::string type_text(Value type) {
  if (!type.is(json::Type::Array)) return type.string();
  std::vector<std::string> names;
  for (const Value one : type) names.push_back(one.string());
  return joined(names, " or ");
}

// The permitted values: "integer, at least 1", "`NEAREST`, `LINEAR`", "array of binding".
std::string value_text(Value schema) {
  if (const Value reference = schema["$ref"]) {
    return reference.string().substr(std::string_view("#/$defs/").size());
  }
  for (const std::string_view all : {"anyOf", "allOf"}) {
    if (!schema[all]) continue;
    std::vector<std::string> parts;
    for (const Value one : schema[all]) {
      if (one["deprecated"]) continue;
      if (std::string text = value_text(one); !text.empty()) parts.push_back(std::move(text));
    }
    return joined(parts, " or ");
  }
  if (const Value words = schema["enum"]) {
    std::vector<std::string> quoted;
    for (const Value word : words) quoted.push_back(formatted("`{}`", word.string()));
    return joined(quoted, ", ");
  }
  if (const Value items = schema["items"]) {
    return formatted("array{} of {}", range_text(schema, "minItems", "maxItems"), value_text(items));
  }
  return schema["type"] ? type_text(schema["type"]) + range_text(schema, "minimum", "maximum") : "";
}

bool is_required(Value object, std::string_view key) {
  return std::ranges::any_of(object["required"], [&](Value one) { return one.string() == key; });
}

// An object and its keys.
struct Described {
  std::string name;
  Value schema;
};

std::vector<Described> objects_of(const json::Document& document) {
  std::vector<Described> objects{{"the scenario", document.root()}};
  for (const Value definition : document.root()["$defs"]) {
    if (definition["properties"]) objects.push_back({definition.key(), definition});
  }
  return objects;
}

std::string describe_key(const Described& object, Value property) {
  const std::string& key = property.key();
  const Value description = property["description"];
  std::string text =
      formatted("{} in {}{}{}: {}\n", key, object.name, is_required(object.schema, key) ? ", required" : "",
                property["deprecated"] ? ", an old name" : "", description ? description.string() : "");
  if (const std::string value = value_text(property); !value.empty()) text += formatted("  {}\n", value);
  return text;
}

std::string describe_object(const Described& object) {
  std::string text = formatted("{}: {}\n", object.name, object.schema["description"].string());
  for (const Value property : object.schema["properties"]) {
    text += formatted("  {}{}: {}\n", property.key(), is_required(object.schema, property.key()) ? " (required)" : "",
                      property["description"].string());
  }
  return text;
}

}  // namespace

std::optional<std::string> describe(std::string_view key) {
  const auto document = schema_tree();
  const std::size_t dot = key.find('.');
  const std::string_view within = dot == key.npos ? "" : key.substr(0, dot);
  const std::string_view name = dot == key.npos ? key : key.substr(dot + 1);
  std::string text;
  for (const Described& object : objects_of(*document)) {
    if (within.empty() && object.name == name) text += describe_object(object);
    const Value property = object.schema["properties"][name];
    if (property && (within.empty() || object.name == within)) text += describe_key(object, property);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<std::string> describable_keys() {
  const auto document = schema_tree();
  std::set<std::string> keys;
  for (const Described& object : objects_of(*document)) {
    if (object.name != "the scenario") keys.insert(object.name);
    for (const Value property : object.schema["properties"]) keys.insert(property.key());
  }
  return {keys.begin(), keys.end()};
}

}  // namespace slipway::scenario
