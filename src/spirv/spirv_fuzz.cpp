// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/tools.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const Result<spirv::Module> module = spirv::read_module(bytes, "fuzz.spv");
  if (!module) return 0;
  // Reflection must not fault on invalid modules.
  if (const auto reflection = spirv::reflect(*module)) spirv::print_reflection(*reflection);
  constexpr std::size_t kSmall = 2048;  // the validator is slow
  if (size <= kSmall) (void)spirv::validate(module->words(), "fuzz.spv");
  return 0;
}
