// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/source.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

namespace slipway::recipe::opencl {
namespace {

// scale(x: pointer to global memory, r; ...) 4x1x1
std::string printed(std::string_view text) {
  std::string all;
  for (const KernelInfo& kernel : kernels_of_source(text)) {
    all += kernel.entry + "(";
    for (const KernelArgument& argument : kernel.arguments) {
      all += formatted("{}: {}{}; ", argument.name, argument.type,
                       argument.kind == KernelArgument::Kind::Buffer ? (argument.writes ? ", rw" : ", r") : "");
    }
    all += ")";
    if (kernel.required_local) {
      const auto& l = *kernel.required_local;
      all += formatted(" {}x{}x{}", l[0], l[1], l[2]);
    }
    all += "\n";
  }
  return all;
}

TEST(OpenClSource, ReadsDeclarations) {
  constexpr std::string_view kText = R"cl(
#define kernel_count 3 \
  kernel void not_this(void)
// kernel void nor_this(int x)
/* __kernel void nor_that(int x) */
float helper(float x) { return x; }
kernel void scale(global const float* x, __global float *restrict y, const uint n) { y[0] = x[0] * n; }
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void filter(constant float4* weights, local uint* scratch,
                                                                   float3 v, unsigned int u, unsigned w, double16 d)
{ }
kernel void later(int);
kernel void later(int given) { printf("kernel void quoted(int x)"); }
kernel void none(void) {}
kernel void nothing() {}
)cl";
  EXPECT_EQ(printed(kText),
            "scale(x: pointer to global memory, r; y: pointer to global memory, rw; n: 32-bit integer; )\n"
            "filter(weights: pointer to constant memory, r; scratch: pointer to local memory; v: 3 times 32-bit float; "
            "u: 32-bit integer; w: 32-bit integer; d: 16 times 64-bit float; ) 8x4x1\n"
            "later(: 32-bit integer; )\n"
            "none()\n"
            "nothing()\n");
}

TEST(OpenClSource, NamesArgumentsThatRecipesCannotSet) {
  EXPECT_EQ(printed("kernel void k(global T* x, size_t n, read_only image2d_t i, struct S s, int *p, global int a[],"
                    " float5 f, int const c)"),
            "k(x: pointer to global memory, rw; n: `size_t`; i: `read_only image2d_t`; s: `struct S`; p: pointer to "
            "private memory; a: pointer to global memory, rw; f: `float5`; c: 32-bit integer; )\n");
  const KernelInfo info = kernels_of_source("kernel void k(float3 v)").front();
  EXPECT_EQ(info.arguments[0].size, 16u);
  EXPECT_EQ(info.arguments[0].count, 3u);
  EXPECT_EQ(info.arguments[0].element, tensor::ElementType::F32);
}

TEST(OpenClSource, SurvivesEveryTruncation) {
  const std::string text =
      "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void f(global const float* x[], \"a\\\"\", "
      "int)\n#x\\\n/*";
  for (std::size_t size = 0; size <= text.size(); ++size) static_cast<void>(kernels_of_source(text.substr(0, size)));
  EXPECT_EQ(printed("kernel"), "");
  EXPECT_EQ(printed("kernel void"), "");
  EXPECT_EQ(printed("kernel ("), "");
}

}  // namespace
}  // namespace slipway::recipe::opencl
