// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/trusted_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

struct TrustedFile : ::testing::Test {
  testing::ScratchDirectory scratch;
  Path top = scratch.path();

  Path make(const Path& file) {
    EXPECT_TRUE(write_file(file, std::string_view("x")));
    return file;
  }
};

TEST_F(TrustedFile, FindsModulesOfTheInstallation) {
  const Path program = make(top / "tool/bin/slipway");
  EXPECT_EQ(installed_module("m.so", program).error(), "");
  make(top / "tool/lib/slipway/m.so");
  EXPECT_EQ(installed_module("m.so", program).value(), top / "tool/lib/slipway/m.so");
  const Path library = make(top / "usr/lib/machine/libslipway.so");
  make(top / "usr/lib/machine/slipway/m.so");
  EXPECT_EQ(installed_module("m.so", library).value(), top / "usr/lib/machine/slipway/m.so");
  const Path bundled = make(top / "bundle/lib/slipway");
  make(top / "bundle/lib/m.so");
  EXPECT_EQ(installed_module("m.so", bundled).value(), top / "bundle/lib/m.so");
}

// Beside the installation, where other users may write.
TEST_F(TrustedFile, FindsNothingBesideTheInstallation) {
  const Path program = make(top / "tool/bin/slipway"), bundled = make(top / "bundle/lib/slipway");
  const Path alone = make(top / "alone/slipway");
  make(top / "lib/slipway/m.so");
  make(top / "lib/m.so");
  make(top / "slipway/m.so");
  for (const Path& one : {program, bundled, alone}) EXPECT_EQ(installed_module("m.so", one).error(), "") << one;
}

TEST_F(TrustedFile, RefusesWhatOthersMayChange) {
  const Path program = make(top / "tool/bin/slipway");
  const Path module = make(top / "tool/lib/slipway/m.so");
  EXPECT_EQ(distrust(module, program), "");
  ASSERT_EQ(::chmod(module.c_str(), 0666), 0);
  EXPECT_EQ(distrust(module, program), "`" + fs::canonical(module).native() + "` may be changed by all users");
  EXPECT_EQ(installed_module("m.so", program).error(), distrust(module, program));
  ASSERT_EQ(::chmod(module.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(module.parent_path().c_str(), 0777), 0);
  EXPECT_THAT(distrust(module, program), ::testing::EndsWith("lib/slipway` may be changed by all users"));
  ASSERT_EQ(::chmod(module.parent_path().c_str(), 01777), 0);
  EXPECT_EQ(distrust(module, program), "");
  EXPECT_NE(distrust(top / "none.so", program), "");
  if (::geteuid() != 0) return;
  constexpr uid_t kOther = 65534;
  ASSERT_EQ(::chown(module.c_str(), kOther, kOther), 0);
  EXPECT_THAT(distrust(module, program), ::testing::EndsWith("m.so` belongs to another user (65534)"));
  ASSERT_EQ(::chown(program.c_str(), kOther, kOther), 0);  // who owns the program may change all of it
  EXPECT_EQ(distrust(module, program), "");
  ASSERT_EQ(::chown(program.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(module.c_str(), 0, kOther), 0);
  ASSERT_EQ(::chmod(module.c_str(), 0664), 0);
  EXPECT_THAT(distrust(module, program), ::testing::EndsWith("m.so` may be changed by a group (65534)"));
}

}  // namespace
}  // namespace slipway
