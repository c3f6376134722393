// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/cache.hpp"
#include "base/format.hpp"

#include <filesystem>

#include "shader/testing.hpp"

namespace slipway::shader {
namespace {

class ShaderCache : public ::testing::Test {
 protected:
  ShaderCache()
      : directory_(
            std::filesystem::temp_directory_path() /
            formatted("slipway_shader_cache_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }
  ~ShaderCache() override { std::filesystem::remove_all(directory_); }

  Result<Compiled> compile(const std::string& text, Options options = {}, Language language = Language::Glsl) {
    options.read_file = files_.reader();
    return compile_cached(Cache(directory_), make_source("main.comp", text), language, options);
  }

  // How many entries there are. Each miss that compiles makes one under a new key.
  std::size_t entries() const {
    if (!std::filesystem::exists(directory_)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  // Replaces the words of the only entry, to see from where a result comes.
  void mark_entry() {
    const Path file = std::filesystem::directory_iterator(directory_)->path();
    const std::string key = file.filename().string();
    std::vector<std::byte> entry = Cache(directory_).find(key).value();
    store(entry.data() + 4, kMark);
    Cache(directory_).store(key, entry);
  }
  static bool is_marked(const Result<Compiled>& compiled) { return compiled.value().words.at(0) == kMark; }

  static constexpr std::uint32_t kMark = 0x12345678;
  Path directory_;
  Files files_;
};

TEST_F(ShaderCache, ASecondCompilationComesFromTheCache) {
  const Result<Compiled> first = compile("void main() {}\n");
  ASSERT_TRUE(first);
  EXPECT_EQ(entries(), 1u);
  const Result<Compiled> second = compile("void main() {}\n");
  EXPECT_EQ(second->words, first->words);
  mark_entry();
  EXPECT_TRUE(is_marked(compile("void main() {}\n")));
}

TEST_F(ShaderCache, TheKeyHoldsAllThatMatters) {
  const std::string text = "void main() {}\n";
  compile(text).value();
  EXPECT_EQ(entries(), 1u);
  compile(text + "\n").value();
  EXPECT_EQ(entries(), 2u);
  compile(text, {.stage = spirv::Stage::Fragment}).value();
  EXPECT_EQ(entries(), 3u);
  compile(text, {.macros = {{"A", ""}}}).value();
  EXPECT_EQ(entries(), 4u);
  compile(text, {.macros = {{"A", std::nullopt}}}).value();
  EXPECT_EQ(entries(), 5u);
  compile(text, {.directory = "d"}).value();
  EXPECT_EQ(entries(), 6u);
  compile(text, {.include_dirs = {"d"}}).value();
  EXPECT_EQ(entries(), 7u);
  compile(text, {.debug_info = false}).value();
  EXPECT_EQ(entries(), 8u);
  compile("[numthreads(1, 1, 1)] void main() {} [numthreads(1, 1, 1)] void other() {}\n", {}, Language::Hlsl).value();
  EXPECT_EQ(entries(), 9u);
  compile("[numthreads(1, 1, 1)] void main() {} [numthreads(1, 1, 1)] void other() {}\n", {.entry = "other"},
          Language::Hlsl)
      .value();
  EXPECT_EQ(entries(), 10u);
}

TEST_F(ShaderCache, IncludedFilesAreLookedAtAgain) {
  files_.texts = {{"a.h", "#define N 3\n"}};
  const std::string text = "#include \"a.h\"\nlayout(local_size_x = N) in;\nvoid main() {}\n";
  const Result<Compiled> first = compile(text);
  EXPECT_THAT(reflection_of(first), ::testing::HasSubstr("local size 3"));
  mark_entry();
  const Result<Compiled> hit = compile(text);
  EXPECT_TRUE(is_marked(hit));
  EXPECT_EQ(hit->dependencies, first->dependencies);
  files_.texts["a.h"] = "#define N 4\n";
  EXPECT_THAT(reflection_of(compile(text)), ::testing::HasSubstr("local size 4"));
  EXPECT_EQ(entries(), 1u);
  files_.texts.clear();
  EXPECT_THAT(errors_of(compile(text)), ::testing::HasSubstr("no such file"));
}

TEST_F(ShaderCache, AFileThatAppearsEarlierInTheSearchCounts) {
  files_.texts = {{"second/a.h", "#define N 3\n"}};
  const std::string text = "#include \"a.h\"\nlayout(local_size_x = N) in;\nvoid main() {}\n";
  const Options options{.directory = "own", .include_dirs = {"first", "second"}};
  EXPECT_THAT(reflection_of(compile(text, options)), ::testing::HasSubstr("local size 3"));
  files_.texts["first/a.h"] = "#define N 9\n";
  EXPECT_THAT(reflection_of(compile(text, options)), ::testing::HasSubstr("local size 9"));
}

TEST_F(ShaderCache, WarningsComeBackAtTheirPlaces) {
  files_.texts = {{"a.h", "\n#extension GL_OTHER_one : enable\n"}};
  const std::string text = "#version 460\n#extension GL_FOO_bar : enable\n#include \"a.h\"\nvoid main() {}\n";
  const std::string expected = shown(compile(text)->warnings, true);
  EXPECT_THAT(expected, ::testing::AllOf(::testing::HasSubstr("main.comp:2:"), ::testing::HasSubstr("a.h:2:")));
  mark_entry();
  const Result<Compiled> hit = compile(text);
  EXPECT_TRUE(is_marked(hit));
  EXPECT_EQ(shown(hit->warnings, true), expected);
}

TEST_F(ShaderCache, DamagedEntriesAreMisses) {
  files_.texts = {{"a.h", "\n"}};
  const std::string text = "#include \"a.h\"\nvoid main() {}\n";
  const Result<Compiled> first = compile(text);
  const std::string key = std::filesystem::directory_iterator(directory_)->path().filename().string();
  const std::vector<std::byte> entry = Cache(directory_).find(key).value();
  for (std::size_t size = 0; size < entry.size(); size += entry.size() < 64 + size ? 1 : 41) {
    Cache(directory_).store(key, Bytes(entry).first(size));
    const Result<Compiled> again = compile(text);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->words, first->words);
  }
  std::vector<std::byte> longer = entry;
  longer.push_back({});
  Cache(directory_).store(key, longer);
  EXPECT_EQ(compile(text)->words, first->words);
}

TEST_F(ShaderCache, FailuresAndSpirvAreNotStored) {
  EXPECT_FALSE(compile("void main() { x; }\n"));
  EXPECT_TRUE(compile("OpCapability Shader\nOpMemoryModel Logical GLSL450\n", {}, Language::SpirvAssembly));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(ShaderCache, WorksWithoutACache) {
  EXPECT_TRUE(compile_cached(Cache(), make_source("main.comp", "void main() {}\n"), Language::Glsl));
  EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace slipway::shader
