// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rpl/append_unique.hpp"
#include "rpl/resolve/bodies/body_cache.hpp"
#include "rpl/resolve/call_graph.hpp"
#include "rpl/resolve/layout_cache.hpp"
#include "rpl/resolve/settings.hpp"
#include "rpl/resolve/unused.hpp"

namespace slipway::rpl {

std::string Resolved::type_text(TypeId type) const {
  const Type& of = types[type];
  switch (of.kind) {
    case TypeKind::Struct:
      return std::string(program->text(structs[of.index].name));
    case TypeKind::RuntimeArray:
      return type_text(of.element) + "...";
    case TypeKind::Array: {
      std::string dimensions;
      for (; types[type].kind == TypeKind::Array; type = types[type].element) {
        dimensions += formatted("[{}]", types[type].length);
      }
      return type_text(type) + dimensions;
    }
    default:
      return std::string(builtin_type_name(type));
  }
}

// The passes, and what one variant leaves to the next.
//
// FUNCTIONS, STRUCTS AND BUFFERS are cached by the passes: body_cache.hpp, layout_cache.hpp.
//
// SETTINGS. Conditionals such as `conditional (wireframe) setting polygon_mode = "wireframe";` make many of the
// variants of a pipeline, and such options reach neither its interface nor its code. So when only settings read the
// options that changed since the last resolve, only settings are resolved again. Nothing is reused of a resolve with
// diagnostics, because they must be reported again.
//
// MEMORY. Entries that no further variant needs are garbage. When the tables have grown to `kMaxGrowth` times the size
// of the first variant, they are cleared, and the next variant is resolved from nothing.
struct Resolver::State {
  Context context;
  ReadLog log{context};
  ConstantResolver constants{context, log};
  ItemVersions versions{context};
  LayoutCache layouts{context, log, versions};
  TypeResolver types{context, log, constants, layouts};
  DeclarationResolver declarations{context, log, constants, types, layouts};
  SettingResolver settings{context, log, constants, declarations};
  BodyTables tables;
  FunctionTable functions{context, log, constants, types, body_cache};
  BodyCache body_cache{context, versions, declarations, functions, tables};
  BodyResolver body_resolver{context, log, constants, types, declarations, functions, tables};
  CachedBodies bodies{context, log, functions, tables, body_resolver, body_cache};
  CallGraph graph{context, declarations, functions, tables};
  UnusedCheck unused{context, log, constants, types, functions, tables, bodies, graph};

  // The last resolve.
  struct Last {
    bool same = false;   // the tables are of that program and these options
    bool clean = false;  // it had no diagnostics, so all of it may be reused
    std::vector<ProgramSource> sources;
    std::vector<EntryPointName> entry_points;
    ResolveOptions options;
    std::size_t first_size = 0;  // of the tables after the first variant
  } last;

  void run(std::span<const EntryPointName> entry_points);
  void clear();
  void forget();
  std::size_t table_size() const;
  bool keeps_program() const;
  bool keeps_code(std::span<const EntryPointName> entry_points) const;
  bool resolve_settings_again();
  void remember(std::span<const EntryPointName> entry_points, bool clean);
};

// The order of docs/spec/rpl.md#resolution-and-numbering.
void Resolver::State::run(std::span<const EntryPointName> entry_points) {
  log.begin();
  constants.resolve();
  layouts.begin();
  versions.begin(layouts.is_active() && last.same);
  types.begin();
  declarations.resolve();
  // After declarations: a setting may name a color output.
  log.set_part(ReadPart::Settings);
  settings.resolve();
  log.set_part(ReadPart::Code);
  functions.begin();
  functions.check_names();
  body_cache.begin(layouts.is_active());
  body_resolver.begin();
  functions.resolve_entry_points(entry_points);
  // Bodies declare the functions that they call.
  for (std::uint32_t i = 0; i < functions.size(); ++i) bodies.resolve(i);
  graph.check_recursion();
  graph.record_stages();
  settings.record_outputs();
  graph.check_unwritten();
  graph.check_samplers();
  if (context.options->check_unused) unused.run(!context.metadata_only || context.options->check_bodies);
  // Last: it changes the indices of functions.
  graph.drop_unreached();
  log.list_order(context.out.consulted.order);
}

// Clears the tables of one variant.
void Resolver::State::clear() {
  Resolved& out = context.out;
  out.program = context.program;
  out.pipeline = context.options->pipeline;
  out.options.clear();
  out.structs.clear();
  out.containers.clear();
  out.container_fields.clear();
  out.buffers.clear();
  out.samplers.clear();
  out.images.clear();
  out.push_constant = kNone;
  out.color_outputs.clear();
  out.functions.clear();
  out.entry_points.clear();
  out.unwritten_state.clear();
  out.consulted.interface.clear();
  out.consulted.settings.clear();
  for (Consulted& stage : out.consulted.stages) stage.clear();
  out.consulted.order.clear();
  context.suggestions = 0;
}

// Clears the tables that the variants of a program share.
void Resolver::State::forget() {
  Resolved& out = context.out;
  out.types.clear();
  out.members.clear();
  out.parameters.clear();
  out.arguments.clear();
  out.locals.clear();
  out.code.clear();
  out.lvalues.clear();
  out.steps.clear();
  out.call_arguments.clear();
  out.constants.clear();
  out.constant_words.clear();
  out.lists.clear();
  tables.clear();
  log.forget_lookups();
  versions.forget();
  layouts.forget();
  body_cache.forget();
  types.forget();
  body_resolver.forget();
  last.same = false;
}

// Entries of all shared tables, large ones counted as several.
std::size_t Resolver::State::table_size() const {
  constexpr std::size_t kLarge = 8;
  const Resolved& out = context.out;
  return out.members.size() + out.parameters.size() + out.arguments.size() + out.locals.size() + out.code.size() +
         out.lvalues.size() + out.steps.size() + out.call_arguments.size() + out.constants.size() +
         out.constant_words.size() + out.lists.size() + tables.size() + log.lookup_count() + body_cache.size() +
         versions.size() + kLarge * (tables.bodies.size() + layouts.size());
}

// Whether the shared tables are of this program, and not too large.
bool Resolver::State::keeps_program() const {
  constexpr std::size_t kMaxGrowth = 8;
  constexpr std::size_t kMinSize = 4096;  // the size that small programs count as
  // Sources do not change, so the same ones in the same modules are the same program.
  const auto same_source = [](const ProgramSource& a, const ProgramSource& b) {
    return a.text == b.text && a.module == b.module;
  };
  return last.same && last.options == *context.options &&
         std::ranges::equal(last.sources, context.program->sources, same_source) &&
         table_size() <= kMaxGrowth * std::max(last.first_size, kMinSize);
}

void Resolver::State::remember(std::span<const EntryPointName> entry_points, bool clean) {
  // A check of unused definitions leaves traces in the tables.
  const bool same = !context.options->check_unused;
  if (same && !last.same) {
    last.sources = context.program->sources;  // owned, so that no other source can get the same address
    last.options = *context.options;
    last.first_size = table_size();
  }
  last.same = same;
  // The size of a workgroup is part of the code.
  last.clean = same && clean && context.options->pipeline == PipelineKind::Graphics;
  last.entry_points.assign(entry_points.begin(), entry_points.end());
}

// Whether declarations and code are the same as in the last resolve, which was of this program.
bool Resolver::State::keeps_code(std::span<const EntryPointName> entry_points) const {
  if (!last.clean || !std::ranges::equal(last.entry_points, entry_points)) return false;
  for (OptionId id = 0; id < context.program->options.size(); ++id) {
    if (log.read_outside_settings(id) && context.value_in_force(id) != context.out.options[id]) return false;
  }
  return true;
}

// False when settings report something.
bool Resolver::State::resolve_settings_again() {
  context.out.program = context.program;
  for (OptionId id = 0; id < context.program->options.size(); ++id) {
    context.out.options[id] = context.value_in_force(id);
  }
  log.forget_setting_reads();
  for (const ItemId id : context.program->settings) constants.forget_conditional(id);
  context.out.consulted.settings.clear();
  log.set_part(ReadPart::Settings);
  settings.resolve();
  settings.record_outputs();
  log.list_order(context.out.consulted.order);
  return context.diagnostics->empty();
}

// --- the interface -------------------------------------------------------------------------------------------------

Resolver::Resolver() : state_(std::make_unique<State>()) {}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

const Resolved* Resolver::resolve(const Program& program, const Assignment& assignment,
                                  std::span<const EntryPointName> entry_points, const ResolveOptions& options,
                                  Diagnostics& diagnostics) {
  State& state = *state_;
  Diagnostics found;
  state.context.program = &program;
  state.context.options = &options;
  state.context.assignment = &assignment;
  state.context.metadata_only = entry_points.empty();
  state.context.diagnostics = &found;
  const bool keeps_program = state.keeps_program();
  if (keeps_program && state.keeps_code(entry_points) && state.resolve_settings_again()) return &state.context.out;
  found = {};  // the diagnostics of settings are reported again, in their order
  if (!keeps_program) state.forget();
  state.clear();
  state.run(entry_points);
  state.remember(entry_points, found.empty());
  const bool ok = !found.has_errors();
  if (!found.empty()) append_unique(found, diagnostics);
  return ok ? &state.context.out : nullptr;
}

std::span<const OptionId> Resolver::read_order() const { return state_->context.out.consulted.order; }

Resolved Resolver::release() {
  state_->last.same = false;
  return std::move(state_->context.out);
}

std::optional<Resolved> resolve(const Program& program, const Assignment& assignment,
                                std::span<const EntryPointName> entry_points, const ResolveOptions& options,
                                Diagnostics& diagnostics) {
  Resolver resolver;
  if (!resolver.resolve(program, assignment, entry_points, options, diagnostics)) return std::nullopt;
  return resolver.release();
}

}  // namespace slipway::rpl
