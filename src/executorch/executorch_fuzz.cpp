// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read as an ExecuTorch program or refused. The payloads of a program that was read are in the file.
#include <cstdlib>

#include "executorch/describe.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  Diagnostics diagnostics;
  const std::optional<executorch::Program> program = executorch::read_program(bytes, "fuzz.pte", diagnostics);
  if (program.has_value() == diagnostics.has_errors()) std::abort();
  if (!program) return 0;
  for (const executorch::Method& method : program->methods) {
    for (const executorch::Delegate& delegate : method.delegates) {
      if (delegate.offset + delegate.payload.size() > size) std::abort();
      if (!delegate.payload.empty() && delegate.payload.data() != bytes.data() + delegate.offset) std::abort();
    }
  }
  if (executorch::describe(*program).empty() || executorch::program_json(*program).empty()) std::abort();
  Diagnostics problems;
  const auto model = executorch::find_model(bytes, "fuzz.pte", "", problems);
  if (model.has_value() == problems.has_errors()) std::abort();
  return 0;
}
