// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/schema.hpp"

#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

// Keys that every object may have (docs/spec/scenario.md#decision-8), as in the records.
void close_object(json::Writer& out) {
  out.key("patternProperties").object([&] { out.key("^(comment$|[$_])").raw("{}"); });
  out.member("additionalProperties", false);
}

// An array of objects, each with exactly one of the keys.
template <class Variant>
void write_list(json::Schema& schema, std::string_view description, const std::vector<Kind<Variant>>& kinds) {
  json::Writer& out = schema.out();
  out.object([&] {
    out.member("description", description).member("type", "array");
    out.key("items").object([&] {
      out.member("type", "object");
      out.key("properties").object([&] {
        for (const Kind<Variant>& kind : kinds) {
          out.key(kind.key);
          kind.schema(schema);
        }
      });
      close_object(out);
      out.key("oneOf").array([&] {
        for (const Kind<Variant>& kind : kinds) {
          out.object([&] { out.key("required").array([&] { out.value(kind.key); }); });
        }
      });
    });
  });
}

}  // namespace

std::string schema_text() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    out.member("title", "scenario");
    out.member("description", "GPU resources and the commands that use them, in the order in which they run");
    out.member("type", "object");
    out.key("properties").object([&] {
      out.key("resources");
      write_list(schema, "the objects that commands use, in any order", resource_kinds());
      out.key("commands");
      write_list(schema, "the commands, in order of execution", command_kinds());
      out.key("requires");
      json::Nested(requirements_record()).schema(schema);
    });
    close_object(out);
    out.key("required").array([&] { out.value("resources").value("commands"); });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::scenario
