// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/optical_flow/optical_flow.hpp"

#include <algorithm>

namespace slipway::model {
namespace {

using std::uint32_t;  // the generated headers name it so
#include "model/flow_cost.hpp"
#include "model/flow_hint.hpp"
#include "model/flow_hint_cost.hpp"
#include "model/flow_plain.hpp"

}  // namespace

std::span<const std::uint32_t> optical_flow_shader(bool hint, bool cost) {
  if (hint) return cost ? std::span<const std::uint32_t>(kFlow_hint_cost) : kFlow_hint;
  return cost ? std::span<const std::uint32_t>(kFlow_cost) : kFlow_plain;
}

std::uint32_t flow_radius(FlowSpeed speed, std::uint32_t mean) {
  const std::uint32_t radius = speed == FlowSpeed::Fast ? 4 : speed == FlowSpeed::Slow ? 16 : 8;
  // Movements of twice the mean are common.
  constexpr std::uint32_t kMaxRadius = 64;
  return std::max(radius, std::min(2 * std::min(mean, kMaxRadius), kMaxRadius));
}

}  // namespace slipway::model
