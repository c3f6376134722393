// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/xrt/module.hpp"

#include <cstdlib>

#include "base/format.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "platform/library.hpp"

namespace slipway::recipe::xrt_module {
namespace {

std::unexpected<Failure> not_available(std::string_view reason) {
  Diagnostic diagnostic{.kind = DiagnosticKind::NoBackend};
  diagnostic.message = formatted("the xrt back end is not available: {}", reason);
  return fail(std::move(diagnostic.hint(
      "without an NPU, give its kernels a `module`, in the recipe or with --kernels, to run them on another device")));
}

Result<const Table*> open() {
  const auto file = installed_module(kFileName);
  if (!file && !file.error().empty()) return not_available(file.error());
  if (!file) {
    return not_available(formatted("`{}` is not installed; it is built if libxrt-dev 2.25 is installed", kFileName));
  }
  const auto module = platform::open_library(*file);
  if (!module) return not_available(module.error());
  const auto entry = reinterpret_cast<EntryPoint>(platform::symbol(*module, kEntryPoint));
  if (!entry) return not_available(formatted("`{}` is not a back end", file->string()));
  const Table* table = entry();
  if (table->fingerprint != kFingerprint) {
    return not_available(formatted("`{}` belongs to another build of slipway", file->string()));
  }
  return table;
}

}  // namespace

Result<const Table*> load_module(const SourceLocation& location) {
  static const Result<const Table*> loaded = open();
  if (loaded) return *loaded;
  Failure failure = loaded.error();
  for (Diagnostic& diagnostic : failure) diagnostic.location = location;
  return fail(std::move(failure));
}

Result<BackendPtr> open_backend(std::string_view selector, const SourceLocation& location) {
  SLIPWAY_TRY(const Table* module, load_module(location));
  if (const char* chosen = std::getenv("SLIPWAY_XRT_DEVICE"); selector.empty() && chosen) selector = chosen;
  return module->open(selector, location);
}

Result<BackendPtr> adopt_device(const void* device) {
  SLIPWAY_TRY(const Table* module, load_module());
  return module->adopt(device);
}

}  // namespace slipway::recipe::xrt_module
