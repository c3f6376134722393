// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/mips.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "gpu/commands/submit.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;
using vk::Format;

class MipsTest : public slipway::testing::GpuTest {
 protected:
  // As on a device whose queue only computes.
  void use_compute_only() {
    vk::DevicePlan plan = must(vk::plan_device(snapshot(), {}));
    plan.queue_flags &= ~vk::queue_flag::kGraphics;
    must(make_device(plan));
  }

  vk::ImageInfo info_of(Format format, std::uint32_t width, std::uint32_t height, std::uint32_t mips,
                        std::uint32_t depth = 1) {
    return {.format = format,
            .width = width,
            .height = height,
            .depth = depth,
            .mips = mips,
            .uses = {.sampled = true, .storage = vk::mips_need_storage(device().plan()), .uploaded = true},
            .name = "i"};
  }

  void generate(const Image& image, std::uint32_t first_level = 1) {
    std::optional<MipWork> work;  // until the commands have run
    CommandList list = must(create_command_list(device()));
    must(list.begin());
    work = must(record_mips(device(), list, image, first_level));
    must(list.end());
    const CommandList* const all = &list;
    must(must(submit(device(), {&all, 1})).wait());
  }
};

// One level from the one above it, as docs/spec/scenario.md#images has it: bilinear at (x + 0.5) * source / size,
// clamped. `channels` floats a texel.
std::vector<float> halved(const std::vector<float>& source, int width, int height, int to_width, int to_height) {
  std::vector<float> result;
  const auto axis = [](int i, int size, int from) {
    const double at = std::max(0.0, (i + 0.5) * from / size - 0.5);
    const int low = static_cast<int>(at);
    return std::tuple(std::min(low, from - 1), std::min(low + 1, from - 1), at - low);
  };
  for (int y = 0; y < to_height; ++y) {
    for (int x = 0; x < to_width; ++x) {
      const auto [x0, x1, fx] = axis(x, to_width, width);
      const auto [y0, y1, fy] = axis(y, to_height, height);
      const auto at = [&](int px, int py) { return static_cast<double>(source[py * width + px]); };
      result.push_back(static_cast<float>((at(x0, y0) * (1 - fx) + at(x1, y0) * fx) * (1 - fy) +
                                          (at(x0, y1) * (1 - fx) + at(x1, y1) * fx) * fy));
    }
  }
  return result;
}

std::vector<float> waves(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(std::sin(i * 0.7) + i * 0.01);
  return values;
}

TEST_F(MipsTest, AreBilinearByBlitAndByCompute) {
  for (const bool compute : {false, true}) {
    if (compute) use_compute_only();
    for (const auto& [width, height] : {std::pair{16, 8}, std::pair{13, 7}, std::pair{5, 1}}) {
      SCOPED_TRACE(formatted("{}x{}, compute {}", width, height, compute));
      const std::uint32_t mips = vk::max_mips(width, height);
      std::vector<float> level = waves(static_cast<std::size_t>(width) * height);
      const Image image = make_image(info_of(Format::R32_SFLOAT, width, height, mips), level);
      generate(image);
      for (std::uint32_t l = 1; l < mips; ++l) {
        const auto [from_width, from_height, from_depth] = image.extent(l - 1);
        const auto [to_width, to_height, to_depth] = image.extent(l);
        level = halved(level, from_width, from_height, to_width, to_height);
        const std::vector<float> seen = texels<float>(image, l);
        ASSERT_EQ(seen.size(), level.size());
        // Drivers weigh with eight bits or more.
        for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_NEAR(seen[i], level[i], 0.02) << "level " << l << " " << i;
        level = seen;
      }
    }
  }
}

TEST_F(MipsTest, AreTheSameByBlitAndByCompute) {
  struct Case {
    Format format;
    std::uint32_t width, height, depth, mips;
  };
  // Integers are not filtered: the sizes are such that no sample lies on the border of two texels.
  for (const Case& c : {Case{Format::R8G8B8A8_UNORM, 13, 9, 1, 4}, Case{Format::R16G16_SFLOAT, 8, 8, 1, 4},
                        Case{Format::R8G8B8A8_UNORM, 8, 4, 6, 4}, Case{Format::R32_UINT, 9, 7, 1, 2},
                        Case{Format::R8G8B8A8_SINT, 7, 5, 1, 2}, Case{Format::R32_UINT, 5, 5, 5, 2},
                        Case{Format::R32_SINT, 9, 5, 5, 2}}) {
    SCOPED_TRACE(formatted("{} {}x{}x{}", vk::name_of(c.format), c.width, c.height, c.depth));
    std::array<std::vector<std::vector<std::uint8_t>>, 2> levels;
    for (const bool compute : {false, true}) {
      if (compute) {
        use_compute_only();
      } else {
        must(make_device(must(vk::plan_device(snapshot(), {.blit = true}))));
      }
      const vk::ImageInfo info = info_of(c.format, c.width, c.height, c.mips, c.depth);
      const Image probe = must(create_image(device(), info));
      std::vector<std::uint8_t> bytes(probe.packed_size(0));
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 % 61);
      const Image image = make_image(info, bytes);
      generate(image);
      for (std::uint32_t l = 0; l < info.mips; ++l) levels[compute].push_back(texels<std::uint8_t>(image, l));
    }
    for (std::size_t l = 0; l < levels[0].size(); ++l) {
      ASSERT_EQ(levels[0][l].size(), levels[1][l].size());
      for (std::size_t i = 0; i < levels[0][l].size(); ++i) {
        EXPECT_LE(std::abs(levels[0][l][i] - levels[1][l][i]), 1) << "level " << l << ", byte " << i;
      }
    }
  }
}

TEST_F(MipsTest, LeaveTheLevelsThatAreThere) {
  const Image image = make_image(info_of(Format::R8_UNORM, 4, 4, 3), std::vector<std::uint8_t>(16, 200));
  run([&](CommandList& list) { list.clear(image, {{std::bit_cast<std::uint32_t>(0.4f)}}); });
  generate(image, 2);
  EXPECT_EQ(texels<std::uint8_t>(image, 1), std::vector<std::uint8_t>(4, 102));
  EXPECT_EQ(texels<std::uint8_t>(image, 2), std::vector<std::uint8_t>(1, 102));
  generate(image, 3);  // nothing to do
}

TEST_F(MipsTest, SayWhatTheyNeed) {
  EXPECT_FALSE(vk::mips_need_storage(device().plan()));
  use_compute_only();
  EXPECT_TRUE(vk::mips_need_storage(device().plan()));
  vk::ImageInfo info = info_of(Format::R8G8B8A8_SRGB, 4, 4, 2);
  info.uses.storage = false;
  const Image image = must(create_image(device(), info));
  CommandList list = must(create_command_list(device()));
  EXPECT_EQ(text_of(record_mips(device(), list, image, 1).error()),
            "mips of `VK_FORMAT_R8G8B8A8_SRGB` images need a queue with graphics (image `i`) [device-lacks]\n");
}

}  // namespace
}  // namespace slipway::gpu
