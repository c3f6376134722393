// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of command buffers of which the layer notes only that the application has used one (commands.hpp).
#include "layer/commands.hpp"
#include "layer/device.hpp"

namespace slipway::layer {
namespace {

template <auto Member>
struct NotedFunction;
template <class Returned, class... Arguments, Returned (VKAPI_PTR* StateTable::*Member)(VkCommandBuffer, Arguments...)>
struct NotedFunction<Member> {
  static Returned VKAPI_PTR call(VkCommandBuffer commands, Arguments... arguments) {
    const LayerDevice& device = device_of(commands);
    if (CommandState* state = device.commands.find(commands)) state->state_set = true;
    return (device.next_state.*Member)(commands, arguments...);
  }
};

}  // namespace

std::span<const NamedFunction> state_functions() {
  static const NamedFunction table[] = {
#define STATE_FUNCTION(name) named(#name, NotedFunction<&StateTable::name>::call),
#include "layer/state_functions.def"
  };
  return table;
}

bool sets_state(std::string_view name) {
  constexpr std::string_view kBeginnings[] = {
      "vkCmdSet", "vkCmdBind", "vkCmdPush", "vkCmdBeginQuery", "vkCmdBeginConditional", "vkCmdBeginTransform"};
  return !name.starts_with("vkCmdSetEvent") &&
         std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace slipway::layer
