// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end of a build without OpenCL's headers.
#include "recipe/backends/opencl/backend.hpp"

namespace slipway::recipe::opencl {
namespace {

std::unexpected<Failure> not_built(const SourceLocation& location) {
  return fail(DiagnosticKind::NoBackend, location,
              "this build of slipway has no OpenCL back end; install opencl-headers and build it again");
}

}  // namespace

Result<BackendPtr> open_backend(std::string_view, const SourceLocation& location) { return not_built(location); }

Result<std::vector<DeviceDescription>> describe_devices() { return not_built({}); }

}  // namespace slipway::recipe::opencl
