// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagram of a payload: rows of 32 bytes, a grid of 4 bytes, one box per piece of an argument in a row.
#include <algorithm>

#include "base/format.hpp"
#include "base/text/escape.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"

namespace slipway::zebin {
namespace {

using zeinfo::PayloadLayout;
using zeinfo::PayloadRange;

constexpr std::uint32_t kRowBytes = 32;
constexpr int kByteWidth = 26, kRowHeight = 46, kLeft = 64, kTop = 34, kBottom = 12, kRight = 12;
// The maximum number of rows: a hostile text may declare any size.
constexpr std::uint32_t kMaxRows = 2048;

// The colour by kind: values, pointers, images and samplers, arguments that the runtime adds.
std::string_view class_of(const PayloadRange& range) {
  if (range.kind == PayloadRange::Kind::Hole) return "hole";
  if (range.kind == PayloadRange::Kind::Overlap) return "overlap";
  switch (range.type) {
    case zeinfo::ArgType::arg_byvalue:
      return "value";
    case zeinfo::ArgType::arg_bypointer:
    case zeinfo::ArgType::buffer_address:
    case zeinfo::ArgType::buffer_offset:
    case zeinfo::ArgType::buffer_size:
      return "pointer";
    default:
      return range.arg_index >= 0 ? "image" : "implicit";
  }
}

std::string label_of(const PayloadRange& range) {
  if (range.kind == PayloadRange::Kind::Hole) return "";
  std::string owner = range.owner;
  if (owner.empty() && range.arg_index >= 0) owner = formatted("arg {}", range.arg_index);
  return owner.empty() ? range.what : owner;
}

// A text element in a box of `bytes` bytes: a text that is somewhat too long is set narrower, a longer one is cut.
std::string text_in_box(std::string_view attributes, int x, int y, const std::string& text, std::uint32_t bytes) {
  constexpr int kMargin = 4;
  constexpr double kCharacter = 7.3, kNarrowest = 0.7;  // width of a character in pixels; part of it that stays legible
  const double width = static_cast<double>(bytes) * kByteWidth - 2 * kMargin;
  const double wanted = static_cast<double>(text.size()) * kCharacter;
  const std::string place = formatted("<text{} x=\"{}\" y=\"{}\"", attributes, x + kMargin, y);
  if (wanted <= width) return formatted("{}>{}</text>", place, escape_markup(text));
  const std::string narrow = formatted(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", static_cast<int>(width));
  if (wanted * kNarrowest <= width) return formatted("{}{}>{}</text>", place, narrow, escape_markup(text));
  auto end = static_cast<std::size_t>(width / (kCharacter * kNarrowest));
  end = end > 0 ? end - 1 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // whole characters
  return formatted("{}{}>{}\u2026</text>", place, narrow, escape_markup(text.substr(0, end)));
}

struct Block {
  std::string title;
  std::uint32_t size = 0;
  const std::vector<PayloadRange>* ranges = nullptr;
  std::uint32_t inline_size = 0;
};

std::uint32_t rows_of(const Block& block) { return std::min((block.size + kRowBytes - 1) / kRowBytes, kMaxRows); }

// The label of the part of a range that begins at `begin`.
std::string label_at(const PayloadRange& range, const PayloadLayout& layout, std::uint32_t begin) {
  if (range.type != zeinfo::ArgType::local_id || layout.local_id_bytes == 0) return label_of(range);
  const std::uint32_t dimension = (begin - range.offset) / layout.local_id_bytes;
  return formatted("{} {}", label_of(range), std::string_view("xyz").substr(std::min(dimension, 2u), 1));
}

std::string box(const PayloadRange& range, const PayloadLayout& layout, std::uint32_t row, std::uint32_t begin,
                std::uint32_t end, int top) {
  const int x = kLeft + static_cast<int>(begin % kRowBytes) * kByteWidth;
  const int y = top + static_cast<int>(row) * kRowHeight;
  const int width = static_cast<int>(end - begin) * kByteWidth;
  const std::string tip =
      formatted("{}{}: bytes {} to {}{}", label_of(range), range.what.empty() ? "" : " " + range.what, range.offset,
                range.offset + range.size - 1, range.misaligned ? ", misaligned" : "");
  std::string text = formatted(
      "<g class=\"{}{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", class_of(range),
      range.misaligned ? " misaligned" : "", escape_markup(tip), x, y, width, kRowHeight - 8);
  if (range.kind == PayloadRange::Kind::Argument) {
    text += text_in_box("", x, y + 15, label_at(range, layout, begin), end - begin);
    if (!range.owner.empty() || range.arg_index >= 0)
      text += text_in_box(" class=\"what\"", x, y + 30, range.what, end - begin);
  }
  return text + "</g>\n";
}

std::string block_svg(const Block& block, const PayloadLayout& layout, int top) {
  std::string text = text_in_box(" class=\"title\"", 4, top - 12, block.title, kRowBytes) + "\n";
  const std::uint32_t rows = rows_of(block);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const int y = top + static_cast<int>(row) * kRowHeight;
    const std::uint32_t at = row * kRowBytes;
    text += formatted("<text class=\"offset\" x=\"8\" y=\"{}\">{}</text>\n", y + 15, at);
    // The register of the row, or the half of one, counted from the first of the block: which one that is, the hardware
    // decides, and its r0 is the header of the thread.
    if (layout.grf_bytes) {
      text += formatted("<text class=\"offset\" x=\"8\" y=\"{}\">reg +{}</text>\n", y + 30,
                        at / static_cast<std::uint32_t>(*layout.grf_bytes));
    }
    for (std::uint32_t i = 0; i <= kRowBytes; i += 4) {
      const int x = kLeft + static_cast<int>(i) * kByteWidth;
      text += formatted("<line class=\"grid\" x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\"/>\n", x, y - 3,
                        y + kRowHeight - 5);
    }
  }
  for (const PayloadRange& range : *block.ranges) {
    const std::uint64_t end = std::uint64_t{range.offset} + range.size;
    for (std::uint64_t begin = range.offset; begin < end;) {
      const std::uint64_t row = begin / kRowBytes;
      if (row >= rows) break;
      const std::uint64_t stop = std::min(end, (row + 1) * kRowBytes);
      text += box(range, layout, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>((stop - 1) % kRowBytes + 1 + begin / kRowBytes * kRowBytes), top);
      begin = stop;
    }
  }
  if (block.inline_size != 0 && block.inline_size / kRowBytes <= rows) {
    const int y = top + static_cast<int>(block.inline_size / kRowBytes) * kRowHeight - 4;
    text += formatted(
        "<line class=\"inline\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"><title>end of inline data: {} "
        "bytes</title></line>\n",
        4, y, kLeft + static_cast<int>(kRowBytes) * kByteWidth, y, block.inline_size);
  }
  return text;
}

constexpr std::string_view kStyle = R"(text { font: 12px ui-monospace, monospace; fill: #1b1f24 }
.title { font-weight: bold } .offset { fill: #6e7781 } .what { fill: #57606a; font-size: 11px }
rect { stroke: #57606a; rx: 3 } .grid { stroke: #d0d7de } .inline { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 6 3 }
.value rect { fill: #ddf4ff } .pointer rect { fill: #dafbe1 } .image rect { fill: #fbefff } .implicit rect { fill: #fff8c5 }
.hole rect { fill: url(#hatch); stroke: #afb8c1 } .overlap rect { fill: #ff8182 } .misaligned rect { stroke: #cf222e; stroke-width: 2 }
.paper { fill: #fff; stroke: none } .hatch { stroke: #afb8c1 }
@media (prefers-color-scheme: dark) { text { fill: #dde5ec } .offset, .what { fill: #93a5b5 } rect { stroke: #5b7083 } .grid { stroke: #2c3843 }
.value rect { fill: #173a54 } .pointer rect { fill: #17402a } .image rect { fill: #3a2950 } .implicit rect { fill: #453b12 } .overlap rect { fill: #7d2a2b }
.paper { fill: #12181e; stroke: none } .hatch, .hole rect { stroke: #3d4c5a } }
)";

constexpr std::string_view kHatch =
    "<defs><pattern id=\"hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\">"
    "<rect class=\"paper\" width=\"8\" height=\"8\"/><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\"/>"
    "</pattern></defs>\n";

}  // namespace

std::string layout_svg(const PayloadLayout& layout) {
  std::vector<Block> blocks = {
      {formatted("{}: cross-thread data, {} bytes{}", printable(layout.kernel), layout.cross_thread_size,
                 layout.inline_size ? formatted(", {} inline", layout.inline_size) : ""),
       layout.cross_thread_size, &layout.cross_thread, layout.inline_size}};
  if (layout.per_thread_size != 0) {
    blocks.push_back({formatted("per-thread data, {} bytes", layout.per_thread_size), layout.per_thread_size,
                      &layout.per_thread, 0});
  }
  int height = 0;
  std::string body;
  for (const Block& block : blocks) {
    body += block_svg(block, layout, height + kTop);
    height += kTop + static_cast<int>(rows_of(block)) * kRowHeight + kBottom;
  }
  const int width = kLeft + static_cast<int>(kRowBytes) * kByteWidth + kRight;
  return formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\">\n<style>{2}</style>\n{3}"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      width, height, kStyle, kHatch, body);
}

std::string layout_page(const std::string& title, const std::vector<PayloadLayout>& layouts) {
  std::string page = formatted(
      "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>{0}</title>\n<style>:root {{ color-scheme: light dark }} "
      "body {{ font-family: system-ui; margin: 2em; overflow-x: auto }} p {{ max-width: 60em }} @media "
      "(prefers-color-scheme: dark) {{ body {{ background: #12181e; color: #dde5ec }} }}</style>\n<body>\n"
      "<h1>{0}</h1>\n<p>Blue: values. Green: buffers. Violet: images and samplers. Yellow: what the runtime adds. "
      "Hatched: unused. The red line ends "
      "the inline data; a red box is misaligned or overlaps. On the left: the offset in bytes, and the register, "
      "counted from the first of the block; r0 of the hardware is the header of the thread, and in no block.</p>\n",
      escape_markup(printable(title)));
  for (const PayloadLayout& layout : layouts) page += layout_svg(layout);
  return page + "</body></html>\n";
}

}  // namespace slipway::zebin
