// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of Vulkan structures: what the layer reads in them, and the chains that it passes on.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace slipway::layer {

// An array of the application; empty if it is null.
template <class T>
std::span<const T> array_of(const T* first, std::uint32_t count) {
  return first == nullptr ? std::span<const T>() : std::span(first, count);
}

// The first structure of a chain with a type, or null.
template <class T>
const T* find_in_chain(const void* chain, VkStructureType type) {
  for (const auto* at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == type) return reinterpret_cast<const T*>(at);
  }
  return nullptr;
}
template <class T>
T* find_in_chain(void* chain, VkStructureType type) {
  return const_cast<T*>(find_in_chain<T>(static_cast<const void*>(chain), type));
}

// Takes structures out of the chain of an output, which only the caller uses, and puts them back at the end.
class Unlinked {
 public:
  // `head` is a structure; it stays.
  Unlinked(void* head, std::span<const VkStructureType> types);
  Unlinked(const Unlinked&) = delete;
  ~Unlinked();

 private:
  struct Removed {
    VkBaseOutStructure* before;
    VkBaseOutStructure* structure;
  };
  std::vector<Removed> removed_;
};

// A constant chain without some structures. The structures before the last one that is removed or edited are copies,
// so that the application's memory does not change. A structure whose size is not known cannot be copied: its link is
// changed until this object is destroyed.
class ChainCopy {
 public:
  ChainCopy() = default;
  ChainCopy(const ChainCopy&) = delete;
  ~ChainCopy();

  // The chain without the structures of `removed`, in which those of `edited` are copies that `find` returns. Once.
  const void* make(const void* chain, std::span<const VkStructureType> removed,
                   std::span<const VkStructureType> edited = {});
  // A copy with a type, or null.
  template <class T>
  T* find(VkStructureType type) {
    for (const auto& copy : copies_) {
      auto* structure = reinterpret_cast<VkBaseOutStructure*>(copy.get());
      if (structure->sType == type) return reinterpret_cast<T*>(structure);
    }
    return nullptr;
  }

 private:
  struct Changed {
    VkBaseInStructure* structure;
    const VkBaseInStructure* next;
  };
  std::vector<std::unique_ptr<std::uint64_t[]>> copies_;
  std::vector<Changed> changed_;
};

}  // namespace slipway::layer
