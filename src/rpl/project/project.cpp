// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/project/project.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "json/record.hpp"
#include "rpl/assignments.hpp"

namespace slipway::rpl {
namespace {

using json::List, json::Nested, json::Record, json::Text;

constexpr json::Word<PipelineKind> kPipelineWords[] = {{"graphics", PipelineKind::Graphics},
                                                       {"compute", PipelineKind::Compute}};
constexpr json::Word<Target> kTargetWords[] = {{"vulkan1.1", Target::Vulkan11},
                                               {"vulkan1.2", Target::Vulkan12},
                                               {"vulkan1.3", Target::Vulkan13},
                                               {"vulkan1.4", Target::Vulkan14}};

// `compile` writes into directories with these names.
bool is_directory_name(std::string_view name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, allowed);
}

template <class Part>
bool check_part_name(json::Decoder& decoder, json::Value value, Part& part) {
  if (is_directory_name(part.name)) return true;
  return decoder.error(value["name"], DiagnosticKind::UnknownValue,
                       formatted("the name `{}` cannot be that of a directory of results; use letters, digits, `_`, "
                                 "`-` and `.`",
                                 part.name));
}

bool check_stages(json::Decoder& decoder, json::Value value, ProjectPass& pass) {
  const json::Value entries = value["entry_points"];
  const bool compute = pass.pipeline == PipelineKind::Compute;
  bool ok = true;
  for (const json::Value entry : entries) {
    if ((entry.key() == "compute") == compute) continue;
    ok = decoder.error(entry, DiagnosticKind::UnknownValue,
                       formatted("a {} pipeline has no {} stage", compute ? "compute" : "graphics", entry.key()));
  }
  return ok;
}

bool is_option_value(json::Value value) {
  return value.is(json::Type::Bool) || value.is(json::Type::Number) || value.is(json::Type::String);
}

// {"name": value} or {"name": [value, ...]}. The programs decide which values an option can take.
struct OptionValues {
  bool read(json::Decoder& decoder, json::Value value, ProjectOptions& to) const {
    if (!value.is(json::Type::Object)) return decoder.wrong_type(value, "an object");
    bool ok = true;
    for (const json::Value option : value) {
      to.emplace_back(option.key(), option);
      const bool list =
          option.is(json::Type::Array) && option.size() != 0 && std::ranges::all_of(option, is_option_value);
      if (list || is_option_value(option)) continue;
      ok = decoder.error(option, DiagnosticKind::WrongType,
                         formatted("option `{}` takes a boolean, a number, a string, or a list of them that is not "
                                   "empty",
                                   option.key()));
    }
    return ok;
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(
        R"({ "type": "object", "additionalProperties": { "anyOf": [ { "type": ["boolean", "number", "string"] }, { "type": "array", "minItems": 1, "items": { "type": ["boolean", "number", "string"] } } ] } })");
  }
};

const Record<ProjectMaterial>& material_record() {
  using M = ProjectMaterial;
  static const auto record =
      Record<M>("material", "sources that are compiled with passes", &M::at)
          .required("name", &M::name, json::kNotEmpty, "the name in messages and of the directory of results")
          .required("sources", &M::sources, List{json::kNotEmpty, 1}, "files, each a module, relative to this file")
          .optional("options", &M::options, OptionValues{}, "values of its programs, instead of those of the pass")
          .rule(check_part_name<M>);
  return record;
}

const Record<ProjectEntryPoints>& project_entries_record() {
  using E = ProjectEntryPoints;
  static const auto record = Record<E>("entry_points", "the function of each stage")
                                 .optional("vertex", &E::vertex, json::kNotEmpty, "a function")
                                 .optional("fragment", &E::fragment, json::kNotEmpty, "a function")
                                 .optional("compute", &E::compute, json::kNotEmpty, "a function");
  return record;
}

const Record<ProjectPass>& pass_record() {
  using P = ProjectPass;
  static const auto record =
      Record<P>("pass", "a pipeline, compiled once for each material", &P::at)
          .required("name", &P::name, json::kNotEmpty, "the name in messages and of the directory of results")
          .required("sources", &P::sources, List{json::kNotEmpty, 1}, "files, each a module, relative to this file")
          .optional("pipeline", &P::pipeline, json::Words<PipelineKind>(kPipelineWords), "graphics when absent")
          .optional("entry_points", &P::entry_points, Nested(project_entries_record()),
                    "without one only metadata are made")
          .optional("materials", &P::materials, List{json::kNotEmpty},
                    "the names of its materials; all when absent, the pass alone when empty")
          .optional("options", &P::options, OptionValues{}, "values of its programs, instead of those of the project")
          .rule(check_part_name<P>)
          .rule(check_stages);
  return record;
}

const Record<Project>& project_record() {
  using P = Project;
  static const auto record =
      Record<P>("project", "passes, materials and the values of options")
          .required("passes", &P::passes, List{Nested(pass_record()), 1}, "the passes")
          .optional("materials", &P::materials, List{Nested(material_record())}, "the materials")
          .optional("options", &P::options, OptionValues{},
                    "the value of an option, or the values that it takes; other flags and enums take all values, other "
                    "numbers keep their default")
          .optional("target", &P::target, json::Words<Target>(kTargetWords), "vulkan1.3 when absent");
  return record;
}

template <class Part>
void check_unique_names(const std::vector<Part>& parts, std::string_view kind, Diagnostics& diagnostics) {
  std::map<std::string_view, const Part*> known;
  for (const Part& part : parts) {
    const auto [first, added] = known.try_emplace(part.name, &part);
    if (added) continue;
    diagnostics
        .add(json::problem(part.at["name"], DiagnosticKind::DuplicateName,
                           formatted("two {} have the name `{}`", kind, part.name)))
        .note("the first one is here", first->second->at["name"].location());
  }
}

void check_materials(const Project& project, Diagnostics& diagnostics) {
  const auto names = project.materials | std::views::transform(&ProjectMaterial::name);
  for (const ProjectPass& pass : project.passes) {
    for (const json::Value name : pass.at["materials"]) {
      if (std::ranges::contains(names, name.string())) continue;
      Diagnostic& problem = diagnostics.add(
          json::problem(name, DiagnosticKind::UnknownReference,
                        formatted("pass `{}` names material `{}`, which does not exist", pass.name, name.string())));
      if (const auto near = closest(name.string(), names)) {
        problem.suggest(json::inside_quotes(name.location()), *near);
      }
    }
  }
}

std::string text_of_value(json::Value value) {
  if (value.is(json::Type::Bool)) return value.boolean() ? "true" : "false";
  return value.is(json::Type::String) ? value.string() : std::string(value.number_text());
}

std::optional<OptionId> option_named(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.options, name, [&](const Option& of) { return program.text(of.name); });
  if (found == program.options.end()) return std::nullopt;
  return static_cast<OptionId>(found - program.options.begin());
}

// One value of an option that the program has; nothing after an error.
std::optional<Value> value_of_option(const Program& program, OptionId option, json::Value value,
                                     Diagnostics& diagnostics) {
  Assignment one;
  set_option(program, program.text(program.options[option].name), text_of_value(value), OptionFilter::Any,
             value.location(), one, diagnostics);
  return one.has(option) ? std::optional(one.values[option]) : std::nullopt;
}

using DiagnosticIdentity = std::tuple<const Source*, std::uint64_t, std::uint64_t, DiagnosticKind, std::string>;
DiagnosticIdentity identity_of(const Diagnostic& diagnostic) {
  const SourceLocation& at = diagnostic.location;
  return {at.source.get(), at.span.begin, at.span.end, diagnostic.kind, diagnostic.message};
}

bool has_source(const Program& program, const Source* source) {
  return std::ranges::any_of(program.sources, [&](const ProgramSource& of) { return of.text.get() == source; });
}

}  // namespace

std::optional<Project> read_project(const SourcePtr& source, const Path& directory, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  auto document = diagnostics.take(json::parse(source));
  if (!document) return std::nullopt;
  json::Decoder decoder(diagnostics, Severity::Warning);
  std::optional<Project> project = decoder.read(project_record(), (*document)->root());
  if (!project) return std::nullopt;
  project->document = std::move(*document);
  project->directory = directory;
  check_unique_names(project->passes, "passes", diagnostics);
  check_unique_names(project->materials, "materials", diagnostics);
  check_materials(*project, diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  return project;
}

std::string project_schema_text() {
  return json::schema_text("Project of render pipelines",
                           "passes, materials and options, as `slipway compile`, `check` and `lsp` read them",
                           {&project_record().table()});
}

std::string ProjectProgram::name() const {
  return material ? formatted("{}/{}", pass->name, material->name) : pass->name;
}

std::vector<ProjectProgram> programs_of(const Project& project) {
  std::vector<ProjectProgram> programs;
  for (const ProjectPass& pass : project.passes) {
    const std::size_t before = programs.size();
    for (const ProjectMaterial& material : project.materials) {
      if (!pass.materials || std::ranges::contains(*pass.materials, material.name)) {
        programs.push_back({&pass, &material});
      }
    }
    if (programs.size() == before) programs.push_back({&pass, nullptr});
  }
  return programs;
}

std::vector<Path> files_of(const Project& project, const ProjectProgram& program) {
  std::vector<Path> files;
  const auto add = [&](const std::vector<std::string>& sources) {
    for (const std::string& source : sources) files.push_back((project.directory / source).lexically_normal());
  };
  add(program.pass->sources);
  if (program.material) add(program.material->sources);
  return files;
}

CompileOptions compile_options(const Project& project, const ProjectProgram& program, CompileOptions base) {
  const ProjectPass& pass = *program.pass;
  base.resolve.pipeline = pass.pipeline;
  base.spirv.target = project.target;
  const auto add = [&](Stage stage, const std::optional<std::string>& function) {
    if (function) base.entry_points.push_back({stage, *function});
  };
  add(Stage::Vertex, pass.entry_points.vertex);
  add(Stage::Fragment, pass.entry_points.fragment);
  add(Stage::Compute, pass.entry_points.compute);
  return base;
}

namespace {

// The most specific ones are last.
std::vector<const ProjectOptions*> options_of(const Project& project, const ProjectProgram& of) {
  std::vector<const ProjectOptions*> options = {&project.options, &of.pass->options};
  if (of.material) options.push_back(&of.material->options);
  return options;
}

}  // namespace

std::vector<std::vector<Value>> project_values(const Project& project, const ProjectProgram& of, const Program& program,
                                               Diagnostics& diagnostics) {
  std::vector<std::vector<Value>> values(program.options.size());
  for (const ProjectOptions* options : options_of(project, of)) {
    for (const auto& [name, given] : *options) {
      const std::optional<OptionId> option = option_named(program, name);
      if (!option) continue;
      values[*option].clear();
      const auto add = [&](json::Value one) {
        const std::optional<Value> value = value_of_option(program, *option, one, diagnostics);
        if (value && !std::ranges::contains(values[*option], *value)) values[*option].push_back(*value);
      };
      if (!given.is(json::Type::Array)) {
        add(given);
        continue;
      }
      for (const json::Value one : given) add(one);
    }
  }
  return values;
}

std::vector<std::vector<Value>> variant_domains(const Project& project, const ProjectProgram& of,
                                                const Program& program, Diagnostics& diagnostics) {
  std::vector<std::vector<Value>> domains = default_domains(program, {}, Vary::All);
  std::vector<std::vector<Value>> named = project_values(project, of, program, diagnostics);
  for (OptionId option = 0; option < named.size(); ++option) {
    if (!named[option].empty()) domains[option] = std::move(named[option]);
  }
  return domains;
}

std::vector<std::pair<std::string, std::string>> first_value_texts(const Project& project, const ProjectProgram& of) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const ProjectOptions* options : options_of(project, of)) {
    for (const auto& [name, given] : *options) {
      std::erase_if(texts, [&](const auto& earlier) { return earlier.first == name; });
      texts.emplace_back(name, text_of_value(given.is(json::Type::Array) ? given[std::size_t{0}] : given));
    }
  }
  return texts;
}

void check_option_names(const Project& project, std::span<const Program* const> programs, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const Program* program : programs) {
    for (const Option& option : program->options) names.emplace(program->text(option.name));
  }
  const auto check = [&](const ProjectOptions& options) {
    for (const auto& [name, value] : options) {
      if (names.contains(name)) continue;
      Diagnostic problem = json::problem(value, DiagnosticKind::RplOptionUnknown,
                                         formatted("no program of the project has an option `{}`", name));
      problem.location = value.key_location();
      if (const auto near = closest(name, names)) problem.suggest(json::inside_quotes(value.key_location()), *near);
      diagnostics.add(std::move(problem));
    }
  };
  check(project.options);
  for (const ProjectPass& pass : project.passes) check(pass.options);
  for (const ProjectMaterial& material : project.materials) check(material.options);
}

void merge_diagnostics(std::span<const ProgramDiagnostics> programs, Diagnostics& diagnostics) {
  std::map<DiagnosticIdentity, std::size_t> counts;  // programs that have it
  for (const ProgramDiagnostics& of : programs) {
    std::set<DiagnosticIdentity> own;
    for (const Diagnostic& diagnostic : of.found->all()) own.insert(identity_of(diagnostic));
    for (const DiagnosticIdentity& key : own) ++counts[key];
  }
  std::set<DiagnosticIdentity> reported;
  for (const ProgramDiagnostics& of : programs) {
    for (const Diagnostic& diagnostic : of.found->all()) {
      const bool in_text = diagnostic.location.kind == SourceLocation::Kind::Text;
      // Without a location in a source it is about this program.
      DiagnosticIdentity key = identity_of(diagnostic);
      if (in_text && !reported.insert(key).second) continue;
      if (in_text && diagnostic.severity != Severity::Error) {
        const auto holders = std::ranges::count_if(programs, [&](const ProgramDiagnostics& other) {
          return has_source(*other.program, diagnostic.location.source.get());
        });
        if (counts[key] < static_cast<std::size_t>(holders)) continue;
      }
      Diagnostic& added = diagnostics.add(diagnostic);
      if (!of.name.empty() && diagnostic.severity == Severity::Error && programs.size() > 1) {
        added.note(formatted("in program `{}` of the project", of.name));
      }
    }
  }
}

}  // namespace slipway::rpl
