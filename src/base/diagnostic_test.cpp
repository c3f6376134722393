// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/print_diagnostic.hpp"

namespace slipway {
namespace {

SourcePtr blur() { return make_source("blur.json", "{\n  \"dimz\": [256, 256],\n\t\"日本\": \"é\", \"x\": 1\r\n}"); }

TEST(Diagnostic, ShowsTheLineAndMarksTheLocation) {
  const SourcePtr source = blur();
  Diagnostic diagnostic{.kind = DiagnosticKind::UnknownKey,
                        .message = "unknown key `dimz` in image `input`",
                        .location = SourceLocation::in_text(source, {4, 10})};
  diagnostic.suggest(diagnostic.location, "dims").at("/resources/3/image/dims", "input");
  diagnostic.note("the image is used here", SourceLocation::in_text(source, {0, 1}));
  EXPECT_EQ(format_diagnostic(diagnostic),
            "blur.json:2:3: error: unknown key `dimz` in image `input`; did you mean `dims`? [unknown-key]\n"
            "    2 |   \"dimz\": [256, 256],\n"
            "      |   ^~~~~~\n"
            "  = at /resources/3/image/dims (uid input)\n"
            "blur.json:1:1: note: the image is used here\n"
            "    1 | {\n"
            "      | ^\n");
}

TEST(Diagnostic, CaretFollowsTabsAndWideCharacters) {
  const SourcePtr source = blur();
  const std::size_t at = source->text().find("\"x\"");
  const Diagnostic diagnostic{
      .kind = DiagnosticKind::WrongType, .message = "m", .location = SourceLocation::in_text(source, {at, at + 3})};
  EXPECT_EQ(format_diagnostic(diagnostic),
            "blur.json:3:18: error: m [wrong-type]\n"
            "    3 | \t\"日本\": \"é\", \"x\": 1\n"
            "      | \t             ^~~\n");
  EXPECT_EQ(display_width("日本é"), 5u);
}

TEST(Diagnostic, LongLinesAreCutAroundTheLocation) {
  const SourcePtr source = make_source("l", std::string(300, 'a') + "X" + std::string(300, 'b'));
  const std::string text = format_diagnostic(
      {.kind = DiagnosticKind::JsonSyntax, .message = "m", .location = SourceLocation::in_text(source, {300, 301})});
  EXPECT_EQ(text, "l:1:301: error: m [json-syntax]\n    1 | ..." + std::string(80, 'a') + "X" + std::string(79, 'b') +
                      "...\n      | " + std::string(83, ' ') + "^\n");
}

TEST(Diagnostic, LocationsWithoutText) {
  EXPECT_EQ(format_diagnostic({.kind = DiagnosticKind::IndexOutOfRange,
                               .message = "segment 2 names module 7",
                               .location = SourceLocation::in_bytes("model.vgf", {0x1a40, 0x1a44})}),
            "model.vgf:0x1a40: error: segment 2 names module 7 [index-out-of-range]\n");
  EXPECT_EQ(format_diagnostic({.severity = Severity::Warning, .kind = DiagnosticKind::NoDevice, .message = "m"}),
            "warning: m [no-device]\n");
}

TEST(Diagnostic, ColourOnRequest) {
  const std::string text = format_diagnostic(
      {.kind = DiagnosticKind::Usage, .message = "m", .location = SourceLocation::in_file("f")}, {.colour = true});
  EXPECT_EQ(text, "\x1b[1mf:\x1b[0m \x1b[1;31merror\x1b[0m: m [usage]\n");
}

TEST(Diagnostic, ControlCharactersAreShown) {
  const auto source = make_source("a\x1b]0;t\x07.json", "x\x1b[2Jy \xc2\x9b z\t\n");
  EXPECT_EQ(format_diagnostic({.kind = DiagnosticKind::Usage,
                               .message = "m\x1b[1m\nn",
                               .location = SourceLocation::in_text(source, {0, 1}),
                               .path = "/a\x7f",
                               .uid = "u\r"}),
            "a\\x1b]0;t\\x07.json:1:1: error: m\\x1b[1m\nn [usage]\n    1 | x\\x1b[2Jy \\x9b z\t\n      | ^\n"
            "  = at /a\\x7f (uid u\\x0d)\n");
}

TEST(Diagnostic, MoreThanTheLimitAreCounted) {
  const std::vector<Diagnostic> many(3, {.kind = DiagnosticKind::Usage, .message = "m"});
  EXPECT_EQ(format_diagnostics(many, {.max_errors = 1}), "error: m [usage]\n2 more problems are not shown\n");
}

TEST(Diagnostics, CollectsSortsAndCounts) {
  const SourcePtr source = blur();
  Diagnostics diagnostics;
  diagnostics.warning(DiagnosticKind::UnknownKey, SourceLocation::in_text(source, {9, 10}), "second");
  diagnostics.error(DiagnosticKind::WrongType, SourceLocation::in_text(source, {2, 3}), "first");
  diagnostics.remark(DiagnosticKind::DeprecatedForm, SourceLocation::in_text(source, {12, 13}), "third");
  diagnostics.sort();
  EXPECT_EQ(diagnostics.all()[0].message, "first");
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.warnings(), 1u);
  diagnostics.make_strict();
  EXPECT_EQ(diagnostics.errors(), 2u);
}

TEST(Diagnostics, ExitStatusByClass) {
  const auto status = [](std::initializer_list<DiagnosticKind> kinds) {
    std::vector<Diagnostic> all;
    for (const DiagnosticKind kind : kinds) all.push_back({.kind = kind});
    return exit_status(all);
  };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({DiagnosticKind::ExpectationFailed}), 1);
  EXPECT_EQ(status({DiagnosticKind::Usage}), 2);
  EXPECT_EQ(status({DiagnosticKind::DeviceLacks, DiagnosticKind::JsonSyntax}), 3);
  EXPECT_EQ(status({DiagnosticKind::DeviceLacks}), 4);
  EXPECT_EQ(status({DiagnosticKind::ExpectationFailed, DiagnosticKind::FileUnwritable}), 5);
  EXPECT_EQ(exit_status({{.severity = Severity::Warning, .kind = DiagnosticKind::JsonSyntax}}), 0);
  EXPECT_EQ(worst_status(4, 1), 1);
}

TEST(Diagnostics, KindsHaveDistinctHyphenatedNames) {
  std::set<std::string_view> names;
  for (const DiagnosticKindInfo& info : diagnostic_kinds()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
        << info.name;
    EXPECT_FALSE(info.meaning.empty());
    EXPECT_EQ(name_of(info.kind), info.name);
  }
}

TEST(Result, FailureGathersNotes) {
  const Result<int> inner = fail(DiagnosticKind::FileFormat, SourceLocation::in_file("a.npy"), "bad magic");
  const Result<int> outer = fail(inner.error(), "while loading `x`", SourceLocation::in_file("s.json"));
  EXPECT_EQ(format_diagnostics(outer.error()),
            "a.npy: error: bad magic [file-format]\ns.json: note: while loading `x`\n");
  Diagnostics diagnostics;
  EXPECT_EQ(diagnostics.take(outer), std::nullopt);
  EXPECT_EQ(diagnostics.take(Result<int>(4)), 4);
  EXPECT_EQ(diagnostics.errors(), 1u);
}

TEST(Source, PositionsAndLines) {
  const Source source("s", "ab\ncd\r\n\nx");
  EXPECT_EQ(source.position(4).line, 2u);
  EXPECT_EQ(source.position(4).column, 2u);
  EXPECT_EQ(source.position(99).offset, 9u);
  EXPECT_EQ(source.line(2), "cd");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "x");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.text({1, 99}), "b\ncd\r\n\nx");
}

Result<std::unique_ptr<int>> positive(int number) {
  if (number <= 0) return fail(DiagnosticKind::OutOfRange, {}, "not positive");
  return std::make_unique<int>(number);
}

Result<> check_even(int number) {
  if (number % 2) return fail(DiagnosticKind::OutOfRange, {}, "odd");
  return {};
}

template <int First, int Second>
Result<int> sum() {
  return First + Second;
}

Result<std::string> even_text(int number) {
  SLIPWAY_TRY(const std::unique_ptr<int> owned, positive(number));
  SLIPWAY_TRY_VOID(check_even(*owned));
  int more = 0;
  SLIPWAY_TRY(more, sum<1, 2>());
  return std::to_string(*owned + more);
}

TEST(Try, ReturnsTheFailureOrDeclaresTheValue) {
  EXPECT_EQ(even_text(4).value(), "7");
  EXPECT_EQ(even_text(-1).error().at(0).message, "not positive");
  EXPECT_EQ(even_text(3).error().at(0).message, "odd");
}

}  // namespace
}  // namespace slipway
