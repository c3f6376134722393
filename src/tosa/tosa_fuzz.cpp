// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read as a `.tosa` file or refused. A model that was read can be verified, printed, and written again.
#include "tosa/check/verify.hpp"
#include "tosa/read/read_tosa.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_spirv.hpp"
#include "tosa/write/write_tosa.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto model = tosa::read_tosa(std::as_bytes(std::span(data, size)), "fuzz.tosa", diagnostics);
  if (!model) return 0;
  tosa::verify(model->graph, diagnostics);
  (void)tosa::print(model->graph);
  (void)tosa::write_tosa(*model);
  if (!diagnostics.has_errors()) (void)tosa::write_graph_module(model->graph);
  return 0;
}
