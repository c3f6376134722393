// Where the diagnostics of a container go: at byte offsets, and no more of them than a person reads.
#pragma once

#include <cstdint>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway::zebin {

class Problems {
 public:
  // `base` is where the container begins in the file named: members of archives do not begin at 0.
  Problems(std::string name, Diagnostics& to, std::uint64_t base = 0, std::size_t limit = 100)
      : name_(std::move(name)), to_(&to), base_(base), limit_(limit) {}

  void error(DiagnosticKind kind, Span span, std::string message) {
    report(Severity::Error, kind, span, std::move(message));
  }
  void warning(DiagnosticKind kind, Span span, std::string message) {
    report(Severity::Warning, kind, span, std::move(message));
  }
  void remark(DiagnosticKind kind, Span span, std::string message) {
    report(Severity::Note, kind, span, std::move(message));
  }

  const std::string& name() const { return name_; }
  SourceLocation location(Span span) const {
    return SourceLocation::in_bytes(name_, {span.begin + base_, span.end + base_});
  }
  std::size_t errors() const { return errors_; }
  // How many were not kept.
  std::size_t dropped() const { return count_ > limit_ ? count_ - limit_ : 0; }

 private:
  void report(Severity severity, DiagnosticKind kind, Span span, std::string message) {
    errors_ += severity == Severity::Error;
    if (++count_ > limit_) {
      // An error must not be lost altogether: it decides the exit status.
      if (severity != Severity::Error || errors_ > 1) return;
    }
    to_->add(Diagnostic{.severity = severity, .kind = kind, .message = std::move(message), .location = location(span)});
  }

  std::string name_;
  Diagnostics* to_;
  std::uint64_t base_;
  std::size_t limit_;
  std::size_t count_ = 0, errors_ = 0;
};

}  // namespace slipway::zebin
