// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/report.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::importer {

void Report::add(const NetNode& node, std::string_view path, std::string reason) {
  const std::string kind = node.domain.empty() ? node.kind : formatted("{}.{}", node.domain, node.kind);
  if (lines_.empty()) first_ = node.location;
  auto line =
      std::ranges::find_if(lines_, [&](const Line& each) { return each.kind == kind && each.reason == reason; });
  if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{.kind = kind, .reason = std::move(reason)});
  ++line->count;
  constexpr std::size_t kShown = 3;
  if (line->names.size() >= kShown) return;
  const std::string name = node.name.empty() ? formatted("#{}", node.index) : formatted("`{}`", node.name);
  line->names.push_back(path.empty() ? name : formatted("{} in `{}`", name, path));
}

void Report::add_output(std::string name, std::string reason) {
  outputs_.emplace_back(std::move(name), std::move(reason));
}

void Report::print(const Net& net, std::span<const std::string> missing, Diagnostics& diagnostics) const {
  std::size_t count = 0;
  for (const Line& line : lines_) count += line.count;
  if (count != 0) {
    Diagnostic& error =
        diagnostics.error(DiagnosticKind::Unsupported, first_,
                          formatted("{} of {} {} cannot be converted", count, nodes, nodes == 1 ? "node" : "nodes"));
    for (const std::string& name : missing)
      error.hint(formatted("with --bind {}=... more of them may; a run also takes --input {}=FILE", name, name));
    for (const Line& line : lines_) {
      std::string names;
      for (const std::string& name : line.names) names += formatted("{}{}", names.empty() ? "" : ", ", name);
      if (line.count > line.names.size()) names += ", ...";
      error.note(formatted("{} x `{}` ({}): {}", line.count, line.kind, names, line.reason));
    }
  }
  for (const auto& [name, reason] : outputs_) {
    diagnostics.error(DiagnosticKind::Unsupported, SourceLocation::in_file(net.file),
                      formatted("output `{}` cannot be converted: {}", name, reason));
  }
}

}  // namespace slipway::importer
