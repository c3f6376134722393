// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/commands/state_record.hpp"

#include <algorithm>
#include <new>

namespace slipway::layer {
namespace {

constexpr std::size_t kChunkSize = 2048;
constexpr std::size_t kStateAlignment = alignof(std::max_align_t);
static_assert(sizeof(StateRecord::Call) % kStateAlignment == 0);

}  // namespace

const void* Payload::chain(const void* from) {
  if (from == nullptr) return nullptr;
  const auto copy = [&]<class T>(const T* one) -> const void* {
    return array(one, 1, [&](T& edited) { edited.pNext = chain(edited.pNext); });
  };
  switch (static_cast<const VkBaseInStructure*>(from)->sType) {
    case VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT:
      return copy(static_cast<const VkDepthBiasRepresentationInfoEXT*>(from));
    case VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO:
      return copy(static_cast<const VkBufferUsageFlags2CreateInfo*>(from));
    case VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_PUSH_DESCRIPTOR_BUFFER_HANDLE_EXT:
      return copy(static_cast<const VkDescriptorBufferBindingPushDescriptorBufferHandleEXT*>(from));
    default:
      fail();
      return nullptr;
  }
}

void StateRecord::clear() {
  if (slots_ == nullptr) return;
  slots_->fill({});
  earliest_ = latest_ = nullptr;
  chunk_ = used_ = 0;
}

std::byte* StateRecord::keep(const Bounds& bounds, std::size_t size, Replay replay) {
  return keep(bounds, size, replay, [&](const Call& old) { return bounds.contains(old.bounds); });
}

bool StateRecord::make_slots() {
  slots_.reset(new (std::nothrow) std::array<Slot, static_cast<std::size_t>(StateSlot::Count)>());
  return slots_ != nullptr;
}

StateRecord::Call* StateRecord::take(Slot& slot, std::size_t size) {
  for (Call** at = &slot.unused; *at != nullptr; at = &(*at)->next) {
    Call* const found = *at;
    if (found->capacity < size) continue;
    *at = found->next;
    return found;
  }
  const std::size_t capacity =
      (std::max<std::size_t>(size, 16) + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
  const std::size_t needed = sizeof(Call) + capacity;
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < needed) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    try {
      const std::size_t bytes = std::max(kChunkSize << std::min<std::size_t>(chunk_, 8), needed);
      chunks_.reserve(chunk_ + 1);
      chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), bytes});
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    used_ = 0;
  }
  Call* const made = new (chunks_[chunk_].memory.get() + used_) Call;
  made->capacity = static_cast<std::uint32_t>(capacity);
  used_ += needed;
  return made;
}

}  // namespace slipway::layer
