// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `build_options` of a shader (docs/spec/scenario.md#shaders).
#include "base/format.hpp"
#include "shader/options.hpp"

namespace slipway::shader {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A macro name, with parameters or without: `N`, `F(x, y)`.
bool is_macro_name(std::string_view name, bool with_parameters) {
  std::size_t length = 0;
  while (length < name.size() && (is_letter(name[length]) || (length > 0 && is_digit(name[length])))) ++length;
  const std::string_view parameters = name.substr(length);
  if (length == 0 || name.contains('\n')) return false;
  return parameters.empty() || (with_parameters && parameters.starts_with('(') && parameters.ends_with(')'));
}

struct Token {
  std::string text;
  bool closed = true;  // whether its quotes are closed
};

// Quotes may be anywhere in a token and keep blanks together; they are not part of it.
std::vector<Token> split_options(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    Token token;
    char quote = 0;
    for (; at < text.size() && (quote != 0 || !kBlanks.contains(text[at])); ++at) {
      if (text[at] == quote) {
        quote = 0;
      } else if (quote == 0 && (text[at] == '"' || text[at] == '\'')) {
        quote = text[at];
      } else {
        token.text += text[at];
      }
    }
    token.closed = quote == 0;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

class Reader {
 public:
  explicit Reader(const SourceLocation& location) : place_(location) {}

  void read(const Token& token) {
    const std::string_view text = token.text;
    if (!token.closed) return refuse(text).hint("its quotes are not closed"), void();
    if (text.starts_with("-D") || text.starts_with("+D")) return define(text);
    if (text.starts_with("-U")) return undefine(text);
    if (text.starts_with("-I")) return include(text);
    refuse(text).hint("known are `-DNAME[=VALUE]`, `+DNAME[=VALUE]`, `-UNAME` and `-Idir`");
  }

  Result<BuildOptions> finish() {
    if (diagnostics_.has_errors()) return std::unexpected(diagnostics_.release());
    return std::move(options_);
  }

 private:
  Diagnostic& refuse(std::string_view token) {
    return diagnostics_.error(DiagnosticKind::UnknownValue, place_, formatted("unknown build option `{}`", token));
  }

  void define(std::string_view token) {
    const std::string_view definition = token.substr(2);
    const std::size_t equals = definition.find('=');
    const std::string_view name = definition.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : definition.substr(equals + 1);
    if (!is_macro_name(name, true)) return refuse(token).hint("the name of a macro follows without a blank"), void();
    if (value.contains('\n')) return refuse(token).hint("a macro has one line"), void();
    options_.macros.push_back({std::string(name), std::string(value)});
  }

  void undefine(std::string_view token) {
    const std::string_view name = token.substr(2);
    if (!is_macro_name(name, false)) return refuse(token).hint("the name of a macro follows without a blank"), void();
    options_.macros.push_back({std::string(name), std::nullopt});
  }

  void include(std::string_view token) {
    const std::string_view directory = token.substr(2);
    if (directory.empty()) return refuse(token).hint("a directory follows without a blank"), void();
    options_.include_dirs.emplace_back(directory);
  }

  SourceLocation place_;
  BuildOptions options_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<BuildOptions> parse_build_options(std::string_view text, const SourceLocation& location) {
  Reader reader(location);
  for (const Token& token : split_options(text)) reader.read(token);
  return reader.finish();
}

}  // namespace slipway::shader
