// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPU function of the example: converts tensors between the layout of frameworks, NCHW, and that of the kernel, NCHW4C,
// in which each element is a group of four consecutive channels. Values have 32 bits.
//
// Arguments: source, destination, "nchw2nchw4c" or "nchw4c2nchw", channels, height, width.
#include <slipway/cpu_library.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

constexpr int kGroup = 4;

void convert(std::vector<std::any>& args) {
  const auto source = std::any_cast<xrt::bo>(args.at(0));
  auto destination = std::any_cast<xrt::bo>(args.at(1));
  const auto direction = std::any_cast<std::string>(args.at(2));
  const int channels = std::any_cast<int>(args.at(3)), height = std::any_cast<int>(args.at(4)),
            width = std::any_cast<int>(args.at(5));
  if (direction != "nchw2nchw4c" && direction != "nchw4c2nchw")
    throw std::invalid_argument("there is no conversion " + direction);
  if (channels <= 0 || height <= 0 || width <= 0 || channels % kGroup != 0)
    throw std::invalid_argument("channels come in groups of four");
  const std::size_t count = std::size_t(channels) * std::size_t(height) * std::size_t(width);
  if (source.size() < 4 * count || destination.size() < 4 * count)
    throw std::invalid_argument("a buffer is too small for the shape");

  const auto* from = source.map<const std::uint32_t*>();
  auto* to = destination.map<std::uint32_t*>();
  const bool pack = direction == "nchw2nchw4c";
  std::size_t packed = 0;
  for (int group = 0; group < channels / kGroup; ++group) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int lane = 0; lane < kGroup; ++lane, ++packed) {
          const std::size_t plain =
              (std::size_t(group * kGroup + lane) * std::size_t(height) + std::size_t(y)) * std::size_t(width) +
              std::size_t(x);
          to[pack ? packed : plain] = from[pack ? plain : packed];
        }
      }
    }
  }
}

}  // namespace

extern "C" SLIPWAY_CPU_LIBRARY void library_init(xrt::cpu::library_init_args* library) {
  library->lookup_fn = [](const std::string& name, xrt::cpu::lookup_args* function) {
    if (name != "convert_ifm" && name != "convert_ofm") throw std::runtime_error("there is no function '" + name + "'");
    *function = {6, convert};
  };
}
