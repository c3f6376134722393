// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/types.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "rpl/resolve/layout_cache.hpp"

namespace slipway::rpl {

namespace {

constexpr std::uint64_t kMaxTypeSize = 0x7FFFFFFF;
constexpr std::uint32_t kMaxStructDepth = 256;

}  // namespace

// --- fields by name ------------------------------------------------------------------------------------------------

void FieldMap::clear() {
  // All bytes 0xFF: the owner is kNone.
  assign_bytes(slots_, slots_.size(), 0xFF);
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

bool TypeResolver::add_field(ItemId owner, FieldId id, std::uint32_t value) {
  const Field& field = context_.program->fields[id];
  FieldMap::Entry& entry = fields_.add(owner, field.name);
  if (entry.value != kNone) {
    context_
        .error(DiagnosticKind::RplDuplicateField, field.name_range,
               formatted("`{}` has another active field `{}`", context_.text(context_.program->items[owner].name),
                         context_.text(field.name)))
        .note("the first one", context_.location(context_.program->fields[entry.field].name_range));
    return false;
  }
  entry.value = value;
  entry.field = id;
  return true;
}

void TypeResolver::begin() {
  const std::size_t items = context_.program->items.size();
  struct_types_.resize(items);
  struct_state_.assign(items, Activity::Unknown);
  struct_consulted_.clear();
  struct_depth_ = 0;
  fields_.clear();
  aliases_.clear();
  alias_steps_.clear();
  member_stack_.clear();
}

void TypeResolver::forget() {
  struct_versions_.clear();
  assign_none(newest_version_, context_.program->items.size());
}

void TypeResolver::repeat(Lookup lookup) {
  if (lookup.kind == Lookup::Kind::Option) return log_.read(lookup.of);
  const ItemId found = constants_.active_of_name(context_.program->first_struct[lookup.of]);
  if (found != kNone) resolve_struct(found);
}

void TypeResolver::add_known_layout(ItemId item, List lookups, List members) {
  {
    const ReadScope scope(log_, log_.unrecorded);
    for (std::uint32_t i = lookups.first; i < lookups.first + lookups.count; ++i) repeat(log_.lookup(i));
  }
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = out_.members[members.first + i];
    FieldMap::Entry& entry = fields_.add(item, member.name);
    entry.value = i;
    entry.field = member.field;
  }
}

// --- types ---------------------------------------------------------------------------------------------------------

TypeId TypeResolver::resolve_type(TypeRefId reference, bool global_only) {
  const TypeRef& ref = context_.program->types[reference];
  TypeId type = type_of_word(ref.name);
  if (type == kErrorType) type = named_struct(ref.name, ref.range);
  if (type == kErrorType) {
    for (std::uint32_t i = 0; i < ref.dimensions.count; ++i) {
      constants_.array_size(context_.program->lists[ref.dimensions.first + i], global_only);
    }
    return kErrorType;
  }
  if (ref.dimensions.count == 0 && !ref.runtime) return type;
  if (type == kVoid || out_.types[type].has_tail) {
    context_.error(type == kVoid ? DiagnosticKind::RplUnknownType : DiagnosticKind::RplLayoutTailLast, ref.range,
                   type == kVoid ? "there are no arrays of `void`"
                                 : formatted("`{}` ends in a runtime array and cannot be the element of an array",
                                             context_.text(ref.name)));
    return kErrorType;
  }
  const auto dimensions = std::span(context_.program->lists).subspan(ref.dimensions.first, ref.dimensions.count);
  type = array_type(type, dimensions, global_only, ref.range);
  return ref.runtime && type != kErrorType ? out_.types.runtime_array_of(type) : type;
}

TypeId TypeResolver::array_type(TypeId element, std::span<const std::uint32_t> dimensions, bool global_only,
                                Range range) {
  std::array<std::uint32_t, 16> sizes{};
  bool ok = dimensions.size() <= sizes.size();
  for (std::size_t i = 0; i < dimensions.size() && i < sizes.size(); ++i) {
    sizes[i] = constants_.array_size(dimensions[i], global_only);
    ok = ok && sizes[i] != 0;
  }
  if (!ok) return kErrorType;
  // `T[a][b]` has `a` outer elements.
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const Type& of = out_.types[element];
    const std::uint64_t stride = of.opaque ? 1 : round_up(of.size, std::max(1u, of.align));
    if (stride * sizes[i] > kMaxTypeSize) {
      context_.error(DiagnosticKind::RplArraySize, range,
                     formatted("an array of {} elements of {} bytes is larger than 2 GiB", sizes[i], stride));
      return kErrorType;
    }
    element = out_.types.array_of(element, sizes[i]);
  }
  return element;
}

namespace {

// The type with the name that GLSL, HLSL or WGSL give it; empty for other names.
std::string_view type_of_other_languages(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"float", "f1"}, {"int", "s1"},    {"uint", "u1"},   {"vec2", "f2"},       {"vec3", "f3"},
      {"vec4", "f4"},  {"float2", "f2"}, {"float3", "f3"}, {"float4", "f4"},     {"ivec2", "s2"},
      {"ivec3", "s3"}, {"ivec4", "s4"},  {"int2", "s2"},   {"int3", "s3"},       {"int4", "s4"},
      {"uvec2", "u2"}, {"uvec3", "u3"},  {"uvec4", "u4"},  {"uint2", "u2"},      {"uint3", "u3"},
      {"uint4", "u4"}, {"mat3", "f3x3"}, {"mat4", "f4x4"}, {"float3x3", "f3x3"}, {"float4x4", "f4x4"},
      {"f32", "f1"},   {"i32", "s1"},    {"u32", "u1"}};
  const auto found = std::ranges::find(kTypes, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kTypes) ? std::string_view() : found->second;
}

}  // namespace

TypeId TypeResolver::named_struct(NameId name, Range range) {
  log_.note(Lookup::Kind::Struct, name);
  const ItemId found = constants_.active_of_name(context_.program->first_struct[name]);
  if (found != kNone) return resolve_struct(found);
  if (context_.program->first_struct[name] != kNone) {
    constants_.note_disabled(context_.error(DiagnosticKind::RplDisabledName, range,
                                            formatted("struct `{}` is disabled", context_.text(name))),
                             context_.program->first_struct[name]);
    return kErrorType;
  }
  Diagnostic& problem =
      context_.error(DiagnosticKind::RplUnknownType, range, formatted("there is no type `{}`", context_.text(name)));
  const Range whole{range.begin, range.begin + static_cast<std::uint32_t>(context_.text(name).size())};
  if (const std::string_view known = type_of_other_languages(context_.text(name)); !known.empty()) {
    problem.suggest(context_.location(whole), std::string(known));
    return kErrorType;
  }
  if (context_.text(name) == "bool") {
    problem.hint("flags exist at compile time only; `u1` can hold 0 and 1");
    return kErrorType;
  }
  if (!context_.may_suggest()) return kErrorType;
  std::vector<std::string_view> names;
  for (NameId word = Word::f1; word <= Word::f4x4; ++word) names.push_back(context_.text(word));
  for (const Item& item : context_.program->items) {
    if (item.kind == ItemKind::Struct && names.size() < 1000) names.push_back(context_.text(item.name));
  }
  const Range first{range.begin, range.begin + static_cast<std::uint32_t>(context_.text(name).size())};
  if (const auto near = closest(context_.text(name), names)) problem.suggest(context_.location(first), *near);
  return kErrorType;
}

TypeId TypeResolver::resolve_struct(ItemId id) {
  const Item& item = context_.program->items[id];
  if (struct_state_[id] == Activity::Active) {
    log_.sink->merge(struct_consulted_[out_.types[struct_types_[id]].index]);
    return struct_types_[id];
  }
  if (struct_state_[id] == Activity::Evaluating) {
    context_.error(DiagnosticKind::RplStructCycle, item.name_range,
                   formatted("struct `{}` contains itself", context_.text(item.name)));
    return kErrorType;
  }
  if (struct_depth_ >= kMaxStructDepth) {
    context_.error(DiagnosticKind::RplNesting, item.name_range,
                   formatted("more than {} levels of structs", kMaxStructDepth));
    return kErrorType;
  }
  ++struct_depth_;
  struct_state_[id] = Activity::Evaluating;
  Consulted own;
  Struct made{.name = item.name, .item = id};
  {
    const ReadScope scope(log_, own, id);
    if (const CachedLayout* const cached = cache_.find(id)) {
      made = cached->structure;
      const Type type = cached->type;
      own = cached->consulted;
      add_known_layout(id, cached->lookups, made.members);
      add_struct(made, type);
    } else {
      const LookupWindow window = log_.open_window();
      const std::size_t aliases = alias_count();
      Type type = resolve_members(id, made.members, true);
      type.kind = TypeKind::Struct;
      take_version(made);
      add_struct(made, type);
      resolve_aliases(id, made.members);
      cache_.store(window, alias_count() != aliases,
                   {.structure = made, .type = type, .buffer = {}, .consulted = own, .lookups = {}});
    }
  }
  struct_state_[id] = Activity::Active;
  log_.sink->merge(own);
  struct_consulted_.push_back(std::move(own));
  --struct_depth_;
  return made.type;
}

void TypeResolver::add_struct(const Struct& made, Type type) {
  type.index = static_cast<std::uint32_t>(out_.structs.size());
  out_.types.set_struct(made.type, type);
  out_.structs.push_back(made);
  struct_types_[made.item] = made.type;
}

// Sets the type of a struct: that of an equal struct of an earlier variant, whose members it then shares.
void TypeResolver::take_version(Struct& made) {
  const auto same = [](const Member& a, const Member& b) {
    return a.field == b.field && a.type == b.type && a.offset == b.offset;
  };
  std::uint32_t& newest = newest_version_[made.item];
  for (std::uint32_t i = newest; i != kNone; i = struct_versions_[i].older) {
    const StructVersion& known = struct_versions_[i];
    if (!std::ranges::equal(part(out_.members, made.members), part(out_.members, known.members), same)) continue;
    out_.members.resize(made.members.first);
    made.members = known.members;
    made.type = known.type;
    return;
  }
  made.type = out_.types.add_struct(static_cast<std::uint32_t>(out_.structs.size()));
  struct_versions_.push_back({made.type, made.members, newest});
  newest = static_cast<std::uint32_t>(struct_versions_.size()) - 1;
}

// Long, because one pass over the fields checks them, lays them out and adds them.
Type TypeResolver::resolve_members(ItemId id, List& members, bool global_only) {
  const Item& item = context_.program->items[id];
  const bool tail_allowed =
      item.kind == ItemKind::Struct || item.kind == ItemKind::ReadOnlyBuffer || item.kind == ItemKind::ReadWriteBuffer;
  Type whole{.multiples_of_16 = true, .align = 4};
  const std::size_t mark = member_stack_.size();
  std::uint64_t end = 0;
  FieldId tail = kNone;
  for (FieldId field_id = item.fields.first; field_id < item.fields.first + item.fields.count; ++field_id) {
    const Field& field = context_.program->fields[field_id];
    if (field.alias || !constants_.condition_holds(field.condition, global_only)) continue;
    const TypeRef& ref = context_.program->types[field.type];
    TypeId type = resolve_type(field.type, global_only);
    if (type == kVoid || out_.types[type].opaque) {
      context_.error(DiagnosticKind::RplFieldType, ref.range,
                     formatted("a field cannot be `{}`; fields are vectors, matrices, structs and arrays of these",
                               context_.text(ref.name)));
      type = kErrorType;
    }
    if (tail != kNone) {
      context_
          .error(DiagnosticKind::RplLayoutTailLast, context_.program->types[context_.program->fields[tail].type].range,
                 formatted("the runtime array in `{}` is not the last active field",
                           context_.text(context_.program->fields[tail].name)))
          .note(formatted("`{}` comes after it", context_.text(field.name)), context_.location(field.name_range));
      tail = kNone;
    }
    const Type& of = out_.types[type];
    if (of.has_tail && !tail_allowed) {
      context_
          .error(DiagnosticKind::RplLayoutTailKind, ref.range,
                 formatted("a `{}` cannot have a runtime array", word_of(item.kind)))
          .hint("storage buffers can");
      type = kErrorType;
    } else if (of.has_tail) {
      tail = field_id;
    }
    const Type& kept = out_.types[type];
    const std::uint32_t align = std::max(1u, kept.align);
    const std::uint64_t offset = round_up(end, align);
    end = offset + kept.size;
    if (end > kMaxTypeSize) {
      context_.error(DiagnosticKind::RplLayoutSize, field.name_range,
                     formatted("`{}` is larger than 2 GiB", context_.text(item.name)));
      end = 0;
    }
    whole.align = std::max(whole.align, align);
    whole.multiples_of_16 = whole.multiples_of_16 && (kept.multiples_of_16 || type == kErrorType);
    whole.holds_array = whole.holds_array || kept.holds_array;
    whole.has_tail = kept.has_tail;
    const auto value = static_cast<std::uint32_t>(member_stack_.size() - mark);
    if (add_field(id, field_id, value)) {
      member_stack_.push_back({field.name, type, static_cast<std::uint32_t>(offset), field_id});
    }
  }
  // The size of a struct with a tail is not rounded up: the items follow at their own alignment.
  whole.size = whole.has_tail ? end : round_up(end, whole.align);
  constexpr std::size_t kMaxMembers = 16383;  // SPIR-V 1.6, 2.17 universal limits
  if (member_stack_.size() - mark > kMaxMembers) {
    context_.error(DiagnosticKind::RplLayoutSize, context_.program->items[id].name_range,
                   formatted("`{}` has {} fields, and {} are possible", context_.text(context_.program->items[id].name),
                             member_stack_.size() - mark, kMaxMembers));
  }
  members = {static_cast<std::uint32_t>(out_.members.size()), static_cast<std::uint32_t>(member_stack_.size() - mark)};
  out_.members.insert(out_.members.end(), member_stack_.begin() + static_cast<std::ptrdiff_t>(mark),
                      member_stack_.end());
  truncate(member_stack_, mark);
  if (members.count == 0) {
    context_.error(DiagnosticKind::RplEmptyBody, item.name_range,
                   formatted("`{}` has no active field", context_.text(item.name)));
  }
  return whole;
}

// --- aliases of fields ---------------------------------------------------------------------------------------------

void TypeResolver::resolve_aliases(ItemId id, List members) {
  const std::size_t first_alias = aliases_.size();
  const Item& item = context_.program->items[id];
  const bool global_only = item.kind != ItemKind::StateContainer && item.kind != ItemKind::ColorContainer &&
                           item.kind != ItemKind::WorkgroupBuffer;
  for (FieldId field_id = item.fields.first; field_id < item.fields.first + item.fields.count; ++field_id) {
    const Field& field = context_.program->fields[field_id];
    if (!field.alias || !constants_.condition_holds(field.condition, global_only)) continue;
    if (add_field(id, field_id, FieldMap::kAliasBit | static_cast<std::uint32_t>(aliases_.size()))) {
      aliases_.push_back({.field = field_id});
    }
  }
  for (std::size_t i = first_alias; i < aliases_.size(); ++i) follow_alias(id, members, aliases_[i], 0);
}

// Finds the target of an alias; aliases on its path are followed first. No alias is added, so `alias` stays valid.
// Long, because a name on the path means something else after a member, an alias and a swizzle.
void TypeResolver::follow_alias(ItemId owner, List members, FieldAlias& alias, std::uint32_t level) {
  if (alias.state == FieldAlias::State::Done) return;
  const Field& field = context_.program->fields[alias.field];
  if (alias.state == FieldAlias::State::Open || level > kMaxStructDepth) {
    context_.error(level > kMaxStructDepth ? DiagnosticKind::RplNesting : DiagnosticKind::RplAliasCycle,
                   field.name_range,
                   level > kMaxStructDepth ? "more than 256 aliases lead to one another"
                                           : formatted("the alias `{}` leads to itself", context_.text(field.name)));
    return;
  }
  alias.state = FieldAlias::State::Open;
  std::array<Step, 600> steps;
  std::uint32_t count = 0;
  TypeId type = kErrorType;
  std::uint32_t swizzle = 0, swizzle_count = 0;
  for (std::uint32_t i = 0; i < field.path.count; i += 2) {
    const NameId name = context_.program->lists[field.path.first + i];
    const std::uint32_t at = context_.program->lists[field.path.first + i + 1];
    const Range range{at, at + static_cast<std::uint32_t>(context_.text(name).size())};
    const FieldAlias* through = nullptr;
    if (i == 0) {
      const FieldMap::Entry* const entry = fields_.find(owner, name);
      if (!entry) {
        unknown_field(owner, name, range);
        break;
      }
      if ((entry->value & FieldMap::kAliasBit) != 0) {
        FieldAlias& other = aliases_[entry->value & ~FieldMap::kAliasBit];
        follow_alias(owner, members, other, level + 1);
        through = &other;
      } else if (is_container(context_.program->items[owner].kind)) {
        steps[count++] = {StepKind::Member, entry->value};
        type = out_.container_fields[entry->value].type;
      } else {
        steps[count++] = {StepKind::Member, entry->value};
        type = out_.members[members.first + entry->value].type;
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
      steps[count++] = alias_steps_[through->steps.first + step];
    }
    type = through->type;
    swizzle = through->swizzle;
    swizzle_count = through->swizzle_count;
  }
  alias.steps = {static_cast<std::uint32_t>(alias_steps_.size()), count};
  alias_steps_.insert(alias_steps_.end(), steps.begin(), steps.begin() + count);
  alias.type = type;
  alias.swizzle = swizzle;
  alias.swizzle_count = swizzle_count;
  alias.state = FieldAlias::State::Done;
}

// --- components ----------------------------------------------------------------------------------------------------

Component TypeResolver::find_component(TypeId type, NameId name) const {
  const Type& of = out_.types[type];
  if (of.kind == TypeKind::Struct) {
    const Struct& owner = out_.structs[of.index];
    const FieldMap::Entry* const entry = fields_.find(owner.item, name);
    if (!entry) return {};
    if ((entry->value & FieldMap::kAliasBit) != 0) {
      return {.kind = Component::Kind::Alias, .alias = &aliases_[entry->value & ~FieldMap::kAliasBit]};
    }
    return {.kind = Component::Kind::Step,
            .step = {StepKind::Member, entry->value},
            .type = out_.members[owner.members.first + entry->value].type};
  }
  if ((of.kind != TypeKind::Vector || of.count == 1) && of.kind != TypeKind::Matrix) return {};
  const std::string_view letters = context_.text(name);
  if (letters.size() > 4) return {};
  std::uint32_t swizzle = 0;
  const std::uint32_t limit = of.kind == TypeKind::Matrix ? of.columns : of.count;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] < 'w' || letters[i] > 'z') return {};
    const std::uint32_t item = static_cast<std::uint32_t>(letters[i] - 'x') & 3;  // x, y, z, w
    if (item >= limit) return {};
    swizzle |= item << 2 * i;
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

void TypeResolver::unknown_component(TypeId type, NameId name, Range range) const {
  const Type& of = out_.types[type];
  if (of.kind == TypeKind::Struct) return unknown_field(out_.structs[of.index].item, name, range);
  if (of.kind == TypeKind::Vector || of.kind == TypeKind::Matrix) {
    const std::uint32_t limit = of.kind == TypeKind::Matrix ? of.columns : of.count;
    const std::string_view letters = std::string_view("xyzw").substr(0, limit);
    const bool scalar = of.kind == TypeKind::Vector && of.count == 1;
    context_.error(DiagnosticKind::RplComponent, range,
                   scalar ? formatted("`{}` is a scalar and has no components", out_.type_text(type))
                          : formatted("`{}` has no component `{}`; it has {}{}", out_.type_text(type),
                                      context_.text(name), of.kind == TypeKind::Matrix ? "the columns " : "", letters));
    return;
  }
  context_.error(DiagnosticKind::RplComponent, range,
                 formatted("`{}` has no field `{}`", out_.type_text(type), context_.text(name)));
}

void TypeResolver::unknown_field(ItemId owner, NameId name, Range range) const {
  const Item& item = context_.program->items[owner];
  std::vector<std::string_view> names;
  for (FieldId id = item.fields.first; id < item.fields.first + item.fields.count; ++id) {
    const Field& field = context_.program->fields[id];
    if (field.name == name) {
      context_
          .error(DiagnosticKind::RplDisabledName, range,
                 formatted("the field `{}` of `{}` is disabled", context_.text(name), context_.text(item.name)))
          .note(formatted("`{}` is declared here, but disabled", context_.text(name)),
                context_.location(field.name_range));
      return;
    }
    if (names.size() < 1000) names.push_back(context_.text(field.name));
  }
  Diagnostic& problem =
      context_.error(DiagnosticKind::RplComponent, range,
                     formatted("`{}` has no field `{}`", context_.text(item.name), context_.text(name)));
  const bool suggest = context_.may_suggest();
  if (const auto near = suggest ? closest(context_.text(name), names) : std::nullopt)
    problem.suggest(context_.location(range), *near);
  problem.note(formatted("`{}` is declared here", context_.text(item.name)), context_.location(item.name_range));
}

}  // namespace slipway::rpl
