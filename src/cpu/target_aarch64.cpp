// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/target_aarch64.hpp"

#include "base/format.hpp"
#include "platform/cpu.hpp"

namespace slipway::cpu::aarch64 {
namespace {

// Bits of AT_HWCAP and AT_HWCAP2, as Linux defines them for this architecture.
constexpr unsigned long kDotProducts = 1UL << 20;
constexpr unsigned long kSve2 = 1UL << 1, kI8mm = 1UL << 13, kBf16 = 1UL << 14;

#if defined(__aarch64__)
constexpr bool kIsHere = true;
#else
constexpr bool kIsHere = false;
#endif
std::uint64_t first_features() { return platform::arm_features().first; }
std::uint64_t second_features() { return platform::arm_features().second; }
std::uint64_t identification() { return platform::arm_features().identification; }

struct Core {
  std::uint32_t implementer, part;
  std::string_view name;
};
constexpr Core kCores[] = {
    {0x41, 0xd03, "ARM Cortex-A53"},  {0x41, 0xd05, "ARM Cortex-A55"},  {0x41, 0xd07, "ARM Cortex-A57"},
    {0x41, 0xd08, "ARM Cortex-A72"},  {0x41, 0xd0b, "ARM Cortex-A76"},  {0x41, 0xd0c, "ARM Neoverse N1"},
    {0x41, 0xd40, "ARM Neoverse V1"}, {0x41, 0xd41, "ARM Cortex-A78"},  {0x41, 0xd44, "ARM Cortex-X1"},
    {0x41, 0xd46, "ARM Cortex-A510"}, {0x41, 0xd47, "ARM Cortex-A710"}, {0x41, 0xd49, "ARM Neoverse N2"},
    {0x41, 0xd4f, "ARM Neoverse V2"}, {0x46, 0x001, "Fujitsu A64FX"},   {0xc0, 0xac3, "Ampere-1"},
};

}  // namespace

bool has(Level level) {
  if (!kIsHere) return false;
  switch (level) {
    case Level::Neon:
      return true;
    case Level::DotProd:
      return first_features() & kDotProducts;
    case Level::I8mm:
      return (second_features() & kI8mm) && (second_features() & kBf16) && has(Level::DotProd);
    case Level::Sve2:
      return (second_features() & kSve2) && has(Level::I8mm);
    default:
      return false;
  }
}

// Vectors have 128 bits on every level, with SVE2 too: so a level has the same results on every machine, however long
// its vectors are.
Target target_of(Level level) {
  Target target{.architecture = Architecture::Aarch64, .features = "+v8a,+neon,+fp-armv8", .tuning = "neoverse-n1"};
  target.has_fma = target.has_f16 = true;
  if (level >= Level::DotProd) {
    target.features += ",+dotprod";
    target.has_dot_products = true;
  }
  if (level >= Level::I8mm) {
    target.features += ",+i8mm,+bf16";
    target.tuning = "neoverse-n2";
    target.has_vector_matrices = true;
  }
  if (level >= Level::Sve2) target.features += ",+sve,+sve2";
  return target;
}

std::vector<std::string> unused() {
  std::vector<std::string> names;
  if ((second_features() & kBf16) && !has(Level::I8mm)) names.emplace_back("bf16");
  return names;
}

std::string brand() {
  if (!kIsHere) return {};
  const auto implementer = static_cast<std::uint32_t>(identification() >> 24 & 0xff);
  const auto part = static_cast<std::uint32_t>(identification() >> 4 & 0xfff);
  for (const Core& core : kCores) {
    if (core.implementer == implementer && core.part == part) return std::string(core.name);
  }
  return formatted("AArch64 CPU {:#04x}/{:#05x}", implementer, part);
}

}  // namespace slipway::cpu::aarch64
