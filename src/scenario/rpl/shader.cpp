// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/rpl/shader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rpl/compile.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {
namespace {

std::vector<rpl::EntryPointName> entry_points_of(const Shader& shader) {
  if (shader.entry_points) {
    std::vector<rpl::EntryPointName> names = {{rpl::Stage::Vertex, shader.entry_points->vertex}};
    if (!shader.entry_points->fragment.empty()) {
      names.push_back({rpl::Stage::Fragment, shader.entry_points->fragment});
    }
    return names;
  }
  switch (shader.stage) {
    case ShaderStage::Compute:
      return {{rpl::Stage::Compute, shader.entry}};
    case ShaderStage::Vertex:
      return {{rpl::Stage::Vertex, shader.entry}};
    case ShaderStage::Fragment:
      return {{rpl::Stage::Fragment, shader.entry}};
  }
  std::unreachable();
}

rpl::PipelineKind pipeline_of(const Shader& shader) {
  return !shader.entry_points && shader.stage == ShaderStage::Compute ? rpl::PipelineKind::Compute
                                                                      : rpl::PipelineKind::Graphics;
}

// A value as written on the command line: `true`, `0.5`, `ambient light`.
std::optional<std::string> option_text(const NamedValue& option, Diagnostics& diagnostics) {
  switch (option.value.type()) {
    case json::Type::Bool:
      return option.value.boolean() ? "true" : "false";
    case json::Type::Number:
      return std::string(option.value.number_text());
    case json::Type::String:
      return option.value.string();
    default:
      diagnostics.add(json::problem(option.value, DiagnosticKind::WrongType,
                                    formatted("option `{}` takes a boolean, a number or a string, not {}", option.name,
                                              json::name_of(option.value.type()))));
      return std::nullopt;
  }
}

class Compilation {
 public:
  Compilation(const Scenario& scenario, const Shader& shader, const ShaderSource& source, Diagnostics& diagnostics)
      : scenario_(scenario), shader_(shader), source_(source), diagnostics_(diagnostics) {}

  std::optional<RplCode> run() {
    if (!open_modules()) return std::nullopt;
    Diagnostics problems;
    auto compiled = compile(problems);
    for (Diagnostic& problem : problems.release()) diagnostics_.add(shown(std::move(problem)));
    if (!compiled || compiled->modules.empty()) return std::nullopt;
    return RplCode{std::move(compiled->modules.front().words),
                   std::make_shared<const rpl::Metadata>(std::move(compiled->metadata))};
  }

 private:
  bool open_modules() {
    sources_.push_back(source_.text);
    const json::Value list = shader_.at["modules"];
    for (std::size_t i = 0; i < shader_.modules.size(); ++i) {
      const Path path = source_path(scenario_, shader_.modules[i]);
      const InputFile file = open_input(scenario_, path, list[i], diagnostics_);
      if (!file) return false;
      sources_.push_back(make_source(path.string(), std::string(text_of(file->bytes()))));
    }
    return true;
  }

  std::optional<rpl::Compiled> compile(Diagnostics& problems) {
    const rpl::Program program = rpl::parse(rpl::modules_of(sources_, false), problems);
    if (!program.valid) return std::nullopt;
    rpl::Assignment assignment;
    for (const NamedValue& option : shader_.options) {
      const auto text = option_text(option, diagnostics_);
      if (!text) return std::nullopt;
      Diagnostics refused;
      rpl::set_option(program, option.name, *text, rpl::OptionFilter::Any, option.value.location(), assignment,
                      refused);
      for (Diagnostic& problem : refused.release()) {
        diagnostics_.add(std::move(problem.at(option.value.pointer(), shader_.uid)));
      }
    }
    if (diagnostics_.has_errors()) return std::nullopt;
    rpl::Compiler compiler;
    return compiler.compile(program, assignment,
                            {.entry_points = entry_points_of(shader_), .resolve = {.pipeline = pipeline_of(shader_)}},
                            problems);
  }

  // Diagnostics in a further module point into it; others are located as for all shaders.
  Diagnostic shown(Diagnostic problem) const {
    const auto in = std::ranges::find(sources_, problem.location.source);
    const bool further =
        problem.location.kind == SourceLocation::Kind::Text && in != sources_.end() && in != sources_.begin();
    if (!further) return in_scenario(std::move(problem), shader_, source_);
    const auto index = static_cast<std::size_t>(in - sources_.begin()) - 1;
    return named_by(std::move(problem), shader_.at["modules"][index]);
  }

  const Scenario& scenario_;
  const Shader& shader_;
  const ShaderSource& source_;
  Diagnostics& diagnostics_;
  std::vector<SourcePtr> sources_;
};

}  // namespace

std::optional<RplCode> compile_rpl(const Scenario& scenario, const Shader& shader, const ShaderSource& source,
                                   Diagnostics& diagnostics) {
  return Compilation(scenario, shader, source, diagnostics).run();
}

}  // namespace slipway::scenario
