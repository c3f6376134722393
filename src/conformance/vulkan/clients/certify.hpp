// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway layer certify`: clients that call the extensions as programs of different kinds do, on whatever layer or
// driver the environment chooses, and that check the results. Each runs in a process of its own.
#pragma once

#include <span>
#include <string_view>

#include "conformance/vulkan/clients/outcome.hpp"

namespace slipway::conformance {

struct CertifyClient {
  std::string_view name, what;
};
std::span<const CertifyClient> certify_clients();

// Whether the Vulkan loader finds a layer of this name.
bool has_vulkan_layer(std::string_view name);

// `name` is that of a client.
ClientOutcome run_certify_client(std::string_view name, const CertifyOptions& options);

}  // namespace slipway::conformance
