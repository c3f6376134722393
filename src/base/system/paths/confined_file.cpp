// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/confined_file.hpp"

#include <cerrno>

#include "base/format.hpp"

namespace slipway {
namespace {

std::unexpected<ConfinedFailure> refused(ConfinedFault fault, int error = 0) {
  return std::unexpected(ConfinedFailure{.fault = fault, .error = error});
}
std::unexpected<ConfinedFailure> refused_with(int error) {
  return refused(error == EXDEV ? ConfinedFault::Link : ConfinedFault::System, error);
}

std::expected<OwnedDescriptor, ConfinedFailure> open_regular(const Path& directory, const Path& location,
                                                             bool follow_links) {
  const auto root = open_directory(directory);
  if (!root) return refused(ConfinedFault::System, root.error());
  const auto open = [&](unsigned flags) {
    return follow_links ? platform::open_at(root->number(), location, flags)
                        : open_beneath(root->number(), location, flags);
  };
  const auto is_regular = [](const OwnedDescriptor& file) {
    const auto status = platform::status_of(file.number());
    return status && status->is_regular();
  };
  const auto path = open(platform::kHandle);
  if (!path) return refused_with(path.error());
  if (!is_regular(*path)) return refused(ConfinedFault::NotRegular);
  auto file = open(platform::kNoWait | platform::kNoTerminal);
  if (!file) return refused_with(file.error());
  if (!is_regular(*file)) return refused(ConfinedFault::NotRegular);
  return *std::move(file);
}

Diagnostic problem_of(const ConfinedFailure& failure, const Path& directory, const Path& path) {
  Diagnostic problem{.kind = DiagnosticKind::FileUnreadable, .location = SourceLocation::in_file(path.string())};
  switch (failure.fault) {
    case ConfinedFault::Outside:
    case ConfinedFault::Link:
      problem.kind = DiagnosticKind::PathOutside;
      problem.message = formatted("{} is outside of {}", path.string(), directory.empty() ? "." : directory.string());
      break;
    case ConfinedFault::NotRegular:
      problem.message = formatted("{} is not a regular file", path.string());
      break;
    case ConfinedFault::System:
      if (failure.error == ENOENT || failure.error == ENOTDIR) problem.kind = DiagnosticKind::FileNotFound;
      problem.message = formatted("Could not open file {}: {}", path.string(), error_text(failure.error));
      break;
  }
  return problem;
}

}  // namespace

std::expected<ConfinedFile, ConfinedFailure> map_confined_file(const Path& directory, const Path& location,
                                                               bool follow_links) {
  if (!is_relative_and_below(location)) return refused(ConfinedFault::Outside);
  const auto file = open_regular(directory, location, follow_links);
  if (!file) return std::unexpected(file.error());
  const auto status = platform::status_of(file->number());
  if (!status) return refused(ConfinedFault::System, status.error());
  auto mapped = map_descriptor(file->number(), directory / location);
  if (!mapped) return refused(ConfinedFault::System, EIO);
  auto owner = std::make_shared<const MappedFile>(std::move(*mapped));
  const Bytes bytes = owner->bytes();
  return ConfinedFile{.bytes = bytes, .owner = std::move(owner), .has_other_names = status->links > 1};
}

Result<MappedFile> map_file_below(const Path& directory, const Path& path) {
  const Path name = name_below(directory, path);
  std::expected<OwnedDescriptor, ConfinedFailure> file = refused(ConfinedFault::Outside);
  if (is_relative_and_below(name)) file = open_regular(directory, name, false);
  if (!file) return fail(problem_of(file.error(), directory, path));
  return map_descriptor(file->number(), path);
}

Result<std::string> read_text_below(const Path& directory, const Path& path) {
  return map_file_below(directory, path).transform([](const MappedFile& file) {
    return std::string(text_of(file.bytes()));
  });
}

}  // namespace slipway
