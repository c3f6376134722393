// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/read_model.hpp"

#include "base/format.hpp"
#include "base/mlir_bytecode.hpp"
#include "foreign/recognise.hpp"
#include "importer/import.hpp"
#include "importer/onnx/read_onnx.hpp"
#include "importer/tflite/read_tflite.hpp"
#include "tosa/read/mlir/read_mlir.hpp"
#include "tosa/read/read_tosa.hpp"
#include "tosa/text.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {
namespace {

// MLIR text has no NUL, and most binary files have one soon.
bool is_text(Bytes bytes) {
  constexpr std::size_t kSearched = 1 << 16;
  return !text_of(bytes).substr(0, kSearched).contains('\0');
}

// Files that are not models, beside those of other programs.
std::string_view other_format(Bytes bytes, std::string_view name) {
  const std::string_view text = text_of(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{' && !text.substr(first).starts_with("{-#")) return "JSON";
  if (name.ends_with(".tosa")) return "not a TOSA FlatBuffers file: the identifier `TOSA` is missing";
  if (!is_mlir_bytecode(bytes) && !is_text(bytes)) return "binary data of an unknown format";
  return {};
}

void not_a_model(std::string_view what, const std::string& name, Diagnostics& diagnostics) {
  diagnostics.error(DiagnosticKind::NotRecognised, SourceLocation::in_file(name),
                    formatted("the file is {}; a model is ONNX, TensorFlow Lite, TOSA FlatBuffers, MLIR or a graph as "
                              "text (not TOSA JSON)",
                              what));
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

ModelFormat detect_format(Bytes bytes, std::string_view name) {
  if (tosa::is_tosa(bytes)) return ModelFormat::TosaFlatBuffers;
  if (is_mlir_bytecode(bytes)) return ModelFormat::MlirBytecode;
  if (vgf::is_vgf(bytes)) return ModelFormat::Vgf;
  if (importer::is_tflite(bytes)) return ModelFormat::Tflite;
  if (importer::is_onnx(bytes) || (name.ends_with(".onnx") && !is_text(bytes))) return ModelFormat::Onnx;
  return is_graph_text(text_of(bytes)) ? ModelFormat::GraphText : ModelFormat::MlirText;
}

bool is_imported(Bytes bytes, std::string_view name) {
  const ModelFormat format = detect_format(bytes, name);
  return format == ModelFormat::Onnx || format == ModelFormat::Tflite;
}

bool options_apply(ModelFormat format, const std::string& name, const ReadModelOptions& options,
                   Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const SourceLocation file = SourceLocation::in_file(name);
  if (!options.entry.empty() && format != ModelFormat::MlirText && format != ModelFormat::MlirBytecode)
    diagnostics.error(DiagnosticKind::UnknownReference, file,
                      formatted("the file has no function `{}`; only MLIR modules have functions", options.entry));
  if (format == ModelFormat::Onnx || format == ModelFormat::Tflite) return diagnostics.errors() == before;
  const importer::ImportOptions& import = options.import;
  if (!import.shaders.empty())
    diagnostics.error(DiagnosticKind::UnknownReference, file,
                      formatted("the file has no nodes of the kind `{}`; `--shader` binds nodes of ONNX and TensorFlow "
                                "Lite models",
                                import.shaders.begin()->first));
  const std::pair<std::string_view, bool> others[] = {
      {"--shape", !import.shapes.empty()},        {"--dim", !import.dimensions.empty()},
      {"--bind", !import.bound.empty()},          {"--expose", !import.expose.empty()},
      {"--signature", !import.signature.empty()}, {"--arithmetic", import.arithmetic != importer::Arithmetic::OfFormat},
      {"--data-dir", options.chooses_directory},  {"--follow-links", options.files.follow_links}};
  for (const auto& [option, is_given] : others) {
    if (is_given)
      diagnostics.error(DiagnosticKind::Usage, file, formatted("`{}` is for ONNX and TensorFlow Lite models", option));
  }
  return diagnostics.errors() == before;
}

ReadModelOptions beside(const Path& file, ReadModelOptions options) {
  if (options.files.directory.empty()) options.files.directory = directory_of(file);
  return options;
}

std::optional<tosa::Model> read_model(Bytes bytes, const std::string& name, const ReadModelOptions& options,
                                      Diagnostics& diagnostics) {
  const ModelFormat format = options.format ? *options.format : detect_format(bytes, name);
  if (!options_apply(format, name, options, diagnostics)) return std::nullopt;
  if (format == ModelFormat::TosaFlatBuffers) {
    auto model = tosa::read_tosa(bytes, name, diagnostics);
    if (model && options.io_names == IoNames::Deserialized) {
      rename(model->input_names, "input");
      rename(model->output_names, "output");
    }
    return model;
  }
  if (format == ModelFormat::Onnx || format == ModelFormat::Tflite) {
    const auto imported = importer::ImportedModel::open(bytes, name, options.files, diagnostics);
    return imported ? imported->specialise(options.import, diagnostics) : std::nullopt;
  }
  if (format == ModelFormat::GraphText) return read_text(bytes, name, diagnostics);
  if (format == ModelFormat::Vgf) {
    not_a_model("a VGF file", name, diagnostics);
    return std::nullopt;
  }
  Diagnostics problems;
  if (format == ModelFormat::MlirBytecode || is_text(bytes)) {
    auto model = tosa::read_mlir(bytes, name, {.entry = options.entry, .done_with = options.done_with}, problems);
    if (model) {
      diagnostics.add(problems.release());
      return model;
    }
  }
  // Only now, because a file that can be read may look like any other.
  if (const foreign::ForeignFormat* other = foreign::recognise({.bytes = bytes, .path = name}))
    diagnostics.add(foreign::explain(*other, name, problems.release()));
  else if (const std::string_view format_name = other_format(bytes, name); !format_name.empty())
    not_a_model(format_name, name, diagnostics);
  else
    diagnostics.add(problems.release());
  return std::nullopt;
}

}  // namespace slipway::convert
