// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far kernels are from what their device can do (the roofline model; Williams, Waterman and Patterson 2009).
//
//   const Roofline line = roofline_of(roof, "net", whole, kernels);
//   print_roofline(roof, line, 10)    // text
//   write_roofline_page({&roof, {&line, 1}})
//
// A kernel that moves B bytes and computes N operations takes at least B / bandwidth and at least N / rate. The larger
// of the two is its time at the roof: in other words, its N / time is at most min(rate, bandwidth * N / B). Bytes are
// those of all buffers that it touches, each once; what is on the device's roof was measured with kernels of ours.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tosa/data_type.hpp"

namespace slipway::bench {

struct Roof {
  std::string device;
  double memory = 0;                          // GB/s of a copy that is far larger than all caches
  double cache = 0;                           // GB/s of the fastest copy
  std::uint64_t cache_size = 0;               // so many bytes, read and written, are moved at that rate
  std::map<tosa::DataType, double> products;  // GOP/s of our best product of matrices, by type of the factors
  double launch = 0;                          // milliseconds that a kernel takes that has nothing to do

  double bandwidth(std::uint64_t bytes) const { return bytes <= cache_size ? cache : memory; }
};

// What keeps a kernel from being faster than at the roof. Launch: at the roof it would take less time than a kernel
// that has nothing to do.
enum class Bound : std::uint8_t { Memory, Cache, Arithmetic, Launch };
inline constexpr std::size_t kBounds = 4;
std::string_view name_of(Bound bound);

// A kernel as it was measured.
struct MeasuredKernel {
  std::string name, result;  // `CONV2D+CLAMP`, type of what it writes
  std::string operation;     // what most of its operations are for: `CONV2D`; empty: it computes nothing
  tosa::DataType type{};     // of that
  double time = 0;           // milliseconds
  std::uint64_t bytes = 0, operations = 0;
};

struct RooflineKernel : MeasuredKernel {
  std::size_t number = 0;  // in the order of the run
  double least = 0;        // milliseconds at the roof
  Bound bound = Bound::Memory;

  double intensity() const { return static_cast<double>(operations) / static_cast<double>(bytes); }
  double bandwidth() const { return static_cast<double>(bytes) / time * 1e-6; }  // GB/s
  double rate() const { return static_cast<double>(operations) / time * 1e-6; }  // GOP/s
  double fraction() const { return least / time; }
  double lost() const { return time - least; }
};

// How much of the time is spent in kernels that reach at least such a part of the roof, and not the next one's.
inline constexpr double kFractions[] = {0.75, 0.5, 0.25, 0.1, 0};
// `75 % and more`
std::string fraction_text(std::size_t part);

struct Roofline {
  std::string name;
  double whole = 0;                     // milliseconds of a run without timestamps between its kernels
  std::vector<RooflineKernel> kernels;  // what loses most first
  double in_kernels = 0;                // sums of milliseconds: as measured,
  double at_roof = 0;                   // at the roof,
  double with_launches = 0;             // at the roof, but none faster than a kernel that has nothing to do
  double by_fraction[std::size(kFractions)] = {};
  double by_bound[kBounds] = {};
};

Roofline roofline_of(const Roof& roof, std::string name, double whole, std::span<const MeasuredKernel> kernels);

std::string print_roof(const Roof& roof);
// With a table of the `rows` kernels that lose most.
std::string print_roofline(const Roofline& line, std::size_t rows);

// One page that needs nothing else, with a chart and a table for each.
std::string write_roofline_page(const Roof& roof, std::span<const Roofline> lines);

}  // namespace slipway::bench
