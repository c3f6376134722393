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
#include <string_view>
#include <vector>

#include "recipe/plan.hpp"

namespace slipway::recipe::xrt_module {

// Changes if the layout of types that program and module share changes.
inline constexpr std::array<std::uint64_t, 8> kFingerprint = {4,  // of this table
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
  // `selector`: an index, or a part of the name; if empty, the first device. Errors: no-device, with the devices.
  Result<BackendPtr> (*open)(std::string_view selector, const SourceLocation& location) = nullptr;
  // A back end on an `xrt::device` of the application.
  Result<BackendPtr> (*adopt)(const void* device) = nullptr;
};

using EntryPoint = const Table* (*)();
inline constexpr const char* kEntryPoint = "slipway_backend_xrt";
inline constexpr const char* kFileName = "slipway-backend-xrt.so";

// The table of the installed module, which is opened once. Errors: no-backend, with the loader's reason (the module was
// not built, or libxrt is missing).
Result<const Table*> load_module(const SourceLocation& location = {});

// Opens a device. `selector`: an index, or a part of the name; if empty, that of the environment variable
// SLIPWAY_XRT_DEVICE, else the first one. Errors: those of `load_module`, and no-device.
Result<BackendPtr> open_backend(std::string_view selector = {}, const SourceLocation& location = {});

// A back end on an `xrt::device` of the application. Errors: those of `load_module`.
Result<BackendPtr> adopt_device(const void* device);

}  // namespace slipway::recipe::xrt_module
