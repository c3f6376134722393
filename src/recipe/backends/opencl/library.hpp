// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads OpenCL on demand: the loader's functions, owners of OpenCL objects, and names of errors.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"

namespace slipway::recipe::opencl {

struct OpenClFunctions {
#define FUNCTION(name) decltype(&::name) name = nullptr;
#include "recipe/backends/opencl/functions.def"
#undef FUNCTION
};

// The functions of libOpenCL.so.1, opened once and never closed, because drivers keep threads. Errors: no-backend.
Result<const OpenClFunctions*> load_functions(const SourceLocation& location = {});

std::string_view error_name(cl_int error);  // CL_OUT_OF_RESOURCES; empty if unknown

// "clCreateBuffer failed: CL_OUT_OF_RESOURCES", of kind `kind`.
std::unexpected<Failure> call_failed(std::string_view call, cl_int error, const SourceLocation& location = {},
                                     DiagnosticKind kind = DiagnosticKind::DeviceFailed);

// Owns an OpenCL object; `Release` is the member of Functions that releases it.
template <class Object, auto Release>
class Owned {
 public:
  Owned() = default;
  Owned(const OpenClFunctions& functions, Object object) : functions_(&functions), object_(object) {}
  Owned(Owned&& other) noexcept : functions_(other.functions_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(functions_, other.functions_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_) (functions_->*Release)(object_);
  }

  Object get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const OpenClFunctions* functions_ = nullptr;
  Object object_ = nullptr;
};

using Context = Owned<cl_context, &OpenClFunctions::clReleaseContext>;
using Queue = Owned<cl_command_queue, &OpenClFunctions::clReleaseCommandQueue>;
using Program = Owned<cl_program, &OpenClFunctions::clReleaseProgram>;
using ClKernel = Owned<cl_kernel, &OpenClFunctions::clReleaseKernel>;
using ClMemory = Owned<cl_mem, &OpenClFunctions::clReleaseMemObject>;
using Event = Owned<cl_event, &OpenClFunctions::clReleaseEvent>;

}  // namespace slipway::recipe::opencl
