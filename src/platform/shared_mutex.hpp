// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex that readers share. In that of mingw-w64's C++ library, `lock` fails when several threads use it.
#pragma once

#include <shared_mutex>

namespace slipway::platform {

#ifdef _WIN32

class SharedMutex {
 public:
  constexpr SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void lock();
  bool try_lock();
  void unlock();
  void lock_shared();
  bool try_lock_shared();
  void unlock_shared();

 private:
  void* lock_ = nullptr;  // an SRWLOCK
};

#else

using SharedMutex = std::shared_mutex;

#endif

}  // namespace slipway::platform
