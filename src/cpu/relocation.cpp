// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/relocation.hpp"

#include "base/bytes.hpp"
#include "base/elf.hpp"

namespace slipway::cpu {
namespace {

constexpr std::uint64_t kAdrpPage = 4096;  // of ADRP, whatever the pages of the system are

// Bits `low` and more of an instruction are replaced by the low `count` bits of a number.
void set_bits(std::byte* at, unsigned low, unsigned count, std::uint64_t number) {
  const std::uint32_t mask = ((std::uint32_t{1} << count) - 1) << low;
  store(at, (load<std::uint32_t>(at) & ~mask) | (static_cast<std::uint32_t>(number) << low & mask));
}

bool fits(std::int64_t number, unsigned bits) {
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return number >= -half && number < half;
}

// The low 12 bits of the target, in units of the accessed size.
bool set_low_bits(std::byte* at, std::uint64_t target, unsigned shift) {
  if (target & ((std::uint64_t{1} << shift) - 1)) return false;
  set_bits(at, 10, 12, (target & (kAdrpPage - 1)) >> shift);
  return true;
}

void set_address(std::byte* at, std::uint64_t number) {  // ADR, ADRP
  set_bits(at, 29, 2, number);
  set_bits(at, 5, 19, number >> 2);
}

bool is_wide(std::uint32_t type) {
#if defined(__aarch64__)
  return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64;
#else
  return type == R_X86_64_64;
#endif
}

}  // namespace

std::uint64_t width_of_relocation(std::uint32_t type) { return is_wide(type) ? 8 : 4; }

// Long, because it has one case per type.
bool apply_aarch64_relocation(std::uint32_t type, std::byte* memory, std::uint64_t place, std::uint64_t target) {
  std::byte* at = memory + place;
  const auto distance = static_cast<std::int64_t>(target - place);
  switch (type) {
    case R_AARCH64_ABS64:
      store(at, reinterpret_cast<std::uint64_t>(memory) + target);
      return true;
    case R_AARCH64_PREL64:
      store(at, distance);
      return true;
    case R_AARCH64_PREL32:
      store(at, static_cast<std::int32_t>(distance));
      return fits(distance, 32);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      set_bits(at, 0, 26, static_cast<std::uint64_t>(distance >> 2));
      return distance % 4 == 0 && fits(distance, 28);
    case R_AARCH64_CONDBR19:
    case R_AARCH64_LD_PREL_LO19:
      set_bits(at, 5, 19, static_cast<std::uint64_t>(distance >> 2));
      return distance % 4 == 0 && fits(distance, 21);
    case R_AARCH64_ADR_PREL_LO21:
      set_address(at, static_cast<std::uint64_t>(distance));
      return fits(distance, 21);
    case R_AARCH64_ADR_PREL_PG_HI21: {
      const std::int64_t pages =
          static_cast<std::int64_t>(target / kAdrpPage) - static_cast<std::int64_t>(place / kAdrpPage);
      set_address(at, static_cast<std::uint64_t>(pages));
      return fits(pages, 21);
    }
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return set_low_bits(at, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return set_low_bits(at, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return set_low_bits(at, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return set_low_bits(at, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return set_low_bits(at, target, 4);
    default:
      return false;
  }
}

#if defined(__aarch64__)
bool apply_relocation(std::uint32_t type, std::byte* memory, std::uint64_t place, std::uint64_t target) {
  return apply_aarch64_relocation(type, memory, place, target);
}
#else
bool apply_relocation(std::uint32_t type, std::byte* memory, std::uint64_t place, std::uint64_t target) {
  switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      store(memory + place, static_cast<std::uint32_t>(target - place));
      return true;
    case R_X86_64_64:
      store(memory + place, reinterpret_cast<std::uint64_t>(memory) + target);
      return true;
    default:
      return false;
  }
}
#endif

}  // namespace slipway::cpu
