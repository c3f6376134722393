// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/library.hpp"

#include <dlfcn.h>

#include "base/format.hpp"

namespace slipway::cpu {
namespace {

std::unexpected<Failure> not_available(std::string_view reason) {
  Diagnostic diagnostic{.kind = DiagnosticKind::NoBackend};
  diagnostic.message = formatted("the CPU engine is not available: {}", reason);
  return fail(std::move(diagnostic.hint("leave out `--engine cpu` and `--device cpu` to run on a Vulkan device")));
}

// The directory of this program or library; empty if it is unknown.
Path own_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_directory), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  // For a program that was found through PATH, dli_fname is the bare name.
  const std::string_view name = info.dli_fname;
  const Path file = std::filesystem::canonical(name.contains('/') ? Path(name) : Path("/proc/self/exe"), error);
  return error ? Path() : file.parent_path();
}

Result<const CompilerTable*> open() {
  const Path file = compiler_file();
  if (file.empty())
    return not_available(formatted("`{}` is not installed; it is built where LLVM is installed", kCompilerFile));
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return not_available(reason ? reason : file.c_str());
  }
  const auto entry = reinterpret_cast<CompilerEntryPoint>(dlsym(library, kCompilerEntryPoint));
  if (!entry) return not_available(formatted("`{}` is not a compiler of kernels", file.native()));
  const CompilerTable* table = entry();
  if (table->fingerprint != kFingerprint)
    return not_available(formatted("`{}` belongs to another build of slipway", file.native()));
  return table;
}

}  // namespace

Path compiler_file() {
  const Path prefix = own_directory().parent_path();
  for (const char* directory : {SLIPWAY_LIBRARY_DIRECTORY, "lib", "../lib"}) {
    // In a bundle, whose program is `lib/slipway`, it is beside the program.
    for (Path file : {prefix / directory / "slipway" / kCompilerFile, prefix / directory / kCompilerFile}) {
      if (file_exists(file)) return file;
    }
  }
  return {};
}

Result<const CompilerTable*> load_compiler() {
  static const Result<const CompilerTable*> loaded = open();
  return loaded;
}

}  // namespace slipway::cpu
