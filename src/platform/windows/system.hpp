// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of this directory share. Numbers of files are those of the C library (io.h), which keeps a handle for
// each.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#include <io.h>
#include <windows.h>

#include <string>
#include <string_view>

namespace slipway::platform::windows {

int error_of(DWORD code);  // the number of <cerrno>
inline int last_error() { return error_of(::GetLastError()); }

std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view text);

inline HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

}  // namespace slipway::platform::windows
