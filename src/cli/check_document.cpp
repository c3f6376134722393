// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/check_document.hpp"

#include <algorithm>
#include <array>

#include "cli/formats.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/session.hpp"
#include "scenario/load.hpp"
#include "zeinfo/check/check.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::cli {
namespace {

void check_scenario_text(const SourcePtr& source, const Path& directory, Diagnostics& diagnostics) {
  scenario::load(source, directory, {.checking = true, .depth = scenario::Depth::References}, diagnostics);
}

void check_recipe_text(const SourcePtr& source, const Path& directory, Diagnostics& diagnostics) {
  recipe::SessionOptions options;
  options.recipe = source;
  options.artifacts = recipe::Artifacts::in_directory(directory);
  options.read.leniency = Severity::Error;
  options.plan.depth = recipe::Depth::References;
  recipe::Session::load(options, diagnostics);
}

void check_profile_text(const SourcePtr& source, const Path&, Diagnostics& diagnostics) {
  const recipe::ReadOptions read{.leniency = Severity::Error};
  auto document = recipe::read_document(source, read, diagnostics);
  const auto profile = document ? recipe::read_profile(std::move(document), read, diagnostics) : std::nullopt;
  if (profile) recipe::check_profile(*profile, nullptr, nullptr, diagnostics);
}

// The readers of kernels make a source of their own from the bytes.
void move_to(const SourcePtr& source, SourceLocation& location) {
  const bool same = location.kind == SourceLocation::Kind::Text && location.source->text() == source->text();
  if (same) location = SourceLocation::in_text(source, location.span);
}

void check_zeinfo_text(const SourcePtr& source, const Path&, Diagnostics& diagnostics) {
  Diagnostics found;
  std::vector<zebin::Input> inputs = zebin::read_inputs(source->name(), bytes_of(source->text()), {}, found);
  for (zebin::Input& input : inputs) zebin::check_input(input, {}, nullptr);
  for (Diagnostic& diagnostic : found.release()) {
    move_to(source, diagnostic.location);
    for (DiagnosticNote& note : diagnostic.notes) move_to(source, note.location);
    for (Suggestion& suggestion : diagnostic.suggestions) move_to(source, suggestion.location);
    diagnostics.add(std::move(diagnostic));
  }
}

// An editor shows many JSON files of other programs, and one key in common must not make errors of all others. So both
// of these keys are required, which files of the format have.
struct DocumentCheck {
  std::string_view format;  // as Format::name
  std::array<std::string_view, 2> keys;
  void (*check)(const SourcePtr& source, const Path& directory, Diagnostics& diagnostics);
};
constexpr std::array kDocumentChecks = {
    DocumentCheck{"scenario", {"commands", "resources"}, check_scenario_text},
    DocumentCheck{"recipe", {"version", "resources"}, check_recipe_text},
    DocumentCheck{"profile", {"version", "executions"}, check_profile_text},
    DocumentCheck{"zebin", {"version", "kernels"}, check_zeinfo_text},
};

}  // namespace

std::optional<Diagnostics> check_document(const SourcePtr& source, const Path& path) {
  const Content content{.path = path, .bytes = bytes_of(source->text()), .keys = json_keys(source->text())};
  const Format* const format = format_of(content);
  if (!format) return std::nullopt;
  const auto found = std::ranges::find(kDocumentChecks, format->name, &DocumentCheck::format);
  if (found == kDocumentChecks.end()) return std::nullopt;
  const auto has_key = [&](std::string_view key) { return content.has(key); };
  if (!content.keys.empty() && !std::ranges::all_of(found->keys, has_key)) return std::nullopt;
  Diagnostics diagnostics;
  found->check(source, path.parent_path(), diagnostics);
  diagnostics.enforce_rules();
  return diagnostics;
}

}  // namespace slipway::cli
