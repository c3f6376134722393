// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/expectations.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text/suggest.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kExpectedNames[] = {"fail", "crash", "hang", "flaky", "skip", "unsupported"};

// A word of a line, without its quotes, and where it is.
struct LineWord {
  std::string text;
  Span span;
};

struct SplitLine {
  std::vector<LineWord> words;
  std::string comment;
  bool is_closed = true;  // every quote has its second one
};

SplitLine split_line(std::string_view line, std::uint64_t offset) {
  SplitLine split;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
    } else if (line[i] == '#') {
      std::string_view comment = line.substr(i + 1);
      comment.remove_prefix(std::min(comment.find_first_not_of(' '), comment.size()));
      comment.remove_suffix(comment.size() - (comment.find_last_not_of(" \t\r") + 1));
      split.comment = comment;
      break;
    } else {
      LineWord& word = split.words.emplace_back();
      word.span.begin = offset + i;
      bool quoted = false;
      for (; i < line.size() && (quoted || (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')); ++i) {
        if (line[i] == '"')
          quoted = !quoted;
        else
          word.text += line[i];
      }
      word.span.end = offset + i;
      split.is_closed &= !quoted;
    }
  }
  return split;
}

class ExpectationReader {
 public:
  ExpectationReader(SourcePtr source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics) {}

  std::vector<CaseExpectation> read() {
    const std::string_view text = source_->text();
    for (std::size_t begin = 0; begin < text.size();) {
      ++line_;
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      read_line(split_line(text.substr(begin, end - begin), begin), {begin, end});
      begin = end + 1;
    }
    return std::move(all_);
  }

 private:
  void read_line(const SplitLine& line, Span span) {
    if (line.words.empty()) return;
    if (!line.is_closed) {
      error(span, "a quote is not closed on this line");
      return;
    }
    CaseExpectation one{.reason = line.comment, .location = SourceLocation::in_text(source_, span), .line = line_};
    const LineWord& verdict = line.words[0];
    const auto name = std::ranges::find(kExpectedNames, verdict.text);
    if (name == std::end(kExpectedNames)) {
      Diagnostic& problem =
          error(verdict.span,
                formatted("unknown verdict `{}`; accepted are `fail`, `crash`, `hang`, `flaky`, `skip`, `unsupported`",
                          verdict.text));
      if (const auto near = closest(verdict.text, kExpectedNames))
        problem.suggest(SourceLocation::in_text(source_, verdict.span), std::string(*near));
      return;
    }
    one.expected = static_cast<Expected>(name - std::begin(kExpectedNames));
    if (line.words.size() == 1) {
      error(verdict.span, formatted("`{}` needs a file or a pattern of files", verdict.text));
      return;
    }
    one.pattern = line.words[1].text;
    for (const LineWord& word : std::span(line.words).subspan(2)) {
      if (word.text.starts_with("device="))
        one.device = word.text.substr(7);
      else if (word.text.starts_with("driver="))
        one.driver = word.text.substr(7);
      else
        error(word.span, formatted("unknown condition `{}`; accepted are `device=PATTERN`, `driver=PATTERN`; a reason "
                                   "follows `#`",
                                   word.text));
    }
    all_.push_back(std::move(one));
  }

  Diagnostic& error(Span span, std::string message) {
    return diagnostics_.error(DiagnosticKind::TextSyntax, SourceLocation::in_text(source_, span), std::move(message));
  }

  SourcePtr source_;
  Diagnostics& diagnostics_;
  std::vector<CaseExpectation> all_;
  std::uint32_t line_ = 0;
};

bool matches_file(std::string_view pattern, std::string_view file) {
  if (matches_pattern(pattern, file)) return true;
  for (std::size_t at = file.find('/'); at != file.npos; at = file.find('/', at + 1)) {
    if (matches_pattern(pattern, file.substr(at + 1))) return true;
  }
  return false;
}

// The expectation that a result would fulfil.
std::optional<Expected> expected_for(CaseVerdict verdict) {
  switch (verdict) {
    case CaseVerdict::Failed:
    case CaseVerdict::PartlyCompared:
    case CaseVerdict::Error:
      return Expected::Fail;
    case CaseVerdict::Crashed:
      return Expected::Crash;
    case CaseVerdict::TimedOut:
      return Expected::Hang;
    case CaseVerdict::Passed:
    case CaseVerdict::Ran:
    case CaseVerdict::Skipped:
    case CaseVerdict::NotRun:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string quoted_if_needed(const std::string& text) {
  return text.find_first_of(" \t#") == text.npos && !text.empty() ? text : "\"" + text + "\"";
}

}  // namespace

std::string_view name_of(Expected expected) { return kExpectedNames[static_cast<std::size_t>(expected)]; }

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // The last `*` and the text that it took so far; what follows is tried again with one character more.
  std::size_t p = 0, t = 0, star = pattern.npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<Expectations> Expectations::read(const std::string& path, Diagnostics& diagnostics) {
  const auto source = diagnostics.take(read_source(path));
  return source ? parse(*source, diagnostics) : std::nullopt;
}

std::optional<Expectations> Expectations::parse(SourcePtr source, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  Expectations expectations;
  expectations.source_ = source;
  expectations.all_ = ExpectationReader(std::move(source), diagnostics).read();
  if (diagnostics.errors() != errors) return std::nullopt;
  return expectations;
}

const CaseExpectation* Expectations::find(std::string_view file, const DeviceIdentity& device) const {
  const auto found = std::ranges::find_if(all_, [&](const CaseExpectation& one) {
    return matches_file(one.pattern, file) && (!one.device || matches_pattern(*one.device, device.name)) &&
           (!one.driver || matches_pattern(*one.driver, device.driver));
  });
  return found == all_.end() ? nullptr : &*found;
}

std::optional<Diagnostic> Expectations::unlisted(CaseResult& result) const {
  if (result.verdict != CaseVerdict::Skipped || find(result.file, result.device) ||
      !std::ranges::contains(all_, Expected::Unsupported, &CaseExpectation::expected))
    return std::nullopt;
  result.is_ok = false;
  return Diagnostic{.kind = DiagnosticKind::UnexpectedVerdict,
                    .message = "the device cannot run the case, and no line expects it",
                    .location = SourceLocation::in_file(result.file)};
}

bool is_expected(Expected expected, CaseVerdict verdict) {
  if (expected == Expected::Flaky) return is_success(verdict) || verdict == CaseVerdict::Skipped;
  if (expected == Expected::Skip || expected == Expected::Unsupported || verdict == CaseVerdict::Skipped)
    return verdict == CaseVerdict::Skipped;
  return expected_for(verdict) == expected;
}

std::optional<Diagnostic> apply_expectation(const CaseExpectation& expectation, CaseResult& result) {
  result.expected = name_of(expectation.expected);
  if (!expectation.reason.empty()) result.reason = expectation.reason;
  // A device that lacks something says nothing about the case.
  result.is_ok = result.verdict == CaseVerdict::Skipped || is_expected(expectation.expected, result.verdict);
  if (result.is_ok) return std::nullopt;
  if (expectation.expected == Expected::Flaky) return std::nullopt;  // its own diagnostics say why it fails
  const std::string what =
      is_success(result.verdict) ? "the case passes" : formatted("the verdict is `{}`", name_of(result.verdict));
  return Diagnostic{.kind = DiagnosticKind::UnexpectedVerdict,
                    .message = formatted("{}, but `{}` is expected", what, name_of(expectation.expected)),
                    .location = SourceLocation::in_file(result.file)}
      .note("expected by this line", expectation.location);
}

std::string update_expectations(const Expectations& expectations, std::span<const CaseResult> results, bool for_device,
                                std::vector<std::string>& changes) {
  std::map<std::uint32_t, std::optional<Expected>> changed;  // by line; nothing: the line is removed
  std::string added;
  const bool lists_unsupported =
      std::ranges::contains(expectations.all(), Expected::Unsupported, &CaseExpectation::expected);
  for (const CaseResult& result : results) {
    const CaseExpectation* const line = expectations.find(result.file, result.device);
    std::optional<Expected> now = expected_for(result.verdict);
    if (lists_unsupported && result.verdict == CaseVerdict::Skipped) now = Expected::Unsupported;
    if (!line) {
      if (!now) continue;
      if (result.file.find_first_of("\"\n\r*?") != result.file.npos) {
        changes.push_back(
            formatted("not added: {} {}, whose name cannot be written as a pattern", name_of(*now), result.file));
        continue;
      }
      added += formatted("{} {}", name_of(*now), quoted_if_needed(result.file));
      if (for_device) added += formatted(" device=\"{}\"", result.device.name);
      added += '\n';
      changes.push_back(formatted("added: {} {}", name_of(*now), result.file));
      continue;
    }
    if (result.verdict == CaseVerdict::Skipped || line->expected == Expected::Flaky ||
        is_expected(line->expected, result.verdict))
      continue;
    if (line->pattern.find_first_of("*?") != line->pattern.npos) {
      changes.push_back(formatted("not changed: line {}, whose pattern `{}` matches {}, which {}", line->line,
                                  line->pattern, result.file, now ? "ends in another way" : "passes"));
      continue;
    }
    changed[line->line] = now;
    changes.push_back(now ? formatted("changed: {} {}", name_of(*now), result.file)
                          : formatted("removed: {} {}", name_of(line->expected), result.file));
  }
  std::string text;
  std::uint32_t number = 0;
  for (std::string_view rest = expectations.source()->text(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto change = changed.find(++number);
    if (change != changed.end() && !change->second) continue;
    if (change == changed.end()) {
      text += line;
    } else {
      const SplitLine split = split_line(line, 0);
      text += line.substr(0, split.words[0].span.begin);
      text += name_of(*change->second);
      text += line.substr(split.words[0].span.end);
    }
    text += '\n';
  }
  return text + added;
}

}  // namespace slipway::cli
