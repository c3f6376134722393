// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "recipe/control_code/print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto file =
      recipe::control_code::read_control_code(std::as_bytes(std::span(data, size)), "fuzz.elf", diagnostics);
  if (!file) return 0;
  recipe::control_code::print_control_code(*file);
  for (const recipe::control_code::ControlKernel& kernel : file->kernels) (void)find_instance(*file, kernel.name);
  json::Writer out;
  recipe::control_code::write_control_code(*file, out);
  return 0;
}
