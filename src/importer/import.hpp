// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of other formats, ONNX and TensorFlow Lite, as TOSA models (docs/spec/import.md).
//
//   const auto imported = ImportedModel::open(bytes, "net.onnx", {.directory = "models"}, diagnostics);
//   const auto model = imported->specialise({.shapes = {{"x", {1, 3, 224, 224}}}}, diagnostics);
//
// A file is imported late: it is read once, and each set of shapes and parameters makes a model of its own, whose
// weights are views of the file. The interface has the names, the shapes and the order of the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "importer/import_options.hpp"
#include "importer/net.hpp"
#include "importer/read_options.hpp"
#include "tosa/model.hpp"

namespace slipway::importer {

// A tensor of the interface as the file declares it.
struct InterfaceTensor {
  std::string name;
  FileType type = FileType::F32;
  std::vector<Dimension> shape;
  bool has_shape = true;
  bool is_optional = false;  // an input with a default
};

// How many nodes of a kind a file has.
struct OperatorCount {
  std::string kind;  // with the domain, if it is not that of the format
  std::size_t count = 0;
  std::string_view obstacle;  // why it is not converted; empty: it is
};

// The constants of a file that have one type.
struct WeightCount {
  FileType type = FileType::F32;
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // as they are computed: types of less than a byte take one
};

class ImportedModel {
 public:
  // `bytes` must outlive the object and every model that it makes. Errors: those of the readers.
  static std::optional<ImportedModel> open(Bytes bytes, const std::string& name, const ReadOptions& options,
                                           Diagnostics& diagnostics);

  const Net& net() const { return *net_; }
  std::vector<InterfaceTensor> inputs(const std::string& signature = {}) const;
  std::vector<InterfaceTensor> outputs(const std::string& signature = {}) const;
  // In the order of their names. Kinds that `options` bind to shaders have no obstacle.
  std::vector<OperatorCount> operators(const ImportOptions& options = {}) const;
  std::vector<WeightCount> weights() const;  // in the order of the types

  // Errors: open-dimension (dimensions and inputs that have to be given), unsupported (all nodes that cannot be
  // converted, by kind and reason), shape-mismatch, unknown-reference (of names in the options).
  std::optional<tosa::Model> specialise(const ImportOptions& options, Diagnostics& diagnostics) const;

 private:
  explicit ImportedModel(std::shared_ptr<const Net> net) : net_(std::move(net)) {}
  std::shared_ptr<const Net> net_;
};

}  // namespace slipway::importer
