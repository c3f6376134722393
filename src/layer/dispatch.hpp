// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer knows about each instance, physical device and device, and how it finds that from a handle.
//
// The first word of a dispatchable handle is the loader's dispatch key: all handles of one instance, and all handles of
// one device, have the same. The layer wraps no dispatchable handle. Handles of tensors, tensor views, data graph
// pipelines and sessions are pointers to objects of the layer.
#pragma once

#include <volk.h>
// After the types of Vulkan.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "layer/device_offer.hpp"
#include "layer/settings.hpp"
#include "vk/snapshot.hpp"

namespace slipway::layer {

struct InstanceTable {
#define NEXT_INSTANCE(name) PFN_##name name = nullptr;
#include "layer/functions.def"
};

struct DeviceTable {
#define NEXT_DEVICE(name) PFN_##name name = nullptr;
#define NEXT_DEVICE_ALIAS(name, core) PFN_##core core = nullptr;
#include "layer/functions.def"
};

// The functions of state_functions.def, each under its own name.
struct StateTable {
#define STATE_FUNCTION(name, keeper) PFN_##name name = nullptr;
#include "layer/commands/state_functions.def"
};

class LayerInstance;

struct LayerPhysicalDevice {
  VkPhysicalDevice handle = nullptr;
  LayerInstance* instance = nullptr;
  vk::Snapshot snapshot;  // of the driver
  // Of a record in a descriptor buffer; 0 where tensors are not offered there.
  std::size_t record_descriptor_size = 0;
  Offer offer;
};

// Writes what the layer offers of its extensions' features to the structures of a chain.
void write_features(const LayerPhysicalDevice& device, void* chain);

enum class MessageLevel { Error, Warning, Info, Debug };

class LayerInstance {
 public:
  VkInstance handle = nullptr;
  std::uint32_t api = 0;  // that the application asked for
  PFN_vkGetInstanceProcAddr next_proc_addr = nullptr;
  PFN_GetPhysicalDeviceProcAddr next_physical_proc_addr = nullptr;
  InstanceTable next;
  Settings settings;

  // Reads the device on first use. Null if the driver does not answer.
  const LayerPhysicalDevice* physical_device(VkPhysicalDevice device);
  // Writes a message to the log, and passes it to the application's messengers.
  void message(MessageLevel level, std::string_view text) const;
  // The same with each diagnostic. A rule that is a warning is something that the layer repaired: each is reported
  // once.
  void report(std::span<const Diagnostic> problems) const;
  // Reports something that an application does against the specification, and that works nevertheless, once.
  void repaired(std::string_view text) const;

 private:
  std::size_t record_descriptor_size(const LayerPhysicalDevice& device) const;

  std::mutex mutex_;
  mutable std::mutex repairs_mutex_;
  mutable std::set<std::string, std::less<>> repairs_;  // that were reported
  std::map<VkPhysicalDevice, std::unique_ptr<LayerPhysicalDevice>> devices_;
};

// A lock that needs no initialisation at run time: std::mutex does in some C++ libraries.
class ConstantLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) taken_.wait(true, std::memory_order_relaxed);
  }
  void unlock() {
    taken_.clear(std::memory_order_release);
    taken_.notify_one();
  }

 private:
  std::atomic_flag taken_;
};

// From handles to what the layer knows about them. Finding takes no lock: entries are only added and reused, and they
// are freed with the last one, when no handle is valid.
template <class T>
class ByDispatchKey {
 public:
  // The handle must be valid.
  T* find(const void* handle) const {
    const void* const key = key_of(handle);
    for (const Entry* at = first_.load(std::memory_order_acquire); at != nullptr; at = at->next) {
      if (at->key.load(std::memory_order_acquire) == key) return at->value.load(std::memory_order_relaxed);
    }
    return nullptr;
  }
  void add(const void* handle, std::unique_ptr<T> value) {
    const std::scoped_lock lock(mutex_);
    ++count_;
    for (Entry* at = first_.load(std::memory_order_relaxed); at != nullptr; at = at->next) {
      if (at->key.load(std::memory_order_relaxed) != nullptr) continue;
      at->value.store(value.release(), std::memory_order_relaxed);
      at->key.store(key_of(handle), std::memory_order_release);
      return;
    }
    auto* const entry = new Entry;
    entry->value.store(value.release(), std::memory_order_relaxed);
    entry->key.store(key_of(handle), std::memory_order_relaxed);
    entry->next = first_.load(std::memory_order_relaxed);
    first_.store(entry, std::memory_order_release);
  }
  std::unique_ptr<T> remove(const void* handle) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<T> removed;
    for (Entry* at = first_.load(std::memory_order_relaxed); at != nullptr; at = at->next) {
      if (at->key.load(std::memory_order_relaxed) != key_of(handle)) continue;
      at->key.store(nullptr, std::memory_order_release);
      removed.reset(at->value.exchange(nullptr));
      --count_;
      break;
    }
    if (count_ == 0) {
      for (Entry* at = first_.exchange(nullptr); at != nullptr;) delete std::exchange(at, at->next);
    }
    return removed;
  }

 private:
  struct Entry {
    std::atomic<const void*> key = nullptr;
    std::atomic<T*> value = nullptr;
    Entry* next = nullptr;
  };
  static const void* key_of(const void* handle) { return *static_cast<const void* const*>(handle); }

  std::atomic<Entry*> first_ = nullptr;
  ConstantLock mutex_;
  std::size_t count_ = 0;
};

class LayerDevice;

// The loader and the layer agree on version 2 of their interface.
VkResult negotiate(VkNegotiateLayerInterface* interface);

ByDispatchKey<LayerInstance>& instances();
ByDispatchKey<LayerDevice>& devices();

inline LayerInstance& instance_of(const void* handle) { return *instances().find(handle); }
inline LayerDevice& device_of(const void* handle) { return *devices().find(handle); }

// A function of the layer by its name in Vulkan. One table per file.
struct NamedFunction {
  std::string_view name;
  PFN_vkVoidFunction function;
};
template <class Function>
NamedFunction named(std::string_view name, Function* function) {
  return {name, reinterpret_cast<PFN_vkVoidFunction>(function)};
}
std::span<const NamedFunction> physical_device_functions();
// Whether a function of physical devices belongs to an extension that the layer offers, so that the driver need not
// have it.
bool is_of_this_layer(std::string_view name);
std::span<const NamedFunction> device_functions();  // creation and destruction
std::span<const NamedFunction> tensor_functions();  // the following are for devices with tensors
std::span<const NamedFunction> descriptor_functions();
std::span<const NamedFunction> shader_functions();
std::span<const NamedFunction> command_functions();
std::span<const NamedFunction> binding_functions();
std::span<const NamedFunction> image_functions();
std::span<const NamedFunction> object_functions();
std::span<const NamedFunction> graph_functions();
std::span<const NamedFunction> after_bind_functions();
std::span<const NamedFunction> state_functions();  // for devices with graphs; null for a function without state
// Whether a function sets state of a command buffer, or begins what lasts.
bool sets_state(std::string_view name);

// Calls `body`, which returns a VkResult; an exception becomes an error code.
template <class Body>
VkResult guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return VK_ERROR_INITIALIZATION_FAILED;
  }
}

// The two calls with which an application queries an array.
template <class T>
VkResult write_array(std::span<const T> from, std::uint32_t* count, T* to) {
  if (to == nullptr) {
    *count = static_cast<std::uint32_t>(from.size());
    return VK_SUCCESS;
  }
  const auto written = std::min<std::size_t>(*count, from.size());
  for (std::size_t i = 0; i < written; ++i) {
    if constexpr (requires(T one) { one.pNext; }) {
      const auto next = to[i].pNext;
      to[i] = from[i];
      to[i].pNext = next;
    } else {
      to[i] = from[i];
    }
  }
  *count = static_cast<std::uint32_t>(written);
  return written < from.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace slipway::layer
