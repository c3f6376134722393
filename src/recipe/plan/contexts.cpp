// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

// XRT's spelling.
constexpr std::string_view kAmbiguous = "Default hwctx is missing or ambigious";

bool is_specified(const Context& context) { return context.has_configuration() || !context.module.empty(); }

void check_reference(const Recipe& recipe, std::string_view name, Value object, Diagnostics& diagnostics) {
  if (context_of(recipe, name) || name.empty()) return;
  Diagnostic problem =
      json::problem(object["hwctx"], DiagnosticKind::HardwareContext, formatted("Unknown hwctx '{}'", name));
  const auto names = contexts_of(recipe) |
                     std::views::transform([](const Context* context) { return std::string_view(context->name); });
  if (const auto near = closest(name, names)) problem.suggest(json::inside_quotes(object["hwctx"].location()), *near);
  diagnostics.add(std::move(problem));
}

void check_context(const Context& context, Diagnostics& diagnostics) {
  if (context.incomplete) return;
  if (!context.xclbin.empty() && (!context.program.empty() || !context.programs.empty())) {
    diagnostics.add(
        problem_at(context.at, "xclbin", DiagnosticKind::ConflictingKeys,
                   formatted("hardware context `{}` has an xclbin and programs; the xclbin is used", context.name),
                   Severity::Warning));
  }
}

std::map<std::string, QosValue> qos_of(Value object) {
  std::map<std::string, QosValue> values;
  for (const Value member : object) {
    if (const auto number = member.is(json::Type::Number) ? member.unsigned_integer() : std::nullopt)
      values[member.key()] = static_cast<std::uint32_t>(*number);
    else if (member.is(json::Type::String))
      values[member.key()] = member.string();
  }
  return values;
}

std::optional<Artifact> open(const std::string& key, Value at, bool needed, const Artifacts& artifacts,
                             Diagnostics& diagnostics) {
  Result<Artifact> artifact = artifacts.open(key);
  if (artifact) return *std::move(artifact);
  for (Diagnostic& problem : artifact.error()) {
    problem.location = at.location();
    problem.at(at.pointer());
    if (!needed) {
      problem.severity = Severity::Warning;
      problem.hint("no kernel needs it");
    }
    diagnostics.add(std::move(problem));
  }
  return std::nullopt;
}

}  // namespace

std::vector<const Context*> contexts_of(const Recipe& recipe) {
  std::vector<const Context*> all;
  if (recipe.header && is_specified(*recipe.header)) all.push_back(&*recipe.header);
  for (const Context& context : recipe.contexts) all.push_back(&context);
  return all;
}

std::expected<const Context*, std::string> context_of(const Recipe& recipe, std::string_view name) {
  const std::vector<const Context*> all = contexts_of(recipe);
  if (name.empty()) {
    if (all.size() > 1) return std::unexpected(std::string(kAmbiguous));
    return all.empty() ? nullptr : all.front();
  }
  const auto found =
      std::ranges::find(all, name, [](const Context* context) { return std::string_view(context->name); });
  if (found == all.end()) return std::unexpected(formatted("Unknown hwctx '{}'", name));
  return *found;
}

ModuleName module_of(const Recipe& recipe, const Kernel& kernel) {
  if (!kernel.module.empty()) return {kernel.module, kernel.at["module"]};
  const auto context = context_of(recipe, kernel.context);
  if (context && *context && !(*context)->module.empty()) return {(*context)->module, (*context)->at["module"]};
  if (recipe.header && !recipe.header->module.empty()) return {recipe.header->module, recipe.header->at["module"]};
  return {};
}

void check_contexts(const Recipe& recipe, Diagnostics& diagnostics) {
  if (recipe.header) check_context(*recipe.header, diagnostics);
  for (const Context& context : recipe.contexts) {
    check_context(context, diagnostics);
    if (!context.incomplete && !is_specified(context)) {
      Diagnostic problem =
          json::problem(context.at, DiagnosticKind::HardwareContext, "No xclbin or program specified for hwctx");
      problem.location = context.at.opening();
      problem.hint(formatted("`{}` has neither xclbin, program, programs nor module", context.name));
      diagnostics.add(std::move(problem));
    }
    if (context.name == "header" && recipe.header && is_specified(*recipe.header)) {
      diagnostics.add(json::problem(context.at["name"], DiagnosticKind::DuplicateName,
                                    "`header` is the name of the header's own hardware context"));
    }
  }
  for (const Kernel& kernel : recipe.kernels) {
    check_reference(recipe, kernel.context, kernel.at, diagnostics);
    if (kernel.incomplete || !kernel.module.empty()) continue;
    const auto context = context_of(recipe, kernel.context);
    if (!context && kernel.context.empty()) {
      diagnostics.add(problem_at(kernel.at, "hwctx", DiagnosticKind::HardwareContext, std::string(kAmbiguous)))
          .hint(formatted("kernel `{}` must name one with `hwctx`", kernel.name));
    } else if (context && module_of(recipe, kernel).key.empty() && (!*context || !(*context)->has_configuration()) &&
               (!*context || !(*context)->incomplete) && (!recipe.header || !recipe.header->incomplete)) {
      diagnostics
          .add(problem_at(kernel.at, "name", DiagnosticKind::NoKernelSource,
                          "Could not create hwctx, xclbin or program is required in recipe"))
          .hint(formatted("or a `module` with kernel `{}`", kernel.name));
    }
  }
  for (const Buffer& buffer : recipe.buffers) {
    if (buffer.type != BufferType::Debug) continue;
    check_reference(recipe, buffer.context, buffer.at, diagnostics);
    if (buffer.context.empty() && !context_of(recipe, "")) {
      diagnostics.add(
          problem_at(buffer.at, "hwctx", DiagnosticKind::HardwareContext, "recipe debug buffer must specify hwctx"));
    }
  }
}

std::optional<ContextPlan> plan_context(const Context& context, const Artifacts& artifacts, bool needed,
                                        const Profile* profile, Diagnostics& diagnostics) {
  ContextPlan plan{.name = context.name, .origin = origin_of(context.at)};
  bool ok = true;
  if (!context.xclbin.empty()) {
    plan.xclbin = open(context.xclbin, context.at["xclbin"], needed, artifacts, diagnostics);
    ok &= plan.xclbin.has_value();
  } else {
    const auto add = [&](const std::string& key, Value at) {
      auto program = open(key, at, needed, artifacts, diagnostics);
      ok &= program.has_value();
      if (program) plan.programs.push_back(std::move(*program));
    };
    if (!context.program.empty()) add(context.program, context.at["program"]);
    for (std::size_t i = 0; i < context.programs.size(); ++i) add(context.programs[i], context.at["programs"][i]);
  }
  plan.qos = qos_of(context.cfg);
  for (auto& [key, value] : qos_of(context.qos)) plan.qos[key] = value;
  if (profile && context.name == "header") {
    for (auto& [key, value] : qos_of(profile->qos)) plan.qos[key] = value;
  }
  if (!ok && needed) return std::nullopt;
  return plan;
}

}  // namespace slipway::recipe
