// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of ONNX graphs that are not results of nodes, and what the file declares of values.
#pragma once

#include "importer/onnx/declared_type.hpp"
#include "importer/onnx/read/scope.hpp"

namespace slipway::importer::onnx {

class ValueReader {
 public:
  // `has_initializers_as_inputs`: every initializer is an input too.
  ValueReader(OnnxFile& file, bool has_initializers_as_inputs)
      : file_(file), has_initializers_as_inputs_(has_initializers_as_inputs) {}

  // A new value. Empty if the name is taken, which is reported.
  std::optional<NetValueId> declare(Scope& scope, std::string_view name, const Context& where);

  void read_input(const Context& parent, Bytes part, Scope& scope, bool is_main);
  // After the inputs.
  void read_initializer(const Context& parent, Bytes part, Scope& scope);
  void read_sparse_initializer(const Context& parent, Bytes part, Scope& scope);
  // After the nodes.
  void read_value_infos(const Context& parent, const Submessages& parts, Scope& scope);
  void read_output(const Context& parent, Bytes part, Scope& scope, bool is_main);

 private:
  void error(DiagnosticKind kind, const Context& where, std::string message) {
    file_.error(kind, where.message, std::move(message));
  }
  void set_initializer(const Context& where, std::string_view name, std::optional<Array> array, Scope& scope);
  void check_interface(const Context& where, const DeclaredType& declared, bool is_output);

  OnnxFile& file_;
  bool has_initializers_as_inputs_;
};

}  // namespace slipway::importer::onnx
