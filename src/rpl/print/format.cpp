// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/format.hpp"

#include <algorithm>

#include "rpl/parse/lex.hpp"
#include "rpl/program.hpp"

namespace slipway::rpl {
namespace {

using enum TokenKind;

// A token or a comment of the text.
struct Piece {
  TokenKind kind = End;
  std::uint32_t value = 0;  // NameId of an identifier
  bool comment = false;
  bool line_comment = false;
  std::string_view text;
  std::size_t breaks = 0;  // line ends between the piece before and this one
};

std::vector<Piece> pieces_of(std::string_view text, const std::vector<Token>& tokens,
                             const std::vector<Comment>& comments) {
  std::vector<Piece> pieces;
  std::size_t end = 0;
  const auto add = [&](Piece piece, std::uint32_t from, std::uint32_t to) {
    piece.text = text.substr(from, to - from);
    piece.breaks = static_cast<std::size_t>(std::ranges::count(text.substr(end, from - end), '\n'));
    end = to;
    pieces.push_back(piece);
  };
  auto comment = comments.begin();
  for (const Token& token : tokens) {
    for (; comment != comments.end() && (comment->begin < token.begin || token.kind == End); ++comment) {
      const bool is_line = text.substr(comment->begin).starts_with("//");
      add({.comment = true, .line_comment = is_line}, comment->begin, comment->end);
    }
    if (token.kind != End) add({.kind = token.kind, .value = token.value}, token.begin, token.end);
  }
  return pieces;
}

class Formatter {
 public:
  explicit Formatter(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  std::string format() {
    for (at_ = 0; at_ < pieces_.size(); ++at_) pieces_[at_].comment ? comment() : token();
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

 private:
  // What is open: a block has its own lines, or one line where the author wrote it on one; the others belong to a
  // statement.
  enum class Open : std::uint8_t { Block, Line, Paren, Prefix, Alias, Bracket, Constructor };

  const Piece& piece() const { return pieces_[at_]; }
  // The token before the piece, or nothing.
  const Piece* before() const { return last_; }
  TokenKind next_kind() const {
    for (std::size_t i = at_ + 1; i < pieces_.size(); ++i) {
      if (!pieces_[i].comment) return pieces_[i].kind;
    }
    return End;
  }
  bool in_statement_bracket() const { return !open_.empty() && open_.back() > Open::Line; }
  bool on_one_line() const { return !open_.empty() && open_.back() == Open::Line; }
  std::size_t depth() const { return static_cast<std::size_t>(std::ranges::count(open_, Open::Block)); }
  bool is(NameId word) const { return piece().kind == Identifier && piece().value == word; }

  // --- lines
  void new_line(std::size_t levels) {
    if (out_.empty()) return;
    const bool blank = (wants_blank_ || piece().breaks >= 2) && !after_brace_ && piece().kind != RightBrace;
    out_ += blank && line_is_free_to_blank() ? "\n\n" : "\n";
    out_.append(4 * levels, ' ');
    wants_blank_ = after_brace_ = false;
  }
  // Blank lines separate statements and comments; a statement has no blank lines.
  bool line_is_free_to_blank() const { return !in_statement_; }

  // The indentation of what follows in the same statement.
  std::size_t continued() const { return depth() + (in_statement_ ? 1 : 0); }

  void comment() {
    const bool own_line = piece().breaks > 0 || out_.empty();
    if (own_line) {
      new_line(in_statement_ && !prefix_ended_ ? continued() : depth());
    } else if (!out_.empty() && !(in_statement_ && !after_comment_ && before() && is_tight(*before()))) {
      out_ += ' ';
    }
    out_ += trimmed(piece().text);
    if (piece().line_comment || (own_line && !in_statement_)) line_ended_ = true;
    after_comment_ = true;
    after_brace_ = false;
  }
  static std::string_view trimmed(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\v\f");
    return text.substr(0, end == text.npos ? 0 : end + 1);
  }

  void token() {
    const bool closes_block = piece().kind == RightBrace && !in_statement_bracket();
    const bool opens_block = piece().kind == LeftBrace && is_block();
    const bool one_line = opens_block ? fits_on_line() : closes_block && on_one_line();
    if (closes_block && !open_.empty()) open_.pop_back();
    if (one_line) {
      in_statement_ = false;
      if (!(closes_block && before() && before()->kind == LeftBrace)) out_ += ' ';
    } else {
      location(opens_block, closes_block);
    }
    out_ += piece().text;
    after_comment_ = false;
    line_ended_ = false;
    prefix_ended_ = false;
    follow(opens_block, closes_block, one_line);
    last_ = &piece();
  }

  // Whether a block stays on the line of its `{`: the author wrote it so, it holds no comment and no other block, and
  // the line stays short.
  bool fits_on_line() const {
    constexpr std::size_t kMaxLine = 120;
    std::size_t length = out_.size() - (out_.rfind('\n') + 1);
    int depth = 0;
    for (std::size_t i = at_; i < pieces_.size(); ++i) {
      const Piece& of = pieces_[i];
      length += of.text.size() + 1;
      if (of.comment || of.breaks != 0 || length > kMaxLine) return false;
      if (of.kind == LeftBrace && ++depth > 1 &&
          !(pieces_[i - 1].kind == Identifier && pieces_[i - 1].value != Word::else_)) {
        return false;
      }
      if (of.kind == RightBrace && --depth == 0) return !out_.empty();
    }
    return false;
  }

  // Writes the separation between the text before and the token.
  void location(bool opens_block, bool closes_block) {
    if (out_.empty()) return;
    const bool attaches = piece().kind == Semicolon && before() && !after_comment_;
    if (attaches) return;
    if (opens_block || closes_block) {
      in_statement_ = false;
      return new_line(depth());
    }
    if (!in_statement_ && on_one_line()) {
      out_ += ' ';
      return;
    }
    if (!in_statement_) return new_line(depth());
    if (line_ended_) return new_line(prefix_ended_ ? depth() : continued());
    if (piece().breaks > 0 && may_break_before()) return new_line(prefix_ended_ ? depth() : continued());
    if (after_comment_ ? !closes() : needs_space()) out_ += ' ';
  }

  bool may_break_before() const {
    constexpr TokenKind kStay[] = {Semicolon, Comma, RightParen, RightBracket, RightBrace, Dot, LeftBracket, Ellipsis};
    return !std::ranges::contains(kStay, piece().kind) && !(before() && is_tight(*before()));
  }
  // No space follows these.
  bool is_tight(const Piece& of) const {
    return of.kind == LeftParen || of.kind == LeftBracket || of.kind == Dot || of.kind == Bang || of.kind == Tilde ||
           (of.kind == LeftBrace && !open_.empty() && open_.back() == Open::Constructor) || unary_;
  }
  bool needs_space() const { return !closes() && before() && !is_tight(*before()); }
  // No space precedes these. A brace here is that of a constructor.
  bool closes() const {
    constexpr TokenKind kClose[] = {Semicolon, Comma,       RightParen, RightBracket, RightBrace,
                                    Dot,       LeftBracket, Ellipsis,   Colon};
    return std::ranges::contains(kClose, piece().kind);
  }

  // A `{` that begins a block: not that of a constructor, which follows a type in an expression.
  bool is_block() const {
    if (in_statement_bracket()) return false;
    if (!before() || before()->kind != Identifier || before()->value == Word::else_) return true;
    return depth() == 0 && !assigned_;
  }

  // Minus and plus are unary where no operand precedes them.
  bool is_unary() const {
    if (piece().kind != Minus && piece().kind != Plus) return false;
    if (!before()) return true;
    switch (before()->kind) {
      case Identifier:
        // `return -x`, `sint -1`, `float -1.0`
        return before()->value == Word::return_ ||
               (option_ && (before()->value == Word::sint || before()->value == Word::float_));
      case PlainInt:
      case Sint:
      case Uint:
      case Float:
      case String:
      case RightParen:
      case RightBracket:
      case RightBrace:
        return false;
      default:
        return true;
    }
  }

  // The effect of the token on those after it.
  void follow(bool opens_block, bool closes_block, bool one_line) {
    const bool starts = !in_statement_ || prefixes_only_;
    const bool unary = is_unary();
    if (!in_statement_) assigned_ = option_ = false;
    unary_ = unary;
    switch (piece().kind) {
      case LeftBrace:
        open_.push_back(one_line ? Open::Line : opens_block ? Open::Block : Open::Constructor);
        if (opens_block) return end_statement(!one_line);
        break;
      case RightBrace:
        if (closes_block) {
          if (depth() == 0 && !one_line) wants_blank_ = true;
          return end_statement(false);
        }
        pop();
        break;
      case LeftParen:
        open_.push_back(paren_);
        paren_ = Open::Paren;
        break;
      case RightParen: {
        const Open closed = pop();
        if (closed == Open::Alias && next_kind() != Semicolon) return end_statement(false);
        prefix_ended_ = closed == Open::Prefix;
        prefixes_only_ = closed == Open::Prefix;
        in_statement_ = true;
        return;
      }
      case LeftBracket:
        open_.push_back(Open::Bracket);
        break;
      case RightBracket:
        pop();
        break;
      case Semicolon:
        if (!in_statement_bracket()) return end_statement(false);
        break;
      case TokenKind::Equal:
        if (!in_statement_bracket()) assigned_ = true;
        break;
      case Colon:
        option_ = true;
        break;
      case Identifier:
        if (starts && next_kind() == LeftParen) {
          const bool prefix = is(Word::conditional) || is(Word::meta) || is(Word::pack);
          paren_ = prefix ? Open::Prefix : is(Word::alias) ? Open::Alias : Open::Paren;
          prefixes_only_ = prefix;
          in_statement_ = true;
          return;
        }
        break;
      default:
        break;
    }
    in_statement_ = true;
    if (!std::ranges::contains(open_, Open::Prefix)) prefixes_only_ = false;
  }

  Open pop() {
    if (open_.empty() || !in_statement_bracket()) return Open::Block;
    const Open closed = open_.back();
    open_.pop_back();
    return closed;
  }

  void end_statement(bool after_brace) {
    in_statement_ = prefixes_only_ = prefix_ended_ = unary_ = false;
    after_brace_ = after_brace;
  }

  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  const Piece* last_ = nullptr;
  std::string out_;
  std::vector<Open> open_;
  Open paren_ = Open::Paren;    // what the next `(` is
  bool in_statement_ = false;   // tokens of a statement or item were written, more follow
  bool prefixes_only_ = false;  // so far nothing but `conditional (...)`, `meta (...)`, `pack (...)`
  bool prefix_ended_ = false;   // the token before ended one of these
  bool assigned_ = false;       // the statement has had a `=`
  bool option_ = false;         // it has had a `:`
  bool unary_ = false;          // the token before is a unary operator
  bool line_ended_ = false;     // a comment took the rest of the line
  bool after_comment_ = false;
  bool after_brace_ = false;  // the line before opened a block
  bool wants_blank_ = false;  // the item before was a block
};

bool same_tokens(const std::vector<Token>& a, const std::vector<Token>& b) {
  return std::ranges::equal(a, b,
                            [](const Token& x, const Token& y) { return x.kind == y.kind && x.value == y.value; });
}

}  // namespace

Result<std::string> format_source(const SourcePtr& source) {
  Diagnostics diagnostics;
  parse(source, diagnostics);
  if (diagnostics.has_errors()) return fail(diagnostics.release());
  NameTable names;
  std::vector<Token> tokens, again;
  std::vector<Comment> comments;
  lex(source, 0, names, tokens, diagnostics, &comments);
  std::string_view text = source->text();
  std::string formatted = Formatter(pieces_of(text, tokens, comments)).format();
  // The result must be the same program.
  lex(make_source(source->name(), formatted), 0, names, again, diagnostics);
  if (!same_tokens(tokens, again)) {
    return fail(DiagnosticKind::RplInternal, SourceLocation::in_file(source->name()),
                "formatting would change the program");
  }
  return formatted;
}

}  // namespace slipway::rpl
