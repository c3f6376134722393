// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPU function libraries: loading them and looking up their functions (docs/spec/recipe.md#cpu-functions,
// docs/spec/recipe.md#cpu-function-interface).
//
//   Result<const Library*> library = load_library(file);
//   Result<const LibraryFunction*> function = find_function(**library, "convert");
//
// A library is loaded once per process and never unloaded: it may have started threads, and values that it returns may
// point into it. Each function is looked up once. All functions here may be called from several threads; a library's
// `library_init` and lookup function are called by one thread at a time.
//
// Libraries are native code that the user trusts. Exceptions that leave a library become diagnostics; a crash of a
// library ends the process.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::recipe::cpu {

// The `xrt::bo` that a library was compiled with: that of slipway/bo.hpp, or that of XRT.
enum class BufferAbi : std::uint8_t { Embedded = 1, Xrt = 2 };

class Library;

struct LibraryFunction {
  const Library* library = nullptr;
  std::string name;
  std::uint32_t num_args = 0;
  std::function<void(std::vector<std::any>&)> callable;
};

// More arguments are an error of the library.
inline constexpr std::uint32_t kMaxArguments = 4096;

// Opens a library, or returns the one that is already open. Errors: cpu-open (with the loader's reason); cpu-init if
// `library_init` is missing, throws, or sets no lookup function; cpu-abi for an unknown `slipway_cpu_library_abi`.
Result<const Library*> load_library(const Path& file, const SourceLocation& location = {});

const Path& file_of(const Library& library);
BufferAbi abi_of(const Library& library);

// Errors: cpu-lookup if the library throws (with its text) or provides no function.
Result<const LibraryFunction*> find_function(const Library& library, std::string_view name,
                                             const SourceLocation& location = {});

}  // namespace slipway::recipe::cpu
