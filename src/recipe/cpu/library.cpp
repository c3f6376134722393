// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/library.hpp"

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/format.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "platform/library.hpp"
#include "recipe/cpu/thrown.hpp"
#include "slipway/cpu_function.hpp"

namespace slipway::recipe::cpu {

// The registry makes libraries and never destroys them.
class Library {
 public:
  Path file;
  BufferAbi abi = BufferAbi::Embedded;
  std::function<void(const std::string&, xrt_core::cpu::lookup_args*)> lookup;
  mutable std::mutex mutex;  // guards `functions` and calls of `lookup`
  mutable std::map<std::string, std::unique_ptr<const LibraryFunction>, std::less<>> functions;
};

namespace {

// The libraries of the process: an index of the loader's global state. Never destroyed, because threads of libraries
// may outlive `main`.
struct Registry {
  std::mutex mutex;
  std::map<Path, std::unique_ptr<const Library>> libraries;
};

Registry& registry() {
  static Registry& of_process = *new Registry;
  return of_process;
}

Diagnostic problem(DiagnosticKind kind, const SourceLocation& location, std::string message) {
  return {.kind = kind, .message = std::move(message), .location = location};
}

Result<BufferAbi> find_abi(void* handle, const Path& file, const SourceLocation& location) {
  const auto abi_of_library = reinterpret_cast<int (*)()>(platform::symbol(handle, "slipway_cpu_library_abi"));
  if (!abi_of_library) return BufferAbi::Xrt;
  const int abi = abi_of_library();
  if (abi == 1 || abi == 2) return static_cast<BufferAbi>(abi);
  return fail(std::move(
      problem(DiagnosticKind::CpuAbi, location,
              formatted("CPU library `{}` has buffer interface {}; only 1 and 2 are known", file.string(), abi))
          .hint("rebuild it with this version's slipway/cpu_library.hpp")));
}

Result<std::unique_ptr<const Library>> open(const Path& file, const SourceLocation& location) {
  const auto opened = platform::open_library(file);
  if (!opened) {
    return fail(DiagnosticKind::CpuOpen, location, formatted("Failed to open {}: {}", file.string(), opened.error()));
  }
  void* const handle = *opened;
  const auto init = reinterpret_cast<xrt_core::cpu::library_init_fn>(platform::symbol(handle, "library_init"));
  if (!init) {
    return fail(std::move(problem(DiagnosticKind::CpuInit, location,
                                  formatted("CPU library `{}` exports no `library_init`", file.string()))
                              .hint("declare it `extern \"C\"`, with default visibility")));
  }
  auto library = std::make_unique<Library>();
  library->file = file;
  SLIPWAY_TRY(library->abi, find_abi(handle, file, location));

  xrt_core::cpu::library_init_args arguments;
  try {
    init(&arguments);
  } catch (...) {
    return fail(DiagnosticKind::CpuInit, location,
                formatted("`library_init` of CPU library `{}` threw: {}", file.string(), thrown_text()));
  }
  if (!arguments.lookup_fn) {
    return fail(std::move(problem(DiagnosticKind::CpuInit, location,
                                  formatted("`library_init` of CPU library `{}` set no `lookup_fn`", file.string()))
                              .hint("it must set the member of its argument")));
  }
  library->lookup = std::move(arguments.lookup_fn);
  return library;
}

Result<std::unique_ptr<const LibraryFunction>> look_up(const Library& library, std::string_view name,
                                                       const SourceLocation& location) {
  xrt_core::cpu::lookup_args found;
  try {
    library.lookup(std::string(name), &found);
  } catch (...) {
    return fail(
        DiagnosticKind::CpuLookup, location,
        formatted("CPU library `{}` does not provide function `{}`: {}", library.file.string(), name, thrown_text()));
  }
  if (!found.callable) {
    return fail(std::move(
        problem(DiagnosticKind::CpuLookup, location,
                formatted("CPU library `{}` provides no callable for function `{}`", library.file.string(), name))
            .hint("its lookup function must throw for unknown names")));
  }
  if (found.num_args > kMaxArguments) {
    return fail(DiagnosticKind::CpuLookup, location,
                formatted("function `{}` of CPU library `{}` asks for {} arguments, more than the {} that a function "
                          "may have",
                          name, library.file.string(), found.num_args, kMaxArguments));
  }
  return std::make_unique<const LibraryFunction>(
      LibraryFunction{&library, std::string(name), found.num_args, found.callable});
}

}  // namespace

Result<const Library*> load_library(const Path& file, const SourceLocation& location) {
  std::error_code error;
  const Path canonical = std::filesystem::canonical(file, error);
  if (error) {
    return fail(DiagnosticKind::CpuOpen, location, formatted("Failed to open {}: {}", file.string(), error.message()));
  }
  Registry& loaded = registry();
  const std::scoped_lock lock(loaded.mutex);
  if (const auto known = loaded.libraries.find(canonical); known != loaded.libraries.end()) return known->second.get();
  if (const std::string reason = distrust(canonical); !reason.empty())
    return fail(DiagnosticKind::CpuOpen, location,
                formatted("CPU library `{}` is not loaded: {}", canonical.string(), reason));
  SLIPWAY_TRY(std::unique_ptr<const Library> library, open(canonical, location));
  return loaded.libraries.emplace(canonical, std::move(library)).first->second.get();
}

const Path& file_of(const Library& library) { return library.file; }
BufferAbi abi_of(const Library& library) { return library.abi; }

Result<const LibraryFunction*> find_function(const Library& library, std::string_view name,
                                             const SourceLocation& location) {
  const std::scoped_lock lock(library.mutex);
  if (const auto known = library.functions.find(name); known != library.functions.end()) return known->second.get();
  SLIPWAY_TRY(std::unique_ptr<const LibraryFunction> function, look_up(library, name, location));
  return library.functions.emplace(std::string(name), std::move(function)).first->second.get();
}

}  // namespace slipway::recipe::cpu
