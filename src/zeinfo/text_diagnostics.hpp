// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the diagnostics of one text with their locations: a limited number of each severity is kept, the others are
// counted.
//
//   TextDiagnostics problems("k.ze_info", text, diagnostics);
//   Document document = parse(text, problems);
//   check(document, target, options, problems);
//   problems.errors()  // all of them, shown or not
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::zeinfo {

class TextDiagnostics {
 public:
  // `text` must outlive this object; it is copied into a Source only with the first diagnostic.
  TextDiagnostics(std::string name, std::string_view text, Diagnostics& to, std::size_t limit = 100)
      : name_(std::move(name)), text_(text), to_(&to), limit_(limit) {}

  // Returns the diagnostic, valid until the next call, so that notes can be added; null past the limit, when it is only
  // counted.
  Diagnostic* report(Severity severity, DiagnosticKind kind, Span span, std::string_view message);
  // Whether `report` would keep a diagnostic of this severity, so that callers can avoid building messages.
  bool keeps(Severity severity) const { return counts_[static_cast<int>(severity)] < limit_; }
  // Counts a diagnostic without keeping it.
  void count(Severity severity) { ++counts_[static_cast<int>(severity)]; }

  // The empty span at 0 means the whole file.
  SourceLocation location(Span span);

  // Called for each diagnostic that is kept, before `report` returns it: a container adds its notes here.
  void on_report(std::function<void(Diagnostic&)> decorate) { decorate_ = std::move(decorate); }

  std::size_t errors() const { return counts_[static_cast<int>(Severity::Error)]; }
  std::size_t warnings() const { return counts_[static_cast<int>(Severity::Warning)]; }
  // The number of diagnostics that were not kept.
  std::size_t dropped() const;
  std::string_view text() const { return text_; }

 private:
  std::string name_;
  std::string_view text_;
  Diagnostics* to_;
  std::size_t limit_;
  std::array<std::size_t, 3> counts_ = {};
  SourcePtr source_;
  std::function<void(Diagnostic&)> decorate_;
};

}  // namespace slipway::zeinfo
