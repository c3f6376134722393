// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a net with the shapes that its user chose (docs/spec/import.md#binding-of-open-dimensions).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "importer/import_options.hpp"
#include "importer/net.hpp"

namespace slipway::importer {

struct InterfaceInput {
  std::string name;
  NetValueId value = 0;
  FileType type = FileType::F32;
  tensor::Shape shape;
  std::optional<Array> elements;  // of an input whose elements are known before the run
  bool in_graph = true;           // false: a default that is not replaced
};

struct InterfaceOutput {
  std::string name;
  NetValueId value = 0;
  bool is_optional = false;  // is left out where a graph cannot have it
};

struct Interface {
  const NetGraph* graph = nullptr;
  std::vector<InterfaceInput> inputs;
  std::vector<InterfaceOutput> outputs;
};

// The graph and the names of its inputs and outputs, in order, for a signature; empty: the default. Errors:
// unknown-reference.
struct NamedInterface {
  const NetGraph* graph = nullptr;
  std::vector<std::pair<std::string, NetValueId>> inputs, outputs;
};
std::optional<NamedInterface> named_interface(const Net& net, const std::string& signature, Diagnostics& diagnostics);

// Whether the options name inputs and dimensions of the model. Errors: unknown-reference.
void check_names(const Net& net, const ImportOptions& options, Diagnostics& diagnostics);

// Errors: open-dimension (all of them), shape-mismatch (sources that contradict each other), unknown-reference (of
// names in the options), unsupported (types that no graph has).
std::optional<Interface> bind_interface(const Net& net, const ImportOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::importer
