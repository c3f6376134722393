#include "rpl/resolve.hpp"
#include "base/format.hpp"

#include "rpl/append_unique.hpp"
#include "rpl/resolve/context.hpp"

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

// What is of one variant alone. The rest is forgotten with the program: kept.cpp.
void Resolver::State::clear() {
  const std::size_t names = program->names.size(), items = program->items.size();
  out.program = program;
  out.pipeline = settings->pipeline;
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

  activity.assign(items, Activity::Unknown);
  item_consulted.resize(items);
  for (Consulted& consulted : item_consulted) consulted.clear();
  constant_values.resize(items);  // those of inactive constants mean nothing, as with all that is only resized
  name_instance.assign(names, false);
  struct_types.resize(items);
  struct_state.assign(items, Activity::Unknown);
  struct_consulted.clear();
  fields.clear();
  aliases.clear();
  alias_steps.clear();
  member_stack.clear();
  for (Consulted& group : groups) group.clear();
  bound.assign(names, kNone);
  payload.resize(items);
  field_of.resize(program->fields.size());
  counters = {};
  functions.clear();
  function_of.assign(items, kNone);
  choices.clear();
  choice_of.assign(items, kNone);
  bindings.clear();
  local_binding.clear();
  chain_stack.clear();
  step_stack.clear();
  operand_stack.clear();
  argument_stack.clear();
  path_stack.clear();
  visible = kNone;
  depth = dead = loops = struct_depth = 0;
  parameters_full = pending_statement = notes_lookups = false;
  parameter_count = 0;
  record_order = true;
  suggestions = 0;
}

// The phases of RPL page 3.14.
void Resolver::State::run(std::span<const EntryPointName> entry_points) {
  metadata_only = entry_points.empty();
  read_part = DeclarationReads;
  resolve_options();
  resolve_constants();
  begin_layouts();
  resolve_declarations();
  read_part = SettingReads;
  resolve_settings();
  read_part = CodeReads;
  check_function_names();
  begin_bodies();
  resolve_entry_points(entry_points);
  // Bodies add the functions that they call.
  for (std::uint32_t i = 0; i < functions.size(); ++i) resolve_body(i);
  check_recursion();
  record_stages();
  check_unwritten();
  check_samplers();
  const bool bodies = !metadata_only || settings->check_bodies;
  if (settings->check_unused) check_unused(bodies);
  drop_unreached();
  list_read_order();
}

Resolver::Resolver() : state_(std::make_unique<State>()) {}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

const Resolved* Resolver::resolve(const Program& program, const Assignment& assignment,
                                  std::span<const EntryPointName> entry_points, const ResolveOptions& settings,
                                  Diagnostics& diagnostics) {
  State& state = *state_;
  Diagnostics found;
  state.program = &program;
  state.settings = &settings;
  state.assignment = &assignment;
  state.diagnostics = &found;
  if (state.keeps_code(entry_points) && state.resolve_settings_again()) return &state.out;
  found = {};  // what the settings have said is said once more, in its place
  if (!state.keeps_program()) state.forget();
  state.clear();
  state.run(entry_points);
  state.remember(entry_points, found.empty());
  const bool good = !found.has_errors();
  if (!found.empty()) append_unique(found, diagnostics);
  return good ? &state.out : nullptr;
}

std::span<const OptionId> Resolver::read_order() const { return state_->out.consulted.order; }

Resolved Resolver::release() {
  state_->last.same = false;
  return std::move(state_->out);
}

std::optional<Resolved> resolve(const Program& program, const Assignment& assignment,
                                std::span<const EntryPointName> entry_points, const ResolveOptions& settings,
                                Diagnostics& diagnostics) {
  Resolver resolver;
  if (!resolver.resolve(program, assignment, entry_points, settings, diagnostics)) return std::nullopt;
  return resolver.release();
}

}  // namespace slipway::rpl
