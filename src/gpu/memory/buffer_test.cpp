// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/buffer.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "gpu/commands/transfer.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;
using ::testing::Each;

class BufferTest : public slipway::testing::GpuTest {
 protected:
  // As on a card whose memory the host cannot see.
  void use_staging() { must(make_device(must(vk::plan_device(snapshot(), {})), {.map_device_memory = false})); }
};

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

TEST_F(BufferTest, KeepsItsContents) {
  const Buffer buffer = make_buffer(counting(1000), "b");
  EXPECT_EQ(buffer.size(), 4000u);
  EXPECT_EQ(buffer.name(), "b");
  EXPECT_EQ(buffer.mapped().size(), 4000u);  // the software driver's memory is the host's
  EXPECT_EQ(contents<std::uint32_t>(buffer), counting(1000));
}

TEST_F(BufferTest, HasAnAddressWhenTheDeviceHasAddresses) {
  EXPECT_EQ(make_buffer(counting(1)).address() != 0, snapshot().has_feature("bufferDeviceAddress"));
  vk::DevicePlan plan = device().plan();
  plan.features.erase("bufferDeviceAddress");
  must(make_device(plan));
  EXPECT_EQ(make_buffer(counting(1)).address(), 0u);
}

TEST_F(BufferTest, IsMappedWhereAsked) {
  use_staging();
  EXPECT_TRUE(must(create_buffer(device(), {.size = 16})).mapped().empty());
  EXPECT_EQ(must(create_buffer(device(), {.size = 16, .location = BufferLocation::Upload})).mapped().size(), 16u);
  const Buffer readback = must(create_buffer(device(), {.size = 16, .location = BufferLocation::Readback}));
  EXPECT_EQ(readback.mapped().size(), 16u);
  EXPECT_TRUE(readback.memory().cached());
}

TEST_F(BufferTest, IsStagedWhereTheHostCannotSeeIt) {
  use_staging();
  const Buffer buffer = make_buffer(counting(5000));
  EXPECT_EQ(contents<std::uint32_t>(buffer), counting(5000));
}

TEST_F(BufferTest, IsStagedInParts) {
  use_staging();
  const std::vector<std::uint32_t> values = counting(5000);
  const Buffer buffer = must(create_buffer(device(), {.size = 20000}));
  std::vector<std::uint32_t> back(5000);
  Transfer batch = must(create_transfer(device(), 4096));
  must(batch.upload(buffer, 0, std::as_bytes(std::span(values))));
  must(batch.finish());
  must(batch.download(buffer, 0, std::as_writable_bytes(std::span(back))));
  must(batch.finish());
  EXPECT_EQ(back, values);
}

TEST_F(BufferTest, TakesPartsAtOffsets) {
  for (const bool staged : {false, true}) {
    if (staged) use_staging();
    const Buffer buffer = make_buffer(counting(8));
    const std::vector<std::uint32_t> part = {100, 200};
    std::vector<std::uint32_t> back(3);
    Transfer batch = must(create_transfer(device()));
    must(batch.upload(buffer, 12, std::as_bytes(std::span(part))));
    must(batch.upload(buffer, 32, {}));
    must(batch.finish());
    must(batch.download(buffer, 8, std::as_writable_bytes(std::span(back))));
    must(batch.download(buffer, 0, {}));
    must(batch.finish());
    EXPECT_EQ(back, (std::vector<std::uint32_t>{3, 100, 200}));
  }
}

TEST_F(BufferTest, IsZeroedToTheLastByte) {
  for (const bool staged : {false, true}) {
    if (staged) use_staging();
    for (const std::size_t size : {1, 3, 4, 7, 4096, 4099}) {
      const Buffer buffer = make_buffer(std::vector<std::uint8_t>(size, 0xff));
      Transfer batch = must(create_transfer(device()));
      must(batch.zero(buffer));
      must(batch.finish());
      EXPECT_THAT(contents<std::uint8_t>(buffer), Each(0)) << size;
    }
  }
}

TEST_F(BufferTest, RefusesSizesThatCannotBe) {
  EXPECT_EQ(text_of(create_buffer(device(), {.size = 0, .name = "b"}).error()),
            "buffer `b` has no bytes [out-of-range]\n");
  const std::uint64_t limit = snapshot().limits.max_buffer_size;
  if (limit == ~std::uint64_t{0}) GTEST_SKIP() << "a device without a limit";
  EXPECT_EQ(text_of(create_buffer(device(), {.size = limit + 1, .name = "b"}).error()),
            formatted("buffer `b` has {} bytes, but the device allows at most {} (`maxBufferSize`) [device-lacks]\n",
                      limit + 1, limit));
}

}  // namespace
}  // namespace slipway::gpu
