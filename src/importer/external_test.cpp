// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/external.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "importer/onnx/testing.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::importer {
namespace {

namespace fs = std::filesystem;
using onnx::Proto;

struct ExternalDataTest : ::testing::Test {
  testing::ScratchDirectory scratch;
  Path directory = scratch / "model";

  void SetUp() override {
    fs::create_directory(directory);
    const std::vector<float> weights = {1, 2, 3, 4};
    ASSERT_TRUE(write_file(directory / "w.bin", std::as_bytes(std::span(weights))));
    ASSERT_TRUE(write_file(scratch / "secret", std::as_bytes(std::span(weights))));
  }

  using Entries = std::vector<std::pair<std::string, std::string>>;

  // An initializer of two floats with these entries: its value, or the messages.
  std::string read(const Entries& entries, bool follow_links = false) {
    return read(entries, {.directory = directory, .follow_links = follow_links});
  }
  std::string read(const Entries& entries, const ReadOptions& options) {
    Proto tensor = onnx::tensor("w", 1, {2}).varint(14, 1);
    for (const auto& [key, value] : entries) tensor.message(13, Proto().text(1, key).text(2, value));
    const std::string file =
        onnx::model(onnx::GraphParts{.outputs = {onnx::value("w", 1, {2})}, .initializers = {tensor}});
    const onnx::ReadNet read = onnx::read(file, options);
    return read.net ? read.text().substr(std::string_view("g: -> w\n  w = ").size()) + read.messages()
                    : read.messages();
  }
};

TEST_F(ExternalDataTest, IsARangeOfAFile) {
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "8"}}), "float32 [2] {3, 4}\n");
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "4"}, {"length", "8"}, {"checksum", "0"}}), "float32 [2] {2, 3}\n");
  EXPECT_EQ(read({{"location", "w.bin"}, {"length", "8"}, {"basepath", "x"}}),
            "float32 [2] {1, 2}\nthe key `basepath` of `external_data` of initializer `w` is ignored [unknown-key]\n");
}

TEST_F(ExternalDataTest, OutlivesTheReader) {
  const Proto tensor =
      onnx::tensor("w", 1, {4}).varint(14, 1).message(13, Proto().text(1, "location").text(2, "w.bin"));
  const std::string file =
      onnx::model(onnx::GraphParts{.outputs = {onnx::value("w", 1, {4})}, .initializers = {tensor}});
  const onnx::ReadNet read = onnx::read(file, {.directory = directory});
  fs::remove(directory / "w.bin");
  EXPECT_EQ(read.net->main().values[0].constant->reals(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(ExternalDataTest, HasTheSizeOfTheTensor) {
  EXPECT_EQ(
      read({{"location", "w.bin"}}),
      "the range of `w.bin` of initializer `w` has 16 bytes, but its shape [2] of float32 needs 8 [file-format]\n");
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "12"}, {"length", "8"}}),
            "initializer `w` has 8 bytes from 12 of `w.bin`, which has 16 bytes [file-truncated]\n");
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "17"}}),
            "initializer `w` has the bytes from 17 of `w.bin`, which has 16 bytes [file-truncated]\n");
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "8"}, {"length", "18446744073709551615"}}),
            "initializer `w` has 18446744073709551615 bytes from 8 of `w.bin`, which has 16 bytes [file-truncated]\n");
}

TEST_F(ExternalDataTest, HasDecimalNumbers) {
  for (const std::string number : {"", " 8", "+8", "-8", "8 ", "0x8", "18446744073709551616"}) {
    EXPECT_EQ(read({{"location", "w.bin"}, {"offset", number}}),
              formatted("`offset` of initializer `w` is `{}`, which is not a decimal number of 64 bits [file-format]\n",
                        number));
  }
  EXPECT_EQ(read(Entries{}), "initializer `w` is in another file, but it has no `location` [file-format]\n");
}

TEST_F(ExternalDataTest, IsInTheDirectory) {
  for (const std::string location : {"../secret", "/etc/passwd", "a/../../secret", ".."}) {
    EXPECT_EQ(read({{"location", location}}, true),
              formatted("initializer `w` is in `{}`, which is outside the directory of the model [path-outside]\n",
                        location));
  }
  for (const std::string location : {"a\\b", "C:w.bin", "c:/w.bin"}) {
    EXPECT_EQ(read({{"location", location}}),
              formatted("initializer `w` is in `{}`, which is not a relative path [path-outside]\n", location));
  }
  EXPECT_EQ(read({{"location", std::string("w\0x", 3)}}),
            "initializer `w` is in `w\\0x`, which is not a relative path [path-outside]\n");
  EXPECT_EQ(read({{"location", "w.bin"}}, ReadOptions{}),
            "initializer `w` is in `w.bin`, but the model has no directory; `--data-dir` names one [path-outside]\n");
}

TEST_F(ExternalDataTest, FollowsLinksOnlyInTheDirectory) {
  fs::create_symlink("w.bin", directory / "inside");
  fs::create_symlink("../secret", directory / "outside");
  fs::create_symlink("/proc/self/mem", directory / "memory");
  EXPECT_EQ(read({{"location", "inside"}, {"length", "8"}}), "float32 [2] {1, 2}\n");
  for (const std::string location : {"outside", "memory"}) {
    EXPECT_EQ(
        read({{"location", location}}),
        formatted("initializer `w` is in `{}`, a link to a file outside the directory of the model; `--follow-links` "
                  "permits it [path-outside]\n",
                  location));
  }
  EXPECT_EQ(read({{"location", "outside"}, {"length", "8"}}, true), "float32 [2] {1, 2}\n");
}

TEST_F(ExternalDataTest, IsInARegularFile) {
  fs::create_directory(directory / "d");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const std::string location : {"d", "pipe"}) {
    EXPECT_EQ(read({{"location", location}}),
              formatted("initializer `w` is in `{}`, which is not a regular file [file-unreadable]\n", location));
  }
  EXPECT_EQ(read({{"location", "missing"}}),
            "initializer `w` is in `missing`, which cannot be opened: No such file or directory [file-not-found]\n");
}

TEST_F(ExternalDataTest, NotesHardLinks) {
  fs::create_hard_link(scratch / "secret", directory / "hard");
  EXPECT_EQ(read({{"location", "hard"}, {"length", "8"}}),
            "float32 [2] {1, 2}\ninitializer `w` is in `hard`, which has another name too [path-outside]\n");
}

TEST_F(ExternalDataTest, ReportsAFileOnce) {
  const Proto missing = Proto().text(1, "location").text(2, "missing");
  const std::string file =
      onnx::model(onnx::GraphParts{.outputs = {onnx::value("w", 1, {2})},
                                   .initializers = {onnx::tensor("w", 1, {2}).varint(14, 1).message(13, missing),
                                                    onnx::tensor("v", 1, {2}).varint(14, 1).message(13, missing)}});
  EXPECT_EQ(onnx::read(file, {.directory = directory}).messages(),
            "initializer `w` is in `missing`, which cannot be opened: No such file or directory [file-not-found]\n");
}

}  // namespace
}  // namespace slipway::importer
