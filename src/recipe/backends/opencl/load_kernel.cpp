// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "recipe/backends/opencl/kernel.hpp"
#include "recipe/backends/opencl/source.hpp"
#include "recipe/backends/opencl/state.hpp"

namespace slipway::recipe::opencl {
namespace {

std::string build_log(const State& state, cl_program program) {
  std::size_t size = 0;
  state.cl->clGetProgramBuildInfo(program, state.device.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  state.cl->clGetProgramBuildInfo(program, state.device.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.erase(std::ranges::find(log, '\0'), log.end());
  while (log.ends_with('\n')) log.pop_back();
  return log;
}

Result<> specialize(const State& state, cl_program program, const KernelPlan& plan) {
  for (const FixedValue& fixed : plan.fixed) {
    const auto* constant = std::get_if<SpecializationTarget>(&fixed.target);
    if (!constant) continue;
    const cl_int error =
        state.cl->clSetProgramSpecializationConstant(program, constant->id, fixed.bytes.size(), fixed.bytes.data());
    if (error != CL_SUCCESS) {
      return fail(Failure(call_failed("clSetProgramSpecializationConstant", error, plan.origin.location,
                                      DiagnosticKind::KernelModule)
                              .error()),
                  formatted("for specialization constant {}", constant->id));
    }
  }
  return {};
}

Result<Program> create(const State& state, const KernelPlan& plan) {
  const OpenClFunctions& cl = *state.cl;
  cl_int error = CL_SUCCESS;
  if (!plan.module->words) {
    const char* text = plan.module->source.data();
    const std::size_t size = plan.module->source.size();
    Program program(cl, cl.clCreateProgramWithSource(state.context.get(), 1, &text, &size, &error));
    if (error != CL_SUCCESS)
      return call_failed("clCreateProgramWithSource", error, plan.origin.location, DiagnosticKind::KernelModule);
    return program;
  }
  const std::span<const std::uint32_t> words = *plan.module->words;
  Program program(cl, cl.clCreateProgramWithIL(state.context.get(), words.data(), words.size_bytes(), &error));
  if (error != CL_SUCCESS) {
    return fail(
        Failure(
            call_failed("clCreateProgramWithIL", error, plan.origin.location, DiagnosticKind::KernelModule).error()),
        formatted("OpenCL device `{}` accepts {}; the module is SPIR-V {}.{}", state.device.name,
                  state.device.il_version, words[1] >> 16, words[1] >> 8 & 0xFF));
  }
  SLIPWAY_TRY_VOID(specialize(state, program.get(), plan));
  return program;
}

Result<Program> build(const State& state, const KernelPlan& plan) {
  SLIPWAY_TRY(Program program, create(state, plan));
  const cl_int error =
      state.cl->clBuildProgram(program.get(), 1, &state.device.id, plan.build_options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  Diagnostic diagnostic{.kind = DiagnosticKind::KernelModule, .location = plan.origin.location};
  diagnostic.message = formatted("OpenCL device `{}` does not build module `{}` of kernel `{}`: {}", state.device.name,
                                 plan.module->name, plan.name, error_name(error));
  if (const std::string log = build_log(state, program.get()); !log.empty()) diagnostic.note(log);
  return fail(std::move(diagnostic));
}

// The kernels of SPIR-V or of OpenCL C.
Result<std::vector<KernelInfo>> read_kernels(const KernelPlan& plan) {
  if (plan.module && !plan.module->words) return kernels_of_source(plan.module->source);
  if (!plan.module || plan.module->words->size() < spirv::kHeaderWords) {
    return fail(DiagnosticKind::KernelModule, plan.origin.location,
                formatted("kernel `{}` has no SPIR-V module, which the opencl back end needs", plan.name));
  }
  return spirv::read_module(*plan.module->words, plan.module->name).transform(kernels_of);
}

}  // namespace

Result<KernelPtr> OpenClKernel::load(StatePtr state, const KernelPlan& plan) {
  SLIPWAY_TRY(const std::vector<KernelInfo> kernels, read_kernels(plan));
  const auto info = std::ranges::find(kernels, plan.entry, &KernelInfo::entry);
  if (info == kernels.end()) {
    return fail(DiagnosticKind::KernelEntry, plan.origin.location,
                formatted("module `{}` has no kernel `{}`", plan.module->name, plan.entry));
  }
  auto kernel = std::make_shared<OpenClKernel>();
  SLIPWAY_TRY(kernel->program, build(*state, plan));
  kernel->state = std::move(state);
  kernel->name = plan.name;
  kernel->entry = plan.entry;
  kernel->location = plan.origin.location;
  kernel->signature = plan.signature;
  kernel->local = plan.local.value_or(info->required_local.value_or(Grid{1, 1, 1}));
  SLIPWAY_TRY(const ClKernel first, kernel->instantiate());
  cl_uint count = 0;
  if (kernel->state->cl->clGetKernelInfo(first.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr) ==
          CL_SUCCESS &&
      count != info->arguments.size()) {
    return fail(DiagnosticKind::KernelModule, plan.origin.location,
                formatted("kernel `{}` of `{}` has {} arguments as OpenCL device `{}` builds it, but {} in the text; "
                          "macros in declarations of kernels are not expanded",
                          plan.entry, plan.module->name, count, kernel->state->device.name, info->arguments.size()));
  }
  return kernel;
}

Result<ClKernel> OpenClKernel::instantiate() const {
  cl_int error = CL_SUCCESS;
  ClKernel kernel(*state->cl, state->cl->clCreateKernel(program.get(), entry.c_str(), &error));
  if (error != CL_SUCCESS) return call_failed("clCreateKernel", error, location, DiagnosticKind::KernelEntry);
  return kernel;
}

}  // namespace slipway::recipe::opencl
