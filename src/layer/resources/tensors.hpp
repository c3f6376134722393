// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors and their views. A tensor is a buffer of the driver in the application's memory; a view has the record that
// shaders read.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "layer/graphs/record_pool.hpp"
#include "layer/limits.hpp"
#include "tensor/shape.hpp"

namespace slipway::layer {

class LayerDevice;

// The contents of VkTensorDescriptionARM.
struct TensorDescription {
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint32_t rank = 0;
  std::uint32_t element = 0;  // bytes
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::uint64_t, kMaxRank> strides{};  // bytes
  bool packed = true;                             // without gaps
  bool optimal = false;                           // tiling
  bool has_strides = false;                       // that the application gave
  VkTensorUsageFlagsARM usage = 0;

  std::uint64_t size() const { return rank == 0 ? 0 : strides[0] * static_cast<std::uint64_t>(shape[0]); }  // bytes
  std::uint64_t packed_size() const;                                                                        // bytes
  bool aliases_images() const { return (usage & VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM) != 0; }
  // Whether a tensor of this description may have the strides of an image, which only the tensor knows.
  bool may_have_image_strides() const { return optimal || (aliases_images() && !has_strides); }
  tensor::Shape shape_of() const { return {shape.begin(), shape.begin() + rank}; }
  bool same_elements(const TensorDescription& other) const {
    return rank == other.rank && element == other.element && shape == other.shape;
  }
};

// False for a description that no tensor of the device can have.
bool read_description(const LayerDevice& device, const VkTensorDescriptionARM& from, TensorDescription& to);
// The same without images: for constants.
bool read_description(const VkTensorDescriptionARM& from, TensorDescription& to);

struct TensorViewObject;

struct TensorObject {
  TensorDescription description;
  // For a linear tensor without strides that may alias an image: the description that it has then (Aliases).
  std::optional<TensorDescription> as_image;
  std::vector<TensorViewObject*> views;  // of a tensor with `as_image`
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;  // 0 until memory is bound
};

struct TensorViewObject {
  TensorObject* tensor = nullptr;
  RecordSlot record;
};
// Writes the record that shaders read.
void write_record(const TensorViewObject& view);

// Records copies of the elements of a tensor to another buffer with another layout, or in the opposite direction.
// Shapes and elements are equal.
struct TensorRegion {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;  // of the first element
  const TensorDescription* description = nullptr;
};
void copy_elements(const LayerDevice& device, VkCommandBuffer commands, const TensorRegion& from,
                   const TensorRegion& to);

// The same shape without gaps.
TensorDescription packed(const TensorDescription& description);

}  // namespace slipway::layer
