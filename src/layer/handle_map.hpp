// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer knows about handles of the driver that are not dispatchable, and which handles are its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "platform/shared_mutex.hpp"

namespace slipway::layer {

// Safe from any thread. The object of a handle is used under Vulkan's own rules: it is not removed during its use.
template <class Handle, class T>
class HandleMap {
 public:
  T* find(Handle handle) const {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    const Shard& shard = shard_of(handle);
    if (T* const latest = shard.latest_of(handle)) return latest;
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    if (found == shard.objects.end()) return nullptr;
    shard.note_latest(handle, found->second.get());
    return found->second.get();
  }
  T* add(Handle handle, std::unique_ptr<T> object) {
    T* const added = object.get();
    Shard& shard = shard_of(handle);
    const std::scoped_lock lock(shard.mutex);
    shard.forget_latest();
    const bool is_new = shard.objects.insert_or_assign(handle, std::move(object)).second;
    if (is_new) count_.fetch_add(1, std::memory_order_release);
    return added;
  }
  // Null for a handle that is not here.
  std::unique_ptr<T> remove(Handle handle) {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    Shard& shard = shard_of(handle);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    if (found == shard.objects.end()) return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    shard.forget_latest();
    shard.objects.erase(found);
    count_.fetch_sub(1, std::memory_order_release);
    return object;
  }
  // Frees all objects.
  void clear() {
    for (Shard& shard : shards_) {
      const std::scoped_lock lock(shard.mutex);
      count_.fetch_sub(shard.objects.size(), std::memory_order_release);
      shard.forget_latest();
      shard.objects.clear();
    }
  }

 private:
  struct Shard {
    mutable platform::SharedMutex mutex;
    std::unordered_map<Handle, std::unique_ptr<T>> objects;
    // The object that was found last is found again without the lock: calls for one command buffer follow each other.
    // The number of changes is odd during a change. What was read is valid if the number was even, and is the same
    // afterwards.
    mutable std::atomic<std::uint32_t> changes = 0;
    mutable std::atomic<Handle> latest_handle{};
    mutable std::atomic<T*> latest_object = nullptr;

    T* latest_of(Handle handle) const {
      const std::uint32_t before = changes.load(std::memory_order_acquire);
      const bool is_latest = latest_handle.load(std::memory_order_acquire) == handle;
      T* const object = latest_object.load(std::memory_order_acquire);
      const std::uint32_t after = changes.load(std::memory_order_relaxed);
      return is_latest && before % 2 == 0 && before == after ? object : nullptr;
    }
    // With the lock, which finding shares: if another thread is changing it, this one does not.
    void note_latest(Handle handle, T* object) const {
      std::uint32_t before = changes.load(std::memory_order_relaxed);
      if (before % 2 != 0 || !changes.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) return;
      latest_handle.store(handle, std::memory_order_release);
      latest_object.store(object, std::memory_order_release);
      changes.store(before + 2, std::memory_order_release);
    }
    // With the lock, alone.
    void forget_latest() { note_latest({}, nullptr); }
  };
  static constexpr std::size_t kShards = 16;
  static std::size_t index_of(Handle handle) {
    std::uint64_t bits = 0;
    if constexpr (std::is_pointer_v<Handle>)
      bits = reinterpret_cast<std::uint64_t>(handle);
    else
      bits = handle;
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15u) >> 60);
  }
  Shard& shard_of(Handle handle) { return shards_[index_of(handle)]; }
  const Shard& shard_of(Handle handle) const { return shards_[index_of(handle)]; }

  std::array<Shard, kShards> shards_;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace slipway::layer
