// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/shrunk_files.hpp"
#include "base/system/streams.hpp"
#include "base/text/control_characters.hpp"
#include "platform/memory.hpp"
#include "platform/process.hpp"
#include "platform/text.hpp"

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

bool has_nul(const Path& path) { return path.native().contains(Path::value_type{}); }

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
  const int error = survives_power_failures() ? platform::flush_to_disk(file, false) : 0;
  if (error != 0 && error != EINVAL) return unwritable(path, error);
  return {};
}

// A name is on the disk when its directory is.
void flush_directory(int directory) {
  if (survives_power_failures()) platform::flush_to_disk(directory, true);
}

std::string hidden_name(std::string_view name, std::string_view suffix) {
  static std::atomic<unsigned> counter = 0;
  return formatted(".{}.{}.{}{}", name.substr(0, kMaxHiddenName), platform::process_id(), counter++, suffix);
}

// Opens a file for reading, through the links that may be followed (paths/place.hpp).
platform::Opened<OwnedDescriptor> open_input(const Path& path) {
  const auto place = place_of(path, {.keep_open_files = true});
  if (!place) return std::unexpected(place.error());
  return platform::open_at(place->directory->number(), place->name, platform::kRead);
}

Result<> write_all(int file, Bytes bytes, const Path& path) {
  if (const int error = platform::write_all(file, bytes); error != 0) return unwritable(path, error);
  return {};
}

// The standard stream of this process that is the file.
std::optional<int> stream_of(const platform::FileStatus& file) {
  for (const int number : {platform::kStandardOutput, platform::kStandardError}) {
    if (const auto stream = platform::status_of(number); stream && stream->is_same_file(file)) return number;
  }
  return std::nullopt;
}

// A device, a pipe, or a file that is a standard stream of this process: it is written to, not replaced.
bool is_written_in_place(const Path& path) {
  const auto status = platform::status_of(path);
  if (!status) return false;
  return status->is_regular() ? stream_of(*status).has_value() : !status->is_directory();
}

Result<> write_pipe(const Path& path, Bytes bytes) {
  for (int waited = 0;; waited += kPipePeriod) {
    const auto pipe = platform::open_file(path, platform::kWrite | platform::kNoWait);
    if (pipe) {
      platform::wait_from_now_on(pipe->number());  // for the reader
      return write_all(pipe->number(), bytes, path);
    }
    if (pipe.error() != ENXIO) return unwritable(path, pipe.error());
    if (waited >= kMaxPipeWait) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPipePeriod));
  }
  return fail(
      DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
      formatted("no program has opened the pipe {} for reading within {} seconds", path.string(), kMaxPipeWait / 1000));
}

Result<> write_in_place(const Path& path, Bytes bytes) {
  const auto status = platform::status_of(path);
  if (!status) return unwritable(path, status.error());
  if (const std::optional<int> stream = stream_of(*status)) {
    std::fflush(*stream == platform::kStandardOutput ? stdout : stderr);
    return write_all(*stream, bytes, path);
  }
  if (status->kind == platform::FileKind::Pipe) return write_pipe(path, bytes);
  const auto file = platform::open_file(path, platform::kWrite | platform::kNoTerminal);
  if (!file) return unwritable(path, file.error());
  return write_all(file->number(), bytes, path);
}

}  // namespace

Path directory_of(const Path& file) { return file.has_parent_path() ? file.parent_path() : Path("."); }

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  forget_mapping(bytes_);
  platform::unmap(bytes_.data(), bytes_.size());
}

void MappedFile::copy_out(Bytes part, MutableBytes to) const {
  constexpr std::size_t kChunk = std::size_t{4} << 20, kPage = 4096;
  // The whole pages of a part, all of which are in the file's mapping or in memory of the caller. Advice may fail.
  const auto advise = [](Bytes bytes, platform::Advice advice) {
    const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + kPage - 1) / kPage * kPage;
    const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / kPage * kPage;
    if (begin < end) platform::advise(reinterpret_cast<const void*>(begin), end - begin, advice);
  };
  for (std::size_t at = 0; at < part.size(); at += kChunk) {
    const Bytes chunk = part.subspan(at, std::min(kChunk, part.size() - at));
    const MutableBytes target = to.subspan(at, chunk.size());
    advise(chunk, platform::Advice::Read);
    advise(target, platform::Advice::Write);
    std::memcpy(target.data(), chunk.data(), chunk.size());
    advise(chunk, platform::Advice::Drop);
  }
}

Result<MappedFile> map_file(const Path& path) {
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnreadable, path);
  if (const auto before = platform::status_of(path); before && is_stream(*before)) {
    SLIPWAY_TRY(const Bytes bytes, read_stream(path, *before));
    MappedFile copy;
    if (bytes.empty()) return copy;
    void* const pages = platform::map_zeroed(bytes.size());
    if (!pages) return unreadable(path, ENOMEM);
    std::memcpy(pages, bytes.data(), bytes.size());
    copy.bytes_ = {static_cast<const std::byte*>(pages), bytes.size()};
    return copy;
  }
  const auto file = open_input(path);
  if (!file) return unreadable(path, file.error());
  return map_descriptor(file->number(), path);
}

Result<MappedFile> map_descriptor(int file, const Path& path) {
  const auto status = platform::status_of(file);
  if (!status) return unreadable(path, status.error());
  if (!status->is_regular()) return unreadable(path, status->is_directory() ? EISDIR : EINVAL);
  MappedFile mapped;
  if (status->size == 0) return mapped;
  const auto pages = platform::map_file(file, status->size);
  if (!pages) return unreadable(path, pages.error());
  mapped.bytes_ = {*pages, status->size};
  remember_mapping(mapped.bytes_, path.string());
  return mapped;
}

Result<std::string> read_text(const Path& path) {
  if (path == "-") return read_all(platform::kStandardInput, "standard input", kMaxStream);
  if (has_nul(path)) return nul_in_name(DiagnosticKind::FileUnreadable, path);
  if (const auto status = platform::status_of(path); status && is_stream(*status))
    return read_stream(path, *status).transform([](Bytes bytes) { return std::string(text_of(bytes)); });
  const auto file = open_input(path);
  if (!file) return unreadable(path, file.error());
  return read_all(file->number(), path, SIZE_MAX);
}

Result<SourcePtr> read_source(const Path& path, std::string name) {
  SLIPWAY_TRY(std::string text, read_text(path));
  if (name.empty()) name = path == "-" ? "<stdin>" : path.string();
  return make_source(std::move(name), std::move(text));
}

Result<std::vector<std::byte>> peek_standard_input() {
  const auto begin = platform::position_of(platform::kStandardInput);
  SLIPWAY_TRY(const std::string text, read_text("-"));
  if (begin) {
    platform::go_to(platform::kStandardInput, *begin);
  } else {
    const auto copy = platform::open_memory("standard input");
    int error = copy ? platform::write_all(copy->number(), bytes_of(text)) : copy.error();
    if (error == 0) error = platform::go_to(copy->number(), 0);
    if (error == 0) error = platform::duplicate(copy->number(), platform::kStandardInput);
    if (error != 0) return unreadable("standard input", error);
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

std::vector<Path> files_below(const Path& directory, const UnreadDirectory& unread) {
  std::vector<Path> files;
  std::vector<Path> directories{directory};  // one is open at a time, however deep they are
  while (!directories.empty()) {
    const Path here = std::move(directories.back());
    directories.pop_back();
    std::error_code error;
    for (fs::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_directory(ignored) && !entry->is_symlink(ignored))
        directories.push_back(entry->path());
      else if (entry->is_regular_file(ignored))
        files.push_back(entry->path());
    }
    if (error && unread) unread(here, error.message());
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
  auto opened = platform::open_at(place->directory->number(), place->name,
                                  platform::kReadWrite | platform::kCreate | platform::kAppend | platform::kNoFollow);
  if (!opened) return unwritable(path, opened.error());
  const int number = opened->number();
  LineFile file(path, opened->release());
  if (!may_change(*place, number)) return unwritable(path, kForeignFile);
  SLIPWAY_TRY_VOID(check_changed(number, path));
  const auto cut = [&](std::uint64_t size) -> Result<LineFile> {
    if (const int error = platform::truncate(number, size); error != 0) return unwritable(path, error);
    return std::move(file);
  };
  if (anew) return cut(0);
  // Completes or removes an incomplete last line.
  const std::uint64_t size = platform::size_by_seeking(number).value_or(0);
  std::uint64_t end = size;
  for (char last = 0; end > 0; --end) {
    if (platform::read_at(number, std::as_writable_bytes(std::span(&last, 1)), end - 1) != 1 || last == '\n') break;
  }
  if (end >= size) return file;
  std::string line(size - end, '\0');
  const bool is_read = platform::read_at(number, std::as_writable_bytes(std::span(line)), end) == line.size();
  if (is_read && is_complete && is_complete(line))
    return write_all(number, bytes_of("\n"), path).transform([&] { return std::move(file); });
  return cut(end);
}

LineFile::~LineFile() {
  if (file_ >= 0) platform::close_file(file_);
}

Result<> LineFile::write(std::string line) {
  line += '\n';
  SLIPWAY_TRY_VOID(write_all(file_, bytes_of(line), path_));
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
    } else if (const auto file = platform::open_at(place->directory->number(), place->name, platform::kHandle);
               file && !may_change(*place, file->number())) {
      return unwritable(path, kForeignFile);
    }
    // Collected in memory: `commit` writes it.
    auto file = platform::open_memory("output");
    if (!file) return unwritable(path, file.error());
    ++open_outputs;
    return OutputFile(path, {}, {}, file->release());
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
  if (const auto status = platform::status_at(directory, place.name)) {
    if (status->is_directory()) return unwritable(path, EISDIR);
    if (!may_replace(place, *status)) return unwritable(path, kForeignFile);
  }
  const bool many = open_outputs >= kMaxOpenOutputs;
  if (!many) {
    if (auto file = platform::open_at(directory, ".", platform::kNameless | platform::kWrite)) {
      ++open_outputs;
      return OutputFile(path, std::move(place), {}, file->release());
    }
  }
  // The file system has no nameless files, or many outputs are open: use a hidden name in the directory.
  std::string temporary = hidden_name(place.name, "");
  auto file = platform::open_at(directory, temporary, platform::kNew | platform::kWrite);
  if (!file) return unwritable(path, file.error());
  if (many) return OutputFile(path, std::move(place), std::move(temporary), -1);
  ++open_outputs;
  return OutputFile(path, std::move(place), std::move(temporary), file->release());
}

OutputFile::~OutputFile() {
  if (file_ >= 0) {
    platform::close_file(file_);
    --open_outputs;
  }
  if (!temporary_.empty()) platform::remove_name(directory_->number(), temporary_);
}

Result<> OutputFile::write(Bytes bytes) {
  if (file_ >= 0) return write_all(file_, bytes, path_);
  const auto file =
      platform::open_at(directory_->number(), temporary_, platform::kWrite | platform::kAppend | platform::kNoFollow);
  if (!file) return unwritable(path_, file.error());
  return write_all(file->number(), bytes, path_);
}

Result<MappedFile> OutputFile::map() const {
  // Written files are open for writing only.
  const auto file = temporary_.empty() ? platform::reopen(file_, platform::kRead)
                                       : platform::open_at(directory_->number(), temporary_, platform::kNoFollow);
  if (!file) return unreadable(path_, file.error());
  return map_descriptor(file->number(), path_);
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
    const auto file = platform::open_at(directory, temporary_, platform::kWrite | platform::kNoFollow);
    if (!file) return unwritable(path_, file.error());
    SLIPWAY_TRY_VOID(flush_to_disk(file->number(), path_));
  }
  if (temporary_.empty()) {
    std::string name = hidden_name(name_, ".new");
    if (const int error = platform::give_name(file_, directory, name); error != 0) return unwritable(path_, error);
    temporary_ = std::move(name);
  }
  if (const int error = platform::rename_in(directory, temporary_, name_); error != 0) return unwritable(path_, error);
  temporary_.clear();
  flush_directory(directory);
  if (file_ < 0) return {};
  --open_outputs;
  if (const int error = platform::close_file(std::exchange(file_, -1)); error != 0) return unwritable(path_, error);
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

Result<> write_file_below(const Path& directory, const Path& path, Bytes bytes) {
  SLIPWAY_TRY(OutputFile file, OutputFile::create_below(directory, path));
  SLIPWAY_TRY_VOID(file.write(bytes));
  return file.commit();
}

Result<> write_file(const Path& path, std::string_view text) {
  if (path == "-" && platform::is_terminal(platform::kStandardOutput))
    return write_file(path, bytes_of(show_control_characters(text)));
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
