// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/emit_header.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "testing/rpl_programs.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::rpl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Compiles a source that includes the header and nothing else.
bool compiles(const std::string& header, const std::string& code = "") {
  const testing::ScratchDirectory directory;
  EXPECT_TRUE(write_file(directory / "layouts.hpp", header));
  EXPECT_TRUE(write_file(directory / "use.cpp", "#include \"layouts.hpp\"\n" + code + "\n"));
  const std::string command = "g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only " + (directory / "use.cpp").string() +
                              " > " + (directory / "log").string() + " 2>&1";
  const bool good = std::system(command.c_str()) == 0;
  if (!good) ADD_FAILURE() << read_text(directory / "log").value_or("") << header;
  return good;
}

TEST(EmitHeader, MirrorsEveryLayout) {
  const Built built(tools_program("layouts.rpl"));
  const std::string header = emit_header(built.resolved(), "engine::layouts");
  EXPECT_TRUE(compiles(header, R"(
using namespace engine::layouts;
static_assert(sizeof(packed_values) == 112 && offsetof(packed_values, b) == 16 && offsetof(packed_values, e) == 96, "");
static_assert(sizeof(holder::padded) == 32 && sizeof(holder::pairs) == 24 && sizeof(holder::grid) == 24, "");
static_assert(sizeof(numbers) == 20 && numbers_tail_offset == 20 && numbers_tail_item_size == 4, "");
static_assert(item_list_tail_offset == 16 && nested_tail_offset == 32 && only_tail_tail_offset == 0, "");
static_assert(sizeof(vertex) == 36 && offsetof(vertex, normal) == 12 && offsetof(vertex, uv) == 18, "");
static_assert(sizeof(instance_data::turn) == 18 && offsetof(instance_data, id) == 88, "");
static_assert(set_everything_index == 1 && binding_linear == 2 && location_target_ids == 1 && push_constant_size == 80, "");
float use(const class_& c) { return c.float_ + c.while_.v[0] + static_cast<float>(c.namespace_); }
)"));
}

TEST(EmitHeader, CompilesForEveryProgram) {
  std::string all;
  int number = 0;
  for (const TestProgram& test : tool_programs(12)) {
    std::string header = emit_header(Built(test).resolved(), formatted("p{}", number++));
    header.erase(header.find("#pragma once"), std::string_view("#pragma once").size());
    all += header;
  }
  EXPECT_TRUE(compiles(all));
}

TEST(EmitHeader, RenamesWhatCppKeeps) {
  const Built built(test_program("a.rpl",
                                 "struct view { f4 v; };\n"
                                 "set_pass uniform_buffer view { view int; f4 NULL; f4 x; };\n"
                                 "set_pass sampler pass;"));
  const std::string header = emit_header(built.resolved(), "a");
  EXPECT_THAT(header, HasSubstr("::a::view int_;"));
  EXPECT_THAT(header, HasSubstr("struct view_ {"));
  EXPECT_THAT(header, HasSubstr("NULL_"));
  EXPECT_TRUE(compiles(header));
}

TEST(EmitHeader, ReplacesBadNamespaces) {
  EXPECT_EQ(default_header_namespace("shaders/my-pass.v2.rpl"), "rpl_my_pass_v2");
  EXPECT_TRUE(is_namespace_name("a::b_1"));
  for (const char* bad : {"", "a::", "1a", "a-b", "class", "a::int", "::a"})
    EXPECT_FALSE(is_namespace_name(bad)) << bad;
}

}  // namespace
}  // namespace slipway::rpl
