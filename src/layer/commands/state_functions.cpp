// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of state_functions.def. A keeper states what a call sets (`bounds`), and copies what its arguments point
// to (`copy`), which then make the call again.
#include <algorithm>
#include <tuple>

#include "layer/commands/commands.hpp"
#include "layer/device.hpp"

namespace slipway::layer {
namespace {

using Bounds = StateRecord::Bounds;

// --- keepers ---------------------------------------------------------------------------------------------------------

// One value, or several that are always set together.
struct Values {
  template <class... Arguments>
  static Bounds bounds(StateSlot slot, const Arguments&...) {
    return {slot};
  }
  static void copy(Payload&, const auto&...) {}
};

// The first argument says what is set: faces of stencils, a bind point.
struct ByFirst : Values {
  template <class First, class... Arguments>
  static Bounds bounds(StateSlot slot, First first, const Arguments&...) {
    if constexpr (std::is_same_v<First, VkPipelineBindPoint>)
      return {slot, 1, static_cast<std::uint32_t>(first)};
    else
      return {slot, static_cast<std::uint32_t>(first)};
  }
};

// Arrays with a number of elements, from an index on.
struct Range {
  template <class... Arguments>
  static Bounds bounds(StateSlot slot, std::uint32_t first, std::uint32_t count, const Arguments&...) {
    return {slot, 1, first, count};
  }
  template <class... Elements>
  static void copy(Payload& into, std::uint32_t, std::uint32_t count, const Elements*&... arrays) {
    const auto one = [&]<class T>(const T*& array) {
      if constexpr (requires(T element) { element.pNext; })
        array = into.array(array, count, [&](T& element) { element.pNext = into.chain(element.pNext); });
      else
        array = into.array(array, count);
    };
    (one(arrays), ...);
  }
};

// An array that replaces a longer one, too.
struct Whole : Values {
  template <class T>
  static void copy(Payload& into, std::uint32_t count, const T*& array) {
    array = into.array(array, count);
  }
};

struct Info : Values {
  template <class T>
  static void copy(Payload& into, const T*& info) {
    info = into.array(info, 1, [&](T& one) {
      if (one.pNext != nullptr) into.fail();
    });
  }
};

struct DepthBias : Values {
  static void copy(Payload& into, const VkDepthBiasInfoEXT*& info) {
    info = into.array(info, 1, [&](VkDepthBiasInfoEXT& one) { one.pNext = into.chain(one.pNext); });
  }
};

struct Four : Values {
  static void copy(Payload& into, const float*& values) { values = into.array(values, 4); }
};

struct ClampRange : Values {
  static void copy(Payload& into, VkDepthClampModeEXT, const VkDepthClampRangeEXT*& range) {
    range = into.array(range, 1);
  }
};

struct ShadingRate : Values {
  using Combiners = const VkFragmentShadingRateCombinerOpKHR*;
  static void copy(Payload& into, const VkExtent2D*& size, Combiners& combiners) {
    size = into.array(size, 1);
    combiners = into.array(combiners, 2);
  }
  static void copy(Payload& into, VkFragmentShadingRateNV, Combiners& combiners) {
    combiners = into.array(combiners, 2);
  }
};

struct SampleMask : Values {
  static void copy(Payload& into, VkSampleCountFlagBits samples, const VkSampleMask*& mask) {
    mask = into.array(mask, (static_cast<std::uint32_t>(samples) + 31) / 32);
  }
};

struct SampleLocations : Values {
  static void copy(Payload& into, const VkSampleLocationsInfoEXT*& info) {
    info = into.array(info, 1, [&](VkSampleLocationsInfoEXT& one) {
      if (one.pNext != nullptr) into.fail();
      one.pSampleLocations = into.array(one.pSampleLocations, one.sampleLocationsCount);
    });
  }
};

struct VertexInput : Values {
  static void copy(Payload& into, std::uint32_t binding_count, const VkVertexInputBindingDescription2EXT*& bindings,
                   std::uint32_t attribute_count, const VkVertexInputAttributeDescription2EXT*& attributes) {
    const auto alone = [&](auto& one) {
      if (one.pNext != nullptr) into.fail();
    };
    bindings = into.array(bindings, binding_count, alone);
    attributes = into.array(attributes, attribute_count, alone);
  }
};

struct Palettes : Range {
  static void copy(Payload& into, std::uint32_t, std::uint32_t count, const VkShadingRatePaletteNV*& palettes) {
    palettes = into.array(palettes, count, [&](VkShadingRatePaletteNV& one) {
      one.pShadingRatePaletteEntries = into.array(one.pShadingRatePaletteEntries, one.shadingRatePaletteEntryCount);
    });
  }
};

struct CoarseOrder : Values {
  static void copy(Payload& into, VkCoarseSampleOrderTypeNV, std::uint32_t count,
                   const VkCoarseSampleOrderCustomNV*& orders) {
    orders = into.array(orders, count, [&](VkCoarseSampleOrderCustomNV& one) {
      one.pSampleLocations = into.array(one.pSampleLocations, one.sampleLocationCount);
    });
  }
};

// Buffers with descriptors, from binding 0 on. They invalidate offsets in the buffers that were bound before.
struct DescriptorBuffers {
  static Bounds bounds(StateSlot slot, std::uint32_t count, const VkDescriptorBufferBindingInfoEXT*) {
    return {slot, 1, 0, count};
  }
  static void copy(Payload& into, std::uint32_t count, const VkDescriptorBufferBindingInfoEXT*& infos) {
    infos = into.array(infos, count, [&](VkDescriptorBufferBindingInfoEXT& one) { one.pNext = into.chain(one.pNext); });
  }
};

// What is bound in place of descriptor sets.
struct DescriptorOffsets {
  static Bounds bounds(StateSlot, VkPipelineBindPoint point, VkPipelineLayout, std::uint32_t first, std::uint32_t count,
                       const std::uint32_t*, const VkDeviceSize*) {
    return {StateSlot::Sets, mask_of(point), first, count};
  }
  static void copy(Payload& into, VkPipelineBindPoint, VkPipelineLayout, std::uint32_t, std::uint32_t count,
                   const std::uint32_t*& indices, const VkDeviceSize*& offsets) {
    indices = into.array(indices, count);
    offsets = into.array(offsets, count);
  }
  static Bounds bounds(StateSlot, const VkSetDescriptorBufferOffsetsInfoEXT* info) {
    return {StateSlot::Sets, mask_of(info->stageFlags), info->firstSet, info->setCount};
  }
  static void copy(Payload& into, const VkSetDescriptorBufferOffsetsInfoEXT*& info) {
    info = into.array(info, 1, [&](VkSetDescriptorBufferOffsetsInfoEXT& one) {
      if (one.pNext != nullptr) into.fail();
      one.pBufferIndices = into.array(one.pBufferIndices, one.setCount);
      one.pOffsets = into.array(one.pOffsets, one.setCount);
    });
  }
};

struct EmbeddedSamplers {
  static Bounds bounds(StateSlot, VkPipelineBindPoint point, VkPipelineLayout, std::uint32_t set) {
    return {StateSlot::Sets, mask_of(point), set};
  }
  static void copy(Payload&, VkPipelineBindPoint, VkPipelineLayout, std::uint32_t) {}
  static Bounds bounds(StateSlot, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* info) {
    return {StateSlot::Sets, mask_of(info->stageFlags), info->set};
  }
  static void copy(Payload& into, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT*& info) {
    Info::copy(into, info);
  }
};

// Cannot be set again.
struct Lost {};
// What has begun would have to be inherited.
struct Begins {};
struct Ends {};

// --- functions -------------------------------------------------------------------------------------------------------

template <auto Member, StateSlot Own, class Keeper>
struct StateFunction;
template <class Returned, class... Arguments, Returned (VKAPI_PTR* StateTable::*Member)(VkCommandBuffer, Arguments...),
          StateSlot Own, class Keeper>
struct StateFunction<Member, Own, Keeper> {
  using Kept = std::tuple<Arguments...>;

  static void replay(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
    std::apply(
        [&](const Arguments&... arguments) { static_cast<void>((device.next_state.*Member)(commands, arguments...)); },
        *reinterpret_cast<const Kept*>(payload));
  }

  static bool keep(StateRecord& record, Arguments... arguments) {
    const Bounds bounds = Keeper::bounds(Own, arguments...);
    Kept kept(arguments...);
    if constexpr ((std::is_pointer_v<Arguments> || ...)) {
      const auto copy = [&](Payload& into) {
        std::apply([&](Arguments&... each) { Keeper::copy(into, each...); }, kept);
      };
      Payload counted(sizeof(Kept));
      copy(counted);
      if (!counted.complete()) return false;
      std::byte* const memory = record.keep(bounds, counted.size(), replay);
      if (memory == nullptr) return false;
      kept = Kept(arguments...);
      Payload copied(sizeof(Kept), memory);
      copy(copied);
      new (memory) Kept(kept);
    } else {
      std::byte* const memory = record.keep(bounds, sizeof(Kept), replay);
      if (memory == nullptr) return false;
      new (memory) Kept(kept);
    }
    return true;
  }

  static Returned VKAPI_PTR call(VkCommandBuffer commands, Arguments... arguments) {
    const LayerDevice& device = device_of(commands);
    if (CommandState* const state = device.commands.find(commands)) {
      if constexpr (std::is_same_v<Keeper, Begins>)
        ++state->active;
      else if constexpr (std::is_same_v<Keeper, Ends>)
        state->active -= state->active != 0 ? 1 : 0;
      else if constexpr (std::is_same_v<Keeper, Lost>)
        state->state_lost = true;
      else if (state->may_execute) {
        if constexpr (std::is_same_v<Keeper, DescriptorBuffers>) forget_offsets(*state, arguments...);
        if (!keep(state->record, arguments...)) state->state_lost = true;
      }
    }
    return (device.next_state.*Member)(commands, arguments...);
  }

 private:
  // Offsets in buffers that are replaced are no longer valid.
  static void forget_offsets(CommandState& state, std::uint32_t count, const VkDescriptorBufferBindingInfoEXT*) {
    const auto forget = [&]<class Offsets>(Offsets, StateRecord::Replay of, auto span_of) {
      state.record.forget(StateSlot::Sets, [&](const StateRecord::Call& call) {
        if (call.replay != of) return false;
        const std::span<const std::uint32_t> indices =
            span_of(*reinterpret_cast<const typename Offsets::Kept*>(call.payload()));
        const auto replaced = static_cast<std::size_t>(
            std::ranges::count_if(indices, [&](std::uint32_t index) { return index < count; }));
        if (replaced != 0 && replaced != indices.size()) state.state_lost = true;
        return replaced != 0;
      });
    };
    using One = StateFunction<&StateTable::vkCmdSetDescriptorBufferOffsetsEXT,
                              StateSlot::vkCmdSetDescriptorBufferOffsetsEXT, DescriptorOffsets>;
    forget(One(), One::replay, [](const auto& kept) { return std::span(std::get<4>(kept), std::get<3>(kept)); });
    using Two = StateFunction<&StateTable::vkCmdSetDescriptorBufferOffsets2EXT,
                              StateSlot::vkCmdSetDescriptorBufferOffsets2EXT, DescriptorOffsets>;
    forget(Two(), Two::replay,
           [](const auto& kept) { return std::span(std::get<0>(kept)->pBufferIndices, std::get<0>(kept)->setCount); });
  }
};

}  // namespace

std::span<const NamedFunction> state_functions() {
  static const NamedFunction table[] = {
#define STATE_FUNCTION(name, keeper) named(#name, StateFunction<&StateTable::name, StateSlot::name, keeper>::call),
#define STATELESS_FUNCTION(name) NamedFunction{#name, nullptr},
#include "layer/commands/state_functions.def"
  };
  return table;
}

bool sets_state(std::string_view name) {
  constexpr std::string_view kBeginnings[] = {
      "vkCmdSet", "vkCmdBind", "vkCmdPush", "vkCmdBeginQuery", "vkCmdBeginConditional", "vkCmdBeginTransform"};
  return !name.starts_with("vkCmdSetEvent") &&
         std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

std::uint32_t mask_of(VkPipelineBindPoint point) {
  switch (point) {
    case VK_PIPELINE_BIND_POINT_GRAPHICS:
      return kGraphicsStages;
    case VK_PIPELINE_BIND_POINT_COMPUTE:
      return VK_SHADER_STAGE_COMPUTE_BIT;
    case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
      return kRayStages;
    default:
      return kOtherStages;
  }
}

std::uint32_t mask_of(VkShaderStageFlags stages) {
  std::uint32_t mask = stages & VK_SHADER_STAGE_COMPUTE_BIT;
  for (const std::uint32_t all : {kGraphicsStages, kRayStages}) mask |= (stages & all) != 0 ? all : 0;
  return mask != 0 ? mask : kOtherStages;
}

}  // namespace slipway::layer
