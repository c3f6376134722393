// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/inspect/inspect_imported.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "cli/command_line.hpp"
#include "cli/model/inspect/describe_model.hpp"
#include "cli/model/verbs.hpp"
#include "convert/imported_json.hpp"
#include "convert/model_json.hpp"
#include "importer/supported.hpp"

namespace slipway::cli {
namespace {

using importer::NetFormat;

std::string_view title_of(NetFormat format) { return format == NetFormat::Onnx ? "ONNX" : "TensorFlow Lite"; }

std::string shape_text(const importer::InterfaceTensor& tensor) {
  if (!tensor.has_shape) return "of any shape";
  std::string text = "[";
  for (const importer::Dimension& dimension : tensor.shape) {
    if (text.size() > 1) text += ", ";
    text += dimension.extent >= 0      ? formatted("{}", dimension.extent)
            : dimension.symbol.empty() ? "?"
                                       : dimension.symbol;
  }
  return text + "]";
}

std::string versions_text(const importer::Net& net) {
  std::string text;
  for (const auto& [domain, version] : net.versions) {
    if (!text.empty()) text += ", ";
    if (!domain.empty())
      text += formatted("{} {}", domain, version);
    else
      text += formatted("{} {}", net.format == NetFormat::Onnx ? "operator set" : "schema", version);
  }
  return text;
}

std::string describe_interface(const importer::ImportedModel& model, const std::string& signature) {
  std::string text;
  for (const importer::Signature& each : model.net().signatures) text += formatted("  signature `{}`\n", each.key);
  for (const importer::InterfaceTensor& input : model.inputs(signature)) {
    text += formatted("  input `{}`: {} {}{}\n", input.name, name_of(input.type), shape_text(input),
                      input.is_optional ? ", with a default" : "");
  }
  for (const importer::InterfaceTensor& output : model.outputs(signature))
    text += formatted("  output `{}`: {} {}\n", output.name, name_of(output.type), shape_text(output));
  return text;
}

std::string describe_operators(const importer::ImportedModel& model, const importer::ImportOptions& options) {
  std::string text;
  std::size_t nodes = 0, obstacles = 0;
  for (const importer::OperatorCount& each : model.operators(options)) {
    nodes += each.count;
    if (!each.obstacle.empty()) ++obstacles;
    text += formatted("  {:4} {}{}{}\n", each.count, each.kind, each.obstacle.empty() ? "" : ": not supported, ",
                      each.obstacle);
  }
  return formatted("  {} {}, {}\n", nodes, nodes == 1 ? "node" : "nodes",
                   obstacles == 0
                       ? "all of supported kinds"
                       : formatted("{} {} not supported", obstacles, obstacles == 1 ? "kind is" : "kinds are")) +
         text;
}

std::string describe_imported(const convert::ImportedDocument& document) {
  const importer::Net& net = document.model->net();
  std::string text = formatted("{}: {}", net.file, title_of(net.format));
  if (const std::string versions = versions_text(net); !versions.empty()) text += formatted(", {}", versions);
  if (!net.producer.empty()) text += formatted(", written by {}", net.producer);
  text += "\n" + describe_interface(*document.model, document.options->signature) +
          describe_operators(*document.model, *document.options);
  for (const importer::WeightCount& each : document.model->weights()) {
    text += formatted("  {} {} of {}: {} bytes\n", each.count, each.count == 1 ? "constant" : "constants",
                      name_of(each.type), each.bytes);
  }
  for (const auto& [name, value] : net.metadata) text += formatted("  metadata `{}`: {}\n", name, value);
  for (const std::string& obstacle : document.obstacles) text += formatted("no TOSA graph: {}\n", obstacle);
  return text;
}

// The errors with their notes, which are lists of nodes.
std::vector<std::string> obstacles_of(const Diagnostics& problems) {
  std::vector<std::string> list;
  for (const Diagnostic& problem : problems.all()) {
    if (problem.severity != Severity::Error) continue;
    list.push_back(problem.message);
    for (const DiagnosticNote& note : problem.notes) list.push_back(note.message);
  }
  return list;
}

}  // namespace

std::string inspect_imported(const ImportedInspection& inspection, Diagnostics& diagnostics) {
  const auto imported =
      importer::ImportedModel::open(inspection.bytes, inspection.name, inspection.read.files, diagnostics);
  if (!imported) return {};
  convert::ImportedDocument document{.model = &*imported, .options = &inspection.read.import};
  Diagnostics problems;
  const std::optional<tosa::Model> graph = imported->specialise(inspection.read.import, problems);
  if (graph)
    document.graph = &*graph;
  else
    document.obstacles = obstacles_of(problems);
  if (graph || inspection.must_convert) diagnostics.add(problems.release());
  if (inspection.json) return convert::imported_json(document);
  return describe_imported(document) + (graph ? describe_model(*graph) : "");
}

int inspect_supported(const Arguments& arguments) {
  ReportStyle style;
  std::string format;
  CommandLine line("slipway inspect", "Lists the operators of a format, and which of them are converted.",
                   "slipway inspect --supported onnx");
  line.add_report_options(style);
  line.add_option("--supported", format, "the format").choices({"onnx", "tflite"}).required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  const NetFormat of = format == "onnx" ? NetFormat::Onnx : NetFormat::Tflite;
  if (style.json) {
    print(convert::supported_json(of));
    return 0;
  }
  const std::vector<importer::OperatorSupport> operators = importer::operators_of(of);
  const auto converted = std::ranges::count_if(operators, [](const auto& each) { return each.obstacle.empty(); });
  std::string text = formatted("{}: {} of {} operators are converted\n", title_of(of), converted, operators.size());
  for (const importer::OperatorSupport& each : operators) {
    text += formatted("  {}{}{}{}{}\n", each.domain, each.domain.empty() ? "" : ".", each.name,
                      each.obstacle.empty() ? "" : ": ", each.obstacle);
  }
  print(text);
  return 0;
}

bool is_supported_list(const Arguments& arguments) {
  return std::ranges::any_of(arguments.words, [](const std::string& word) {
    return word == "--supported" || word.starts_with("--supported=");
  });
}

}  // namespace slipway::cli
