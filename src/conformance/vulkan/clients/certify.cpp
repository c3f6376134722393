// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/vulkan/clients/certify.hpp"

#include <algorithm>
#include <exception>

#include "conformance/vulkan/clients/sequences.hpp"

namespace slipway::conformance {
namespace {

constexpr CertifyClient kClients[] = {
    {"runner", "a runner of scenarios: a session and a pipeline for each graph, tensor barriers, a fence"},
    {"samples", "published samples: shaders with tensors, graphs with constants, both in one command buffer"},
    {"runtime", "a runtime of models: weights by id, a pipeline cache, one command buffer submitted many times"},
    {"generated", "random valid sequences of graphs, copies and barriers, in several command buffers"},
    {"odd", "odd but legal calls: queries in two calls, null handles, gaps in tensors, any order of binding"},
};
constexpr void (*kRun[])(Client& client) = {run_like_a_runner, run_like_samples, run_like_a_runtime, run_generated,
                                            run_odd_calls};
static_assert(std::size(kClients) == std::size(kRun));

}  // namespace

std::span<const CertifyClient> certify_clients() { return kClients; }

bool has_vulkan_layer(std::string_view name) {
  std::uint32_t count = 0;
  if (volkInitialize() != VK_SUCCESS || vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(layers, [&](const VkLayerProperties& one) { return name == one.layerName; });
}

ClientOutcome run_certify_client(std::string_view name, const CertifyOptions& options) {
  const auto at = std::ranges::find(kClients, name, &CertifyClient::name) - std::begin(kClients);
  ClientOutcome outcome;
  Client client(options, outcome);
  try {
    client.start();
    kRun[at](client);
    client.stop();
  } catch (const Lacking& lacking) {
    outcome.is_lacking = true;
    client.fail(lacking.what());
    return outcome;
  } catch (const std::exception& error) {
    client.fail(error.what());
  }
  client.check_messages("in the end");
  return outcome;
}

}  // namespace slipway::conformance
