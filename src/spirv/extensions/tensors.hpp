// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Older versions of SPIRV-Tools do not know the extensions SPV_ARM_tensors and SPV_ARM_graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slipway::spirv {

// False: `validate` accepts each module that has tensors or graphs.
bool validates_tensors();
// Whether a module has what this version does not know.
bool has_unknown_extensions(std::span<const std::uint32_t> module);

struct TensorInstruction {
  std::uint32_t type = 0, result = 0;  // 0 without
  std::vector<std::size_t> ids;        // which of its words are ids
};

// Reads the instructions of the two extensions, in their order.
class TensorInstructions {
 public:
  // All words of an instruction. Nothing: it is not one of them.
  std::optional<TensorInstruction> read(std::span<const std::uint32_t> words);

 private:
  std::vector<std::uint32_t> sets_;  // of extended instructions for graphs
};

}  // namespace slipway::spirv
