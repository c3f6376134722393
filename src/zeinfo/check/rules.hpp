// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the rule families of check.hpp.
#pragma once

#include <string>

#include "zeinfo/check/level.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/read/locate.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/text_diagnostics.hpp"

namespace slipway::zeinfo {

class RuleContext {
 public:
  RuleContext(const Document& document, const Target& target, const CheckOptions& options, TextDiagnostics& diagnostics)
      : document(document),
        target(target),
        options(options),
        version(effective_version(document, target.container_version)),
        level(version.level()),
        diagnostics_(diagnostics) {}

  const Document& document;
  const Target& target;
  const CheckOptions& options;
  const Version version;
  const int level;

  // Reports at the value of a key of `object`, or at the object's first key if the key is absent. The message is built
  // only if it is shown.
  template <class T, class F>
  Diagnostic* report(Severity severity, DiagnosticKind kind, const T& object, typename T::Key key, F&& message) {
    if (!diagnostics_.keeps(severity)) {
      diagnostics_.count(severity);
      return nullptr;
    }
    return diagnostics_.report(severity, kind, locate(document, object, key).value, message());
  }
  template <class F>
  Diagnostic* report_at(Severity severity, DiagnosticKind kind, std::uint32_t at, std::string_view key, bool of_key,
                        F&& message) {
    if (!diagnostics_.keeps(severity)) {
      diagnostics_.count(severity);
      return nullptr;
    }
    const EntryLocation location = locate(document, at, key);
    return diagnostics_.report(severity, kind, of_key ? location.key : location.value, message());
  }
  Diagnostic* report_span(Severity severity, DiagnosticKind kind, Span span, std::string_view message) {
    return diagnostics_.report(severity, kind, span, message);
  }

 private:
  TextDiagnostics& diagnostics_;
};

void check_spec(RuleContext& context);
void check_consistency(RuleContext& context);
void check_names(RuleContext& context);
void check_container(RuleContext& context);
void check_runtime(RuleContext& context);

}  // namespace slipway::zeinfo
