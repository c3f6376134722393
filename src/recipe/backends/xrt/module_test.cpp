// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/xrt/module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::recipe::xrt_module {
namespace {

using ::testing::StartsWith;

TEST(XrtModule, ReportsAMissingModule) {
  const auto module = load_module(SourceLocation::in_file("recipe.json"));
  if (module) GTEST_SKIP() << "the module is installed";
  const Diagnostic& problem = module.error().front();
  EXPECT_EQ(problem.kind, DiagnosticKind::NoBackend);
  EXPECT_EQ(problem.location.file, "recipe.json");
  EXPECT_THAT(problem.message, StartsWith("the xrt back end is not available: "));
}

TEST(XrtModule, ReportsThatThereIsNoDevice) {
  const auto module = load_module();
  if (!module) GTEST_SKIP() << module.error().front().message;
  ASSERT_TRUE((*module)->list_devices()) << (*module)->list_devices().error().front().message;
  const auto backend = open_backend("1000", SourceLocation::in_file("recipe.json"));
  ASSERT_FALSE(backend);
  const Diagnostic& problem = backend.error().front();
  EXPECT_EQ(problem.kind, DiagnosticKind::NoDevice);
  EXPECT_EQ(exit_class_of(problem.kind), ExitClass::DeviceLacks);
  EXPECT_EQ(problem.location.file, "recipe.json");
  EXPECT_THAT(problem.message, StartsWith("XRT found no device"));
}

}  // namespace
}  // namespace slipway::recipe::xrt_module
