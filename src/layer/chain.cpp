// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/chain.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>

namespace slipway::layer {
namespace {

// In bytes; 0 for a structure that is not known.
std::size_t size_of_structure(VkStructureType type) {
  switch (type) {
#define CHAIN_STRUCT(name, stype) \
  case stype:                     \
    return sizeof(name);
#include "layer/chain_structs.def"
    default:
      return 0;
  }
}

}  // namespace

Unlinked::Unlinked(void* head, std::span<const VkStructureType> types) {
  auto* at = static_cast<VkBaseOutStructure*>(head);
  while (at->pNext != nullptr) {
    if (!std::ranges::contains(types, at->pNext->sType)) {
      at = at->pNext;
      continue;
    }
    removed_.push_back({at, at->pNext});
    at->pNext = at->pNext->pNext;
  }
}

Unlinked::~Unlinked() {
  for (const Removed& one : std::views::reverse(removed_)) one.before->pNext = one.structure;
}

const void* ChainCopy::make(const void* chain, std::span<const VkStructureType> removed,
                            std::span<const VkStructureType> edited) {
  const auto* first = static_cast<const VkBaseInStructure*>(chain);
  const VkBaseInStructure* rest = first;  // what stays as it is
  for (const VkBaseInStructure* at = first; at != nullptr; at = at->pNext) {
    if (std::ranges::contains(removed, at->sType) || std::ranges::contains(edited, at->sType)) rest = at->pNext;
  }
  const void* made = rest;
  VkBaseInStructure* last = nullptr;
  const auto append = [&](VkBaseInStructure* structure) {
    if (last != nullptr)
      last->pNext = structure;
    else
      made = structure;
    last = structure;
  };
  for (const VkBaseInStructure* at = first; at != rest; at = at->pNext) {
    if (std::ranges::contains(removed, at->sType)) continue;
    const std::size_t size = size_of_structure(at->sType);
    if (size == 0) {
      auto* structure = const_cast<VkBaseInStructure*>(at);
      changed_.push_back({structure, at->pNext});
      append(structure);
      continue;
    }
    auto copy = std::make_unique<std::uint64_t[]>((size + 7) / 8);
    std::memcpy(copy.get(), at, size);
    append(reinterpret_cast<VkBaseInStructure*>(copy.get()));
    copies_.push_back(std::move(copy));
  }
  if (last != nullptr && rest != first) last->pNext = rest;
  return made;
}

ChainCopy::~ChainCopy() {
  for (const Changed& one : changed_) one.structure->pNext = one.next;
}

}  // namespace slipway::layer
