// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/library.hpp"

#include "platform/windows/system.hpp"

namespace slipway::platform {
namespace {

std::string error_text() {
  wchar_t* text = nullptr;
  const DWORD code = ::GetLastError();
  const DWORD size =
      ::FormatMessageW(FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                       nullptr, code, 0, reinterpret_cast<wchar_t*>(&text), 0, nullptr);
  std::string result = size == 0 ? "error " + std::to_string(code) : windows::narrow({text, size});
  ::LocalFree(text);
  while (result.ends_with('\n') || result.ends_with('\r') || result.ends_with('.')) result.pop_back();
  return result;
}

std::filesystem::path file_of_module(HMODULE module) {
  std::wstring name(32768, L'\0');
  name.resize(::GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size())));
  return name;
}

HMODULE module_of(const void* address) {
  HMODULE module = nullptr;
  ::GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       static_cast<const wchar_t*>(address), &module);
  return module;
}

}  // namespace

// The current directory is not searched.
std::expected<void*, std::string> open_library(const std::filesystem::path& file) {
  const DWORD search = file.is_absolute() ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS
                                          : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  if (const HMODULE library = ::LoadLibraryExW(file.c_str(), nullptr, search)) return reinterpret_cast<void*>(library);
  const std::string reason = error_text();
  return std::unexpected(file.string() + ": " + reason);
}

void close_library(void* library) { ::FreeLibrary(static_cast<HMODULE>(library)); }

void* loaded_library(const char* name) {
  HMODULE module = nullptr;
  ::GetModuleHandleExW(0, windows::wide(name).c_str(), &module);
  return module;
}

void* symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}

std::filesystem::path file_of_code(const void* address) {
  const HMODULE module = module_of(address);
  return module ? file_of_module(module) : std::filesystem::path();
}

bool is_in_program(const void* address) { return module_of(address) == ::GetModuleHandleW(nullptr); }
std::filesystem::path running_program() { return file_of_module(nullptr); }
std::string_view library_ending() { return ".dll"; }
LoadedObjects loaded_objects() { return {}; }

}  // namespace slipway::platform
