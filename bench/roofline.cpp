// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofline.hpp"
#include "base/format.hpp"

#include <algorithm>

namespace slipway::bench {

std::string_view name_of(Bound bound) {
  constexpr std::string_view kNames[kBounds] = {"memory", "cache", "arithmetic", "launch"};
  return kNames[static_cast<std::size_t>(bound)];
}

std::string fraction_text(std::size_t part) {
  if (part == 0) return formatted("{:.0f} % and more", kFractions[0] * 100);
  if (kFractions[part] == 0) return formatted("less than {:.0f} %", kFractions[part - 1] * 100);
  return formatted("{:.0f} to {:.0f} %", kFractions[part] * 100, kFractions[part - 1] * 100);
}

Roofline roofline_of(const Roof& roof, std::string name, double whole, std::span<const MeasuredKernel> kernels) {
  Roofline line{.name = std::move(name), .whole = whole, .kernels = {}};
  for (const MeasuredKernel& measured : kernels) {
    RooflineKernel kernel{measured, line.kernels.size()};
    // A kernel can be shorter than a tick of the device's clock. Milliseconds; avoids a division by 0.
    constexpr double kTick = 1e-6;
    kernel.time = std::max(kernel.time, kTick);
    const bool fits = kernel.bytes <= roof.cache_size;
    const double to_move = static_cast<double>(kernel.bytes) / roof.bandwidth(kernel.bytes) * 1e-6;
    const auto rate = roof.products.find(kernel.type);
    const double to_compute =
        rate == roof.products.end() ? 0 : static_cast<double>(kernel.operations) / rate->second * 1e-6;
    kernel.least = std::max(to_move, to_compute);
    kernel.bound = kernel.least < roof.launch ? Bound::Launch
                   : to_compute > to_move     ? Bound::Arithmetic
                   : fits                     ? Bound::Cache
                                              : Bound::Memory;
    line.in_kernels += kernel.time;
    line.at_roof += kernel.least;
    line.with_launches += std::max(kernel.least, roof.launch);
    const auto part = std::ranges::find_if(kFractions, [&](double least) { return kernel.fraction() >= least; });
    line.by_fraction[part - std::begin(kFractions)] += kernel.time;
    line.by_bound[static_cast<std::size_t>(kernel.bound)] += kernel.time;
    line.kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(line.kernels, std::ranges::greater(), &RooflineKernel::lost);
  return line;
}

std::string print_roof(const Roof& roof) {
  std::string text = formatted("device: {}\ncopy: {:.1f} GB/s of memory", roof.device, roof.memory);
  if (roof.cache_size > 0)
    text += formatted(", {:.1f} GB/s of up to {:.1f} MB in the cache", roof.cache,
                      static_cast<double>(roof.cache_size) * 1e-6);
  text += "\nmatrix products:";
  for (const auto& [type, rate] : roof.products) text += formatted(" {} {:.1f} GOP/s", tosa::name_of(type), rate);
  return text + formatted("\nempty kernel: {:.1f} us\n", roof.launch * 1e3);
}

std::string print_roofline(const Roofline& line, std::size_t rows) {
  const auto percent = [&](double time) { return line.in_kernels > 0 ? 100 * time / line.in_kernels : 0; };
  std::string text = formatted(
      "{}: {:.1f} us; {} kernels one by one {:.1f} us, at the roof {:.1f} us ({:.0f} %), with a launch each {:.1f} "
      "us\n",
      line.name, line.whole * 1e3, line.kernels.size(), line.in_kernels * 1e3, line.at_roof * 1e3,
      percent(line.at_roof), line.with_launches * 1e3);
  text += "  of the time, by part of the roof:";
  for (std::size_t i = 0; i < std::size(kFractions); ++i)
    text += formatted("{} {:.0f} % at {}", i ? "," : "", percent(line.by_fraction[i]), fraction_text(i));
  text += "\n  of the time, bound by:";
  for (std::size_t i = 0; i < kBounds; ++i)
    text += formatted("{} {} {:.0f} %", i ? "," : "", name_of(static_cast<Bound>(i)), percent(line.by_bound[i]));
  text += formatted("\n  {:>9} {:>9} {:>4} {:>9} {:>9} {:>7} {:>7} {:>8} {:>6}  {:10}  {}\n", "lost us", "us", "no",
                    "MB", "MOP", "OP/B", "GB/s", "GOP/s", "roof", "bound", "kernel");
  for (const RooflineKernel& kernel : std::span(line.kernels).first(std::min(rows, line.kernels.size()))) {
    text += formatted("  {:9.1f} {:9.1f} {:4} {:9.3f} {:9.2f} {:7.2f} {:7.1f} {:8.1f} {:4.0f} %  {:10}  {} {}\n",
                      kernel.lost() * 1e3, kernel.time * 1e3, kernel.number, static_cast<double>(kernel.bytes) * 1e-6,
                      static_cast<double>(kernel.operations) * 1e-6, kernel.intensity(), kernel.bandwidth(),
                      kernel.rate(), kernel.fraction() * 100, name_of(kernel.bound), kernel.name, kernel.result);
  }
  return text;
}

}  // namespace slipway::bench
