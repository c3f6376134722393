// Contents that stand in the scenario itself: `data`, `fill` and `random` (scenario page 3.7).
//
// An array is described by its `ArrayFormat`; `data` is checked and stored when the plan is made, `fill` and `random`
// write straight into the memory of the resource when it is loaded, whatever its size.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {

// What an array of numbers is stored as: elements of one type, or the components of texels in the device layout.
struct ArrayFormat {
  tensor::ElementType type = tensor::ElementType::U8;  // of a number; for texels the plain component's
  const tensor::FormatInfo* texel = nullptr;
  // What nested `data` looks like: a tensor's dims; of an image [H, W, C], or [D, H, W, C].
  tensor::Shape shape;

  static ArrayFormat of_elements(tensor::ElementType type, tensor::Shape shape);
  // Normalized formats (UNORM ...) take real values: texels of one component, with a dimension of 1 behind the others.
  static ArrayFormat of_tensor(vk::Format format, tensor::Shape shape);
  static ArrayFormat of_texels(const tensor::FormatInfo& texel, std::array<std::uint32_t, 3> extent);

  std::uint64_t count() const;  // of numbers; the shape is one that fits in memory
  std::uint64_t bytes() const;
};

// The one of `data`, `fill` and `random` that is given. Nothing, and errors at the JSON values concerned, when they do
// not fit the format.
std::optional<launch::Contents> inline_contents(const Contents& contents, const ArrayFormat& format,
                                                Diagnostics& diagnostics);

// Bytes that are there already.
launch::Contents stored_contents(std::vector<std::byte> bytes);

}  // namespace slipway::scenario
