// Types, structs, and the fields and field aliases of structs and buffers (RPL pages 3.4, 3.6, 3.11).

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/suggest.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

constexpr std::uint64_t kMaxTypeSize = 0x7FFFFFFF;
constexpr std::uint32_t kMaxStructDepth = 256;

}  // namespace

// --- fields by name ------------------------------------------------------------------------------------------------

void FieldMap::clear() {
  std::ranges::fill(slots_, Entry{});
  used_ = 0;
}

std::size_t FieldMap::slot_of(ItemId owner, NameId name) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key = (std::uint64_t{owner} << 32 | name) * 0x9E3779B97F4A7C15u;
  std::size_t slot = static_cast<std::size_t>(key >> 32) & mask;
  while (slots_[slot].owner != kNone && (slots_[slot].owner != owner || slots_[slot].name != name)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

FieldMap::Entry& FieldMap::add(ItemId owner, NameId name) {
  if (used_ * 2 >= slots_.size()) {
    const std::vector<Entry> old =
        std::exchange(slots_, std::vector<Entry>(std::max<std::size_t>(64, slots_.size() * 2)));
    for (const Entry& entry : old) {
      if (entry.owner != kNone) slots_[slot_of(entry.owner, entry.name)] = entry;
    }
  }
  Entry& entry = slots_[slot_of(owner, name)];
  if (entry.owner == kNone) {
    entry = {owner, name, kNone, kNone};
    ++used_;
  }
  return entry;
}

const FieldMap::Entry* FieldMap::find(ItemId owner, NameId name) const {
  if (slots_.empty()) return nullptr;
  const Entry& entry = slots_[slot_of(owner, name)];
  return entry.owner == kNone ? nullptr : &entry;
}

bool Resolver::State::add_field(ItemId owner, FieldId id, std::uint32_t value) {
  const Field& field = program->fields[id];
  FieldMap::Entry& entry = fields.add(owner, field.name);
  if (entry.value != kNone) {
    error(DiagnosticKind::RplDuplicateField, field.name_range,
          formatted("`{}` has another active field `{}`", text(program->items[owner].name), text(field.name)))
        .note("the first one", location(program->fields[entry.field].name_range));
    return false;
  }
  entry.value = value;
  entry.field = id;
  return true;
}

// --- types ---------------------------------------------------------------------------------------------------------

TypeId Resolver::State::resolve_type(TypeRefId reference, bool global_only) {
  const TypeRef& ref = program->types[reference];
  TypeId type = type_of_word(ref.name);
  if (type == kErrorType) type = named_struct(ref.name, ref.range);
  if (type == kErrorType) {
    for (std::uint32_t i = 0; i < ref.dimensions.count; ++i) {
      array_size(program->lists[ref.dimensions.first + i], global_only);
    }
    return kErrorType;
  }
  if (ref.dimensions.count == 0 && !ref.runtime) return type;
  if (type == kVoid || out.types[type].has_tail) {
    error(type == kVoid ? DiagnosticKind::RplUnknownType : DiagnosticKind::RplLayoutTailLast, ref.range,
          type == kVoid
              ? "there are no arrays of `void`"
              : formatted("`{}` ends in a runtime array and cannot be the element of an array", text(ref.name)));
    return kErrorType;
  }
  const auto dimensions = std::span(program->lists).subspan(ref.dimensions.first, ref.dimensions.count);
  type = array_type(type, dimensions, global_only, ref.range);
  return ref.runtime && type != kErrorType ? out.types.runtime_array_of(type) : type;
}

TypeId Resolver::State::array_type(TypeId element, std::span<const std::uint32_t> dimensions, bool global_only,
                                   Range range) {
  std::array<std::uint32_t, 16> sizes{};
  bool good = dimensions.size() <= sizes.size();
  for (std::size_t i = 0; i < dimensions.size() && i < sizes.size(); ++i) {
    sizes[i] = array_size(dimensions[i], global_only);
    good = good && sizes[i] != 0;
  }
  if (!good) return kErrorType;
  // `T[a][b]` has `a` outer elements.
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const Type& of = out.types[element];
    const std::uint64_t stride = of.opaque ? 1 : round_up(of.size, std::max(1u, of.align));
    if (stride * sizes[i] > kMaxTypeSize) {
      error(DiagnosticKind::RplArraySize, range,
            formatted("an array of {} elements of {} bytes is larger than 2 GiB", sizes[i], stride));
      return kErrorType;
    }
    element = out.types.array_of(element, sizes[i]);
  }
  return element;
}

TypeId Resolver::State::named_struct(NameId name, Range range) {
  note_lookup(Lookup::Kind::Struct, name);
  const ItemId found = active_of_name(program->first_struct[name]);
  if (found != kNone) return resolve_struct(found);
  if (program->first_struct[name] != kNone) {
    note_disabled(error(DiagnosticKind::RplDisabledName, range, formatted("struct `{}` is disabled", text(name))),
                  program->first_struct[name]);
    return kErrorType;
  }
  Diagnostic& problem = error(DiagnosticKind::RplUnknownType, range, formatted("there is no type `{}`", text(name)));
  if (!may_suggest()) return kErrorType;
  std::vector<std::string_view> names;
  for (NameId word = Word::f1; word <= Word::f4x4; ++word) names.push_back(text(word));
  for (const Item& item : program->items) {
    if (item.kind == ItemKind::Struct && names.size() < 1000) names.push_back(text(item.name));
  }
  const Range first{range.begin, range.begin + static_cast<std::uint32_t>(text(name).size())};
  if (const auto near = closest(text(name), names)) problem.suggest(location(first), *near);
  return kErrorType;
}

TypeId Resolver::State::resolve_struct(ItemId id) {
  const Item& item = program->items[id];
  if (struct_state[id] == Activity::Active) {
    sink->merge(struct_consulted[out.types[struct_types[id]].index]);
    return struct_types[id];
  }
  if (struct_state[id] == Activity::Evaluating) {
    error(DiagnosticKind::RplStructCycle, item.name_range, formatted("struct `{}` contains itself", text(item.name)));
    return kErrorType;
  }
  if (struct_depth >= kMaxStructDepth) {
    error(DiagnosticKind::RplNesting, item.name_range, formatted("more than {} levels of structs", kMaxStructDepth));
    return kErrorType;
  }
  ++struct_depth;
  struct_state[id] = Activity::Evaluating;
  Consulted own;
  Consulted* const outer = std::exchange(sink, &own);
  const std::uint32_t outer_user = std::exchange(user, id);
  Struct made{.name = item.name, .item = id};
  Type type;
  if (const CachedLayout* const kept = find_kept_layout(id)) {
    made = kept->structure;
    type = kept->type;
    own = kept->consulted;
    reuse_layout(id, kept->lookups, made.members);
    add_struct(made, type);
  } else {
    const Window window = open_window();
    type = resolve_members(id, made.members, true);
    type.kind = TypeKind::Struct;
    take_version(made);
    add_struct(made, type);
    resolve_aliases(id, aliases.size());
    keep_layout(window, {.structure = made, .type = type, .consulted = own});
  }
  struct_state[id] = Activity::Active;
  sink = outer;
  user = outer_user;
  sink->merge(own);
  struct_consulted.push_back(std::move(own));
  --struct_depth;
  return made.type;
}

void Resolver::State::add_struct(const Struct& made, Type type) {
  type.index = static_cast<std::uint32_t>(out.structs.size());
  out.types.set_struct(made.type, type);
  out.structs.push_back(made);
  struct_types[made.item] = made.type;
}

// Gives a struct its type, and that and the members of an earlier variant where they are the same.
void Resolver::State::take_version(Struct& made) {
  const auto same = [](const Member& a, const Member& b) {
    return a.field == b.field && a.type == b.type && a.offset == b.offset;
  };
  std::uint32_t& newest = newest_version[made.item];
  for (std::uint32_t i = newest; i != kNone; i = struct_versions[i].older) {
    const StructVersion& known = struct_versions[i];
    if (!std::ranges::equal(part(out.members, made.members), part(out.members, known.members), same)) continue;
    out.members.resize(made.members.first);
    made.members = known.members;
    made.type = known.type;
    return;
  }
  made.type = out.types.add_struct(static_cast<std::uint32_t>(out.structs.size()));
  struct_versions.push_back({made.type, made.members, newest});
  newest = static_cast<std::uint32_t>(struct_versions.size()) - 1;
}

Type Resolver::State::resolve_members(ItemId id, List& members, bool global_only) {
  const Item& item = program->items[id];
  const bool tail_allowed =
      item.kind == ItemKind::Struct || item.kind == ItemKind::ReadOnlyBuffer || item.kind == ItemKind::ReadWriteBuffer;
  Type whole{.multiples_of_16 = true, .align = 4};
  const std::size_t mark = member_stack.size();
  std::uint64_t end = 0;
  FieldId tail = kNone;
  for (FieldId field_id = item.fields.first; field_id < item.fields.first + item.fields.count; ++field_id) {
    const Field& field = program->fields[field_id];
    if (field.alias || !condition_holds(field.condition, global_only)) continue;
    const TypeRef& ref = program->types[field.type];
    TypeId type = resolve_type(field.type, global_only);
    if (type == kVoid || out.types[type].opaque) {
      error(DiagnosticKind::RplFieldType, ref.range,
            formatted("a field cannot be `{}`; fields are vectors, matrices, structs and arrays of these",
                      text(ref.name)));
      type = kErrorType;
    }
    if (tail != kNone) {
      error(DiagnosticKind::RplLayoutTailLast, program->types[program->fields[tail].type].range,
            formatted("the runtime array in `{}` is not the last active field", text(program->fields[tail].name)))
          .note(formatted("`{}` comes after it", text(field.name)), location(field.name_range));
      tail = kNone;
    }
    const Type& of = out.types[type];
    if (of.has_tail && !tail_allowed) {
      error(DiagnosticKind::RplLayoutTailKind, ref.range,
            formatted("a `{}` cannot have a runtime array", word_of(item.kind)))
          .hint("storage buffers can");
      type = kErrorType;
    } else if (of.has_tail) {
      tail = field_id;
    }
    const Type& kept = out.types[type];
    const std::uint32_t align = std::max(1u, kept.align);
    const std::uint64_t offset = round_up(end, align);
    end = offset + kept.size;
    if (end > kMaxTypeSize) {
      error(DiagnosticKind::RplLayoutSize, field.name_range, formatted("`{}` is larger than 2 GiB", text(item.name)));
      end = 0;
    }
    whole.align = std::max(whole.align, align);
    whole.multiples_of_16 = whole.multiples_of_16 && (kept.multiples_of_16 || type == kErrorType);
    whole.holds_array = whole.holds_array || kept.holds_array;
    whole.has_tail = kept.has_tail;
    const auto value = static_cast<std::uint32_t>(member_stack.size() - mark);
    if (add_field(id, field_id, value)) {
      member_stack.push_back({field.name, type, static_cast<std::uint32_t>(offset), field_id});
    }
  }
  // A struct with a tail keeps the plain end: its items follow at their own alignment.
  whole.size = whole.has_tail ? end : round_up(end, whole.align);
  constexpr std::size_t kMaxMembers = 16383;  // SPIR-V 1.6, 2.17 universal limits
  if (member_stack.size() - mark > kMaxMembers) {
    error(DiagnosticKind::RplLayoutSize, program->items[id].name_range,
          formatted("`{}` has {} fields, and {} are possible", text(program->items[id].name),
                    member_stack.size() - mark, kMaxMembers));
  }
  members = {static_cast<std::uint32_t>(out.members.size()), static_cast<std::uint32_t>(member_stack.size() - mark)};
  out.members.insert(out.members.end(), member_stack.begin() + static_cast<std::ptrdiff_t>(mark), member_stack.end());
  member_stack.resize(mark);
  if (members.count == 0) {
    error(DiagnosticKind::RplEmptyBody, item.name_range, formatted("`{}` has no active field", text(item.name)));
  }
  return whole;
}

// --- aliases of fields ---------------------------------------------------------------------------------------------

void Resolver::State::resolve_aliases(ItemId id, std::size_t first_alias) {
  const Item& item = program->items[id];
  const bool global_only = item.kind != ItemKind::StateContainer && item.kind != ItemKind::ColorContainer &&
                           item.kind != ItemKind::WorkgroupBuffer;
  for (FieldId field_id = item.fields.first; field_id < item.fields.first + item.fields.count; ++field_id) {
    const Field& field = program->fields[field_id];
    if (!field.alias || !condition_holds(field.condition, global_only)) continue;
    if (add_field(id, field_id, FieldMap::kAliasBit | static_cast<std::uint32_t>(aliases.size()))) {
      aliases.push_back({.field = field_id});
    }
  }
  for (std::size_t i = first_alias; i < aliases.size(); ++i) follow_alias(id, aliases[i], 0);
}

// Finds where an alias leads; aliases it goes through are followed first. `alias` stays where it is: none are added.
void Resolver::State::follow_alias(ItemId owner, FieldAlias& alias, std::uint32_t level) {
  if (alias.state == FieldAlias::State::Done) return;
  const Field& field = program->fields[alias.field];
  if (alias.state == FieldAlias::State::Open || level > kMaxStructDepth) {
    error(level > kMaxStructDepth ? DiagnosticKind::RplNesting : DiagnosticKind::RplAliasCycle, field.name_range,
          level > kMaxStructDepth ? "more than 256 aliases lead to one another"
                                  : formatted("the alias `{}` leads to itself", text(field.name)));
    return;
  }
  alias.state = FieldAlias::State::Open;
  std::array<Step, 600> steps;
  std::uint32_t count = 0;
  TypeId type = kErrorType;
  std::uint32_t swizzle = 0, swizzle_count = 0;
  for (std::uint32_t i = 0; i < field.path.count; i += 2) {
    const NameId name = program->lists[field.path.first + i];
    const std::uint32_t at = program->lists[field.path.first + i + 1];
    const Range range{at, at + static_cast<std::uint32_t>(text(name).size())};
    const FieldAlias* through = nullptr;
    if (i == 0) {
      const FieldMap::Entry* const entry = fields.find(owner, name);
      if (!entry) {
        unknown_field(owner, name, range);
        break;
      }
      if ((entry->value & FieldMap::kAliasBit) != 0) {
        FieldAlias& other = aliases[entry->value & ~FieldMap::kAliasBit];
        follow_alias(owner, other, level + 1);
        through = &other;
      } else if (is_container(program->items[owner].kind)) {
        steps[count++] = {StepKind::Member, entry->value};
        type = out.container_fields[entry->value].type;
      } else {
        const List members = program->items[owner].kind == ItemKind::Struct
                                 ? out.structs[out.types[struct_types[owner]].index].members
                                 : out.buffers[payload[owner]].members;
        steps[count++] = {StepKind::Member, entry->value};
        type = out.members[members.first + entry->value].type;
      }
    } else {
      if (type == kErrorType) break;
      const Component found = find_component(type, name);
      if (found.kind == Component::Kind::None) {
        unknown_component(type, name, range);
        type = kErrorType;
        break;
      }
      if (found.kind == Component::Kind::Swizzle || (swizzle_count != 0 && found.kind == Component::Kind::Step)) {
        // A component of a swizzle is a swizzle of one item.
        const std::uint32_t wanted = found.kind == Component::Kind::Swizzle ? found.swizzle : found.step.value;
        std::uint32_t composed = 0;
        for (std::uint32_t item = 0; item < item_count(found.type); ++item) {
          const std::uint32_t from = wanted >> 2 * item & 3;
          composed |= (swizzle_count != 0 ? swizzle >> 2 * from & 3 : from) << 2 * item;
        }
        swizzle = composed;
        swizzle_count = item_count(found.type);
        type = found.type;
        continue;
      }
      if (found.kind == Component::Kind::Alias) {
        through = found.alias;
      } else {
        if (count < steps.size()) steps[count++] = found.step;
        type = found.type;
      }
    }
    if (!through) continue;
    for (std::uint32_t step = 0; step < through->steps.count && count < steps.size(); ++step) {
      steps[count++] = alias_steps[through->steps.first + step];
    }
    type = through->type;
    swizzle = through->swizzle;
    swizzle_count = through->swizzle_count;
  }
  alias.steps = {static_cast<std::uint32_t>(alias_steps.size()), count};
  alias_steps.insert(alias_steps.end(), steps.begin(), steps.begin() + count);
  alias.type = type;
  alias.swizzle = swizzle;
  alias.swizzle_count = swizzle_count;
  alias.state = FieldAlias::State::Done;
}

// --- components ----------------------------------------------------------------------------------------------------

Resolver::State::Component Resolver::State::find_component(TypeId type, NameId name) const {
  const Type& of = out.types[type];
  if (of.kind == TypeKind::Struct) {
    const Struct& owner = out.structs[of.index];
    const FieldMap::Entry* const entry = fields.find(owner.item, name);
    if (!entry) return {};
    if ((entry->value & FieldMap::kAliasBit) != 0) {
      return {.kind = Component::Kind::Alias, .alias = &aliases[entry->value & ~FieldMap::kAliasBit]};
    }
    return {.kind = Component::Kind::Step,
            .step = {StepKind::Member, entry->value},
            .type = out.members[owner.members.first + entry->value].type};
  }
  if ((of.kind != TypeKind::Vector || of.count == 1) && of.kind != TypeKind::Matrix) return {};
  const std::string_view letters = text(name);
  if (letters.size() > 4) return {};
  std::uint32_t swizzle = 0;
  const std::uint32_t limit = of.kind == TypeKind::Matrix ? of.columns : of.count;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::size_t item = std::string_view("xyzw").find(letters[i]);
    if (item >= limit) return {};
    swizzle |= static_cast<std::uint32_t>(item) << 2 * i;
  }
  if (of.kind == TypeKind::Matrix) {
    if (letters.size() != 1) return {};
    return {.kind = Component::Kind::Step, .step = {StepKind::Column, swizzle}, .type = column_type(type)};
  }
  if (letters.size() == 1) {
    return {.kind = Component::Kind::Step, .step = {StepKind::Component, swizzle}, .type = item_type(type)};
  }
  return {.kind = Component::Kind::Swizzle,
          .type = vector_of(item_type(type), static_cast<std::uint32_t>(letters.size())),
          .swizzle = swizzle};
}

void Resolver::State::unknown_component(TypeId type, NameId name, Range range) {
  const Type& of = out.types[type];
  if (of.kind == TypeKind::Struct) return unknown_field(out.structs[of.index].item, name, range);
  if (of.kind == TypeKind::Vector || of.kind == TypeKind::Matrix) {
    const std::uint32_t limit = of.kind == TypeKind::Matrix ? of.columns : of.count;
    const std::string_view letters = std::string_view("xyzw").substr(0, limit);
    const bool scalar = of.kind == TypeKind::Vector && of.count == 1;
    error(DiagnosticKind::RplComponent, range,
          scalar ? formatted("`{}` is a scalar and has no components", out.type_text(type))
                 : formatted("`{}` has no component `{}`; it has {}{}", out.type_text(type), text(name),
                             of.kind == TypeKind::Matrix ? "the columns " : "", letters));
    return;
  }
  error(DiagnosticKind::RplComponent, range, formatted("`{}` has no field `{}`", out.type_text(type), text(name)));
}

void Resolver::State::unknown_field(ItemId owner, NameId name, Range range) {
  const Item& item = program->items[owner];
  std::vector<std::string_view> names;
  for (FieldId id = item.fields.first; id < item.fields.first + item.fields.count; ++id) {
    const Field& field = program->fields[id];
    if (field.name == name) {
      error(DiagnosticKind::RplDisabledName, range,
            formatted("the field `{}` of `{}` is disabled", text(name), text(item.name)))
          .note(formatted("`{}` is declared here, but disabled", text(name)), location(field.name_range));
      return;
    }
    if (names.size() < 1000) names.push_back(text(field.name));
  }
  Diagnostic& problem =
      error(DiagnosticKind::RplComponent, range, formatted("`{}` has no field `{}`", text(item.name), text(name)));
  const bool suggest = may_suggest();
  if (const auto near = suggest ? closest(text(name), names) : std::nullopt) problem.suggest(location(range), *near);
  problem.note(formatted("`{}` is declared here", text(item.name)), location(item.name_range));
}

}  // namespace slipway::rpl
