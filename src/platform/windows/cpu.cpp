// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/cpu.hpp"

#include "platform/windows/system.hpp"

#include <pthread.h>

#include <algorithm>
#include <bit>

namespace slipway::platform {
namespace {

// Of the group of CPUs in which the process is.
DWORD_PTR allowed_mask() {
  DWORD_PTR process = 0, system = 0;
  return ::GetProcessAffinityMask(::GetCurrentProcess(), &process, &system) ? process : 0;
}

}  // namespace

bool may_use_tiles() {
  static const bool permitted = [] {
    constexpr DWORD64 kTileData = DWORD64{1} << 18;
    using Enable = BOOL(WINAPI*)(DWORD64);
    const auto enable = reinterpret_cast<Enable>(reinterpret_cast<void*>(
        ::GetProcAddress(::GetModuleHandleW(L"kernel32.dll"), "EnableProcessOptionalXStateFeatures")));
    return enable && enable(kTileData);
  }();
  return permitted;
}

ArmFeatures arm_features() { return {}; }
unsigned allowed_cores() { return static_cast<unsigned>(std::max(std::popcount(allowed_mask()), 1)); }

void stay_on_core(std::thread& thread, unsigned index) {
  const DWORD_PTR allowed = allowed_mask();
  if (allowed == 0) return;
  unsigned turn = index % static_cast<unsigned>(std::popcount(allowed));
  DWORD_PTR rest = allowed;
  for (; turn > 0; --turn) rest &= rest - 1;
  ::SetThreadAffinityMask(static_cast<HANDLE>(::pthread_gethandle(thread.native_handle())), rest & -rest);
}

}  // namespace slipway::platform
