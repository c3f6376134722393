// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

// Devices of Linux's memory driver that give bytes without end: zero, full, random, urandom, kmsg.
bool has_no_end(const struct stat& status) {
  constexpr unsigned kMemoryDriver = 1, kEndless[] = {5, 7, 8, 9, 11};
  return S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDriver &&
         std::ranges::contains(kEndless, minor(status.st_rdev));
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
    const ssize_t count = ::read(file, space.data(), space.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_fault(errno);
    if (count == 0) return {};
    into.add(static_cast<std::size_t>(count));
    if (into.bytes().size() > limit) return std::unexpected(Fault{.kind = Fault::Kind::Endless});
  }
}

// Waits until a program has opened a pipe for writing, for a limited time, and reads the first byte if it is there.
Read await_writer(int pipe, GrowingBytes& into) {
  pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
  for (int waited = 0; ::poll(&ready, 1, kPipePeriod) <= 0; waited += kPipePeriod) {
    // A pipe without data is at its end as long as it has no writer.
    const ssize_t count = ::read(pipe, into.space(1).data(), 1);
    if (count > 0) into.add(1);
    if (count != 0) return {};
    if (waited >= kMaxPipeWait) return std::unexpected(Fault{.kind = Fault::Kind::NoWriter});
  }
  return {};
}

// A pipe or a device whose contents are kept.
class Stream {
 public:
  Result<Bytes> read(const Path& path, const struct stat& status) {
    if (!result_) {
      result_ = has_no_end(status) ? std::unexpected(Fault{.kind = Fault::Kind::Endless})
                                   : read_once(path, S_ISFIFO(status.st_mode));
      if (!*result_) contents_.clear();
    }
    if (!*result_) return failure_of(result_->error(), path, kMaxStream);
    return contents_.bytes();
  }

 private:
  Read read_once(const Path& path, bool pipe) {
    descriptor_ = OwnedDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (pipe ? O_NONBLOCK : 0)));
    if (descriptor_.number() < 0) return system_fault(errno);
    Read result;
    if (pipe) {
      result = await_writer(descriptor_.number(), contents_);
      ::fcntl(descriptor_.number(), F_SETFL, 0);  // from now on a read waits for data
    }
    if (result) result = read_rest(descriptor_.number(), kMaxStream, contents_);
    keep_identity();
    return result;
  }

  // The system gives the number of a removed pipe to another file, unless the pipe is still open. It must not be open
  // for reading: its next writer waits for a reader.
  void keep_identity() {
    const std::string self = formatted("/proc/self/fd/{}", descriptor_.number());
    descriptor_ = OwnedDescriptor(::open(self.c_str(), O_PATH | O_CLOEXEC));
  }

  OwnedDescriptor descriptor_{-1};
  GrowingBytes contents_;
  std::optional<Read> result_;
};

class Streams {
 public:
  Result<Bytes> read(const Path& path, const struct stat& status) {
    const std::scoped_lock lock(mutex_);
    const bool pipe = S_ISFIFO(status.st_mode);
    return streams_[{pipe, pipe ? status.st_dev : status.st_rdev, pipe ? status.st_ino : 0}].read(path, status);
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<bool, dev_t, ino_t>, Stream> streams_;
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

bool is_stream(const struct stat& status) { return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode); }

Result<std::string> read_small_file(const Path& path, std::size_t limit) {
  const auto is_small = [&](const struct stat& status) {
    return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) <= limit;
  };
  const auto refused = [&] {
    return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file(path.string()),
                formatted("{} is not a file of at most {} bytes", path.string(), limit));
  };
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !is_small(status)) return refused();
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.number() < 0) return unreadable(path, errno);
  // It may be another file by now.
  if (::fstat(file.number(), &status) != 0 || !is_small(status)) return refused();
  return read_all(file.number(), path, limit);
}

Result<Bytes> read_stream(const Path& path, const struct stat& status) {
  static auto& all = *new Streams;  // never destroyed: other threads may still read when main returns
  return all.read(path, status);
}

}  // namespace slipway
