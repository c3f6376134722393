// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/text.hpp"

#include "platform/windows/system.hpp"

#include <fcntl.h>
#include <shellapi.h>

#include <cerrno>
#include <cstdio>

namespace slipway::platform {

namespace windows {

int error_of(DWORD code) {
  switch (code) {
    case ERROR_SUCCESS:
      return 0;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      return ENOENT;
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EACCES;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
      return EPIPE;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return ENOSYS;
    case ERROR_USER_MAPPED_FILE:
      return EBUSY;
    default:
      return EINVAL;
  }
}

std::wstring wide(std::string_view utf8) {
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), nullptr, 0);
  std::wstring text(static_cast<std::size_t>(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), text.data(), size);
  return text;
}

std::string narrow(std::wstring_view text) {
  const auto count = static_cast<int>(text.size());
  const int size = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), count, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), count, utf8.data(), size, nullptr, nullptr);
  return utf8;
}

}  // namespace windows

// Those of main have lost what the code page does not have.
std::vector<std::string> arguments_of_main(int, char**) {
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; words && i < count; ++i) arguments.push_back(windows::narrow(words[i]));
  ::LocalFree(words);
  return arguments;
}

void open_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::_get_osfhandle(stream) < 0) {
      const int file = ::_wopen(L"NUL", stream == 0 ? _O_WRONLY : _O_RDONLY);  // reading and writing fail
      if (file >= 0 && file != stream) {
        ::_dup2(file, stream);
        ::_close(file);
      }
    }
    ::_setmode(stream, _O_BINARY);
  }
  ::SetConsoleOutputCP(CP_UTF8);
  // Colours of terminals.
  for (const DWORD stream : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE console = ::GetStdHandle(stream);
    DWORD mode = 0;
    if (::GetConsoleMode(console, &mode)) ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

// The null device is a character device, too.
bool is_terminal(int file) {
  DWORD mode = 0;
  return ::GetConsoleMode(windows::handle_of(file), &mode) != 0;
}

std::optional<std::size_t> terminal_width() {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (!::GetConsoleScreenBufferInfo(::GetStdHandle(STD_OUTPUT_HANDLE), &info)) return std::nullopt;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

char list_separator() { return ';'; }
std::string shell_assignment(std::string_view name, std::string_view value) {
  return "set " + std::string(name) + "=" + std::string(value);
}

std::tm utc_time(std::time_t time) {
  std::tm utc{};
  ::gmtime_s(&utc, &time);
  return utc;
}

std::tm local_time(std::time_t time) {
  std::tm local{};
  ::localtime_s(&local, &time);
  return local;
}

std::string host_name() {
  wchar_t name[256] = {};
  DWORD size = 256;
  if (!::GetComputerNameExW(ComputerNameDnsHostname, name, &size)) return {};
  return windows::narrow({name, size});
}

std::string system_name() {
  // Other functions report a version that depends on the manifest of the program.
  struct Version {
    ULONG size = sizeof(Version), major = 0, minor = 0, build = 0, platform = 0;
    wchar_t service_pack[128] = {};
  } version;
  using GetVersion = LONG(WINAPI*)(Version*);
  const auto get = reinterpret_cast<GetVersion>(
      reinterpret_cast<void*>(::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion")));
  if (!get || get(&version) != 0) return "Windows";
  return "Windows " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.build) + " x86_64";
}

}  // namespace slipway::platform
