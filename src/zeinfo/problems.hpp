// Where the diagnostics of one text go: with places, at most so many of each severity, and counted beyond that.
//
//   Problems problems("k.ze_info", text, diagnostics);
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

class Problems {
 public:
  // `text` must live as long as this; it is copied into a Source only when there is a first problem to show.
  Problems(std::string name, std::string_view text, Diagnostics& to, std::size_t limit = 100)
      : name_(std::move(name)), text_(text), to_(&to), limit_(limit) {}

  // The diagnostic, to add notes to until the next call; null past the limit, when it is only counted.
  Diagnostic* report(Severity severity, DiagnosticKind kind, Span span, std::string_view message);
  // Whether `report` would keep one of this severity: lets callers save the making of messages.
  bool wants(Severity severity) const { return counts_[static_cast<int>(severity)] < limit_; }
  // Counts one that is not wanted.
  void count(Severity severity) { ++counts_[static_cast<int>(severity)]; }

  // The empty span at 0 is the whole file.
  SourceLocation location(Span span);

  // Called for each diagnostic that is kept, before it is given back: a container adds its notes here.
  void on_report(std::function<void(Diagnostic&)> decorate) { decorate_ = std::move(decorate); }

  std::size_t errors() const { return counts_[static_cast<int>(Severity::Error)]; }
  std::size_t warnings() const { return counts_[static_cast<int>(Severity::Warning)]; }
  // How many were not kept.
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
