// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` and `slipway inspect` on models of TOSA operators.
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "cli/model/draw_model.hpp"
#include "cli/model/open_model.hpp"
#include "cli/model/verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/run/interrupts.hpp"
#include "convert/convert.hpp"
#include "convert/model_json.hpp"
#include "convert/read_model.hpp"
#include "json/writer.hpp"
#include "tensor/element.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/cost.hpp"
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
  auto model = convert::read_model(content->content().bytes, path == "-" ? "<stdin>" : path, settings, diagnostics);
  if (!model) return std::nullopt;
  return LoadedModel{std::move(*content), std::move(*model)};
}

// Finds everything that a conversion would find.
void check(tosa::Model& model, Diagnostics& diagnostics) { convert::convert(model, {}, diagnostics); }

std::map<std::string, int> operators_of(const tosa::Graph& graph) {
  std::map<std::string, int> counts;
  for (const tosa::Node& node : graph.nodes)
    ++counts[node.op == tosa::Op::CUSTOM ? formatted("CUSTOM {}", node.custom->domain) : std::string(name_of(node.op))];
  return counts;
}

std::string describe(const tosa::Model& model) {
  const tosa::Graph& graph = model.graph;
  const tosa::Parameters parameters = tosa::parameters_of(graph);
  std::string text = formatted("{}: {} operators, {} parameters in {} constants ({} bytes), {} multiply-adds\n",
                               model.file, graph.nodes.size(), parameters.elements, parameters.count, parameters.bytes,
                               tosa::cost_of(graph).multiply_adds);
  const auto values = [&](std::span<const tosa::ValueId> list, const std::vector<std::string>& names,
                          std::string_view what) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      text += formatted("  {} {}{}: {}\n", what, i, i < names.size() ? formatted(" `{}`", names[i]) : "",
                        text_of(graph[list[i]].type));
    }
  };
  values(graph.inputs, model.input_names, "input");
  values(graph.outputs, model.output_names, "output");
  for (const auto& [name, count] : operators_of(graph)) text += formatted("  {:4} {}\n", count, name);
  for (const tosa::Constant& constant : graph.constants) {
    const convert::Statistics statistics = convert::statistics_of(graph, constant);
    const std::string& name = graph[constant.value].name;
    text += formatted("constant{}: {}, {} to {}, {:.0f}% zeros\n", name.empty() ? "" : formatted(" `{}`", name),
                      text_of(graph[constant.value].type), tensor::shortest_text(statistics.min),
                      tensor::shortest_text(statistics.max),
                      100.0 * static_cast<double>(statistics.zeros) /
                          static_cast<double>(std::max<std::uint64_t>(statistics.count, 1)));
  }
  return text;
}

}  // namespace

bool is_tosa_file(const Content& content) {
  return convert::detect_format(content.bytes) == convert::ModelFormat::TosaFlatBuffers;
}
bool is_graph_text_file(const Content& content) { return convert::is_graph_text(text_of(content.bytes)); }

bool is_mlir_file(const Content& content) {
  constexpr std::size_t kSearched = 1 << 16;
  const std::string_view text = text_of(content.bytes).substr(0, kSearched);
  return convert::detect_format(content.bytes) == convert::ModelFormat::MlirBytecode ||
         content.path.extension() == ".mlir" || text.contains("func.func @") || text.contains("\"func.func\"(");
}

int check_model_file(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check", "Finds every error in models of TOSA operators and shaders.",
                   "slipway check model.tosa");
  line.add_report_options(style);
  line.add_option("files", files, "models; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& path : files) {
    if (report_interrupt(path, diagnostics)) continue;
    if (std::optional<LoadedModel> loaded = load_model(path, {}, diagnostics)) check(loaded->model, diagnostics);
  }
  diagnostics.enforce_rules();
  return report(diagnostics, style, stdout);
}

int inspect_model_file(const Arguments& arguments) {
  ReportStyle style;
  std::string path, output = "-", picture;
  bool graph = false;
  convert::ReadModelOptions settings{.io_names = convert::IoNames::Tensor};
  CommandLine line("slipway inspect", "Shows the contents of a model: operators, shapes, parameters, constants.",
                   "slipway inspect model.tosa --graphs");
  line.add_report_options(style);
  line.add_option("file", path, "a model; `-` is standard input").required();
  line.add_option("-o,--output", output, "the file to write to; `-` is standard output");
  line.add_flag("--graphs", graph, "show the graph as text, a line for each operator");
  line.add_option("--graph", picture, "draw the model: a page (.html) or a file for Graphviz (.dot)");
  add_function_option(line, settings.entry);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  if (!picture.empty()) {
    if (const auto file = open_named_model(path, settings.entry, diagnostics))
      draw_model(file->vgf, picture, {}, diagnostics);
    return report(diagnostics, style);
  }
  std::optional<LoadedModel> loaded = load_model(path, settings, diagnostics);
  if (loaded) {
    Diagnostics found;
    tosa::verify(loaded->model.graph, found);
    const std::string text = graph        ? tosa::print(loaded->model.graph)
                             : style.json ? convert::model_json(loaded->model)
                                          : describe(loaded->model);
    if (const Result<> written = write_file(output, text); !written) diagnostics.add(written.error());
    // An invalid model is shown nevertheless.
    report(found, style);
  }
  return report(diagnostics, style);
}

}  // namespace slipway::cli
