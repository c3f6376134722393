// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipes and devices as inputs. They can be read only once, while the program reads an input several times: to detect
// its format, then to read it. So what they gave is kept, whatever the path by which it is named.
//
// For files.hpp; other modules use that.
#pragma once

#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "platform/file.hpp"

namespace slipway {

// What a pipe or a device may give: more is not an input but one that does not end.
inline constexpr std::size_t kMaxStream = std::size_t{1} << 30;
// Milliseconds, while no other program has opened a pipe.
inline constexpr int kPipePeriod = 50, kMaxPipeWait = 5000;

// The diagnostic about a file that cannot be opened or read.
std::unexpected<Failure> unreadable(const std::filesystem::path& path, int error);

// All that follows in an open file. Errors: file-unreadable, also for more than `limit` bytes.
Result<std::string> read_all(int file, const std::filesystem::path& path, std::size_t limit);

// Whether a path with this status is a pipe or a character device.
bool is_stream(const platform::FileStatus& status);

// What a pipe or a device gives to its end; `status` is that of the path. The bytes are valid until the process ends.
// Errors: file-not-found, file-unreadable (it does not end, or no program opens a pipe for writing). A device that is
// known to have no end is not read. The first failure is remembered.
Result<Bytes> read_stream(const std::filesystem::path& path, const platform::FileStatus& status);

// The text of a file of at most `limit` bytes, for a program that must not wait: pipes and devices are not opened.
// Errors: file-not-found, file-unreadable.
Result<std::string> read_small_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace slipway
