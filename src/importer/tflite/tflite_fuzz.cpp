// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read as a TensorFlow Lite file or refused. The constants of a net that was read have the bytes that
// their types and shapes need.
#include <cstdlib>

#include "importer/tflite/read_tflite.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const std::optional<importer::Net> net =
      importer::read_tflite(std::as_bytes(std::span(data, size)), "fuzz.tflite", {}, diagnostics);
  if (net.has_value() == diagnostics.has_errors()) std::abort();
  if (!net) return 0;
  for (const auto& graph : net->graphs) {
    for (const importer::NetValue& value : graph->values) {
      if (!value.constant || !importer::is_computable(value.constant->type)) continue;
      const Size count = tensor::element_count(value.constant->shape);
      if (!count || *count != value.constant->count()) std::abort();
      if (*count != 0) (void)value.constant->real(*count - 1);
    }
    for (const importer::NetNode& node : graph->nodes) (void)node.label();
  }
  return 0;
}
