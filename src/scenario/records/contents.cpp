// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of resources before and after the run: files, inline contents (docs/spec/scenario.md#inline-contents),
// expectations, shared memory.
#include <cmath>

#include "base/format.hpp"
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder, json::Record, json::Schema, json::Type, json::Value;

// The forms of inline contents. Typed: plain values, whose type is that of the format, or an object that repeats it.
// Untyped: an object with `type`, or with `values` that are such objects themselves. Expected: any form of a resource.
enum class Form { Typed, Untyped, Expected };

bool wrong_form(Decoder& decoder, Value value, std::string_view object_form) {
  return decoder.error(value, DiagnosticKind::WrongType,
                       formatted("`{}` of this resource needs a type, as in {}", json::key_above(value), object_form));
}

// --- data ---

constexpr std::string_view kArray = R"({"type": "array"})";

const Record<InlineData>& typed_data_record() {
  static const auto record = Record<InlineData>("data", "elements and their type", &InlineData::at)
                                 .optional("type", &InlineData::type, element_type_words(), "the type of the elements")
                                 .required("values", &InlineData::values, json::Anything{kArray},
                                           "nested arrays of the exact dims, or one flat array");
  return record;
}

const Record<InlineData>& untyped_data_record() {
  static const auto record =
      Record<InlineData>("data_and_type", "elements and their type", &InlineData::at)
          .required("type", &InlineData::type, element_type_words(), "the type of the elements")
          .required("values", &InlineData::values, json::Anything{kArray}, "the elements, in one flat array");
  return record;
}

const Record<InlineData>& data_parts_record() {
  static const auto record =
      Record<InlineData>("data_parts", "arrays of several types, consecutive and without padding", &InlineData::at)
          .required("values", &InlineData::parts, json::List{json::Nested(untyped_data_record()), 1}, "the arrays");
  return record;
}

struct Data {
  Form form;

  bool read(Decoder& decoder, Value value, InlineData& to) const {
    to.at = value;
    if (value.is(Type::Array)) {
      if (form == Form::Untyped) {
        return wrong_form(decoder, value, R"(`{"type": "f32", "values": [...]}`)");
      }
      to.values = value;
      return true;
    }
    if (!value.is(Type::Object)) return decoder.wrong_type(value, "an array, or an object with `type` and `values`");
    if (form == Form::Untyped && value["values"][0].is(Type::Object))
      return data_parts_record().read(decoder, value, to);
    const bool typed = form == Form::Typed || form == Form::Expected;
    const Record<InlineData>& record = typed ? typed_data_record() : untyped_data_record();
    if (!record.read(decoder, value, to)) return false;
    return to.values.is(Type::Array) || decoder.wrong_type(to.values, "an array");
  }

  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        if (form == Form::Typed || form == Form::Expected) {
          schema.out().raw(kArray);
          json::Nested(typed_data_record()).schema(schema);
        } else {
          json::Nested(untyped_data_record()).schema(schema);
          json::Nested(data_parts_record()).schema(schema);
        }
      });
    });
  }
};

// --- fill ---

// The value of all elements; for an image one value per component.
struct FillValue {
  static bool is_element(Value value) {
    return value.is(Type::Number) || value.is(Type::Bool) || value.is(Type::String);
  }
  bool read(Decoder& decoder, Value value, Value& to) const {
    to = value;
    if (is_element(value)) return true;
    if (!value.is(Type::Array)) return decoder.wrong_type(value, "a number, or an array of one number per component");
    bool ok = true;
    for (const Value component : value) ok &= is_element(component) || decoder.wrong_type(component, "numbers");
    return ok;
  }
  static constexpr std::string_view kSchema =
      R"({"anyOf": [{"type": ["number", "boolean", "string"]}, {"type": "array", "items": {"type": ["number", "boolean", "string"]}}]})";
  void schema(Schema& schema) const { schema.out().raw(kSchema); }
};

const Record<InlineFill>& typed_fill_record() {
  static const auto record = Record<InlineFill>("fill", "one value for all elements, with its type", &InlineFill::at)
                                 .optional("type", &InlineFill::type, element_type_words(), "the type of the elements")
                                 .required("value", &InlineFill::value, FillValue{}, "the value");
  return record;
}

const Record<InlineFill>& untyped_fill_record() {
  static const auto record =
      Record<InlineFill>("fill_and_type", "one value for all elements, with its type", &InlineFill::at)
          .required("type", &InlineFill::type, element_type_words(), "the type of the elements")
          .required("value", &InlineFill::value, FillValue{}, "the value");
  return record;
}

struct Fill {
  Form form;

  bool typed() const { return form == Form::Typed || form == Form::Expected; }
  bool read(Decoder& decoder, Value value, InlineFill& to) const {
    to.at = value;
    if (value.is(Type::Object)) return (typed() ? typed_fill_record() : untyped_fill_record()).read(decoder, value, to);
    // Zero has the same bits in all types.
    if (!typed() && value.is(Type::Number) && value.number() == 0 && !std::signbit(value.number()))
      to.type = tensor::ElementType::U8;
    else if (!typed())
      return wrong_form(decoder, value, R"(`{"type": "f32", "value": 1}`)");
    return FillValue{}.read(decoder, value, to.value);
  }
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        if (typed())
          FillValue{}.schema(schema);
        else
          schema.out().raw(R"({"const": 0})");
        json::Nested(typed() ? typed_fill_record() : untyped_fill_record()).schema(schema);
      });
    });
  }
};

// --- random ---

struct AnyNumber {
  bool read(Decoder& decoder, Value value, Value& to) const {
    to = value;
    return value.is(Type::Number) || decoder.wrong_type(value, "a number");
  }
  void schema(Schema& schema) const { json::Real{}.schema(schema); }
};

Record<InlineRandom> random_record(std::string_view name, bool typed) {
  constexpr std::string_view kMeaning = "reproducible random elements";
  Record<InlineRandom> record(name, kMeaning, &InlineRandom::at);
  constexpr std::string_view kType = "the type of the elements";
  if (typed)
    std::move(record).optional("type", &InlineRandom::type, element_type_words(), kType);
  else
    std::move(record).required("type", &InlineRandom::type, element_type_words(), kType);
  return std::move(record)  // NOLINT(bugprone-use-after-move): a call returns the record itself
      .required("seed", &InlineRandom::seed, json::Integer{}, "equal seeds produce equal elements")
      .optional("min", &InlineRandom::min, AnyNumber{},
                "the minimum; when absent 0 for floats, otherwise the smallest value of the type")
      .optional("max", &InlineRandom::max, AnyNumber{},
                "the maximum; when absent 1 for floats, otherwise the largest value of the type")
      .optional("mean", &InlineRandom::mean, json::Real{}, "the mean of a normal distribution")
      .optional("stddev", &InlineRandom::stddev, json::Real{.min = 0}, "its standard deviation")
      .rule([](Decoder& decoder, Value object, InlineRandom& random) {
        bool ok = true;
        for (const std::string_view bound : {"min", "max"}) {
          for (const std::string_view moment : {"mean", "stddev"}) {
            ok = ok && exclusive(decoder, object, bound, moment, "random");
          }
        }
        if (ok && random.mean && !random.stddev) ok = decoder.missing(object, "stddev", "random");
        if (ok && random.stddev && !random.mean) ok = decoder.missing(object, "mean", "random");
        return ok;
      });
}

const Record<InlineRandom>& typed_random_record() {
  static const auto record = random_record("random", true);
  return record;
}

const Record<InlineRandom>& untyped_random_record() {
  static const auto record = random_record("random_and_type", false);
  return record;
}

// --- contents ---

Record<Contents> contents_record(Form form) {
  return Record<Contents>("contents", "the contents of a resource before the first command")
      .optional("src", &Contents::src, json::Text{}, "the file with the contents; \"\": no file")
      .optional("data", &Contents::data, Data{form}, "the contents, element by element")
      .optional("fill", &Contents::fill, Fill{form}, "one value for all elements")
      .optional("random", &Contents::random,
                json::Nested(form == Form::Typed ? typed_random_record() : untyped_random_record()),
                "reproducible random contents")
      .rule([](Decoder& decoder, Value object, Contents& contents) {
        std::vector<std::string_view> given;
        if (!contents.src.empty()) given.push_back("src");
        if (contents.data) given.push_back("data");
        if (contents.fill) given.push_back("fill");
        if (contents.random) given.push_back("random");
        return given.size() < 2 || exclusive(decoder, object, given[0], given[1], "one resource");
      });
}

// --- expect ---

const Record<Expect>& expect_record() {
  static const auto record =
      Record<Expect>("expect", "the expected contents of a resource after the run", &Expect::at)
          .optional("src", &Expect::src, json::kNotEmpty, "the file with the expected contents")
          .optional("data", &Expect::data, Data{Form::Expected}, "the expected contents, element by element")
          .optional("fill", &Expect::fill, Fill{Form::Expected}, "the expected value of all elements")
          .optional("ref", &Expect::ref, Uid{}, "the resource of the same size that holds the expected contents")
          .optional("type", &Expect::type, element_type_words(), "the type of the elements of a buffer")
          .optional("abs", &Expect::abs, json::Real{.min = 0}, "the allowed absolute difference; 0 when absent")
          .optional("rel", &Expect::rel, json::Real{.min = 0},
                    "the allowed difference, relative to the expected value; 0 when absent")
          .optional("ulp", &Expect::ulp, json::Integer{}, "the allowed distance in representable values; 0 when absent")
          .optional(
              "nan", &Expect::nan, words(kNanRule),
              "`equal` (when absent): NaN matches NaN only; `fail`: NaN never matches; `ignore`: elements expected "
              "to be NaN are skipped")
          .optional("max_mismatches", &Expect::max_mismatches, json::Integer{},
                    "how many elements may differ; 0 when absent")
          .optional("show", &Expect::show, json::Integer{}, "how many differences are printed; 10 when absent")
          .rule([](Decoder& decoder, Value object, Expect&) {
            std::vector<std::string_view> given;
            for (const std::string_view key : {"src", "data", "fill", "ref"}) {
              if (object[key]) given.push_back(key);
            }
            if (given.size() > 1) return exclusive(decoder, object, given[0], given[1], "one expectation");
            if (given.size() == 1) return true;
            Diagnostic diagnostic = json::problem(object, DiagnosticKind::MissingKey,
                                                  "an expectation needs one of `src`, `data`, `fill` and `ref`");
            diagnostic.location = object.opening();
            decoder.add(std::move(diagnostic));
            return false;
          });
  return record;
}

}  // namespace

const Record<Contents>& typed_contents_record() {
  static const auto record = contents_record(Form::Typed);
  return record;
}

const Record<Contents>& untyped_contents_record() {
  static const auto record = contents_record(Form::Untyped);
  return record;
}

bool need_contents(Decoder& decoder, Value object, const Contents& contents, std::string_view kind) {
  return contents.given() || decoder.missing(object, "src", json::subject_of(kind, object));
}

const Record<Results>& results_record() {
  static const auto record = Record<Results>("results", "the use of the contents after the run")
                                 .optional("dst", &Results::dst, json::Text{},
                                           "the file that the contents are written to after the run; \"\": none")
                                 .optional("expect", &Results::expect, json::OneOrMore{json::Nested(expect_record())},
                                           "the expected contents after the run");
  return record;
}

const Record<MemoryGroup>& memory_group_record() {
  static const auto record =
      Record<MemoryGroup>("memory_group", "memory that several resources share", &MemoryGroup::at)
          .required("id", &MemoryGroup::id, json::kNotEmpty, "resources with the same id share memory")
          .optional("offset", &MemoryGroup::offset, json::Integer{},
                    "of this resource in the shared memory, in bytes; 0 when absent");
  return record;
}

}  // namespace slipway::scenario
