// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/wire/onnx_file.hpp"

#include "base/format.hpp"
#include "base/text/utf8.hpp"
#include "importer/onnx/wire/wire.hpp"

namespace slipway::importer::onnx {
namespace {

// Data that are not views, and decoded fields, take at most a fixed multiple of the bytes of the files (a packed list
// of small numbers, a typed tensor), except for what functions repeat.
constexpr std::uint64_t kMaxExpansion = 16, kMinAllowance = std::uint64_t{256} << 20;
constexpr std::size_t kMaxShownName = 200;

std::string_view last_text(Bytes message, std::uint32_t number) {
  std::string_view text;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == number) text = text_of(field.contents);
  }
  return text;
}

}  // namespace

std::string in_backticks(std::string_view name) {
  return formatted("`{}{}`", valid_utf8(name.substr(0, kMaxShownName)), name.size() > kMaxShownName ? "..." : "");
}

std::string Context::describe() const {
  const std::string_view shown = name.empty() && name_field != 0 ? last_text(message, name_field) : name;
  std::string text(kind);
  if (index >= 0) {
    text = in_backticks(formatted("{} #{}", shown, index));
  } else if (!shown.empty()) {
    text += " " + in_backticks(shown);
  }
  return parent ? text + parent->as_owner() : text;
}

std::string Context::as_owner() const { return kind.empty() ? std::string() : " of " + describe(); }

int Context::depth() const {
  int depth = 1;
  for (const Context* outer = parent; outer; outer = outer->parent) ++depth;
  return depth;
}

SourceLocation OnnxFile::location(Bytes part) const {
  const std::uint64_t begin = offset_of(part.data());
  return SourceLocation::in_bytes(name_, {begin, begin + part.size()});
}

void OnnxFile::add(Diagnostic diagnostic) {
  const bool is_error = diagnostic.severity == Severity::Error;
  if (reported_.size() > kMaxReported && (!is_error || errors_ > 0)) return;
  if (!reported_.insert(formatted("{} {}", diagnostic.location.span.begin, diagnostic.message)).second) return;
  if (is_error) ++errors_;
  if (reported_.size() > kMaxReported) {
    diagnostics_.remark(diagnostic.kind, diagnostic.location,
                        formatted("further problems than {} are not reported", kMaxReported));
  }
  diagnostics_.add(std::move(diagnostic));
}

void OnnxFile::error(DiagnosticKind kind, Bytes part, std::string message) {
  add({.severity = Severity::Error, .kind = kind, .message = std::move(message), .location = location(part)});
}

void OnnxFile::warning(DiagnosticKind kind, Bytes part, std::string message) {
  add({.severity = Severity::Warning, .kind = kind, .message = std::move(message), .location = location(part)});
}

void OnnxFile::remark(DiagnosticKind kind, Bytes part, std::string message) {
  add({.severity = Severity::Note, .kind = kind, .message = std::move(message), .location = location(part)});
}

std::optional<ExternalData> OnnxFile::find_external(const ExternalRange& range, const Context& where) {
  Diagnostics problems;
  auto data = external_.find(range, where.describe(), location(where.message), problems);
  for (Diagnostic& problem : problems.release()) add(std::move(problem));
  if (!data) ++errors_;
  return data;
}

void OnnxFile::refuse_depth(Bytes part) {
  if (std::exchange(is_too_deep_, true)) return;
  error(DiagnosticKind::FileFormat, part, formatted("messages are nested deeper than {}", kMaxDepth));
}

void OnnxFile::warn_repeated(const Context& where, Bytes part) {
  warning(DiagnosticKind::DeprecatedForm, part,
          formatted("{} occurs twice; the fields are merged", where.kind.empty() ? "the graph" : where.describe()));
}

void OnnxFile::warn_not_utf8(const Context& where, Bytes part) {
  warning(DiagnosticKind::DeprecatedForm, part,
          formatted("the text {}{} is not UTF-8", in_backticks(text_of(part)), where.as_owner()));
}

void OnnxFile::skip_unknown(Bytes field) {
  if (unknown_++ == 0) first_unknown_ = field;
}

void OnnxFile::finish() {
  if (unknown_ == 0) return;
  diagnostics_.remark(DiagnosticKind::VersionNewer, location(first_unknown_),
                      formatted("{} fields that ONNX 1.22 does not have are ignored; the first is here", unknown_));
}

bool OnnxFile::charge(std::uint64_t bytes, const Context& where) {
  if (is_exhausted_) return false;
  const std::uint64_t allowance = kMinAllowance + (bytes_.size() + external_.total_size()) * kMaxExpansion;
  if (bytes <= allowance - charged_) {
    charged_ += bytes;
    return true;
  }
  is_exhausted_ = true;
  error(DiagnosticKind::OutOfRange, where.message,
        formatted("{} needs more memory than the {} bytes that a model of this size may take", where.describe(),
                  allowance));
  return false;
}

}  // namespace slipway::importer::onnx
