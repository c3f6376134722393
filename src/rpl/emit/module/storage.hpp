// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage classes, as far as programs use them.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>

#include "rpl/resolved.hpp"

namespace slipway::rpl::emit {

// Where a pointer points. Laid-out classes hold types with offsets and strides, the others plain types.
enum class Storage : std::uint8_t {
  Function,
  Input,
  Output,
  Workgroup,
  UniformConstant,
  Uniform,  // from here on laid out
  StorageBuffer,
  PushConstant,
  Count,
};
constexpr bool is_laid_out(Storage storage) { return storage >= Storage::Uniform; }
constexpr spv::StorageClass class_of(Storage storage) {
  constexpr spv::StorageClass kClasses[] = {spv::StorageClass::Function,        spv::StorageClass::Input,
                                            spv::StorageClass::Output,          spv::StorageClass::Workgroup,
                                            spv::StorageClass::UniformConstant, spv::StorageClass::Uniform,
                                            spv::StorageClass::StorageBuffer,   spv::StorageClass::PushConstant};
  return kClasses[static_cast<std::size_t>(storage)];
}
constexpr Storage storage_of(ItemKind buffer) {
  switch (buffer) {
    case ItemKind::UniformBuffer:
      return Storage::Uniform;
    case ItemKind::PushConstant:
      return Storage::PushConstant;
    case ItemKind::WorkgroupBuffer:
      return Storage::Workgroup;
    default:
      return Storage::StorageBuffer;
  }
}

}  // namespace slipway::rpl::emit
