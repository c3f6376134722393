// Functions: signatures, bodies in the order in which they are found, the call graph (RPL pages 3.6, 3.13).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

std::string_view describe(StageUse kind) {
  switch (kind) {
    case StageUse::Attribute:
      return "attributes can be read in the vertex stage only";
    case StageUse::StateRead:
      return "state can be read in the fragment stage only";
    case StageUse::StateWrite:
      return "state can be written in the vertex stage only";
    case StageUse::ColorWrite:
      return "color outputs can be written in the fragment stage only";
    case StageUse::BufferWrite:
      return "buffers can be written in the compute stage only";
    case StageUse::Workgroup:
      return "workgroup buffers exist in the compute stage only";
    case StageUse::Builtin:
      return "this function does not exist in this stage";
  }
  return "";
}

}  // namespace

// --- declarations --------------------------------------------------------------------------------------------------

// The active one of the items of one name, of which this is the first; kNone for none.
ItemId Resolver::State::active_of_name(ItemId first) {
  if (first == kNone) return kNone;
  if (program->items[first].next_same_name == kNone) return is_active(first) ? first : kNone;
  if (choice_of[first] == kNone) {
    NameChoice choice;
    Consulted* const outer = std::exchange(sink, &choice.consulted);
    for (ItemId id = first; id != kNone; id = program->items[id].next_same_name) {
      if (!is_active(id)) continue;
      if (choice.found == kNone) {
        choice.found = id;
        continue;
      }
      const Item& item = program->items[id];
      error(DiagnosticKind::RplDuplicateName, item.name_range,
            formatted("{} `{}` is already declared", word_of(item.kind), text(item.name)))
          .note("the first declaration", location(program->items[choice.found].name_range));
    }
    sink = outer;
    choice_of[first] = static_cast<std::uint32_t>(choices.size());
    choices.push_back(std::move(choice));
  }
  const NameChoice& choice = choices[choice_of[first]];
  sink->merge(choice.consulted);
  return choice.found;
}

std::uint32_t Resolver::State::find_function(NameId name) {
  note_lookup(Lookup::Kind::Function, name);
  const ItemId found = active_of_name(program->first_function[name]);
  return found == kNone ? kNone : declare_function(found);
}

std::uint32_t Resolver::State::declare_function(ItemId id) {
  if (function_of[id] != kNone) return function_of[id];
  function_of[id] = static_cast<std::uint32_t>(functions.size());
  FunctionState state{.item = id, .body = find_kept_body(id)};
  Consulted* const outer = std::exchange(sink, &state.consulted);
  const std::uint32_t outer_user = std::exchange(user, id);
  if (state.body != kNone) {
    reuse_signature(state);
  } else {
    const Window window = open_window();
    resolve_signature(state);
    state.lookups = close_window(window);
    state.clean = is_clean(window);
  }
  sink = outer;
  user = outer_user;
  out.functions.push_back(
      {.name = program->items[id].name, .item = id, .result = state.result, .arguments = state.arguments});
  functions.push_back(std::move(state));
  return function_of[id];
}

void Resolver::State::resolve_signature(FunctionState& state) {
  const Item& item = program->items[state.item];
  state.result = resolve_type(item.type, false);
  const Type& result = out.types[state.result];
  if (result.opaque || result.has_tail) {
    error(DiagnosticKind::RplReturnType, program->types[item.type].range,
          formatted("a function cannot return `{}`", text(program->types[item.type].name)));
    state.result = kErrorType;
  }
  state.arguments.first = static_cast<std::uint32_t>(out.arguments.size());
  for (std::uint32_t i = item.arguments.first; i < item.arguments.first + item.arguments.count; ++i) {
    const ArgumentDecl& declared = program->arguments[i];
    if (!condition_holds(declared.condition, false)) continue;
    TypeId type = resolve_type(declared.type, false);
    const Type& of = out.types[type];
    const Range range = program->types[declared.type].range;
    if (type == kVoid || of.has_tail || (of.opaque && of.kind == TypeKind::Array)) {
      error(DiagnosticKind::RplArgType, range, formatted("an argument cannot be `{}`", out.type_text(type)));
      type = kErrorType;
    } else if (of.opaque && declared.access != Access::In) {
      error(DiagnosticKind::RplArgType, range, "samplers and images are `in` arguments only");
      type = kErrorType;
    }
    out.arguments.emplace_back(declared.name, declared.access, type, i);
  }
  state.arguments.count = static_cast<std::uint32_t>(out.arguments.size()) - state.arguments.first;
  constexpr std::uint32_t kMaxArguments = 255;  // SPIR-V 1.6, 2.17 universal limits
  if (state.arguments.count > kMaxArguments) {
    error(DiagnosticKind::RplArgCount, item.name_range,
          formatted("`{}` has {} arguments, and a function has {} at most", text(item.name), state.arguments.count,
                    kMaxArguments));
  }
}

void Resolver::State::resolve_body(std::uint32_t index) {
  current = index;
  user = functions[index].item;
  if (functions[index].body != kNone) return reuse_body(index);
  const Item& item = program->items[user];
  functions[index].body = static_cast<std::uint32_t>(bodies.size());
  bodies.push_back({.item = user, .result = functions[index].result, .arguments = functions[index].arguments});
  Body& made = body();
  sink = &made.consulted;
  dead = loops = alias_uses = 0;
  const std::size_t code = out.code.size(), places = out.lvalues.size();
  const std::size_t first_edge = edges.size(), first_use = uses.size(), first_sampler_use = sampler_uses.size();
  out.functions[index].locals.first = static_cast<std::uint32_t>(out.locals.size());
  const Window window = open_window();
  unbind(0);
  bind_arguments(made.arguments);
  const bool ends = resolve_statements(program->stmts[item.body]);
  if (!ends && made.result != kVoid && made.result != kErrorType) {
    error(DiagnosticKind::RplReturnMissing, item.name_range,
          formatted("`{}` returns `{}`, but a path through it ends without `return`", text(item.name),
                    out.type_text(made.result)));
  }
  unbind(0);
  sink = &unrecorded;
  made.code = from(code, out.code);
  made.locals = from(out.functions[index].locals.first, out.locals);
  made.lvalues = from(places, out.lvalues);
  made.edges = from(first_edge, edges);
  made.uses = from(first_use, uses);
  made.sampler_uses = from(first_sampler_use, sampler_uses);
  made.lookups = close_window(window);
  if (functions[index].clean && is_clean(window)) keep_body(index);
  take_body(index);
}

// The function is what its body says.
void Resolver::State::take_body(std::uint32_t index) {
  FunctionState& state = functions[index];
  const Body& made = bodies[state.body];
  Function& function = out.functions[index];
  function.locals = made.locals;
  function.code = made.code;
  function.lvalues = made.lvalues;
  state.consulted.merge(made.consulted);
}

void Resolver::State::bind_arguments(List arguments) {
  for (std::uint32_t index = arguments.first; index < arguments.first + arguments.count; ++index) {
    const Argument& argument = out.arguments[index];
    const Range range = program->arguments[argument.declaration].name_range;
    if (local_of[argument.name] != kNone) {
      error(DiagnosticKind::RplShadow, range, formatted("there is another argument `{}`", text(argument.name)));
      continue;
    }
    if (!check_local_name(argument.name, range)) continue;
    bind({.kind = Binding::Kind::Argument, .name = argument.name, .index = index, .type = argument.type, .at = range});
  }
}

// Names that are wrong whether or not something uses them: two of one name, and those of built-in functions.
void Resolver::State::check_function_names() {
  sink = &unrecorded;
  for (const ItemId id : program->contested) {
    const Item& item = program->items[id];
    const bool structure = item.kind == ItemKind::Struct;
    const ItemId first = (structure ? program->first_struct : program->first_function)[item.name];
    if (first == id && item.next_same_name != kNone) active_of_name(id);
    if (structure) continue;
    const BuiltinFunction* const builtin = find_builtin(item.name);
    if (!builtin || !is_active(id)) continue;
    if (info_of(builtin->id).origin == BuiltinOrigin::Base) {
      error(DiagnosticKind::RplBuiltinName, item.name_range, formatted("`{}` is a built-in function", text(item.name)));
    } else {
      warning(DiagnosticKind::RplBuiltinName, item.name_range,
              formatted("this function hides the built-in function `{}`", text(item.name)));
    }
  }
}

void Resolver::State::resolve_entry_points(std::span<const EntryPointName> names) {
  std::array<const EntryPointName*, kStageCount> chosen{};
  for (const EntryPointName& name : names) {
    const auto index = static_cast<std::size_t>(name.stage);
    if ((name.stage == Stage::Compute) != (settings->pipeline == PipelineKind::Compute)) {
      diagnostics->error(
          DiagnosticKind::RplStage, SourceLocation::nowhere(),
          formatted("a {} pipeline has no {} stage",
                    settings->pipeline == PipelineKind::Compute ? "compute" : "graphics", name_of(name.stage)));
    } else if (chosen[index]) {
      diagnostics->error(DiagnosticKind::RplEntryTwice, SourceLocation::nowhere(),
                         formatted("the {} stage has two entry points, `{}` and `{}`", name_of(name.stage),
                                   chosen[index]->function, name.function));
    } else {
      chosen[index] = &name;
    }
  }
  for (const EntryPointName* const name : chosen) {
    if (!name) continue;
    Consulted own;
    sink = &own;
    user = kNone - 1;
    const NameId id = program->names.find(name->function);
    const std::uint32_t found = id == kNoName || id >= program->first_function.size() ? kNone : find_function(id);
    if (found == kNone) {
      Diagnostic& problem = diagnostics->error(
          DiagnosticKind::RplEntryMissing, SourceLocation::nowhere(),
          formatted("there is no function `{}` for the {} stage", name->function, name_of(name->stage)));
      if (id != kNoName && id < program->first_function.size() && program->first_function[id] != kNone) {
        note_disabled(problem, program->first_function[id]);
      }
      continue;
    }
    const Item& item = program->items[functions[found].item];
    if ((functions[found].result != kVoid && functions[found].result != kErrorType) ||
        functions[found].arguments.count != 0) {
      error(DiagnosticKind::RplEntrySignature, item.name_range,
            formatted("the entry point `{}` must be `void {} (void)`", text(item.name), text(item.name)));
    }
    sink = &unrecorded;
    out.consulted.stages[static_cast<std::size_t>(name->stage)].merge(own);
    out.entry_points.push_back({name->stage, found});
  }
}

// --- the call graph ------------------------------------------------------------------------------------------------

void Resolver::State::note_stage_use(StageUse kind, StageMask stages, Range at) {
  if (dead != 0) return;
  Body& state = body();
  const auto index = static_cast<std::size_t>(kind);
  if (state.stage_uses[index].end == 0 || (state.stage_use_stages[index] & stages) != state.stage_use_stages[index]) {
    state.stage_uses[index] = at;
    state.stage_use_stages[index] &= stages;
  }
  state.allowed &= stages;
}

// Depth first with a stack of its own: call chains may be long.
void Resolver::State::check_recursion() {
  marks.assign(functions.size(), Mark::New);
  auto& stack = call_stack;
  stack.clear();
  for (std::uint32_t root = 0; root < functions.size(); ++root) {
    if (marks[root] != Mark::New || body_of(root).edges.count == 0) continue;
    marks[root] = Mark::Open;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const List calls = body_of(at).edges;
      if (next == calls.count) {
        marks[at] = Mark::Done;
        stack.pop_back();
        continue;
      }
      const CallEdge& edge = edges[calls.first + next++];
      if (marks[edge.callee] == Mark::New) {
        marks[edge.callee] = Mark::Open;
        stack.emplace_back(edge.callee, 0);
        continue;
      }
      if (marks[edge.callee] != Mark::Open) continue;
      const auto name = [&](std::uint32_t index) { return text(program->items[functions[index].item].name); };
      const auto from = std::ranges::find(stack, edge.callee, &std::pair<std::uint32_t, std::uint32_t>::first);
      std::string cycle;
      for (auto link = from; link != stack.end() && link - from < 16; ++link)
        cycle += formatted("`{}` -> ", name(link->first));
      if (stack.end() - from > 16) cycle += "... -> ";
      error(DiagnosticKind::RplRecursion, edge.at,
            formatted("functions cannot call themselves: {}`{}`", cycle, name(edge.callee)));
    }
  }
}

void Resolver::State::reach(const EntryPoint& entry) {
  const StageMask bit = mask_of(entry.stage);
  parents.assign(functions.size(), kNone);
  std::vector<std::uint32_t>& order = reached;
  order.clear();
  order.push_back(entry.function);
  functions[entry.function].stages |= bit;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const List calls = body_of(order[i]).edges;
    for (std::uint32_t e = calls.first; e < calls.first + calls.count; ++e) {
      const CallEdge& edge = edges[e];
      if (edge.dead || (functions[edge.callee].stages & bit) != 0) continue;
      functions[edge.callee].stages |= bit;
      parents[edge.callee] = e;
      order.push_back(edge.callee);
    }
  }
  for (const std::uint32_t index : order) {
    if ((body_of(index).allowed & bit) == 0) check_stage(entry.stage, index);
  }
}

void Resolver::State::check_stage(Stage stage, std::uint32_t index) {
  const Body& state = body_of(index);
  for (std::uint32_t i = 0; i < kStageUseCount; ++i) {
    const auto kind = static_cast<StageUse>(i);
    if ((state.stage_use_stages[i] & mask_of(stage)) != 0) continue;
    const bool direct = parents[index] == kNone;
    DiagnosticKind code = DiagnosticKind::RplStage;
    if (direct && kind == StageUse::StateRead) code = DiagnosticKind::RplNotReadable;
    if (direct && (kind == StageUse::StateWrite || kind == StageUse::BufferWrite || kind == StageUse::ColorWrite)) {
      code = DiagnosticKind::RplNotWritable;
    }
    std::string what(describe(kind));
    if (kind == StageUse::Builtin) {
      const SourceLocation call = location(state.stage_uses[i]);
      const std::string_view written = call.source->text(call.span);
      what = formatted("`{}` is not a function of this stage", written.substr(0, written.find_first_of(" \t\r\n(/")));
    }
    Diagnostic& problem = error(
        code, state.stage_uses[i],
        formatted("{}, and `{}` is used in the {} stage", what, text(program->items[state.item].name), name_of(stage)));
    std::uint32_t at = index;
    for (std::uint32_t steps = 0; steps < 8 && parents[at] != kNone; ++steps) {
      const CallEdge& edge = edges[parents[at]];
      problem.note(formatted("`{}` is called by `{}`", text(program->items[functions[at].item].name),
                             text(program->items[functions[edge.caller].item].name)),
                   location(edge.at));
      at = edge.caller;
    }
  }
}

void Resolver::State::record_stages() {
  for (const EntryPoint& entry : out.entry_points) {
    reach(entry);
    Consulted& consulted = out.consulted.stages[static_cast<std::size_t>(entry.stage)];
    std::uint32_t used = 0;
    for (const std::uint32_t index : reached) {
      consulted.merge(functions[index].consulted);
      used |= body_of(index).groups;
    }
    for (std::uint32_t group = 0; group < kGroupCount; ++group) {
      if ((used >> group & 1) != 0) consulted.merge(groups[group]);
    }
    // The size of the workgroup is part of the code.
    if (entry.stage == Stage::Compute) consulted.merge(out.consulted.settings);
  }
  for (const Group group :
       {Group::Attributes, Group::Pass, Group::Material, Group::Object, Group::Shared, Group::PushConstant}) {
    out.consulted.interface.merge(groups[static_cast<std::size_t>(group)]);
  }
  record_settings();
}

void Resolver::State::record_settings() {
  out.consulted.settings.merge(groups[static_cast<std::size_t>(Group::ColorOutputs)]);
}

// --- what is never written -----------------------------------------------------------------------------------------

void Resolver::State::check_unwritten() {
  const EntryPoint* vertex = nullptr;
  const EntryPoint* fragment = nullptr;
  for (const EntryPoint& entry : out.entry_points) {
    if (entry.stage == Stage::Vertex) vertex = &entry;
    if (entry.stage == Stage::Fragment) fragment = &entry;
  }
  if (!vertex && !fragment) return;
  first_reads.assign(out.container_fields.size(), {});
  written_fields.assign(out.container_fields.size(), false);
  const auto& reads = first_reads;
  const auto& written = written_fields;
  bool position = false;
  for (std::uint32_t function = 0; function < functions.size(); ++function) {
    if (functions[function].stages == 0) continue;
    for (const FieldUse& use : part(uses, body_of(function).uses)) {
      if (use.field == kNone) {
        position = true;
      } else if (use.write) {
        written_fields[field_of[use.field]] = true;
      } else if (reads[field_of[use.field]].end == 0) {
        first_reads[field_of[use.field]] = use.at;
      }
    }
  }
  if (vertex && !position) {
    warning(DiagnosticKind::RplPositionUnwritten, program->items[functions[vertex->function].item].name_range,
            "the vertex stage never writes its position")
        .hint("call `vertex_stage_output_position`");
  }
  for (std::uint32_t i = 0; i < out.container_fields.size(); ++i) {
    const ContainerField& field = out.container_fields[i];
    const ItemKind kind = out.containers[field.container].kind;
    if (kind == ItemKind::StateContainer && vertex && fragment && reads[i].end != 0 && !written[i]) {
      out.unwritten_state.push_back(i);
      warning(DiagnosticKind::RplStateUnwritten, reads[i],
              formatted("`{}` is read here, but the vertex stage never writes it", text(field.name)))
          .hint("it is zero");
    }
    if (kind == ItemKind::ColorContainer && fragment && !written[i]) {
      warning(DiagnosticKind::RplOutputUnwritten, program->fields[field.field].name_range,
              formatted("the fragment stage never writes the color output `{}`", text(field.name)));
    }
  }
}

// Functions that only code that was dropped calls are dropped, too.
void Resolver::State::drop_unreached() {
  numbers.assign(functions.size(), kNone);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].stages == 0) continue;
    out.functions[i].stages = functions[i].stages;
    numbers[i] = kept;
    if (kept != i) out.functions[kept] = out.functions[i];
    ++kept;
  }
  if (kept == functions.size()) return;
  out.functions.resize(kept);
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].stages == 0) continue;
    for (const CallEdge& edge : part(edges, body_of(i).edges)) {
      if (edge.code != kNoRef) out.code[edge.code].a = numbers[edge.callee];
    }
  }
  for (EntryPoint& entry : out.entry_points) entry.function = numbers[entry.function];
}

}  // namespace slipway::rpl
