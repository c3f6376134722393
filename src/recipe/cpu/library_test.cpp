// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/library.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "platform/library.hpp"
#include "platform/process.hpp"
#include "recipe/cpu/call.hpp"
#include "recipe/cpu/exports.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/cpu/paths.hpp"
#include "slipway/bo.hpp"
#include "testing/cpu_libraries.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::recipe::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Path kLibraries = testing::cpu_libraries();

const std::string kEnding(platform::library_ending());

Path library_file(std::string_view name) { return kLibraries / formatted("lib{}{}", name, kEnding); }

const Library& library(std::string_view name) {
  const auto loaded = load_library(library_file(name));
  if (!loaded) throw std::runtime_error(loaded.error().front().message);
  return **loaded;
}

FunctionCall call_of(std::string_view function, std::vector<std::any> arguments, std::string_view name = "arithmetic") {
  const auto found = find_function(library(name), function);
  if (!found) throw std::runtime_error(found.error().front().message);
  return {.function = *found, .run = "r1", .location = {}, .arguments = std::move(arguments)};
}

bo buffer(std::size_t size) { return bo(*make_host_buffer(size)); }

template <class T>
Diagnostic problem_of(const Result<T>& result) {
  if (result) {
    ADD_FAILURE() << "no problem";
    return {};
  }
  EXPECT_EQ(result.error().size(), 1u);
  return result.error().front();
}

Diagnostic failure_of(FunctionCall call) {
  const auto done = run_call(call);
  if (done) {
    ADD_FAILURE() << "the call did not fail";
    return {};
  }
  EXPECT_TRUE(done.error().thrown);
  return done.error().diagnostic;
}

TEST(CpuLibrary, LoadsOnce) {
  const auto first = load_library(library_file("arithmetic"));
  const auto again = load_library(kLibraries / "." / ("libarithmetic" + kEnding));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(abi_of(**first), BufferAbi::Embedded);

  ASSERT_EQ(*find_function(**first, "nothing"), *find_function(**first, "nothing"));
  FunctionCall counters = call_of("counters", {std::any(), std::any()});
  ASSERT_TRUE(run_call(counters));
  EXPECT_EQ(std::any_cast<int>(counters.arguments[0]), 1);
  const int lookups = std::any_cast<int>(counters.arguments[1]);
  ASSERT_TRUE(find_function(**first, "nothing"));
  ASSERT_TRUE(run_call(counters));
  EXPECT_EQ(std::any_cast<int>(counters.arguments[1]), lookups);
}

TEST(CpuLibrary, IsLoadedByManyThreadsAtOnce) {
  std::vector<const LibraryFunction*> found(8);
  std::vector<std::jthread> threads;
  for (const LibraryFunction*& one : found) {
    threads.emplace_back([&one] { one = *find_function(library("other"), "add"); });
  }
  threads.clear();
  for (const LibraryFunction* one : found) EXPECT_EQ(one, found.front());
}

TEST(CpuLibrary, FunctionsBelongToTheirLibrary) {
  bo ours = buffer(4);
  FunctionCall one = call_of("add", {ours, 1});
  ASSERT_TRUE(run_call(one));
  EXPECT_EQ(ours.map<unsigned char*>()[3], 1);
  FunctionCall other = call_of("add", {1}, "other");
  ASSERT_TRUE(run_call(other));
  EXPECT_EQ(std::any_cast<int>(other.arguments[0]), 1001);
}

TEST(CpuLibrary, LoadsLibrariesBuiltForXrt) {
  EXPECT_EQ(abi_of(library("as_shipped")), BufferAbi::Xrt);
  FunctionCall twice = call_of("anything", {21}, "as_shipped");
  ASSERT_TRUE(run_call(twice));
  EXPECT_EQ(std::any_cast<int>(twice.arguments[0]), 42);
}

TEST(CpuLibrary, ReportsErrorsOfLibraries) {
  const slipway::testing::ScratchDirectory directory;
  std::ofstream(directory / ("libtext" + kEnding)) << "not a library";

  const Diagnostic missing = problem_of(load_library(directory / ("libnone" + kEnding)));
  EXPECT_EQ(missing.kind, DiagnosticKind::CpuOpen);
  EXPECT_THAT(missing.message, StartsWith("Failed to open "));
  const Diagnostic text = problem_of(load_library(directory / ("libtext" + kEnding)));
  EXPECT_EQ(text.kind, DiagnosticKind::CpuOpen);
  EXPECT_THAT(text.message, HasSubstr("libtext" + kEnding + ": "));

  const Diagnostic no_init = problem_of(load_library(library_file("no_init")));
  EXPECT_EQ(no_init.kind, DiagnosticKind::CpuInit);
  EXPECT_THAT(no_init.message, HasSubstr("exports no `library_init`; declare it `extern \"C\"`"));
  const Diagnostic throws = problem_of(load_library(library_file("bad_init_1")));
  EXPECT_EQ(throws.kind, DiagnosticKind::CpuInit);
  EXPECT_THAT(throws.message, EndsWith("libbad_init_1" + kEnding + "` threw: no licence"));
  EXPECT_THAT(problem_of(load_library(library_file("bad_init_2"))).message, HasSubstr("set no `lookup_fn`"));
  const Diagnostic abi = problem_of(load_library(library_file("bad_init_3")));
  EXPECT_EQ(abi.kind, DiagnosticKind::CpuAbi);
  EXPECT_THAT(abi.message, HasSubstr("has buffer interface 9"));
}

TEST(CpuLibrary, ReportsErrorsOfFunctions) {
  const SourceLocation location = SourceLocation::in_file("recipe.json");
  const Diagnostic unknown = problem_of(find_function(library("arithmetic"), "sub", location));
  EXPECT_EQ(unknown.kind, DiagnosticKind::CpuLookup);
  EXPECT_THAT(unknown.message,
              EndsWith("libarithmetic" + kEnding + "` does not provide function `sub`: function 'sub' not found"));
  EXPECT_EQ(unknown.location.file, "recipe.json");
  EXPECT_THAT(problem_of(find_function(library("arithmetic"), "no_callable")).message,
              HasSubstr("provides no callable for function `no_callable`"));
  EXPECT_THAT(problem_of(find_function(library("arithmetic"), "too_many")).message,
              HasSubstr("asks for 1000000000 arguments"));
}

TEST(CpuCall, PassesBuffersAndConstants) {
  bo source = buffer(8), destination = buffer(64);
  source.write("abcdefgh");
  FunctionCall copy = call_of("copy", {source, bo(destination, 4, 2)});
  ASSERT_TRUE(run_call(copy));
  EXPECT_STREQ(destination.map<const char*>() + 2, "abcd");

  FunctionCall constants = call_of("constants", {destination, -1, 2u, std::int64_t{-3}, std::uint64_t{4}, 5.5f, 6.5});
  ASSERT_TRUE(run_call(constants));
  double last = 0;
  destination.read(&last, sizeof last, 28);
  EXPECT_EQ(last, 6.5);
}

TEST(CpuCall, NamesRunFunctionAndLibrary) {
  const Diagnostic plain = failure_of(call_of("fail", {}));
  EXPECT_EQ(plain.kind, DiagnosticKind::CpuFunction);
  EXPECT_EQ(plain.message, "run 'r1' (function 'fail' of 'libarithmetic" + kEnding + "'): the answer is not 42");
  EXPECT_THAT(failure_of(call_of("fail_nested", {})).message, EndsWith(": cannot print: no more paper"));
  EXPECT_THAT(failure_of(call_of("fail_strangely", {})).message, EndsWith(": an exception of type `int`"));
  EXPECT_THAT(failure_of(call_of("fail_text", {})).message, EndsWith(": just words"));
}

TEST(CpuCall, KeepsTheException) {
  FunctionCall call = call_of("fail", {});
  const auto done = run_call(call);
  ASSERT_FALSE(done);
  EXPECT_THROW(std::rethrow_exception(done.error().thrown), std::runtime_error);
}

TEST(CpuCall, ExplainsWrongTypes) {
  const Diagnostic wrong = failure_of(call_of("add", {buffer(16), std::int64_t{3}}));
  EXPECT_THAT(wrong.message, HasSubstr("expects an argument of another type than the recipe has"));
  ASSERT_EQ(wrong.notes.size(), 1u);
  EXPECT_EQ(wrong.notes[0].message, "the arguments are: 0 xrt::bo of 16 bytes, 1 std::int64_t 3");

  const Diagnostic few = failure_of(call_of("reach_too_far", {std::any(), std::string("x")}));
  ASSERT_EQ(few.notes.size(), 1u);
  EXPECT_EQ(few.notes[0].message, "according to the library, the function has 2 arguments");
  EXPECT_EQ(failure_of(call_of("add", {std::any(), std::string("x")})).notes[0].message,
            "the arguments are: 0 nothing, 1 std::string");
  EXPECT_THAT(failure_of(call_of("sync_strangely", {buffer(1)})).message, HasSubstr("needs XRT"));
}

TEST(CpuBuffer, ChecksBounds) {
  bo whole = buffer(16);
  whole.write("0123456789abcdef");
  bo part(whole, 8, 4);
  EXPECT_EQ(part.size(), 8u);
  EXPECT_EQ(part.address(), whole.address() + 4);
  EXPECT_EQ(bo(part, 2, 6), bo(whole, 2, 10));
  EXPECT_NE(part, whole);
  EXPECT_THROW(bo(part, 0, 0), std::invalid_argument);
  EXPECT_THROW(bo(part, 8, 1), std::invalid_argument);
  EXPECT_THROW(bo(part, ~std::size_t{0}, 1), std::invalid_argument);
  EXPECT_THROW(part.write("x", 1, 8), std::runtime_error);
  char text[9] = {};
  EXPECT_THROW(part.read(text, 9, 0), std::runtime_error);
  EXPECT_THROW(part.read(text, 1, ~std::size_t{0}), std::runtime_error);
  part.read(text);
  EXPECT_STREQ(text, "456789ab");
  part.copy(whole, 8);
  EXPECT_EQ(std::string(whole.map<const char*>(), 16), "012301234567cdef");
  EXPECT_THROW(part.copy(whole), std::runtime_error);
  part.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  EXPECT_THROW(part.sync(XCL_BO_SYNC_BO_TO_DEVICE, 9, 0), std::runtime_error);
  EXPECT_FALSE(bo());
  EXPECT_THROW(bo().map(), std::runtime_error);
}

TEST(CpuBuffer, HostMemoryIsZeroedAndBounded) {
  const auto storage = *make_host_buffer(100'000);
  const bo all(storage);
  const char* bytes = all.map<const char*>();
  EXPECT_EQ(std::count(bytes, bytes + all.size(), 0), 100'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % kHostAlignment, 0u);
  EXPECT_EQ((*make_host_buffer(0))->size(), 0u);
  const Diagnostic huge = problem_of(make_host_buffer(~std::size_t{0} / 2, SourceLocation::in_file("recipe.json")));
  EXPECT_EQ(huge.kind, DiagnosticKind::DeviceLacks);
  EXPECT_EQ(huge.location.file, "recipe.json");
}

TEST(CpuPaths, TriesAllFormsOfAName) {
  EXPECT_THAT(library_file_names("convert.dylib"),
              ElementsAre("libconvert.dylib" + kEnding, "convert.dylib", "convert.dylib" + kEnding,
                          "libconvert" + kEnding, "convert", "convert" + kEnding));
  EXPECT_THAT(library_file_names("convert.dll"), ::testing::Contains("libconvert" + kEnding));
  EXPECT_THAT(library_file_names("convert.so"), ::testing::Contains("libconvert" + kEnding));
  EXPECT_THAT(library_file_names("op"), ElementsAre("libop" + kEnding, "op", "op" + kEnding));
}

TEST(CpuPaths, FindsTheFirstThatExists) {
  const slipway::testing::ScratchDirectory directory;
  std::filesystem::create_directories(directory / "a/umd");
  std::filesystem::create_directories(directory / "b/umd");
  std::filesystem::create_directories(directory / "a/convert");  // a directory is not a library
  std::ofstream(directory / ("b/umd/libconvert" + kEnding)) << "x";
  std::ofstream(directory / ("b/convert" + kEnding)) << "x";
  const LibraryRoots roots{.roots = {directory / "a", directory / "b"}};
  EXPECT_EQ(*find_library("umd/convert.dylib", roots), directory / ("b/umd/libconvert" + kEnding));
  EXPECT_EQ(*find_library("convert", roots), directory / ("b/convert" + kEnding));
  const Diagnostic none = problem_of(find_library("umd/other", roots));
  EXPECT_EQ(none.kind, DiagnosticKind::CpuOpen);
  ASSERT_EQ(none.notes.size(), 2u);
  EXPECT_EQ(none.notes[1].message, formatted("`{}` has none of `libother{}`, `other`, `other{}`",
                                             (directory / "b" / "umd").string(), kEnding, kEnding));
}

TEST(CpuPaths, RefusesPathsOutsideTheRoots) {
  const LibraryRoots roots{.roots = {"/tmp"}};
  const Diagnostic absolute = problem_of(find_library("/usr/lib/libm.so", roots));
  EXPECT_EQ(absolute.kind, DiagnosticKind::CpuPath);
  EXPECT_THAT(absolute.message, StartsWith("Invalid path '/usr/lib/libm.so' cannot be absolute"));
  EXPECT_THAT(problem_of(find_library("a/../../b", roots)).message, StartsWith("Invalid path 'a/../../b' escapes xrt"));
  for (const std::string_view name : {"", "umd/", "."}) {
    EXPECT_FALSE(find_library(name, roots)) << name;
  }
  EXPECT_EQ(problem_of(find_library("", roots)).kind, DiagnosticKind::CpuPath);
  EXPECT_EQ(*find_library(library_file("other").string(), {.roots = {}, .artifacts = {}, .allow_outside = true}),
            library_file("other"));
}

TEST(CpuPaths, LinksOfARecipeStayInItsDirectory) {
  const slipway::testing::ScratchDirectory directory;
  std::filesystem::create_directories(directory / "artifacts");
  std::filesystem::create_directories(directory / "installed");
  std::ofstream(directory / "elsewhere") << "x";
  for (const char* root : {"artifacts", "installed"})
    std::filesystem::create_symlink(directory / "elsewhere", directory / root / "linked");
  LibraryRoots roots{.roots = {directory / "artifacts"}, .artifacts = directory / "artifacts"};
  EXPECT_THAT(problem_of(find_library("linked", roots)).message, ::testing::HasSubstr("is a link that leaves"));
  roots.allow_outside = true;
  EXPECT_TRUE(find_library("linked", roots));
  roots = {.roots = {directory / "installed", directory / "artifacts"}, .artifacts = directory / "artifacts"};
  EXPECT_EQ(*find_library("linked", roots), directory / "installed" / "linked");
}

TEST(CpuPaths, RootsInOrder) {
  EXPECT_THAT(library_roots("given", "artifacts").roots, ElementsAre("given"));
  platform::set_environment("XILINX_XRT", "/opt/xrt");
  const std::vector<Path> roots = library_roots({}, "artifacts").roots;
  platform::remove_environment("XILINX_XRT");
  // A program that is not installed, for instance in a bundle, has no install prefix.
  const bool is_installed = !install_prefix().empty();
  ASSERT_EQ(roots.size(), is_installed ? 3u : 2u);
  EXPECT_EQ(roots.front(), "/opt/xrt");
  if (is_installed) {
    EXPECT_EQ(roots[1], install_prefix());
    EXPECT_TRUE(roots[1].is_absolute());
  }
  EXPECT_EQ(roots.back(), "artifacts");
}

TEST(CpuExports, AreReadWithoutLoading) {
  constexpr std::string_view kNames[] = {"library_init", "slipway_cpu_library_abi", "lookup"};
  const auto exports_of = [&](std::string_view name) {
    const MappedFile file = *map_file(library_file(name));
    return *find_exports(file.bytes(), name, kNames);
  };
  EXPECT_THAT(exports_of("arithmetic"), ElementsAre(true, true, false));
  EXPECT_THAT(exports_of("as_shipped"), ElementsAre(true, false, false));
  EXPECT_THAT(exports_of("no_init"), ElementsAre(false, false, false));

  Diagnostics diagnostics;
  check_library_file(map_file(library_file("no_init"))->bytes(), "libno_init.so", {}, diagnostics);
  check_library_file(bytes_of("text"), "libtext.so", {}, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::CpuInit);
  EXPECT_EQ(diagnostics.all()[1].kind, DiagnosticKind::FileFormat);
}

// A DLL with headers, one section, and its exports in that: `library_init` and `other`.
std::vector<std::byte> dll() {
  constexpr std::uint32_t kAddress = 0x1000, kOffset = 320, kSize = 80;
  ByteWriter file;
  file.append("MZ").pad_to(0x3c).write(std::uint32_t{0x40});
  file.append(std::string_view("PE\0\0", 4));
  file.write(std::uint16_t{0x8664}).write(std::uint16_t{1}).pad_to(0x40 + 20);
  file.write(std::uint16_t{120}).write(std::uint16_t{0x2022});  // bytes of the next header; a DLL
  file.write(std::uint16_t{0x20b}).pad_to(0x40 + 24 + 112).write(kAddress).write(kSize);  // the directory of exports
  file.append(".edata").pad_to(0x40 + 24 + 120 + 8);
  file.write(kSize).write(kAddress).write(kSize).write(kOffset).pad_to(kOffset);
  file.pad_to(kOffset + 24).write(std::uint32_t{2}).write(std::uint32_t{0}).write(kAddress + 40);
  file.pad_to(kOffset + 40).write(kAddress + 48).write(kAddress + 61);
  file.append(std::string_view("library_init\0other\0", 19)).pad_to(kOffset + kSize);
  return file.release();
}

TEST(CpuExports, AreReadFromDlls) {
  constexpr std::string_view kNames[] = {"library_init", "library", "slipway_cpu_library_abi", "other"};
  std::vector<std::byte> bytes = dll();
  EXPECT_THAT(*find_exports(bytes, "a.dll", kNames), ElementsAre(true, false, false, true));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(find_exports(Bytes(bytes).first(size), "cut.dll", kNames)) << size;

  Diagnostics diagnostics;
  check_library_file(bytes, "a.dll", {}, diagnostics);
  EXPECT_EQ(diagnostics.errors(), kEnding == ".dll" ? 0u : 1u);

  bytes[0x40 + 23] = std::byte{0};  // a program
  EXPECT_EQ(problem_of(find_exports(bytes, "a.exe", kNames)).kind, DiagnosticKind::FileFormat);
}

TEST(CpuExports, SurviveEveryTruncation) {
  const MappedFile file = *map_file(library_file("other"));
  constexpr std::string_view kNames[] = {"library_init"};
  std::vector<std::byte> bytes(file.bytes().begin(), file.bytes().end());
  // In a DLL texts for debuggers follow the sections, which end after half of the file.
  const std::size_t end = kEnding == ".dll" ? 1024 : bytes.size();
  for (std::size_t size = 0; size < end; size += size < 256 ? 1 : 61) {
    EXPECT_FALSE(find_exports(Bytes(bytes).first(size), "cut", kNames)) << size;
  }
}

}  // namespace
}  // namespace slipway::recipe::cpu
