// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/progress.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/terminal.hpp"
#include "platform/process.hpp"

namespace slipway::cli {
namespace {

using std::chrono::milliseconds;

TEST(Progress, BeginsAfterTwoSeconds) {
  EXPECT_EQ(progress_text("loading", milliseconds(1999), 80), "");
  EXPECT_EQ(progress_text("loading", milliseconds(2000), 80), "loading, 2 s");
  EXPECT_EQ(progress_text("loading", milliseconds(61999), 80), "loading, 61 s");
  EXPECT_EQ(progress_text("", milliseconds(5000), 80), "");
}

TEST(Progress, CountsItems) { EXPECT_EQ(counted_text("compiling kernels", 3, 12), "compiling kernels: 3 of 12"); }

TEST(Progress, DoesNotWrap) { EXPECT_EQ(progress_text("compiling kernels", milliseconds(2000), 10), "compiling"); }

// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? platform::set_environment(name, value) : platform::remove_environment(name);
  }
  Variable(const Variable&) = delete;
  ~Variable() { before_ ? platform::set_environment(name_, *before_) : platform::remove_environment(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The streams of tests may be terminals, so only what is forced is compared.
TEST(Terminal, ColourIsForcedOrForbidden) {
  const Variable no_color("NO_COLOR", nullptr), forced("CLICOLOR_FORCE", "1");
  EXPECT_TRUE(use_colour(stderr));
  const Variable forbidden("NO_COLOR", "1");
  EXPECT_FALSE(use_colour(stderr));
}

TEST(Terminal, EmptyNoColorDoesNotCount) {
  const Variable no_color("NO_COLOR", ""), forced("CLICOLOR_FORCE", "1");
  EXPECT_TRUE(use_colour(stderr));
}

TEST(Terminal, DumbTerminalsHaveNoColour) {
  const Variable no_color("NO_COLOR", nullptr), forced("CLICOLOR_FORCE", "0"), dumb("TERM", "dumb");
  EXPECT_FALSE(use_colour(stderr));
}

TEST(Terminal, WidthComesFromColumns) {
  {
    const Variable columns("COLUMNS", "100");
    EXPECT_EQ(text_width(), 100);
  }
  {
    const Variable columns("COLUMNS", "5");
    EXPECT_EQ(text_width(), 60);
  }
  const Variable columns("COLUMNS", "100000");
  EXPECT_EQ(text_width(), 120);
}

TEST(Terminal, QuietShowsErrorsAlone) {
  const Diagnostic all[] = {
      {.severity = Severity::Error}, {.severity = Severity::Warning}, {.severity = Severity::Note}};
  EXPECT_EQ(shown(all).size(), 3);
  set_output_level(OutputLevel::Quiet);
  EXPECT_EQ(shown(all).size(), 1);
  set_output_level(OutputLevel::Normal);
}

}  // namespace
}  // namespace slipway::cli
