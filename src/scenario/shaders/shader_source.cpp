// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/shaders/shader_source.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {
namespace {

using shader::Language;

ShaderType type_of(Language language) {
  switch (language) {
    case Language::Glsl:
      return ShaderType::Glsl;
    case Language::Hlsl:
      return ShaderType::Hlsl;
    case Language::Spirv:
      return ShaderType::Spirv;
    case Language::SpirvAssembly:
      return ShaderType::SpirvAssembly;
  }
  std::unreachable();
}

std::string_view name_of(ShaderType type) { return type == ShaderType::Rpl ? "RPL" : name_of(language_of(type)); }

InputFile open_file(const Scenario& scenario, const Shader& shader, const Path& path, Diagnostics& diagnostics) {
  const auto type = shader.likely_type();
  if (!type || *type == ShaderType::SpirvAssembly) return open_input(scenario, path, shader.at["src"], diagnostics);
  Diagnostics problems;
  InputFile file = open_input(scenario, path, shader.at["src"], problems);
  for (Diagnostic& problem : problems.release()) {
    problem.message = formatted("Cannot open {} shader file. {}", name_of(*type), problem.message);
    diagnostics.add(std::move(problem));
  }
  return file;
}

std::optional<ShaderType> detect_type(const Shader& shader, const Path& path, Bytes bytes, Diagnostics& diagnostics) {
  const auto detected = shader::detect(path, bytes);
  const auto type = detected ? std::optional(type_of(*detected)) : shader.likely_type();
  const std::string message = formatted("shader `{}` has no `type`", shader.uid);
  Diagnostic problem = json::problem(shader.at["src"], DiagnosticKind::MissingKey, message, Severity::Warning);
  if (type) {
    problem.hint(formatted("{} is taken to be {}", path.string(), name_of(*type)));
  } else {
    problem.severity = Severity::Error;
    problem.hint(formatted("neither the contents nor the extension of {} determine it", path.string()));
  }
  diagnostics.add(std::move(problem));
  return type;
}

// The JSON strings that the text was joined from, each with its offset in the text.
std::vector<std::pair<std::uint64_t, json::Value>> parts_of(json::Value source) {
  if (!source.is(json::Type::Array)) return {{0, source}};
  std::vector<std::pair<std::uint64_t, json::Value>> parts;
  std::uint64_t offset = 0;
  for (const json::Value line : source) {
    parts.emplace_back(offset, line);
    offset += line.string().size() + 1;  // with the line end between them
  }
  return parts;
}

// The characters of the scenario that correspond to a span of the text; empty when some of them are escaped.
std::optional<SourceLocation> written_at(json::Value source, Span span) {
  for (const auto& [offset, part] : parts_of(source)) {
    const std::uint64_t length = part.string().size();
    if (span.begin < offset || span.begin > offset + length) continue;
    if (part.text().contains('\\')) return std::nullopt;
    SourceLocation location = part.location();
    const std::uint64_t first = location.span.begin + 1;  // after the quote
    location.span = {first + span.begin - offset, first + std::min(span.end - offset, length)};
    return location;
  }
  return std::nullopt;
}

}  // namespace

shader::Language language_of(ShaderType type) {
  switch (type) {
    case ShaderType::Glsl:
      return Language::Glsl;
    case ShaderType::Hlsl:
      return Language::Hlsl;
    case ShaderType::Spirv:
      return Language::Spirv;
    case ShaderType::SpirvAssembly:
      return Language::SpirvAssembly;
    case ShaderType::Rpl:
      break;
  }
  std::unreachable();
}

std::optional<ShaderSource> open_shader(const Scenario& scenario, const Shader& shader, Diagnostics& diagnostics) {
  if (shader.source) {
    if (!shader.type) {
      diagnostics.add(json::problem(
          shader.at["source"], DiagnosticKind::MissingKey,
          formatted("shader `{}` has no `type`, and the type of inline text cannot be detected", shader.uid)));
      return std::nullopt;
    }
    return ShaderSource{*shader.type, shader.uid, nullptr, make_source(shader.uid, *shader.source)};
  }
  const Path path = source_path(scenario, shader.src);
  InputFile file = open_file(scenario, shader, path, diagnostics);
  if (!file) return std::nullopt;
  const auto type = shader.type ? shader.type : detect_type(shader, path, file->bytes(), diagnostics);
  if (!type) return std::nullopt;
  ShaderSource source{*type, path.string(), std::move(file), nullptr};
  if (*type != ShaderType::Spirv) {
    source.text = make_source(source.name, std::string(text_of(source.file->bytes())));
  }
  return source;
}

Diagnostic in_scenario(Diagnostic problem, const Shader& shader, const ShaderSource& source) {
  if (source.file) return named_by(std::move(problem), shader.at["src"]);
  const json::Value text = shader.at["source"];
  bool elsewhere = false;
  const auto show = [&](SourceLocation& location) {
    if (location.kind == SourceLocation::Kind::Text && location.source == source.text) {
      if (const auto written = written_at(text, location.span)) {
        location = *written;
        return;
      }
    }
    elsewhere |= location.kind != SourceLocation::Kind::None;
  };
  show(problem.location);
  for (DiagnosticNote& note : problem.notes) show(note.location);
  if (elsewhere) return named_by(std::move(problem), text);
  if (problem.location.kind == SourceLocation::Kind::None) problem.location = text.location();
  return std::move(problem.at(text.pointer(), shader.uid));
}

}  // namespace slipway::scenario
