// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares Slipway's readers of xclbin and ELF files with those of XRT, which need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "recipe/control_code/control_code.hpp"
#include "recipe/xclbin/xclbin.hpp"
#include "testing/source_directory.hpp"
#include "xrt_module/module.hpp"

namespace slipway::recipe {
namespace {

// The files of examples/npu, and those in the directory that SLIPWAY_NPU_FILES names.
std::vector<Path> files(std::string_view extension) {
  std::vector<Path> directories = {slipway::testing::source_directory() / "examples/npu"};
  if (const char* more = std::getenv("SLIPWAY_NPU_FILES")) directories.emplace_back(more);
  std::vector<Path> found;
  for (const Path& directory : directories) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == extension) found.push_back(entry.path());
    }
  }
  return found;
}

TEST(XrtAgreement, Xclbin) {
  ASSERT_FALSE(files(".xclbin").empty());
  for (const Path& path : files(".xclbin")) {
    SCOPED_TRACE(path);
    const MappedFile file = *map_file(path);
    Diagnostics diagnostics;
    const auto ours = xclbin::read_xclbin(file.bytes(), path.native(), diagnostics);
    ASSERT_TRUE(ours && diagnostics.empty());
    const ::xrt::xclbin theirs(path.native());
    EXPECT_EQ(theirs.get_uuid().to_string(), xclbin::uuid_text(ours->uuid));
    ASSERT_EQ(theirs.get_kernels().size(), ours->kernels.size());
    for (const ::xrt::xclbin::kernel& kernel : theirs.get_kernels()) {
      const xclbin::XclbinKernel* same = ours->find_kernel(kernel.get_name());
      ASSERT_TRUE(same) << kernel.get_name();
      ASSERT_EQ(kernel.get_num_args(), same->arguments.size());
      for (const ::xrt::xclbin::arg& argument : kernel.get_args()) {
        const xclbin::XclbinArgument& mine = same->arguments.at(argument.get_index());
        EXPECT_EQ(argument.get_name(), mine.name);
        EXPECT_EQ(argument.get_offset(), mine.offset);
        EXPECT_EQ(argument.get_size(), mine.size);
      }
      ASSERT_EQ(kernel.get_cus().size(), same->instances.size());
      for (std::size_t i = 0; i < same->instances.size(); ++i) {
        EXPECT_EQ(kernel.get_cus()[i].get_name(), kernel.get_name() + ":" + same->instances[i]);
      }
    }
  }
}

TEST(XrtAgreement, Elf) {
  ASSERT_FALSE(files(".elf").empty());
  for (const Path& path : files(".elf")) {
    SCOPED_TRACE(path);
    const MappedFile file = *map_file(path);
    Diagnostics diagnostics;
    const auto ours = control_code::read_control_code(file.bytes(), path.native(), diagnostics);
    ASSERT_TRUE(ours && diagnostics.empty());
    const ::xrt::elf theirs(path.native());
    EXPECT_EQ(static_cast<int>(theirs.get_platform()), ours->os_abi);
    EXPECT_EQ(theirs.is_full_elf(), ours->full);
    EXPECT_EQ(theirs.get_cfg_uuid().to_string(), xclbin::uuid_text(*ours->uid));
  }
}

}  // namespace
}  // namespace slipway::recipe
