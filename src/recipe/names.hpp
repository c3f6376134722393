// The names that users give to modes and back ends: in options, as in profiles and reports.
#pragma once

#include <optional>
#include <string_view>

#include "recipe/backend.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

// default, latency, throughput or validate; nothing for any other word.
std::optional<Mode> parse_mode(std::string_view name);

// vulkan, opencl or xrt; nothing for any other word.
std::optional<BackendKind> parse_backend(std::string_view name);

}  // namespace slipway::recipe
