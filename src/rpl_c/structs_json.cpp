// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/structs_json.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "rpl_runtime/fields.hpp"

namespace slipway::rpl_c {
namespace {

using namespace rpl_runtime;

enum class NumberKind : std::uint8_t { Unsigned, Flag, Float, Enumerant };

// What only texts need of a member; in the order of kFields.
struct FieldText {
  std::string_view name, explanation;
  NumberKind number = NumberKind::Unsigned;
  std::string_view enumeration;
};
constexpr FieldText kFieldTexts[] = {
#define TEXT(of, name, explanation) {#name, explanation},
#define U32(of, name, explanation) {#name, explanation},
#define FLAG(of, name, explanation) {#name, explanation, NumberKind::Flag},
#define F32(of, name, explanation) {#name, explanation, NumberKind::Float},
#define WORDS(of, name, explanation) {#name, explanation},
#define ENUMERANT(of, type, name, explanation) {#name, explanation, NumberKind::Enumerant, #type},
#define NESTED(of, type, name, explanation) {#name, explanation},
#define U32S(of, name, count, explanation) {#name, explanation},
#define F32S(of, name, count, explanation) {#name, explanation, NumberKind::Float},
#define NESTEDS(of, type, name, count, explanation) {#name, explanation},
#define TEXTS(of, name, explanation) {#name, explanation},
#define NUMBERS(of, name, explanation) {#name, explanation},
#define LIST(of, type, name, explanation) {#name, explanation},
#include "rpl_runtime/structs.def"
};
static_assert(std::size(kFieldTexts) == std::size(kFields));

struct StructText {
  std::string_view name, explanation;
};
constexpr StructText kStructTexts[] = {
#define STRUCT(name, explanation) {#name, explanation},
#include "rpl_runtime/structs.def"
};

struct Enumerant {
  std::string_view enumeration, name;
};
constexpr Enumerant kEnumerants[] = {
#define VALUE(of, name) {#of, #name},
#include "rpl_runtime/structs.def"
};

const FieldText& text_of(const Field& field) { return kFieldTexts[&field - kFields]; }
std::string_view struct_name(StructId id) { return kStructTexts[static_cast<std::size_t>(id)].name; }

// In the order of their values, in lower case as the language has them.
std::vector<std::string> names_of(std::string_view enumeration) {
  std::vector<std::string> names;
  for (const Enumerant& each : kEnumerants) {
    if (each.enumeration != enumeration) continue;
    std::string& name = names.emplace_back(each.name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  return names;
}

// --- values ----------------------------------------------------------------------------------------------------------

void write(json::Writer& out, StructId id, const char* from);

void write_number(json::Writer& out, const FieldText& text, const char* from) {
  switch (text.number) {
    case NumberKind::Unsigned:
      out.value(read_as<std::uint32_t>(from));
      break;
    case NumberKind::Flag:
      out.value(read_as<std::uint32_t>(from) != 0);
      break;
    case NumberKind::Float:
      out.value(read_as<float>(from));
      break;
    case NumberKind::Enumerant:
      out.value(names_of(text.enumeration).at(read_as<std::uint32_t>(from)));
      break;
  }
}

// One value, or an array of them.
template <class Write>
void write_items(json::Writer& out, std::size_t count, bool is_array, const Write& write_item) {
  if (!is_array) return write_item(0);
  out.array([&] {
    for (std::size_t i = 0; i < count; ++i) write_item(i);
  });
}

void write_list(json::Writer& out, StructId id, const char* list) {
  const char* const items = read_as<const char*>(list);
  write_items(out, read_as<std::uint32_t>(list + offsetof(rpl_texts, count)), true,
              [&](std::size_t i) { write(out, id, items + i * size_of(id)); });
}

void write(json::Writer& out, const Field& field, const char* from) {
  const auto write_all = [&](const auto& list, const auto& write_item) {
    write_items(out, list.count, true, [&](std::size_t i) { write_item(list.items[i]); });
  };
  switch (field.kind) {
    case FieldKind::Number:
      return write_items(out, field.count, field.count != 1,
                         [&](std::size_t i) { write_number(out, text_of(field), from + 4 * i); });
    case FieldKind::Text:
      return void(out.value(std::string_view(read_as<rpl_text>(from))));
    case FieldKind::Texts:
      return write_all(read_as<rpl_texts>(from), [&](const rpl_text& text) { out.value(std::string_view(text)); });
    case FieldKind::Numbers:
      return write_all(read_as<rpl_numbers>(from), [&](std::uint32_t number) { out.value(number); });
    case FieldKind::Words:
      return void(out.value(std::uint64_t{read_as<rpl_numbers>(from).count} * sizeof(std::uint32_t)));
    case FieldKind::Nested:
      return write_items(out, field.count, field.count != 1,
                         [&](std::size_t i) { write(out, field.nested, from + i * size_of(field.nested)); });
    case FieldKind::List:
      return write_list(out, field.nested, from);
  }
}

void write(json::Writer& out, StructId id, const char* from) {
  out.object([&] {
    for (const Field& field : fields_of(id)) write(out.key(text_of(field).name), field, from + field.offset);
  });
}

// --- the schema ------------------------------------------------------------------------------------------------------

void write_reference(json::Writer& out, std::string_view name) {
  out.object([&] { out.member("$ref", "#/$defs/" + std::string(name)); });
}

void write_type(json::Writer& out, const Field& field) {
  const FieldText& text = text_of(field);
  const bool is_list = field.kind == FieldKind::List || field.kind == FieldKind::Texts ||
                       field.kind == FieldKind::Numbers || field.count != 1;
  if (is_list) {
    out.member("type", "array");
    if (field.count != 1) out.member("minItems", field.count).member("maxItems", field.count);
    out.key("items").object([&] {
      if (field.kind == FieldKind::List || field.kind == FieldKind::Nested)
        out.member("$ref", "#/$defs/" + std::string(struct_name(field.nested)));
      else if (field.kind == FieldKind::Texts)
        out.member("type", "string");
      else if (text.number == NumberKind::Float)
        out.member("type", "number");
      else
        out.member("type", "integer").member("minimum", 0);
    });
  } else if (field.kind == FieldKind::Nested) {
    out.member("$ref", "#/$defs/" + std::string(struct_name(field.nested)));
  } else if (field.kind == FieldKind::Text) {
    out.member("type", "string");
  } else if (text.number == NumberKind::Enumerant) {
    out.key("enum").array([&] {
      for (const std::string& name : names_of(text.enumeration)) out.value(name);
    });
  } else if (text.number == NumberKind::Flag) {
    out.member("type", "boolean");
  } else if (text.number == NumberKind::Float) {
    out.member("type", "number");
  } else {
    out.member("type", "integer").member("minimum", 0);
  }
}

// An object that has all of its members and no others.
template <class Members>
void write_object_type(json::Writer& out, std::string_view explanation, std::span<const std::string_view> names,
                       const Members& members) {
  out.object([&] {
    if (!explanation.empty()) out.member("description", explanation);
    out.member("type", "object").key("properties").object(members);
    out.member("additionalProperties", false).key("required").array([&] {
      for (const std::string_view name : names) out.value(name);
    });
  });
}

void write_struct_type(json::Writer& out, StructId id) {
  std::vector<std::string_view> names;
  for (const Field& field : fields_of(id)) names.push_back(text_of(field).name);
  write_object_type(out, kStructTexts[static_cast<std::size_t>(id)].explanation, names, [&] {
    for (const Field& field : fields_of(id)) {
      out.key(text_of(field).name).object([&] {
        const std::string_view explanation =
            field.kind == FieldKind::Words ? "bytes of the module" : text_of(field).explanation;
        if (!explanation.empty()) out.member("description", explanation);
        write_type(out, field);
      });
    }
  });
}

void write_array_of(json::Writer& out, std::string_view name) {
  out.object([&] { write_reference(out.member("type", "array").key("items"), name); });
}

void write_string_type(json::Writer& out, std::string_view explanation) {
  out.object([&] { out.member("description", explanation).member("type", "string"); });
}

}  // namespace

void write_pipeline(json::Writer& out, const rpl_pipeline& pipeline) {
  write(out, StructId::pipeline, reinterpret_cast<const char*>(&pipeline));
}

void write_options(json::Writer& out, const rpl_options& options) {
  write_list(out, StructId::option, reinterpret_cast<const char*>(&options));
}

std::string pack_schema_text() {
  constexpr std::string_view kProgramNames[] = {"name", "options", "variants"},
                             kVariantNames[] = {"reason", "pipeline"}, kNames[] = {"programs"};
  json::Writer out;
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema").member("title", "Pack of render pipelines");
    out.member("description", "what `slipway inspect --json` prints of a pack");
    out.key("anyOf").array([&] { write_reference(out, "pack"); });
    out.key("$defs").object([&] {
      write_object_type(out.key("pack"), "", kNames, [&] { write_array_of(out.key("programs"), "program"); });
      write_object_type(out.key("program"), "", kProgramNames, [&] {
        write_string_type(out.key("name"), "pass/material");
        write_array_of(out.key("options"), "option");
        write_array_of(out.key("variants"), "variant");
      });
      write_object_type(out.key("variant"), "", kVariantNames, [&] {
        write_string_type(out.key("reason"), "what differs from the first variant, and by which options");
        write_reference(out.key("pipeline"), "pipeline");
      });
      for (std::size_t id = 0; id < std::size(kStructTexts); ++id)
        write_struct_type(out.key(kStructTexts[id].name), static_cast<StructId>(id));
    });
  });
  return out.text();
}

}  // namespace slipway::rpl_c
