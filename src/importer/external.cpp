// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/external.hpp"

#include <cctype>
#include <cstring>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/text/utf8.hpp"

namespace slipway::importer {
namespace {

constexpr std::size_t kMaxLocation = 4096;

// Whether the location is a path on some system that Slipway does not run on, or no path at all.
bool is_foreign_path(std::string_view location) {
  const bool has_drive =
      location.size() >= 2 && location[1] == ':' && std::isalpha(static_cast<unsigned char>(location[0]));
  return has_drive || location.empty() || location.size() > kMaxLocation || location.contains('\\') ||
         location.contains('\0');
}

std::string shown_location(std::string_view location) {
  std::string text = valid_utf8(location.substr(0, kMaxLocation));
  for (std::size_t at = 0; (at = text.find('\0', at)) != text.npos;) text.replace(at, 1, "\\0");
  return text;
}

}  // namespace

std::optional<ExternalData> ExternalFiles::find(const ExternalRange& range, const std::string& subject,
                                                const SourceLocation& where, Diagnostics& diagnostics) {
  auto known = files_.find(range.location);
  if (known == files_.end())
    known = files_.emplace(range.location, open(range.location, subject, where, diagnostics)).first;
  if (!known->second) return std::nullopt;
  const ConfinedFile& file = *known->second;
  const std::uint64_t size = file.bytes.size();
  const Size end = range.length ? checked_add(range.offset, *range.length) : std::max(size, range.offset);
  if (range.offset > size || !end || *end > size) {
    diagnostics.error(DiagnosticKind::FileTruncated, where,
                      formatted("{} has {} bytes from {} of `{}`, which has {} bytes", subject,
                                range.length ? std::to_string(*range.length) : "the", range.offset,
                                shown_location(range.location), size));
    return std::nullopt;
  }
  return ExternalData{.bytes = file.bytes.subspan(range.offset, *end - range.offset), .owner = file.owner};
}

std::optional<ConfinedFile> ExternalFiles::open(const std::string& location, const std::string& subject,
                                                const SourceLocation& where, Diagnostics& diagnostics) {
  const std::string begin = formatted("{} is in `{}`", subject, shown_location(location));
  const auto refuse = [&](DiagnosticKind kind, std::string_view reason) -> Diagnostic& {
    return diagnostics.error(kind, where, formatted("{}, {}", begin, reason));
  };
  if (is_foreign_path(location)) {
    refuse(DiagnosticKind::PathOutside, "which is not a relative path");
    return std::nullopt;
  }
  if (options_.directory.empty()) {
    refuse(DiagnosticKind::PathOutside, "but the model has no directory").hint("`--data-dir` names one");
    return std::nullopt;
  }
  auto file = map_confined_file(options_.directory, location, options_.follow_links);
  if (file) {
    if (file->has_other_names)
      diagnostics.remark(DiagnosticKind::PathOutside, where, formatted("{}, which has another name too", begin));
    total_size_ += file->bytes.size();
    return *std::move(file);
  }
  switch (file.error().fault) {
    case ConfinedFault::Outside:
      refuse(DiagnosticKind::PathOutside, "which is outside the directory of the model");
      break;
    case ConfinedFault::Link:
      refuse(DiagnosticKind::PathOutside, "a link to a file outside the directory of the model")
          .hint("`--follow-links` permits it");
      break;
    case ConfinedFault::NotRegular:
      refuse(DiagnosticKind::FileUnreadable, "which is not a regular file");
      break;
    case ConfinedFault::System: {
      const int error = file.error().error;
      const bool is_missing = error == ENOENT || error == ENOTDIR;
      refuse(is_missing ? DiagnosticKind::FileNotFound : DiagnosticKind::FileUnreadable,
             formatted("which cannot be opened: {}", std::strerror(error)));
      break;
    }
  }
  return std::nullopt;
}

}  // namespace slipway::importer
