// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/aliases.hpp"

#include <algorithm>

#include "layer/resources/tensors.hpp"

namespace slipway::layer {

void Aliases::add(VkImage image) {
  const std::scoped_lock lock(mutex_);
  images_[image] = {};
}

void Aliases::remove(VkImage image) {
  const std::scoped_lock lock(mutex_);
  images_.erase(image);
}

bool Aliases::contains(VkImage image) const {
  const std::scoped_lock lock(mutex_);
  return images_.contains(image);
}

void Aliases::bind(VkImage image, VkDeviceMemory memory, VkDeviceSize offset) {
  const std::scoped_lock lock(mutex_);
  const auto found = images_.find(image);
  if (found == images_.end() || memory == VK_NULL_HANDLE) return;
  found->second = {memory, offset};
  for (const auto& [tensor, where] : tensors_) {
    if (where == found->second) use_rows_of_image(*tensor);
  }
}

void Aliases::bind(TensorObject& tensor, VkDeviceMemory memory, VkDeviceSize offset) {
  if (!tensor.as_image) return;
  const std::scoped_lock lock(mutex_);
  const Location where = tensors_[&tensor] = {memory, offset};
  if (std::ranges::any_of(images_, [&](const auto& image) { return image.second == where; })) use_rows_of_image(tensor);
}

void Aliases::remove(TensorObject& tensor) {
  if (!tensor.as_image) return;
  const std::scoped_lock lock(mutex_);
  tensors_.erase(&tensor);
}

void Aliases::add(TensorViewObject& view) {
  if (!view.tensor->as_image) return write_record(view);
  const std::scoped_lock lock(mutex_);
  view.tensor->views.push_back(&view);
  write_record(view);
}

void Aliases::remove(TensorViewObject& view) {
  // The tensor of the view may be destroyed already.
  const std::scoped_lock lock(mutex_);
  for (const auto& [tensor, where] : tensors_) std::erase(tensor->views, &view);
}

void Aliases::forget(VkDeviceMemory memory) {
  const std::scoped_lock lock(mutex_);
  for (auto& [image, where] : images_) {
    if (where.memory == memory) where = {};
  }
  for (auto& [tensor, where] : tensors_) {
    if (where.memory == memory) where = {};
  }
}

void Aliases::use_rows_of_image(TensorObject& tensor) {
  tensor.description = *tensor.as_image;
  for (const TensorViewObject* view : tensor.views) write_record(*view);
}

}  // namespace slipway::layer
