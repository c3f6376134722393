// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that an application has set in a command buffer: the calls with which it did, as far as no later call has
// replaced them, in the order of their time. Making them again sets the same state. Example: of two viewports, a
// pipeline and another first viewport, the second viewport's call, the pipeline and the last call are left.
#pragma once

#include <volk.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace slipway::layer {

class LayerDevice;

// What a call sets. Calls of different functions may set the same; their order then decides.
enum class StateSlot : std::uint16_t {
  Shaders,  // pipelines and shader objects, by stages
  Sets,     // descriptor sets, pushed descriptors and offsets in descriptor buffers, by stages and number
  PushConstants,
#define STATE_FUNCTION(name, keeper) name,
#include "layer/commands/state_functions.def"
  Count
};

// Copies what arguments of a call point to. Without memory it only counts the bytes.
class Payload {
 public:
  explicit Payload(std::size_t used, std::byte* memory = nullptr) : memory_(memory), size_(used) {}

  // Null for nothing.
  template <class T>
  const T* array(const T* from, std::size_t count) {
    if (from == nullptr || count == 0) return nullptr;
    T* const to = reserve<T>(count);
    if (memory_ == nullptr) return from;
    std::copy_n(from, count, to);
    return to;
  }
  // `edit` exchanges the pointers of a copied element.
  template <class T, class Edit>
  const T* array(const T* from, std::size_t count, Edit edit) {
    if (from == nullptr || count == 0) return nullptr;
    T* const to = reserve<T>(count);
    for (std::size_t i = 0; i < count; ++i) {
      T copy;
      std::memcpy(&copy, from + i, sizeof copy);
      edit(copy);
      if (memory_ != nullptr) std::memcpy(to + i, &copy, sizeof copy);
    }
    return memory_ == nullptr ? from : to;
  }
  template <class T, class Make>
  const T* made(std::size_t count, Make make) {
    T* const to = reserve<T>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const T one = make(i);
      if (memory_ != nullptr) to[i] = one;
    }
    return to;
  }
  // Elements with a distance in bytes.
  template <class T>
  const T* strided(const void* from, std::size_t count, std::size_t stride) {
    T* const to = reserve<T>(count);
    for (std::size_t i = 0; i < count && memory_ != nullptr; ++i)
      std::memcpy(to + i, static_cast<const std::byte*>(from) + i * stride, sizeof(T));
    return to;
  }
  // A chain of structures; one that is not known makes the payload incomplete.
  const void* chain(const void* from);
  void fail() { complete_ = false; }

  std::size_t size() const { return size_; }
  bool complete() const { return complete_; }

 private:
  template <class T>
  T* reserve(std::size_t count) {
    const std::size_t at = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
    size_ = at + count * sizeof(T);
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at);
  }

  std::byte* memory_;
  std::size_t size_;
  bool complete_ = true;
};

class StateRecord {
 public:
  using Replay = void (*)(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload);

  // What a call sets within a slot: bits, and a range for each.
  struct Bounds {
    StateSlot slot{};
    std::uint32_t mask = 1, first = 0, count = 1;
    bool contains(const Bounds& other) const {
      return (other.mask & ~mask) == 0 && other.first >= first &&
             std::uint64_t{other.first} + other.count <= std::uint64_t{first} + count;
    }
  };
  struct alignas(alignof(std::max_align_t)) Call {
    Call *before = nullptr, *after = nullptr;  // in time
    Call* next = nullptr;                      // of the slot
    Replay replay = nullptr;
    Bounds bounds;
    std::uint32_t capacity = 0;  // bytes of the payload
    std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
    const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }
  };

  StateRecord() = default;
  StateRecord(const StateRecord&) = delete;

  // Forgets everything; the memory is used again.
  void clear();
  // Memory for the payload of a call that is the latest from now on. Earlier ones of the slot for which
  // `replaces` is true are forgotten. Null without memory.
  template <class Replaces>
  std::byte* keep(const Bounds& bounds, std::size_t size, Replay replay, Replaces replaces) {
    Call* call = nullptr;
    if (slots_ == nullptr && !make_slots()) return nullptr;
    Slot& slot = (*slots_)[static_cast<std::size_t>(bounds.slot)];
    for (Call** at = &slot.used; *at != nullptr;) {
      Call* const old = *at;
      if (!replaces(*old)) {
        at = &old->next;
        continue;
      }
      *at = old->next;
      unlink(*old);
      if (call == nullptr && old->capacity >= size) {
        call = old;
      } else {
        old->next = slot.unused;
        slot.unused = old;
      }
    }
    if (call == nullptr) call = take(slot, size);
    if (call == nullptr) return nullptr;
    call->next = slot.used;
    slot.used = call;
    call->bounds = bounds;
    call->replay = replay;
    call->before = latest_;
    call->after = nullptr;
    (latest_ != nullptr ? latest_->after : earliest_) = call;
    latest_ = call;
    return call->payload();
  }
  // Replaces what the bounds contain.
  std::byte* keep(const Bounds& bounds, std::size_t size, Replay replay);
  // Forgets the calls of a slot for which `of` is true.
  template <class Of>
  void forget(StateSlot which, Of of) {
    if (slots_ == nullptr) return;
    Slot& slot = (*slots_)[static_cast<std::size_t>(which)];
    for (Call** at = &slot.used; *at != nullptr;) {
      Call* const old = *at;
      if (!of(*old)) {
        at = &old->next;
        continue;
      }
      *at = old->next;
      unlink(*old);
      old->next = slot.unused;
      slot.unused = old;
    }
  }

  // From the earliest to the latest.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Call* at = earliest_; at != nullptr; at = at->after) visit(*at);
  }

 private:
  struct Slot {
    Call *used = nullptr, *unused = nullptr;
  };
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  bool make_slots();
  Call* take(Slot& slot, std::size_t size);
  void unlink(const Call& call) {
    (call.before != nullptr ? call.before->after : earliest_) = call.after;
    (call.after != nullptr ? call.after->before : latest_) = call.before;
  }

  std::unique_ptr<std::array<Slot, static_cast<std::size_t>(StateSlot::Count)>> slots_;
  Call *earliest_ = nullptr, *latest_ = nullptr;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0, used_ = 0;  // the chunk in use, and its bytes that are
};

}  // namespace slipway::layer
