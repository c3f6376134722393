// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contents given in the scenario itself: `data`, `fill` and `random` (docs/spec/scenario.md#additive-keys).
//
// An array is described by its `ArrayFormat`. `data` is checked and stored when the plan is made; `fill` and `random`
// write directly into the memory of the resource when it is loaded, so that their size is not limited by host memory.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {

// The stored form of an array of numbers: elements of one type, or the components of texels in the device layout.
struct ArrayFormat {
  tensor::ElementType type = tensor::ElementType::U8;  // of a number; for texels the plain component's
  const tensor::FormatInfo* texel = nullptr;
  // The shape of nested `data`: the dims of a tensor; for an image [H, W, C], or [D, H, W, C] with its slices or
  // layers.
  tensor::Shape shape;

  static ArrayFormat of_elements(tensor::ElementType type, tensor::Shape shape);
  // Normalized formats (UNORM ...) take real values: texels of one component, with a last dimension of 1.
  static ArrayFormat of_tensor(vk::Format format, tensor::Shape shape);
  static ArrayFormat of_texels(const tensor::FormatInfo& texel, std::array<std::uint32_t, 3> extent);

  std::uint64_t count() const;  // of numbers; the shape must fit in memory
  std::uint64_t bytes() const;
};

// Builds the one of `data`, `fill` and `random` that is given. Empty, with errors at the JSON values, when the values
// do not match the format.
std::optional<launch::Contents> inline_contents(const Contents& contents, const ArrayFormat& format,
                                                Diagnostics& diagnostics);

// Contents of existing bytes.
launch::Contents stored_contents(std::vector<std::byte> bytes);

}  // namespace slipway::scenario
