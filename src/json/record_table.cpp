// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, writes and describes objects by the table of a record.
#include <algorithm>
#include <cstring>

#include "json/record.hpp"

namespace slipway::json {
namespace {

void* at_offset(void* object, std::size_t offset) { return static_cast<std::byte*>(object) + offset; }
const void* at_offset(const void* object, std::size_t offset) { return static_cast<const std::byte*>(object) + offset; }

std::shared_ptr<const void> copy_of(CodecHandle codec) {
  const CodecFunctions& functions = *codec.functions;
  if (functions.copy) return {functions.copy(codec.codec), functions.destroy};
  void* bytes = ::operator new(functions.size);
  std::memcpy(bytes, codec.codec, functions.size);
  return {bytes, [](void* copy) { ::operator delete(copy); }};
}

}  // namespace

void RecordTable::add(bool required, std::string_view key, std::size_t offset, CodecHandle codec,
                      std::string_view meaning) {
  codecs_.push_back(copy_of(codec));
  fields_.push_back({key, meaning, "", {codecs_.back().get(), codec.functions}, offset, required, {}});
}

void RecordTable::add_part(std::size_t offset, const RecordTable& part) {
  for (Field field : part.fields_) {
    field.offset += offset;
    field.condition.offset += offset;
    fields_.push_back(field);
  }
  for (Rule rule : part.rules_) {
    rule.offset += offset;
    rules_.push_back(rule);
  }
  synonyms_.insert(synonyms_.end(), part.synonyms_.begin(), part.synonyms_.end());
  codecs_.insert(codecs_.end(), part.codecs_.begin(), part.codecs_.end());
}

bool RecordTable::read(Decoder& decoder, Value value, void* to) const {
  if (!value.is(Type::Object)) return decoder.wrong_type(value, "an object");
  if (handle_) *static_cast<Value*>(at_offset(to, *handle_)) = value;
  const std::string subject = subject_of(name_, value);
  std::vector<std::string_view> keys;
  for (const Field& field : fields_) {
    keys.push_back(field.key);
    if (!field.old_key.empty()) keys.push_back(field.old_key);
  }
  decoder.check_keys(value, keys, subject, synonyms_);
  bool ok = true;
  for (const Field& field : fields_) {
    if (const Value member = decoder.member(value, field.key, field.old_key)) {
      ok &= field.codec.read(decoder, member, at_offset(to, field.offset));
    } else if (field.required) {
      ok = decoder.missing(value, field.key, subject);
    }
  }
  for (const Rule& rule : rules_) {
    if (ok) ok = rule.caller(rule.rule, decoder, value, at_offset(to, rule.offset));
  }
  return ok;
}

void RecordTable::add_condition(AnyRule condition, ConditionCaller caller) {
  fields_.back().condition = {condition, caller, 0};
}

void RecordTable::write_field(Writer& out, const Field& field, const void* from) {
  const Condition& condition = field.condition;
  if (condition.caller && !condition.caller(condition.condition, at_offset(from, condition.offset))) return;
  const void* variable = at_offset(from, field.offset);
  if (field.codec.present(variable)) {
    out.key(field.key);
    field.codec.write(out, variable);
  } else if (field.required) {
    out.key(field.key).null();
  }
}

void RecordTable::write(Writer& out, const void* from) const {
  out.object([&] { write_members(out, from); });
}

void RecordTable::write_members(Writer& out, const void* from) const {
  for (const Field& field : fields_) write_field(out, field, from);
}

void RecordTable::write_member(Writer& out, std::string_view key, const void* from) const {
  write_field(out, *std::ranges::find(fields_, key, &Field::key), from);
}

void RecordTable::schema(Schema& schema) const {
  Writer& out = schema.out();
  out.object([&] {
    out.member("description", meaning_).member("type", "object");
    out.key("properties").object([&] {
      for (const Field& field : fields_) {
        write_property(schema, field, field.key);
        if (!field.old_key.empty()) write_property(schema, field, field.old_key);
      }
    });
    out.key("patternProperties").object([&] { out.key("^(comment$|[$_])").raw("{}"); });
    out.member("additionalProperties", false);
    out.key("required").array([&] {
      for (const Field& field : fields_) {
        if (field.required && field.old_key.empty()) out.value(field.key);
      }
    });
    const auto either = [](const Field& field) { return field.required && !field.old_key.empty(); };
    if (std::ranges::none_of(fields_, either)) return;
    out.key("allOf").array([&] {  // required under one of two names
      for (const Field& field : fields_) {
        if (!either(field)) continue;
        out.object([&] {
          out.key("anyOf").array([&] {
            for (const std::string_view key : {field.key, field.old_key}) {
              out.object([&] { out.key("required").array([&] { out.value(key); }); });
            }
          });
        });
      }
    });
  });
}

void RecordTable::write_property(Schema& schema, const Field& field, std::string_view key) {
  Writer& out = schema.out();
  out.key(key).object([&] {
    out.member("description", field.meaning);
    if (key == field.old_key) out.member("deprecated", true);
    out.key("allOf").array([&] { field.codec.schema(schema); });
  });
}

std::string schema_text(std::string_view title, std::string_view description,
                        std::initializer_list<const RecordTable*> records) {
  Writer out;
  Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema").member("title", title);
    if (!description.empty()) out.member("description", description);
    out.key("anyOf").array([&] {
      for (const RecordTable* record : records) schema.reference(*record);
    });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::json
