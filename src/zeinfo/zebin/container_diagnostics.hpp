// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the diagnostics of a container at byte offsets; a limited number is kept.
#pragma once

#include <cstdint>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway::zebin {

class ContainerDiagnostics {
 public:
  // `base` is the offset of the container in the named file: members of archives do not begin at 0.
  ContainerDiagnostics(std::string name, Diagnostics& to, std::uint64_t base = 0, std::size_t limit = 100)
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
  // The number of diagnostics that were not kept.
  std::size_t dropped() const { return count_ > limit_ ? count_ - limit_ : 0; }

 private:
  void report(Severity severity, DiagnosticKind kind, Span span, std::string message) {
    errors_ += severity == Severity::Error;
    if (++count_ > limit_) {
      // At least one error must be kept, since it determines the exit status.
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
