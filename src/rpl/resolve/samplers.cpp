// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers that are used both with and without comparison. The language declares no kind of sampler; only the host
// program knows what a sampler object does. But one object cannot do both: in Vulkan, a comparing sampler returns
// undefined texels for sampling that does not compare, and vice versa (Vulkan 1.3, "Instruction/Sampler/Image View
// Validation"). So a sampler that functions of both kinds reach, directly or as an argument, is an error for one.
#include <array>

#include "base/format.hpp"
#include "rpl/resolve/call_graph.hpp"

namespace slipway::rpl {

namespace {

// How a sampler or an argument is used.
struct SamplerUses {
  std::array<Range, 2> uses{};    // by Kind: the call of the sampling function; end 0 for none
  std::array<Range, 2> passes{};  // where the sampler itself is passed towards it
};

// Of a sampler that is used in both ways.
void warn_of_sampler(Context& context, const SamplerDecl& sampler, const SamplerUses& known) {
  const auto& [uses, passes] = known;
  // The first use in the sources decides what the sampler is for.
  const auto compare = static_cast<std::size_t>(SamplerUse::Kind::Compare);
  const std::size_t later = uses[0].begin < uses[1].begin ? 1 : 0;
  const std::string_view name = context.text(sampler.name);
  Diagnostic& problem = context.warning(
      DiagnosticKind::RplSamplerUse, uses[later],
      later == compare
          ? formatted("this compares with `{}`, which is sampled without comparison, too; a sampler cannot do both",
                      name)
          : formatted("this samples `{}` without comparison, and it is compared with, too; a sampler cannot do both",
                      name));
  if (passes[later].end != 0) problem.note(formatted("`{}` is passed here", name), context.location(passes[later]));
  problem.note(later == compare ? "sampled without comparison" : "compared with", context.location(uses[1 - later]));
  if (passes[1 - later].end != 0)
    problem.note(formatted("`{}` is passed here", name), context.location(passes[1 - later]));
  problem.note(formatted("`{}` is declared here", name),
               context.location(context.program->items[sampler.item].name_range));
  problem.hint("declare two samplers: one that compares and one that does not");
}

}  // namespace

// Each argument learns each of the two kinds of use once and passes it on to the arguments of calls, so the walk is
// linear regardless of how functions call each other.
void CallGraph::check_samplers() {
  std::array<bool, 3> seen{};
  for (std::uint32_t function = 0; function < functions_.size(); ++function) {
    for (const SamplerUse& use : part(tables_.sampler_uses, body_of(function).sampler_uses)) {
      seen[static_cast<std::size_t>(use.kind)] = true;
    }
  }
  if (!seen[static_cast<std::size_t>(SamplerUse::Kind::Plain)] ||
      !seen[static_cast<std::size_t>(SamplerUse::Kind::Compare)]) {
    return;
  }

  std::vector<SamplerUses> samplers(out_.samplers.size()), arguments(out_.arguments.size());
  std::vector<std::uint32_t> last_pass(out_.arguments.size(), kNone);  // by argument: the last use that passes it on
  std::vector<std::pair<std::uint32_t, SamplerUse::Kind>> todo;        // arguments that have just learnt a kind
  const auto learn = [&](const SamplerUse& at, SamplerUse::Kind kind, Range use) {
    SamplerUses& known =
        at.root == LValueRoot::Sampler ? samplers[declarations_.index_of(at.index)] : arguments[at.index];
    const auto slot = static_cast<std::size_t>(kind);
    if (known.uses[slot].end != 0) return;
    known.uses[slot] = use;
    if (at.kind == SamplerUse::Kind::Pass) known.passes[slot] = at.at;
    if (at.root == LValueRoot::Argument) todo.emplace_back(at.index, kind);
  };
  for (std::uint32_t function = 0; function < functions_.size(); ++function) {
    if (functions_[function].stages == 0) continue;
    const List uses = body_of(function).sampler_uses;
    for (std::uint32_t i = uses.first; i < uses.first + uses.count; ++i) {
      SamplerUse& use = tables_.sampler_uses[i];
      if (use.kind == SamplerUse::Kind::Pass) {
        const std::uint32_t passed = functions_[functions_.index_of(use.callee)].arguments.first + use.argument;
        use.previous = std::exchange(last_pass[passed], i);
      } else {
        learn(use, use.kind, use.at);
      }
    }
  }
  while (!todo.empty()) {
    const auto [argument, kind] = todo.back();
    todo.pop_back();
    const Range use = arguments[argument].uses[static_cast<std::size_t>(kind)];
    for (std::uint32_t i = last_pass[argument]; i != kNone; i = tables_.sampler_uses[i].previous) {
      learn(tables_.sampler_uses[i], kind, use);
    }
  }

  for (std::size_t i = 0; i < samplers.size(); ++i) {
    if (samplers[i].uses[0].end != 0 && samplers[i].uses[1].end != 0)
      warn_of_sampler(context_, out_.samplers[i], samplers[i]);
  }
}

}  // namespace slipway::rpl
