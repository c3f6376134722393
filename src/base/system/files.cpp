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
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/shrunk_files.hpp"
#include "base/text/control_characters.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> unreadable(const Path& path, int error) {
  const auto kind = error == ENOENT || error == ENOTDIR ? DiagnosticKind::FileNotFound : DiagnosticKind::FileUnreadable;
  return fail(kind, SourceLocation::in_file(path.string()),
              formatted("Could not open file {}: {}", path.string(), error_text(error)));
}

std::unexpected<Failure> unwritable(const Path& path, int error) {
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
              formatted("cannot write {}: {}", path.string(), error_text(error)));
}

// What a pipe or a device may give: more is not an input but one that does not end, such as /dev/zero.
constexpr std::size_t kMaxStream = std::size_t{1} << 30;
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

Result<std::string> read_all(int file, const Path& path, std::size_t limit) {
  constexpr std::size_t kMinStep = std::size_t{64} << 10, kMaxStep = std::size_t{64} << 20;
  std::string text;
  for (;;) {
    const std::size_t size = text.size(), step = std::clamp(size, kMinStep, kMaxStep);
    ssize_t count = 0;
    text.resize_and_overwrite(size + step, [&](char* bytes, std::size_t) {
      count = ::read(file, bytes + size, step);
      return size + static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    });
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(path, errno);
    if (count == 0) return text;
    if (text.size() > limit) {
      return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file(path.string()),
                  formatted("{} does not end; at most {} bytes are read from a pipe or device", path.string(), limit));
    }
  }
}

// Milliseconds, while no other program has opened a pipe.
constexpr int kPipePeriod = 50, kMaxPipeWait = 5000;

// Waits until a program has opened a pipe for writing, for a limited time. Returns what it has read meanwhile.
Result<std::string> await_writer(int pipe, const Path& path) {
  pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
  for (int waited = 0; ::poll(&ready, 1, kPipePeriod) <= 0; waited += kPipePeriod) {
    // A pipe without data is at its end as long as it has no writer.
    char byte = 0;
    const ssize_t count = ::read(pipe, &byte, 1);
    if (count > 0) return std::string(1, byte);
    if (count < 0) return {};
    if (waited < kMaxPipeWait) continue;
    return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file(path.string()),
                formatted("no program has opened the pipe {} for writing within {} seconds", path.string(),
                          kMaxPipeWait / 1000));
  }
  return {};
}

Result<std::string> read_pipe(const Path& path) {
  const OwnedDescriptor pipe(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (pipe.number() < 0) return unreadable(path, errno);
  SLIPWAY_TRY(std::string text, await_writer(pipe.number(), path));
  ::fcntl(pipe.number(), F_SETFL, 0);  // from now on a read waits for data
  return read_all(pipe.number(), path, kMaxStream).transform([&](const std::string& rest) { return text += rest; });
}

Result<std::string> read_device(const Path& path) {
  const OwnedDescriptor device(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (device.number() < 0) return unreadable(path, errno);
  return read_all(device.number(), path, kMaxStream);
}

// The contents of pipes and devices, which can be read only once, while the program reads an input several times: to
// detect its format, then to read it. A failure, such as that of one without end, is kept, too.
class Streams {
 public:
  static bool is_stream(const struct stat& status) { return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode); }

  using Contents = Result<std::shared_ptr<const std::string>>;
  Contents read(const Path& path, const struct stat& status) {
    const std::scoped_lock lock(mutex_);
    const std::tuple key(path, status.st_dev, status.st_ino);  // the system uses numbers again
    if (const auto known = contents_.find(key); known != contents_.end()) return known->second;
    const auto share = [](std::string text) { return std::make_shared<const std::string>(std::move(text)); };
    return contents_[key] = (S_ISFIFO(status.st_mode) ? read_pipe(path) : read_device(path)).transform(share);
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<Path, dev_t, ino_t>, Contents> contents_;
};

Streams& streams() {
  static auto& all = *new Streams;  // never destroyed: other threads may still read when main returns
  return all;
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
  if (::stat(path.c_str(), &before) == 0 && Streams::is_stream(before)) {
    SLIPWAY_TRY(const std::shared_ptr<const std::string> text, streams().read(path, before));
    MappedFile copy;
    if (text->empty()) return copy;
    void* address = ::mmap(nullptr, text->size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return unreadable(path, errno);
    std::memcpy(address, text->data(), text->size());
    copy.bytes_ = {static_cast<const std::byte*>(address), text->size()};
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
  if (::stat(path.c_str(), &status) == 0 && Streams::is_stream(status)) {
    return streams().read(path, status).transform([](const auto& text) { return *text; });
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
  return {};
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
  if (temporary_.empty()) {
    std::string name = hidden_name(name_, ".new");
    const std::string self = formatted("/proc/self/fd/{}", file_);
    if (::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return unwritable(path_, errno);
    temporary_ = std::move(name);
  }
  if (::renameat(directory, temporary_.c_str(), directory, name_.c_str()) != 0) return unwritable(path_, errno);
  temporary_.clear();
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
