// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the CPU, whatever the system.
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstring>

#include "platform/cpu.hpp"

namespace slipway::platform {

#if defined(__x86_64__)
bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kShaBit = 1U << 29;  // CPUID 7.0: EBX
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kShaBit) != 0;
}

std::string cpu_brand() {
  std::array<unsigned, 12> words{};
  for (unsigned i = 0; i < 3; ++i) {
    if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3])) return {};
  }
  std::array<char, 49> text{};
  std::memcpy(text.data(), words.data(), 48);
  return text.data();
}
#else
bool has_sha_instructions() { return false; }
std::string cpu_brand() { return {}; }
#endif

}  // namespace slipway::platform
