// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replies of the process that reads MLIR, which an invalid file may have taken over.
#include "tosa/check/verify.hpp"
#include "tosa/read/mlir/mlir_reply.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  auto reply = tosa::read_mlir_reply(bytes, bytes_of("0123456789abcdef"), {8});
  if (!reply || !reply->literals.empty()) return 0;
  Diagnostics diagnostics;
  tosa::verify(reply->graph, diagnostics);
  return 0;
}
