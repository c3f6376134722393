// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/read_model.hpp"

#include "base/format.hpp"
#include "foreign/recognise.hpp"
#include "tosa/read/mlir/read_mlir.hpp"
#include "tosa/read/read_tosa.hpp"
#include "tosa/text.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {
namespace {

constexpr std::string_view kMlirBytecode = "ML\xEFR";

// Files that are not models, beside those of other programs.
std::string_view other_format(Bytes bytes, std::string_view name) {
  const std::string_view text = text_of(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{' && !text.substr(first).starts_with("{-#")) return "JSON";
  if (name.ends_with(".tosa")) return "not a TOSA FlatBuffers file: the identifier `TOSA` is missing";
  return {};
}

std::optional<tosa::Model> read_text(Bytes bytes, const std::string& name, Diagnostics& diagnostics) {
  auto graph = tosa::parse(make_source(name, std::string(text_of(bytes))), diagnostics);
  if (!graph) return std::nullopt;
  tosa::Model model;
  model.file = name;
  model.graph = std::move(*graph);
  for (const tosa::ValueId input : model.graph.inputs) {
    if (const std::string& own = model.graph[input].name; !own.empty()) model.input_names.push_back(own);
  }
  if (model.input_names.size() != model.graph.inputs.size()) model.input_names.clear();
  return model;
}

void rename(std::vector<std::string>& names, std::string_view what) {
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = formatted("tosa_deserialized_{}_{}:0", what, i);
}

}  // namespace

bool is_graph_text(std::string_view text) {
  while (true) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return false;
    text.remove_prefix(first);
    if (!text.starts_with("//")) return text.starts_with("graph ");
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

ModelFormat detect_format(Bytes bytes) {
  if (tosa::is_tosa(bytes)) return ModelFormat::TosaFlatBuffers;
  if (text_of(bytes).starts_with(kMlirBytecode)) return ModelFormat::MlirBytecode;
  if (vgf::is_vgf(bytes)) return ModelFormat::Vgf;
  return is_graph_text(text_of(bytes)) ? ModelFormat::GraphText : ModelFormat::MlirText;
}

bool has_entry(ModelFormat format, const std::string& name, const std::string& entry, Diagnostics& diagnostics) {
  if (entry.empty() || format == ModelFormat::MlirText || format == ModelFormat::MlirBytecode) return true;
  diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(name),
                    formatted("the file has no function `{}`; only MLIR modules have functions", entry));
  return false;
}

std::optional<tosa::Model> read_model(Bytes bytes, const std::string& name, const ReadModelOptions& options,
                                      Diagnostics& diagnostics) {
  const ModelFormat format = detect_format(bytes);
  if (!has_entry(format, name, options.entry, diagnostics)) return std::nullopt;
  if (format == ModelFormat::TosaFlatBuffers) {
    auto model = tosa::read_tosa(bytes, name, diagnostics);
    if (model && options.io_names == IoNames::Deserialized) {
      rename(model->input_names, "input");
      rename(model->output_names, "output");
    }
    return model;
  }
  if (format == ModelFormat::GraphText) return read_text(bytes, name, diagnostics);
  if (const foreign::ForeignFormat* other =
          format == ModelFormat::Vgf ? nullptr : foreign::recognise({.bytes = bytes, .path = name})) {
    diagnostics.add(foreign::explain(*other, name));
    return std::nullopt;
  }
  if (const std::string_view other = other_format(bytes, name); !other.empty() || format == ModelFormat::Vgf) {
    diagnostics.error(
        DiagnosticKind::NotRecognised, SourceLocation::in_file(name),
        formatted("the file is {}; a model is TOSA FlatBuffers, MLIR or a graph as text (not TFLite, ONNX "
                  "or TOSA JSON)",
                  format == ModelFormat::Vgf ? "a VGF file" : other));
    return std::nullopt;
  }
  return tosa::read_mlir(bytes, name, {.entry = options.entry, .done_with = options.done_with}, diagnostics);
}

}  // namespace slipway::convert
