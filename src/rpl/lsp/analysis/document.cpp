// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/analysis/document.hpp"

#include <algorithm>

#include "rpl/compile.hpp"
#include "rpl/lsp/analysis/inactive.hpp"
#include "rpl/parse/entry_functions.hpp"

namespace slipway::rpl::lsp {
bool Document::is_inactive(Range range) const {
  return std::ranges::any_of(inactive,
                             [&](const Range& off) { return off.begin <= range.begin && range.end <= off.end; });
}

std::string_view Document::text(Range range) const {
  const ProgramSource& source = program.sources[program.source_at(range.begin)];
  return source.text->text(Span{range.begin - source.base, range.end - source.base});
}

const ProgramSource* Document::source_named(std::string_view name) const {
  const auto found =
      std::ranges::find(program.sources, name, [](const ProgramSource& of) -> const auto& { return of.text->name(); });
  return found == program.sources.end() ? nullptr : &*found;
}

std::unique_ptr<Document> analyse(std::vector<SourcePtr> sources, const CompileSettings& settings) {
  auto document = std::make_unique<Document>();
  document->program = parse(modules_of(std::move(sources), false), document->diagnostics);
  const Program& program = document->program;
  NameTable names = program.names;  // so that tokens have the program's numbers
  Diagnostics known;
  for (const ProgramSource& source : program.sources) {
    if (!document->tokens.empty()) document->tokens.pop_back();  // the end of the source before
    lex(source.text, source.base, names, document->tokens, known);
  }
  Diagnostics foreign;  // options that other programs have
  Assignment fixed;
  for (const auto& [name, value] : settings.options) {
    set_option(program, name, value, OptionFilter::Any, {}, fixed, foreign);
  }
  document->assignment = fixed;
  for (const auto& [name, value] : settings.preferred) {
    set_option(program, name, value, OptionFilter::Any, {}, document->assignment, foreign);
  }
  VariantOptions& variants = document->variants;
  variants.domains = settings.domains ? settings.domains(program) : default_domains(program, fixed, Vary::All);
  for (OptionId option = 0; option < variants.domains.size(); ++option) {
    if (fixed.has(option)) variants.domains[option].clear();
  }
  variants.fixed = std::move(fixed);
  variants.max_variants = kMaxEditorVariants;
  document->inactive = inactive_ranges(program, document->assignment);
  document->unreachable = document->inactive;
  if (!program.valid) return document;
  PipelineKind pipeline = settings.pipeline;
  std::vector<EntryPointName> entries = settings.entry_points;
  if (entries.empty() && settings.guess_entry_points) {
    // A program with only a compute entry point is a compute pipeline, even if the client's others are not.
    entries = entry_functions(program, pipeline);
    if (entries.empty()) {
      entries = entry_functions(program, PipelineKind::Compute);
      if (!entries.empty()) pipeline = PipelineKind::Compute;
    }
  }
  CompileOptions& compile = variants.compile;
  compile.resolve = {.pipeline = pipeline, .check_unused = true, .check_bodies = true};
  compile.entry_points = std::move(entries);
  compile.spirv.target = settings.target;
  Diagnostics of_one, of_all;
  document->resolved = resolve(program, document->assignment, compile.entry_points, compile.resolve, of_one);
  const std::optional<Variants> found = find_variants(program, variants, of_all);
  for (Diagnostic& problem : (found ? of_all : of_one).release()) {
    // A count of what is reported.
    if (problem.kind != DiagnosticKind::RplVariantFailed) document->diagnostics.add(std::move(problem));
  }
  if (found) document->unreachable = unreachable_ranges(program, variants, found->leaf_assignments);
  return document;
}

}  // namespace slipway::rpl::lsp
