// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared objects, and the files of the running code.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::platform {

// A name without a directory is searched where the system does. The failure is the system's text.
std::expected<void*, std::string> open_library(const std::filesystem::path& file);
void close_library(void* library);
// Null if it is not loaded already.
void* loaded_library(const char* name);
// Null if it is missing.
void* symbol(void* library, const char* name);

// The file with the code at an address; empty if it is unknown. Of a program, the name by which it was started.
std::filesystem::path file_of_code(const void* address);
// Whether the code is linked into the program, and not into a shared object.
bool is_in_program(const void* address);
std::filesystem::path running_program();
std::string_view library_ending();  // of the names of shared objects, as `.so`

// The directories of the shared objects of this process, and the programs that load it.
struct LoadedObjects {
  std::vector<std::filesystem::path> directories, loaders;
};
LoadedObjects loaded_objects();

}  // namespace slipway::platform
