// Samplers that are used both with and without comparison. The language declares no kind of sampler; what a sampler
// object does is known to the host program only. But one object cannot do both: in Vulkan a comparing sampler gives
// undefined texels to sampling that does not compare, and the other way round (Vulkan 1.3, "Instruction/Sampler/Image
// View Validation"). So a sampler that both kinds of functions reach, directly or as an argument, is wrong for one.

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

// Each argument learns the two kinds of use once each and hands them to what calls pass for it, so the walk is linear
// however functions call each other.
void Resolver::State::check_samplers() {
  std::array<bool, 3> seen{};
  for (std::uint32_t function = 0; function < functions.size(); ++function) {
    for (const SamplerUse& use : part(sampler_uses, body_of(function).sampler_uses)) {
      seen[static_cast<std::size_t>(use.kind)] = true;
    }
  }
  if (!seen[static_cast<std::size_t>(SamplerUse::Kind::Plain)] ||
      !seen[static_cast<std::size_t>(SamplerUse::Kind::Compare)]) {
    return;
  }

  struct Known {
    std::array<Range, 2> uses{};    // by Kind: the call of the sampling function; end 0 for none
    std::array<Range, 2> passes{};  // where the sampler itself is passed towards it
  };
  std::vector<Known> samplers(out.samplers.size()), arguments(out.arguments.size());
  std::vector<std::uint32_t> last_pass(out.arguments.size(), kNone);  // by argument: the last use that passes it on
  std::vector<std::pair<std::uint32_t, SamplerUse::Kind>> todo;       // arguments that have just learnt of a kind
  const auto learn = [&](const SamplerUse& at, SamplerUse::Kind kind, Range use) {
    Known& known = at.root == LValueRoot::Sampler ? samplers[payload[at.index]] : arguments[at.index];
    const auto slot = static_cast<std::size_t>(kind);
    if (known.uses[slot].end != 0) return;
    known.uses[slot] = use;
    if (at.kind == SamplerUse::Kind::Pass) known.passes[slot] = at.at;
    if (at.root == LValueRoot::Argument) todo.emplace_back(at.index, kind);
  };
  for (std::uint32_t function = 0; function < functions.size(); ++function) {
    if (functions[function].stages == 0) continue;
    const List uses = body_of(function).sampler_uses;
    for (std::uint32_t i = uses.first; i < uses.first + uses.count; ++i) {
      SamplerUse& use = sampler_uses[i];
      if (use.kind == SamplerUse::Kind::Pass) {
        const std::uint32_t passed = functions[function_of[use.callee]].arguments.first + use.argument;
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
    for (std::uint32_t i = last_pass[argument]; i != kNone; i = sampler_uses[i].previous) {
      learn(sampler_uses[i], kind, use);
    }
  }

  for (std::size_t i = 0; i < samplers.size(); ++i) {
    const auto& [uses, passes] = samplers[i];
    if (uses[0].end == 0 || uses[1].end == 0) continue;
    // What stands first says what the sampler is for.
    const auto compare = static_cast<std::size_t>(SamplerUse::Kind::Compare);
    const std::size_t later = uses[0].begin < uses[1].begin ? 1 : 0;
    const std::string_view name = text(out.samplers[i].name);
    Diagnostic& problem = warning(
        DiagnosticKind::RplSamplerUse, uses[later],
        later == compare
            ? formatted("this compares with `{}`, which is sampled without comparison, too; a sampler cannot do both",
                        name)
            : formatted("this samples `{}` without comparison, and it is compared with, too; a sampler cannot do both",
                        name));
    if (passes[later].end != 0) problem.note(formatted("`{}` is passed here", name), location(passes[later]));
    problem.note(later == compare ? "sampled without comparison" : "compared with", location(uses[1 - later]));
    if (passes[1 - later].end != 0) problem.note(formatted("`{}` is passed here", name), location(passes[1 - later]));
    problem.note(formatted("`{}` is declared here", name), location(program->items[out.samplers[i].item].name_range));
    problem.hint("declare two samplers: one that compares and one that does not");
  }
}

}  // namespace slipway::rpl
