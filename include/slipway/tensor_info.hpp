// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element type and shape of a tensor: an input or output of a model, or a captured resource of a scenario.
//
// Tensors are packed, in row-major order, in the byte order of the machine. Elements narrower than a byte take a byte
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

struct TensorInfo {
  std::string name;                 // of the file, otherwise `input_0`, `output_0`, ...
  std::string element_type;         // f32, i8, bf16, ... (docs/tensors.md)
  std::size_t element_size = 0;     // bytes
  std::vector<std::int64_t> shape;  // -1: the caller chooses it (PrepareOptions::shapes)

  // Bytes of the tensor; 0 while a dimension is open.
  std::size_t size() const {
    std::size_t bytes = element_size;
    for (const std::int64_t extent : shape) bytes *= extent < 0 ? 0 : static_cast<std::size_t>(extent);
    return bytes;
  }
};

}  // namespace slipway
