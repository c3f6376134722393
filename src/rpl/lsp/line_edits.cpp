// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/line_edits.hpp"

#include <algorithm>
#include <cstdint>

namespace slipway::rpl::lsp {
namespace {

// With their line breaks.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

constexpr std::size_t kMaxCells = std::size_t{1} << 23;

}  // namespace

std::vector<LineEdit> line_edits(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  std::size_t begin = 0;
  while (begin < std::min(a.size(), b.size()) && a[begin] == b[begin]) ++begin;
  std::size_t end = 0;
  while (end < std::min(a.size(), b.size()) - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  const std::size_t rows = a.size() - begin - end, columns = b.size() - begin - end;

  // The length of the longest common sequence of lines from each pair on.
  const bool fits = (rows + 1) * (columns + 1) <= kMaxCells;
  std::vector<std::uint32_t> length(fits ? (rows + 1) * (columns + 1) : 0);
  const auto at = [&](std::size_t row, std::size_t column) -> std::uint32_t& {
    return length[row * (columns + 1) + column];
  };
  for (std::size_t row = fits ? rows : 0; row-- > 0;) {
    for (std::size_t column = columns; column-- > 0;) {
      at(row, column) = a[begin + row] == b[begin + column] ? at(row + 1, column + 1) + 1
                                                            : std::max(at(row + 1, column), at(row, column + 1));
    }
  }
  std::vector<LineEdit> edits;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < begin; ++i) offset += a[i].size();
  bool is_open = false;  // the last edit goes on
  const auto edit = [&]() -> LineEdit& {
    if (!is_open) edits.push_back({{offset, offset}, ""});
    is_open = true;
    return edits.back();
  };
  for (std::size_t row = 0, column = 0; row < rows || column < columns;) {
    if (fits && row < rows && column < columns && a[begin + row] == b[begin + column]) {
      offset += a[begin + row++].size();
      ++column;
      is_open = false;
    } else if (row < rows && (column == columns || !fits || at(row + 1, column) >= at(row, column + 1))) {
      edit();
      offset += a[begin + row++].size();
      edits.back().replaced.end = offset;
    } else {
      edit().text += b[begin + column++];
    }
  }
  return edits;
}

}  // namespace slipway::rpl::lsp
