// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interfaces promise on every system.
#include <gmock/gmock.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "platform/channel.hpp"
#include "platform/confine.hpp"
#include "platform/cpu.hpp"
#include "platform/file.hpp"
#include "platform/library.hpp"
#include "platform/memory.hpp"
#include "platform/process.hpp"
#include "platform/shell.hpp"
#include "platform/text.hpp"

namespace slipway::platform {
namespace {

using ::testing::Contains;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Platform : ::testing::Test {
  Path directory = make_temporary_directory(std::filesystem::temp_directory_path() / "slipway-platform-XXXXXX").value();
  OwnedDescriptor at = open_file(directory, kDirectory | kHandle).value();

  ~Platform() override {
    at = OwnedDescriptor();
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  void write(const std::string& name, std::string_view text) {
    const auto file = open_at(at.number(), name, kCreate | kWrite);
    ASSERT_TRUE(file) << std::strerror(file.error());
    ASSERT_EQ(write_all(file->number(), bytes_of(text)), 0);
  }
  std::string read(const Path& name) {
    const auto file = open_at(at.number(), name, kRead);
    if (!file) return std::strerror(file.error());
    std::string text(100, '\0');
    text.resize(read_some(file->number(), std::as_writable_bytes(std::span(text))).value_or(0));
    return text;
  }
};

TEST_F(Platform, FilesHaveNamesInUnicode) {
  const std::string name = "d\xc3\xa9j\xc3\xa0 \xe8\xa6\x8b.txt";  // UTF-8
  const Path path(std::u8string(name.begin(), name.end()));
  const auto file = open_at(at.number(), path, kNew | kWrite);
  ASSERT_TRUE(file);
  EXPECT_EQ(write_all(file->number(), bytes_of("a\nb\r\n\x1a")), 0);
  EXPECT_EQ(read(path), "a\nb\r\n\x1a");  // no text mode
  EXPECT_TRUE(std::filesystem::exists(directory / path));
  EXPECT_EQ(open_at(at.number(), path, kNew | kWrite).error(), EEXIST);
  EXPECT_EQ(open_at(at.number(), "none", kRead).error(), ENOENT);
}

TEST_F(Platform, StatusTellsWhatAFileIs) {
  write("a", "12345");
  const auto file = open_at(at.number(), "a", kHandle).value();
  const auto status = status_of(file.number()), again = status_of(directory / "a"), of = status_at(at.number(), "a");
  ASSERT_TRUE(status && again && of);
  EXPECT_TRUE(status->is_regular());
  EXPECT_EQ(status->size, 5U);
  EXPECT_TRUE(status->is_same_file(*again));
  EXPECT_TRUE(status->is_same_file(*of));
  write("b", "");
  EXPECT_FALSE(status->is_same_file(*status_of(directory / "b")));
  EXPECT_TRUE(status_of(at.number())->is_directory());
  EXPECT_EQ(status_of(directory / "none").error(), ENOENT);
  std::filesystem::create_hard_link(directory / "a", directory / "c");
  EXPECT_EQ(status_of(directory / "c")->links, 2U);
  EXPECT_TRUE(status->is_same_file(*status_of(directory / "c")));
}

TEST_F(Platform, AFileIsReplacedWhileOthersReadIt) {
  write("old", "old");
  write("new", "new");
  const OwnedDescriptor reader = open_at(at.number(), "old", kRead).value();
  ASSERT_EQ(rename_in(at.number(), "new", "old"), 0);
  EXPECT_EQ(read("old"), "new");
  std::string text(3, '\0');
  EXPECT_EQ(read_some(reader.number(), std::as_writable_bytes(std::span(text))), 3);
  EXPECT_EQ(text, "old");
  EXPECT_EQ(open_at(at.number(), "new", kRead).error(), ENOENT);
}

TEST_F(Platform, ContentsAreReadAndCut) {
  write("a", "0123456789");
  OwnedDescriptor file = open_at(at.number(), "a", kReadWrite | kAppend).value();
  std::string text(4, '\0');
  EXPECT_EQ(read_at(file.number(), std::as_writable_bytes(std::span(text)), 3), 4);
  EXPECT_EQ(text, "3456");
  EXPECT_EQ(size_by_seeking(file.number()), 10);
  EXPECT_EQ(truncate(file.number(), 2), 0);
  EXPECT_EQ(size_by_seeking(file.number()), 2);
  EXPECT_EQ(write_all(file.number(), bytes_of("x")), 0);
  EXPECT_EQ(read("a"), "01x");
  file = OwnedDescriptor();
  EXPECT_EQ(remove_name(at.number(), "a"), 0);
  EXPECT_EQ(remove_name(at.number(), "a"), ENOENT);
  EXPECT_EQ(make_directory(at.number(), "d"), 0);
  EXPECT_EQ(make_directory(at.number(), "d"), EEXIST);
}

TEST_F(Platform, AFileInMemoryHasItsContents) {
  const OwnedDescriptor file = open_memory("test").value();
  ASSERT_EQ(write_all(file.number(), bytes_of("memory")), 0);
  ASSERT_EQ(go_to(file.number(), 0), 0);
  std::string text(6, '\0');
  EXPECT_EQ(read_some(file.number(), std::as_writable_bytes(std::span(text))), 6);
  EXPECT_EQ(text, "memory");
  const OwnedDescriptor again = reopen(file.number(), kRead).value();
  EXPECT_TRUE(status_of(again.number())->is_same_file(*status_of(file.number())));
}

TEST_F(Platform, FilesAreMapped) {
  write("a", "mapped");
  const auto pages = map_file(open_at(at.number(), "a", kRead)->number(), 6);
  ASSERT_TRUE(pages);
  EXPECT_EQ(std::memcmp(*pages, "mapped", 6), 0);
  advise(*pages, page_size(), Advice::Drop);
  EXPECT_EQ(std::memcmp(*pages, "mapped", 6), 0);
  unmap(*pages, 6);
}

TEST(PlatformMemory, PagesAreZeroed) {
  const std::size_t size = 3 * page_size();
  auto* const pages = static_cast<unsigned char*>(map_zeroed(size));
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages[0] + pages[size - 1], 0);
#if defined(__x86_64__)
  const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov eax, 42; ret
  std::memcpy(pages, code, sizeof code);
  ASSERT_TRUE(make_executable(pages, size));
  EXPECT_EQ(reinterpret_cast<int (*)()>(pages)(), 42);
#endif
  unmap(pages, size);
  EXPECT_EQ(map_zeroed(SIZE_MAX / 2), nullptr);
}

TEST(PlatformLibrary, FindsItsOwnFile) {
  const auto* const code = reinterpret_cast<const void*>(&bytes_of);
  EXPECT_TRUE(is_in_program(code));
  EXPECT_THAT(file_of_code(code).filename().string(), ::testing::StartsWith("platform_test"));
  EXPECT_TRUE(std::filesystem::exists(running_program()));
  const auto missing = open_library("slipway-none");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error(), ::testing::HasSubstr("slipway-none"));
  EXPECT_EQ(loaded_library("slipway-none"), nullptr);
}

// This program, with a test that ends in a certain way.
std::vector<std::string> part(const std::string& test) {
  std::vector<std::string> command = own_command();
  command.emplace_back("--gtest_also_run_disabled_tests");
  command.push_back("--gtest_filter=PlatformPart.DISABLED_" + test);
  return command;
}
TEST(PlatformPart, DISABLED_Status) { end_now(std::getenv("SLIPWAY_PART") ? 42 : 41); }
TEST(PlatformPart, DISABLED_Hang) { std::this_thread::sleep_for(std::chrono::hours(1)); }
TEST(PlatformPart, DISABLED_Crash) { *static_cast<volatile int*>(nullptr) = 0; }
TEST(PlatformPart, DISABLED_Echo) {
  std::byte buffer[5];
  for (std::size_t size = 0; size < sizeof buffer;) {
    const auto count = receive_some(3, std::span(buffer).subspan(size), true);
    if (!count || *count == 0) end_now(1);
    size += *count;
  }
  const std::span<const std::byte> parts[] = {std::span(buffer).first(2), std::span(buffer).subspan(2)};
  end_now(send_all(3, parts) ? 0 : 2);
}

TEST(PlatformProcess, EndsWithItsStatus) {
  std::vector<std::string> variables = environment();
  variables.emplace_back("SLIPWAY_PART=1");
  const auto process = start_process({.command = part("Status"), .environment = variables});
  ASSERT_TRUE(process) << std::strerror(process.error());
  const auto end = end_of_process(*process, Waiting::Yes);
  EXPECT_EQ(end->status, 42);
  EXPECT_EQ(end->signal, 0);
}

TEST(PlatformProcess, AMissingProgramIsNotStarted) {
  const auto process = start_process({.command = {"slipway-none"}, .searches = true, .environment = {}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error(), ENOENT);
}

TEST_F(Platform, StartsAShell) {
  const Path spaced = directory / "a b";
  std::filesystem::create_directory(spaced);
  const auto status_of_line = [](const std::string& line) {
    const auto process = start_process({.command = shell_command(line), .environment = environment()});
    return process ? end_of_process(*process, Waiting::Yes)->status : -process.error();
  };
  EXPECT_EQ(status_of_line("exit 3"), 3);
  EXPECT_EQ(status_of_line("cd " + shell_word(spaced.string()) + " && exit 4"), 4);
  EXPECT_NE(status_of_line("cd " + shell_word((directory / "c d").string()) + " && exit 4"), 4);
  EXPECT_EQ(shell_word("plain/file.txt"), "plain/file.txt");
}

TEST(PlatformProcess, IsKilled) {
  const auto process = start_process({.command = part("Hang"), .environment = environment(), .own_group = true});
  ASSERT_TRUE(process);
  EXPECT_FALSE(end_of_process(*process, Waiting::No));
  kill_process(*process);
  EXPECT_EQ(end_of_process(*process, Waiting::Yes)->signal, kKilled);
  end_group(*process);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // they end with a status
TEST(PlatformProcess, ACrashIsASignal) {
  const auto process = start_process(
      {.command = part("Crash"), .environment = environment(), .without_stream = {kStandardOutput, kStandardError}});
  ASSERT_TRUE(process);
  EXPECT_EQ(end_of_process(*process, Waiting::Yes)->signal, 11);
}
#endif

TEST(PlatformProcess, TalksThroughAChannel) {
  auto ends = make_channel(ChannelKind::Stream);
  ASSERT_TRUE(ends) << std::strerror(ends.error());
  const auto process =
      start_process({.command = part("Echo"), .environment = environment(), .files = {{(*ends)[1].number(), 3}}});
  ASSERT_TRUE(process);
  (*ends)[1] = OwnedDescriptor();
  const int channel = (*ends)[0].number();
  Watched watched[] = {{.file = -1}, {.file = channel}};
  EXPECT_EQ(wait_for_any(watched, 10), 0);
  EXPECT_FALSE(receive_some(channel, std::as_writable_bytes(std::span(watched)), false));
  const std::span<const std::byte> parts[] = {bytes_of("hel"), bytes_of("lo")};
  ASSERT_TRUE(send_all(channel, parts));
  std::string text(5, '\0');
  for (std::size_t size = 0; size < text.size();) {
    ASSERT_EQ(wait_for_any(watched, 60000), 1);
    EXPECT_TRUE(watched[1].is_ready);
    const auto count = receive_some(channel, std::as_writable_bytes(std::span(text)).subspan(size), false);
    ASSERT_TRUE(count && *count > 0);
    size += *count;
  }
  EXPECT_EQ(text, "hello");
  EXPECT_EQ(end_of_process(*process, Waiting::Yes)->status, 0);
}

TEST(PlatformProcess, PrintsIntoAPipe) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const auto process = start_process({.command = part("Status"),
                                      .environment = environment(),
                                      .files = {{(*pipe)[1].number(), kStandardOutput}},
                                      .without_stream = {kStandardInput}});
  ASSERT_TRUE(process);
  (*pipe)[1] = OwnedDescriptor();
  std::string text;
  std::byte buffer[4096];
  for (std::size_t count = 0; (count = read_some((*pipe)[0].number(), buffer).value_or(0)) > 0;)
    text.append(reinterpret_cast<const char*>(buffer), count);
  EXPECT_THAT(text, ::testing::HasSubstr("PlatformPart.DISABLED_Status"));
  EXPECT_EQ(end_of_process(*process, Waiting::Yes)->status, 41);
}

TEST(PlatformProcess, KnowsItsEnvironment) {
  set_environment("SLIPWAY_PLATFORM_TEST", "\xc3\xa9");
  EXPECT_STREQ(std::getenv("SLIPWAY_PLATFORM_TEST") ? "set" : "missing", "set");
  EXPECT_THAT(environment(), Contains("SLIPWAY_PLATFORM_TEST=\xc3\xa9"));
  remove_environment("SLIPWAY_PLATFORM_TEST");
  EXPECT_EQ(std::getenv("SLIPWAY_PLATFORM_TEST"), nullptr);
}

TEST(PlatformCpu, HasCores) {
  EXPECT_GE(allowed_cores(), 1U);
  std::thread thread([] {});
  stay_on_core(thread, 3);
  thread.join();
}

TEST(PlatformText, Times) {
  const std::tm time = utc_time(1000000000);
  EXPECT_EQ(time.tm_year + 1900, 2001);
  EXPECT_EQ(time.tm_hour, 1);
  EXPECT_NE(host_name(), "");
  EXPECT_NE(system_name(), "");
  EXPECT_EQ(demangled(typeid(std::pair<int, char>).name()), "std::pair<int, char>");
}

}  // namespace
}  // namespace slipway::platform
