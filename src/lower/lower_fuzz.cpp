// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers any graph that the verifier accepts, fused and not, for several kinds of devices. Every module must be valid.
#include <cstdlib>

#include "lower/lower.hpp"
#include "spirv/tools.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto graph =
      tosa::parse(make_source("fuzz.graph", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  if (!graph) return 0;
  tosa::verify(*graph, diagnostics);
  if (diagnostics.has_errors()) return 0;
  for (const tosa::Value& value : graph->values) {
    if (!value.type.is_static()) return 0;
  }
  for (const tosa::Constant& constant : graph->constants) {
    if (constant.graph_constant) return 0;  // has no data
  }
  using enum tensor::ElementType;
  const lower::DeviceFacts plain, cpu{.addresses = true, .lanes = 8, .subgroup_size = 8},
      cpu_with_matrices{.addresses = true,
                        .lanes = 16,
                        .native_vectors = true,
                        .vector_registers = 32,
                        .dot_products = true,
                        .subgroup_size = 16,
                        .matrices = {{16, 16, 64, I8, I32}, {16, 16, 32, BF16, F32}},
                        .tuning = {}},
      gpu{.addresses = true,
          .subgroup_size = 32,
          .shared_memory = 49152,
          .max_invocations = 1024,
          .matrices = {{16, 16, 16, F16, F32}, {16, 16, 16, BF16, F32}, {16, 16, 32, I8, I32}},
          .floats = {.f16_conversions = true},
          .tuning = {}};
  lower::DeviceFacts gpu_in_order = gpu;
  gpu_in_order.starts_in_order = true;
  gpu_in_order.floats.removes_conversions = true;
  for (const lower::LowerOptions& options :
       {lower::LowerOptions{.device = plain}, lower::LowerOptions{.fuse = false, .device = plain},
        lower::LowerOptions{.list_sites = true, .device = cpu},
        lower::LowerOptions{.list_sites = true, .device = cpu_with_matrices},
        lower::LowerOptions{.list_sites = true, .device = gpu}, lower::LowerOptions{.device = gpu_in_order}}) {
    const auto program = lower::lower_graph(*graph, options);
    if (!program) continue;
    (void)lower::print_program(*graph, *program);
    for (const lower::ProgramKernel& kernel : program->kernels) {
      if (!spirv::validate(*kernel.spirv, kernel.name)) std::abort();
    }
  }
  return 0;
}
