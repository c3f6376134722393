// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/parse/parser.hpp"

#include "base/format.hpp"

namespace slipway::rpl {

bool Parser::expected(std::string_view what, std::string_view hint) {
  // A file that ends too early has one problem: the bracket that is still open.
  if (is(TokenKind::End) && unclosed_) return false;
  // The bytes that no token contains were reported, and this follows from them.
  if (follows_bad_bytes()) return false;
  const Token& found = at();
  std::string seen(text_of(found.kind));
  if (found.kind == TokenKind::Identifier || found.kind == TokenKind::PlainInt || found.kind == TokenKind::Sint ||
      found.kind == TokenKind::Uint || found.kind == TokenKind::Float) {
    const SourceLocation location = program_.location(range_of(found));
    seen = formatted("`{}`", location.source->text(location.span));
  }
  // A token that is missing at the end of a line is reported there, not at the beginning of the next.
  Diagnostic& problem =
      error(DiagnosticKind::RplExpected, range_of(found), formatted("expected {}, found {}", what, seen));
  if (!hint.empty()) problem.hint(std::string(hint));
  return false;
}

void Parser::find_bad_bytes() {
  bad_bytes_.clear();
  const SourcePtr source = program_.location(range_of(at())).source;
  for (const Diagnostic& known : diagnostics_.all()) {
    if (known.kind == DiagnosticKind::RplChar && known.location.source == source)
      bad_bytes_.push_back(known.location.span.begin);
  }
}

bool Parser::follows_bad_bytes() const {
  if (bad_bytes_.empty()) return false;
  const std::uint32_t begin = token_ == first_ ? token_->begin : token_[-1].end;
  const Span gap = program_.location({begin, token_->begin}).span;
  const auto next = std::ranges::lower_bound(bad_bytes_, gap.begin);
  return next != bad_bytes_.end() && *next < gap.end;
}

bool Parser::expect(TokenKind kind) {
  if (accept(kind)) return true;
  return expected(text_of(kind));
}

bool Parser::expect_close(TokenKind kind, const Token& open) {
  if (accept(kind)) return true;
  if (is(TokenKind::End)) {
    if (!unclosed_) {
      error(DiagnosticKind::RplUnclosed, range_of(open), formatted("{} is never closed", text_of(open.kind)))
          .hint(formatted("add {}", text_of(kind)));
    }
    unclosed_ = true;
    return false;
  }
  return expected(text_of(kind));
}

bool Parser::expect_name(NameId& name, Range& range, std::string_view what) {
  if (!is(TokenKind::Identifier)) return expected(what);
  name = at().value;
  range = range_of(at());
  advance();
  check_declared(name, range);
  return true;
}

void Parser::check_declared(NameId name, Range range) {
  if (name != Word::void_ && name != Word::true_ && name != Word::false_) return;
  error(DiagnosticKind::RplReservedName, range,
        formatted("`{}` is reserved and cannot be declared", program_.text(name)));
}

bool Parser::report_nesting() {
  if (abandoned_) return true;
  abandoned_ = true;
  error(DiagnosticKind::RplNesting, range_of(at()), formatted("more than {} levels of nesting", kMaxNesting));
  return true;
}

void Parser::recover_in_body() {
  std::uint32_t braces = 0;
  for (;; advance()) {
    switch (at().kind) {
      case TokenKind::End:
        return;
      case TokenKind::LeftBrace:
        ++braces;
        break;
      case TokenKind::RightBrace:
        if (braces == 0) return;
        if (--braces == 0 && following().kind != TokenKind::Semicolon && following().kind != TokenKind::Dot &&
            following().kind != TokenKind::RightParen && following().kind != TokenKind::Comma) {
          advance();
          return;
        }
        break;
      case TokenKind::Semicolon:
        if (braces != 0) break;
        advance();
        return;
      default:
        break;
    }
  }
}

// Whether an item begins at this token: an item word with its follower.
bool Parser::starts_item(const Token* token) const {
  if (token->kind != TokenKind::Identifier || token == end_) return false;
  const Token& next = token[1];
  if (token->value == Word::conditional) return next.kind == TokenKind::LeftParen;
  return (token->value == Word::global || token->value == Word::instance || token->value == Word::constant ||
          token->value == Word::setting || token->value == Word::struct_ ||
          (token->value >= Word::vertex_attribute_container && token->value <= Word::set_shared) ||
          token->value == Word::push_constant || token->value == Word::workgroup_buffer) &&
         next.kind == TokenKind::Identifier;
}

// Recovers from an error in an item that began at `begin`: skips past its `;` or `}`, or to the next item. Brackets are
// counted from the beginning, because the error may be inside some.
void Parser::recover_item(const Token* begin) {
  std::uint32_t braces = 0;
  for (const Token* token = begin; token < token_; ++token) {
    if (token->kind == TokenKind::LeftBrace) ++braces;
    if (token->kind == TokenKind::RightBrace && braces != 0) --braces;
  }
  if (token_ > begin && braces == 0 &&
      (token_[-1].kind == TokenKind::Semicolon || token_[-1].kind == TokenKind::RightBrace)) {
    return;
  }
  for (bool first = token_ == begin; !is(TokenKind::End); first = false) {
    if (braces == 0 && !first && starts_item(token_)) return;
    const TokenKind kind = at().kind;
    advance();
    if (kind == TokenKind::LeftBrace) ++braces;
    if (kind == TokenKind::RightBrace) {
      if (braces <= 1) {
        accept(TokenKind::Semicolon);
        return;
      }
      --braces;
    }
    if (kind == TokenKind::Semicolon && braces == 0) return;
  }
}

List Parser::move_to_lists(std::size_t mark) {
  const List list{static_cast<std::uint32_t>(program_.lists.size()), static_cast<std::uint32_t>(stack_.size() - mark)};
  // Lists are short: cheaper than inserting a range.
  std::vector<std::uint32_t>& lists = program_.lists;
  for (const std::uint32_t entry : std::span(stack_).subspan(mark)) lists.push_back(entry);
  truncate(stack_, mark);
  return list;
}

}  // namespace slipway::rpl
