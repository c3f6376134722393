// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files by their numbers and, below a directory that is open, by their names. Failures are numbers of <cerrno>.
//
// A file that is opened here is not inherited by processes that this one starts. A call that a signal interrupts is
// repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace slipway::platform {

using Path = std::filesystem::path;
inline constexpr int kStandardInput = 0, kStandardOutput = 1, kStandardError = 2;

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number = -1) : number_(number) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnedDescriptor();
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

template <class T>
using Opened = std::expected<T, int>;

// --- what a file is --------------------------------------------------------------------------------------------------

enum class FileKind : std::uint8_t { Regular, Directory, Link, Pipe, CharacterDevice, Other };
struct FileStatus {
  FileKind kind = FileKind::Other;
  std::uint64_t device = 0, inode = 0;  // together they name the file
  std::uint64_t size = 0, links = 1;    // links: its names
  std::uint64_t driver = 0;             // of a device: its number
  std::uint32_t owner = 0, group = 0;
  bool group_writes = false, all_write = false;
  bool is_sticky = false;  // a directory in which only owners may remove

  bool is_regular() const { return kind == FileKind::Regular; }
  bool is_directory() const { return kind == FileKind::Directory; }
  bool is_link() const { return kind == FileKind::Link; }
  bool is_same_file(const FileStatus& other) const { return device == other.device && inode == other.inode; }
};
// Of that to which links lead.
Opened<FileStatus> status_of(const Path& path);
Opened<FileStatus> status_of(int file);
// Of a link itself.
Opened<FileStatus> status_at(int directory, const std::string& name);
// A device that gives bytes without end.
bool has_no_end(const FileStatus& status);
std::uint32_t user_id();

// Whether a name means the file of this name, and nothing else: not a device, a stream of a file or another spelling.
bool is_plain_name(const Path& name);

// --- opening ---------------------------------------------------------------------------------------------------------

// Reading is the default. `Handle`: neither reads nor writes, so that no device acts and no pipe waits.
enum OpenFlag : unsigned {
  kRead = 0,
  kWrite = 1 << 0,
  kReadWrite = 1 << 1,
  kAppend = 1 << 2,
  kCreate = 1 << 3,
  kNew = 1 << 4,  // and it must not exist
  kNoFollow = 1 << 5,
  kNoWait = 1 << 6,
  kNoTerminal = 1 << 7,  // which would become that of the process
  kHandle = 1 << 8,
  kDirectory = 1 << 9,
  kNameless = 1 << 10,  // a new file, in this directory, which goes when it is closed
};
inline constexpr int kCurrentDirectory = -100;
Opened<OwnedDescriptor> open_at(int directory, const Path& name, unsigned flags);
inline Opened<OwnedDescriptor> open_file(const Path& path, unsigned flags) {
  return open_at(kCurrentDirectory, path, flags);
}
// The same where the system itself keeps the name below the directory; EXDEV for a name that leads out, ENOSYS where it
// cannot.
Opened<OwnedDescriptor> open_below(int directory, const Path& name, unsigned flags);
// The same file once more.
Opened<OwnedDescriptor> reopen(int file, unsigned flags);
// A file in memory; and what makes it the file of another number.
Opened<OwnedDescriptor> open_memory(const char* name);
int duplicate(int file, int as);
// Whether the names in the directory are the open files of processes, which are links without a target.
bool holds_open_files(int directory);

// --- names. These return the number of the error, or 0. --------------------------------------------------------------

Opened<Path> target_of_link(int directory, const std::string& name);
int make_directory(int directory, const Path& name);
int make_private_directory(const Path& path);
// Replaces the X at the end of a pattern.
Opened<Path> make_temporary_directory(const Path& pattern);
int remove_name(int directory, const std::string& name);
int rename_in(int directory, const std::string& from, const std::string& to);
int give_name(int file, int directory, const std::string& name);  // to a nameless file

// --- contents --------------------------------------------------------------------------------------------------------

Opened<std::size_t> read_some(int file, std::span<std::byte> to);  // 0: the end
Opened<std::size_t> read_at(int file, std::span<std::byte> to, std::uint64_t offset);
Opened<std::size_t> write_some(int file, std::span<const std::byte> bytes);
int write_all(int file, std::span<const std::byte> bytes);
Opened<std::uint64_t> size_by_seeking(int file);  // the next byte is written there
Opened<std::uint64_t> position_of(int file);      // fails for what is not a file
int go_to(int file, std::uint64_t position);
int truncate(int file, std::uint64_t size);
int flush_to_disk(int file, bool with_names);
int wait_from_now_on(int file);  // takes back kNoWait
int close_file(int file);

}  // namespace slipway::platform
