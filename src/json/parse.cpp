// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses a text into a document: the on-demand parser of simdjson walks the text, and the tree records the span of each
// token.
#include <simdjson.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/format.hpp"
#include "json/document.hpp"

namespace slipway::json {
namespace {

namespace ondemand = simdjson::ondemand;

// Overwrites comments and trailing commas with spaces, in a copy, which is made if there are any. Returns the span of
// the first one, and counts the characters after which a value begins.
std::optional<Span> blank_extensions(std::string_view text, std::optional<std::string>& copy, std::size_t& starts) {
  std::optional<Span> first;
  const auto found = [&](std::size_t begin, std::size_t end) {
    if (!copy) copy = text;
    if (!first || begin < first->begin) first = Span{begin, end};
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] != '\n' && text[i] != '\r') (*copy)[i] = ' ';
    }
  };
  std::optional<std::size_t> comma;  // the last significant character, if it is a comma
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) i += text[i] == '\\';
      ++i;
      comma.reset();
    } else if (const std::size_t end = end_of_comment(text, i); end != i) {
      found(i, end);
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      return first;  // never closed: left as it is, which is a syntax error
    } else {
      starts += c == ',' || c == '[' || c == '{';
      if ((c == ']' || c == '}') && comma) found(*comma, *comma + 1);
      if (c == ',')
        comma = i;
      else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
        comma.reset();
      ++i;
    }
  }
  return first;
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr const char* kTextAfterValue = "unexpected text after the end of the value";
constexpr const char* kOpenBrackets = "the text ends before all brackets are closed";

struct SyntaxError {
  std::size_t offset;
  std::string message;
};

}  // namespace

class Parser {
 public:
  explicit Parser(SourcePtr source) : document_(std::make_shared<Document>()), text_(source->text()) {
    document_->source_ = std::move(source);
  }

  Result<std::shared_ptr<const Document>> run() {
    std::size_t starts = 0;
    document_->extension_ = blank_extensions(text_, copy_, starts);
    document_->nodes_.reserve(starts + 1);  // growing would take twice their memory
    const bool has_mark = text_.starts_with(kByteOrderMark);
    if (!copy_ && (has_mark || document_->source_->padding() < simdjson::SIMDJSON_PADDING)) copy_ = text_;
    if (copy_) {
      if (has_mark) std::fill_n(copy_->begin(), kByteOrderMark.size(), ' ');
      copy_->reserve(copy_->size() + simdjson::SIMDJSON_PADDING);
      text_ = *copy_;
    }
    try {
      if (const auto invalid = first_invalid_utf8()) throw SyntaxError(*invalid, "the text is not UTF-8 here");
      ondemand::document document;
      check(parser_.iterate(text_.data(), text_.size(), text_.size() + simdjson::SIMDJSON_PADDING).get(document), 0);
      ondemand::json_type type;
      check(document.type().get(type), first_token());
      if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
        ondemand::value root;
        check(document.get_value().get(root), first_token());
        read(root, Document::kNoParent, 0, 0);
      } else {
        throw SyntaxError(first_token(), "expected `{` or `[` at the start");
      }
      const char* rest = nullptr;  // fails at the end
      if (document.current_location().get(rest) == simdjson::SUCCESS) throw SyntaxError(offset(rest), kTextAfterValue);
    } catch (const SyntaxError& error) {
      const Span span{error.offset, error.offset + 1};
      return fail(DiagnosticKind::JsonSyntax, SourceLocation::in_text(document_->source_, span), error.message);
    }
    return document_;
  }

 private:
  std::size_t offset(const char* at) const { return std::min<std::size_t>(at - text_.data(), text_.size()); }
  std::size_t skip_blanks(std::size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }
  std::size_t first_token() const { return skip_blanks(0); }

  std::optional<std::size_t> first_invalid_utf8() const {
    if (simdjson::validate_utf8(text_)) return std::nullopt;
    std::size_t low = 0, high = text_.size();  // the longest valid prefix, cut at character boundaries
    while (low < high) {
      std::size_t middle = low + (high - low + 1) / 2;
      std::size_t cut = middle;
      while (cut > low && cut < text_.size() && (text_[cut] & 0xc0) == 0x80) --cut;
      if (cut == low) break;
      if (simdjson::validate_utf8(text_.data(), cut))
        low = cut;
      else
        high = cut - 1;
    }
    while (low < text_.size() && static_cast<signed char>(text_[low]) >= 0) ++low;
    return low;
  }

  // Turns error codes of simdjson into messages.
  void check(simdjson::error_code code, std::size_t at) const {
    if (code == simdjson::SUCCESS) return;
    switch (code) {
      case simdjson::EMPTY:
        throw SyntaxError(0, "the file is empty");
      case simdjson::UNCLOSED_STRING:
        throw SyntaxError(unclosed_string(), "a string without its closing quote");
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        if (const auto rest = text_after_value()) throw SyntaxError(*rest, kTextAfterValue);
        throw SyntaxError(text_.size(), kOpenBrackets);
      case simdjson::STRING_ERROR:
        throw SyntaxError(at, "a string with a bad escape sequence");
      case simdjson::UNESCAPED_CHARS:
        throw SyntaxError(control_character(at), "a control character inside a string");
      case simdjson::DEPTH_ERROR:
        throw SyntaxError(at, formatted("nested deeper than {} levels", kMaxDepth));
      case simdjson::CAPACITY:
      case simdjson::MEMALLOC:
        throw SyntaxError(0, "the file is too large");
      default:
        break;
    }
    const std::size_t token = skip_blanks(at);
    if (token >= text_.size()) throw SyntaxError(text_.size(), kOpenBrackets);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:]}[{\"", token + 1), text_.size());
    throw SyntaxError(token, formatted("unexpected `{}`", text_.substr(token, std::min<std::size_t>(end - token, 20))));
  }

  // simdjson checks whole blocks first and reports no offset for these errors; the functions below search for it.
  std::size_t unclosed_string() const {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '"') continue;
      const std::size_t start = i;
      for (++i; i < text_.size() && text_[i] != '"' && text_[i] != '\n'; ++i) i += text_[i] == '\\';
      if (i >= text_.size() || text_[i] != '"') return start;
    }
    return text_.size();
  }

  std::size_t control_character(std::size_t from) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] != '"') continue;
      for (const std::size_t end = end_of_string(i); i + 1 < end; ++i) {
        if (static_cast<unsigned char>(text_[i]) < 0x20) return i;
      }
    }
    return from;
  }

  std::optional<std::size_t> text_after_value() const {
    int depth = 0;
    for (std::size_t i = first_token(); i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"')
        i = end_of_string(i) - 1;
      else if (c == '[' || c == '{')
        ++depth;
      else if ((c == ']' || c == '}') && --depth == 0) {
        const std::size_t rest = skip_blanks(i + 1);
        return rest < text_.size() ? std::optional(rest) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  // Reports a member that does not begin with `"key":`.
  void check_member(std::size_t after) const {
    std::size_t at = skip_blanks(after);
    if (at < text_.size() && text_[at] == ',') at = skip_blanks(at + 1);
    if (at >= text_.size() || text_[at] == '}') return;
    if (text_[at] != '"') throw SyntaxError(at, "expected a key in double quotes");
    const std::size_t colon = skip_blanks(end_of_string(at));
    if (colon < text_.size() && text_[colon] != ':') throw SyntaxError(colon, "expected `:` after the key");
  }

  // Keys and names are repeated: a recent equal string is used again.
  static constexpr std::uint32_t kNoString = ~0u;
  std::uint32_t add_string(std::string_view text) {
    std::uint32_t& recent = recent_strings_[std::hash<std::string_view>()(text) % recent_strings_.size()];
    if (recent < document_->strings_.size() && document_->strings_[recent] == text) return recent;
    document_->strings_.emplace_back(text);
    return recent = static_cast<std::uint32_t>(document_->strings_.size() - 1);
  }

  // The ends of tokens come from the text: a raw token of simdjson extends to the next one.
  std::uint32_t end_of_string(std::size_t begin) const {
    return static_cast<std::uint32_t>(json::end_of_string(text_, begin));
  }

  // Returns the end of the value. Long, because it has one case per type of value.
  std::size_t read(ondemand::value& value, std::uint32_t parent, std::uint32_t name, int depth) {
    const auto index = static_cast<std::uint32_t>(document_->nodes_.size());
    document_->nodes_.emplace_back(Document::Node{.name = name, .parent = parent});
    const char* location = nullptr;
    check(value.current_location().get(location), text_.size());
    const std::size_t begin = offset(location);
    if (depth >= kMaxDepth) check(simdjson::DEPTH_ERROR, begin);
    ondemand::json_type type;
    check(value.type().get(type), begin);
    document_->nodes_[index].begin = static_cast<std::uint32_t>(begin);
    std::size_t end = begin;
    switch (type) {
      case ondemand::json_type::object:
        end = read_object(value, index, begin, depth);
        break;
      case ondemand::json_type::array:
        end = read_array(value, index, begin, depth);
        break;
      case ondemand::json_type::string: {
        ondemand::raw_json_string raw;
        check(value.get_raw_json_string().get(raw), begin);
        end = end_of_string(begin);
        document_->nodes_[index].link = add_string(text_of_string(raw, begin, end));
        break;
      }
      case ondemand::json_type::number: {
        const std::string_view token = value.raw_json_token();
        end = begin + token.find_last_not_of(" \t\r\n") + 1;
        ondemand::number number;
        // A number that does not fit in 64 bits is still valid JSON; codecs of integers report it as out of range.
        const simdjson::error_code code = value.get_number().get(number);
        if (code != simdjson::SUCCESS && !is_number(text_.substr(begin, end - begin)))
          check(simdjson::NUMBER_ERROR, begin);
        break;
      }
      case ondemand::json_type::boolean: {
        bool flag = false;
        check(value.get_bool().get(flag), begin);
        end = begin + (flag ? 4 : 5);
        break;
      }
      case ondemand::json_type::null: {
        bool null = false;
        check(value.is_null().get(null), begin);
        if (!null) check(simdjson::N_ATOM_ERROR, begin);
        end = begin + 4;
        break;
      }
      default:
        check(simdjson::TAPE_ERROR, begin);
    }
    return end;
  }

  // All children have been read.
  void close(std::uint32_t index) {
    document_->nodes_[index].is_container = true;
    document_->nodes_[index].link = static_cast<std::uint32_t>(document_->nodes_.size());
  }

  std::size_t read_object(ondemand::value& value, std::uint32_t index, std::size_t begin, int depth) {
    ondemand::object object;
    check(value.get_object().get(object), begin);
    std::size_t after = begin + 1;
    for (auto member : object) {
      ondemand::field field;
      if (const simdjson::error_code code = std::move(member).get(field)) {
        check_member(after);
        check(code, after);
      }
      const std::size_t key_begin = offset(field.key().raw()) - 1;
      const std::string_view key = text_of_string(field.key(), key_begin, end_of_string(key_begin));
      after = read(field.value(), index, add_string(key), depth + 1);
    }
    close(index);
    return closing(after, '}');
  }

  std::size_t read_array(ondemand::value& value, std::uint32_t index, std::size_t begin, int depth) {
    ondemand::array array;
    check(value.get_array().get(array), begin);
    std::uint32_t position = 0;
    std::size_t after = begin + 1;
    for (auto element : array) {
      ondemand::value inner;
      check(std::move(element).get(inner), after);
      after = read(inner, index, position++, depth + 1);
    }
    close(index);
    return closing(after, ']');
  }

  std::size_t closing(std::size_t after, char bracket) const {
    const std::size_t at = skip_blanks(after);
    if (at >= text_.size() || text_[at] != bracket) check(simdjson::TAPE_ERROR, at);
    return at + 1;
  }

  // The characters of a string, until the next one with escapes. The parser would keep all of them until its end.
  std::string_view text_of_string(ondemand::raw_json_string raw, std::size_t begin, std::size_t end) {
    const std::string_view text = text_.substr(begin + 1, end - begin - 2);
    // simdjson does not reject raw control characters inside strings in this mode.
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
      check(simdjson::UNESCAPED_CHARS, begin);
    if (!text.contains('\\')) return text;
    unescaped_.resize(text.size() + simdjson::SIMDJSON_PADDING);
    std::uint8_t* to = unescaped_.data();
    std::string_view made;
    check(parser_.unescape(raw, to).get(made), begin);
    return made;
  }

  static bool is_number(std::string_view text) {  // RFC 8259: -? int frac? exp?
    std::size_t i = 0;
    const auto digits = [&] {
      const std::size_t start = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      return i - start;
    };
    if (text.starts_with('-')) ++i;
    const bool zero = i < text.size() && text[i] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (i < text.size() && text[i] == '.' && (++i, digits() == 0)) return false;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      if (++i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
      if (digits() == 0) return false;
    }
    return i == text.size();
  }

  std::shared_ptr<Document> document_;
  std::string_view text_;  // of the source, or copy_
  std::optional<std::string> copy_;
  ondemand::parser parser_;
  std::vector<std::uint8_t> unescaped_;
  std::vector<std::uint32_t> recent_strings_ = std::vector<std::uint32_t>(1024, kNoString);  // by hash
};

Result<std::shared_ptr<const Document>> parse(SourcePtr source) {
  if (source->text().size() >= std::numeric_limits<std::uint32_t>::max()) {
    return fail(DiagnosticKind::JsonSyntax, SourceLocation::in_file(source->name()), "the file is too large");
  }
  return Parser(std::move(source)).run();
}

}  // namespace slipway::json
