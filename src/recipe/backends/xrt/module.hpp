// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the back end `xrt`, a shared object that is opened only when a recipe needs it, so that nothing else depends on
// libxrt (docs/spec/recipe.md#decision-9).
//
// The object, slipway-backend-xrt.so, exports one C function, which returns a table. Program and module are built
// together and share C++ types. The table begins with a fingerprint of these types; the module of another build is
// refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "recipe/plan.hpp"

namespace slipway::recipe::xrt_module {

// Changes if the layout of types that program and module share changes.
inline constexpr std::array<std::uint64_t, 8> kFingerprint = {2,  // of this table
                                                              sizeof(Backend),
                                                              sizeof(KernelPlan),
                                                              sizeof(ContextPlan),
                                                              sizeof(KernelRun),
                                                              sizeof(BufferOptions),
                                                              sizeof(Diagnostic),
                                                              sizeof(Signature)};

struct Table {
  std::array<std::uint64_t, 8> fingerprint = kFingerprint;
  // Names of the devices, in XRT's order. Errors: device-failed.
  Result<std::vector<std::string>> (*list_devices)() = nullptr;
  // Errors: no-device, with the number of devices.
  Result<BackendPtr> (*open)(std::uint32_t device, const SourceLocation& location) = nullptr;
};

using EntryPoint = const Table* (*)();
inline constexpr const char* kEntryPoint = "slipway_backend_xrt";
inline constexpr const char* kFileName = "slipway-backend-xrt.so";

// The table of the installed module, which is opened once. Errors: no-backend, with the loader's reason (the module was
// not built, or libxrt is missing).
Result<const Table*> load_module(const SourceLocation& location = {});

// Opens the device with an index. Errors: those of `load_module`, and no-device.
Result<BackendPtr> open_backend(std::uint32_t device = 0, const SourceLocation& location = {});

}  // namespace slipway::recipe::xrt_module
