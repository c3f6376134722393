// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State that an application has set is set again: every function of state_functions.def, and random sequences of calls,
// with functions of a driver that write down what they get.
#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/device.hpp"

namespace slipway::layer {
namespace {

// --- a driver that writes down its calls -----------------------------------------------------------------------------

std::vector<std::string> calls;

template <class T>
std::string bytes_as_text(const T* from, std::size_t count) {
  return {reinterpret_cast<const char*>(from), count * sizeof(T)};
}

constexpr std::uint32_t kNumber = 3;  // each argument that is a number

// Elements to which an argument points.
template <class T>
std::size_t pointed_elements(std::string_view function) {
  if constexpr (requires(T one) { one.sType; })
    return function.find("VertexInput") != std::string_view::npos ||
                   function.find("VertexBuffers3") != std::string_view::npos ||
                   function.find("FeedbackBuffers2") != std::string_view::npos ||
                   function.find("DescriptorBuffersEXT") != std::string_view::npos
               ? kNumber
               : 1;
  if constexpr (std::is_same_v<T, VkFragmentShadingRateCombinerOpKHR>) return 2;
  if constexpr (std::is_same_v<T, VkExtent2D> || std::is_same_v<T, VkDepthClampRangeEXT>) return 1;
  if (function == "vkCmdSetBlendConstants") return 4;
  if (function == "vkCmdSetSampleMaskEXT") return 2;  // of 64 samples
  return kNumber;
}

template <class T>
std::string text_of_argument(std::string_view function, const T& value) {
  if constexpr (std::is_pointer_v<T> && !std::is_same_v<T, void*>) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    // Handles are pointers to types without a definition.
    if constexpr (!requires { sizeof(Element); }) {
      return bytes_as_text(&value, 1);
    } else {
      std::string text;
      for (std::size_t i = 0; i < pointed_elements<Element>(function); ++i) {
        Element one;
        std::memcpy(&one, value + i, sizeof one);
        if constexpr (std::is_same_v<Element, VkSampleLocationsInfoEXT>) {
          text += bytes_as_text(one.pSampleLocations, kNumber);
          one.pSampleLocations = nullptr;
        } else if constexpr (std::is_same_v<Element, VkShadingRatePaletteNV>) {
          text += bytes_as_text(one.pShadingRatePaletteEntries, kNumber);
          one.pShadingRatePaletteEntries = nullptr;
        } else if constexpr (std::is_same_v<Element, VkCoarseSampleOrderCustomNV>) {
          text += bytes_as_text(one.pSampleLocations, kNumber);
          one.pSampleLocations = nullptr;
        } else if constexpr (std::is_same_v<Element, VkSetDescriptorBufferOffsetsInfoEXT>) {
          text += bytes_as_text(one.pBufferIndices, kNumber) + bytes_as_text(one.pOffsets, kNumber);
          one.pBufferIndices = nullptr;
          one.pOffsets = nullptr;
        }
        text += bytes_as_text(&one, 1);
      }
      return text;
    }
  } else {
    return bytes_as_text(&value, 1);
  }
}

template <auto Member>
constexpr std::string_view kFunctionName;
#define STATE_FUNCTION(name, keeper) \
  template <>                        \
  constexpr std::string_view kFunctionName<&StateTable::name> = #name;
#include "layer/commands/state_functions.def"

template <auto Member>
struct WrittenDown;
template <class Returned, class... Arguments, Returned (VKAPI_PTR* StateTable::*Member)(VkCommandBuffer, Arguments...)>
struct WrittenDown<Member> {
  static constexpr std::string_view name = kFunctionName<Member>;

  static Returned VKAPI_PTR in_driver(VkCommandBuffer, Arguments... arguments) {
    std::string text = std::string(name) + ":";
    ((text += text_of_argument(name, arguments)), ...);
    calls.push_back(text);
    if constexpr (!std::is_void_v<Returned>) return VK_SUCCESS;
  }

  // An argument with contents in `memory`, which is overwritten later.
  template <class T>
  static T sample(std::vector<std::vector<std::byte>>& memory, std::mt19937& random) {
    const auto filled = [&](std::size_t size) {
      auto& made = memory.emplace_back(size);
      for (std::byte& one : made) one = static_cast<std::byte>(random());
      return made.data();
    };
    if constexpr (std::is_pointer_v<T>) {
      using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
      if constexpr (!requires { sizeof(Element); }) {
        return reinterpret_cast<T>(std::uintptr_t{random()} << 4);
      } else {
        std::byte* const at = filled(kNumber * 2 * sizeof(Element));
        auto* const elements = reinterpret_cast<Element*>(at);
        for (std::size_t i = 0; i < kNumber * 2; ++i) {
          if constexpr (requires(Element one) { one.pNext; }) elements[i].pNext = nullptr;
          if constexpr (std::is_same_v<Element, VkSampleLocationsInfoEXT>) {
            elements[i].sampleLocationsCount = kNumber;
            elements[i].pSampleLocations =
                reinterpret_cast<const VkSampleLocationEXT*>(filled(kNumber * sizeof(VkSampleLocationEXT)));
          } else if constexpr (std::is_same_v<Element, VkShadingRatePaletteNV>) {
            elements[i].shadingRatePaletteEntryCount = kNumber;
            elements[i].pShadingRatePaletteEntries = reinterpret_cast<const VkShadingRatePaletteEntryNV*>(
                filled(kNumber * sizeof(VkShadingRatePaletteEntryNV)));
          } else if constexpr (std::is_same_v<Element, VkCoarseSampleOrderCustomNV>) {
            elements[i].sampleLocationCount = kNumber;
            elements[i].pSampleLocations =
                reinterpret_cast<const VkCoarseSampleLocationNV*>(filled(kNumber * sizeof(VkCoarseSampleLocationNV)));
          } else if constexpr (std::is_same_v<Element, VkSetDescriptorBufferOffsetsInfoEXT>) {
            elements[i].setCount = kNumber;
            elements[i].pBufferIndices = reinterpret_cast<const std::uint32_t*>(filled(kNumber * 4));
            elements[i].pOffsets = reinterpret_cast<const VkDeviceSize*>(filled(kNumber * 8));
          }
        }
        return elements;
      }
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return kNumber;
    } else if constexpr (std::is_same_v<T, VkSampleCountFlagBits>) {
      return VK_SAMPLE_COUNT_64_BIT;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(random() % 2);
    } else {
      return static_cast<T>(random() % 100);
    }
  }

  static void call(PFN_vkVoidFunction function, VkCommandBuffer commands, std::mt19937& random) {
    std::vector<std::vector<std::byte>> memory;
    // In the order of the arguments.
    std::tuple<Arguments...> arguments{sample<Arguments>(memory, random)...};
    std::apply(
        [&](Arguments... each) {
          reinterpret_cast<Returned(VKAPI_PTR*)(VkCommandBuffer, Arguments...)>(function)(commands, each...);
        },
        arguments);
    for (auto& one : memory) std::ranges::fill(one, std::byte{0xee});
  }
};

class LayerState : public ::testing::Test {
 protected:
  // The first word of a handle is its dispatch key.
  struct Handle {
    const void* key = nullptr;
  };

  void SetUp() override {
    handle_.key = this;
    auto device = std::make_unique<LayerDevice>();
    device->graphs = true;
    device->instance = &instance_;
#define STATE_FUNCTION(name, keeper) device->next_state.name = WrittenDown<&StateTable::name>::in_driver;
#include "layer/commands/state_functions.def"
    device_ = device.get();
    devices().add(&handle_, std::move(device));
    auto state = std::make_unique<CommandState>();
    state->may_execute = true;
    state_ = device_->commands.add(commands(), std::move(state));
    calls.clear();
  }
  void TearDown() override { devices().remove(&handle_).reset(); }

  VkCommandBuffer commands() { return reinterpret_cast<VkCommandBuffer>(&handle_); }

  static PFN_vkVoidFunction function(std::string_view name) {
    for (const auto& table : {state_functions(), binding_functions()}) {
      for (const NamedFunction& one : table) {
        if (one.name == name) return one.function;
      }
    }
    ADD_FAILURE() << name;
    return nullptr;
  }
  template <class Function>
  static Function function_as(std::string_view name) {
    return reinterpret_cast<Function>(function(name));
  }

  std::vector<std::string> again() {
    calls.clear();
    restore_state(*device_, commands(), *state_, Restored::All);
    return std::exchange(calls, {});
  }

  Handle handle_;
  LayerInstance instance_;
  LayerDevice* device_ = nullptr;
  CommandState* state_ = nullptr;
};

TEST_F(LayerState, EveryFunctionIsCalledAgain) {
  std::mt19937 random(1);
  int kept = 0, lost = 0;
  const std::set<std::string_view> unknown = {
      "vkCmdSetDeviceMask",      "vkCmdSetDeviceMaskKHR", "vkCmdBindInvocationMaskHUAWEI", "vkCmdBindResourceHeapEXT",
      "vkCmdBindSamplerHeapEXT", "vkCmdPushDataEXT",      "vkCmdBindTileMemoryQCOM"};
  const auto one = [&](std::string_view name, const auto& call) {
    state_->reset();
    state_->state_lost = false;
    state_->active = 1;
    calls.clear();
    call(function(name), commands(), random);
    ASSERT_EQ(calls.size(), 1u) << name;
    const std::vector<std::string> first = calls;
    if (name.starts_with("vkCmdBegin") || name.starts_with("vkCmdEnd")) {
      EXPECT_EQ(state_->active, name.starts_with("vkCmdBegin") ? 2u : 0u) << name;
      EXPECT_TRUE(again().empty()) << name;
      return;
    }
    if (unknown.contains(name)) {
      ++lost;
      EXPECT_TRUE(state_->state_lost) << name;
      return;
    }
    ++kept;
    EXPECT_FALSE(state_->state_lost) << name;
    EXPECT_EQ(again(), first) << name;
    EXPECT_EQ(again(), first) << name;
    // The same function again: only the last call is left, unless it is of other stages.
    call(function(name), commands(), random);
    const bool of_stages = name.find("DescriptorBuffer") != std::string_view::npos || name.ends_with("ShaderGroupNV");
    EXPECT_LE(again().size(), of_stages ? 2u : 1u) << name;
  };
#define STATE_FUNCTION(name, keeper) one(#name, WrittenDown<&StateTable::name>::call);
#include "layer/commands/state_functions.def"
  EXPECT_EQ(lost, 7);
  EXPECT_GT(kept, 100);
}

TEST_F(LayerState, UnknownStructuresCannotBeKept) {
  const VkBaseInStructure unknown{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
  const VkDepthBiasRepresentationInfoEXT known{.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT};
  const auto set = function_as<PFN_vkCmdSetDepthBias2EXT>("vkCmdSetDepthBias2EXT");
  VkDepthBiasInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, .pNext = &known};
  set(commands(), &info);
  EXPECT_FALSE(state_->state_lost);
  info.pNext = &unknown;
  set(commands(), &info);
  EXPECT_TRUE(state_->state_lost);
}

// Offsets in descriptor buffers are not set again once other buffers are bound in place of theirs.
TEST_F(LayerState, DescriptorBuffersReplaceOffsets) {
  // The functions above read as many elements as their samples have.
  device_->next_state.vkCmdBindDescriptorBuffersEXT =
      [](VkCommandBuffer, std::uint32_t, const VkDescriptorBufferBindingInfoEXT*) { calls.emplace_back("bind"); };
  device_->next_state.vkCmdSetDescriptorBufferOffsetsEXT = [](VkCommandBuffer, VkPipelineBindPoint, VkPipelineLayout,
                                                              std::uint32_t, std::uint32_t, const std::uint32_t*,
                                                              const VkDeviceSize*) { calls.emplace_back("offsets"); };
  const auto bind = function_as<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT");
  const auto offsets = function_as<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT");
  const VkDescriptorBufferBindingInfoEXT infos[3] = {};
  const std::uint32_t indices[] = {0, 1, 2};
  const VkDeviceSize places[] = {64, 128, 192};
  bind(commands(), 3, infos);
  offsets(commands(), VK_PIPELINE_BIND_POINT_GRAPHICS, VkPipelineLayout{}, 0, 3, indices, places);
  EXPECT_EQ(again().size(), 2u);
  bind(commands(), 3, infos);
  EXPECT_EQ(again().size(), 1u);
  offsets(commands(), VK_PIPELINE_BIND_POINT_GRAPHICS, VkPipelineLayout{}, 0, 1, indices + 2, places);
  bind(commands(), 2, infos);
  EXPECT_EQ(again().size(), 3u);  // the third buffer is still bound
  EXPECT_FALSE(state_->state_lost);
  offsets(commands(), VK_PIPELINE_BIND_POINT_GRAPHICS, VkPipelineLayout{}, 0, 3, indices, places);
  bind(commands(), 2, infos);
  EXPECT_TRUE(state_->state_lost);
}

// --- a driver that has state -----------------------------------------------------------------------------------------

// Values by what they set: a function or bind point, a number, and a byte or element.
using DriverState = std::map<std::array<std::uint64_t, 3>, std::uint64_t>;
DriverState driver;

enum Part : std::uint64_t { kPipeline, kSetOf, kDynamic, kConstant, kViewport, kVertexBuffer, kStencil, kPushed };

void install_driver(LayerDevice& device) {
  device.next.vkCmdBindPipeline = [](VkCommandBuffer, VkPipelineBindPoint point, VkPipeline pipeline) {
    driver[{kPipeline, static_cast<std::uint64_t>(point), 0}] = reinterpret_cast<std::uint64_t>(pipeline);
  };
  device.next.vkCmdBindDescriptorSets = [](VkCommandBuffer, VkPipelineBindPoint point, VkPipelineLayout,
                                           std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                                           std::uint32_t dynamic_count, const std::uint32_t* dynamic) {
    // One dynamic offset for each set.
    ASSERT_EQ(dynamic_count, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t at = static_cast<std::uint64_t>(point) * 16 + first + i;
      driver[{kSetOf, at, 0}] = reinterpret_cast<std::uint64_t>(sets[i]);
      driver[{kDynamic, at, 0}] = dynamic[i];
      for (std::uint64_t binding = 0; binding < 4; ++binding) driver.erase({kPushed, at, binding});
    }
  };
  device.next.vkCmdPushDescriptorSet = [](VkCommandBuffer, VkPipelineBindPoint point, VkPipelineLayout,
                                          std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
    const std::uint64_t at = static_cast<std::uint64_t>(point) * 16 + set;
    driver.erase({kSetOf, at, 0});
    driver.erase({kDynamic, at, 0});
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t j = 0; j < writes[i].descriptorCount; ++j)
        driver[{kPushed, at, writes[i].dstArrayElement + j}] = writes[i].pBufferInfo[j].offset;
    }
  };
  device.next.vkCmdPushConstants = [](VkCommandBuffer, VkPipelineLayout, VkShaderStageFlags stages,
                                      std::uint32_t offset, std::uint32_t size, const void* values) {
    for (std::uint64_t stage = 0; stage < 6; ++stage) {
      for (std::uint32_t i = 0; i < size && (stages >> stage & 1) != 0; ++i)
        driver[{kConstant, stage, offset + i}] =
            std::to_integer<std::uint64_t>(static_cast<const std::byte*>(values)[i]);
    }
  };
  device.next_state.vkCmdSetViewport = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count,
                                          const VkViewport* viewports) {
    for (std::uint32_t i = 0; i < count; ++i)
      driver[{kViewport, first + i, 0}] = static_cast<std::uint64_t>(viewports[i].x);
  };
  device.next_state.vkCmdSetViewportWithCount = [](VkCommandBuffer, std::uint32_t count, const VkViewport* viewports) {
    for (std::uint32_t i = 0; i < count; ++i) driver[{kViewport, i, 0}] = static_cast<std::uint64_t>(viewports[i].x);
    for (std::uint64_t i = count; i < 4; ++i) driver.erase({kViewport, i, 0});
    driver[{kViewport, 0, 1}] = count;
  };
  device.next_state.vkCmdBindVertexBuffers = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count,
                                                const VkBuffer* buffers, const VkDeviceSize* offsets) {
    for (std::uint32_t i = 0; i < count; ++i)
      driver[{kVertexBuffer, first + i, 0}] = reinterpret_cast<std::uint64_t>(buffers[i]) * 1000 + offsets[i];
  };
  device.next_state.vkCmdBindVertexBuffers2 = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count,
                                                 const VkBuffer* buffers, const VkDeviceSize* offsets,
                                                 const VkDeviceSize* sizes, const VkDeviceSize* strides) {
    for (std::uint32_t i = 0; i < count; ++i) {
      driver[{kVertexBuffer, first + i, 0}] = reinterpret_cast<std::uint64_t>(buffers[i]) * 1000 + offsets[i];
      driver[{kVertexBuffer, first + i, 1}] = sizes == nullptr ? 0 : sizes[i];
      if (strides != nullptr) driver[{kVertexBuffer, first + i, 2}] = strides[i];
    }
  };
  device.next_state.vkCmdSetStencilReference = [](VkCommandBuffer, VkStencilFaceFlags faces, std::uint32_t reference) {
    for (std::uint64_t face = 0; face < 2; ++face) {
      if ((faces >> face & 1) != 0) driver[{kStencil, face, 0}] = reference;
    }
  };
}

TEST_F(LayerState, RandomSequencesLeaveTheSameState) {
  install_driver(*device_);
  std::mt19937 random(7);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  const auto handle_of_number = [&]<class T>(T) { return reinterpret_cast<T>(std::uintptr_t{up_to(50) + 1}); };
  const auto layout = reinterpret_cast<VkPipelineLayout>(std::uintptr_t{1});
  const VkPipelineBindPoint points[] = {VK_PIPELINE_BIND_POINT_GRAPHICS, VK_PIPELINE_BIND_POINT_COMPUTE};
  const auto bind_pipeline = function_as<PFN_vkCmdBindPipeline>("vkCmdBindPipeline");
  const auto bind_sets = function_as<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets");
  const auto push = function_as<PFN_vkCmdPushDescriptorSet>("vkCmdPushDescriptorSet");
  const auto push_template = function_as<PFN_vkCmdPushDescriptorSetWithTemplate>("vkCmdPushDescriptorSetWithTemplate");
  const auto constants = function_as<PFN_vkCmdPushConstants>("vkCmdPushConstants");
  const auto viewport = function_as<PFN_vkCmdSetViewport>("vkCmdSetViewport");
  const auto viewports = function_as<PFN_vkCmdSetViewportWithCount>("vkCmdSetViewportWithCount");
  const auto vertices = function_as<PFN_vkCmdBindVertexBuffers>("vkCmdBindVertexBuffers");
  const auto vertices2 = function_as<PFN_vkCmdBindVertexBuffers2>("vkCmdBindVertexBuffers2");
  const auto stencil = function_as<PFN_vkCmdSetStencilReference>("vkCmdSetStencilReference");
  const auto known_template = reinterpret_cast<VkDescriptorUpdateTemplate>(std::uintptr_t{77});
  device_->next.vkCmdPushDescriptorSetWithTemplate = [](VkCommandBuffer own, VkDescriptorUpdateTemplate,
                                                        VkPipelineLayout of, std::uint32_t set, const void* data) {
    const auto* const infos = static_cast<const VkDescriptorBufferInfo*>(data);
    const VkDescriptorBufferInfo used[] = {infos[1], infos[3]};  // of the entry below
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstArrayElement = 1,
                                     .descriptorCount = 2,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = used};
    device_of(own).next.vkCmdPushDescriptorSet(own, VK_PIPELINE_BIND_POINT_GRAPHICS, of, set, 1, &write);
  };
  auto entries = std::make_unique<UpdateTemplate>();
  entries->entries = {{.dstBinding = 0,
                       .dstArrayElement = 1,
                       .descriptorCount = 2,
                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       .offset = sizeof(VkDescriptorBufferInfo),
                       .stride = 2 * sizeof(VkDescriptorBufferInfo)}};
  entries->bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
  device_->push_templates.add(known_template, std::move(entries));
  for (int sequence = 0; sequence < 2000; ++sequence) {
    state_->reset();
    driver.clear();
    for (std::uint32_t step = 1 + up_to(40); step-- > 0;) {
      const std::uint32_t first = up_to(4), count = 1 + up_to(4 - first);
      std::uint64_t values[4];
      for (std::uint64_t& value : values) value = up_to(50) + 1;
      VkBuffer buffers[4];
      for (VkBuffer& one : buffers) one = handle_of_number(VkBuffer{});
      VkViewport views[4];
      for (VkViewport& one : views) one = {static_cast<float>(up_to(100)), 0, 1, 1, 0, 1};
      VkDescriptorBufferInfo infos[4];
      for (VkDescriptorBufferInfo& one : infos) one = {buffers[0], up_to(100), 4};
      switch (up_to(10)) {
        case 0:
          bind_pipeline(commands(), points[up_to(2)], handle_of_number(VkPipeline{}));
          break;
        case 1: {
          VkDescriptorSet sets[4];
          std::uint32_t dynamic[4];
          for (VkDescriptorSet& one : sets) one = handle_of_number(VkDescriptorSet{});
          for (std::uint32_t& one : dynamic) one = up_to(100);
          bind_sets(commands(), points[up_to(2)], layout, first, count, sets, count, dynamic);
          break;
        }
        case 2: {
          const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstArrayElement = first,
                                           .descriptorCount = count,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = infos};
          push(commands(), points[up_to(2)], layout, up_to(4), 1, &write);
          break;
        }
        case 3:
          constants(commands(), layout, 1 + up_to(63), 4 * first, 4 * count, values);
          break;
        case 4:
          viewport(commands(), first, count, views);
          break;
        case 5:
          viewports(commands(), count, views);
          break;
        case 6:
          vertices(commands(), first, count, buffers, values);
          break;
        case 7: {
          // Strides once set stay, so that they are always set here.
          vertices2(commands(), first, count, buffers, values, up_to(2) == 0 ? nullptr : values, values);
          break;
        }
        case 8:
          stencil(commands(), 1 + up_to(3), up_to(100));
          break;
        case 9:
          push_template(commands(), known_template, layout, up_to(4), infos);
          break;
      }
    }
    ASSERT_FALSE(state_->state_lost);
    const DriverState wanted = std::exchange(driver, {});
    restore_state(*device_, commands(), *state_, Restored::All);
    ASSERT_EQ(driver, wanted) << sequence;
    // After kernels, only state of compute shaders and push constants is set.
    driver.clear();
    restore_state(*device_, commands(), *state_, Restored::Compute);
    for (const auto& [at, value] : driver) {
      const bool of_compute =
          at[0] == kConstant || (at[0] == kPipeline && at[1] == VK_PIPELINE_BIND_POINT_COMPUTE) ||
          ((at[0] == kSetOf || at[0] == kDynamic || at[0] == kPushed) && at[1] / 16 == VK_PIPELINE_BIND_POINT_COMPUTE);
      ASSERT_TRUE(of_compute) << at[0];
      ASSERT_EQ(wanted.at(at), value);
    }
  }
}

// A command buffer with many calls takes little memory: what is replaced is used again.
TEST_F(LayerState, MemoryIsUsedAgain) {
  install_driver(*device_);
  const auto constants = function_as<PFN_vkCmdPushConstants>("vkCmdPushConstants");
  const auto vertices = function_as<PFN_vkCmdBindVertexBuffers>("vkCmdBindVertexBuffers");
  const auto layout = reinterpret_cast<VkPipelineLayout>(std::uintptr_t{1});
  std::set<const void*> seen;
  for (std::uint32_t i = 0; i < 10000; ++i) {
    const std::uint32_t values[] = {i, i, i, i};
    const VkBuffer buffers[] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    const VkDeviceSize offsets[] = {i, i};
    constants(commands(), layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 4 + 4 * (i % 4), values);
    vertices(commands(), i % 2, 1 + i % 3 % 2, buffers, offsets);
    state_->record.for_each([&](const StateRecord::Call& call) { seen.insert(&call); });
  }
  EXPECT_LT(seen.size(), 20u);
}

// Threads add, find and remove handles of their own; the object that was found last in a shard is that of another
// thread most of the time.
TEST(LayerHandles, ThreadsFindTheirOwn) {
  HandleMap<std::uint64_t, std::uint64_t> map;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t round = 0; round < 2000; ++round) {
          const std::uint64_t first = 1 + 8 * (round % 50) + t, second = first + 1000;
          for (const std::uint64_t handle : {first, second}) map.add(handle, std::make_unique<std::uint64_t>(handle));
          for (int i = 0; i < 4; ++i) {
            for (const std::uint64_t handle : {first, first, second}) {
              const std::uint64_t* const found = map.find(handle);
              if (found == nullptr || *found != handle) ++wrong;
            }
          }
          for (const std::uint64_t handle : {first, second}) {
            if (!map.remove(handle) || map.find(handle) != nullptr || map.find(0) != nullptr) ++wrong;
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace slipway::layer
