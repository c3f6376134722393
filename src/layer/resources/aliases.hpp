// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and linear tensors of a device that may share memory (VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM).
//
// A linear tensor whose description has no strides is packed, unless an image for aliasing begins at the same offset of
// the same memory: then it has the rows of the image, whichever of the two is bound first.
#pragma once

#include <volk.h>

#include <map>
#include <mutex>

namespace slipway::layer {

struct TensorObject;
struct TensorViewObject;

// Safe from any thread.
class Aliases {
 public:
  void add(VkImage image);
  void remove(VkImage image);
  bool contains(VkImage image) const;
  void bind(VkImage image, VkDeviceMemory memory, VkDeviceSize offset);

  // Of tensors with TensorObject::as_image; for others these do nothing.
  void bind(TensorObject& tensor, VkDeviceMemory memory, VkDeviceSize offset);
  void remove(TensorObject& tensor);
  void add(TensorViewObject& view);
  void remove(TensorViewObject& view);

  void forget(VkDeviceMemory memory);

 private:
  struct Location {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    bool operator==(const Location&) const = default;
  };
  static void use_rows_of_image(TensorObject& tensor);

  mutable std::mutex mutex_;
  std::map<VkImage, Location> images_;
  std::map<TensorObject*, Location> tensors_;
};

}  // namespace slipway::layer
