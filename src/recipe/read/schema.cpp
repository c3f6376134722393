// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON Schemas of recipes and profiles, from the tables that reading uses.
#include "recipe/read/read.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

void open_schema(json::Writer& out, std::string_view title, std::string_view description) {
  out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.member("title", title).member("description", description).member("type", "object");
}

void close_object(json::Writer& out) {
  out.key("patternProperties").object([&] { out.key("^(comment$|[$_])").raw("{}"); });
  out.member("additionalProperties", false);
}

template <class T>
void write_list(json::Schema& schema, std::string_view key, const json::Record<T>& record, std::string_view description,
                std::size_t min = 0) {
  json::Writer& out = schema.out();
  out.key(key).object([&] {
    out.member("description", description).member("type", "array");
    if (min) out.member("minItems", min);
    out.key("items");
    json::Nested(record).schema(schema);
  });
}

}  // namespace

std::string recipe_schema() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    open_schema(out, "recipe", "buffers, kernels and CPU functions, and the runs that connect them, in order");
    out.key("properties").object([&] {
      out.key("version").object([&] { out.member("type", "string"); });
      out.key("header");
      json::Nested(header_record()).schema(schema);
      out.key("resources").object([&] {
        out.member("type", "object");
        out.key("properties").object([&] {
          write_list(schema, "buffers", buffer_record(), "memory that runs read and write");
          write_list(schema, "kernels", kernel_record(), "kernels that runs call");
          write_list(schema, "cpus", cpu_record(), "functions of CPU libraries that runs call");
          write_list(schema, "hwctxs", context_record(), "hardware contexts");
        });
        close_object(out);
      });
      out.key("execution").object([&] {
        out.member("type", "object");
        out.key("properties").object([&] { write_list(schema, "runs", run_record(), "the runs, in order", 1); });
        close_object(out);
        out.key("required").array([&] { out.value("runs"); });
      });
    });
    close_object(out);
    out.key("required").array([&] { out.value("resources").value("execution"); });
    schema.write_definitions();
  });
  return out.text();
}

std::string profile_schema() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    open_schema(out, "profile", "what to bind to the buffers of a recipe, and how often to run it");
    out.key("properties").object([&] {
      out.key("version").raw("{}");
      out.key("qos").object([&] {
        out.member("type", "object");
        out.key("additionalProperties");
        Whole{.max = UINT32_MAX}.schema(schema);
      });
      write_list(schema, "bindings", binding_record(), "data for the recipe's buffers");
      write_list(schema, "dtrace", trace_record(), "trace scripts for runs on an NPU");
      out.key("execution");
      json::Nested(execution_record()).schema(schema);
      write_list(schema, "executions", execution_record(), "several executions, in order; `execution` is then ignored");
    });
    close_object(out);
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::recipe
