// What the rule families of check.hpp share.
#pragma once

#include <string>

#include "zeinfo/check.hpp"
#include "zeinfo/locate.hpp"
#include "zeinfo/parse.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {

class RuleContext {
 public:
  RuleContext(const Document& document, const Target& target, const CheckOptions& options, Problems& problems)
      : document(document),
        target(target),
        options(options),
        version(effective_version(document, target.container_version)),
        level(version.level()),
        problems_(problems) {}

  const Document& document;
  const Target& target;
  const CheckOptions& options;
  const Version version;
  const int level;

  // At the value of a key of `object`; at its first key if it does not have it. The message is made only if it is
  // shown.
  template <class T, class F>
  Diagnostic* tell(Severity severity, DiagnosticKind kind, const T& object, typename T::Key key, F&& message) {
    if (!problems_.wants(severity)) {
      problems_.count(severity);
      return nullptr;
    }
    return problems_.report(severity, kind, locate(document, object, key).value, message());
  }
  // At the key itself.
  template <class T, class F>
  Diagnostic* tell_key(Severity severity, DiagnosticKind kind, const T& object, typename T::Key key, F&& message) {
    if (!problems_.wants(severity)) {
      problems_.count(severity);
      return nullptr;
    }
    return problems_.report(severity, kind, locate(document, object, key).key, message());
  }
  template <class F>
  Diagnostic* tell_at(Severity severity, DiagnosticKind kind, std::uint32_t at, std::string_view key, bool of_key,
                      F&& message) {
    if (!problems_.wants(severity)) {
      problems_.count(severity);
      return nullptr;
    }
    const EntryPlace location = locate(document, at, key);
    return problems_.report(severity, kind, of_key ? location.key : location.value, message());
  }
  Diagnostic* tell_span(Severity severity, DiagnosticKind kind, Span span, std::string_view message) {
    return problems_.report(severity, kind, span, message);
  }

 private:
  Problems& problems_;
};

void check_spec(RuleContext& context);
void check_consistency(RuleContext& context);
void check_names(RuleContext& context);
void check_container(RuleContext& context);
void check_runtime(RuleContext& context);

}  // namespace slipway::zeinfo
