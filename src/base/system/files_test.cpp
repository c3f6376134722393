// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/files.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/parallel.hpp"
#include "base/system/cache.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/shrunk_files.hpp"
#include "base/system/streams.hpp"
#include "platform/process.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const Path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(Files, CopiesPartsOfMappedFilesWhichCanBeReadAgain) {
  const testing::ScratchDirectory directory;
  std::vector<std::byte> contents(std::size_t{9} << 20);
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<std::byte>(i * 2654435761u >> 24);
  ASSERT_TRUE(write_file(directory / "large", Bytes(contents)));
  const Result<MappedFile> file = map_file(directory / "large");
  ASSERT_TRUE(file);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, contents.size()}) {
    const Bytes part = file->bytes().subspan(begin);
    std::vector<std::byte> copy(part.size());
    file->copy_out(part, copy);
    EXPECT_TRUE(std::ranges::equal(copy, Bytes(contents).subspan(begin))) << begin;
  }
  EXPECT_TRUE(std::ranges::equal(file->bytes(), contents));
}

TEST(Files, MapsFiles) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "a", std::string_view("hello")));
  EXPECT_EQ(text_of(map_file(scratch / "a")->bytes()), "hello");
  ASSERT_TRUE(write_file(scratch / "empty", std::string_view()));
  EXPECT_TRUE(map_file(scratch / "empty")->bytes().empty());
  EXPECT_EQ(*read_text(scratch / "a"), "hello");
  EXPECT_EQ((*read_source(scratch / "a", "shown"))->name(), "shown");
}

TEST(Files, ReportsMissingFiles) {
  const testing::ScratchDirectory scratch;
  const auto missing = map_file(scratch / "no");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].kind, DiagnosticKind::FileNotFound);
  EXPECT_EQ(missing.error()[0].message,
            "Could not open file " + (scratch / "no").string() + ": No such file or directory");
  EXPECT_EQ(map_file(scratch.path()).error()[0].kind, DiagnosticKind::FileUnreadable);
  EXPECT_EQ(read_text(scratch / "no" / "deeper").error()[0].kind, DiagnosticKind::FileNotFound);
}

TEST(Files, OutputAppearsOnlyWhenComplete) {
  const testing::ScratchDirectory scratch;
  const Path path = scratch / "deep" / "out";
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(std::string_view("half")));
    EXPECT_FALSE(file_exists(path));
  }
  EXPECT_EQ(entries(scratch / "deep"), 0u);
  ASSERT_TRUE(write_file(path, std::string_view("old")));
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file->write(std::string_view("new")));
    EXPECT_EQ(*read_text(path), "old");
    ASSERT_TRUE(file->commit());
  }
  EXPECT_EQ(*read_text(path), "new");
  EXPECT_EQ(entries(scratch / "deep"), 1u);
}

TEST(Files, OutputThatCannotBeWritten) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "file", std::string_view("x")));
  const auto below_file = write_file(scratch / "file" / "out", std::string_view("x"));
  ASSERT_FALSE(below_file);
  EXPECT_EQ(below_file.error()[0].kind, DiagnosticKind::FileUnwritable);
  EXPECT_FALSE(write_file(scratch.path(), std::string_view("x")));  // a directory
  // The limit on file sizes simulates a full disk.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(write_file(scratch / "big", std::string_view(std::string(1000, 'x'))) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(entries(scratch.path()), 1u);
}

TEST(Files, KilledWriterLeavesNothing) {
  const testing::ScratchDirectory scratch;
  const pid_t child = fork();
  if (child == 0) {
    auto file = OutputFile::create(scratch / "out");
    if (file) (void)file->write(std::string_view("half"));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(scratch.path()), 0u);
}

TEST(Files, LinksAreFollowedAndManyOutputsAreOpenedOneByOne) {
  const testing::ScratchDirectory scratch;
  fs::create_symlink("target", scratch / "link");
  ASSERT_TRUE(write_file(scratch / "link", std::string_view("new")));
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(*read_text(scratch / "target"), "new");
  std::vector<OutputFile> files;
  for (int i = 0; i < 200; ++i) {
    auto file = OutputFile::create(scratch / "many" / std::to_string(i));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(std::string_view("one ")));
    ASSERT_TRUE(file->write(std::string_view("two")));
    files.push_back(std::move(*file));
  }
  // The number of the next descriptor shows how many are open.
  const int next = ::open("/dev/null", O_RDONLY);
  EXPECT_LT(next, 100);
  ::close(next);
  for (OutputFile& file : files) ASSERT_TRUE(file.commit());
  files.clear();
  EXPECT_EQ(entries(scratch / "many"), 200u);
  EXPECT_EQ(*read_text(scratch / "many" / "199"), "one two");
  EXPECT_EQ(*read_text(scratch / "many" / "0"), "one two");
}

TEST(Files, PipesAreReadOnceAndWrittenTo) {
  const testing::ScratchDirectory scratch;
  const Path pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { EXPECT_TRUE(write_file(pipe, std::string_view("through"))); });
  EXPECT_EQ(text_of(map_file(pipe)->bytes()), "through");
  EXPECT_EQ(*read_text(pipe), "through");  // again, as the reader of a format does after its detection
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Files, APipeHasItsContentsUnderEachOfItsNames) {
  const testing::ScratchDirectory scratch;
  const Path pipe = scratch / "pipe", link = scratch / "link", spelled = scratch / "." / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", link);
  std::jthread writer([&] { EXPECT_TRUE(write_file(pipe, std::string_view("through"))); });
  for (const Path& name : {pipe, link, spelled}) EXPECT_EQ(text_of(map_file(name)->bytes()), "through") << name;
  // Another pipe of the name, even if the system gave it the number of the first one.
  writer.join();
  fs::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread other([&] { EXPECT_TRUE(write_file(pipe, std::string_view("other"))); });
  EXPECT_EQ(*read_text(pipe), "other");
}

// Reading a part of them takes a second and a gigabyte, for each name if it is not known that they are one device.
TEST(Files, DevicesWithoutEndAreNotRead) {
  const testing::ScratchDirectory scratch;
  const Path link = scratch / "link";
  fs::create_symlink("/dev/zero", link);
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  for (const Path& name : {Path("/dev/zero"), Path("/dev/./zero"), link, Path("/dev/full"), Path("/dev/urandom")}) {
    const auto mapped = map_file(name);
    ASSERT_FALSE(mapped) << name;
    EXPECT_EQ(mapped.error().front().message,
              name.string() + " does not end; at most 1073741824 bytes are read from a pipe or device");
    EXPECT_FALSE(read_text(name));
  }
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10);  // KiB
  EXPECT_EQ(map_file("/dev/null")->bytes().size(), 0U);
}

TEST(Files, SmallFilesAreNotLargeOnesPipesOrDevices) {
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "file", pipe = scratch / "pipe";
  ASSERT_TRUE(write_file(file, std::string_view("12345")));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_small_file(file, 5).value(), "12345");
  for (const Path& name : {file, pipe, Path("/dev/null"), Path(scratch / "")}) {
    const auto read = read_small_file(name, 4);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().front().message, name.string() + " is not a file of at most 4 bytes");
  }
  EXPECT_EQ(read_small_file(scratch / "none", 4).error().front().kind, DiagnosticKind::FileNotFound);
}

TEST(Files, APipeMayHaveASlowWriterButMustHaveOne) {
  const testing::ScratchDirectory scratch;
  const Path slow = scratch / "slow", none = scratch / "none", empty = scratch / "empty";
  for (const Path& pipe : {slow, none, empty}) ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] {
    ::usleep(120'000);
    const int file = ::open(slow.c_str(), O_WRONLY);
    ::usleep(120'000);
    EXPECT_EQ(::write(file, "late", 4), 4);
    ::close(file);
    ::close(::open(empty.c_str(), O_WRONLY));
  });
  EXPECT_EQ(*read_text(slow), "late");
  EXPECT_EQ(*read_text(empty), "");
  const Result<std::string> text = read_text(none);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().front().message,
            "no program has opened the pipe " + none.string() + " for writing within 5 seconds");
}

TEST(Files, APipeMayHaveASlowReaderButMustHaveOne) {
  const testing::ScratchDirectory scratch;
  const Path slow = scratch / "slow", none = scratch / "none";
  for (const Path& pipe : {slow, none}) ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string large(1 << 20, 'x');  // more than a pipe has space for
  std::string received;
  {
    std::jthread reader([&] {
      ::usleep(120'000);
      received = *read_text(slow);
    });
    EXPECT_TRUE(write_file(slow, large));
  }
  EXPECT_EQ(received, large);
  const Result<> written = write_file(none, std::string_view("x"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().front().kind, DiagnosticKind::FileUnwritable);
  EXPECT_EQ(written.error().front().message,
            "no program has opened the pipe " + none.string() + " for reading within 5 seconds");
}

TEST(Files, NamesWithNul) {
  const testing::ScratchDirectory scratch;
  const Path path = scratch / std::string("a\0b", 3);
  EXPECT_EQ(map_file(path).error()[0].kind, DiagnosticKind::FileUnreadable);
  EXPECT_EQ(read_text(path).error()[0].kind, DiagnosticKind::FileUnreadable);
  EXPECT_EQ(write_file(path, std::string_view("x")).error()[0].kind, DiagnosticKind::FileUnwritable);
  EXPECT_EQ(entries(scratch.path()), 0u);
}

TEST(Files, AMappedFileThatBecomesShorter) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "in", std::string_view(std::string(1 << 20, 'x'))));
  const pid_t child = fork();
  if (child == 0) {
    survive_shrunk_files();
    const auto file = map_file(scratch / "in");
    if (::truncate((scratch / "in").c_str(), 10) != 0 || shrunk_file()) _exit(2);
    if (file->bytes()[1 << 19] != std::byte{0}) _exit(3);
    if (shrunk_file() != (scratch / "in").string()) _exit(4);
    _exit(write_file(scratch / "out", std::string_view("wrong")) || file_exists(scratch / "out") ? 5 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Parallel, AnExceptionIsThrownAgain) {
  std::atomic<int> calls = 0;
  const auto work = [&](std::size_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(parallel_for(1000, work), std::runtime_error);
  EXPECT_GE(calls, 1);
}

TEST(LineFile, CompletesOrRemovesALastLineWithoutABreak) {
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "lines";
  const auto continued = [&](std::string_view before, const auto& is_complete) {
    EXPECT_TRUE(write_file(file, before));
    EXPECT_TRUE(LineFile::open(file, false, is_complete)->write("new"));
    return read_text(file).value();
  };
  const auto ends = [](std::string_view line) { return line.ends_with('}'); };
  EXPECT_EQ(continued("{1}", ends), "{1}\nnew\n");
  EXPECT_EQ(continued("{1}\n{2", ends), "{1}\nnew\n");
  EXPECT_EQ(continued("{1}\n{2}", ends), "{1}\n{2}\nnew\n");
  EXPECT_EQ(continued("{1}\n", ends), "{1}\nnew\n");
}

TEST(LineFile, DoesNotChangeAnInputThroughAnotherName) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "input", std::string_view("x")));
  fs::create_hard_link(scratch / "input", scratch / "results");
  const InputScope scope;
  protect_inputs();
  protect_input(scratch / "input");
  const Result<LineFile> opened = LineFile::open(scratch / "results", true);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().front().kind, DiagnosticKind::OutputConflict);
  EXPECT_EQ(read_text(scratch / "input").value(), "x");
}

TEST(Directories, FilesByName) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "b", std::string_view("1")));
  ASSERT_TRUE(write_file(scratch / "a", std::string_view("2")));
  ASSERT_TRUE(make_directories(scratch / "c"));
  EXPECT_EQ(files_in(scratch.path()), (std::vector<Path>{scratch / "a", scratch / "b"}));
  EXPECT_TRUE(files_in(scratch / "nothing").empty());
}

// A pipe is copied, a file is rewound; in both cases the next reader reads all of it.
TEST(StandardInput, CanBePeekedAt) {
  const testing::ScratchDirectory scratch;
  const int original = ::dup(STDIN_FILENO);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  for (int i = 0; i < 2; ++i) {
    const Result<std::vector<std::byte>> peeked = peek_standard_input();
    ASSERT_TRUE(peeked);
    EXPECT_EQ(text_of(*peeked), "piped");
  }
  EXPECT_EQ(read_text("-").value(), "piped");
  ASSERT_TRUE(write_file(scratch / "f", std::string_view("file")));
  const int file = ::open((scratch / "f").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  EXPECT_EQ(text_of(peek_standard_input().value()), "file");
  EXPECT_EQ(read_text("-").value(), "file");
  ::dup2(original, STDIN_FILENO);
  ::close(original);
}

TEST(Cache, FindsWhatWasStoredAndNothingDamaged) {
  const testing::ScratchDirectory scratch;
  const Cache cache(scratch / "objects");
  const std::string key = Cache::key({"a", "b"});
  EXPECT_EQ(key.size(), 64u);
  EXPECT_NE(key, Cache::key({"ab", ""}));
  EXPECT_EQ(cache.find(key), std::nullopt);
  cache.store(key, bytes_of("value"));
  EXPECT_EQ(text_of(*cache.find(key)), "value");
  std::string raw = *read_text(cache.directory() / key);
  raw.back() ^= 1;
  ASSERT_TRUE(write_file(cache.directory() / key, std::string_view(raw)));
  EXPECT_EQ(cache.find(key), std::nullopt);
  ASSERT_TRUE(write_file(cache.directory() / key, std::string_view("short")));
  EXPECT_EQ(cache.find(key), std::nullopt);
  // An entry under the name of another one.
  const std::string other = Cache::key({"c"});
  cache.store(other, bytes_of("other value"));
  fs::copy_file(cache.directory() / other, cache.directory() / key, fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache.find(key), std::nullopt);
  const Cache none;
  none.store(key, bytes_of("value"));
  EXPECT_EQ(none.find(key), std::nullopt);
}

// Entries of others are found after one's own, and damaged ones are ignored.
TEST(Cache, ReadsSharedDirectories) {
  const testing::ScratchDirectory scratch;
  const Cache own(scratch / "own"), first(scratch / "a" / "objects"), second(scratch / "b" / "objects");
  const std::string key = Cache::key({"shared"});
  first.store(key, bytes_of("first"));
  second.store(key, bytes_of("second"));
  EXPECT_EQ(own.find(key), std::nullopt);
  const std::string list = "relative::/nowhere:" + (scratch / "a").string() + ":" + (scratch / "b").string();
  platform::set_environment("SLIPWAY_CACHE_PATH", list);
  EXPECT_EQ(text_of(*own.find(key)), "first");
  EXPECT_FALSE(file_exists(own.directory() / key));
  ASSERT_TRUE(write_file(first.directory() / key, std::string_view("damaged")));
  EXPECT_EQ(text_of(*own.find(key)), "second");
  EXPECT_EQ(read_text(first.directory() / key), "damaged");
  own.store(key, bytes_of("own"));
  EXPECT_EQ(text_of(*own.find(key)), "own");
  EXPECT_EQ(Cache().find(key), std::nullopt);
  platform::remove_environment("SLIPWAY_CACHE_PATH");
  EXPECT_EQ(text_of(*own.find(key)), "own");
}

TEST(Cache, OfTheUser) {
  platform::set_environment("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(Cache::of_user().directory(), "/x/slipway/objects");
  platform::set_environment("HOME", "/h");
  platform::set_environment("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(Cache::of_user().directory(), "/h/.cache/slipway/objects");
  platform::remove_environment("XDG_CACHE_HOME");
  EXPECT_EQ(Cache::of_user().directory(), "/h/.cache/slipway/objects");
}

}  // namespace
}  // namespace slipway
