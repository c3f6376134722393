// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of slipway/rpl.h for variants and packs.
#include <unordered_map>

#include "base/format.hpp"
#include "rpl/variants/variants.hpp"
#include "rpl_c/pack_writer.hpp"
#include "rpl_c/pipelines.hpp"
#include "rpl_c/problems.hpp"
#include "slipway/rpl.h"

using namespace slipway;
using namespace slipway::rpl_c;

namespace {

// What rpl_variants points to.
struct VariantsObject {
  std::shared_ptr<ProgramState> state;
  rpl::Variants variants;
  std::vector<PipelinePtr> pipelines;
  Arena arena;
};

std::optional<rpl::OptionId> find_option(const rpl::Program& program, std::string_view name) {
  for (rpl::OptionId id = 0; id < program.options.size(); ++id) {
    if (program.text(program.options[id].name) == name) return id;
  }
  return std::nullopt;
}

void read_domain(const rpl::Program& program, const rpl_domain& from, std::vector<std::vector<rpl::Value>>& domains,
                 Diagnostics& diagnostics) {
  if (!from.name || (!from.values && from.count != 0)) {
    diagnostics.error(DiagnosticKind::Usage, {}, "an rpl_domain has no name or no values");
    return;
  }
  std::vector<rpl::Value> values;
  for (std::size_t i = 0; i < from.count; ++i) {
    rpl::Assignment one;
    rpl::set_option(program, from.name, from.values[i] ? from.values[i] : "", rpl::OptionFilter::Any, {}, one,
                    diagnostics);
    if (const auto option = find_option(program, from.name); option && one.has(*option)) {
      values.push_back(one.values[*option]);
    }
  }
  if (const auto option = find_option(program, from.name); option && !values.empty()) {
    domains[*option] = std::move(values);
  }
}

using WordsByFile = std::unordered_map<std::string_view, const spirv::Words*>;

PipelinePtr pipeline_of(ProgramState& state, const WordsByFile& words, const rpl::VariantClass& from) {
  std::vector<spirv::Words> code;
  for (const rpl::MetadataCode& module : from.values.code) code.push_back(*words.at(module.file));
  return state.keep(make_pipeline_object(from.values, std::move(code), {}));
}

rpl_assignment make_assignment(Arena& arena, const rpl::Program& program, const rpl::Assignment& from) {
  std::vector<rpl::OptionId> assigned;
  for (rpl::OptionId option = 0; option < from.values.size(); ++option) {
    if (from.has(option)) assigned.push_back(option);
  }
  return arena.list<rpl_assignment>(assigned, [&](rpl::OptionId option) {
    return rpl_option_value{arena.text(program.text(program.options[option].name)).data,
                            arena.text(rpl::format_value(program, from.values[option])).data};
  });
}

rpl_status find_variants(std::shared_ptr<ProgramState> state, const rpl_variants_options& options, rpl_variants* made,
                         rpl_problems* problems) {
  Diagnostics diagnostics;
  rpl_variant variant;
  if (!read_options(options.variant, variant)) return wrong_call(problems, "rpl_variant begins with its size");
  if ((!variant.options && variant.option_count != 0) || (!variant.entry_points && variant.entry_point_count != 0) ||
      (!options.domains && options.domain_count != 0)) {
    return wrong_call(problems, "rpl_variants_options or its variant has a count, but no list");
  }
  const rpl::Program& program = state->program();
  rpl::VariantOptions search;
  search.compile = compile_options(variant, diagnostics);
  search.fixed = read_assignment(program, variant, diagnostics);
  search.domains = rpl::default_domains(program, search.fixed, rpl::Vary::All);
  for (std::size_t i = 0; i < options.domain_count; ++i) {
    read_domain(program, options.domains[i], search.domains, diagnostics);
  }
  if (options.max_variants != 0) search.max_variants = options.max_variants;
  if (options.threads != 0) search.jobs = options.threads;
  search.emit = search.keep_values = true;
  if (diagnostics.has_errors()) return give_result(diagnostics, problems);
  std::optional<rpl::Variants> found = rpl::find_variants(program, search, diagnostics);
  if (variant.strict != 0) diagnostics.make_strict();
  diagnostics.sort();
  if (!found || diagnostics.has_errors()) return give_result(diagnostics, problems);
  give_problems(diagnostics, problems);

  auto object = std::make_unique<VariantsObject>();
  object->variants = std::move(*found);
  WordsByFile words;
  for (const rpl::VariantModule& module : object->variants.modules) words.emplace(module.file, &module.words);
  for (const rpl::VariantClass& of : object->variants.classes) {
    object->pipelines.push_back(pipeline_of(*state, words, of));
  }
  Arena& arena = object->arena;
  std::size_t index = 0;
  *made = arena.list<rpl_variants>(object->variants.classes, [&](const rpl::VariantClass& from) {
    rpl_variant_class to{};
    to.pipeline = object->pipelines[index++].get();
    to.reason = arena.text(from.reason);
    to.when_count = static_cast<std::uint32_t>(from.when.size());
    auto* const when = arena.array<rpl_assignment>(from.when.size());
    for (std::size_t i = 0; i < from.when.size(); ++i) when[i] = make_assignment(arena, program, from.when[i]);
    to.when = when;
    return to;
  });
  made->assignments = object->variants.assignments;
  object->state = std::move(state);
  made->internal = object.release();
  return RPL_OK;
}

}  // namespace

rpl_status rpl_program_variants(rpl_program* program, const rpl_variants_options* given, rpl_variants* variants,
                                rpl_problems* problems) {
  return guarded(problems, [&] {
    if (variants) *variants = {};
    rpl_variants_options options;
    if (!program || !variants || !read_options(given, options)) {
      return wrong_call(problems,
                        "rpl_program_variants needs a program, options with their size and a place for the variants");
    }
    return find_variants(program->current(), options, variants, problems);
  });
}

void rpl_variants_free(rpl_variants* variants) {
  if (!variants) return;
  delete static_cast<VariantsObject*>(variants->internal);
  *variants = {};
}

rpl_status rpl_pack_make(const rpl_packed* programs, size_t count, rpl_bytes* bytes, rpl_problems* problems) {
  return guarded(problems, [&] {
    if (bytes) *bytes = {};
    if (!bytes || (!programs && count != 0))
      return wrong_call(problems, "rpl_pack_make needs programs and a place for the bytes");
    PackWriter writer;
    for (size_t i = 0; i < count; ++i) {
      if (!programs[i].name || !programs[i].variants || !programs[i].variants->internal) {
        return wrong_call(problems, "rpl_packed needs a name and variants");
      }
      const auto& object = *static_cast<const VariantsObject*>(programs[i].variants->internal);
      writer.add(programs[i].name, object.state->program(), object.variants);
    }
    Diagnostics diagnostics;
    std::optional<std::vector<std::uint32_t>> made = diagnostics.take(writer.take());
    if (!made) return give_result(diagnostics, problems);
    auto* const kept = new std::vector<std::uint32_t>(std::move(*made));
    bytes->data = kept->data();
    bytes->size = 4 * kept->size();
    bytes->internal = kept;
    return RPL_OK;
  });
}

void rpl_bytes_free(rpl_bytes* bytes) {
  if (!bytes) return;
  delete static_cast<std::vector<std::uint32_t>*>(bytes->internal);
  *bytes = {};
}
