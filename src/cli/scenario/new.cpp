// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway new`: a first scenario for a shader or a model, or a first project of render pipelines.
#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/confine.hpp"
#include "cli/content.hpp"
#include "cli/directories.hpp"
#include "cli/formats.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/named_values.hpp"
#include "cli/model/verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/program.hpp"
#include "cli/rpl/starter.hpp"
#include "cli/rpl/verbs.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "executorch/program.hpp"
#include "foreign/recognise.hpp"
#include "scenario/starter/starter.hpp"
#include "shader/guess.hpp"
#include "vgf/vgf.hpp"

namespace slipway::cli {
namespace {

struct NewOptions {
  ReportStyle style;
  std::string file, output, entry, build_options;
  std::vector<std::string> shapes, shaders;
  ReadModelArguments model;  // what is for models that are imported only
  bool force = false, no_cache = false;
};

// A model that is written as a VGF file beside the scenario, which names it.
struct ConvertedBeside {
  Path path;
  std::vector<std::byte> bytes;
};

std::optional<ConvertedBeside> convert_beside(const NewOptions& options, Bytes bytes, Diagnostics& diagnostics) {
  if (options.output.empty() || options.output == "-") {
    diagnostics
        .error(DiagnosticKind::Usage, {},
               formatted("a scenario for `{}` needs a VGF file, which is written beside it", options.file))
        .hint("`-o scenario.json` says where");
    return std::nullopt;
  }
  const Path path = Path(options.output).parent_path() / Path(options.file).stem().concat(".vgf");
  if (!options.force && file_exists(path)) {
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` exists; `--force` replaces it", path.string()));
    return std::nullopt;
  }
  ReadModelArguments arguments = options.model;
  arguments.entry = options.entry;
  if (executorch::is_program(bytes)) {
    const auto model = executorch::find_model(bytes, options.file, options.entry, diagnostics);
    if (!model) return std::nullopt;
    bytes = model->bytes;
    if (vgf::is_vgf(bytes)) return ConvertedBeside{path, {bytes.begin(), bytes.end()}};
    arguments.entry.clear();
  }
  if (convert::is_imported(bytes, options.file)) {
    arguments.shapes = options.shapes;
    arguments.shaders = options.shaders;
  }
  const convert::ReadModelOptions read = read_model_options(arguments, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  auto model = convert::read_model(bytes, options.file, convert::beside(options.file, read), diagnostics);
  auto converted =
      model ? convert::convert(*model, {.simplify = {.defers_transposes = true}}, diagnostics) : std::nullopt;
  auto encoded = converted ? diagnostics.take(converted->file.finish()) : std::nullopt;
  return encoded ? std::optional(ConvertedBeside{path, std::move(*encoded)}) : std::nullopt;
}

Diagnostic not_startable(const NewOptions& options, const Content& content) {
  if (const foreign::ForeignFormat* format =
          foreign::recognise({.bytes = content.bytes, .path = content.path, .directory = content.directory}))
    return foreign::explain(*format, options.file);
  Diagnostic problem{.kind = DiagnosticKind::NotRecognised,
                     .message = formatted("no scenario can be made for {}; `slipway new` takes shaders and models",
                                          is_rpl(content) ? "a render pipeline" : describe_contents(content)),
                     .location = SourceLocation::in_file(options.file)};
  if (is_rpl(content)) {
    problem.note("docs/scenarios.md#drawing-with-rpl shows a scenario with a pipeline");
    problem.note("`slipway new rpl -o DIRECTORY` makes a project of passes and materials");
  }
  return problem;
}

// Options of other files are errors. What is about models that a VGF file is made of is checked by their reader.
bool options_apply(const NewOptions& options, const Content& content, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const auto check = [&](bool is_given, std::string_view option, std::string_view what) {
    if (is_given)
      diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file(options.file),
                        formatted("`{}` is for {}", option, what));
  };
  const bool is_vgf = vgf::is_vgf(content.bytes), is_shader_file = is_spirv(content) || is_shader(content);
  check(!is_shader_file && !options.build_options.empty(), "--build-options", "shaders");
  check(is_shader_file && !options.shaders.empty(), "--shader", "models");
  if (is_vgf || is_shader_file) {
    ReadModelArguments arguments = options.model;
    if (is_vgf) arguments.entry = options.entry;
    const convert::ReadModelOptions read = read_model_options(arguments, diagnostics);
    convert::options_apply(convert::ModelFormat::Vgf, options.file, read, diagnostics);
  }
  return diagnostics.errors() == before;
}

std::optional<std::string> start(const NewOptions& options, Diagnostics& diagnostics) {
  scenario::StarterOptions request{.file = options.file,
                                   .directory = Path(options.output).parent_path(),
                                   .entry = options.entry,
                                   .cache = cache_of(options.no_cache),
                                   .build_options = options.build_options,
                                   .confine = is_confined()};
  for (const std::string& given : options.shapes) {
    if (auto shape = named_shape(given, diagnostics)) request.shapes.push_back(std::move(*shape));
  }
  for (const std::string& given : options.shaders) {
    if (auto named = split_named(given, "--shader takes NAME=FILE", diagnostics))
      request.substitutions.emplace_back(named->first, named->second);
  }
  protect_input(options.file);
  const auto read = diagnostics.take(ContentOf::read(options.file));
  if (!read || diagnostics.has_errors()) return std::nullopt;
  const Content& content = read->content();
  if (!options_apply(options, content, diagnostics)) return std::nullopt;
  if (vgf::is_vgf(content.bytes)) return scenario::model_starter(request, diagnostics);
  if (is_tosa_file(content) || is_onnx_file(content) || is_tflite_file(content) || is_graph_text_file(content) ||
      is_mlir_file(content) || is_program_file(content)) {
    const auto vgf = convert_beside(options, content.bytes, diagnostics);
    if (!vgf) return std::nullopt;
    if (convert::is_imported(content.bytes, options.file)) {
      // They were used by the import.
      request.substitutions.clear();
      request.shapes.clear();
    }
    request.file = vgf->path;
    request.model = model::open_model(vgf->bytes, vgf->path.string(), diagnostics);
    auto text = request.model ? scenario::model_starter(request, diagnostics) : std::nullopt;
    if (!text || diagnostics.has_errors()) return std::nullopt;
    if (Result<> written = write_file(vgf->path, vgf->bytes); !written) diagnostics.add(std::move(written.error()));
    return text;
  }
  if (!is_rpl(content) && shader::guess(content.path, content.bytes))
    return scenario::shader_starter(request, diagnostics);
  diagnostics.add(not_startable(options, content));
  return std::nullopt;
}

constexpr std::string_view kRpl = "rpl";

// Writes all files of the project or, if one exists, none.
void start_rpl(const NewOptions& options, Diagnostics& diagnostics) {
  if (options.output.empty() || options.output == "-") {
    diagnostics.error(DiagnosticKind::Usage, {}, "a project of render pipelines needs a directory")
        .hint("`slipway new rpl -o game` makes one");
    return;
  }
  if (!options.entry.empty() || !options.build_options.empty() || !options.shapes.empty() || !options.shaders.empty()) {
    diagnostics.error(DiagnosticKind::Usage, {},
                      "`--entry`, `--build-options`, `--shape` and `--shader` are for shaders and models");
    return;
  }
  const Path directory = options.output;
  for (const StarterFile& file : rpl_starter()) {
    if (const Path path = directory / file.name; !options.force && file_exists(path))
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` exists; `--force` replaces it", path.string()));
  }
  for (const StarterFile& file : rpl_starter()) {
    if (diagnostics.has_errors()) return;
    if (Result<> written = write_file(directory / file.name, file.text); !written)
      diagnostics.add(std::move(written.error()));
  }
  const std::string project = (directory / rpl_starter().front().name).string();
  if (!diagnostics.has_errors() && !options.style.json)
    print_status(
        formatted("{0}: written; `slipway check {0}` checks its programs, `slipway compile {0} --pack {1}` "
                  "compiles them\n",
                  project, (directory / "game.rplpack").string()));
}

}  // namespace

int new_verb(const Arguments& arguments) {
  NewOptions options;
  CommandLine line("slipway new",
                   "Makes a scenario for a shader (GLSL, HLSL, SPIR-V, SPIR-V assembly) or a model (VGF, TOSA, MLIR) "
                   "that runs at once and is there to be edited; `slipway new rpl -o DIRECTORY` makes a project of "
                   "render pipelines.",
                   "slipway new examples/hello/saxpy.comp -o scenario.json");
  line.add_option("file", options.file, "the shader or the model, or the word `rpl`").required();
  line.add_option("-o,--output", options.output,
                  "the scenario (standard output); its paths are relative to it; of `rpl` a directory");
  line.add_option("--entry", options.entry, "the entry point of a shader (the one that the shader suggests)");
  add_build_options(line, options.build_options);
  add_shape_option(line, options.shapes);
  line.add_option(
          "--shader", options.shaders,
          "NAME=FILE: a shader for a module of a VGF file that has no code, or for a kind of nodes of an ONNX or "
          "TensorFlow Lite model")
      .values(1)
      .take_all();
  add_import_options(line, options.model);
  line.add_flag("--force", options.force, "replace files that exist");
  add_cache_option(line, options.no_cache);
  line.add_report_options(options.style);
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  if (options.file == kRpl && !file_exists(options.file)) {
    start_rpl(options, diagnostics);
    return report(diagnostics, options.style);
  }
  const bool to_file = !options.output.empty() && options.output != "-";
  refuse_directories(
      {options.file}, "new",
      [](const Content& content) {
        const Format* const format = format_of(content);
        return is_shader(content) || (format && format->convert && format->run);
      },
      diagnostics);
  if (options.file == "-")
    diagnostics.error(DiagnosticKind::Usage, {},
                      "a scenario names its shader or model, which cannot be standard input");
  if (to_file && !options.force && file_exists(options.output))
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` exists; `--force` replaces it", options.output));
  const auto text = diagnostics.has_errors() ? std::nullopt : start(options, diagnostics);
  if (text && !diagnostics.has_errors()) {
    if (Result<> written = write_file(to_file ? options.output : "-", *text); !written)
      diagnostics.add(std::move(written.error()));
    else if (to_file && !options.style.json)
      print_status(formatted("{}: written; `slipway run {}` runs it\n", options.output, options.output));
  }
  return report(diagnostics, options.style);
}

}  // namespace slipway::cli
