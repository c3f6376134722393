// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/read_tflite.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "importer/tflite/graph_reader.hpp"
#include "importer/tflite/model_metadata.hpp"
#include "tflite_generated.h"

namespace slipway::importer {
namespace {

constexpr std::size_t kTfliteIdentifierAt = 4;
constexpr std::string_view kTfliteIdentifier = "TFL3";
constexpr std::uint32_t kTfliteVersion = 3;
constexpr std::size_t kMaxTfliteNesting = 64;
constexpr std::size_t kMaxTfliteTables = std::size_t{1} << 22;

class TfliteReader {
 public:
  explicit TfliteReader(TfliteFile& file) : file_(file), tensors_(file) {}

  std::optional<Net> run(const std::string& name) {
    net_.format = NetFormat::Tflite;
    net_.file = name;
    const fb::Model& model = file_.model();
    if (model.version() != kTfliteVersion) {
      file_.error(DiagnosticKind::Unsupported, &model,
                  formatted("the file has version {} of TensorFlow Lite's format; supported is {}", model.version(),
                            kTfliteVersion));
      return std::nullopt;
    }
    if (count_of(model.subgraphs()) == 0) {
      file_.error(DiagnosticKind::FileFormat, &model, "the file has no subgraphs");
      return std::nullopt;
    }
    net_.producer = string_of(model.description());
    net_.versions.emplace_back("tflite", model.version());
    read_kinds();
    for (std::size_t i = 0; i < count_of(model.subgraphs()) && !file_.stopped(); ++i)
      net_.graphs.push_back(std::make_shared<const NetGraph>(read_graph(file_, tensors_, kinds_, i)));
    if (!file_.stopped()) read_signatures();
    if (!file_.stopped()) read_metadata();
    return file_.errors() != 0 ? std::nullopt : std::optional(std::move(net_));
  }

 private:
  // Old files have only the old field for codes; newer ones have 127 there for codes above.
  void read_kinds() {
    for (std::size_t i = 0; i < count_of(file_.model().operator_codes()); ++i) {
      const fb::OperatorCode& from = *file_.model().operator_codes()->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (!file_.take(sizeof(OperatorKind) + string_of(from.custom_code()).size(), &from)) return;
      OperatorKind& kind = kinds_.emplace_back();
      kind.version = from.version();
      kind.code = std::max<std::int64_t>(from.deprecated_builtin_code(), from.builtin_code());
      if (kind.code == kCustomOperator) {
        kind.kind = string_of(from.custom_code());
      } else if (const BuiltinOperator* builtin = builtin_operator(kind.code)) {
        kind.builtin = builtin;
        kind.kind = builtin->name;
      }
    }
  }

  void read_signatures() {
    for (std::size_t i = 0; i < count_of(file_.model().signature_defs()) && !file_.stopped(); ++i) {
      const fb::SignatureDef& from = *file_.model().signature_defs()->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (!file_.take(sizeof(Signature) + string_of(from.signature_key()).size(), &from)) return;
      Signature signature{.key = std::string(string_of(from.signature_key())), .graph = from.subgraph_index()};
      if (signature.graph >= net_.graphs.size()) {
        file_.error(DiagnosticKind::UnknownReference, &from,
                    formatted("signature `{}` is of subgraph {}; the file has {} subgraphs", signature.key,
                              signature.graph, net_.graphs.size()));
        continue;
      }
      const NetGraph& graph = *net_.graphs[signature.graph];
      signature.inputs = names_of(from, "input", from.inputs(), graph, graph.inputs);
      signature.outputs = names_of(from, "output", from.outputs(), graph, graph.outputs);
      net_.signatures.push_back(std::move(signature));
    }
  }

  using TensorNames = std::vector<std::pair<std::string, NetValueId>>;

  // In the order of the subgraph. Tensors without a name in the signature have their own; more names of a tensor
  // follow.
  TensorNames names_of(const fb::SignatureDef& signature, std::string_view role,
                       const flatbuffers::Vector<flatbuffers::Offset<fb::TensorMap>>* list, const NetGraph& graph,
                       const std::vector<NetValueId>& ends) {
    const std::set<NetValueId> allowed(ends.begin(), ends.end());
    std::multimap<NetValueId, std::string> given;
    for (std::size_t i = 0; i < count_of(list); ++i) {
      const fb::TensorMap& from = *list->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (!file_.take(2 * sizeof(TensorNames::value_type) + string_of(from.name()).size(), &from)) return {};
      if (!allowed.contains(from.tensor_index())) {
        file_.error(DiagnosticKind::UnknownReference, &from,
                    formatted("{} `{}` of signature `{}` is tensor {}, which is not an {} of subgraph {}", role,
                              string_of(from.name()), string_of(signature.signature_key()), from.tensor_index(), role,
                              signature.subgraph_index()));
        continue;
      }
      given.emplace(from.tensor_index(), string_of(from.name()));
    }
    TensorNames names;
    for (const NetValueId id : ends) {
      const auto name = given.find(id);
      if (!file_.take(sizeof(TensorNames::value_type) + graph.values[id].name.size(), &signature)) return {};
      names.emplace_back(name == given.end() ? graph.values[id].name : name->second, id);
      if (name != given.end()) given.erase(name);
    }
    for (const auto& [id, name] : given) names.emplace_back(name, id);
    return names;
  }

  void read_metadata() {
    for (std::size_t i = 0; i < count_of(file_.model().metadata()) && !file_.stopped(); ++i) {
      const fb::Metadata& from = *file_.model().metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
      const std::string_view name = string_of(from.name());
      const std::optional<Bytes> data = tensors_.buffer(from.buffer(), formatted("metadata `{}`", name), &from);
      if (!data || !file_.take(name.size() + data->size(), &from)) continue;
      if (name != "TFLITE_METADATA") {
        net_.metadata.emplace_back(name, metadata_text(*data));
      } else if (auto texts = model_metadata(*data)) {
        net_.metadata.insert(net_.metadata.end(), texts->begin(), texts->end());
      } else {
        file_.warning(DiagnosticKind::FileFormat, &from, "the metadata `TFLITE_METADATA` are invalid");
      }
    }
  }

  TfliteFile& file_;
  TensorReader tensors_;
  Net net_;
  std::vector<OperatorKind> kinds_;
};

}  // namespace

bool is_tflite(Bytes bytes) {
  return bytes.size() >= kTfliteIdentifierAt + kTfliteIdentifier.size() &&
         text_of(bytes.subspan(kTfliteIdentifierAt, kTfliteIdentifier.size())) == kTfliteIdentifier;
}

std::optional<Net> read_tflite(Bytes bytes, const std::string& name, const ReadOptions& options,
                               Diagnostics& diagnostics) {
  if (!is_tflite(bytes)) {
    diagnostics.error(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
                      "the TensorFlow Lite file has no identifier `TFL3`; it was written before schema version 3");
    return std::nullopt;
  }
  // The data of large models are after the part that FlatBuffers can address.
  const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier::Options limits;
  limits.max_depth = kMaxTfliteNesting;
  limits.max_tables = static_cast<flatbuffers::uoffset_t>(std::min(kMaxTfliteTables - 1, size / 4 + 1));
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, limits);
  if (!fb::VerifyModelBuffer(verifier)) {
    diagnostics.error(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
                      "the tables of the file are invalid or truncated");
    return std::nullopt;
  }
  TfliteFile file(bytes, name, options, *fb::GetModel(bytes.data()), diagnostics);
  return TfliteReader(file).run(name);
}

}  // namespace slipway::importer
