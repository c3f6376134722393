// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operator_options.hpp"

#include <flatbuffers/reflection_generated.h>

#include "base/format.hpp"
#include "importer/tflite/flexbuffer.hpp"
#include "tflite_bfbs_generated.h"
#include "tflite_generated.h"

namespace slipway::importer {
namespace {

const reflection::Schema& tflite_schema() { return *reflection::GetSchema(fb::ModelBinarySchema::data()); }

// The table that a union has at a number. Null if the schema has none.
const reflection::Object* table_of(const char* union_name, std::uint8_t number) {
  const reflection::Enum* type = tflite_schema().enums()->LookupByKey(union_name);
  const reflection::EnumVal* value = type->values()->LookupByKey(std::int64_t{number});
  if (!value || number == 0) return nullptr;
  return tflite_schema().objects()->Get(static_cast<flatbuffers::uoffset_t>(value->union_type()->index()));
}

std::string_view short_name(const reflection::Object& table) {
  const std::string_view name = string_of(table.name());
  return name.substr(name.rfind('.') + 1);
}

template <class T>
std::int64_t integer_of(const flatbuffers::Table* table, const reflection::Field& field) {
  return static_cast<std::int64_t>(table->GetField<T>(field.offset(), static_cast<T>(field.default_integer())));
}

template <class T, class To>
std::vector<To> list_of(const void* list) {
  const std::span<const T> values = span_of(static_cast<const flatbuffers::Vector<T>*>(list));
  return std::vector<To>(values.begin(), values.end());
}

class OptionsReader {
 public:
  OptionsReader(TfliteFile& file, const void* node, NetNode& to) : file_(file), node_(node), to_(to) {}

  // `from` may be null.
  void read(const reflection::Object& type, const void* from) {
    const auto* table = static_cast<const flatbuffers::Table*>(from);
    for (const reflection::Field* field : *type.fields()) {
      if (field->deprecated()) continue;
      std::optional<AttributeValue> value = table ? value_of(table, *field) : default_of(*field);
      if (value) to_.attributes.insert_or_assign(field->name()->str(), std::move(*value));
    }
  }

 private:
  static std::optional<AttributeValue> default_of(const reflection::Field& field) {
    switch (field.type()->base_type()) {
      case reflection::Float:
        return field.default_real();
      case reflection::String:
      case reflection::Vector:
        return std::nullopt;
      default:
        return field.default_integer();
    }
  }

  std::optional<AttributeValue> value_of(const flatbuffers::Table* table, const reflection::Field& field) {
    switch (field.type()->base_type()) {
      case reflection::Bool:
        return std::int64_t{integer_of<std::uint8_t>(table, field) != 0};
      case reflection::Byte:
        return integer_of<std::int8_t>(table, field);
      case reflection::Int:
        return integer_of<std::int32_t>(table, field);
      case reflection::UInt:
        return integer_of<std::uint32_t>(table, field);
      case reflection::Float:
        return double{table->GetField<float>(field.offset(), static_cast<float>(field.default_real()))};
      case reflection::String:
        return string_in(table->GetPointer<const flatbuffers::String*>(field.offset()));
      case reflection::Vector:
        return list_in(table->GetPointer<const flatbuffers::Vector<std::uint8_t>*>(field.offset()),
                       field.type()->element());
      default:
        std::unreachable();  // the schema has no others
    }
  }

  std::optional<AttributeValue> string_in(const flatbuffers::String* text) {
    if (!text || !file_.take(text->size(), node_)) return std::nullopt;
    return std::string(string_of(text));
  }

  std::optional<AttributeValue> list_in(const flatbuffers::Vector<std::uint8_t>* list, reflection::BaseType element) {
    if (!list) return std::nullopt;
    if (element == reflection::UByte) {
      const Bytes bytes = std::as_bytes(span_of(list));
      return Array{.type = FileType::U8, .shape = {static_cast<std::int64_t>(bytes.size())}, .data = bytes};
    }
    if (!file_.take(std::uint64_t{list->size()} * sizeof(std::int64_t), node_)) return std::nullopt;
    if (element == reflection::Float) return list_of<float, double>(list);
    return list_of<std::int32_t, std::int64_t>(list);
  }

  TfliteFile& file_;
  const void* node_;
  NetNode& to_;
};

struct UnionOfOptions {
  const char* name;     // of the union in the schema
  std::uint8_t needed;  // the table that the operator has; 0: none that is read
  std::uint8_t found;
  const void* table;
};

void add_table(TfliteFile& file, const fb::Operator& from, const UnionOfOptions& options, NetNode& to) {
  if (options.needed == 0) return;
  const reflection::Object& type = *table_of(options.name, options.needed);
  if (options.found != 0 && options.found != options.needed) {
    const reflection::Object* found = table_of(options.name, options.found);
    file.error(
        DiagnosticKind::FileFormat, &from,
        formatted("{} has options of the type {}; it has to be `{}`", to.label(),
                  found ? formatted("`{}`", short_name(*found)) : formatted("{}", options.found), short_name(type)));
    return;
  }
  OptionsReader(file, &from, to).read(type, options.found == 0 ? nullptr : options.table);
}

// What a FlexBuffer says, with names that begin with `prefix`.
void add_flexbuffer(TfliteFile& file, const fb::Operator& from, Bytes bytes, std::string_view prefix, NetNode& to) {
  // An entry has at least three bytes and becomes an attribute.
  if (!file.take(bytes.size() / 3 * sizeof(AttributeValue), &from)) return;
  auto map = read_flexbuffer(bytes);
  if (!map) return;
  for (auto& [key, value] : *map) to.attributes.emplace(std::string(prefix) + key, std::move(value));
}

}  // namespace

void add_options(TfliteFile& file, const fb::Operator& from, const BuiltinOperator& builtin, NetNode& to) {
  add_table(file, from,
            {.name = "slipway.importer.fb.BuiltinOptions",
             .needed = builtin.options,
             .found = static_cast<std::uint8_t>(from.builtin_options_type()),
             .table = from.builtin_options()},
            to);
  add_table(file, from,
            {.name = "slipway.importer.fb.BuiltinOptions2",
             .needed = builtin.options_2,
             .found = static_cast<std::uint8_t>(from.builtin_options_2_type()),
             .table = from.builtin_options_2()},
            to);
  const auto composite = to.attributes.find("composite_attributes");
  if (composite == to.attributes.end()) return;
  const Array attributes = std::get<Array>(composite->second);
  add_flexbuffer(file, from, attributes.data, "composite.", to);
}

void add_custom_options(TfliteFile& file, const fb::Operator& from, NetNode& to) {
  Bytes bytes = std::as_bytes(span_of(from.custom_options()));
  if (from.large_custom_options_offset() > 1) {
    if (!bytes.empty()) {
      file.error(DiagnosticKind::FileFormat, &from,
                 formatted("the options of {} are both inside and after the tables", to.label()));
      return;
    }
    bytes = file.appended(from.large_custom_options_offset(), from.large_custom_options_size(),
                          formatted("the options of {} are", to.label()), &from);
  }
  if (bytes.empty()) return;
  to.attributes.emplace("custom_options",
                        Array{.type = FileType::U8, .shape = {static_cast<std::int64_t>(bytes.size())}, .data = bytes});
  if (from.custom_options_format() == fb::CustomOptionsFormat::FLEXBUFFERS) add_flexbuffer(file, from, bytes, "", to);
}

}  // namespace slipway::importer
