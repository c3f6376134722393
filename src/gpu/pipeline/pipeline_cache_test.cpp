// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/pipeline_cache.hpp"

#include <gtest/gtest.h>

#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;

vk::Snapshot device_3_4() {
  vk::Snapshot s;
  s.vendor_id = 3;
  s.device_id = 4;
  s.pipeline_cache_uuid.fill(5);
  return s;
}

struct Header {
  std::uint32_t size = 32, version = 1, vendor = 3, device = 4;
  std::uint8_t uuid = 5;
};

std::vector<std::byte> data_of(const Header& header) {
  ByteWriter out;
  out.write(header.size).write(header.version).write(header.vendor).write(header.device);
  for (int i = 0; i < 16; ++i) out.write(header.uuid);
  out.append("the driver's own");
  return out.release();
}

TEST(PipelineCacheHeader, IsChecked) {
  struct Case {
    Header header;
    std::vector<std::string> warnings;
  };
  const std::string size = "Pipeline validation: Incorrect pipeline cache header size";
  const std::string version = "Pipeline validation: Incorrect pipeline header version (2). Expected (1)";
  const auto device = [](int vendor, int id) {
    return "Pipeline validation: Incorrect device used with cache. (VendorID, DeviceID) = (" + std::to_string(vendor) +
           ", " + std::to_string(id) + "). Expected (3, 4)";
  };
  for (const Case& c :
       {Case{{}, {}}, Case{{.size = 31}, {size}}, Case{{.version = 2}, {version}}, Case{{.vendor = 9}, {device(9, 4)}},
        Case{{.device = 9}, {device(3, 9)}}, Case{{.uuid = 9}, {device(3, 4)}},
        Case{{.size = 0, .version = 2, .vendor = 8, .device = 7}, {size, version, device(8, 7)}}}) {
    EXPECT_EQ(check_pipeline_cache(device_3_4(), data_of(c.header)), c.warnings);
  }
  EXPECT_EQ(check_pipeline_cache(device_3_4(), {}), (std::vector<std::string>{"Pipeline Cache skipped: size invalid"}));
  EXPECT_EQ(check_pipeline_cache(device_3_4(), Bytes(data_of({})).first(31)), (std::vector<std::string>{size}));
}

using PipelineCacheTest = slipway::testing::GpuTest;

TEST_F(PipelineCacheTest, ComesBackFromItsData) {
  const PipelineCache fresh = must(create_pipeline_cache(device()));
  EXPECT_FALSE(fresh.loaded());
  const std::vector<std::byte> data = must(save_pipeline_cache(device(), fresh));
  EXPECT_TRUE(check_pipeline_cache(snapshot(), data).empty());
  EXPECT_TRUE(must(create_pipeline_cache(device(), data)).loaded());
}

TEST_F(PipelineCacheTest, LeavesOutDataOfAnotherDevice) {
  EXPECT_FALSE(must(create_pipeline_cache(device(), data_of({}))).loaded());
}

}  // namespace
}  // namespace slipway::gpu
