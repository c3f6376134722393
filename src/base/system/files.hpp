// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to the file system. No other module opens files.
//
// Inputs are mapped. An output has no name, or a temporary one, until it is complete. A run that fails or is killed
// therefore leaves no partial file, and a file that exists is replaced as a whole or not at all. This holds if the
// process dies; if the machine loses power, only with SLIPWAY_FSYNC=1, which flushes data to the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway {

using Path = std::filesystem::path;
// Of a file; `.` where its path has none.
Path directory_of(const Path& file);

// With its dot, in lower case: extensions are compared without regard to case.
std::string extension_of(const Path& path);

// A file mapped for reading. An empty file has empty bytes.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  // Copies a part of the file to memory of the same size. The pages of the part leave this process, not the cache of
  // the system: a copy of a large file does not take its size twice.
  void copy_out(Bytes part, MutableBytes to) const;

 private:
  friend Result<MappedFile> map_file(const Path& path);
  friend Result<MappedFile> map_descriptor(int file, const Path& path);
  Bytes bytes_;
};

// Errors: file-not-found with the text "Could not open file PATH", file-unreadable.
Result<MappedFile> map_file(const Path& path);
// Of a regular file that is open. `path`: for messages.
Result<MappedFile> map_descriptor(int file, const Path& path);
Result<std::string> read_text(const Path& path);
// The text of a file as a source; messages call it `name`, or the path if that is empty. `-` is standard input.
Result<SourcePtr> read_source(const Path& path, std::string name = {});

// The rest of standard input, which can be read again afterwards: a pipe is replaced by a copy in memory.
Result<std::vector<std::byte>> peek_standard_input();

bool file_exists(const Path& path);
bool directory_exists(const Path& path);
// The regular files in a directory, sorted by name, without those of subdirectories; empty if it cannot be read.
std::vector<Path> files_in(const Path& directory);

// The regular files in a directory and below it, sorted by path. Links to directories are not followed. `unread` gets
// each directory that cannot be read to its end, and the reason.
using UnreadDirectory = std::function<void(const Path& directory, const std::string& why)>;
std::vector<Path> files_below(const Path& directory, const UnreadDirectory& unread = {});

// A file that grows by whole lines. Each line is one write, so that a process that dies leaves complete lines, except
// perhaps the last one.
class LineFile {
 public:
  // Creates missing parent directories. Continues an existing file after its last complete line, or, with `anew`,
  // replaces its contents. A last line without a line break is removed, unless `is_complete` accepts it. Errors:
  // file-unwritable; output-conflict, also through another name of an input.
  static Result<LineFile> open(const Path& path, bool anew,
                               const std::function<bool(std::string_view line)>& is_complete = {});

  LineFile(LineFile&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  Result<> write(std::string line);  // without its line break

 private:
  LineFile(Path path, int file) : path_(std::move(path)), file_(file) {}
  Path path_;
  int file_ = -1;
};

namespace platform {
class OwnedDescriptor;
}
struct Place;

// An output file that is being written. It is discarded unless `commit` is called.
class OutputFile {
 public:
  // Creates missing parent directories. Errors: file-unwritable.
  static Result<OutputFile> create(const Path& path);
  // The same for a path that an untrusted file gives, and that begins with the directory. Errors also: path-outside.
  static Result<OutputFile> create_below(const Path& directory, const Path& path);

  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)),
        directory_(std::move(other.directory_)),
        name_(std::move(other.name_)),
        temporary_(std::exchange(other.temporary_, {})),
        file_(std::exchange(other.file_, -1)) {}
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Result<> write(Bytes bytes);
  Result<> write(std::string_view text) { return write(bytes_of(text)); }
  // The bytes that were written so far.
  Result<MappedFile> map() const;
  // Gives the file its name and replaces an existing file.
  Result<> commit();

 private:
  OutputFile(Path path, Place place, std::string temporary, int file);
  static Result<OutputFile> create_at(const Path& path, Place place);

  Path path_;                                                   // for messages
  std::shared_ptr<const platform::OwnedDescriptor> directory_;  // null: the file is written in place
  std::string name_;                                            // in the directory
  std::string temporary_;                                       // there; empty while the file has no name at all
  int file_ = -1;
};

// Writes a whole file; `-` is standard output. If that is a terminal, it shows the control characters of text.
Result<> write_file(const Path& path, Bytes bytes);
Result<> write_file(const Path& path, std::string_view text);
// As OutputFile::create_below.
Result<> write_file_below(const Path& directory, const Path& path, Bytes bytes);

Result<> make_directories(const Path& path);
void remove_file(const Path& path);  // no error if it does not exist

}  // namespace slipway
