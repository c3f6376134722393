// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/costs.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace slipway::rpl::lsp {
namespace {

std::size_t count_instructions(const spirv::Words& words) {
  constexpr std::size_t kHeader = 5;
  std::size_t count = 0;
  for (std::size_t at = kHeader; at < words.size(); at += std::max<std::size_t>(words[at] >> 16, 1)) ++count;
  return count;
}

void widen(CostRange& range, std::size_t value, bool is_first) {
  range.min = is_first ? value : std::min(range.min, value);
  range.max = is_first ? value : std::max(range.max, value);
}

const Item* function_named(const SourceView& view, std::string_view name) {
  const Program& program = view.document->program;
  for (const Item& item : program.items) {
    const bool here = item.range.begin >= view.range().begin && item.range.begin < view.range().end;
    if (here && item.kind == ItemKind::Function && program.text(item.name) == name) return &item;
  }
  return nullptr;
}

}  // namespace

std::vector<std::pair<Span, EntryCost>> entry_costs(const std::vector<SourceView>& views) {
  std::map<std::uint64_t, std::pair<Span, EntryCost>> costs;  // by offset
  std::map<std::uint64_t, std::set<std::string>> modules;     // files that were counted
  for (const SourceView& view : views) {
    const Document& document = *view.document;
    if (!document.program.valid) continue;
    std::vector<std::pair<Stage, const Item*>> entries;
    for (const EntryPointName& entry : document.variants.compile.entry_points) {
      if (const Item* function = function_named(view, entry.function)) entries.emplace_back(entry.stage, function);
    }
    if (entries.empty()) continue;
    VariantOptions options = document.variants;
    options.emit = true;
    options.compile.spirv.split_stages = true;
    Diagnostics ignored;  // they are shown
    const std::optional<Variants> variants = find_variants(document.program, options, ignored);
    for (const auto& [stage, function] : entries) {
      const Span name = view.local(function->name_range);
      EntryCost& cost = costs.try_emplace(name.begin, name, EntryCost()).first->second.second;
      ++cost.programs;
      if (!variants) {
        ++cost.too_many;
        continue;
      }
      cost.variants += variants->leaves;
      cost.failing += variants->failing_leaves;
      std::set<std::string>& counted = modules[name.begin];
      for (const VariantClass& of : variants->classes) {
        const std::string& file = of.code[static_cast<std::size_t>(stage)];
        const auto module = std::ranges::find(variants->modules, file, &VariantModule::file);
        if (module == variants->modules.end() || !counted.insert(file).second) continue;
        widen(cost.bytes, module->words.size() * sizeof(std::uint32_t), cost.modules == 0);
        widen(cost.instructions, count_instructions(module->words), cost.modules == 0);
        ++cost.modules;
      }
    }
  }
  std::vector<std::pair<Span, EntryCost>> sorted;
  for (auto& [offset, cost] : costs) sorted.push_back(std::move(cost));
  return sorted;
}

}  // namespace slipway::rpl::lsp
