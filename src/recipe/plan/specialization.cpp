// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that `specialization` of a kernel gives to the constants of its module (docs/spec/recipe.md#kernels).
#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

// A key that is a number is an id, any other key a name.
const ModuleConstant* find_constant(const std::vector<ModuleConstant>& constants, std::string_view key) {
  std::uint32_t id = 0;
  const auto [last, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  const bool is_id = error == std::errc() && last == key.data() + key.size();
  const auto found = is_id ? std::ranges::find(constants, id, &ModuleConstant::id)
                           : std::ranges::find(constants, key, &ModuleConstant::name);
  return found == constants.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::vector<FixedValue>> read_specialization(const Kernel& kernel,
                                                           const std::vector<ModuleConstant>& constants,
                                                           std::string_view hint, Diagnostics& diagnostics) {
  std::vector<FixedValue> values;
  bool ok = true;
  for (const json::Value member : kernel.specialization) {
    if (json::is_free_key(member.key())) continue;
    const ModuleConstant* constant = find_constant(constants, member.key());
    if (!constant) {
      Diagnostic problem = json::problem(
          member, DiagnosticKind::KernelParameters,
          formatted("the module of kernel `{}` has no specialization constant `{}`", kernel.name, member.key()));
      problem.location = member.key_location();
      const auto near = closest(member.key(), constants | std::views::transform(&ModuleConstant::name));
      if (!hint.empty())
        problem.hint(std::string(hint));
      else if (near)
        problem.suggest(json::inside_quotes(problem.location), *near);
      diagnostics.add(std::move(problem));
      ok = false;
      continue;
    }
    auto bytes = scalar_bytes(member, constant->type, diagnostics);
    ok &= bytes.has_value();
    if (bytes) values.push_back({SpecializationTarget{constant->id, constant->type}, std::move(*bytes)});
  }
  return ok ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace slipway::recipe
