// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HLSL as it is written for DXC: the programs of tests/corpus/hlsl compile and are valid, except those that `lacks.txt`
// lists with what the built-in front end does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "shader/compile.hpp"
#include "spirv/tools.hpp"
#include "testing/source_directory.hpp"

namespace slipway::shader {
namespace {

TEST(HlslCorpus, ProgramsForDxc) {
  const Path directory = slipway::testing::source_directory() / "tests/corpus/hlsl";
  std::map<std::string, std::string> lacks;
  std::istringstream lines(*read_text(directory / "lacks.txt"));
  for (std::string name, what; lines >> name && std::getline(lines >> std::ws, what);) lacks[name] = what;
  ASSERT_EQ(lacks.size(), 8u);
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".hlsl") continue;
    ++programs;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto compiled = compile(*read_source(entry.path()), Language::Hlsl);
    if (const auto lack = lacks.find(name); lack != lacks.end()) {
      ASSERT_FALSE(compiled);
      EXPECT_THAT(format_diagnostics(compiled.error(), {.sources = false}),
                  ::testing::HasSubstr(formatted("the built-in HLSL front end does not have {};", lack->second)));
      continue;
    }
    ASSERT_TRUE(compiled) << format_diagnostics(compiled.error());
    const Result<> valid = spirv::validate(compiled->words, name);
    EXPECT_TRUE(valid) << valid.error().front().message;
  }
  EXPECT_EQ(programs, 40);
}

}  // namespace
}  // namespace slipway::shader
