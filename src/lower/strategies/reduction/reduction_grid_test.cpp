// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "lower/strategies/reduction/reduction_grid.hpp"
#include "tensor/shape.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

const DeviceFacts kMinimal{.addresses = true};
using testing::kGpu;

// Every element belongs to some invocation, and the grid is within the limits of the device.
TEST(ReductionGrid, CoversRowsWithinTheLimitsOfDevices) {
  for (const DeviceFacts& device : {kMinimal, kGpu}) {
    for (const std::int64_t length : {2, 3, 7, 31, 64, 100, 513, 4096, 16385, 1'000'000}) {
      for (const std::int64_t outer : {1, 3, 500, 100'000}) {
        for (const std::int64_t inner : {1, 2, 40, 3000}) {
          const ReductionAxis axis{{outer, length, inner}, 1};
          SCOPED_TRACE(tensor::shape_text(axis.shape));
          const auto grid = plan_reduction_grid(axis, device);
          ASSERT_TRUE(grid);
          EXPECT_EQ(grid->threads_per_row & (grid->threads_per_row - 1), 0);
          EXPECT_EQ(grid->rows_per_group & (grid->rows_per_group - 1), 0);
          EXPECT_LE(grid->threads_per_row, length);
          EXPECT_GE(grid->threads_per_row * grid->steps, length);
          EXPECT_LE(grid->threads_per_row * grid->rows_per_group, device.max_invocations);
          EXPECT_LT(grid->rows_per_group, 2 * axis.count());
        }
      }
    }
  }
}

// Few rows have many invocations, so that they finish soon; many rows have few invocations each.
TEST(ReductionGrid, InvocationsGoWhereTheyAreNeeded) {
  const auto threads_per_row = [](std::int64_t rows, std::int64_t length) {
    return plan_reduction_grid({{rows, length}, 1}, kGpu).value().threads_per_row;
  };
  EXPECT_EQ(threads_per_row(128, 256), 64);
  EXPECT_EQ(threads_per_row(1, 1'000'000), 1024);
  EXPECT_EQ(threads_per_row(64, 1024), 256);
  EXPECT_EQ(threads_per_row(100'000, 1024), 64);
  // Columns: as many workgroups as possible, each with full memory accesses.
  EXPECT_EQ(plan_reduction_grid({{4096, 256}, 0}, kGpu).value().rows_per_group, 8);
  EXPECT_EQ(plan_reduction_grid({{4096, 100'000}, 0}, kGpu).value().rows_per_group, 32);
}

// On a CPU one vector computes a row, if the row fills it.
TEST(ReductionGrid, CpusUseAVectorForARow) {
  const DeviceFacts cpu = testing::cpu_facts();
  const auto grid = plan_reduction_grid({{5, 20}, 1}, cpu);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->threads_per_row, 8);
  EXPECT_EQ(grid->rows_per_group, 1);
  EXPECT_EQ(grid->steps, 3);
  EXPECT_TRUE(grid->in_registers);
  EXPECT_FALSE(plan_reduction_grid({{5, 1000}, 1}, cpu).value().in_registers);
  EXPECT_FALSE(plan_reduction_grid({{5, 7}, 1}, cpu));
  EXPECT_FALSE(plan_reduction_grid({{5, 20, 3}, 1}, cpu));
  EXPECT_FALSE(plan_reduction_grid({{5, 1}, 1}, kGpu));
  EXPECT_FALSE(plan_reduction_grid({{5, 20}, 1}, {}));
}

}  // namespace
}  // namespace slipway::lower
