// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

template <class T>
void check_duplicates(const std::vector<T>& list, std::string_view what, Diagnostics& diagnostics) {
  std::map<std::string_view, Value> seen;
  for (const T& one : list) {
    if (one.name.empty()) continue;
    const auto [first, fresh] = seen.emplace(one.name, one.at["name"]);
    if (fresh) continue;
    diagnostics
        .add(json::problem(one.at["name"], DiagnosticKind::DuplicateName,
                           formatted("two {} are called `{}`; the first one is used", what, one.name)))
        .as_rule()
        .note("the first one is here", first->second.location());
  }
}

template <class T>
void unknown(Value at, DiagnosticKind kind, std::string_view what, std::string_view name, const std::vector<T>& list,
             Diagnostics& diagnostics) {
  Diagnostic problem = json::problem(at, kind, formatted("Unknown {} '{}'", what, name));
  const auto near = may_search(diagnostics.all().size(), list.size())
                        ? closest(name, list | std::views::transform(&T::name))
                        : std::nullopt;
  if (near) problem.suggest(json::inside_quotes(at.location()), *near);
  diagnostics.add(std::move(problem));
}

void check_resource_of(const Recipe& recipe, const RecipeNames& names, const Run& run, Diagnostics& diagnostics) {
  if (run.resource.empty()) return;
  const bool kernel = names.kernels.find(run.resource).has_value();
  const bool cpu = names.cpus.find(run.resource).has_value();
  if (run.on_cpu()) {
    if (cpu) return;
    if (names.cpus.find(run.id)) {  // the shipped runner looks up `name`
      diagnostics.add(json::problem(
          run.resource_at, DiagnosticKind::DeprecatedForm,
          formatted("there is no CPU function `{}`; `{}`, the name of the run, is taken", run.resource, run.id),
          Severity::Warning));
      return;
    }
    unknown(run.resource_at, DiagnosticKind::UnknownReference, "cpu", run.resource, recipe.cpus, diagnostics);
    if (kernel)
      diagnostics.add(json::problem(run.at["where"], DiagnosticKind::WrongReference,
                                    formatted("`{}` is a kernel, but the run is on the CPU", run.resource)));
    return;
  }
  if (kernel) return;
  if (const auto of = std::ranges::find(recipe.kernels, run.resource, &Kernel::instance); of != recipe.kernels.end()) {
    diagnostics
        .add(json::problem(run.resource_at, DiagnosticKind::UnknownReference,
                           formatted("Unknown kernel '{}'", run.resource)))
        .hint(formatted("it is the `instance` of kernel `{}`; runs take the `name` of a kernel", of->name))
        .suggestions.push_back(
            {formatted("replace by `{}`", of->name), json::inside_quotes(run.resource_at.location()), of->name});
    return;
  }
  unknown(run.resource_at, DiagnosticKind::UnknownReference, "kernel", run.resource, recipe.kernels, diagnostics);
  if (cpu)
    diagnostics.add(
        json::problem(run.resource_at, DiagnosticKind::WrongReference,
                      formatted("`{}` is a CPU function; its runs need `\"where\": \"cpu\"`", run.resource)));
}

// Reports an argument whose range is not inside its buffer. If the size of the buffer is unknown, only an overflow can
// be found.
void check_slice(const Buffer& buffer, const Argument& argument, Diagnostics& diagnostics) {
  if (buffer.incomplete || buffer.size == 0) {
    if (!checked_add(argument.offset, argument.size)) {
      diagnostics
          .add(problem_at(argument.at, "offset", DiagnosticKind::BufferSize,
                          "sub buffer size and offset: Invalid argument"))
          .hint("their sum does not fit in 64 bits");
    }
    return;
  }
  if (ignores_offset(argument.offset, argument.size, buffer.size)) {
    diagnostics
        .add(problem_at(argument.at, "offset", DiagnosticKind::BufferSize,
                        formatted("the argument takes the whole buffer `{}` of {} bytes; its offset {} is ignored",
                                  buffer.name, buffer.size, argument.offset)))
        .as_rule();
    return;
  }
  if (argument.size > buffer.size) {
    diagnostics
        .add(problem_at(argument.at, "size", DiagnosticKind::BufferSize,
                        formatted("buffer size mismatch for buffer: {}", buffer.name)))
        .hint(formatted("the argument takes {} bytes, but the buffer has {}", argument.size, buffer.size));
    return;
  }
  const Size end = checked_add(argument.offset, argument.size);
  if (!end || *end > buffer.size) {
    diagnostics
        .add(problem_at(argument.at, argument.at["offset"] ? "offset" : "size", DiagnosticKind::BufferSize,
                        "sub buffer size and offset: Invalid argument"))
        .hint(formatted("the part begins at {} and takes {} bytes, but buffer `{}` has {}", argument.offset,
                        argument.size, buffer.name, buffer.size));
  }
}

}  // namespace

Diagnostic problem_at(Value object, std::string_view key, DiagnosticKind kind, std::string message, Severity severity) {
  if (const Value member = object[key]) return json::problem(member, kind, std::move(message), severity);
  Diagnostic problem = json::problem(object, kind, std::move(message), severity);
  problem.location = object.opening();
  return problem;
}

void check_names(const Recipe& recipe, Diagnostics& diagnostics) {
  check_duplicates(recipe.contexts, "hardware contexts", diagnostics);
  check_duplicates(recipe.buffers, "buffers", diagnostics);
  check_duplicates(recipe.kernels, "kernels", diagnostics);
  check_duplicates(recipe.cpus, "CPU functions", diagnostics);
  for (const Buffer& buffer : recipe.buffers) {
    const bool needs_size = buffer.type == BufferType::Internal || buffer.type == BufferType::Debug;
    if (!buffer.incomplete && needs_size && buffer.size == 0) {
      diagnostics.add(
          problem_at(buffer.at, "size", DiagnosticKind::BufferSize,
                     formatted("{} buffer `{}` needs a `size` above 0", name_of(buffer.type), buffer.name)));
    }
  }
  const RecipeNames names(recipe);
  for (const Run& run : recipe.runs) {
    check_resource_of(recipe, names, run, diagnostics);
    check_indices(recipe, names, run, diagnostics);
    for (const Argument& argument : run.arguments) {
      if (argument.buffer.empty()) continue;
      if (const auto buffer = names.buffers.find(argument.buffer)) {
        check_slice(recipe.buffers[*buffer], argument, diagnostics);
      } else {
        unknown(argument.at["name"], DiagnosticKind::UnknownReference, "buffer", argument.buffer, recipe.buffers,
                diagnostics);
      }
    }
  }
}

void check_unused(const Recipe& recipe, Diagnostics& diagnostics) {
  std::set<std::string_view> buffers, kernels, cpus;
  for (const Run& run : recipe.runs) {
    (run.on_cpu() ? cpus : kernels).insert(run.resource);
    if (run.on_cpu()) cpus.insert(run.id);
    for (const Argument& argument : run.arguments) buffers.insert(argument.buffer);
  }
  const auto warn = [&](const auto& list, const std::set<std::string_view>& used, std::string_view what) {
    const auto is_unused = [&](const auto& one) { return !one.name.empty() && !used.contains(one.name); };
    const auto total = std::ranges::count_if(list, is_unused);
    constexpr int kMaxNamed = 8;
    int named = 0;
    for (const auto& one : list) {
      if (!is_unused(one)) continue;
      const bool last = ++named == kMaxNamed && total > kMaxNamed;
      std::string others = last ? formatted(", and {} more", total - named) : "";
      diagnostics.add(json::problem(one.at["name"], DiagnosticKind::UnusedResource,
                                    formatted("no run uses {} `{}`{}", what, one.name, others), Severity::Warning));
      if (last) break;
    }
  };
  warn(recipe.buffers, buffers, "buffer");
  warn(recipe.kernels, kernels, "kernel");
  warn(recipe.cpus, cpus, "CPU function");
}

}  // namespace slipway::recipe
