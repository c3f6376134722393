// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is parsed as a graph or rejected; a parsed graph is converted to VGF, or an error is reported. The same
// graph with any of its values as outputs is converted too: each output of the file must be written by a segment, or be
// an input.
#include <cstdlib>

#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "tosa_cases/random_outputs.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

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
  tosa::Model other = *model;
  other.output_names.clear();
  tosa_cases::Random random(size);
  tosa_cases::pick_outputs(other.graph, random);
  Diagnostics problems;
  auto picked = convert::convert(other, {}, problems);
  const auto file = picked ? picked->file.finish() : Result<std::vector<std::byte>>(fail(Failure{}));
  if (!file) return 0;
  const auto read = vgf::read_vgf(*file, "fuzz.vgf", problems);
  if (!read) std::abort();
  Diagnostics checked;
  vgf::check_vgf(*read, checked);
  for (const Diagnostic& problem : checked.all()) {
    if (problem.message.starts_with("output ")) std::abort();
  }
  return 0;
}
