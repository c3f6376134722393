// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extensions that older versions of SPIRV-Tools do not know: tensors, graphs, floats of 8 and 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::spirv {

// Their names, such as SPV_ARM_tensors: those that a module uses and SPIRV-Tools does not know; of any module.
std::vector<std::string_view> unknown_extensions(std::span<const std::uint32_t> module);
std::vector<std::string_view> unknown_extensions();
// "SPIRV-Tools v2025.1 does not know `SPV_ARM_tensors`".
std::string do_not_know(std::span<const std::string_view> extensions);

struct NewerInstruction {
  std::uint32_t type = 0, result = 0;  // 0 without
  std::vector<std::size_t> ids;        // which of its words are ids
};

// Reads the instructions of these extensions, in their order.
class NewerInstructions {
 public:
  // All words of an instruction. Nothing: it is not one of them.
  std::optional<NewerInstruction> read(std::span<const std::uint32_t> words);

 private:
  std::vector<std::uint32_t> sets_;    // of extended instructions for graphs
  std::vector<std::uint32_t> floats_;  // types
};

}  // namespace slipway::spirv
