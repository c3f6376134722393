// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/document.hpp"

#include <algorithm>

#include "rpl/lsp/inactive.hpp"

namespace slipway::rpl::lsp {
namespace {

std::vector<EntryPointName> guessed_entries(const Program& program, PipelineKind pipeline) {
  std::vector<EntryPointName> entries;
  const auto guess = [&](Stage stage, std::string_view ending) {
    for (const Item& item : program.items) {
      if (item.kind != ItemKind::Function || item.arguments.count != 0) continue;
      if (!program.text(item.name).ends_with(ending)) continue;
      entries.push_back({stage, std::string(program.text(item.name))});
      return;
    }
  };
  if (pipeline == PipelineKind::Compute) {
    guess(Stage::Compute, "compute_main");
  } else {
    guess(Stage::Vertex, "vertex_main");
    guess(Stage::Fragment, "fragment_main");
  }
  return entries;
}

}  // namespace

bool Document::is_inactive(Range range) const {
  return std::ranges::any_of(inactive,
                             [&](const Range& off) { return off.begin <= range.begin && range.end <= off.end; });
}

std::unique_ptr<Document> analyse(SourcePtr source, const ProjectSettings& settings) {
  auto document = std::make_unique<Document>(std::move(source));
  document->program = parse(document->source, document->diagnostics);
  NameTable names = document->program.names;  // so that tokens have the program's numbers
  Diagnostics known;
  if (document->source->text().size() <= kLargestSource) lex(document->source, 0, names, document->tokens, known);
  Diagnostics foreign;  // options of other documents of the project
  for (const auto& [name, value] : settings.options) {
    set_option(document->program, name, value, OptionFilter::Any, {}, document->assignment, foreign);
  }
  document->inactive = inactive_ranges(document->program, document->assignment);
  if (!document->program.valid) return document;
  // A document with workgroup sizes or buffers is a compute pipeline, even if the project's others are not.
  PipelineKind pipeline = settings.pipeline;
  if (settings.entry_points.empty() && guessed_entries(document->program, pipeline).empty() &&
      !guessed_entries(document->program, PipelineKind::Compute).empty()) {
    pipeline = PipelineKind::Compute;
  }
  const std::vector<EntryPointName> entries =
      settings.entry_points.empty() ? guessed_entries(document->program, pipeline) : settings.entry_points;
  const ResolveOptions resolve_settings{.pipeline = pipeline, .check_unused = true, .check_bodies = true};
  document->resolved =
      resolve(document->program, document->assignment, entries, resolve_settings, document->diagnostics);
  return document;
}

}  // namespace slipway::rpl::lsp
