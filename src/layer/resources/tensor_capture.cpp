// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/tensor_capture.hpp"

#include <cstring>

#include "layer/resources/capture.hpp"

namespace slipway::layer {
namespace {

constexpr std::uint64_t kAlignment = 16;

}  // namespace

TensorCapture::~TensorCapture() {
  std::uint32_t executed = 0;
  if (memory_.mapped != nullptr) std::memcpy(&executed, memory_.mapped + offsets_.back(), sizeof executed);
  try {
    if (executed != 0) {
      std::vector<Bytes> contents;
      for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
        contents.emplace_back(memory_.mapped + offsets_[i], graph_.tensors[i].description.packed_size());
      write_tensors(device_, graph_, contents);
    }
  } catch (...) {
    device_.instance->message(MessageLevel::Error, "out of memory while the tensors of a graph are written");
  }
  destroy_host_buffer(device_, memory_);
}

bool TensorCapture::begin() {
  if (begun_.exchange(true)) return false;
  std::uint64_t size = 0;
  for (const CapturedGraph::Tensor& one : graph_.tensors) {
    offsets_.push_back(size);
    size += (one.description.packed_size() + kAlignment - 1) / kAlignment * kAlignment;
  }
  offsets_.push_back(size);
  if (create_host_buffer(device_, size + kAlignment, VK_BUFFER_USAGE_TRANSFER_DST_BIT, memory_) != VK_SUCCESS) {
    device_.instance->message(MessageLevel::Warning, "no memory for the tensors of a graph; they are not captured");
    return false;
  }
  std::memset(memory_.mapped + size, 0, kAlignment);
  return true;
}

void TensorCapture::copy(VkCommandBuffer commands, std::size_t index, const TensorRegion& from) const {
  const TensorDescription without_gaps = packed(*from.description);
  copy_elements(device_, commands, from, {memory_.buffer, offsets_[index], &without_gaps});
}

void TensorCapture::end(VkCommandBuffer commands) const {
  device_.next.vkCmdFillBuffer(commands, memory_.buffer, offsets_.back(), sizeof(std::uint32_t), 1);
  const VkMemoryBarrier to_host{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  device_.next.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                    &to_host, 0, nullptr, 0, nullptr);
}

}  // namespace slipway::layer
