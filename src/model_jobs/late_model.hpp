// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model of another format that becomes a graph when the shapes of its inputs are known. The file is read once, and
// imported for each set of shapes and values.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::convert {
struct ReadModelOptions;
}
namespace slipway::importer {
struct InterfaceTensor;
}

namespace slipway::model {

struct ModelFile;
class Stages;

class LateModel {
 public:
  // Of inputs, by name. The elements are those of inputs that may decide shapes, in the types of the file.
  using Shapes = std::map<std::string, std::vector<std::int64_t>>;
  using Values = std::map<std::string, std::vector<std::byte>>;
  struct Imported {
    std::shared_ptr<const ModelFile> file;
    std::vector<std::string> bound;  // inputs whose values decided shapes
  };

  // `owner` keeps `bytes`, which are an ONNX or TensorFlow Lite file. Null after an error: those of the readers.
  static std::shared_ptr<LateModel> open(std::shared_ptr<const void> owner, Bytes bytes, const std::string& name,
                                         const convert::ReadModelOptions& read, Diagnostics& diagnostics);
  ~LateModel();

  // Without inputs that have a default.
  std::vector<importer::InterfaceTensor> inputs() const;
  std::vector<importer::InterfaceTensor> outputs() const;
  // Whether an input has an extent that neither the file nor the options decide.
  bool is_open() const;
  // Whether an import has failed because the elements of an input must be known.
  bool needs_values() const;

  // The last few results are kept. Empty after an error: those of importing and converting. `stages` may be null.
  std::optional<Imported> import(const Shapes& shapes, const Values& values, Diagnostics& diagnostics,
                                 Stages* stages = nullptr);

 private:
  struct State;
  explicit LateModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slipway::model
