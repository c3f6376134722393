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
#include "base/system/protected_inputs.hpp"
#include "base/system/shrunk_files.hpp"
#include "base/system/streams.hpp"
#include "base/text/control_characters.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> unwritable(const Path& path, int error) {
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
              formatted("cannot write {}: {}", path.string(), std::strerror(error)));
}

struct FileDescriptor {
  int number = -1;
  explicit FileDescriptor(int fd) : number(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number >= 0) ::close(number);
  }
};

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
void flush_directory(const Path& file) {
  if (!survives_power_failures()) return;
  const FileDescriptor directory(::open(directory_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number >= 0) ::fsync(directory.number);
}

Path hidden_name(const Path& path, std::string_view suffix) {
  static std::atomic<unsigned> counter = 0;
  Path name = path;
  name.replace_filename(
      formatted(".{}.{}.{}{}", path.filename().string().substr(0, kMaxHiddenName), ::getpid(), counter++, suffix));
  return name;
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
    const FileDescriptor pipe(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (pipe.number >= 0) {
      ::fcntl(pipe.number, F_SETFL, 0);  // from now on a write waits for the reader
      return write_all(pipe.number, bytes, path);
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
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number < 0) return unwritable(path, errno);
  return write_all(file.number, bytes, path);
}

// The file to which a link leads; it need not exist.
Result<Path> followed(Path path) {
  constexpr int kMaxLinks = 40;  // that of the system
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const Path to = fs::read_symlink(path, error);
    if (error) return unwritable(path, error.value());
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return unwritable(path, ELOOP);
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
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) return unreadable(path, errno);
  if (!S_ISREG(status.st_mode)) return unreadable(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  MappedFile mapped;
  if (status.st_size == 0) return mapped;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
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
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) return unreadable(path, errno);
  return read_all(file.number, path, SIZE_MAX);
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
    const FileDescriptor copy(::memfd_create("standard input", MFD_CLOEXEC));
    std::string_view rest = text;
    while (copy.number >= 0 && !rest.empty()) {
      const ssize_t count = ::write(copy.number, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) break;
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (copy.number < 0 || !rest.empty() || ::lseek(copy.number, 0, SEEK_SET) != 0 ||
        ::dup2(copy.number, STDIN_FILENO) < 0)
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

Result<LineFile> LineFile::open(const Path& path, bool anew) {
  SLIPWAY_TRY_VOID(check_output(path));
  if (path.has_parent_path()) SLIPWAY_TRY_VOID(make_directories(path.parent_path()));
  const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (anew ? O_TRUNC : 0), 0666);
  if (number < 0) return unwritable(path, errno);
  LineFile file(path, number);
  // Removes an incomplete last line.
  const off_t size = ::lseek(number, 0, SEEK_END);
  off_t end = size;
  for (char last = 0; end > 0; --end) {
    if (::pread(number, &last, 1, end - 1) != 1 || last == '\n') break;
  }
  if (end < size && ::ftruncate(number, end) != 0) return unwritable(path, errno);
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

Result<OutputFile> OutputFile::create(const Path& path) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnwritable, path);
  SLIPWAY_TRY_VOID(check_output(path));
  if (is_written_in_place(path)) {
    // Collected in memory: `commit` writes it.
    const int file = ::memfd_create("output", MFD_CLOEXEC);
    if (file < 0) return unwritable(path, errno);
    ++open_outputs;
    return OutputFile(path, {}, file);
  }
  SLIPWAY_TRY(const Path target, followed(path));
  const Path directory = target.has_parent_path() ? target.parent_path() : Path(".");
  SLIPWAY_TRY_VOID(make_directories(directory));
  if (directory_exists(target)) return unwritable(target, EISDIR);
  const bool many = open_outputs >= kMaxOpenOutputs;
#ifdef O_TMPFILE
  if (const int file = many ? -1 : ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666); file >= 0) {
    ++open_outputs;
    return OutputFile(target, {}, file);
  }
#endif
  // The file system has no nameless files, or many outputs are open: use a hidden name in the directory of the target.
  Path temporary = hidden_name(target, "");
  const int file = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return unwritable(target, errno);
  if (many) {
    ::close(file);
    return OutputFile(target, std::move(temporary), -1);
  }
  ++open_outputs;
  return OutputFile(target, std::move(temporary), file);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) {
    ::close(file_);
    --open_outputs;
  }
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<> OutputFile::write(Bytes bytes) {
  if (file_ >= 0) return write_all(file_, bytes, path_);
  const FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.number < 0) return unwritable(path_, errno);
  return write_all(file.number, bytes, path_);
}

Result<MappedFile> OutputFile::map() const {
  return map_file(temporary_.empty() ? Path(formatted("/proc/self/fd/{}", file_)) : temporary_);
}

Result<> OutputFile::commit() {
  if (const auto shrunk = shrunk_file()) {
    return fail(DiagnosticKind::FileTruncated, SourceLocation::in_file(*shrunk),
                formatted("{} became shorter while it was read; {} is not written", *shrunk, path_.string()));
  }
  if (is_written_in_place(path_) && temporary_.empty()) {
    SLIPWAY_TRY(const MappedFile contents, map());
    return write_in_place(path_, contents.bytes());
  }
  if (file_ >= 0) {
    SLIPWAY_TRY_VOID(flush_to_disk(file_, path_));
  } else {
    const FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number < 0) return unwritable(path_, errno);
    SLIPWAY_TRY_VOID(flush_to_disk(file.number, path_));
  }
  if (temporary_.empty()) {
    Path name = hidden_name(path_, ".new");
    const std::string self = formatted("/proc/self/fd/{}", file_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return unwritable(path_, errno);
    temporary_ = std::move(name);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return unwritable(path_, errno);
  temporary_.clear();
  flush_directory(path_);
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

Path replaced_file(const Path& path) {
  if (path == "-" || has_nul(path) || is_written_in_place(path)) return {};
  const Result<Path> target = followed(path);
  if (!target || directory_exists(*target)) return {};
  std::error_code error;
  Path whole = fs::weakly_canonical(fs::absolute(*target, error), error);
  return error ? Path() : whole;
}

void remove_file(const Path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

bool is_inside(const Path& path, const Path& directory) {
  std::error_code error;
  const auto whole = [&](const Path& of) {
    return fs::weakly_canonical(fs::absolute(of.empty() ? Path(".") : of, error), error);
  };
  const Path relative = whole(path).lexically_relative(whole(directory));
  return !error && !relative.empty() && *relative.begin() != "..";
}

}  // namespace slipway
