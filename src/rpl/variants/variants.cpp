// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/variants/variants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "base/sha256.hpp"
#include "json/record.hpp"
#include "rpl/assignments.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/variants/variant_search.hpp"

namespace slipway::rpl {
namespace {

// With fewer work items than this, the caller's thread does all of them.
constexpr std::size_t kVariantsWorthThreads = 16;

// How many threads check `count` pieces of work.
std::size_t threads_for(std::size_t count, std::size_t jobs) { return count < kVariantsWorthThreads ? 1 : jobs; }

// A number of assignments, exact up to the precision of a double.
std::string count_text(double count) { return count < 1e15 ? formatted("{:.0f}", count) : formatted("{:.3e}", count); }

// The names of options in quotes: "`a`, `b`".
std::string names_text(const Program& program, const std::vector<OptionId>& options) {
  std::string text;
  for (const OptionId option : options) {
    text += formatted("{}`{}`", text.empty() ? "" : ", ", program.text(program.options[option].name));
  }
  return text;
}

// --- reports of problems -------------------------------------------------------------------------------------------

// A problem's shortest assignment: starts at the leaf with the fewest options and drops each option for which all
// values have the problem.
Assignment shortest_assignment(const Search& search, std::size_t problem, const VariantOptions& settings) {
  const auto has_problem = [&](const Leaf& leaf) { return std::ranges::binary_search(leaf.problems, problem); };
  const auto length = [](const Leaf& leaf) {
    return std::ranges::count_if(leaf.assignment.values,
                                 [](const Value& value) { return value.type != ValueType::None; });
  };
  const Leaf* start = nullptr;
  for (const Leaf& leaf : search.leaves) {
    if (has_problem(leaf) && (!start || length(leaf) < length(*start))) start = &leaf;
  }
  Assignment shortest = start->assignment;
  for (Value& value : shortest.values) {
    if (value.type == ValueType::None) continue;
    const Value kept = std::exchange(value, {});
    const bool always = std::ranges::all_of(
        search.leaves, [&](const Leaf& leaf) { return !agree(leaf.assignment, shortest) || has_problem(leaf); });
    if (!always) value = kept;
  }
  for (OptionId option = 0; option < shortest.values.size(); ++option) {
    if (settings.fixed.has(option)) shortest.values[option] = {};  // set by the user for all
  }
  return shortest;
}

// A disabled definition is one cause, whatever uses it: the first use represents the others, which are counted. Returns
// the number of other uses by problem; empty for problems that another one represents.
std::vector<std::optional<std::size_t>> merge_uses(Search& search) {
  std::vector<std::optional<std::size_t>> others(search.problems.size(), 0);
  std::map<std::string_view, std::size_t> first;  // by message
  for (std::size_t i = 0; i < search.problems.size(); ++i) {
    if (search.problems[i].kind != DiagnosticKind::RplDisabledName) continue;
    const auto [known, is_new] = first.try_emplace(search.problems[i].message, i);
    if (is_new) continue;
    others[i].reset();
    ++*others[known->second];
    for (Leaf& leaf : search.leaves) {
      if (std::erase(leaf.problems, i) == 0 || std::ranges::contains(leaf.problems, known->second)) continue;
      leaf.problems.push_back(known->second);
      std::ranges::sort(leaf.problems);
    }
  }
  return others;
}

void report_problems(const Program& program, const VariantOptions& settings, Search& search, Diagnostics& diagnostics) {
  const std::vector<std::optional<std::size_t>> others = merge_uses(search);
  for (std::size_t i = 0; i < search.problems.size(); ++i) {
    if (!others[i]) continue;
    Diagnostic& problem = diagnostics.add(std::move(search.problems[i]));
    if (*others[i] > 0)
      problem.note(formatted("{} other use{} of it not shown", *others[i], *others[i] == 1 ? " is" : "s are"));
    const auto having = std::ranges::count_if(
        search.leaves, [&](const Leaf& leaf) { return std::ranges::binary_search(leaf.problems, i); });
    // Unused definitions are checked in one variant only.
    if (having == std::ssize(search.leaves) || problem.kind == DiagnosticKind::RplUnusedDefinition) continue;
    const Assignment shortest = shortest_assignment(search, i, settings);
    for (OptionId option = 0; option < shortest.values.size(); ++option) {
      if (!shortest.has(option)) continue;
      problem.assignment.emplace_back(program.text(program.options[option].name),
                                      value_json(program, shortest.values[option]));
    }
    problem.note(formatted("with {}: {} of {} assignments", assignment_text(program, shortest),
                           count_text(count_assignments(settings, shortest)), count_text(count_assignments(settings))));
  }
  std::size_t failing = 0;
  double assignments = 0;
  for (const Leaf& leaf : search.leaves) {
    if (!leaf.failed) continue;
    ++failing;
    assignments += settings.listed ? 1 : count_assignments(settings, leaf.assignment);
  }
  if (failing == 0 || search.leaves.size() == 1) return;
  diagnostics.error(DiagnosticKind::RplVariantFailed, {},
                    formatted("{} of {} variants fail: {} of {} assignments", failing, search.leaves.size(),
                              count_text(assignments), count_text(count_assignments(settings))));
}

void report_limit(const Program& program, const VariantOptions& settings, const Search& search,
                  Diagnostics& diagnostics) {
  std::vector<OptionId> options;
  for (OptionId option = 0; option < search.factors.size(); ++option) {
    if (search.factors[option] > 1) options.push_back(option);
  }
  std::ranges::stable_sort(options, std::ranges::greater(), [&](OptionId option) { return search.factors[option]; });
  std::string largest;
  for (const OptionId option : options | std::views::take(4)) {
    largest += formatted("{}`{}` ({} values)", largest.empty() ? "" : ", ", program.text(program.options[option].name),
                         search.factors[option]);
  }
  Diagnostic& problem = diagnostics.error(
      DiagnosticKind::RplVariantLimit,
      options.empty() ? SourceLocation{}
                      : program.location(program.items[program.options[options.front()].item].name_range),
      formatted("there are more than {} variants{}; {} options multiply them, most of all {}", settings.max_variants,
                search.estimate > 0 ? formatted(" (about {:.2g})", search.estimate) : "", options.size(), largest));
  problem.hint("give some of them with `--set`, vary fewer with `--vary`, or raise `--max-variants`");
}

// --- classes -------------------------------------------------------------------------------------------------------

template <class Key>
std::size_t count_classes(const Search& search, Key key) {
  std::unordered_set<std::uint64_t> classes;
  for (const Leaf& leaf : search.leaves) {
    if (!leaf.failed) classes.insert(key(leaf.keys));
  }
  return classes.size();
}

// Leaves with equal outputs, in the order of their first ones.
std::vector<std::vector<const Leaf*>> classes_of(const Search& search, std::uint64_t (OutputKeys::*key)() const) {
  std::vector<std::vector<const Leaf*>> classes;
  std::unordered_map<std::uint64_t, std::size_t> by_key;
  for (const Leaf& leaf : search.leaves) {
    const auto [known, fresh] = by_key.emplace((leaf.keys.*key)(), classes.size());
    if (fresh) classes.emplace_back();
    classes[known->second].push_back(&leaf);
  }
  return classes;
}

struct Worker {
  Resolver resolver;
  SpirvEmitter emitter;
  MetadataEmitter metadata;
};

std::string short_name(std::string_view sha256, std::string_view ending) {
  return formatted("{}{}", sha256.substr(0, 16), ending);
}

// Nothing of a search that was interrupted is a result.
bool report_interrupt(const Search& search, Diagnostics& diagnostics) {
  if (!is_interrupted()) return false;
  diagnostics.error(
      DiagnosticKind::Interrupted, {},
      formatted("interrupted with {} variants found; no result is made of a part of them", search.leaves.size()));
  return true;
}

// The values of an assignment that are not the defaults.
Assignment not_default(const Program& program, Assignment assignment) {
  for (OptionId option = 0; option < assignment.values.size(); ++option) {
    if (assignment.values[option] == program.options[option].initial) assignment.values[option] = {};
  }
  return assignment;
}

std::size_t length_of(const Assignment& assignment) {
  return static_cast<std::size_t>(
      std::ranges::count_if(assignment.values, [](const Value& value) { return value.type != ValueType::None; }));
}

std::string differences_text(const OutputKeys& base, const OutputKeys& keys) {
  std::string text;
  const auto add = [&](bool differs, std::string_view name) {
    if (differs) text += formatted("{}{}", text.empty() ? "" : ", ", name);
  };
  add(keys.interface != base.interface, "interface");
  add(keys.settings != base.settings, "settings");
  for (std::size_t i = 0; i < kStageCount; ++i) add(keys.stages[i] != base.stages[i], name_of(static_cast<Stage>(i)));
  return text;
}

// Each class is explained by the assignment of it that changes the fewest options.
void add_reasons(const Program& program, const std::vector<std::vector<const Leaf*>>& classes, Variants& variants) {
  std::vector<Assignment> shortest;
  for (const auto& of_class : classes) {
    Assignment& best = shortest.emplace_back(not_default(program, of_class.front()->assignment));
    for (const Leaf* leaf : of_class) {
      Assignment other = not_default(program, leaf->assignment);
      if (length_of(other) < length_of(best)) best = std::move(other);
    }
  }
  std::size_t base = 0;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    if (length_of(shortest[i]) < length_of(shortest[base])) base = i;
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string options = length_of(shortest[i]) == 0 ? "default" : assignment_text(program, shortest[i]);
    const std::string differences = differences_text(classes[base].front()->keys, classes[i].front()->keys);
    variants.classes[i].reason = differences.empty() ? options : formatted("{}: {}", options, differences);
  }
}

void emit_classes(const Program& program, const VariantOptions& settings, const Search& search, Variants& variants,
                  Diagnostics& diagnostics) {
  const CompileOptions& options = settings.compile;
  // A leaf that did not fail resolves again; its problems are known.
  const auto resolve = [&](Worker& worker, const Leaf& leaf) {
    Diagnostics again;
    return worker.resolver.resolve(program, leaf.assignment, options.entry_points, options.resolve, again);
  };

  // Modules first: variants that differ only in settings share theirs.
  const auto codes = classes_of(search, &OutputKeys::code);
  std::vector<std::vector<SpirvModule>> modules(codes.size());
  std::vector<Failure> failures(codes.size());
  parallel_for_workers<Worker>(codes.size(), threads_for(codes.size(), settings.jobs),
                               [&](Worker& worker, std::size_t i) {
                                 if (is_interrupted()) return;
                                 modules[i] = worker.emitter.emit(*resolve(worker, *codes[i].front()), options.spirv);
                                 if (!options.optimize) return;
                                 Result<> optimized = options.optimize(modules[i], options.spirv.target);
                                 if (!optimized) failures[i] = std::move(optimized.error());
                               });
  for (Failure& failure : failures) diagnostics.add(std::move(failure));
  if (diagnostics.has_errors() || report_interrupt(search, diagnostics)) return;
  std::unordered_map<const Leaf*, std::size_t> code_of;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (const Leaf* leaf : codes[i]) code_of.emplace(leaf, i);
  }

  const auto classes = classes_of(search, &OutputKeys::metadata);
  variants.classes.resize(classes.size());
  parallel_for_workers<Worker>(
      classes.size(), threads_for(classes.size(), settings.jobs), [&](Worker& worker, std::size_t i) {
        if (is_interrupted()) return;
        const Resolved& resolved = *resolve(worker, *classes[i].front());
        Metadata& metadata = worker.metadata.emit(resolved, {.target = options.spirv.target,
                                                             .skip_attributes = options.skip_attributes,
                                                             .skip_sets = options.skip_sets});
        VariantClass& made = variants.classes[i];
        for (const SpirvModule& module : modules[code_of.at(classes[i].front())]) {
          add_code(metadata, resolved, module, "");
          MetadataCode& code = metadata.code.back();
          code.file = short_name(code.sha256, ".spv");
          for (const Stage stage : code.stages) made.code[static_cast<std::size_t>(stage)] = code.file;
        }
        seal(metadata);
        made.metadata = metadata_text(metadata);
        if (settings.keep_values) made.values = metadata;
        made.file = short_name(sha256_text(made.metadata), ".json");
        for (const Leaf* leaf : classes[i]) made.when.push_back(leaf->assignment);
      });
  if (report_interrupt(search, diagnostics)) return;
  add_reasons(program, classes, variants);
  std::unordered_set<std::string> files;
  for (auto& of_class : modules) {
    for (SpirvModule& module : of_class) {
      std::string file = short_name(sha256_text(std::as_bytes(std::span(module.words))), ".spv");
      if (files.insert(file).second) variants.modules.push_back({std::move(file), std::move(module.words)});
    }
  }
}

}  // namespace

// --- the proof that instance options do not reach the interface ------------------------------------------------------

void check_interface(const Program& program, const Search& search, Variants& variants, Diagnostics& diagnostics) {
  for (const Leaf& leaf : search.leaves) variants.interface_options.merge(leaf.interface_options);
  for (const OptionId option : variants.interface_options.list()) {
    if (program.options[option].option_class == OptionClass::Global) continue;
    diagnostics.error(DiagnosticKind::RplInternal,
                      program.location(program.items[program.options[option].item].name_range),
                      formatted("the interface was found to depend on the instance option `{}`",
                                program.text(program.options[option].name)));
  }
  std::map<std::vector<std::uint32_t>, std::uint64_t> by_globals;
  for (const Leaf& leaf : search.leaves) {
    if (leaf.failed) continue;
    std::vector<std::uint32_t> globals;
    for (OptionId option = 0; option < program.options.size(); ++option) {
      if (program.options[option].option_class != OptionClass::Global) continue;
      globals.push_back(
          (leaf.assignment.has(option) ? leaf.assignment.values[option] : program.options[option].initial).bits);
    }
    const auto [known, fresh] = by_globals.emplace(std::move(globals), leaf.keys.interface);
    if (known->second == leaf.keys.interface) continue;
    diagnostics.error(DiagnosticKind::RplInternal, {},
                      formatted("the interface changes under an instance option, with {}",
                                assignment_text(program, leaf.assignment)));
  }
}

// --- all together ---

std::vector<std::vector<Value>> default_domains(const Program& program, const Assignment& fixed, Vary vary) {
  std::vector<std::vector<Value>> domains(program.options.size());
  for (OptionId id = 0; id < program.options.size(); ++id) {
    const Option& option = program.options[id];
    const bool global = option.option_class == OptionClass::Global;
    if (fixed.has(id) || (vary == Vary::Global && !global) || (vary == Vary::Instance && global)) continue;
    if (option.type == OptionType::Flag) {
      domains[id] = {{ValueType::Flag, 0}, {ValueType::Flag, 1}};
    } else if (option.type == OptionType::Enum) {
      for (std::uint32_t i = 0; i < option.values.count; ++i) {
        domains[id].push_back({ValueType::String, program.lists[option.values.first + i]});
      }
    }
  }
  return domains;
}

std::optional<Variants> find_variants(const Program& program, const VariantOptions& settings,
                                      Diagnostics& diagnostics) {
  Search search = search_variants(program, settings);
  if (search.too_many) {
    report_limit(program, settings, search, diagnostics);
    return std::nullopt;
  }
  if (report_interrupt(search, diagnostics)) return std::nullopt;
  Variants variants;
  variants.assignments = settings.listed ? static_cast<double>(settings.listed->size()) : count_assignments(settings);
  variants.leaves = search.leaves.size();
  variants.failing_leaves =
      static_cast<std::size_t>(std::ranges::count_if(search.leaves, [](const Leaf& leaf) { return leaf.failed; }));
  variants.interfaces = count_classes(search, [](const OutputKeys& keys) { return keys.interface; });
  variants.settings = count_classes(search, [](const OutputKeys& keys) { return keys.settings; });
  variants.metadata = count_classes(search, [](const OutputKeys& keys) { return keys.metadata(); });
  for (const EntryPointName& entry : settings.compile.entry_points) {
    const auto stage = static_cast<std::size_t>(entry.stage);
    variants.stages[stage] = count_classes(search, [&](const OutputKeys& keys) { return keys.stages[stage]; });
  }
  report_problems(program, settings, search, diagnostics);
  check_interface(program, search, variants, diagnostics);
  if (settings.emit && !diagnostics.has_errors()) emit_classes(program, settings, search, variants, diagnostics);
  for (Leaf& leaf : search.leaves) variants.leaf_assignments.push_back(std::move(leaf.assignment));
  return variants;
}

std::string summary_text(const Program& program, const VariantOptions& settings, const Variants& variants) {
  std::string text = formatted("assignments: {}, variants: {}", count_text(variants.assignments), variants.leaves);
  if (variants.failing_leaves != 0) text += formatted(" ({} fail)", variants.failing_leaves);
  text += formatted("\nclasses: metadata {}, interface {}, settings {}", variants.metadata, variants.interfaces,
                    variants.settings);
  for (const EntryPointName& entry : settings.compile.entry_points) {
    text += formatted(", {} {}", name_of(entry.stage), variants.stages[static_cast<std::size_t>(entry.stage)]);
  }
  const std::vector<OptionId> options = variants.interface_options.list();
  const auto instance = std::ranges::count(program.options, OptionClass::Instance, &Option::option_class);
  text += formatted("\ninterface: depends on {}; independent of {} instance option{}\n",
                    options.empty() ? "no option" : names_text(program, options), instance, instance == 1 ? "" : "s");
  return text;
}

namespace {

// What a table needs to write a class.
struct WrittenClass {
  const Program* program;
  const VariantClass* from;
};

struct WrittenVariants {
  const Program* program;
  const Variants* variants;
};

struct AssignmentsOfClass {
  void write(json::Writer& out, const WrittenClass& of) const {
    out.array([&] {
      for (const Assignment& assignment : of.from->when) write_assignment(out, *of.program, assignment);
    });
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(
        R"({ "type": "array", "items": { "type": "object", "additionalProperties": { "type": ["boolean", "number", "string"] } } })");
  }
};

using CodeFiles = std::array<std::string, kStageCount>;

const std::string* file_of_stage(const CodeFiles& files, Stage stage) {
  const std::string& file = files[static_cast<std::size_t>(stage)];
  return file.empty() ? nullptr : &file;
}

const json::Record<CodeFiles>& stage_files_record() {
  using json::Text;
  static const auto record =
      json::Record<CodeFiles>("code", "the SPIR-V module of each stage, a file beside this one")
          .optional(
              "vertex", [](const CodeFiles& of) { return file_of_stage(of, Stage::Vertex); }, Text{}, "a file")
          .optional(
              "fragment", [](const CodeFiles& of) { return file_of_stage(of, Stage::Fragment); }, Text{}, "a file")
          .optional("compute", [](const CodeFiles& of) { return file_of_stage(of, Stage::Compute); }, Text{}, "a file");
  return record;
}

const json::Record<WrittenClass>& written_class_record() {
  using C = WrittenClass;
  static const auto record =
      json::Record<C>("class", "variants with equal outputs")
          .required("when", AssignmentsOfClass{},
                    "an assignment belongs to the one class with an entry that it agrees with")
          .required(
              "metadata", [](const C& of) { return &of.from->file; }, json::Text{}, "a file beside this one")
          .required(
              "code", [](const C& of) { return &of.from->code; }, json::Nested(stage_files_record()), "the code")
          .required(
              "reason", [](const C& of) { return &of.from->reason; }, json::Text{},
              "options that are not the defaults, and what differs from the variant of the defaults");
  return record;
}

std::vector<WrittenClass> written_classes(const WrittenVariants& from) {
  std::vector<WrittenClass> classes;
  for (const VariantClass& of : from.variants->classes) classes.push_back({from.program, &of});
  return classes;
}

const json::Record<WrittenVariants>& variants_record() {
  using V = WrittenVariants;
  static const auto record = json::Record<V>("variants", "the variants of a render pipeline")
                                 .required(
                                     "assignments", [](const V& of) { return count_text(of.variants->assignments); },
                                     json::Raw{R"({ "type": "number", "minimum": 0 })"}, "of the options that vary")
                                 .required("classes", written_classes, json::List{json::Nested(written_class_record())},
                                           "variants with equal outputs");
  return record;
}

}  // namespace

std::string variants_json(const Program& program, const Variants& variants) {
  return json::object_text(variants_record(), {&program, &variants});
}

std::string variants_schema_text() {
  return json::schema_text("Variants of a render pipeline", "what `slipway compile --variants` writes as variants.json",
                           {&variants_record().table()});
}

}  // namespace slipway::rpl
