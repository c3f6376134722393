// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cctype>

#include "cli/rpl/verbs.hpp"

namespace slipway::cli {
namespace {

// Returns the first word of a text after blanks and comments.
std::string_view first_word(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) break;
    const std::size_t at = text.find(end, 2);
    if (at == text.npos) return "";
    text.remove_prefix(at + end.size());
  }
  const auto ends = std::ranges::find_if(text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return {text.begin(), ends};
}

}  // namespace

bool is_rpl(const Content& content) {
  // Reads only the beginning, because files of other formats may be large.
  constexpr std::size_t kSearched = 1 << 16;
  if (content.directory || text_of(content.bytes).substr(0, kSearched).contains('\0')) return false;
  // Without `struct` and functions, because other languages have them.
  constexpr auto kItems = std::to_array<std::string_view>(
      {"global", "instance", "conditional", "vertex_attribute_container", "instanced_attribute_container",
       "state_container", "color_output_container", "set_pass", "set_material", "set_object", "set_shared",
       "push_constant", "workgroup_buffer"});
  return content.path.extension() == ".rpl" || std::ranges::contains(kItems, first_word(text_of(content.bytes)));
}

bool is_rpl_metadata(const Content& content) { return content.has("pipeline_type") && content.has("interface"); }

}  // namespace slipway::cli
