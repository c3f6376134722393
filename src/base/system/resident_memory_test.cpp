// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/resident_memory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <vector>

#include "base/system/files.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

// Contents stay the same; the ends need not be on page boundaries.
TEST(ResidentMemory, PagesKeepTheirContents) {
  const testing::ScratchDirectory scratch;
  std::vector<std::byte> bytes(1 << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 >> 3);
  ASSERT_TRUE(write_file(scratch / "file", Bytes(bytes)));
  const Result<MappedFile> file = map_file(scratch / "file");
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::ranges::equal(file->bytes(), bytes));
  release_mapped_pages(file->bytes().subspan(5, bytes.size() - 11));
  release_mapped_pages(file->bytes().first(3));
  release_mapped_pages({});
  release_freed_memory();
  EXPECT_TRUE(std::ranges::equal(file->bytes(), bytes));
}

// The memory of a pipe is not that of a file.
TEST(ResidentMemory, WhatIsReadFromAPipeStays) {
  const testing::ScratchDirectory scratch;
  const Path pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(1 << 20, 'x');
  std::thread writer([&] { std::ofstream(pipe) << text; });
  const Result<MappedFile> file = map_file(pipe);
  writer.join();
  ASSERT_TRUE(file);
  ASSERT_EQ(text_of(file->bytes()), text);
  release_mapped_pages(file->bytes());
  release_mapped_pages(file->bytes(), file->bytes());
  EXPECT_EQ(text_of(file->bytes()), text);
}

// What is not in the mapped file would lose its contents.
TEST(ResidentMemory, OnlyPagesOfTheMappedFileAreReleased) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(write_file(scratch / "file", Bytes(std::vector<std::byte>(1 << 16, std::byte{1}))));
  const Result<MappedFile> file = map_file(scratch / "file");
  ASSERT_TRUE(file);
  const std::vector<std::byte> expected(1 << 20, std::byte{2});
  const std::vector<std::byte> bytes(1 << 20, std::byte{2});
  release_mapped_pages(bytes, file->bytes());
  release_mapped_pages(bytes, {});
  release_mapped_pages({}, file->bytes());
  EXPECT_EQ(bytes, expected);
  release_mapped_pages(file->bytes(), file->bytes());
  EXPECT_TRUE(std::ranges::all_of(file->bytes(), [](std::byte byte) { return byte == std::byte{1}; }));
}

}  // namespace
}  // namespace slipway
