// What a variant shares with earlier ones of its program: an uber-shader is parsed once and resolved many times.
//
// FUNCTIONS. Whatever code refers to is only ever added to (`out.code`, places, constants, types...), and a function
// that came out without a word said is remembered as a `Body`, which is little more than ranges of these tables. When a
// further variant comes to the function with the same values of all options that can reach it (reach.hpp), it has that
// body. Two things are then left to do. What the function looked up is looked up again, in the same order, as it may be
// the first to do so now: that declares the functions it calls and makes the structs it needs. And what has other
// numbers in this variant is written over: the roots of places that are declarations, and the functions that calls
// name.
//
// STRUCTS AND BUFFERS are remembered likewise, but for their numbers and bindings. A struct that is made anew and comes
// out as an earlier one is that type, so that all code agrees about it.
//
// Several versions of an item are kept, for options that go back and forth.
//
// SETTINGS. `conditional (wireframe) setting polygon_mode = "wireframe";` and the like make many of the variants of a
// pipeline, and such options reach neither its interface nor its code. So when every option that changed since the
// last resolve was read by settings alone, only these are resolved again. Nothing is kept of a resolve that had
// something to say, as it would have to be said again.
//
// MEMORY. What no variant will have again is garbage. When all that is kept has grown to `kMaxGrowth` times what the
// first variant took, it is forgotten, and the next variant is resolved from nothing.
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

constexpr std::size_t kMaxGrowth = 8;
constexpr std::size_t kMinSize = 4096;   // what a small program may grow to at any rate, times kMaxGrowth
constexpr std::size_t kMaxVersions = 4;  // of one item

}  // namespace

// --- the program ---------------------------------------------------------------------------------------------------

// Whether what is kept is of this program, and not too much.
bool Resolver::State::keeps_program() const {
  // Sources do not change, so the same ones in the same modules are the same program.
  const auto same_source = [](const ProgramSource& a, const ProgramSource& b) {
    return a.text == b.text && a.module == b.module;
  };
  return last.same && last.settings == *settings && std::ranges::equal(last.sources, program->sources, same_source) &&
         kept_size() <= kMaxGrowth * std::max(last.first_size, kMinSize);
}

void Resolver::State::forget() {
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
  known_constants.fill(0);
  struct_versions.clear();
  newest_version.assign(program->items.size(), kNone);
  bodies.clear();
  edges.clear();
  uses.clear();
  sampler_uses.clear();
  lookups.clear();
  relocations.clear();
  local_of.assign(program->names.size(), kNone);  // every body leaves it so
  kept_options.clear();
  layouts.clear();
  newest.assign(program->items.size(), kNone);
  reach_of.clear();
  last.same = false;
}

// Entries of all tables, large ones as several.
std::size_t Resolver::State::kept_size() const {
  constexpr std::size_t kLarge = 8;
  return out.members.size() + out.parameters.size() + out.arguments.size() + out.locals.size() + out.code.size() +
         out.lvalues.size() + out.steps.size() + out.call_arguments.size() + out.constants.size() +
         out.constant_words.size() + out.lists.size() + edges.size() + uses.size() + sampler_uses.size() +
         lookups.size() + relocations.size() + kept_options.size() + kLarge * (bodies.size() + layouts.size());
}

void Resolver::State::remember(std::span<const EntryPointName> entry_points, bool clean) {
  // A check of what is unused leaves traces in the tables.
  const bool same = !settings->check_unused;
  if (same && !last.same) {
    last.sources = program->sources;  // held, so that no other source can come to stand at the same address
    last.settings = *settings;
    last.first_size = kept_size();
  }
  last.same = same;
  // The size of a workgroup is part of the code.
  last.clean = same && clean && settings->pipeline == PipelineKind::Graphics;
  last.entry_points.assign(entry_points.begin(), entry_points.end());
}

// --- versions of an item -------------------------------------------------------------------------------------------

// The version that was made with the values that the options have now. What no option reaches has one.
template <class T>
std::uint32_t Resolver::State::find_kept(const std::vector<T>& all, ItemId item) const {
  for (std::uint32_t i = newest[item]; i != kNone; i = all[i].older) {
    const Value* const options = kept_options.data() + all[i].options;
    const auto same = [&](OptionId option) { return options[option] == out.options[option]; };
    if (std::ranges::all_of(reach_of.of(item), same)) return i;
  }
  return kNone;
}

template <class T>
void Resolver::State::keep(std::vector<T>& all, std::uint32_t made, ItemId item) {
  if (options_of_variant == kNone) {
    options_of_variant = static_cast<std::uint32_t>(kept_options.size());
    kept_options.insert(kept_options.end(), out.options.begin(), out.options.end());
  }
  all[made].options = options_of_variant;
  all[made].older = std::exchange(newest[item], made);
  std::uint32_t oldest = made;
  for (std::size_t i = 1; i < kMaxVersions && oldest != kNone; ++i) oldest = all[oldest].older;
  if (oldest != kNone) all[oldest].older = kNone;
}

void Resolver::State::look_up_again(List list) {
  Consulted* const outer = std::exchange(sink, &unrecorded);
  for (std::uint32_t i = list.first; i < list.first + list.count; ++i) {
    const auto [kind, of] = lookups[i];
    switch (kind) {
      case Lookup::Kind::Option:
        read_option(of);
        break;
      case Lookup::Kind::Struct:
        if (const ItemId found = active_of_name(program->first_struct[of]); found != kNone) resolve_struct(found);
        break;
      case Lookup::Kind::Function:
        find_function(of);
        break;
    }
  }
  sink = outer;
}

// --- structs and buffers -------------------------------------------------------------------------------------------

// Constants that are wrong may have other values than the options say.
void Resolver::State::begin_layouts() {
  keeps_layouts = !settings->check_unused && !diagnostics->has_errors();
  options_of_variant = kNone;
  if (keeps_layouts && last.same && reach_of.empty()) reach_of.find(*program);
}

const CachedLayout* Resolver::State::find_kept_layout(ItemId item) const {
  if (!keeps_layouts) return nullptr;
  const std::uint32_t found = find_kept(layouts, item);
  if (found == kNone) return nullptr;
  const Buffer& buffer = layouts[found].buffer;
  const std::size_t parameters = parameter_count + buffer.parameters.count + buffer.tail_parameters.count;
  return parameters <= kMaxParameters ? &layouts[found] : nullptr;
}

// Items with aliases are made anew: those lead to where things stand in this variant.
void Resolver::State::keep_layout(const Window& window, CachedLayout made) {
  made.lookups = close_window(window);
  if (!keeps_layouts || !is_clean(window) || aliases.size() != window.alias) return;
  const ItemId item = made.structure.item;
  layouts.push_back(std::move(made));
  keep(layouts, static_cast<std::uint32_t>(layouts.size()) - 1, item);
}

void Resolver::State::reuse_layout(ItemId item, List looked_up, List members) {
  look_up_again(looked_up);
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = out.members[members.first + i];
    FieldMap::Entry& entry = fields.add(item, member.name);
    entry.value = i;
    entry.field = member.field;
  }
}

// --- functions -----------------------------------------------------------------------------------------------------

// Declarations that are wrong may bind names in other ways than the options say.
void Resolver::State::begin_bodies() { keeps_bodies = keeps_layouts && !diagnostics->has_errors(); }

std::uint32_t Resolver::State::find_kept_body(ItemId item) const {
  return keeps_bodies ? find_kept(bodies, item) : kNone;
}

// The body that has just been resolved.
void Resolver::State::keep_body(std::uint32_t index) {
  if (!keeps_bodies) return;
  const FunctionState& state = functions[index];
  Body& made = bodies[state.body];
  made.signature = state.consulted;
  made.signature_lookups = state.lookups;
  const std::size_t first_relocation = relocations.size();
  for (std::uint32_t i = made.lvalues.first; i < made.lvalues.first + made.lvalues.count; ++i) {
    const LValue& lvalue = out.lvalues[i];
    switch (lvalue.root) {
      case LValueRoot::Local:
      case LValueRoot::Argument:
        break;
      case LValueRoot::Buffer:
        relocations.push_back({i, out.buffers[lvalue.index].item});
        break;
      case LValueRoot::Sampler:
        relocations.push_back({i, out.samplers[lvalue.index].item});
        break;
      case LValueRoot::Image:
        relocations.push_back({i, out.images[lvalue.index].item});
        break;
      default:
        relocations.push_back({i, out.container_fields[lvalue.index].field});
    }
  }
  made.relocations = from(first_relocation, relocations);
  keep(bodies, state.body, made.item);
}

void Resolver::State::reuse_signature(FunctionState& state) {
  const Body& kept = bodies[state.body];
  look_up_again(kept.signature_lookups);
  state.result = kept.result;
  state.arguments = kept.arguments;
  state.consulted = kept.signature;
}

void Resolver::State::reuse_body(std::uint32_t index) {
  const Body& kept = bodies[functions[index].body];
  look_up_again(kept.lookups);
  for (const Relocation& relocation : part(relocations, kept.relocations)) {
    LValue& lvalue = out.lvalues[relocation.lvalue];
    const bool declared =
        lvalue.root == LValueRoot::Buffer || lvalue.root == LValueRoot::Sampler || lvalue.root == LValueRoot::Image;
    lvalue.index = declared ? payload[relocation.root] : field_of[relocation.root];
  }
  for (CallEdge& edge : part(edges, kept.edges)) {
    edge.caller = index;
    edge.callee = function_of[edge.item];
    if (edge.code != kNoRef) out.code[edge.code].a = edge.callee;
  }
  take_body(index);
}

// --- settings ------------------------------------------------------------------------------------------------------

// Whether declarations and code come out as they are in `out`.
bool Resolver::State::keeps_code(std::span<const EntryPointName> entry_points) const {
  if (!last.clean || !keeps_program() || !std::ranges::equal(last.entry_points, entry_points)) return false;
  for (OptionId id = 0; id < program->options.size(); ++id) {
    if ((reading_parts[id] & ~(1u << SettingReads)) != 0 && value_in_force(id) != out.options[id]) return false;
  }
  return true;
}

// False where the settings have something to report.
bool Resolver::State::resolve_settings_again() {
  out.program = program;
  for (OptionId id = 0; id < program->options.size(); ++id) {
    out.options[id] = value_in_force(id);
    reading_parts[id] &= static_cast<std::uint8_t>(~(1u << SettingReads));
  }
  reads[SettingReads].clear();
  for (const ItemId id : program->settings) {
    activity[id] = Activity::Unknown;
    item_consulted[id].clear();
  }
  out.consulted.settings.clear();
  read_part = SettingReads;
  resolve_settings();
  record_settings();
  list_read_order();
  return diagnostics->empty();
}

}  // namespace slipway::rpl
