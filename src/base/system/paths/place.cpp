// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/place.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace slipway {
namespace {

constexpr int kMaxLinks = 40;  // that of the system
constexpr int kDirectory = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kNewDirectory = 0777;

template <class T>
using Opened = std::expected<T, int>;
template <class T>
using Confined = std::expected<T, ConfinedFailure>;

std::unexpected<int> system_error() { return std::unexpected(errno); }

std::unexpected<ConfinedFailure> failed(ConfinedFault fault, int error = 0) {
  return std::unexpected(ConfinedFailure{.fault = fault, .error = error});
}
std::unexpected<ConfinedFailure> failed_with(int error) {
  return failed(error == EXDEV ? ConfinedFault::Link : ConfinedFault::System, error);
}

Opened<OwnedDescriptor> open_at(int directory, const Path& name, int flags) {
  OwnedDescriptor file(::openat(directory, name.c_str(), flags));
  if (file.number() < 0) return system_error();
  return file;
}

Opened<Path> target_of(int directory, const char* link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, link, target.data(), target.size());
  if (size < 0) return system_error();
  target.resize(static_cast<std::size_t>(size));
  return Path(std::move(target));
}

// The steps of walk_beneath.
class Walk {
 public:
  Walk(int root, const Path& name) : root_(root) { add(name); }

  Opened<OwnedDescriptor> run(int flags) {
    while (!rest_.empty()) {
      const std::string part = std::move(rest_.back());
      rest_.pop_back();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (below_.empty()) return std::unexpected(EXDEV);
        below_.pop_back();
        continue;
      }
      auto next = open_at(at(), part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
      if (!next) return next;
      struct stat status{};
      if (::fstat(next->number(), &status) != 0) return system_error();
      if (S_ISLNK(status.st_mode)) {
        if (rest_.empty() && (flags & O_NOFOLLOW) != 0) return next;  // as openat2 with O_PATH
        if (const int error = follow(next->number()); error != 0) return std::unexpected(error);
      } else if (S_ISDIR(status.st_mode)) {
        below_.push_back(*std::move(next));
      } else {
        if (!rest_.empty()) return std::unexpected(ENOTDIR);
        return open_at(at(), part, flags | O_NOFOLLOW | O_CLOEXEC);
      }
    }
    return open_at(at(), ".", flags | O_CLOEXEC);
  }

 private:
  int at() const { return below_.empty() ? root_ : below_.back().number(); }
  void add(const Path& path) {
    const std::vector<Path> parts(path.begin(), path.end());
    for (std::size_t i = parts.size(); i > 0; --i) rest_.push_back(parts[i - 1].native());
  }
  int follow(int link) {
    if (++links_ > kMaxLinks) return ELOOP;
    const Opened<Path> target = target_of(link, "");
    if (!target) return target.error();
    if (target->is_absolute()) return EXDEV;
    add(*target);
    return 0;
  }

  int root_;
  int links_ = 0;
  std::vector<OwnedDescriptor> below_;
  std::vector<std::string> rest_;  // in reverse order
};

// Opens a directory, and makes what is missing of it. `open` opens a part of the path.
template <class Open>
Opened<OwnedDescriptor> open_or_make(int root, const Path& path, bool make, const Open& open) {
  if (path.empty()) return open_at(root, ".", kDirectory);
  Opened<OwnedDescriptor> whole = open(path);
  if (whole || whole.error() != ENOENT || !make) return whole;
  Path begin;
  Opened<OwnedDescriptor> at = open_at(root, ".", kDirectory);
  for (const Path& part : path) {
    if (!at) return at;
    begin /= part;
    Opened<OwnedDescriptor> next = open(begin);
    if (!next && next.error() == ENOENT) {
      if (::mkdirat(at->number(), part.c_str(), kNewDirectory) != 0 && errno != EEXIST) return system_error();
      next = open(begin);
    }
    at = std::move(next);
  }
  return at;
}

// A handle for each directory that outputs share: there may be more outputs than descriptors.
std::shared_ptr<const OwnedDescriptor> shared_handle(OwnedDescriptor directory) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const OwnedDescriptor>>;
  auto own = std::make_shared<const OwnedDescriptor>(std::move(directory));
  struct stat status{};
  if (::fstat(own->number(), &status) != 0) return own;
  const std::scoped_lock lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& entry = known[{status.st_dev, status.st_ino}];
  if (auto shared = entry.lock()) return shared;
  entry = own;
  return own;
}

// All users may write to the directory, and only owners may remove.
bool is_foreign(const struct stat& directory, const struct stat& file) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return (directory.st_mode & kShared) == kShared && file.st_uid != ::geteuid() && file.st_uid != directory.st_uid;
}

bool is_proc(int directory) {
  struct statfs status{};
  return ::fstatfs(directory, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

bool is_relative_and_below(const Path& location) {
  return !location.empty() && location.is_relative() && !location.native().contains('\0') &&
         std::ranges::none_of(location, [](const Path& part) { return part == ".."; });
}

Path name_below(const Path& directory, const Path& path) {
  return path.lexically_normal().lexically_relative(directory.lexically_normal());
}

std::expected<OwnedDescriptor, int> open_directory(const Path& directory) {
  return open_at(AT_FDCWD, directory.empty() ? Path(".") : directory, kDirectory);
}

OwnedDescriptor::~OwnedDescriptor() {
  if (number_ >= 0) ::close(number_);
}

std::expected<OwnedDescriptor, int> walk_beneath(int directory, const Path& name, int flags) {
  if (name.is_absolute()) return std::unexpected(EXDEV);
  return Walk(directory, name).run(flags);
}

std::expected<OwnedDescriptor, int> open_beneath(int directory, const Path& name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int kMaxAttempts = 100;  // EAGAIN: a directory on the way was renamed meanwhile
  for (int i = 0; i < kMaxAttempts; ++i) {
    OwnedDescriptor file(static_cast<int>(::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how)));
    if (file.number() >= 0) return file;
    // Filters of older containers answer EPERM to calls that they do not know.
    if (errno == ENOSYS || errno == EPERM) return walk_beneath(directory, name, flags);
    if (errno != EAGAIN) return system_error();
  }
  return std::unexpected(EAGAIN);
}

std::optional<ConfinedFault> fault_of_input(const Path& directory, const Path& path) {
  const Path name = name_below(directory, path);
  if (!is_relative_and_below(name)) return ConfinedFault::Outside;
  const auto root = open_directory(directory);
  if (!root) return std::nullopt;  // nothing is there that could be opened
  const auto file = open_beneath(root->number(), name, O_PATH);
  return !file && file.error() == EXDEV ? std::optional(ConfinedFault::Link) : std::nullopt;
}

std::optional<ConfinedFault> fault_of_output(const Path& directory, const Path& path) {
  if (const auto fault = fault_of_input(directory, path)) return fault;
  const auto root = open_directory(directory);
  if (!root) return std::nullopt;
  const auto file = open_beneath(root->number(), name_below(directory, path), O_PATH | O_NOFOLLOW);
  struct stat status{};
  if (!file || ::fstat(file->number(), &status) != 0 || !S_ISLNK(status.st_mode)) return std::nullopt;
  return ConfinedFault::Link;
}

std::string error_text(int error) {
  switch (error) {
    case kForeignLink:
      return "it is a link of another user, in a directory to which all users may write";
    case kForeignFile:
      return "it is a file of another user, in a directory to which all users may write";
    default:
      return std::strerror(error);
  }
}

std::expected<Place, int> place_of(const Path& path, const PlaceOptions& options) {
  Path rest = path;
  Opened<OwnedDescriptor> at = std::unexpected(0);  // where a link was
  for (int i = 0; i < kMaxLinks; ++i) {
    const int root = at ? at->number() : AT_FDCWD;
    Opened<OwnedDescriptor> directory = open_or_make(root, rest.parent_path(), options.make_directories,
                                                     [&](const Path& part) { return open_at(root, part, kDirectory); });
    if (!directory) return std::unexpected(directory.error());
    const std::string name = rest.filename().native();
    if (name.empty()) return std::unexpected(EISDIR);
    struct stat file{}, status{};
    const bool is_link =
        ::fstatat(directory->number(), name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(file.st_mode);
    if (!is_link || (options.keep_open_files && is_proc(directory->number())))
      return Place{shared_handle(*std::move(directory)), name};
    if (::fstat(directory->number(), &status) != 0) return system_error();
    if (is_foreign(status, file)) return std::unexpected(kForeignLink);
    Opened<Path> target = target_of(directory->number(), name.c_str());
    if (!target) return std::unexpected(target.error());
    rest = *std::move(target);
    at = std::move(directory);
  }
  return std::unexpected(ELOOP);
}

std::expected<Place, ConfinedFailure> place_below(const Path& directory, const Path& path) {
  const Path name = name_below(directory, path);
  if (!is_relative_and_below(name)) return failed(ConfinedFault::Outside);
  // The directory itself is the caller's.
  auto root = open_or_make(AT_FDCWD, directory.empty() ? Path(".") : directory, true,
                           [](const Path& part) { return open_at(AT_FDCWD, part, kDirectory); });
  if (!root) return failed(ConfinedFault::System, root.error());
  auto parent = open_or_make(root->number(), name.parent_path(), true,
                             [&](const Path& part) { return open_beneath(root->number(), part, kDirectory); });
  if (!parent) return failed_with(parent.error());
  std::string last = name.filename().native();
  if (last.empty() || last == ".") return failed(ConfinedFault::System, EISDIR);
  struct stat status{};
  if (::fstatat(parent->number(), last.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISLNK(status.st_mode)) return failed(ConfinedFault::Link);
    if (S_ISDIR(status.st_mode)) return failed(ConfinedFault::System, EISDIR);
    if (!S_ISREG(status.st_mode)) return failed(ConfinedFault::NotRegular);
  }
  return Place{shared_handle(*std::move(parent)), std::move(last)};
}

bool may_change(const Place& place, int file) {
  struct stat directory{}, status{};
  return ::fstat(place.directory->number(), &directory) == 0 && ::fstat(file, &status) == 0 &&
         !is_foreign(directory, status);
}

}  // namespace slipway
