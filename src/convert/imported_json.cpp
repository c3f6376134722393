// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/imported_json.hpp"

#include "convert/model_json.hpp"
#include "importer/supported.hpp"
#include "json/record.hpp"

namespace slipway::convert {
namespace {

using importer::Dimension, importer::InterfaceTensor, importer::NetFormat, importer::OperatorCount,
    importer::OperatorSupport, importer::WeightCount;
using json::Integer, json::List, json::Nested, json::OneOf, json::Record, json::Text;

constexpr std::string_view kFormats[] = {"onnx", "tflite"};

// A number, or the symbol of an open dimension; null: it is open and has none.
struct DimensionCodec {
  void write(json::Writer& out, const Dimension& from) const {
    if (from.extent >= 0)
      out.value(from.extent);
    else if (from.symbol.empty())
      out.null();
    else
      out.value(std::string_view(from.symbol));
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(R"({"type": ["integer", "string", "null"], "minimum": 0, "minLength": 1})");
  }
};

const Record<InterfaceTensor>& tensor_record() {
  using T = InterfaceTensor;
  static const auto record =
      Record<T>("interface_tensor", "an input or output of the model, as the file declares it")
          .required("name", &T::name, Text{}, "of the file")
          .required(
              "type", [](const T& from) { return name_of(from.type); }, Text{}, "of its elements, as ONNX spells it")
          .optional(
              "shape", [](const T& from) { return from.has_shape ? &from.shape : nullptr; }, List{DimensionCodec()},
              "numbers, and symbols of open dimensions or null; absent: any rank")
          .required("optional", &T::is_optional, json::Boolean{}, "an input with a default");
  return record;
}

const Record<OperatorCount>& operator_count_record() {
  using O = OperatorCount;
  static const auto record =
      Record<O>("kind_of_operator", "the nodes of one kind, in all graphs of the file")
          .required("operator", &O::kind, Text{}, "with its domain if it is another's")
          .required(
              "count", [](const O& from) { return from.count; }, Integer{}, "of nodes")
          .optional(
              "obstacle",
              [](const O& from) { return from.obstacle.empty() ? std::nullopt : std::optional(from.obstacle); }, Text{},
              "why it cannot be converted; absent: it can");
  return record;
}

const Record<WeightCount>& weight_record() {
  using C = WeightCount;
  static const auto record =
      Record<C>("weights", "the constants of one type")
          .required(
              "type", [](const C& from) { return name_of(from.type); }, Text{}, "of their elements")
          .required(
              "count", [](const C& from) { return from.count; }, Integer{}, "of tensors")
          .required("bytes", &C::bytes, Integer{}, "in memory; an element of less than a byte takes one");
  return record;
}

struct Pair {
  std::string name, value;
};

const Record<Pair>& metadata_record() {
  static const auto record = Record<Pair>("metadata", "an entry that the producer added")
                                 .required("name", &Pair::name, Text{}, "its key")
                                 .required("value", &Pair::value, Text{}, "its text");
  return record;
}

struct Version {
  std::string domain;
  std::int64_t version = 0;
};

const Record<Version>& version_record() {
  static const auto record = Record<Version>("version", "a set of operators, or the schema of the file")
                                 .required("domain", &Version::domain, Text{}, "empty: of the format itself")
                                 .required("version", &Version::version, Integer{}, "its number");
  return record;
}

std::vector<Pair> metadata_of(const importer::Net& net) {
  std::vector<Pair> list;
  for (const auto& [name, value] : net.metadata) list.push_back({name, value});
  return list;
}

std::vector<Version> versions_of(const importer::Net& net) {
  std::vector<Version> list;
  for (const auto& [domain, version] : net.versions) list.push_back({domain, version});
  return list;
}

std::vector<std::string> signatures_of(const importer::Net& net) {
  std::vector<std::string> keys;
  for (const importer::Signature& signature : net.signatures) keys.push_back(signature.key);
  return keys;
}

const Record<ImportedDocument>& imported_record() {
  using D = ImportedDocument;
  static const auto record =
      Record<D>("imported_model", "a model of another format, and the TOSA model that it becomes")
          .required(
              "format", [](const D& from) { return name_of(from.model->net().format); }, OneOf{kFormats}, "of the file")
          .required(
              "producer", [](const D& from) { return &from.model->net().producer; }, Text{},
              "the program that wrote the file, and its version; may be empty")
          .required(
              "versions", [](const D& from) { return versions_of(from.model->net()); }, List{Nested(version_record())},
              "of the operators")
          .required(
              "metadata", [](const D& from) { return metadata_of(from.model->net()); }, List{Nested(metadata_record())},
              "in the order of the file")
          .required(
              "signatures", [](const D& from) { return signatures_of(from.model->net()); }, List{Text{}},
              "the ways to call a TensorFlow Lite model")
          .required(
              "inputs", [](const D& from) { return from.model->inputs(from.options->signature); },
              List{Nested(tensor_record())}, "in order")
          .required(
              "outputs", [](const D& from) { return from.model->outputs(from.options->signature); },
              List{Nested(tensor_record())}, "in order")
          .required(
              "operators", [](const D& from) { return from.model->operators(*from.options); },
              List{Nested(operator_count_record())}, "by their names")
          .required(
              "weights", [](const D& from) { return from.model->weights(); }, List{Nested(weight_record())},
              "by their types")
          .optional(
              "graph", [](const D& from) { return from.graph; }, Nested(model_record()),
              "the TOSA model, with the shapes and parameters that are given; absent: they make none")
          .required(
              "obstacles", [](const D& from) { return &from.obstacles; }, List{Text{}}, "why there is no TOSA model");
  return record;
}

const Record<OperatorSupport>& support_record() {
  using O = OperatorSupport;
  static const auto record =
      Record<O>("supported_operator", "an operator of the format")
          .required("domain", &O::domain, Text{}, "empty: of the format itself")
          .required("operator", &O::name, Text{}, "its name")
          .optional(
              "obstacle",
              [](const O& from) { return from.obstacle.empty() ? std::nullopt : std::optional(from.obstacle); }, Text{},
              "why it is not converted; absent: it is");
  return record;
}

struct SupportedOperators {
  NetFormat format;
};

const Record<SupportedOperators>& supported_record() {
  static const auto record =
      Record<SupportedOperators>("supported", "the operators of a format")
          .required(
              "format", [](const SupportedOperators& from) { return name_of(from.format); }, OneOf{kFormats},
              "of models")
          .required(
              "operators", [](const SupportedOperators& from) { return importer::operators_of(from.format); },
              List{Nested(support_record())}, "by domain and name");
  return record;
}

}  // namespace

std::string_view name_of(NetFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

std::string imported_json(const ImportedDocument& document) { return json::object_text(imported_record(), document); }
std::string imported_schema() {
  return json::schema_text("what `slipway inspect --json` prints for an ONNX or TensorFlow Lite model", "",
                           {&imported_record().table()});
}

std::string supported_json(NetFormat format) {
  return json::object_text(supported_record(), SupportedOperators{format});
}
std::string supported_schema() {
  return json::schema_text("what `slipway inspect --supported --json` prints", "", {&supported_record().table()});
}

}  // namespace slipway::convert
