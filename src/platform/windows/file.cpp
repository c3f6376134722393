// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directory that is open is a handle, and a name in it is a path below the path that the system gives for the handle:
// the directory may be renamed between the two. Names are opened without the sharing rules of other programs: all may
// read, write and rename.
#include "platform/file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <vector>

#include "platform/windows/system.hpp"

namespace slipway::platform {
namespace {

using windows::handle_of, windows::last_error;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr std::uint64_t kTicksPerSecond = 10'000'000;

std::unexpected<int> system_error() { return std::unexpected(last_error()); }
int result_of(BOOL done) { return done ? 0 : last_error(); }

Opened<Path> path_at(int directory, const Path& name) {
  if (directory == kCurrentDirectory || name.is_absolute()) return name;
  std::wstring text(32768, L'\0');
  const DWORD size = ::GetFinalPathNameByHandleW(handle_of(directory), text.data(), static_cast<DWORD>(text.size()), 0);
  if (size == 0 || size >= text.size()) return system_error();
  text.resize(size);
  return name.empty() || name == "." ? Path(text) : Path(text) / name;
}

// Without the name of a stream, or of a device in every directory.
HANDLE open_path(const Path& path, DWORD access, DWORD creation, DWORD flags) {
  return ::CreateFileW(path.c_str(), access, kShareAll, nullptr, creation, flags, nullptr);
}

Opened<OwnedDescriptor> owned(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return system_error();
  OwnedDescriptor file(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT));
  if (file.number() < 0) {
    ::CloseHandle(handle);
    return std::unexpected(EMFILE);
  }
  return file;
}

Opened<FileStatus> status_of_handle(HANDLE handle) {
  switch (::GetFileType(handle)) {
    case FILE_TYPE_PIPE:
      return FileStatus{.kind = FileKind::Pipe, .device = 1, .inode = reinterpret_cast<std::uintptr_t>(handle)};
    case FILE_TYPE_CHAR:
      return FileStatus{
          .kind = FileKind::CharacterDevice, .device = 2, .inode = reinterpret_cast<std::uintptr_t>(handle)};
    case FILE_TYPE_DISK:
      break;
    default:
      return std::unexpected(EBADF);
  }
  BY_HANDLE_FILE_INFORMATION found{};
  if (!::GetFileInformationByHandle(handle, &found)) return system_error();
  FileStatus status{.kind = FileKind::Regular,
                    .device = found.dwVolumeSerialNumber,
                    .inode = std::uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow,
                    .size = std::uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
                    .links = found.nNumberOfLinks};
  if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) status.kind = FileKind::Directory;
  if (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) status.kind = FileKind::Link;
  return status;
}

Opened<FileStatus> status_of_path(const Path& path, DWORD flags) {
  const HANDLE handle = open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
  if (handle == INVALID_HANDLE_VALUE) return system_error();
  const Opened<FileStatus> status = status_of_handle(handle);
  ::CloseHandle(handle);
  return status;
}

std::wstring hidden_name() {
  static std::atomic<unsigned> counter = 0;
  return L".slipway." + std::to_wstring(::GetCurrentProcessId()) + L"." + std::to_wstring(counter++);
}

// A file that is open may be renamed, though not replaced. For a moment the name is missing; the file under it is
// always a whole one.
bool replace_open(const Path& source, const Path& target) {
  const Path away = target.parent_path() / hidden_name();
  if (!::MoveFileExW(target.c_str(), away.c_str(), 0)) return false;
  if (!::MoveFileExW(source.c_str(), target.c_str(), 0)) {
    ::MoveFileExW(away.c_str(), target.c_str(), 0);
    return false;
  }
  ::DeleteFileW(away.c_str());  // goes when the last program closes it
  return true;
}

OVERLAPPED at_offset(std::uint64_t offset) {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return at;
}

constexpr std::size_t kMaxPiece = std::size_t{1} << 30;  // of a read or write

}  // namespace

Opened<FileStatus> status_of(const Path& path) { return status_of_path(path, 0); }
Opened<FileStatus> status_of(int file) { return status_of_handle(handle_of(file)); }

Opened<FileStatus> status_at(int directory, const std::string& name) {
  const auto path = path_at(directory, Path(name));
  if (!path) return std::unexpected(path.error());
  return status_of_path(*path, FILE_FLAG_OPEN_REPARSE_POINT);
}

bool has_no_end(const FileStatus&) { return false; }
// Who may change a file is in its list of access rights, which this program does not read: all files are of this user.
std::uint32_t user_id() { return 0; }

bool is_plain_name(const Path& name) {
  const std::string text = name.string();
  if (text.empty() || text == "." || text == "..") return true;
  if (text.find_first_of(":<>\"|?*") != text.npos || text.ends_with('.') || text.ends_with(' ')) return false;
  std::string stem = text.substr(0, text.find('.'));
  while (stem.ends_with(' ')) stem.pop_back();
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::string_view kDevices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
  if (std::ranges::contains(kDevices, stem)) return false;
  const bool is_port = stem.size() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT"));
  return !(is_port && std::isdigit(static_cast<unsigned char>(stem[3])));
}

Opened<OwnedDescriptor> open_at(int directory, const Path& name, unsigned flags) {
  auto path = path_at(directory, name);
  if (!path) return std::unexpected(path.error());
  const bool writes = (flags & (kWrite | kReadWrite)) != 0, reads = !(flags & kWrite);
  DWORD access = (flags & kHandle) ? FILE_READ_ATTRIBUTES : (reads ? GENERIC_READ : 0);
  // Without FILE_WRITE_DATA, every write is at the end.
  if (writes) access |= flags & kAppend ? FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES : GENERIC_WRITE;
  DWORD attributes = FILE_ATTRIBUTE_NORMAL;
  if (flags & (kHandle | kDirectory)) attributes |= FILE_FLAG_BACKUP_SEMANTICS;
  if (flags & kNoFollow) attributes |= FILE_FLAG_OPEN_REPARSE_POINT;
  DWORD creation = flags & kNew ? CREATE_NEW : flags & kCreate ? OPEN_ALWAYS : OPEN_EXISTING;
  // There are no files without a name.
  if (flags & kNameless) return std::unexpected(EOPNOTSUPP);
  const HANDLE handle = open_path(*path, access, creation, attributes);
  if (handle == INVALID_HANDLE_VALUE) {
    // A directory is refused like a file without rights.
    const int error = last_error();
    const auto status = error == EACCES ? status_of(*path) : std::unexpected(error);
    return std::unexpected(status && status->is_directory() ? EISDIR : error);
  }
  if ((flags & (kDirectory | kNoFollow)) != 0) {
    const auto status = status_of_handle(handle);
    const int error = !status                                                          ? status.error()
                      : (flags & kDirectory) && !status->is_directory()                ? ENOTDIR
                      : (flags & kNoFollow) && status->is_link() && !(flags & kHandle) ? ELOOP
                                                                                       : 0;
    if (error != 0) {
      ::CloseHandle(handle);
      return std::unexpected(error);
    }
  }
  return owned(handle, (writes ? (reads ? _O_RDWR : _O_WRONLY) : _O_RDONLY) | (flags & kAppend ? _O_APPEND : 0));
}

Opened<OwnedDescriptor> open_below(int, const Path&, unsigned) { return std::unexpected(ENOSYS); }

Opened<OwnedDescriptor> reopen(int file, unsigned flags) {
  const DWORD access = flags & kHandle ? FILE_READ_ATTRIBUTES : GENERIC_READ;
  return owned(::ReOpenFile(handle_of(file), access, kShareAll, FILE_FLAG_BACKUP_SEMANTICS), _O_RDONLY);
}

// A file that goes when it is closed, and that the system keeps in memory while it can.
Opened<OwnedDescriptor> open_memory(const char*) {
  std::error_code error;
  const Path path = std::filesystem::temp_directory_path(error) / hidden_name();
  if (error) return std::unexpected(error.value());
  return owned(::CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, kShareAll, nullptr, CREATE_NEW,
                             FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr),
               _O_RDWR);
}

int duplicate(int file, int as) { return ::_dup2(file, as) == 0 ? 0 : errno; }
bool holds_open_files(int) { return false; }

// The target of a symbolic link, which the structure of the kernel has as offsets into a buffer.
Opened<Path> target_of_link(int directory, const std::string& name) {
  const auto path = path_at(directory, Path(name));
  if (!path) return std::unexpected(path.error());
  std::error_code error;
  Path target = std::filesystem::read_symlink(*path, error);
  if (error) return std::unexpected(EINVAL);
  return target;
}

int make_directory(int directory, const Path& name) {
  const auto path = path_at(directory, name);
  return path ? result_of(::CreateDirectoryW(path->c_str(), nullptr)) : path.error();
}
// Directories of a user's profile are private already.
int make_private_directory(const Path& path) { return result_of(::CreateDirectoryW(path.c_str(), nullptr)); }

Opened<Path> make_temporary_directory(const Path& pattern) {
  std::wstring text = pattern.native();
  while (text.ends_with(L'X')) text.pop_back();
  constexpr int kMaxAttempts = 100;
  for (int i = 0; i < kMaxAttempts; ++i) {
    const Path path = text + std::to_wstring(::GetCurrentProcessId()) + L"-" +
                      std::to_wstring(::GetTickCount64() % kTicksPerSecond + static_cast<unsigned>(i));
    if (::CreateDirectoryW(path.c_str(), nullptr)) return path;
    if (::GetLastError() != ERROR_ALREADY_EXISTS) return system_error();
  }
  return std::unexpected(EEXIST);
}

int remove_name(int directory, const std::string& name) {
  const auto path = path_at(directory, Path(name));
  return path ? result_of(::DeleteFileW(path->c_str())) : path.error();
}

// Replaces a file that others have open: with the semantics of POSIX where the file system has them, else by
// renaming the old file, which others may go on reading. If they do not share it, waits until they close it.
int rename_in(int directory, const std::string& from, const std::string& to) {
  const auto source = path_at(directory, Path(from)), target = path_at(directory, Path(to));
  if (!source || !target) return source ? target.error() : source.error();
  constexpr int kMaxAttempts = 50;
  constexpr DWORD kPeriod = 20;  // milliseconds
  for (int i = 0;; ++i) {
    const HANDLE handle = open_path(*source, DELETE | SYNCHRONIZE, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    if (handle != INVALID_HANDLE_VALUE) {
      const std::wstring& name = target->native();
      std::vector<std::byte> space(sizeof(FILE_RENAME_INFO) + name.size() * sizeof(wchar_t));
      auto* const info = reinterpret_cast<FILE_RENAME_INFO*>(space.data());
      constexpr DWORD kReplace = 1, kPosix = 2;  // FILE_RENAME_FLAG_...
      *reinterpret_cast<DWORD*>(info) = kReplace | kPosix;
      info->FileNameLength = static_cast<DWORD>(name.size() * sizeof(wchar_t));
      std::ranges::copy(name, info->FileName);
      constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
      const BOOL done = ::SetFileInformationByHandle(handle, kRenameEx, info, static_cast<DWORD>(space.size()));
      ::CloseHandle(handle);
      if (done) return 0;
    }
    if (::MoveFileExW(source->c_str(), target->c_str(), MOVEFILE_REPLACE_EXISTING)) return 0;
    const DWORD error = ::GetLastError();
    if (error == ERROR_ACCESS_DENIED && replace_open(*source, *target)) return 0;
    if (i == kMaxAttempts || (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION))
      return windows::error_of(error);
    ::Sleep(kPeriod);
  }
}

int give_name(int, int, const std::string&) { return EOPNOTSUPP; }

Opened<std::size_t> read_some(int file, std::span<std::byte> to) {
  DWORD count = 0;
  if (::ReadFile(handle_of(file), to.data(), static_cast<DWORD>(std::min(to.size(), kMaxPiece)), &count, nullptr))
    return count;
  const DWORD error = ::GetLastError();
  if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF) return 0;
  if (error == ERROR_NO_DATA) return std::unexpected(EAGAIN);
  return system_error();
}

Opened<std::size_t> read_at(int file, std::span<std::byte> to, std::uint64_t offset) {
  OVERLAPPED at = at_offset(offset);
  DWORD count = 0;
  const auto before = position_of(file);
  const BOOL done =
      ::ReadFile(handle_of(file), to.data(), static_cast<DWORD>(std::min(to.size(), kMaxPiece)), &count, &at);
  const DWORD error = ::GetLastError();
  if (before) go_to(file, *before);
  if (done) return count;
  if (error == ERROR_HANDLE_EOF) return 0;
  return std::unexpected(windows::error_of(error));
}

Opened<std::size_t> write_some(int file, std::span<const std::byte> bytes) {
  DWORD count = 0;
  if (::WriteFile(handle_of(file), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kMaxPiece)), &count,
                  nullptr))
    return count;
  return system_error();
}

int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const Opened<std::size_t> count = write_some(file, bytes);
    if (!count) return count.error();
    bytes = bytes.subspan(*count);
  }
  return 0;
}

Opened<std::uint64_t> size_by_seeking(int file) {
  LARGE_INTEGER at{};
  if (!::SetFilePointerEx(handle_of(file), {}, &at, FILE_END)) return system_error();
  return static_cast<std::uint64_t>(at.QuadPart);
}

Opened<std::uint64_t> position_of(int file) {
  LARGE_INTEGER at{};
  if (::GetFileType(handle_of(file)) != FILE_TYPE_DISK) return std::unexpected(ESPIPE);
  if (!::SetFilePointerEx(handle_of(file), {}, &at, FILE_CURRENT)) return system_error();
  return static_cast<std::uint64_t>(at.QuadPart);
}

int go_to(int file, std::uint64_t position) {
  LARGE_INTEGER to{};
  to.QuadPart = static_cast<LONGLONG>(position);
  return result_of(::SetFilePointerEx(handle_of(file), to, nullptr, FILE_BEGIN));
}

int truncate(int file, std::uint64_t size) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  if (::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end)) return 0;
  if (::GetLastError() != ERROR_ACCESS_DENIED) return last_error();
  // A file to which bytes are appended.
  const HANDLE writable = ::ReOpenFile(handle_of(file), GENERIC_WRITE, kShareAll, 0);
  if (writable == INVALID_HANDLE_VALUE) return last_error();
  const int result = result_of(::SetFileInformationByHandle(writable, FileEndOfFileInfo, &end, sizeof end));
  ::CloseHandle(writable);
  return result;
}

// The names of a directory are flushed with its files.
int flush_to_disk(int file, bool with_names) { return with_names ? 0 : result_of(::FlushFileBuffers(handle_of(file))); }
int wait_from_now_on(int) { return 0; }
int close_file(int file) { return ::_close(file) == 0 ? 0 : errno; }

}  // namespace slipway::platform
