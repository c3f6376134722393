// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is parsed as a graph or rejected; a parsed graph is converted to VGF, or an error is reported.
#include "convert/convert.hpp"
#include "convert/read_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (convert::detect_format(bytes) != convert::ModelFormat::GraphText) return 0;
  Diagnostics diagnostics;
  auto model = convert::read_model(bytes, "fuzz.graph", {}, diagnostics);
  if (!model) return 0;
  // Constants may be declared far larger than the text.
  for (const tosa::Value& value : model->graph.values) {
    if (tensor::byte_count(value.type.shape, storage_of(value.type.data)).value_or(0) > 1 << 20) return 0;
  }
  auto converted = convert::convert(*model, {}, diagnostics);
  if (converted) (void)converted->file.finish();
  return 0;
}
