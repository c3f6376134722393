// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far kernels are from the limits of their device (the roofline model; Williams, Waterman and Patterson 2009).
//
//   const Roofline line = roofline_of(roof, "net", whole, kernels);
//   print_roofline(roof, line, 10)    // text
//   write_roofline_page({&roof, {&line, 1}})
//
// A kernel that moves B bytes and computes N operations takes at least B / bandwidth and at least N / rate. The larger
// of the two is its time at the roof: its N / time is at most min(rate, bandwidth * N / B). B counts each buffer that
// the kernel accesses once. Bandwidth and rate are not those of a data sheet: they are measured with Slipway's kernels.
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
  double memory = 0;             // GB/s of a copy that is far larger than all caches
  double cache = 0;              // GB/s of the fastest copy
  std::uint64_t cache_size = 0;  // maximum bytes, read and written, that are moved at that rate; 0: no difference
  std::map<tosa::DataType, double> products;  // GOP/s of the fastest matrix product, by type of the factors
  double launch = 0;                          // milliseconds of an empty kernel

  double bandwidth(std::uint64_t bytes) const { return bytes <= cache_size ? cache : memory; }
};

// What limits a kernel at the roof. Launch: at the roof it would take less time than an empty kernel.
enum class Bound : std::uint8_t { Memory, Cache, Arithmetic, Launch };
inline constexpr std::size_t kBounds = 4;
std::string_view name_of(Bound bound);

// The measurement of one kernel.
struct MeasuredKernel {
  std::string name, result;  // operators (`CONV2D+CLAMP`); the type of the result
  std::string operation;     // the operator with most of its operations: `CONV2D`; empty if it computes nothing
  tosa::DataType type{};     // of the operands of that operator
  double time = 0;           // milliseconds
  std::uint64_t bytes = 0, operations = 0;
};

struct RooflineKernel : MeasuredKernel {
  std::size_t number = 0;  // index in the order of the run
  double least = 0;        // milliseconds at the roof
  Bound bound = Bound::Memory;

  double intensity() const { return static_cast<double>(operations) / static_cast<double>(bytes); }
  double bandwidth() const { return static_cast<double>(bytes) / time * 1e-6; }  // GB/s
  double rate() const { return static_cast<double>(operations) / time * 1e-6; }  // GOP/s
  double fraction() const { return least / time; }
  double lost() const { return time - least; }
};

// Time is summed up by the fraction of the roof that kernels reach: at least this one, and less than the one before it.
inline constexpr double kFractions[] = {0.75, 0.5, 0.25, 0.1, 0};
// `75 % and more`
std::string fraction_text(std::size_t part);

struct Roofline {
  std::string name;
  double whole = 0;                     // milliseconds of a run without timestamps between its kernels
  std::vector<RooflineKernel> kernels;  // by decreasing lost time
  double in_kernels = 0;                // sums over all kernels, in milliseconds: as measured,
  double at_roof = 0;                   // at the roof,
  double with_launches = 0;             // at the roof, but no kernel faster than an empty one
  double by_fraction[std::size(kFractions)] = {};
  double by_bound[kBounds] = {};
};

Roofline roofline_of(const Roof& roof, std::string name, double whole, std::span<const MeasuredKernel> kernels);

std::string print_roof(const Roof& roof);
// Ends with a table of the `rows` kernels that lose most time.
std::string print_roofline(const Roofline& line, std::size_t rows);

// An HTML page that loads no other files, with a chart and a table for each model.
std::string write_roofline_page(const Roof& roof, std::span<const Roofline> lines);

}  // namespace slipway::bench
