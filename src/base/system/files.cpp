// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/shrunk_files.hpp"
#include "base/system/streams.hpp"
#include "base/text/control_characters.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> unwritable(const Path& path, int error) {
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
              formatted("cannot write {}: {}", path.string(), error_text(error)));
}

// Outputs that are open at the same time. The files of further ones are opened for each write.
constexpr int kMaxOpenOutputs = 64;
std::atomic<int> open_outputs = 0;
// Of a hidden name that ends in the process id and a counter; file systems allow 255 bytes.
constexpr std::size_t kMaxHiddenName = 200;

bool has_nul(const Path& path) { return path.native().contains('\0'); }

// The system would take the part of a name before a NUL.
std::unexpected<Failure> nul_in_name(DiagnosticKind kind, const Path& path) {
  std::string shown = path.string();
  for (std::size_t at = 0; (at = shown.find('\0', at)) != shown.npos;) shown.replace(at, 1, "\\0");
  return fail(kind, SourceLocation::in_file(shown), formatted("the name {} contains a NUL character", shown));
}

// Whether outputs are on the disk, and not only in the memory of the system, when they have their names. Off unless it
// is asked for: it takes a few milliseconds for each file.
bool survives_power_failures() {
  static const bool asked = [] {
    const char* const value = std::getenv("SLIPWAY_FSYNC");
    return value && std::string_view(value) == "1";
  }();
  return asked;
}

Result<> flush_to_disk(int file, const Path& path) {
  if (survives_power_failures() && ::fdatasync(file) != 0 && errno != EINVAL) return unwritable(path, errno);
  return {};
}

// A name is on the disk when its directory is.
void flush_directory(int directory) {
  if (survives_power_failures()) ::fsync(directory);
}

std::string hidden_name(std::string_view name, std::string_view suffix) {
  static std::atomic<unsigned> counter = 0;
  return formatted(".{}.{}.{}{}", name.substr(0, kMaxHiddenName), ::getpid(), counter++, suffix);
}

// Opens a file for reading, through the links that may be followed (paths/place.hpp).
OwnedDescriptor open_input(const Path& path, int& error) {
  const auto place = place_of(path, {.keep_open_files = true});
  error = place ? 0 : place.error();
  if (!place) return OwnedDescriptor(-1);
  OwnedDescriptor file(::openat(place->directory->number(), place->name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) error = errno;
  return file;
}

Result<> write_all(int file, Bytes bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unwritable(path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

// A device, a pipe, or a file that is a standard stream of this process: it is written to, not replaced.
bool is_written_in_place(const Path& path) {
  struct stat status{}, stream{};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (!S_ISREG(status.st_mode)) return !S_ISDIR(status.st_mode);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::fstat(number, &stream) == 0 && stream.st_dev == status.st_dev && stream.st_ino == status.st_ino) return true;
  }
  return false;
}

Result<> write_pipe(const Path& path, Bytes bytes) {
  for (int waited = 0;; waited += kPipePeriod) {
    const OwnedDescriptor pipe(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (pipe.number() >= 0) {
      ::fcntl(pipe.number(), F_SETFL, 0);  // from now on a write waits for the reader
      return write_all(pipe.number(), bytes, path);
    }
    if (errno != ENXIO) return unwritable(path, errno);
    if (waited >= kMaxPipeWait) break;
    ::poll(nullptr, 0, kPipePeriod);
  }
  return fail(
      DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
      formatted("no program has opened the pipe {} for reading within {} seconds", path.string(), kMaxPipeWait / 1000));
}

Result<> write_in_place(const Path& path, Bytes bytes) {
  struct stat status{}, stream{};
  if (::stat(path.c_str(), &status) != 0) return unwritable(path, errno);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::fstat(number, &stream) != 0 || stream.st_dev != status.st_dev || stream.st_ino != status.st_ino) continue;
    std::fflush(number == STDOUT_FILENO ? stdout : stderr);
    return write_all(number, bytes, path);
  }
  if (S_ISFIFO(status.st_mode)) return write_pipe(path, bytes);
  const OwnedDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) return unwritable(path, errno);
  return write_all(file.number(), bytes, path);
}

}  // namespace

Path directory_of(const Path& file) { return file.has_parent_path() ? file.parent_path() : Path("."); }

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  forget_mapping(bytes_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::copy_out(Bytes part, MutableBytes to) const {
  constexpr std::size_t kChunk = std::size_t{4} << 20, kPage = 4096;
  // The whole pages of a part, all of which are in the file's mapping or in memory of the caller. Advice may fail.
  const auto advise = [](Bytes bytes, int advice) {
    const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + kPage - 1) / kPage * kPage;
    const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / kPage * kPage;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
  };
  for (std::size_t at = 0; at < part.size(); at += kChunk) {
    const Bytes chunk = part.subspan(at, std::min(kChunk, part.size() - at));
    const MutableBytes target = to.subspan(at, chunk.size());
#ifdef MADV_POPULATE_READ  // one call instead of an exception for each page
    advise(chunk, MADV_POPULATE_READ);
    advise(target, MADV_POPULATE_WRITE);
#endif
    std::memcpy(target.data(), chunk.data(), chunk.size());
    advise(chunk, MADV_DONTNEED);
  }
}

Result<MappedFile> map_file(const Path& path) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnreadable, path);
  struct stat before{};
  if (::stat(path.c_str(), &before) == 0 && is_stream(before)) {
    SLIPWAY_TRY(const Bytes bytes, read_stream(path, before));
    MappedFile copy;
    if (bytes.empty()) return copy;
    void* address = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return unreadable(path, errno);
    std::memcpy(address, bytes.data(), bytes.size());
    copy.bytes_ = {static_cast<const std::byte*>(address), bytes.size()};
    return copy;
  }
  int error = 0;
  const OwnedDescriptor file = open_input(path, error);
  if (file.number() < 0) return unreadable(path, error);
  return map_descriptor(file.number(), path);
}

Result<MappedFile> map_descriptor(int file, const Path& path) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return unreadable(path, errno);
  if (!S_ISREG(status.st_mode)) return unreadable(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  MappedFile mapped;
  if (status.st_size == 0) return mapped;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) return unreadable(path, errno);
  mapped.bytes_ = {static_cast<const std::byte*>(address), size};
  remember_mapping(mapped.bytes_, path.string());
  return mapped;
}

Result<std::string> read_text(const Path& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input", kMaxStream);
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnreadable, path);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && is_stream(status)) {
    return read_stream(path, status).transform([](Bytes bytes) { return std::string(text_of(bytes)); });
  }
  int error = 0;
  const OwnedDescriptor file = open_input(path, error);
  if (file.number() < 0) return unreadable(path, error);
  return read_all(file.number(), path, SIZE_MAX);
}

Result<SourcePtr> read_source(const Path& path, std::string name) {
  SLIPWAY_TRY(std::string text, read_text(path));
  if (name.empty()) name = path == "-" ? "<stdin>" : path.string();
  return make_source(std::move(name), std::move(text));
}

Result<std::vector<std::byte>> peek_standard_input() {
  const off_t begin = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  SLIPWAY_TRY(const std::string text, read_text("-"));
  if (begin >= 0) {
    ::lseek(STDIN_FILENO, begin, SEEK_SET);
  } else {
    const OwnedDescriptor copy(::memfd_create("standard input", MFD_CLOEXEC));
    std::string_view rest = text;
    while (copy.number() >= 0 && !rest.empty()) {
      const ssize_t count = ::write(copy.number(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) break;
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (copy.number() < 0 || !rest.empty() || ::lseek(copy.number(), 0, SEEK_SET) != 0 ||
        ::dup2(copy.number(), STDIN_FILENO) < 0)
      return unreadable("standard input", errno);
  }
  const Bytes bytes = bytes_of(text);
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::string extension_of(const Path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

bool file_exists(const Path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool directory_exists(const Path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<Path> files_in(const Path& directory) {
  std::error_code error;
  std::vector<Path> files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Path> files_below(const Path& directory) {
  std::error_code error;
  std::vector<Path> files;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(directory, kOptions, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

Result<LineFile> LineFile::open(const Path& path, bool anew,
                                const std::function<bool(std::string_view line)>& is_complete) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnwritable, path);
  SLIPWAY_TRY_VOID(check_output(path));
  const auto place = place_of(path, {.make_directories = true});
  if (!place) return unwritable(path, place.error());
  const int number = ::openat(place->directory->number(), place->name.c_str(),
                              O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (number < 0) return unwritable(path, errno);
  LineFile file(path, number);
  if (!may_change(*place, number)) return unwritable(path, kForeignFile);
  SLIPWAY_TRY_VOID(check_changed(number, path));
  if (anew) return ::ftruncate(number, 0) == 0 ? Result<LineFile>(std::move(file)) : unwritable(path, errno);
  // Completes or removes an incomplete last line.
  const off_t size = ::lseek(number, 0, SEEK_END);
  off_t end = size;
  for (char last = 0; end > 0; --end) {
    if (::pread(number, &last, 1, end - 1) != 1 || last == '\n') break;
  }
  if (end >= size) return file;
  std::string line(static_cast<std::size_t>(size - end), '\0');
  const bool is_read = ::pread(number, line.data(), line.size(), end) == static_cast<ssize_t>(line.size());
  if (is_read && is_complete && is_complete(line))
    return write_all(number, bytes_of("\n"), path).transform([&] { return std::move(file); });
  if (::ftruncate(number, end) != 0) return unwritable(path, errno);
  return file;
}

LineFile::~LineFile() {
  if (file_ >= 0) ::close(file_);
}

Result<> LineFile::write(std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unwritable(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return flush_to_disk(file_, path_);
}

Result<> make_directories(const Path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return unwritable(path, error.value());
  return {};
}

OutputFile::OutputFile(Path path, Place place, std::string temporary, int file)
    : path_(std::move(path)),
      directory_(std::move(place.directory)),
      name_(std::move(place.name)),
      temporary_(std::move(temporary)),
      file_(file) {}

Result<OutputFile> OutputFile::create(const Path& path) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnwritable, path);
  SLIPWAY_TRY_VOID(check_output(path));
  if (is_written_in_place(path)) {
    // A pipe may be a trap.
    if (const auto place = place_of(path, {.keep_open_files = true}); !place) {
      return unwritable(path, place.error());
    } else if (const OwnedDescriptor file(
                   ::openat(place->directory->number(), place->name.c_str(), O_PATH | O_CLOEXEC));
               file.number() >= 0 && !may_change(*place, file.number())) {
      return unwritable(path, kForeignFile);
    }
    // Collected in memory: `commit` writes it.
    const int file = ::memfd_create("output", MFD_CLOEXEC);
    if (file < 0) return unwritable(path, errno);
    ++open_outputs;
    return OutputFile(path, {}, {}, file);
  }
  auto place = place_of(path, {.make_directories = true});
  if (!place) return unwritable(path, place.error());
  return create_at(path, *std::move(place));
}

Result<OutputFile> OutputFile::create_below(const Path& directory, const Path& path) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnwritable, path);
  SLIPWAY_TRY_VOID(check_output(path));
  auto place = place_below(directory, path);
  if (place) return create_at(path, *std::move(place));
  switch (place.error().fault) {
    case ConfinedFault::Outside:
    case ConfinedFault::Link:
      return fail(DiagnosticKind::PathOutside, SourceLocation::in_file(path.string()),
                  formatted("{} is outside of {}, or a link", path.string(), directory.string()));
    case ConfinedFault::NotRegular:
      return unwritable(path, EINVAL);
    case ConfinedFault::System:
      return unwritable(path, place.error().error);
  }
  std::unreachable();
}

Result<OutputFile> OutputFile::create_at(const Path& path, Place place) {
  const int directory = place.directory->number();
  struct stat status{};
  if (::fstatat(directory, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
    return unwritable(path, EISDIR);
  const bool many = open_outputs >= kMaxOpenOutputs;
#ifdef O_TMPFILE
  if (const int file = many ? -1 : ::openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666); file >= 0) {
    ++open_outputs;
    return OutputFile(path, std::move(place), {}, file);
  }
#endif
  // The file system has no nameless files, or many outputs are open: use a hidden name in the directory.
  std::string temporary = hidden_name(place.name, "");
  const int file = ::openat(directory, temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return unwritable(path, errno);
  if (many) {
    ::close(file);
    return OutputFile(path, std::move(place), std::move(temporary), -1);
  }
  ++open_outputs;
  return OutputFile(path, std::move(place), std::move(temporary), file);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) {
    ::close(file_);
    --open_outputs;
  }
  if (!temporary_.empty()) ::unlinkat(directory_->number(), temporary_.c_str(), 0);
}

Result<> OutputFile::write(Bytes bytes) {
  if (file_ >= 0) return write_all(file_, bytes, path_);
  const OwnedDescriptor file(
      ::openat(directory_->number(), temporary_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (file.number() < 0) return unwritable(path_, errno);
  return write_all(file.number(), bytes, path_);
}

Result<MappedFile> OutputFile::map() const {
  // Written files are open for writing only.
  const OwnedDescriptor file(
      temporary_.empty() ? ::open(formatted("/proc/self/fd/{}", file_).c_str(), O_RDONLY | O_CLOEXEC)
                         : ::openat(directory_->number(), temporary_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file.number() < 0) return unreadable(path_, errno);
  return map_descriptor(file.number(), path_);
}

Result<> OutputFile::commit() {
  if (const auto shrunk = shrunk_file()) {
    return fail(DiagnosticKind::FileTruncated, SourceLocation::in_file(*shrunk),
                formatted("{} became shorter while it was read; {} is not written", *shrunk, path_.string()));
  }
  if (!directory_) {
    SLIPWAY_TRY(const MappedFile contents, map());
    return write_in_place(path_, contents.bytes());
  }
  const int directory = directory_->number();
  if (file_ >= 0) {
    SLIPWAY_TRY_VOID(flush_to_disk(file_, path_));
  } else {
    const OwnedDescriptor file(::openat(directory, temporary_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.number() < 0) return unwritable(path_, errno);
    SLIPWAY_TRY_VOID(flush_to_disk(file.number(), path_));
  }
  if (temporary_.empty()) {
    std::string name = hidden_name(name_, ".new");
    const std::string self = formatted("/proc/self/fd/{}", file_);
    if (::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return unwritable(path_, errno);
    temporary_ = std::move(name);
  }
  if (::renameat(directory, temporary_.c_str(), directory, name_.c_str()) != 0) return unwritable(path_, errno);
  temporary_.clear();
  flush_directory(directory);
  if (file_ < 0) return {};
  --open_outputs;
  const int result = ::close(std::exchange(file_, -1));
  if (result != 0) return unwritable(path_, errno);
  return {};
}

Result<> write_file(const Path& path, Bytes bytes) {
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
      return unwritable("standard output", errno);
    }
    return {};
  }
  SLIPWAY_TRY(OutputFile file, OutputFile::create(path));
  SLIPWAY_TRY_VOID(file.write(bytes));
  return file.commit();
}

Result<> write_file(const Path& path, std::string_view text) {
  if (path == "-" && ::isatty(STDOUT_FILENO) != 0) return write_file(path, bytes_of(show_control_characters(text)));
  return write_file(path, bytes_of(text));
}

std::optional<FileKey> replaced_file(const Path& path) {
  if (path == "-" || has_nul(path) || is_written_in_place(path)) return std::nullopt;
  return key_of_name(path);
}

void remove_file(const Path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace slipway
