// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/cpu.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace slipway::platform {

bool may_use_tiles() {
#ifdef SYS_arch_prctl
  static const bool permitted = [] {
    constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return permitted;
#else
  return false;
#endif
}

ArmFeatures arm_features() {
  ArmFeatures features;
#if defined(__aarch64__)
  constexpr unsigned long kIdentification = 1UL << 11;
  features.first = ::getauxval(AT_HWCAP);
  features.second = ::getauxval(AT_HWCAP2);
  // Linux reads the register for programs.
  if (features.first & kIdentification) asm("mrs %0, midr_el1" : "=r"(features.identification));
#endif
  return features;
}

unsigned allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

void stay_on_core(std::thread& thread, unsigned index) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const unsigned turn = index % std::max(static_cast<unsigned>(CPU_COUNT(&allowed)), 1U);
  unsigned seen = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || seen++ != turn) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::pthread_setaffinity_np(thread.native_handle(), sizeof one, &one);
  }
}

}  // namespace slipway::platform
