// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace slipway {
namespace {

constexpr int kMaxLinks = 40;  // that of the system
constexpr unsigned kDirectory = platform::kHandle | platform::kDirectory;

using platform::open_at;
using platform::Opened;
template <class T>
using Confined = std::expected<T, ConfinedFailure>;

std::unexpected<ConfinedFailure> failed(ConfinedFault fault, int error = 0) {
  return std::unexpected(ConfinedFailure{.fault = fault, .error = error});
}
std::unexpected<ConfinedFailure> failed_with(int error) {
  return failed(error == EXDEV ? ConfinedFault::Link : ConfinedFault::System, error);
}

// The steps of walk_beneath.
class Walk {
 public:
  Walk(int root, const Path& name) : root_(root) { add(name); }

  Opened<OwnedDescriptor> run(unsigned flags) {
    while (!rest_.empty()) {
      const std::string part = std::move(rest_.back());
      rest_.pop_back();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (below_.empty()) return std::unexpected(EXDEV);
        below_.pop_back();
        continue;
      }
      auto next = open_at(at(), part, platform::kHandle | platform::kNoFollow);
      if (!next) return next;
      const auto status = platform::status_of(next->number());
      if (!status) return std::unexpected(status.error());
      if (status->is_link()) {
        if (rest_.empty() && (flags & platform::kNoFollow) != 0) return next;  // as the kernel for handles
        if (const int error = follow(next->number()); error != 0) return std::unexpected(error);
      } else if (status->is_directory()) {
        below_.push_back(*std::move(next));
      } else {
        if (!rest_.empty()) return std::unexpected(ENOTDIR);
        return open_at(at(), part, flags | platform::kNoFollow);
      }
    }
    return open_at(at(), ".", flags);
  }

 private:
  int at() const { return below_.empty() ? root_ : below_.back().number(); }
  void add(const Path& path) {
    const std::vector<Path> parts(path.begin(), path.end());
    for (std::size_t i = parts.size(); i > 0; --i) rest_.push_back(parts[i - 1].string());
  }
  int follow(int link) {
    if (++links_ > kMaxLinks) return ELOOP;
    const Opened<Path> target = platform::target_of_link(link, "");
    if (!target) return target.error();
    if (target->has_root_path()) return EXDEV;
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
      const int error = platform::make_directory(at->number(), part);
      if (error != 0 && error != EEXIST) return std::unexpected(error);
      next = open(begin);
    }
    at = std::move(next);
  }
  return at;
}

// A handle for each directory that outputs share: there may be more outputs than descriptors.
std::shared_ptr<const OwnedDescriptor> shared_handle(OwnedDescriptor directory) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<std::uint64_t, std::uint64_t>, std::weak_ptr<const OwnedDescriptor>>;
  auto own = std::make_shared<const OwnedDescriptor>(std::move(directory));
  const auto status = platform::status_of(own->number());
  if (!status) return own;
  const std::scoped_lock lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& entry = known[{status->device, status->inode}];
  if (auto shared = entry.lock()) return shared;
  entry = own;
  return own;
}

// All users may write to the directory, and only owners may remove.
bool is_foreign(const platform::FileStatus& directory, const platform::FileStatus& file) {
  return directory.is_sticky && directory.all_write && file.owner != platform::user_id() &&
         file.owner != directory.owner;
}

// The steps of place_of: one component after the other, because the kernel follows links of all users on the way.
class WayToPlace {
 public:
  explicit WayToPlace(const PlaceOptions& options) : options_(options) {}

  std::expected<Place, int> run(const Path& path) {
    int error = add(path);
    while (error == 0) {
      const std::string part = std::move(rest_.back());
      rest_.pop_back();
      if (part.empty()) {  // after a last `/`
        error = rest_.empty() ? EISDIR : 0;
        continue;
      }
      const auto file = platform::status_at(at_.number(), part);
      const bool is_link = file && file->is_link();
      const bool is_open_file = is_link && platform::holds_open_files(at_.number());
      if (rest_.empty() && (!is_link || (is_open_file && options_.keep_open_files)))
        return Place{shared_handle(std::move(at_)), part};
      error = is_link && !(is_open_file && !rest_.empty()) ? follow(part, *file) : enter(part, is_open_file);
    }
    return std::unexpected(error);
  }

 private:
  // These return the number of an error, or 0.
  int add(const Path& path) {
    // The target of a relative link is below its directory.
    if (path.has_root_path() || at_.number() < 0) {
      Opened<OwnedDescriptor> root = open_directory(path.root_path());
      if (!root) return root.error();
      at_ = *std::move(root);
    }
    const Path relative = path.relative_path();
    if (relative.empty()) return EISDIR;
    const std::vector<Path> parts(relative.begin(), relative.end());
    for (std::size_t i = parts.size(); i > 0; --i) rest_.push_back(parts[i - 1].string());
    return 0;
  }
  int follow(const std::string& link, const platform::FileStatus& status) {
    const auto directory = platform::status_of(at_.number());
    if (!directory) return directory.error();
    if (is_foreign(*directory, status)) return kForeignLink;
    if (++links_ > kMaxLinks) return ELOOP;
    const Opened<Path> target = platform::target_of_link(at_.number(), link);
    return target ? add(*target) : target.error();
  }
  int enter(const std::string& part, bool follows) {
    const unsigned flags = follows ? kDirectory : kDirectory | platform::kNoFollow;
    Opened<OwnedDescriptor> next = open_at(at_.number(), part, flags);
    if (!next && next.error() == ENOENT && options_.make_directories) {
      const int error = platform::make_directory(at_.number(), part);
      if (error != 0 && error != EEXIST) return error;
      next = open_at(at_.number(), part, flags);
    }
    if (!next) return next.error();
    at_ = *std::move(next);
    return 0;
  }

  const PlaceOptions& options_;
  OwnedDescriptor at_;
  int links_ = 0;
  std::vector<std::string> rest_;  // in reverse order
};

}  // namespace

bool is_relative_and_below(const Path& location) {
  return !location.empty() && !location.has_root_path() && !location.native().contains(Path::value_type{}) &&
         std::ranges::none_of(location,
                              [](const Path& part) { return part == ".." || !platform::is_plain_name(part); });
}

Path name_below(const Path& directory, const Path& path) {
  return path.lexically_normal().lexically_relative(directory.lexically_normal());
}

std::expected<OwnedDescriptor, int> open_directory(const Path& directory) {
  return open_at(platform::kCurrentDirectory, directory.empty() ? Path(".") : directory, kDirectory);
}

std::expected<OwnedDescriptor, int> walk_beneath(int directory, const Path& name, unsigned flags) {
  if (name.has_root_path()) return std::unexpected(EXDEV);
  return Walk(directory, name).run(flags);
}

std::expected<OwnedDescriptor, int> open_beneath(int directory, const Path& name, unsigned flags) {
  auto file = platform::open_below(directory, name, flags);
  if (!file && file.error() == ENOSYS) return walk_beneath(directory, name, flags);
  return file;
}

std::optional<ConfinedFault> fault_of_input(const Path& directory, const Path& path) {
  const Path name = name_below(directory, path);
  if (!is_relative_and_below(name)) return ConfinedFault::Outside;
  const auto root = open_directory(directory);
  if (!root) return std::nullopt;  // nothing is there that could be opened
  const auto file = open_beneath(root->number(), name, platform::kHandle);
  return !file && file.error() == EXDEV ? std::optional(ConfinedFault::Link) : std::nullopt;
}

std::optional<ConfinedFault> fault_of_output(const Path& directory, const Path& path) {
  if (const auto fault = fault_of_input(directory, path)) return fault;
  const auto root = open_directory(directory);
  if (!root) return std::nullopt;
  const auto file = open_beneath(root->number(), name_below(directory, path), platform::kHandle | platform::kNoFollow);
  if (!file) return std::nullopt;
  const auto status = platform::status_of(file->number());
  if (!status || !status->is_link()) return std::nullopt;
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
  return WayToPlace(options).run(path);
}

std::expected<Place, ConfinedFailure> place_below(const Path& directory, const Path& path) {
  const Path name = name_below(directory, path);
  if (!is_relative_and_below(name)) return failed(ConfinedFault::Outside);
  // The directory itself is the caller's.
  auto root = open_or_make(platform::kCurrentDirectory, directory.empty() ? Path(".") : directory, true,
                           [](const Path& part) { return open_at(platform::kCurrentDirectory, part, kDirectory); });
  if (!root) return failed(ConfinedFault::System, root.error());
  auto parent = open_or_make(root->number(), name.parent_path(), true,
                             [&](const Path& part) { return open_beneath(root->number(), part, kDirectory); });
  if (!parent) return failed_with(parent.error());
  std::string last = name.filename().string();
  if (last.empty() || last == ".") return failed(ConfinedFault::System, EISDIR);
  if (const auto status = platform::status_at(parent->number(), last)) {
    if (status->is_link()) return failed(ConfinedFault::Link);
    if (status->is_directory()) return failed(ConfinedFault::System, EISDIR);
    if (!status->is_regular()) return failed(ConfinedFault::NotRegular);
  }
  return Place{shared_handle(*std::move(parent)), std::move(last)};
}

bool may_replace(const Place& place, const platform::FileStatus& file) {
  const auto directory = platform::status_of(place.directory->number());
  return directory && !is_foreign(*directory, file);
}

bool may_change(const Place& place, int file) {
  const auto status = platform::status_of(file);
  return status && may_replace(place, *status);
}

}  // namespace slipway
