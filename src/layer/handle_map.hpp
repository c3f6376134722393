// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer knows about handles of the driver that are not dispatchable, and which handles are its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>

namespace slipway::layer {

// Safe from any thread. The object of a handle is used under Vulkan's own rules: it is not removed during its use.
template <class Handle, class T>
class HandleMap {
 public:
  T* find(Handle handle) const {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    const Shard& shard = shard_of(handle);
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    return found == shard.objects.end() ? nullptr : found->second.get();
  }
  T* add(Handle handle, std::unique_ptr<T> object) {
    T* const added = object.get();
    Shard& shard = shard_of(handle);
    const std::lock_guard lock(shard.mutex);
    const bool is_new = shard.objects.insert_or_assign(handle, std::move(object)).second;
    if (is_new) count_.fetch_add(1, std::memory_order_release);
    return added;
  }
  // Null for a handle that is not here.
  std::unique_ptr<T> remove(Handle handle) {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    Shard& shard = shard_of(handle);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    if (found == shard.objects.end()) return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    shard.objects.erase(found);
    count_.fetch_sub(1, std::memory_order_release);
    return object;
  }
  // Frees all objects.
  void clear() {
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      count_.fetch_sub(shard.objects.size(), std::memory_order_release);
      shard.objects.clear();
    }
  }

 private:
  struct Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<Handle, std::unique_ptr<T>> objects;
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
