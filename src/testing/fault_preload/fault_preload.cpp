// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library for LD_PRELOAD that makes one call of a function of the C library fail:
//
//   FAULT_FUNCTION=write FAULT_AT=3 LD_PRELOAD=libslipway_fault_preload.so slipway ...
//
// FAULT_FUNCTION is malloc (with calloc, realloc and the aligned forms), open, write, rename (with link) or mmap.
// FAULT_FROM=1: the call and all later ones fail. FAULT_OWN=1: only calls from the program itself count, not those of
// its libraries and drivers. At its exit the process writes the count of calls to the file FAULT_LOG.
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Kind { None, Malloc, Open, Write, Rename, Mmap };
Kind chosen = None;
std::uint64_t fail_at = 0;
bool from_there = false, own_only = false;
std::uint64_t calls = 0;
std::uintptr_t own_begin = 0, own_end = 0;

int find_program(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (own_begin == 0 || begin < own_begin) own_begin = begin;
    if (end > own_end) own_end = end;
  }
  return 1;  // the first one is the program
}

__attribute__((constructor)) void begin() {
  const char* name = std::getenv("FAULT_FUNCTION");
  const char* at = std::getenv("FAULT_AT");
  if (!name || !at) return;
  fail_at = std::strtoull(at, nullptr, 10);
  from_there = std::getenv("FAULT_FROM") != nullptr;
  own_only = std::getenv("FAULT_OWN") != nullptr;
  dl_iterate_phdr(find_program, nullptr);
  const char* const names[] = {"", "malloc", "open", "write", "rename", "mmap"};
  for (int i = 1; i <= Mmap; ++i) {
    if (std::strcmp(name, names[i]) == 0) chosen = static_cast<Kind>(i);
  }
}

__attribute__((destructor)) void end() {
  const char* log = std::getenv("FAULT_LOG");
  if (!log || chosen == None) return;
  chosen = None;
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%llu\n", static_cast<unsigned long long>(calls));
  const long file = syscall(SYS_openat, AT_FDCWD, log, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (file >= 0) syscall(SYS_write, file, text, static_cast<std::size_t>(size));
}

bool fails(Kind kind, const void* caller) {
  if (kind != chosen) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (own_only && (address < own_begin || address >= own_end)) return false;
  const std::uint64_t number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return fail_at != 0 && (number == fail_at || (from_there && number > fail_at));
}

long done(long result) {
  return result;  // syscall() has set errno
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void* malloc(std::size_t size) {
  if (fails(Malloc, CALLER)) return errno = ENOMEM, nullptr;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  if (fails(Malloc, CALLER)) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  if (fails(Malloc, CALLER)) return errno = ENOMEM, nullptr;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (fails(Malloc, CALLER)) return errno = ENOMEM, nullptr;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** made, std::size_t alignment, std::size_t size) {
  if (fails(Malloc, CALLER)) return ENOMEM;
  *made = __libc_memalign(alignment, size);
  return *made ? 0 : ENOMEM;
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (fails(Open, CALLER)) return errno = EMFILE, -1;
  return static_cast<int>(done(syscall(SYS_openat, directory, path, flags, mode)));
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (fails(Open, CALLER)) return errno = EMFILE, -1;
  return static_cast<int>(done(syscall(SYS_openat, AT_FDCWD, path, flags, mode)));
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (fails(Open, CALLER)) return errno = EMFILE, -1;
  return static_cast<int>(done(syscall(SYS_openat, AT_FDCWD, path, flags, mode)));
}

ssize_t write(int file, const void* data, std::size_t size) {
  if (fails(Write, CALLER)) return errno = ENOSPC, -1;
  return done(syscall(SYS_write, file, data, size));
}

int rename(const char* from, const char* to) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  return static_cast<int>(done(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)));
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  return static_cast<int>(done(syscall(SYS_renameat2, from_directory, from, to_directory, to, 0)));
}
int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  return static_cast<int>(done(syscall(SYS_linkat, from_directory, from, to_directory, to, flags)));
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (fails(Mmap, CALLER)) return errno = ENOMEM, MAP_FAILED;
  return reinterpret_cast<void*>(done(syscall(SYS_mmap, address, size, protection, flags, file, offset)));
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return mmap(address, size, protection, flags, file, offset);
}

}  // extern "C"
