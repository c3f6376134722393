// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/streams.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "platform/channel.hpp"

namespace slipway {
namespace {

// Why a file cannot be read, whatever its path.
struct Fault {
  enum class Kind : std::uint8_t { System, Endless, NoWriter };
  Kind kind = Kind::System;
  int error = 0;  // System: an errno
};
using Read = std::expected<void, Fault>;

std::unexpected<Fault> system_fault(int error) { return std::unexpected(Fault{.error = error}); }

std::unexpected<Failure> failure_of(const Fault& fault, const Path& path, std::size_t limit) {
  const std::string name = path.string();
  const SourceLocation at = SourceLocation::in_file(name);
  switch (fault.kind) {
    case Fault::Kind::System:
      return unreadable(path, fault.error);
    case Fault::Kind::Endless:
      return fail(DiagnosticKind::FileUnreadable, at,
                  formatted("{} does not end; at most {} bytes are read from a pipe or device", name, limit));
    case Fault::Kind::NoWriter:
      return fail(
          DiagnosticKind::FileUnreadable, at,
          formatted("no program has opened the pipe {} for writing within {} seconds", name, kMaxPipeWait / 1000));
  }
  std::unreachable();
}

// Bytes that grow without being copied, however many they are: realloc moves the pages of large blocks.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  GrowingBytes(const GrowingBytes&) = delete;
  ~GrowingBytes() { std::free(bytes_); }

  Bytes bytes() const { return {bytes_, size_}; }
  // Space for `count` more; empty without memory.
  MutableBytes space(std::size_t count) {
    if (void* grown = std::realloc(bytes_, size_ + count)) {
      bytes_ = static_cast<std::byte*>(grown);
      return {bytes_ + size_, count};
    }
    return {};
  }
  void add(std::size_t count) { size_ += count; }
  void clear() {
    std::free(std::exchange(bytes_, nullptr));
    size_ = 0;
  }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

// Adds what follows in an open file. `into` has `space` and `add` as GrowingBytes.
Read read_rest(int file, std::size_t limit, auto& into) {
  constexpr std::size_t kMinStep = std::size_t{64} << 10, kMaxStep = std::size_t{64} << 20;
  for (;;) {
    const std::size_t size = into.bytes().size();
    const MutableBytes space = into.space(std::clamp(size, kMinStep, kMaxStep));
    if (space.empty()) return system_fault(ENOMEM);
    const auto count = platform::read_some(file, space);
    if (!count) return system_fault(count.error());
    if (*count == 0) return {};
    into.add(*count);
    if (into.bytes().size() > limit) return std::unexpected(Fault{.kind = Fault::Kind::Endless});
  }
}

// Waits until a program has opened a pipe for writing, for a limited time, and reads the first byte if it is there.
Read await_writer(int pipe, GrowingBytes& into) {
  platform::Watched watched[] = {{.file = pipe}};
  for (int waited = 0; platform::wait_for_any(watched, kPipePeriod) <= 0; waited += kPipePeriod) {
    // A pipe without data is at its end as long as it has no writer.
    const auto count = platform::read_some(pipe, into.space(1));
    if (count && *count > 0) into.add(1);
    if (!count || *count != 0) return {};
    if (waited >= kMaxPipeWait) return std::unexpected(Fault{.kind = Fault::Kind::NoWriter});
  }
  return {};
}

// A pipe or a device whose contents are kept.
class Stream {
 public:
  Result<Bytes> read(const Path& path, const platform::FileStatus& status) {
    if (!result_) {
      result_ = platform::has_no_end(status) ? std::unexpected(Fault{.kind = Fault::Kind::Endless})
                                             : read_once(path, status.kind == platform::FileKind::Pipe);
      if (!*result_) contents_.clear();
    }
    if (!*result_) return failure_of(result_->error(), path, kMaxStream);
    return contents_.bytes();
  }

 private:
  Read read_once(const Path& path, bool pipe) {
    auto opened = platform::open_file(path, platform::kNoTerminal | (pipe ? platform::kNoWait : 0u));
    if (!opened) return system_fault(opened.error());
    descriptor_ = *std::move(opened);
    Read result;
    if (pipe) {
      result = await_writer(descriptor_.number(), contents_);
      platform::wait_from_now_on(descriptor_.number());  // from now on a read waits for data
    }
    if (result) result = read_rest(descriptor_.number(), kMaxStream, contents_);
    keep_identity();
    return result;
  }

  // The system gives the number of a removed pipe to another file, unless the pipe is still open. It must not be open
  // for reading: its next writer waits for a reader.
  void keep_identity() {
    descriptor_ = platform::reopen(descriptor_.number(), platform::kHandle).value_or(OwnedDescriptor());
  }

  OwnedDescriptor descriptor_{-1};
  GrowingBytes contents_;
  std::optional<Read> result_;
};

class Streams {
 public:
  Result<Bytes> read(const Path& path, const platform::FileStatus& status) {
    const std::scoped_lock lock(mutex_);
    const bool pipe = status.kind == platform::FileKind::Pipe;
    return streams_[{pipe, pipe ? status.device : status.driver, pipe ? status.inode : 0}].read(path, status);
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<bool, std::uint64_t, std::uint64_t>, Stream> streams_;
};

// As GrowingBytes, of a text.
class GrowingText {
 public:
  Bytes bytes() const { return bytes_of(std::string_view(text_).substr(0, size_)); }
  MutableBytes space(std::size_t count) {
    text_.resize_and_overwrite(size_ + count, [&](char*, std::size_t size) { return size; });
    return std::as_writable_bytes(std::span(text_)).subspan(size_);
  }
  void add(std::size_t count) { size_ += count; }
  std::string take() {
    text_.resize(size_);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

}  // namespace

std::unexpected<Failure> unreadable(const Path& path, int error) {
  const auto kind = error == ENOENT || error == ENOTDIR ? DiagnosticKind::FileNotFound : DiagnosticKind::FileUnreadable;
  return fail(kind, SourceLocation::in_file(path.string()),
              formatted("Could not open file {}: {}", path.string(), error_text(error)));
}

Result<std::string> read_all(int file, const Path& path, std::size_t limit) {
  GrowingText text;
  if (const Read read = read_rest(file, limit, text); !read) return failure_of(read.error(), path, limit);
  return text.take();
}

bool is_stream(const platform::FileStatus& status) {
  return status.kind == platform::FileKind::Pipe || status.kind == platform::FileKind::CharacterDevice;
}

Result<std::string> read_small_file(const Path& path, std::size_t limit) {
  const auto is_small = [&](const platform::FileStatus& status) { return status.is_regular() && status.size <= limit; };
  const auto refused = [&] {
    return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file(path.string()),
                formatted("{} is not a file of at most {} bytes", path.string(), limit));
  };
  if (const auto status = platform::status_of(path); status && !is_small(*status)) return refused();
  const auto file = platform::open_file(path, platform::kNoTerminal | platform::kNoWait);
  if (!file) return unreadable(path, file.error());
  // It may be another file by now.
  if (const auto status = platform::status_of(file->number()); !status || !is_small(*status)) return refused();
  return read_all(file->number(), path, limit);
}

Result<Bytes> read_stream(const Path& path, const platform::FileStatus& status) {
  static auto& all = *new Streams;  // never destroyed: other threads may still read when main returns
  return all.read(path, status);
}

}  // namespace slipway
