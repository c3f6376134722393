// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/guess.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/format.hpp"

namespace slipway::shader {
namespace {

constexpr std::size_t kSearched = 1 << 16;  // of a text

struct StageSuffix {
  std::string_view suffix;
  spirv::Stage stage;
};
constexpr std::array kStageSuffixes = {
    StageSuffix{".comp", spirv::Stage::Compute},  StageSuffix{".cs", spirv::Stage::Compute},
    StageSuffix{".vert", spirv::Stage::Vertex},   StageSuffix{".vs", spirv::Stage::Vertex},
    StageSuffix{".frag", spirv::Stage::Fragment}, StageSuffix{".ps", spirv::Stage::Fragment},
};

// `main.vert` and `main.vert.glsl`.
std::optional<spirv::Stage> stage_of_name(const Path& path) {
  for (const Path& part : {path.extension(), path.stem().extension()}) {
    const auto* found = std::ranges::find(kStageSuffixes, part.string(), &StageSuffix::suffix);
    if (found != kStageSuffixes.end()) return found->stage;
  }
  return std::nullopt;
}

// The text without its comments, which may mention anything.
std::string without_comments(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) {
      code += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::size_t at = text.find(end, 2);
    text.remove_prefix(at == text.npos ? text.size() : at + (end == "\n" ? 0 : end.size()));
  }
  return code;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name before the parenthesis that opens at `at`.
std::string name_before(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && is_name(code[begin - 1])) --begin;
  return std::string(code.substr(begin, end - begin));
}

// The functions after the attributes `[numthreads(...)]`.
std::vector<std::string> numthreads_functions(std::string_view code) {
  std::vector<std::string> names;
  for (std::size_t at = code.find("numthreads"); at != code.npos; at = code.find("numthreads", at)) {
    // Further attributes may follow.
    do {
      at = code.find(']', at);
      at = at == code.npos ? at : code.find_first_not_of(" \t\r\n]", at);
    } while (at != code.npos && code[at] == '[');
    at = at == code.npos ? at : code.find('(', at);
    if (at == code.npos) break;
    names.push_back(name_before(code, at));
  }
  return names;
}

// The function whose result has a meaning: `float4 f(...) : SV_Target`.
std::string function_with_meaning(std::string_view code, std::string_view meaning) {
  std::size_t at = code.find(meaning);
  while (at != code.npos) {
    const std::size_t close = code.find_last_not_of(" \t\r\n:", at == 0 ? 0 : at - 1);
    if (close != code.npos && code[close] == ')') {
      int depth = 0;
      for (std::size_t i = close + 1; i-- > 0;) {
        depth += code[i] == ')' ? 1 : code[i] == '(' ? -1 : 0;
        if (depth == 0) return name_before(code, i);
      }
    }
    at = code.find(meaning, at + 1);
  }
  return "";
}

void guess_glsl(std::string_view code, Guess& guess) {
  if (code.contains("local_size_")) return;
  if (code.contains("gl_Position"))
    guess.stage = spirv::Stage::Vertex;
  else if (code.contains("gl_FragCoord") || code.contains(" out "))
    guess.stage = spirv::Stage::Fragment;
}

void guess_hlsl(std::string_view code, std::optional<spirv::Stage> stage, Guess& guess) {
  std::string entry;
  if (!stage) {
    stage = code.contains("numthreads")    ? spirv::Stage::Compute
            : code.contains("SV_Target")   ? spirv::Stage::Fragment
            : code.contains("SV_Position") ? spirv::Stage::Vertex
                                           : spirv::Stage::Compute;
  }
  guess.stage = *stage;
  if (guess.stage == spirv::Stage::Compute) {
    if (const auto names = numthreads_functions(code); !names.empty()) entry = names.front();
  }
  if (guess.stage == spirv::Stage::Fragment) entry = function_with_meaning(code, "SV_Target");
  if (guess.stage == spirv::Stage::Vertex) entry = function_with_meaning(code, "SV_Position");
  if (!entry.empty()) guess.entry = entry;
}

}  // namespace

void name_entry_points(Diagnostic& missing, std::string_view text) {
  std::string names;
  for (const std::string& name : numthreads_functions(without_comments(text)))
    names += formatted("{}`{}`", names.empty() ? "" : ", ", name);
  if (!names.empty()) missing.hint(formatted("the shader has {}", names));
}

std::optional<Guess> guess(const Path& path, Bytes bytes) {
  const std::string_view text = text_of(bytes).substr(0, kSearched);
  const bool is_binary = text.contains('\0');
  // Slang looks like HLSL, and means something else.
  if (path.extension() == ".slang") return std::nullopt;
  std::optional<Language> language = detect(path, bytes);
  if (language == Language::Spirv && !spirv::is_spirv(bytes)) return std::nullopt;
  if (is_binary && language != Language::Spirv) return std::nullopt;
  const std::string code = is_binary ? "" : without_comments(text);
  if (!language && !is_binary && !text.starts_with('{')) {
    if (std::string_view(code).substr(std::min(code.find_first_not_of(" \t\r\n"), code.size())).starts_with("#version"))
      language = Language::Glsl;
    else if (code.contains("OpCapability ") && code.contains("OpMemoryModel "))
      language = Language::SpirvAssembly;
    else if (code.contains("[numthreads("))
      language = Language::Hlsl;
  }
  if (!language) return std::nullopt;
  Guess guess{.language = *language};
  const std::optional<spirv::Stage> stage = stage_of_name(path);
  if (*language == Language::Glsl) {
    if (stage)
      guess.stage = *stage;
    else
      guess_glsl(code, guess);
  }
  if (*language == Language::Hlsl) guess_hlsl(code, stage, guess);
  return guess;
}

}  // namespace slipway::shader
