// The device behind the public interface (include/slipway/device.hpp), and the public form of diagnostics.
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/open_device.hpp"
#include "slipway/device.hpp"

namespace slipway {

struct Device::State {
  explicit State(launch::DeviceRequest request) : opening(std::move(request)) {}
  launch::DeviceOpening opening;
  DeviceInfo info;
};

namespace launch {

std::vector<Problem> public_problems(std::span<const Diagnostic> diagnostics);

}  // namespace launch
}  // namespace slipway
