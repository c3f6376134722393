// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library for LD_PRELOAD that makes one call of a function of the C library fail:
//
//   FAULT_FUNCTION=write FAULT_AT=3 LD_PRELOAD=libslipway_fault_preload.so slipway ...
//
// FAULT_FUNCTION is malloc (with calloc, realloc and the aligned forms), open, write, rename (with link) or mmap.
// FAULT_FROM=1: the call and all later ones fail. FAULT_OWN=1: only calls from the program itself count, not those of
// its libraries and drivers. At its exit the process writes the count of calls to the file FAULT_LOG.
//
// FAULT_RECORD names a file to which all processes append what they do to regular files, for tests/power.py: a line for
// each call that succeeded, with the file by its number (inode) or its path, and data as hexadecimal digits:
//
//   name INODE PATH | rename FROM TO | unlink PATH | truncate INODE SIZE | write INODE OFFSET DATA | sync INODE
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace {

enum Kind { None, Malloc, Open, Write, Rename, Mmap };
Kind chosen = None;
std::uint64_t fail_at = 0;
bool from_there = false, own_only = false;
std::uint64_t calls = 0;
std::uintptr_t own_begin = 0, own_end = 0;

int record = -1;  // the file FAULT_RECORD

// Paths with tabs or line breaks are not expected.
void note(const char* line, std::size_t size) {
  if (syscall(SYS_write, record, line, size) < 0) _exit(97);
}

// The number of a regular file with a name, or 0.
unsigned long long file_number(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  char link[64], target[16];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target);
  if (size >= 7 && std::strncmp(target, "/memfd:", 7) == 0) return 0;
  return status.st_ino;
}

unsigned long long number_of_path(const char* path) {
  struct stat status{};
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? status.st_ino : 0;
}

void absolute(const char* path, char (&into)[4096]) {
  into[0] = 0;
  if (path[0] != '/') {
    if (syscall(SYS_getcwd, into, sizeof into / 2) < 0) return;
    std::strcat(into, "/");
  }
  std::strncat(into, path, sizeof into / 2 - 1);
}

template <class... Values>
void note_line(const char* format, Values... values) {
  char line[9000];
  const int size = std::snprintf(line, sizeof line, format, values...);
  if (size > 0 && static_cast<std::size_t>(size) < sizeof line) note(line, static_cast<std::size_t>(size));
}

void note_name(const char* path) {
  const unsigned long long number = number_of_path(path);
  char whole[4096];
  absolute(path, whole);
  if (number != 0) note_line("name\t%llu\t%s\n", number, whole);
}

void note_open(int file, const char* path, int flags) {
  if (record < 0 || file < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_TMPFILE) == O_TMPFILE) return;
  const unsigned long long number = file_number(file);
  if (number == 0) return;
  if ((flags & O_CREAT) != 0) note_name(path);
  if ((flags & O_TRUNC) != 0) note_line("truncate\t%llu\t0\n", number);
}

void note_write(int file, long long offset, const void* data, std::size_t size) {
  const unsigned long long number = file_number(file);
  if (number == 0) return;
  char* const line = static_cast<char*>(__libc_malloc(2 * size + 100));
  if (!line) _exit(97);
  auto at = static_cast<std::size_t>(std::snprintf(line, 100, "write\t%llu\t%lld\t", number, offset));
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(data)[i];
    line[at++] = "0123456789abcdef"[byte >> 4];
    line[at++] = "0123456789abcdef"[byte & 15];
  }
  line[at++] = '\n';
  note(line, at);
  std::free(line);
}

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
  if (const char* to = std::getenv("FAULT_RECORD"))
    record = static_cast<int>(syscall(SYS_openat, AT_FDCWD, to, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644));
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
  const auto file = static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
  if (directory == AT_FDCWD || path[0] == '/') note_open(file, path, flags);
  return file;
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (fails(Open, CALLER)) return errno = EMFILE, -1;
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  note_open(file, path, flags);
  return file;
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

ssize_t write(int file, const void* data, std::size_t size) {
  if (fails(Write, CALLER)) return errno = ENOSPC, -1;
  const ssize_t written = syscall(SYS_write, file, data, size);
  if (record >= 0 && written > 0) {
    const int error = errno;
    const long long end = syscall(SYS_lseek, file, 0, SEEK_CUR);
    if (end >= written) note_write(file, end - written, data, static_cast<std::size_t>(written));
    errno = error;
  }
  return written;
}

int rename(const char* from, const char* to) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  const auto result = static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
  if (record >= 0 && result == 0) {
    char before[4096], after[4096];
    absolute(from, before);
    absolute(to, after);
    note_line("rename\t%s\t%s\n", before, after);
  }
  return result;
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  return static_cast<int>(syscall(SYS_renameat2, from_directory, from, to_directory, to, 0));
}
int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) noexcept {
  if (fails(Rename, CALLER)) return errno = EIO, -1;
  const auto result = static_cast<int>(syscall(SYS_linkat, from_directory, from, to_directory, to, flags));
  if (record >= 0 && result == 0) note_name(to);
  return result;
}

int unlink(const char* path) noexcept {
  const auto result = static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  if (record >= 0 && result == 0) {
    char whole[4096];
    absolute(path, whole);
    note_line("unlink\t%s\n", whole);
  }
  return result;
}

int ftruncate(int file, off_t size) noexcept {
  const auto result = static_cast<int>(syscall(SYS_ftruncate, file, size));
  if (record >= 0 && result == 0 && file_number(file) != 0)
    note_line("truncate\t%llu\t%lld\n", file_number(file), static_cast<long long>(size));
  return result;
}

int fsync(int file) {
  const auto result = static_cast<int>(syscall(SYS_fsync, file));
  struct stat status{};
  if (record >= 0 && result == 0 && fstat(file, &status) == 0)
    note_line("sync\t%llu\n", static_cast<unsigned long long>(status.st_ino));
  return result;
}
int fdatasync(int file) { return fsync(file); }

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (fails(Mmap, CALLER)) return errno = ENOMEM, MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept
    __attribute__((alias("mmap")));

}  // extern "C"
