// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads any text as OpenCL C declarations.
#include <cstdlib>

#include "base/bytes.hpp"
#include "recipe/backends/opencl/source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  for (const recipe::opencl::KernelInfo& kernel : recipe::opencl::kernels_of_source(text_of(bytes))) {
    for (const recipe::opencl::KernelArgument& argument : kernel.arguments) {
      // The size of a value is at least one byte per element.
      const bool value = argument.kind == recipe::opencl::KernelArgument::Kind::Value;
      if (value != argument.element.has_value() || (value && argument.size < argument.count)) std::abort();
    }
    static_cast<void>(recipe::opencl::default_signature(kernel));
  }
  return 0;
}
