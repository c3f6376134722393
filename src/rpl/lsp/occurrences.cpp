// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/occurrences.hpp"

#include <algorithm>
#include <set>

namespace slipway::rpl::lsp {
namespace {

// Adds the occurrences in one program.
void add_occurrences(const Document& document, std::string_view name, const std::string& entity,
                     std::map<std::string, std::vector<Occurrence>>& found) {
  const NameId id = document.program.names.find(name);
  if (id == kNoName) return;
  for (const ProgramSource& source : document.program.sources) {
    const auto size = static_cast<std::uint32_t>(source.text->text().size());
    for (const Symbol& symbol : symbols_in(document, {source.base, source.base + size}, id)) {
      if (identity(document, symbol) != entity) continue;
      const std::optional<Range> declared = definition_of(document, symbol);
      std::vector<Occurrence>& all = found[source.text->name()];
      const Span at{symbol.at.begin - source.base, symbol.at.end - source.base};
      const auto known = std::ranges::find(all, at, &Occurrence::at);
      if (known == all.end()) all.push_back({at, declared == symbol.at});
    }
  }
}

bool shares_source(const Document& document, const std::set<std::string>& uris) {
  return std::ranges::any_of(document.program.sources,
                             [&](const ProgramSource& source) { return uris.contains(source.text->name()); });
}

}  // namespace

std::map<std::string, std::vector<Occurrence>> occurrences_of(Workspace& workspace, const SourceView& view,
                                                              const Symbol& symbol) {
  const std::string uri = view.source->text->name();
  const std::string entity = identity(*view.document, symbol);
  const std::string name(view.document->program.text(symbol.name));
  std::vector<std::shared_ptr<const Document>> left = workspace.programs_around(uri);
  std::map<std::string, std::vector<Occurrence>> found;
  std::set<std::string> uris = {uri};
  for (bool changed = true; std::exchange(changed, false);) {
    for (std::shared_ptr<const Document>& document : left) {
      if (!document || !shares_source(*document, uris)) continue;
      add_occurrences(*document, name, entity, found);
      document = nullptr;
      changed = true;
    }
    for (const auto& [other, all] : found) uris.insert(other);
  }
  for (auto& [other, all] : found) {
    std::ranges::sort(all, {}, [](const Occurrence& occurrence) { return occurrence.at.begin; });
  }
  return found;
}

std::map<std::string, std::string> renamed_texts(Workspace& workspace,
                                                 const std::map<std::string, std::vector<Occurrence>>& occurrences,
                                                 const std::string& name) {
  std::map<std::string, std::string> texts;
  for (const auto& [uri, all] : occurrences) {
    const std::vector<SourceView> views = workspace.views(uri);
    if (views.empty()) continue;
    const std::string_view old = views.front().source->text->text();
    std::string& text = texts[uri];
    std::uint64_t copied = 0;
    for (const Occurrence& occurrence : all) {
      text += old.substr(copied, occurrence.at.begin - copied);
      text += name;
      copied = occurrence.at.end;
    }
    text += old.substr(copied);
  }
  return texts;
}

}  // namespace slipway::rpl::lsp
