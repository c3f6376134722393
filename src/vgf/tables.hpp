// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of slots (scalars, offsets, union tags) of each table of vgf.fbs; a file with more has a newer format.
#pragma once

#include "vgf_generated.h"

namespace slipway::vgf {

template <class Table>
inline constexpr unsigned kSlots = 0;

#define SLIPWAY_VGF_TABLE(name, count) \
  template <>                          \
  inline constexpr unsigned kSlots<fb::name> = count;
SLIPWAY_VGF_TABLE(SPIRV, 1)
SLIPWAY_VGF_TABLE(GLSL, 1)
SLIPWAY_VGF_TABLE(HLSL, 1)
SLIPWAY_VGF_TABLE(Module, 5)
SLIPWAY_VGF_TABLE(ModuleTable, 1)
SLIPWAY_VGF_TABLE(Description, 2)
SLIPWAY_VGF_TABLE(SamplerConfig, 5)
SLIPWAY_VGF_TABLE(ModelResourceTableEntry, 7)
SLIPWAY_VGF_TABLE(ModelResourceTable, 1)
SLIPWAY_VGF_TABLE(BindingSlot, 2)
SLIPWAY_VGF_TABLE(DescriptorSetInfo, 2)
SLIPWAY_VGF_TABLE(PushConstantRange, 3)
SLIPWAY_VGF_TABLE(SegmentInfo, 10)
SLIPWAY_VGF_TABLE(GraphConstantBinding, 2)
SLIPWAY_VGF_TABLE(ModelSequenceTable, 5)
SLIPWAY_VGF_TABLE(ConstantData, 3)
SLIPWAY_VGF_TABLE(ConstantSection, 1)
#undef SLIPWAY_VGF_TABLE

}  // namespace slipway::vgf
