#include "recipe/names.hpp"

namespace slipway::recipe {

std::optional<Mode> parse_mode(std::string_view name) {
  using enum Mode;
  for (const Mode mode : {Default, Latency, Throughput, Validate}) {
    if (name == name_of(mode)) return mode;
  }
  return std::nullopt;
}

std::optional<BackendKind> parse_backend(std::string_view name) {
  using enum BackendKind;
  for (const BackendKind kind : {Vulkan, OpenCl, Xrt}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace slipway::recipe
