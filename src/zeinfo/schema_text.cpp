// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schema table for people (docs) and for editors (JSON Schema of the JSON form).

#include "base/format.hpp"
#include "json/writer.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

std::string versions(const Lifetime& lifetime) {
  if (lifetime.runtime_only()) return "none";
  const auto one = [](int level) { return level < 0 ? std::string("pre") : formatted("1.{}", level); };
  if (lifetime.until == kOn) return one(lifetime.since) + " on";
  if (lifetime.since == lifetime.until) return one(lifetime.since);
  return formatted("{} to {}", one(lifetime.since), one(lifetime.until));
}

std::string releases(const Lifetime& lifetime) {
  if (lifetime.runtime_first == 0) return "never";
  const std::string first = text_of(Release{lifetime.runtime_first});
  return lifetime.runtime_last == kOn ? first + " on" : first + " to " + text_of(Release{lifetime.runtime_last});
}

std::string type_text(const FieldInfo& field) {
  if (field.type == Type::Enum) return field.values->name == "" ? "enum" : formatted("[{0}](#{0})", field.values->name);
  if (field.type == Type::Mapping) return formatted("[{0}](#{0})", field.mapping->name);
  if (field.type == Type::Sequence) return formatted("sequence of [{0}](#{0})", field.mapping->name);
  return std::string(name_of(field.type));
}

std::string default_text(const FieldInfo& field) {
  if (field.required) return "required";
  if (field.type == Type::Int32) return std::to_string(field.default_value);
  if (field.type == Type::Bool) return field.default_value ? "true" : "false";
  if (field.type == Type::String) return "empty";
  return "absent";
}

void field_schema(const FieldInfo& field, json::Writer& out) {
  const auto type = [&](std::string_view name) { out.member("type", name); };
  switch (field.type) {
    case Type::Int32:
      type("integer");
      out.member("minimum", std::int64_t{-2147483648}).member("maximum", std::int64_t{2147483647});
      break;
    case Type::Bool:
      type("boolean");
      break;
    case Type::Float:
      out.key("type").array([&] { out.value("number").value("string"); });
      break;
    case Type::String:
      type("string");
      break;
    case Type::Version:
      type("string");
      out.member("pattern", "^1\\.[0-9]+$");
      break;
    case Type::Enum:
      out.key("enum").array([&] {
        for (const ValueInfo& value : field.values->values) out.value(value.name);
      });
      break;
    case Type::Int3:
      type("array");
      out.key("items").object([&] { out.member("type", "integer"); });
      out.member("minItems", 3).member("maxItems", 3);
      break;
    case Type::Mapping:
      out.member("$ref", std::string_view(formatted("#/$defs/{}", field.mapping->name)));
      break;
    case Type::Sequence:
      type("array");
      out.key("items").object(
          [&] { out.member("$ref", std::string_view(formatted("#/$defs/{}", field.mapping->name))); });
      break;
  }
}

void mapping_schema(const MappingInfo& mapping, json::Writer& out) {
  out.member("type", "object").member("description", mapping.doc).member("additionalProperties", false);
  out.key("properties").object([&] {
    if (&mapping == &mapping_of<Root>()) out.key("$schema").object([&] { out.member("type", "string"); });
    for (const FieldInfo& field : mapping.fields) {
      out.key(field.key).object([&] {
        out.member("description",
                   std::string_view(formatted("{} (versions: {})", field.doc, versions(field.lifetime))));
        field_schema(field, out);
      });
    }
  });
  out.key("required").array([&] {
    for (const FieldInfo& field : mapping.fields) {
      if (field.required) out.value(field.key);
    }
  });
}

}  // namespace

std::string schema_markdown() {
  std::string out;
  for (const MappingInfo* mapping : all_mappings()) {
    out += formatted("## <a id=\"{0}\"></a>{0}\n\nIt is {1}.\n\n", mapping->name, mapping->doc);
    out +=
        "| key | type | default | versions | runtime | lost when dropped | meaning |\n|---|---|---|---|---|---|---|\n";
    for (const FieldInfo& field : mapping->fields) {
      out += formatted("| `{}` | {} | {} | {} | {} | {} | {} |\n", field.key, type_text(field), default_text(field),
                       versions(field.lifetime), releases(field.lifetime), name_of(field.loss), field.doc);
    }
    out += '\n';
  }
  for (const EnumInfo* values : all_enums()) {
    out += formatted(
        "## <a id=\"{0}\"></a>{0}\n\nDescribes {1}.\n\n| value | versions | runtime | meaning |\n|---|---|---|---|\n",
        values->name, values->doc);
    for (const ValueInfo& value : values->values) {
      out += formatted("| `{}` | {} | {} | {} |\n", value.name, versions(value.lifetime), releases(value.lifetime),
                       value.doc);
    }
    out += '\n';
  }
  return out;
}

std::string json_schema() {
  json::Writer out;
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    out.member("title", "ZE Info as JSON");
    mapping_schema(mapping_of<Root>(), out);
    out.key("$defs").object([&] {
      for (const MappingInfo* mapping : all_mappings()) {
        if (mapping == &mapping_of<Root>()) continue;
        out.key(mapping->name).object([&] { mapping_schema(*mapping, out); });
      }
    });
  });
  return out.text();
}

}  // namespace slipway::zeinfo
