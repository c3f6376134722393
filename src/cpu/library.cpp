// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/library.hpp"

#include "base/format.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "platform/library.hpp"

namespace slipway::cpu {
namespace {

std::unexpected<Failure> not_available(std::string_view reason) {
  Diagnostic diagnostic{.kind = DiagnosticKind::NoBackend};
  diagnostic.message = formatted("the CPU engine is not available: {}", reason);
  return fail(std::move(diagnostic.hint("leave out `--engine cpu` and `--device cpu` to run on a Vulkan device")));
}

Result<const CompilerTable*> open() {
  const auto file = installed_module(kCompilerFile);
  if (!file && !file.error().empty()) return not_available(file.error());
  if (!file)
    return not_available(formatted("`{}` is not installed; it is built where LLVM is installed", kCompilerFile));
  const auto library = platform::open_library(*file);
  if (!library) return not_available(library.error());
  const auto entry = reinterpret_cast<CompilerEntryPoint>(platform::symbol(*library, kCompilerEntryPoint));
  if (!entry) return not_available(formatted("`{}` is not a compiler of kernels", file->string()));
  const CompilerTable* table = entry();
  if (table->fingerprint != kFingerprint)
    return not_available(formatted("`{}` belongs to another build of slipway", file->string()));
  return table;
}

}  // namespace

Path compiler_file() { return installed_module(kCompilerFile).value_or(Path()); }

Result<const CompilerTable*> load_compiler() {
  static const Result<const CompilerTable*> loaded = open();
  return loaded;
}

}  // namespace slipway::cpu
