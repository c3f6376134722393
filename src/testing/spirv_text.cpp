// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/spirv_text.hpp"

#include <spirv-tools/libspirv.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace slipway::testing {

std::vector<std::uint32_t> assemble(std::string_view text) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
  tools.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t& position, const char* message) {
    std::fprintf(stderr, "%zu:%zu: %s\n", position.line + 1, position.column + 1, message);
  });
  std::vector<std::uint32_t> words;
  if (!tools.Assemble(std::string(text), &words) || !tools.Validate(words)) std::abort();
  return words;
}

}  // namespace slipway::testing
