// CPU function libraries: loading them and looking up their functions (recipe page 3.6, decisions 19 to 22).
//
//   Result<const Library*> library = load_library(file);
//   Result<const Function*> function = find_function(**library, "convert");
//
// A library is loaded once in a process and never unloaded: it may have started threads, and what its functions return
// to us may point into it. Its functions are looked up once each. Both tables may be used from several threads; a
// library's `library_init` and lookup function are called by one thread at a time.
//
// Libraries are native code that whoever runs a recipe trusts. Exceptions that leave a library become diagnostics;
// nothing can be done about its crashes.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/files.hpp"

namespace slipway::recipe::cpu {

// Which `xrt::bo` a library was compiled with: slipway/bo.hpp's, or XRT's.
enum class BufferAbi : std::uint8_t { Embedded = 1, Xrt = 2 };

class Library;

struct Function {
  const Library* library = nullptr;
  std::string name;
  std::uint32_t num_args = 0;
  std::function<void(std::vector<std::any>&)> callable;
};

// More arguments than this are a mistake in the library, not a function.
inline constexpr std::uint32_t kMaxArguments = 4096;

// Opens a library, or gives the one that is open already. Errors: cpu-open (with the loader's reason), cpu-init when it
// has no `library_init`, or that throws or sets no lookup function; cpu-abi for an unknown `slipway_cpu_library_abi`.
Result<const Library*> load_library(const Path& file, const SourceLocation& location = {});

const Path& file_of(const Library& library);
BufferAbi abi_of(const Library& library);

// Errors: cpu-lookup when the library throws (with its text) or fills in no function.
Result<const Function*> find_function(const Library& library, std::string_view name,
                                      const SourceLocation& location = {});

}  // namespace slipway::recipe::cpu
