// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder, json::Record, json::Schema, json::Value;

struct Constant {
  bool read(Decoder& decoder, Value value, Value& to) const {
    to = value;
    return value.is(json::Type::Number) || value.is(json::Type::Bool) ||
           decoder.wrong_type(value, "a number or a boolean");
  }
  void schema(Schema& schema) const { schema.out().raw(R"({"type": ["number", "boolean"]})"); }
};

// A text, or an array of its lines.
struct SourceText {
  static constexpr json::OneOrMore<json::Text> kLines{json::Text{}};

  bool read(Decoder& decoder, Value value, std::string& to) const {
    std::vector<std::string> lines;
    if (!kLines.read(decoder, value, lines)) return false;
    for (const std::string& line : lines) {
      if (&line != &lines.front()) to += '\n';
      to += line;
    }
    return true;
  }
  void schema(Schema& schema) const { kLines.schema(schema); }
};

const Record<EntryPoints>& entry_points_record() {
  static const auto record =
      Record<EntryPoints>("entry_points", "the functions of an RPL graphics pipeline", &EntryPoints::at)
          .required("vertex", &EntryPoints::vertex, json::kNotEmpty, "the function of the vertex stage")
          .optional("fragment", &EntryPoints::fragment, json::kNotEmpty,
                    "the function of the fragment stage; when absent only depth and stencil are written");
  return record;
}

}  // namespace

const Record<SpecializationConstant>& specialization_record() {
  static const auto record =
      Record<SpecializationConstant>("specialization_constant", "a value for a specialization constant",
                                     &SpecializationConstant::at)
          .required("id", &SpecializationConstant::id, json::Integer{}, "the SpecId in the shader")
          .required("value", &SpecializationConstant::value, Constant{},
                    "converted to the type that the shader declares");
  return record;
}

const Record<Shader>& shader_record() {
  static const auto record =
      Record<Shader>("shader", "a shader", &Shader::at)
          .required("uid", &Shader::uid, json::kNotEmpty,
                    "the name by which other objects refer to it; unique in the file")
          .optional("src", &Shader::src, json::Text{}, "the file with the shader")
          .synonym("file")
          .synonym("path")
          .optional("source", &Shader::source, SourceText{}, "the shader itself, a text or its lines, instead of `src`")
          .optional("type", &Shader::type, words(kShaderType, "shader type"),
                    "the language; detected from the file when absent")
          .synonym("language")
          .optional("stage", &Shader::stage, words(kShaderStage, "shader stage"), "compute when absent")
          .optional("entry", &Shader::entry, json::kNotEmpty, "the entry point; main when absent")
          .synonym("entry_point")
          .optional("build_options", &Shader::build_options, json::Text{},
                    "options of the compiler: -DNAME=VALUE, -UNAME, -Idir")
          .optional("include_dirs", &Shader::include_dirs, json::List{json::Text{}},
                    "where #include looks, relative to the scenario file")
          .optional("push_constants_size", &Shader::push_constants_size, json::Integer{},
                    "in bytes, a multiple of 4; 0 or absent: as the shader declares")
          .optional("specialization_constants", &Shader::specialization_constants,
                    json::List{json::Nested(specialization_record())}, "values for specialization constants")
          .optional("modules", &Shader::modules, json::List{json::kNotEmpty},
                    "files of further modules of an RPL shader, after `src` or `source`, relative to the scenario file")
          .optional("options", &Shader::options, NamedValues{}, "values for the options of an RPL shader")
          .optional("entry_points", &Shader::entry_points, json::Nested(entry_points_record()),
                    "the functions of an RPL graphics pipeline")
          .rule([](Decoder& decoder, Value object, Shader& shader) {
            if (shader.source && !shader.src.empty()) {
              return exclusive(decoder, object, "src", "source", json::subject_of("shader", object));
            }
            return shader.source || !shader.src.empty() ||
                   decoder.missing(object, "src", json::subject_of("shader", object));
          });
  return record;
}

}  // namespace slipway::scenario
