// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/library.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "platform/library.hpp"

namespace slipway::recipe::opencl {
namespace {

struct ErrorName {
  cl_int error;
  std::string_view name;
};
#define ERROR(name) \
  ErrorName { name, #name }
constexpr std::array kErrors = {ERROR(CL_DEVICE_NOT_FOUND),
                                ERROR(CL_DEVICE_NOT_AVAILABLE),
                                ERROR(CL_COMPILER_NOT_AVAILABLE),
                                ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                                ERROR(CL_OUT_OF_RESOURCES),
                                ERROR(CL_OUT_OF_HOST_MEMORY),
                                ERROR(CL_PROFILING_INFO_NOT_AVAILABLE),
                                ERROR(CL_MEM_COPY_OVERLAP),
                                ERROR(CL_BUILD_PROGRAM_FAILURE),
                                ERROR(CL_MAP_FAILURE),
                                ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                                ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                ERROR(CL_INVALID_VALUE),
                                ERROR(CL_INVALID_DEVICE),
                                ERROR(CL_INVALID_CONTEXT),
                                ERROR(CL_INVALID_QUEUE_PROPERTIES),
                                ERROR(CL_INVALID_MEM_OBJECT),
                                ERROR(CL_INVALID_BUILD_OPTIONS),
                                ERROR(CL_INVALID_PROGRAM),
                                ERROR(CL_INVALID_KERNEL_NAME),
                                ERROR(CL_INVALID_KERNEL_ARGS),
                                ERROR(CL_INVALID_ARG_INDEX),
                                ERROR(CL_INVALID_ARG_VALUE),
                                ERROR(CL_INVALID_ARG_SIZE),
                                ERROR(CL_INVALID_WORK_DIMENSION),
                                ERROR(CL_INVALID_WORK_GROUP_SIZE),
                                ERROR(CL_INVALID_WORK_ITEM_SIZE),
                                ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
                                ERROR(CL_INVALID_OPERATION),
                                ERROR(CL_INVALID_BUFFER_SIZE),
                                ERROR(CL_INVALID_SPEC_ID)};
#undef ERROR

Result<OpenClFunctions> open(const SourceLocation& location) {
  const std::string file =
      platform::library_ending() == ".so" ? "libOpenCL.so.1" : formatted("OpenCL{}", platform::library_ending());
  const auto library = platform::open_library(file);
  if (!library) {
    return fail(DiagnosticKind::NoBackend, location,
                formatted("the opencl back end is not available: {}", library.error()));
  }
  OpenClFunctions functions;
#define FUNCTION(name)                                                                            \
  functions.name = reinterpret_cast<decltype(functions.name)>(platform::symbol(*library, #name)); \
  if (!functions.name) {                                                                          \
    return fail(DiagnosticKind::NoBackend, location,                                              \
                formatted("the opencl back end is not available: {} has no `{}`", file, #name));  \
  }
#include "recipe/backends/opencl/functions.def"
#undef FUNCTION
  return functions;
}

}  // namespace

Result<const OpenClFunctions*> load_functions(const SourceLocation& location) {
  static const Result<OpenClFunctions> loaded = open(location);
  if (loaded) return &*loaded;
  Failure failure = loaded.error();
  for (Diagnostic& diagnostic : failure) diagnostic.location = location;
  return fail(std::move(failure));
}

std::string_view error_name(cl_int error) {
  const auto found = std::ranges::find(kErrors, error, &ErrorName::error);
  return found == kErrors.end() ? std::string_view() : found->name;
}

std::unexpected<Failure> call_failed(std::string_view call, cl_int error, const SourceLocation& location,
                                     DiagnosticKind kind) {
  const std::string_view name = error_name(error);
  return fail(kind, location,
              formatted("{} failed: {}", call, name.empty() ? std::to_string(error) : std::string(name)));
}

}  // namespace slipway::recipe::opencl
