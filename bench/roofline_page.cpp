// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rooflines as an HTML page: for each model a chart with a point for each kernel, and a table of the kernels.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "base/text/escape.hpp"
#include "roofline.hpp"

namespace slipway::bench {
namespace {

// A coordinate in pixels, to a tenth of a pixel.
std::string pixel_text(double value) {
  std::string text = formatted("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

constexpr std::string_view kStyle = R"(
  :root { color-scheme: light dark; --text: #1b2733; --quiet: #5b6b7a; --page: #fff; --band: #f4f6f8; --line: #cfd8e0; --roof: #1b2733;
          --k0: #1f6fb5; --k1: #c2540a; --k2: #2a8a4a; --k3: #8a5ba6;
          --f0: #2a8a4a; --f1: #7fb069; --f2: #e0b83f; --f3: #dd8436; --f4: #c0392b; }
  @media (prefers-color-scheme: dark) {
    :root { --text: #dfe6ec; --quiet: #93a3b1; --page: #14191e; --band: #1d242b; --line: #38434d; --roof: #dfe6ec;
            --k0: #5aa9e6; --k1: #f0924c; --k2: #5fc27e; --k3: #c39be0;
            --f0: #3fa565; --f1: #86b36f; --f2: #cfa93a; --f3: #d0783a; --f4: #c4493c; } }
  body { margin: 0 auto; max-width: 1160px; padding: 8px 20px 40px; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); }
  h1 { font-size: 20px; margin: 12px 0 4px; } h2 { font-size: 17px; margin: 36px 0 4px; }
  p { margin: 4px 0; } .q { color: var(--quiet); } a { color: inherit; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0; }
  th { font-weight: 600; text-align: right; color: var(--quiet); } td, th { padding: 1px 14px 1px 0; white-space: nowrap; }
  td { text-align: right; border-top: 1px solid var(--line); } .l { text-align: left; }
  tr:target td { background: var(--band); font-weight: 600; }
  .scroll { overflow-x: auto; max-height: 480px; overflow-y: auto; } .scroll thead th { position: sticky; top: 0; background: var(--page); }
  .bar { display: flex; height: 16px; border-radius: 3px; overflow: hidden; margin: 6px 0; } .bar div { min-width: 1px; }
  .key span { margin-right: 18px; white-space: nowrap; } .key i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; }
  svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--quiet); }
  svg .g { stroke: var(--line); stroke-width: 1; } svg .r { fill: none; stroke: var(--roof); stroke-width: 1.6; }
  svg .c { stroke-dasharray: 6 4; } svg .n { fill: var(--text); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
  svg circle { fill-opacity: .5; stroke-width: 1.2; } svg a:hover circle { fill-opacity: 1; }
  .k0 { fill: var(--k0); stroke: var(--k0); background: var(--k0); } .k1 { fill: var(--k1); stroke: var(--k1); background: var(--k1); }
  .k2 { fill: var(--k2); stroke: var(--k2); background: var(--k2); } .k3 { fill: var(--k3); stroke: var(--k3); background: var(--k3); }
  .f0 { background: var(--f0); } .f1 { background: var(--f1); } .f2 { background: var(--f2); } .f3 { background: var(--f3); } .f4 { background: var(--f4); }
)";

// The colour of a kernel depends on the operator with most of its operations.
constexpr std::string_view kKinds[] = {"CONV2D", "DEPTHWISE_CONV2D", "MATMUL", "other"};

std::size_t kind_of(const RooflineKernel& kernel) {
  const auto found = std::ranges::find(kKinds, kernel.operation);
  return std::min<std::size_t>(static_cast<std::size_t>(found - std::begin(kKinds)), std::size(kKinds) - 1);
}

// A value in giga-units as text: 1.5 TOP/s, 20 GOP/s, 0.25 GB/s.
std::string with_unit(double value, std::string_view unit) {
  return value >= 1000 ? formatted("{:.3g} T{}", value / 1000, unit) : formatted("{:.3g} G{}", value, unit);
}

class Chart {
 public:
  Chart(const Roof& roof, const Roofline& line, std::size_t section) : roof_(roof), line_(line), section_(section) {
    for (const RooflineKernel& kernel : line.kernels) {
      if (kernel.operations == 0) continue;
      drawn_.push_back(&kernel);
      if (roof.products.contains(kernel.type)) types_.insert(kernel.type);
    }
    range();
  }

  std::string svg() {
    out_ =
        formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight);
    grid();
    roofs();
    // Large points are drawn first, so that they do not hide small ones.
    std::ranges::stable_sort(drawn_, std::ranges::greater(), &RooflineKernel::time);
    for (const RooflineKernel* kernel : drawn_) point(*kernel);
    return std::move(out_ += "</svg>\n");
  }

  std::size_t drawn() const { return drawn_.size(); }

 private:
  static constexpr double kWidth = 1000, kHeight = 470, kLeft = 64, kRight = 20, kTop = 16, kBottom = 44;
  static constexpr double kLargest = 24,
                          kSmallest = 2.5;  // radii of points; kLargest for a kernel that takes all of the time

  // Sets the range of both axes to the decades around all points and roofs.
  void range() {
    double low_x = 0.1, high_x = 10, low_y = 1e30, high_y = 0;
    for (const RooflineKernel* kernel : drawn_) {
      low_x = std::min(low_x, kernel->intensity());
      high_x = std::max(high_x, kernel->intensity());
      low_y = std::min(low_y, kernel->rate());
      high_y = std::max(high_y, kernel->rate());
    }
    for (const tosa::DataType type : types_) {
      high_y = std::max(high_y, roof_.products.at(type));
      high_x =
          std::max(high_x, roof_.products.at(type) / roof_.memory);  // where the roofs of memory and arithmetic meet
    }
    if (drawn_.empty()) low_y = 1, high_y = 10;
    begin_x_ = std::floor(std::log10(low_x)), end_x_ = std::ceil(std::log10(high_x) + 0.1);
    begin_y_ = std::floor(std::log10(low_y)), end_y_ = std::ceil(std::log10(high_y) + 0.1);
  }

  double x(double intensity) const {
    return kLeft + (std::log10(intensity) - begin_x_) / (end_x_ - begin_x_) * (kWidth - kLeft - kRight);
  }
  double y(double rate) const {
    return kHeight - kBottom - (std::log10(rate) - begin_y_) / (end_y_ - begin_y_) * (kHeight - kTop - kBottom);
  }

  void grid() {
    for (double decade = begin_x_; decade <= end_x_; ++decade) {
      const double value = std::pow(10, decade), at = x(value);
      out_ += formatted(
          "<path class=\"g\" d=\"M{0} {1}V{2}\"/><text x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
          pixel_text(at), pixel_text(kTop), pixel_text(kHeight - kBottom), pixel_text(kHeight - kBottom + 16), value);
    }
    for (double decade = begin_y_; decade <= end_y_; ++decade) {
      const double value = std::pow(10, decade), at = y(value);
      out_ += formatted(
          "<path class=\"g\" d=\"M{0} {1}H{2}\"/><text x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{5:g}</text>\n",
          pixel_text(kLeft), pixel_text(at), pixel_text(kWidth - kRight), pixel_text(kLeft - 8), pixel_text(at + 4),
          value);
    }
    out_ += formatted(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">operations for each byte</text>\n"
        "<text x=\"14\" y=\"{}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {})\">GOP/s</text>\n",
        pixel_text((kLeft + kWidth - kRight) / 2), pixel_text(kHeight - 8), pixel_text(kHeight / 2),
        pixel_text(kHeight / 2));
  }

  // The roofs of memory and cache are slopes that end at the highest rate. Each rate is a horizontal line from the
  // intensity at which memory is fast enough for it.
  void roofs() {
    double highest = std::pow(10, end_y_);
    if (!types_.empty()) {
      highest = 0;
      for (const tosa::DataType type : types_) highest = std::max(highest, roof_.products.at(type));
    }
    slope(roof_.memory, highest, "r", "memory");
    if (roof_.cache_size > 0) slope(roof_.cache, highest, "r c", "cache");
    const double fastest = roof_.cache_size > 0 ? roof_.cache : roof_.memory;
    for (const tosa::DataType type : types_) {
      const double rate = roof_.products.at(type);
      out_ += formatted(
          "<path class=\"r\" d=\"M{} {}H{}\"/><text class=\"n\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{} {}</text>\n",
          pixel_text(x(std::max(rate / fastest, std::pow(10, begin_x_)))), pixel_text(y(rate)),
          pixel_text(kWidth - kRight), pixel_text(kWidth - kRight - 4), pixel_text(y(rate) - 5), tosa::name_of(type),
          with_unit(rate, "OP/s"));
    }
  }

  void slope(double bandwidth, double highest, std::string_view kinds, std::string_view name) {
    // Begins at the left or at the lower edge of the chart.
    const double begin = std::max(std::pow(10, begin_x_), std::pow(10, begin_y_) / bandwidth);
    const double end = std::min(std::pow(10, end_x_), highest / bandwidth);
    if (begin >= end) return;
    out_ += formatted("<path class=\"{}\" d=\"M{} {}L{} {}\"/>", kinds, pixel_text(x(begin)),
                      pixel_text(y(begin * bandwidth)), pixel_text(x(end)), pixel_text(y(end * bandwidth)));
    // The label is along the line, slightly above it.
    const double middle = std::sqrt(begin * end),
                 angle = std::atan2(y(end * bandwidth) - y(begin * bandwidth), x(end) - x(begin));
    out_ += formatted(
        "<text class=\"n\" text-anchor=\"middle\" transform=\"translate({} {}) rotate({})\" dy=\"-5\">{} {}</text>\n",
        pixel_text(x(middle)), pixel_text(y(middle * bandwidth)), pixel_text(angle * 57.2958), name,
        with_unit(bandwidth, "B/s"));
  }

  void point(const RooflineKernel& kernel) {
    const double share = kernel.time / line_.in_kernels;
    out_ += formatted(
        "<a href=\"#m{}k{}\"><circle class=\"k{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{}</title></circle></a>\n",
        section_, kernel.number, kind_of(kernel), pixel_text(x(kernel.intensity())), pixel_text(y(kernel.rate())),
        pixel_text(std::max(kLargest * std::sqrt(share), kSmallest)),
        escape_markup(formatted("{} {}\nkernel {}: {:.1f} us, {:.1f} % of the time\n{:.0f} % of the roof, bound by {}\n"
                                "{:.1f} GB/s, {:.1f} GOP/s, {:.2f} operations for each byte",
                                kernel.name, kernel.result, kernel.number, kernel.time * 1e3, share * 100,
                                kernel.fraction() * 100, name_of(kernel.bound), kernel.bandwidth(), kernel.rate(),
                                kernel.intensity())));
  }

  const Roof& roof_;
  const Roofline& line_;
  std::size_t section_;
  std::vector<const RooflineKernel*> drawn_;
  std::set<tosa::DataType> types_;
  double begin_x_ = 0, end_x_ = 0, begin_y_ = 0, end_y_ = 0;  // exponents of ten
  std::string out_;
};

void add_head(std::string& out, const Roof& roof) {
  out += formatted(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Rooflines of {0}</title>\n<style>{1}</style>\n"
      "</head>\n<body>\n<h1>Rooflines of {0}</h1>\n",
      escape_markup(roof.device), kStyle);
  out += formatted("<p>Copies of memory: {}", with_unit(roof.memory, "B/s"));
  if (roof.cache_size > 0)
    out += formatted("; up to {:.1f} MB in the cache: {}", static_cast<double>(roof.cache_size) * 1e-6,
                     with_unit(roof.cache, "B/s"));
  out += ".";
  for (const auto& [type, rate] : roof.products)
    out += formatted(" Matrix products of {}: {}.", tosa::name_of(type), with_unit(rate, "OP/s"));
  out += formatted(
      " Empty kernel: {:.1f} us.</p>\n"
      "<p class=\"q\">All of these were measured with Slipway's kernels on this device. A kernel is at the roof if it "
      "moves its buffers, each once, as fast as a copy, or computes as fast as a matrix product, whichever takes "
      "longer. Models are measured as a whole and, in separate runs, kernel by kernel.</p>\n",
      roof.launch * 1e3);
}

void add_overview(std::string& out, std::span<const Roofline> lines) {
  out +=
      "<table>\n<tr><th class=\"l\">model</th><th>whole, us</th><th>kernels</th><th>sum of kernels, us</th><th>at the "
      "roof, "
      "us</th>"
      "<th>of roof</th><th>with launches, us</th></tr>\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Roofline& line = lines[i];
    out += formatted(
        "<tr><td class=\"l\"><a "
        "href=\"#m{}\">{}</a></td><td>{:.1f}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.0f} %</td>"
        "<td>{:.1f}</td></tr>\n",
        i, escape_markup(line.name), line.whole * 1e3, line.kernels.size(), line.in_kernels * 1e3, line.at_roof * 1e3,
        line.in_kernels > 0 ? 100 * line.at_roof / line.in_kernels : 0, line.with_launches * 1e3);
  }
  out += "</table>\n";
}

void add_fractions(std::string& out, const Roofline& line) {
  std::string bar, key;
  for (std::size_t i = 0; i < std::size(kFractions); ++i) {
    const double share = line.in_kernels > 0 ? 100 * line.by_fraction[i] / line.in_kernels : 0;
    const std::string text = formatted("{:.0f} % of the time at {}", share, fraction_text(i));
    if (share > 0) bar += formatted("<div class=\"f{}\" style=\"width:{:.2f}%\" title=\"{}\"></div>", i, share, text);
    key += formatted("<span><i class=\"f{}\"></i>{:.0f} % at {}</span>", i, share, fraction_text(i));
  }
  out += formatted(
      "<p>The time by fraction of the roof that is reached:</p>\n<div class=\"bar\">{}</div>\n<p "
      "class=\"key\">{}</p>\n",
      bar, key);
  out += "<p>Bound by:";
  for (std::size_t i = 0; i < kBounds; ++i) {
    out += formatted("{} {} {:.0f} %", i ? "," : "", name_of(static_cast<Bound>(i)),
                     line.in_kernels > 0 ? 100 * line.by_bound[i] / line.in_kernels : 0);
  }
  out += " of the time.</p>\n";
}

void add_table(std::string& out, const Roofline& line, std::size_t section) {
  out +=
      "<div class=\"scroll\"><table>\n<thead><tr><th>lost, us</th><th>us</th><th>of roof</th><th class=\"l\">bound "
      "by</th>"
      "<th>kernel</th><th class=\"l\">operators</th><th class=\"l\">result</th><th>MB</th><th>MOP</th><th>OP/B</th>"
      "<th>GB/s</th><th>GOP/s</th></tr></thead>\n";
  for (const RooflineKernel& kernel : line.kernels) {
    out += formatted(
        "<tr id=\"m{}k{}\"><td>{:.1f}</td><td>{:.1f}</td><td>{:.0f} %</td><td class=\"l\">{}</td><td>{}</td>"
        "<td class=\"l\">{}</td><td class=\"l\">{}</td><td>{:.3f}</td><td>{:.2f}</td><td>{:.2f}</td><td>{:.1f}</td>"
        "<td>{:.1f}</td></tr>\n",
        section, kernel.number, kernel.lost() * 1e3, kernel.time * 1e3, kernel.fraction() * 100, name_of(kernel.bound),
        kernel.number, escape_markup(kernel.name), escape_markup(kernel.result),
        static_cast<double>(kernel.bytes) * 1e-6, static_cast<double>(kernel.operations) * 1e-6, kernel.intensity(),
        kernel.bandwidth(), kernel.rate());
  }
  out += "</table></div>\n";
}

}  // namespace

std::string write_roofline_page(const Roof& roof, std::span<const Roofline> lines) {
  std::string out;
  add_head(out, roof);
  add_overview(out, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Roofline& line = lines[i];
    out += formatted("<h2 id=\"m{}\">{}</h2>\n", i, escape_markup(line.name));
    Chart chart(roof, line, i);
    out += chart.svg();
    out += "<p class=\"key\">";
    for (std::size_t kind = 0; kind < std::size(kKinds); ++kind)
      out += formatted("<span><i class=\"k{}\"></i>{}</span>", kind, kKinds[kind]);
    out += "<span class=\"q\">the area of a point is its time</span>";
    if (const std::size_t moves = line.kernels.size() - chart.drawn(); moves > 0)
      out += formatted("<span class=\"q\">only in the table, as they compute nothing: {}</span>", moves);
    out += "</p>\n";
    add_fractions(out, line);
    add_table(out, line, i);
  }
  return out + "</body>\n</html>\n";
}

}  // namespace slipway::bench
