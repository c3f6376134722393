// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` and `slipway inspect` on models of TOSA operators.
#include "cli/model/draw_model.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/inspect/describe_model.hpp"
#include "cli/model/inspect/inspect_imported.hpp"
#include "cli/model/open_model.hpp"
#include "cli/model/verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/run/interrupts.hpp"
#include "convert/convert.hpp"
#include "convert/model_json.hpp"
#include "convert/read_model.hpp"
#include "model/standalone/standalone.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::cli {
namespace {

struct LoadedModel {
  ContentOf content;
  tosa::Model model;
};

std::optional<LoadedModel> load_model(const std::string& path, const convert::ReadModelOptions& settings,
                                      Diagnostics& diagnostics) {
  std::optional<ContentOf> content = diagnostics.take(ContentOf::read(path));
  if (!content) return std::nullopt;
  auto model = convert::read_model(content->content().bytes, path == "-" ? "<stdin>" : path,
                                   path == "-" ? settings : convert::beside(path, settings), diagnostics);
  if (!model) return std::nullopt;
  return LoadedModel{std::move(*content), std::move(*model)};
}

// Finds everything that a conversion would find.
void check(tosa::Model& model, Diagnostics& diagnostics) {
  convert::convert(model, {.simplify = {.defers_transposes = true}}, diagnostics);
}

// The exit status for a file that is imported; empty for others.
std::optional<int> inspect_file(const std::string& path, const ReadModelArguments& arguments,
                                const convert::ReadModelOptions& settings, const ReportStyle& style,
                                const std::string& output) {
  Diagnostics diagnostics;
  const std::optional<ContentOf> content = diagnostics.take(ContentOf::read(path));
  if (!content || !(is_onnx_file(content->content()) || is_tflite_file(content->content()))) return std::nullopt;
  const ImportedInspection inspection{
      .bytes = content->content().bytes,
      .name = path == "-" ? "<stdin>" : path,
      .read = path == "-" ? settings : convert::beside(path, settings),
      .must_convert = !arguments.shapes.empty() || !arguments.dimensions.empty() || !arguments.bound.empty(),
      .json = style.json};
  const std::string text = inspect_imported(inspection, diagnostics);
  if (!text.empty()) {
    if (const Result<> written = write_file(output, text); !written) diagnostics.add(written.error());
  }
  return report(diagnostics, style);
}

}  // namespace

bool is_tosa_file(const Content& content) {
  return convert::detect_format(content.bytes) == convert::ModelFormat::TosaFlatBuffers;
}
bool is_graph_text_file(const Content& content) { return convert::is_graph_text(text_of(content.bytes)); }

bool is_onnx_file(const Content& content) {
  return convert::detect_format(content.bytes, content.path.string()) == convert::ModelFormat::Onnx;
}
bool is_tflite_file(const Content& content) {
  return convert::detect_format(content.bytes) == convert::ModelFormat::Tflite;
}
bool is_mlir_file(const Content& content) {
  constexpr std::size_t kSearched = 1 << 16;
  const std::string_view text = text_of(content.bytes).substr(0, kSearched);
  return convert::detect_format(content.bytes) == convert::ModelFormat::MlirBytecode ||
         content.path.extension() == ".mlir" || text.contains("func.func @") || text.contains("\"func.func\"(");
}

int check_model_file(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  ReadModelArguments arguments_of_model;
  CommandLine line("slipway check", "Finds every error in models of TOSA operators and shaders.",
                   "slipway check model.tosa");
  line.add_report_options(style);
  line.add_option("files", files, "models; `-` is standard input").required();
  add_read_model_options(line, arguments_of_model);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  const convert::ReadModelOptions settings = read_model_options(arguments_of_model, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, style, stdout);
  for (const std::string& path : files) {
    if (report_interrupt(path, diagnostics)) continue;
    if (std::optional<LoadedModel> loaded = load_model(path, settings, diagnostics)) check(loaded->model, diagnostics);
  }
  diagnostics.enforce_rules();
  return report(diagnostics, style, stdout);
}

int inspect_model_file(const Arguments& arguments) {
  ReportStyle style;
  std::string path, output = "-", picture;
  bool graph = false;
  ReadModelArguments arguments_of_model;
  CommandLine line("slipway inspect", "Shows the contents of a model: operators, shapes, parameters, constants.",
                   "slipway inspect model.tosa --graphs");
  line.add_report_options(style);
  line.add_option("file", path, "a model; `-` is standard input").required();
  line.add_option("-o,--output", output, "the file to write to; `-` is standard output");
  line.add_flag("--graphs", graph, "show the graph as text, a line for each operator");
  line.add_option("--graph", picture, "draw the model: a page (.html) or a file for Graphviz (.dot)");
  add_read_model_options(line, arguments_of_model);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  const convert::ReadModelOptions settings = read_model_options(arguments_of_model, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, style);
  if (!picture.empty()) {
    if (const auto file = open_named_model(path, settings, diagnostics))
      draw_model(file->vgf, picture, {}, diagnostics);
    return report(diagnostics, style);
  }
  if (!graph) {
    if (const std::optional<int> status = inspect_file(path, arguments_of_model, settings, style, output))
      return *status;
  }
  std::optional<LoadedModel> loaded = load_model(path, settings, diagnostics);
  if (loaded) {
    Diagnostics found;
    tosa::verify(loaded->model.graph, found);
    const std::string text = graph        ? tosa::print(loaded->model.graph)
                             : style.json ? convert::model_json(loaded->model)
                                          : describe_model(loaded->model);
    if (const Result<> written = write_file(output, text); !written) diagnostics.add(written.error());
    // An invalid model is shown nevertheless.
    report(found, style);
  }
  return report(diagnostics, style);
}

}  // namespace slipway::cli
