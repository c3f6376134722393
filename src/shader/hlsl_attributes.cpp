// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/hlsl_attributes.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/format.hpp"

namespace slipway::shader {
namespace {

struct HlslToken {
  std::string_view text;  // a word or number, or one other character
  std::size_t begin = 0, end = 0;
};

bool is_hlsl_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Without blanks, comments, literals of text and lines of the preprocessor.
std::vector<HlslToken> tokens_of(std::string_view text) {
  std::vector<HlslToken> tokens;
  bool line_begins = true;
  const auto skip_to = [&](std::size_t from, std::string_view end) {
    const std::size_t found = text.find(end, from);
    return found == text.npos ? text.size() : found;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest[0] == '\n') {
      line_begins = true;
      ++at;
    } else if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      ++at;
    } else if (rest.starts_with("//")) {
      at = skip_to(at, "\n");
    } else if (rest.starts_with("/*")) {
      at = std::min(skip_to(at + 2, "*/") + 2, text.size());
    } else if (rest[0] == '#' && line_begins) {
      do {
        at = skip_to(at + 1, "\n");
      } while (at < text.size() && text[at - 1] == '\\');
    } else {
      line_begins = false;
      std::size_t end = at + 1;
      if (rest[0] == '"') {
        while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, text.size());
      } else if (is_hlsl_word(rest[0])) {
        while (end < text.size() && is_hlsl_word(text[end])) ++end;
      }
      tokens.push_back({text.substr(at, end - at), at, end});
      at = end;
    }
  }
  return tokens;
}

class Adapter {
 public:
  explicit Adapter(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  std::string run() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (is(i, "[") && is(i + 1, "[")) i = attribute_list(i);
    }
    std::ranges::stable_sort(edits_, {}, &Edit::begin);
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      out += text_.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    return out + std::string(text_.substr(at));
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  bool is(std::size_t token, std::string_view text) const {
    return token < tokens_.size() && tokens_[token].text == text;
  }
  bool is_name(std::size_t token) const {
    return token < tokens_.size() && is_hlsl_word(tokens_[token].text[0]) &&
           std::isdigit(static_cast<unsigned char>(tokens_[token].text[0])) == 0;
  }
  void insert(std::size_t at, std::string text) { edits_.push_back({at, at, std::move(text)}); }

  // The token that closes the bracket at `open`, or the end.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      const char c = tokens_[i].text[0];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      if (depth == 0) return i;
    }
    return tokens_.size();
  }

  // From its first bracket; returns its last token.
  std::size_t attribute_list(std::size_t begin) {
    const std::size_t end = closing(begin);
    if (end >= tokens_.size() || !is(end - 1, "]")) return begin;
    int depth = 0;
    bool pushes = false;
    for (std::size_t i = begin + 2; i + 1 < end; ++i) {
      const std::string_view text = tokens_[i].text;
      depth += text == "(" ? 1 : text == ")" ? -1 : 0;
      if (depth == 0 && text == ",") edits_.push_back({tokens_[i].begin, tokens_[i].end, "]] [["});
      pushes |= depth == 0 && text == "push_constant";
    }
    if (pushes) push_constants(begin, end + 1);
    return end;
  }

  // The declaration after the attributes from token `begin` to token `at`.
  void push_constants(std::size_t begin, std::size_t at) {
    while (is(at, "[") && is(at + 1, "[")) at = std::min(closing(at) + 1, tokens_.size());
    const std::size_t qualifiers = at;
    while (is(at, "const") || is(at, "uniform") || is(at, "extern")) ++at;
    const std::size_t type = at;
    if (is(at, "struct")) return push_structure(begin, at);
    if (!is_name(at) || !is_name(at + 1)) return;  // `ConstantBuffer<S> s`
    if (is(at, "cbuffer") || is(at, "tbuffer")) return;
    const std::size_t name = at + 1;
    while (at < tokens_.size() && !is(at, ";")) ++at;
    if (at == tokens_.size()) return;
    // Qualifiers are not for blocks.
    for (std::size_t i = qualifiers; i < type; ++i) edits_.push_back({tokens_[i].begin, tokens_[i].end, ""});
    insert(tokens_[type].begin, formatted("cbuffer slipway_{} {{ ", tokens_[name].text));
    insert(tokens_[at].end, " }");
  }

  // `struct S { ... } s;`: the structure goes first.
  void push_structure(std::size_t begin, std::size_t at) {
    const bool named = is_name(at + 1);
    const std::size_t open = at + (named ? 2 : 1);
    if (!is(open, "{")) return;
    const std::size_t close = closing(open);
    if (!is_name(close + 1)) return;
    const std::string name(tokens_[close + 1].text);
    const std::string type = named ? std::string(tokens_[at + 1].text) : "slipway_type_of_" + name;
    std::size_t end = close;
    while (end < tokens_.size() && !is(end, ";")) ++end;
    if (end == tokens_.size()) return;
    // The attributes move, and nothing else is between them and the structure.
    const std::string attributes(text_.substr(tokens_[begin].begin, tokens_[at].begin - tokens_[begin].begin));
    if (attributes.contains('\n') || attributes.contains(',')) return;
    edits_.push_back({tokens_[begin].begin, tokens_[at].begin, std::string(attributes.size(), ' ')});
    if (!named) insert(tokens_[at].end, " " + type);
    insert(tokens_[close].end, formatted("; {} cbuffer slipway_{} {{ {}", attributes, name, type));
    insert(tokens_[end].end, " }");
  }

  std::string_view text_;
  std::vector<HlslToken> tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string adapt_attributes(std::string_view text) {
  return text.contains("[[") ? Adapter(text).run() : std::string(text);
}

IgnoredAttribute ignored_attribute(const Diagnostic& message) {
  constexpr std::string_view kEnd = "`: unrecognized attribute";
  const std::size_t end = message.message.find(kEnd);
  if (end == std::string::npos) return IgnoredAttribute::None;
  const std::size_t begin = message.message.rfind('`', end - 1) + 1;
  const std::string_view name = std::string_view(message.message).substr(begin, end - begin);
  // Of Direct3D, and what the command of the scenario says.
  if (name == "RootSignature" || name == "shader") return IgnoredAttribute::Harmless;
  const bool declares = name == "ext_capability" || name == "ext_extension";
  const bool changes = name == "offset" || name == "counter_binding" || name == "spvexecutionmode" ||
                       (name.starts_with("ext_") && !declares);
  return changes ? IgnoredAttribute::Error : IgnoredAttribute::Warning;
}

}  // namespace slipway::shader
