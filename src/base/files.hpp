// The file system: the only code of the program that touches disk.
//
// Inputs are mapped. Outputs are written without a name (or under a temporary one) and get their own only when they are
// complete, so that a failed or killed run leaves no half file and an existing file stays as it was. Data is handed to
// the system, not forced to the disk: what is promised holds for a process that dies, not for a power cut.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway {

using Path = std::filesystem::path;

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

 private:
  friend Result<MappedFile> map_file(const Path& path);
  Bytes bytes_;
};

// Errors: file-not-found with the text "Could not open file PATH", file-unreadable.
Result<MappedFile> map_file(const Path& path);
Result<std::string> read_text(const Path& path);
// The text of a file as a source that is shown under `name` (the path itself when empty); `-` is standard input.
Result<SourcePtr> read_source(const Path& path, std::string name = {});

// All that is left of standard input, which can then be read again: a pipe is replaced by a copy in memory.
Result<std::vector<std::byte>> peek_standard_input();

bool file_exists(const Path& path);
bool directory_exists(const Path& path);
// The files in a directory by name, without those of its directories; empty if it cannot be read.
std::vector<Path> files_in(const Path& directory);

// An output file in the making. Destroying it without `commit` leaves the disk as it was.
class OutputFile {
 public:
  // Missing parent directories are made. Errors: file-unwritable.
  static Result<OutputFile> create(const Path& path);

  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, {})),
        file_(std::exchange(other.file_, -1)) {}
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Result<> write(Bytes bytes);
  Result<> write(std::string_view text) { return write(bytes_of(text)); }
  // Gives the file its name, replacing what was there.
  Result<> commit();

 private:
  OutputFile(Path path, Path temporary, int file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}
  Path path_;
  Path temporary_;  // empty while the file has no name at all
  int file_ = -1;
};

// All at once; `-` is standard output.
Result<> write_file(const Path& path, Bytes bytes);
Result<> write_file(const Path& path, std::string_view text);

Result<> make_directories(const Path& path);
void remove_file(const Path& path);  // no error when it is not there

// Whether `path`, with links followed as far as it exists, lies in `directory` or below. An empty one is the current
// directory.
bool is_inside(const Path& path, const Path& directory);

}  // namespace slipway
