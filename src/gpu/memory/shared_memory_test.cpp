// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/shared_memory.hpp"

#include <gtest/gtest.h>

#include "gpu/commands/transfer.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;

using SharedMemoryTest = slipway::testing::GpuTest;

TEST_F(SharedMemoryTest, BuffersSeeEachOthersBytes) {
  const std::vector<SharedBuffer> members = {{{.size = 1024, .name = "whole"}, 0},
                                             {{.size = 256, .name = "part"}, 512}};
  SharedMemory shared = must(create_shared_memory(device(), members, {}));
  ASSERT_EQ(shared.buffers.size(), 2u);
  EXPECT_GE(shared.size, 1024u);
  EXPECT_EQ(&shared.buffers[0].memory(), &shared.buffers[1].memory());
  run([&](CommandList& list) {
    list.fill(shared.buffers[0], 0, 0, 1);
    list.full_barrier();
    list.fill(shared.buffers[1], 0, 0, 2);
  });
  const std::vector<std::uint32_t> words = contents<std::uint32_t>(shared.buffers[0]);
  EXPECT_EQ(words[127], 1u);
  EXPECT_EQ(words[128], 2u);
  EXPECT_EQ(words[191], 2u);
  EXPECT_EQ(words[192], 1u);
}

TEST_F(SharedMemoryTest, ABufferSeesTheTexelsOfALinearImage) {
  const std::vector<SharedBuffer> buffers = {{{.size = 4096, .name = "t"}, 0}};
  const std::vector<SharedImage> images = {{{.format = vk::Format::R8_UINT,
                                             .width = 4,
                                             .height = 3,
                                             .uses = {.sampled = true, .uploaded = true},
                                             .name = "i"},
                                            0}};
  SharedMemory shared = must(create_shared_memory(device(), buffers, images));
  const Image& image = shared.images[0];
  ASSERT_EQ(image.tiling(), vk::Tiling::Linear);
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Transfer batch = must(create_transfer(device()));
  must(batch.prepare(image));
  must(batch.upload(image, 0, std::as_bytes(std::span(bytes))));
  must(batch.finish());
  const std::vector<std::uint8_t> seen = contents<std::uint8_t>(shared.buffers[0]);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      EXPECT_EQ(seen[image.linear_layout().offset + y * image.linear_layout().row_pitch + x], bytes[y * 4 + x]);
    }
  }
}

TEST_F(SharedMemoryTest, OutlivesTheGroup) {
  std::optional<Buffer> kept;
  {
    const std::vector<SharedBuffer> members = {{{.size = 64, .name = "a"}, 0}, {{.size = 64, .name = "b"}, 0}};
    SharedMemory shared = must(create_shared_memory(device(), members, {}));
    kept = std::move(shared.buffers[1]);
  }
  run([&](CommandList& list) { list.fill(*kept, 0, 0, 5); });
  EXPECT_EQ(contents<std::uint32_t>(*kept), std::vector<std::uint32_t>(16, 5));
}

TEST_F(SharedMemoryTest, RowsAreAsFarApartAsThoseOfTheImage) {
  const std::vector<SharedBuffer> buffers = {
      {.info = {.name = "t"}, .offset = 0, .rows = SharedRows{.image = 0, .count = 3, .bytes = 4}, .kind = "Tensor"}};
  const std::vector<SharedImage> images = {{{.format = vk::Format::R8_UINT,
                                             .width = 4,
                                             .height = 3,
                                             .uses = {.sampled = true, .uploaded = true},
                                             .tiling = vk::Tiling::Linear,
                                             .name = "i"},
                                            0}};
  SharedMemory shared = must(create_shared_memory(device(), buffers, images));
  const std::uint64_t pitch = shared.images[0].linear_layout().row_pitch;
  EXPECT_EQ(shared.buffers[0].size(), 2 * pitch + 4);
  Transfer transfer = must(create_transfer(device()));
  must(transfer.prepare(shared.images[0]));
  const auto texels = std::to_array<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  must(transfer.upload(shared.images[0], 0, std::as_bytes(std::span(texels))));
  must(transfer.finish());
  std::array<std::uint8_t, 4> last{};
  must(transfer.download(shared.buffers[0], 2 * pitch, std::as_writable_bytes(std::span(last))));
  must(transfer.finish());
  EXPECT_EQ(last, (std::array<std::uint8_t, 4>{9, 10, 11, 12}));
}

TEST_F(SharedMemoryTest, ReportsAllWrongOffsetsTogether) {
  const std::vector<SharedBuffer> buffers = {{{.size = 64, .name = "a"}, 1}, {{.size = 0, .name = "empty"}, 0}};
  const std::vector<SharedImage> images = {
      {{.format = vk::Format::R8_UINT, .width = 4, .height = 4, .uses = {.sampled = true}, .name = "i"}, 3},
      {{.format = vk::Format::R8_UINT, .width = 4, .height = 4, .mips = 2, .name = "mipped"}, 0}};
  const Result<SharedMemory> shared = create_shared_memory(device(), buffers, images);
  ASSERT_FALSE(shared);
  const std::string text = text_of(shared.error());
  // The alignments are the driver's.
  EXPECT_TRUE(text.starts_with("Buffer memory offset for 'a' must be aligned to ")) << text;
  EXPECT_TRUE(
      text.contains(" bytes, got 1 [out-of-range]\nbuffer `empty` has no bytes [out-of-range]\n"
                    "Image memory offset for 'i' must be aligned to "))
      << text;
  EXPECT_TRUE(text.ends_with(
      " bytes, got 3 [out-of-range]\nA mipped image cannot be aliased (image `mipped`) [conflicting-keys]\n"))
      << text;
}

TEST_F(SharedMemoryTest, ReportsOffsetsThatDoNotFit) {
  const std::vector<SharedBuffer> members = {{{.size = 64, .name = "a"}, ~std::uint64_t{0} - 4095},
                                             {{.size = 8192, .name = "b"}, ~std::uint64_t{0} - 4095}};
  const Result<SharedMemory> shared = create_shared_memory(device(), members, {});
  ASSERT_FALSE(shared);
  EXPECT_EQ(text_of(shared.error()),
            "the memory of 'b' ends beyond 2^64 bytes: offset 18446744073709547520 [out-of-range]\n");
}

}  // namespace
}  // namespace slipway::gpu
