// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/tflite_file.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::importer {
namespace {

constexpr std::uint64_t kExpansion = 16;
constexpr std::uint64_t kExpansionOfSmallFiles = std::uint64_t{64} << 20;

}  // namespace

TfliteFile::TfliteFile(Bytes bytes, const std::string& name, const ReadOptions& options, const fb::Model& model,
                       Diagnostics& diagnostics)
    : bytes_(bytes),
      name_(name),
      options_(options),
      model_(model),
      diagnostics_(diagnostics),
      left_(bytes.size() * kExpansion + kExpansionOfSmallFiles),
      allowed_(left_),
      external_(options) {}

SourceLocation TfliteFile::location_of(const void* table) const {
  const auto begin = static_cast<std::uint64_t>(static_cast<const std::byte*>(table) - bytes_.data());
  const std::uint8_t* const fields = static_cast<const flatbuffers::Table*>(table)->GetVTable();
  std::uint64_t size = sizeof(flatbuffers::soffset_t);
  if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(fields) >= 2 * sizeof(flatbuffers::voffset_t))
    size = std::max<std::uint64_t>(
        size, flatbuffers::ReadScalar<flatbuffers::voffset_t>(fields + sizeof(flatbuffers::voffset_t)));
  return SourceLocation::in_bytes(name_, {begin, std::min<std::uint64_t>(begin + size, bytes_.size())});
}

Diagnostic& TfliteFile::error(DiagnosticKind kind, const void* table, std::string message) {
  ++errors_;
  return diagnostics_.error(kind, location_of(table), std::move(message));
}

Diagnostic& TfliteFile::warning(DiagnosticKind kind, const void* table, std::string message) {
  return diagnostics_.warning(kind, location_of(table), std::move(message));
}

bool TfliteFile::take(std::uint64_t bytes, const void* table) {
  if (exhausted_) return false;
  if (bytes <= left_) {
    left_ -= bytes;
    return true;
  }
  exhausted_ = true;
  error(
      DiagnosticKind::OutOfRange, table,
      formatted("the file of {} bytes becomes more than {} bytes, the limit for its size, because its tables are used "
                "many times",
                bytes_.size(), allowed_));
  return false;
}

Bytes TfliteFile::appended(std::uint64_t offset, std::uint64_t size, std::string_view what, const void* table) {
  const Size end = checked_add(offset, size);
  if (end && *end <= bytes_.size()) return bytes_.subspan(offset, size);
  error(DiagnosticKind::FileTruncated, table,
        formatted("{} at {:#x}, {} bytes, and the file has {} bytes", what, offset, size, bytes_.size()));
  return {};
}

std::optional<ExternalData> TfliteFile::external(const ExternalRange& range, const std::string& subject,
                                                 const void* table) {
  auto data = external_.find(range, subject, location_of(table), diagnostics_);
  if (!data) ++errors_;
  return data;
}

}  // namespace slipway::importer
