// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/layout.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::spirv {

TensorLayout packed_layout(tensor::ElementType element, tensor::ShapeView shape) {
  TensorLayout layout{.element = element, .shape = {shape.begin(), shape.end()}};
  if (layout.shape.empty()) layout.shape = {1};
  layout.strides.resize(layout.shape.size());
  std::uint64_t stride = tensor::size_of(element);
  for (std::size_t i = layout.shape.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride = checked_multiply(stride, static_cast<std::uint64_t>(layout.shape[i])).value_or(~0ull);
  }
  return layout;
}

std::optional<TensorMismatch> tensor_mismatch(const TensorType& declared, tensor::ElementType element,
                                              tensor::ShapeView shape) {
  constexpr std::int64_t kScalar[] = {1};
  if (shape.empty()) shape = kScalar;
  if (declared.element != element) {
    const std::size_t declared_size = tensor::size_of(declared.element), size = tensor::size_of(element);
    const bool fits = declared_size <= size && !tensor_mismatch(declared, declared.element, shape);
    const std::string_view effect = !fits                  ? ""
                                    : declared_size < size ? "the shader accesses the first bytes of each element"
                                                           : "the shader takes the bits as its own type";
    return TensorMismatch{formatted("elements of {}", tensor::name_of(declared.element)),
                          formatted("elements of {}", tensor::name_of(element)), std::string(effect)};
  }
  if (declared.rank && *declared.rank != shape.size()) {
    return TensorMismatch{formatted("rank {}", *declared.rank), formatted("rank {}", shape.size()), {}};
  }
  const auto equal = [](std::uint64_t a, std::int64_t b) { return b >= 0 && a == static_cast<std::uint64_t>(b); };
  if (!declared.shape.empty() && !std::ranges::equal(declared.shape, shape, equal)) {
    return TensorMismatch{
        formatted("shape {}", tensor::shape_text(tensor::Shape(declared.shape.begin(), declared.shape.end()))),
        formatted("shape {}", tensor::shape_text(shape)),
        {}};
  }
  return std::nullopt;
}

}  // namespace slipway::spirv
