#include <gtest/gtest.h>

#include "lower/families/rows.hpp"
#include "tensor/shape.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

const DeviceFacts kLeast{.addresses = true};
const DeviceFacts kGpu = testing::gpu_facts();

// Whatever the rows are, each element is somebody's, and the device can do it.
TEST(RowGrid, CoversRowsWithinTheLimitsOfDevices) {
  for (const DeviceFacts& device : {kLeast, kGpu}) {
    for (const std::int64_t length : {2, 3, 7, 31, 64, 100, 513, 4096, 16385, 1'000'000}) {
      for (const std::int64_t outer : {1, 3, 500, 100'000}) {
        for (const std::int64_t inner : {1, 2, 40, 3000}) {
          const Rows rows{{outer, length, inner}, 1};
          SCOPED_TRACE(tensor::shape_text(rows.shape));
          const auto grid = row_grid(rows, device);
          ASSERT_TRUE(grid);
          EXPECT_EQ(grid->shares & (grid->shares - 1), 0);
          EXPECT_EQ(grid->rows & (grid->rows - 1), 0);
          EXPECT_LE(grid->shares, length);
          EXPECT_GE(grid->shares * grid->steps, length);
          EXPECT_LE(grid->shares * grid->rows, device.most_invocations);
          EXPECT_LT(grid->rows, 2 * rows.count());
        }
      }
    }
  }
}

// Few rows have many invocations, so that they are over soon; many rows have few, and as much is on its way.
TEST(RowGrid, InvocationsGoWhereTheyAreNeeded) {
  const auto shares = [](std::int64_t rows, std::int64_t length) {
    return row_grid({{rows, length}, 1}, kGpu).value().shares;
  };
  EXPECT_EQ(shares(128, 256), 64);
  EXPECT_EQ(shares(1, 1'000'000), 1024);
  EXPECT_EQ(shares(64, 1024), 256);
  EXPECT_EQ(shares(100'000, 1024), 64);
  // Columns: as many workgroups as there can be, each with whole accesses to memory.
  EXPECT_EQ(row_grid({{4096, 256}, 0}, kGpu).value().rows, 8);
  EXPECT_EQ(row_grid({{4096, 100'000}, 0}, kGpu).value().rows, 32);
}

// A row on a processor is for one vector, if it fills one.
TEST(RowGrid, ProcessorsHaveAVectorForARow) {
  const DeviceFacts processor = testing::processor_facts();
  const auto grid = row_grid({{5, 20}, 1}, processor);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->shares, 8);
  EXPECT_EQ(grid->rows, 1);
  EXPECT_EQ(grid->steps, 3);
  EXPECT_TRUE(grid->in_registers);
  EXPECT_FALSE(row_grid({{5, 1000}, 1}, processor).value().in_registers);
  EXPECT_FALSE(row_grid({{5, 7}, 1}, processor));
  EXPECT_FALSE(row_grid({{5, 20, 3}, 1}, processor));
  EXPECT_FALSE(row_grid({{5, 1}, 1}, kGpu));
  EXPECT_FALSE(row_grid({{5, 20}, 1}, {}));
}

}  // namespace
}  // namespace slipway::lower
