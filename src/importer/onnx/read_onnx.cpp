// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read_onnx.hpp"

#include "base/format.hpp"
#include "importer/onnx/read/graph_reader.hpp"

namespace slipway::importer {
namespace onnx {
namespace {

constexpr std::int64_t kMaxIrVersion = 14;
// From these on, models import operator sets, and initializers need not be inputs.
constexpr std::int64_t kFirstWithOperatorSets = 3, kFirstWithConstants = 4;

class ModelReader {
 public:
  ModelReader(Bytes bytes, const std::string& name, const ReadOptions& options, Diagnostics& diagnostics)
      : bytes_(bytes), name_(name), file_(bytes, name, options, diagnostics), diagnostics_(diagnostics) {}

  std::optional<Net> run() {
    const std::size_t errors = diagnostics_.errors();
    const Context where{.kind = {}, .message = bytes_};
    const bool is_whole = decode(file_, where, bytes_, model_);
    if (model_.graph) {
      read(where);
    } else if (is_whole) {
      file_.error(DiagnosticKind::FileFormat, bytes_, "the model has no graph");
    }
    file_.finish();
    return diagnostics_.errors() == errors ? std::optional(std::move(net_)) : std::nullopt;
  }

 private:
  void read(const Context& where) {
    const std::int64_t ir_version = checked_ir_version();
    Versions versions = read_versions(file_, where, model_.opset_import);
    if (model_.opset_import.empty()) {
      if (ir_version >= kFirstWithOperatorSets)
        file_.error(DiagnosticKind::FileFormat, bytes_, "the model imports no operator set");
      versions.emplace_back("", 1);
    }
    if (!model_.training_info.empty()) {
      file_.remark(DiagnosticKind::Unsupported, model_.training_info.front(),
                   "`training_info` is ignored: the model is for inference");
    }
    FunctionTable functions;
    functions.read(file_, model_.functions);
    net_.graphs.push_back(read_main_graph({.file = file_,
                                           .functions = functions,
                                           .versions = versions,
                                           .has_initializers_as_inputs = ir_version < kFirstWithConstants},
                                          model_.graph));
    net_.format = NetFormat::Onnx;
    net_.file = name_;
    net_.versions = std::move(versions);
    net_.producer = model_.producer_name;
    if (!model_.producer_version.empty()) net_.producer += formatted(" {}", model_.producer_version);
    read_metadata(where);
  }

  std::int64_t checked_ir_version() {
    const std::int64_t version = model_.ir_version.value_or(0);
    if (version < 1) {
      file_.error(
          DiagnosticKind::FileFormat, bytes_,
          model_.ir_version ? formatted("`ir_version` is {}", version) : std::string("`ir_version` is missing"));
    } else if (version > kMaxIrVersion) {
      file_.warning(DiagnosticKind::VersionNewer, bytes_,
                    formatted("`ir_version` is {}; the newest known one is {}", version, kMaxIrVersion));
    }
    return version;
  }

  void read_metadata(const Context& where) {
    for (const Bytes part : model_.metadata_props) {
      StringStringEntryProto entry;
      if (decode(file_, context_of<StringStringEntryProto>(where, "metadata_props", part), part, entry))
        net_.metadata.emplace_back(entry.key, entry.value);
    }
  }

  Bytes bytes_;
  const std::string& name_;
  OnnxFile file_;
  Diagnostics& diagnostics_;
  ModelProto model_;
  Net net_;
};

}  // namespace
}  // namespace onnx

std::optional<Net> read_onnx(Bytes bytes, const std::string& name, const ReadOptions& options,
                             Diagnostics& diagnostics) {
  return onnx::ModelReader(bytes, name, options, diagnostics).run();
}

}  // namespace slipway::importer
