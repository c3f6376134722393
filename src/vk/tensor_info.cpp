// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/tensor_info.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tensor/format.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {
namespace {

// The limits on one tensor that is packed.
struct Extent {
  std::string_view limit;
  std::string_view what;
  double value;
};

}  // namespace

std::string missing_for_tensor(const Snapshot& snapshot, const TensorInfo& info) {
  const tensor::FormatInfo* format = tensor::find_format(info.format);
  const std::uint64_t features = snapshot.format_features(info.format).linear_tensor;
  const bool for_shaders = !info.shaders || (features & format_feature::kTensorShader);
  const bool for_graphs = !info.graphs || (features & format_feature::kTensorDataGraph);
  if (!format || !for_shaders || !for_graphs) {
    return formatted("tensors of {} in {}", name_of(info.format), for_shaders ? "graphs" : "shaders");
  }
  double elements = 1, longest = 0;
  for (const std::int64_t extent : info.shape) {
    elements *= static_cast<double>(extent);
    longest = std::max(longest, static_cast<double>(extent));
  }
  const Extent extents[] = {
      {"maxTensorDimensionCount", "dimensions", static_cast<double>(info.shape.size())},
      {"maxTensorElements", "elements", elements},
      {"maxPerDimensionTensorElements", "elements in a dimension", longest},
      {"maxTensorSize", "bytes", elements * format->texel_bytes},
      {"maxTensorStride", "bytes a stride",
       info.shape.empty() ? 0 : elements / static_cast<double>(info.shape[0]) * format->texel_bytes},
  };
  for (const Extent& extent : extents) {
    const auto limit = snapshot.limits_by_name.find(extent.limit);
    if (limit != snapshot.limits_by_name.end() && extent.value > limit->second)
      return formatted("tensors of {:.0f} {} (`{}` is {:.0f})", extent.value, extent.what, extent.limit, limit->second);
  }
  return {};
}

}  // namespace slipway::vk
