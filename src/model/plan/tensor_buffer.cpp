// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/tensor_buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace slipway::model {

launch::ResourceIndex add_tensor_buffer(launch::Plan& plan, std::string name, const tosa::TensorType& type) {
  const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
  plan.resources.push_back({.name = std::move(name),
                            .kind = launch::Buffer{.size = std::max<std::uint64_t>(size, 1)},
                            .initial = {},
                            .outputs = {},
                            .sharing = std::nullopt,
                            .origin = {},
                            .load_counter = {}});
  return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
}

}  // namespace slipway::model
