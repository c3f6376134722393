// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/read/read.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

using json::Decoder, json::Record, json::Type, json::Value;

// Elements that cannot be read in full are kept and marked as incomplete, so that references to them resolve and their
// other parts are checked.
template <class T>
void read_list(Decoder& decoder, Value list, const Record<T>& record, std::vector<T>& to) {
  if (!list) return;
  if (!list.is(Type::Array)) {
    decoder.wrong_type(list, "an array");
    return;
  }
  for (const Value element : list) {
    T one;
    const bool ok = record.read(decoder, element, one);
    if constexpr (requires { one.incomplete; }) {
      one.incomplete = !ok;
    } else if (!ok) {
      continue;
    }
    if (element.is(Type::Object)) to.push_back(std::move(one));
  }
}

void read_version(Decoder& decoder, Value version) {
  if (!version) return;
  if (!version.is(Type::String)) {
    decoder.wrong_type(version, "a string");
  } else if (version.string() != "1.0") {
    decoder.warning(version, DiagnosticKind::RecipeVersion,
                    formatted("the recipe has version {}; the supported version is 1.0", version.text()));
  }
}

// `kernel` is the resource and `name` the run; without `kernel`, `name` is both (docs/spec/recipe.md#runs).
void settle_names(Run& run) {
  const Value kernel = run.at["kernel"];
  run.resource_at = kernel ? kernel : run.at["name"];
  if (!kernel) run.resource = run.id;
  if (run.id.empty()) run.id = run.resource;
}

bool is_profile(Value root) { return !root["execution"]["runs"] && (root["bindings"] || root["executions"]); }

void read_resources(Decoder& decoder, Value resources, Recipe& recipe) {
  if (!resources.is(Type::Object)) {
    decoder.wrong_type(resources, "an object");
    return;
  }
  constexpr std::string_view kKeys[] = {"buffers", "kernels", "cpus", "hwctxs"};
  decoder.check_keys(resources, kKeys, "resources");
  read_list(decoder, resources["hwctxs"], context_record(), recipe.contexts);
  read_list(decoder, resources["buffers"], buffer_record(), recipe.buffers);
  read_list(decoder, resources["kernels"], kernel_record(), recipe.kernels);
  read_list(decoder, resources["cpus"], cpu_record(), recipe.cpus);
  for (Kernel& kernel : recipe.kernels) {
    if (kernel.instance.empty()) kernel.instance = kernel.name;
  }
}

void read_runs(Decoder& decoder, Value execution, Recipe& recipe) {
  if (!execution.is(Type::Object)) {
    decoder.wrong_type(execution, "an object");
    return;
  }
  constexpr std::string_view kKeys[] = {"runs"};
  decoder.check_keys(execution, kKeys, "execution");
  const Value runs = execution["runs"];
  if (!runs) {
    decoder.missing(execution, "runs", "execution");
    return;
  }
  read_list(decoder, runs, run_record(), recipe.runs);
  std::ranges::for_each(recipe.runs, settle_names);
  if (runs.is(Type::Array) && runs.size() == 0) {
    decoder.error(runs, DiagnosticKind::NoRuns, "`runs` is empty; a recipe runs at least one kernel or function");
  }
}

}  // namespace

std::string Execution::effective_name() const { return name ? *name : std::string(recipe::name_of(effective_mode())); }

std::uint32_t Execution::effective_depth() const {
  return effective_mode() == Mode::Throughput ? static_cast<std::uint32_t>(depth.value_or(2)) : 1;
}

std::shared_ptr<const json::Document> read_document(SourcePtr source, const ReadOptions& options,
                                                    Diagnostics& diagnostics) {
  auto document = diagnostics.take(json::parse(std::move(source)));
  if (!document) return nullptr;
  if (const auto extension = (*document)->extension()) {
    diagnostics.add({.severity = options.leniency,
                     .kind = DiagnosticKind::JsonExtension,
                     .message = "comments and trailing commas are not plain JSON",
                     .location = SourceLocation::in_text((*document)->source(), *extension)});
  }
  return *document;
}

std::optional<Recipe> read_recipe(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                  Diagnostics& diagnostics) {
  Decoder decoder(diagnostics, options.leniency);
  Recipe recipe{.document = std::move(document)};
  const Value root = recipe.document->root();
  if (!root.is(Type::Object)) {
    decoder.wrong_type(root, "an object with `resources` and `execution`");
    return std::nullopt;
  }
  constexpr std::string_view kKeys[] = {"version", "header", "resources", "execution"};
  decoder.check_keys(root, kKeys, "the recipe");
  read_version(decoder, root["version"]);
  if (const Value header = root["header"]) {
    Context& context = recipe.header.emplace();
    context.incomplete = !header_record().read(decoder, header, context);
    context.name = "header";
  }
  if (const Value resources = root["resources"]) {
    read_resources(decoder, resources, recipe);
  } else if (is_profile(root)) {
    decoder.error(root, DiagnosticKind::MissingKey, "this is a profile, not a recipe: it has no `resources`");
    return std::nullopt;
  } else
    decoder.missing(root, "resources", "the recipe");
  if (const Value execution = root["execution"])
    read_runs(decoder, execution, recipe);
  else
    decoder.missing(root, "execution", "the recipe");
  return recipe;
}

std::optional<Profile> read_profile(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                    Diagnostics& diagnostics) {
  Decoder decoder(diagnostics, options.leniency);
  Profile profile{.document = std::move(document)};
  const Value root = profile.document->root();
  if (!root.is(Type::Object)) {
    decoder.wrong_type(root, "an object with `bindings` and `executions`");
    return std::nullopt;
  }
  if (root["resources"] && root["execution"]["runs"]) {
    decoder.error(root, DiagnosticKind::UnknownKey, "this is a recipe, not a profile");
    return std::nullopt;
  }
  constexpr std::string_view kKeys[] = {"version", "qos", "bindings", "dtrace", "execution", "executions"};
  decoder.check_keys(root, kKeys, "the profile");
  if (const Value qos = root["qos"]) {
    if (!qos.is(Type::Object)) {
      decoder.wrong_type(qos, "an object");
    } else {
      std::uint32_t number = 0;
      bool ok = true;
      for (const Value member : qos) ok &= Whole{}.read(decoder, member, number);
      if (ok) profile.qos = qos;
    }
  }
  read_list(decoder, root["bindings"], binding_record(), profile.bindings);
  read_list(decoder, root["dtrace"], trace_record(), profile.traces);
  if (const Value execution = root["execution"]) {
    execution_record().read(decoder, execution, profile.execution.emplace());
  }
  read_list(decoder, root["executions"], execution_record(), profile.executions);
  return profile;
}

void merge_kernels(Recipe& recipe, std::shared_ptr<const json::Document> document, const ReadOptions& options,
                   Diagnostics& diagnostics) {
  Decoder decoder(diagnostics, options.leniency);
  recipe.merged.push_back(document);
  Value list = document->root();
  if (list.is(Type::Object)) {
    constexpr std::string_view kKeys[] = {"kernels"};
    decoder.check_keys(list, kKeys, "the file of kernels");
    if (!list["kernels"]) {
      decoder.missing(list, "kernels", "the file of kernels");
      return;
    }
    list = list["kernels"];
  }
  if (!list.is(Type::Array)) {
    decoder.wrong_type(list, "an array of kernels");
    return;
  }
  for (const Value entry : list) {
    Kernel changes;
    if (!kernel_record().read(decoder, entry, changes)) continue;
    const auto kernel = std::ranges::find(recipe.kernels, changes.name, &Kernel::name);
    if (kernel == recipe.kernels.end()) {
      Diagnostic problem = json::problem(entry["name"], DiagnosticKind::UnknownReference,
                                         formatted("Unknown kernel '{}': the recipe does not have it", changes.name));
      if (const auto near = closest(changes.name, recipe.kernels | std::views::transform(&Kernel::name)))
        problem.suggest(json::inside_quotes(entry["name"].location()), *near);
      decoder.add(std::move(problem));
      continue;
    }
    // Reads the entry over the kernel, so that keys that the entry lacks keep their values.
    Kernel merged = *kernel;
    kernel_record().read(decoder, entry, merged);
    *kernel = std::move(merged);
  }
}

}  // namespace slipway::recipe
