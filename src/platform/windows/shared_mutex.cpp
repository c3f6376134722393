// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/shared_mutex.hpp"

#include "platform/windows/system.hpp"

namespace slipway::platform {
namespace {

static_assert(sizeof(SRWLOCK) == sizeof(void*));
SRWLOCK* lock_of(void*& lock) { return reinterpret_cast<SRWLOCK*>(&lock); }

}  // namespace

void SharedMutex::lock() { ::AcquireSRWLockExclusive(lock_of(lock_)); }
bool SharedMutex::try_lock() { return ::TryAcquireSRWLockExclusive(lock_of(lock_)) != 0; }
void SharedMutex::unlock() { ::ReleaseSRWLockExclusive(lock_of(lock_)); }
void SharedMutex::lock_shared() { ::AcquireSRWLockShared(lock_of(lock_)); }
bool SharedMutex::try_lock_shared() { return ::TryAcquireSRWLockShared(lock_of(lock_)) != 0; }
void SharedMutex::unlock_shared() { ::ReleaseSRWLockShared(lock_of(lock_)); }

}  // namespace slipway::platform
