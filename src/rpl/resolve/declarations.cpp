// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/declarations.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "rpl/resolve/layout_cache.hpp"

namespace slipway::rpl {

namespace {

struct FormatInfo {
  std::string_view name;
  ItemClass item;  // of the field
  std::uint32_t bytes;
  std::uint32_t vulkan[4];  // of 1..4 items
};
constexpr std::array<FormatInfo, 12> kFormats = {{{"unorm8", ItemClass::Float, 1, {9, 16, 23, 37}},
                                                  {"snorm8", ItemClass::Float, 1, {10, 17, 24, 38}},
                                                  {"uint8", ItemClass::Uint, 1, {13, 20, 27, 41}},
                                                  {"sint8", ItemClass::Sint, 1, {14, 21, 28, 42}},
                                                  {"unorm16", ItemClass::Float, 2, {70, 77, 84, 91}},
                                                  {"snorm16", ItemClass::Float, 2, {71, 78, 85, 92}},
                                                  {"uint16", ItemClass::Uint, 2, {74, 81, 88, 95}},
                                                  {"sint16", ItemClass::Sint, 2, {75, 82, 89, 96}},
                                                  {"float16", ItemClass::Float, 2, {76, 83, 90, 97}},
                                                  {"uint32", ItemClass::Uint, 4, {98, 101, 104, 107}},
                                                  {"sint32", ItemClass::Sint, 4, {99, 102, 105, 108}},
                                                  {"float32", ItemClass::Float, 4, {100, 103, 106, 109}}}};

// The formats of storage images; the first of a texel type is its default.
struct StorageFormat {
  TypeId texel;
  ItemFormat format;
  std::uint32_t spirv;
  std::uint32_t vulkan;
};
constexpr StorageFormat kStorageFormats[] = {
    {kF4, ItemFormat::Float32, 1, 109}, {kF4, ItemFormat::Float16, 2, 97},  {kF4, ItemFormat::Unorm8, 4, 37},
    {kF4, ItemFormat::Snorm8, 5, 38},   {kU4, ItemFormat::Uint32, 30, 107}, {kU4, ItemFormat::Uint16, 31, 95},
    {kU4, ItemFormat::Uint8, 32, 41},   {kS4, ItemFormat::Sint32, 21, 108}, {kS4, ItemFormat::Sint16, 22, 96},
    {kS4, ItemFormat::Sint8, 23, 42},   {kF1, ItemFormat::Float32, 3, 100}, {kU1, ItemFormat::Uint32, 33, 98},
    {kS1, ItemFormat::Sint32, 24, 99},
};

const StorageFormat* find_storage_format(ItemFormat format, TypeId texel) {
  for (const StorageFormat& entry : kStorageFormats) {
    if (entry.texel == texel && entry.format == format) return &entry;
  }
  return nullptr;
}

// The format that a `pack` names (an index into kFormats), or what is wrong with the name.
enum class PackProblem : std::uint8_t { None, Form, Bits };
PackProblem find_format(std::string_view name, ItemFormat& format) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].name == name) {
      format = static_cast<ItemFormat>(i);
      return PackProblem::None;
    }
  }
  return name == "float8" || name == "unorm32" || name == "snorm32" ? PackProblem::Bits : PackProblem::Form;
}

ItemFormat default_format(TypeId type) {
  return is_unsigned(type) ? ItemFormat::Uint32 : is_signed(type) ? ItemFormat::Sint32 : ItemFormat::Float32;
}

bool is_attribute(ItemKind kind) { return kind == ItemKind::VertexContainer || kind == ItemKind::InstancedContainer; }

Group group_of(const Item& item) {
  switch (item.kind) {
    case ItemKind::VertexContainer:
    case ItemKind::InstancedContainer:
      return Group::Attributes;
    case ItemKind::StateContainer:
      return Group::State;
    case ItemKind::ColorContainer:
      return Group::ColorOutputs;
    case ItemKind::PushConstant:
      return Group::PushConstant;
    case ItemKind::WorkgroupBuffer:
      return Group::Workgroup;
    default:  // those with a set
      return static_cast<Group>(item.set);
  }
}

// More leaves than any buffer needs, but a limit for nested structs, whose leaves multiply.
constexpr std::size_t kMaxParameters = 65536;
// Of all kinds, not only leaves.
constexpr std::size_t kMaxMembers = 16 * kMaxParameters;

}  // namespace

std::string_view name_of(ItemFormat format) { return kFormats[static_cast<std::size_t>(format)].name; }
std::uint32_t byte_count(ItemFormat format) { return kFormats[static_cast<std::size_t>(format)].bytes; }
std::uint32_t attribute_vk_format(ItemFormat format, std::uint32_t items) {
  return kFormats[static_cast<std::size_t>(format)].vulkan[items - 1];
}
std::uint32_t storage_vk_format(ItemFormat format, TypeId texel) {
  const StorageFormat* const found = find_storage_format(format, texel);
  return found ? found->vulkan : 0;
}
std::uint32_t storage_spirv_format(ItemFormat format, TypeId texel) {
  const StorageFormat* const found = find_storage_format(format, texel);
  return found ? found->spirv : 0;
}
TypeId texel_type(const Type& image) {
  const TypeId scalar = image.item == ItemClass::Float ? kF1 : image.item == ItemClass::Uint ? kU1 : kS1;
  return vector_of(scalar, image.count);
}

void DeclarationResolver::begin() {
  for (Consulted& group : groups_) group.clear();
  index_of_.resize(context_.program->items.size());
  field_index_.resize(context_.program->fields.size());
  counters_ = {};
  parameters_full_ = false;
  parameter_count_ = 0;
  member_count_ = 0;
  path_.clear();
}

void DeclarationResolver::resolve() {
  begin();
  const bool graphics = context_.options->pipeline == PipelineKind::Graphics;
  auto next = context_.program->declarations.begin();
  for (const Module& module : context_.program->modules) {
    const std::size_t first_buffer = out_.buffers.size(), first_sampler = out_.samplers.size();
    const std::size_t first_image = out_.images.size();
    for (; next != context_.program->declarations.end() && *next < module.first_item + module.item_count; ++next) {
      const ItemId id = *next;
      const Item& item = context_.program->items[id];
      log_.item = id;
      // A compute pipeline has no containers; their names are bound nevertheless, for messages.
      log_.sink = &groups_[static_cast<std::size_t>(group_of(item))];
      if (!constants_.is_active(id) || !constants_.bind_value(id)) continue;
      if (is_container(item.kind)) {
        if (graphics) resolve_container(id);
      } else if (is_buffer(item.kind)) {
        resolve_buffer(id);
      } else if (item.kind == ItemKind::Sampler) {
        resolve_sampler(id);
      } else {
        resolve_image(id);
      }
    }
    number_bindings(first_buffer, first_sampler, first_image);
  }
}

void DeclarationResolver::number_bindings(std::size_t first_buffer, std::size_t first_sampler,
                                          std::size_t first_image) {
  // Within a module: uniform, read-only, read-write buffers, samplers, images by type, storage images.
  const auto take = [&](DescriptorSet set) { return counters_.bindings[static_cast<std::size_t>(set)]++; };
  for (const ItemKind kind : {ItemKind::UniformBuffer, ItemKind::ReadOnlyBuffer, ItemKind::ReadWriteBuffer}) {
    for (std::size_t i = first_buffer; i < out_.buffers.size(); ++i) {
      if (out_.buffers[i].kind == kind) out_.buffers[i].binding = take(out_.buffers[i].set);
    }
  }
  for (std::size_t i = first_sampler; i < out_.samplers.size(); ++i) {
    out_.samplers[i].binding = take(out_.samplers[i].set);
  }
  for (TypeId type = kFirstImage; type < kFirstStorageImage && first_image < out_.images.size(); ++type) {
    for (std::size_t i = first_image; i < out_.images.size(); ++i) {
      if (out_.images[i].image_type == type) out_.images[i].binding = take(out_.images[i].set);
    }
  }
  for (std::size_t i = first_image; i < out_.images.size(); ++i) {
    if (out_.images[i].storage) out_.images[i].binding = take(out_.images[i].set);
  }
}

// --- containers ----------------------------------------------------------------------------------------------------

void DeclarationResolver::resolve_container(ItemId id) {
  const Item& item = context_.program->items[id];
  Container container{.kind = item.kind, .name = item.name, .item = id};
  container.fields.first = static_cast<std::uint32_t>(out_.container_fields.size());
  if (is_attribute(item.kind)) container.binding = counters_.sources++;
  index_of_[id] = static_cast<std::uint32_t>(out_.containers.size());
  Type sizes{.align = 1};  // size: bytes so far; align: the largest item; columns: whether there is any field
  for (FieldId field = item.fields.first; field < item.fields.first + item.fields.count; ++field) {
    resolve_container_field(item, container, field, sizes);
  }
  container.fields.count = static_cast<std::uint32_t>(out_.container_fields.size()) - container.fields.first;
  if (is_attribute(item.kind)) container.block_size = static_cast<std::uint32_t>(round_up(sizes.size, sizes.align));
  if (sizes.columns == 0) {
    context_.error(DiagnosticKind::RplEmptyBody, item.name_range,
                   formatted("`{}` has no active field", context_.text(item.name)));
  }
  out_.containers.push_back(container);
  types_.resolve_aliases(id, {});
  check_limits(container);
}

void DeclarationResolver::resolve_container_field(const Item& item, Container& container, FieldId id, Type& sizes) {
  const Field& field = context_.program->fields[id];
  if (field.alias || !constants_.condition_holds(field.condition, is_attribute(item.kind))) return;
  sizes.columns = 1;
  const TypeRef& ref = context_.program->types[field.type];
  const TypeId type = type_of_word(ref.name);
  if (!is_vector(type) && !is_matrix(type)) {
    if (type == kErrorType && context_.program->first_struct[ref.name] == kNone) {
      types_.named_struct(ref.name, ref.range);  // reports the unknown name
    } else {
      context_.error(DiagnosticKind::RplContainerFieldType, ref.range,
                     formatted("a field of a container is a vector, a scalar or a matrix, and `{}` is not",
                               context_.text(ref.name)));
    }
    return;
  }
  if (item.kind == ItemKind::ColorContainer && is_matrix(type)) {
    context_.error(DiagnosticKind::RplColorOutputType, ref.range,
                   "a color output is a vector or a scalar, not a matrix");
    return;
  }
  ContainerField made{.name = field.name,
                      .type = type,
                      .container = index_of_[container.item],
                      .location_count = is_matrix(type) ? item_count(type) : 1,
                      .format = default_format(type),
                      .field = id};
  if (!types_.add_field(container.item, id, static_cast<std::uint32_t>(out_.container_fields.size()))) return;
  std::uint32_t* counter = &counters_.state;
  if (is_attribute(item.kind)) {
    if (!choose_format(field, type, made.format)) return;
    counter = &counters_.attributes;
    const std::uint32_t bytes = byte_count(made.format);
    made.offset = static_cast<std::uint32_t>(round_up(sizes.size, bytes));
    sizes.size = made.offset + std::uint64_t{bytes} * word_count(type);
    sizes.align = std::max(sizes.align, bytes);
    if (bytes < 4 && (type == kF3x3 || (is_vector(type) && item_count(type) == 3))) {
      context_.diagnostics->remark(
          DiagnosticKind::RplPortability, context_.location(field.name_range),
          formatted("vertex formats with three items of {} bits are not supported by every device", 8 * bytes));
    }
  } else if (item.kind == ItemKind::ColorContainer) {
    counter = &counters_.outputs;
    out_.color_outputs.push_back({.field = static_cast<std::uint32_t>(out_.container_fields.size())});
  }
  made.location = *counter;
  *counter += made.location_count;
  field_index_[id] = static_cast<std::uint32_t>(out_.container_fields.size());
  out_.container_fields.push_back(made);
}

bool DeclarationResolver::choose_format(const Field& field, TypeId type, ItemFormat& format) const {
  if (field.pack == kNoName) return true;
  const std::string_view name = context_.text(field.pack);
  const PackProblem problem = find_format(name, format);
  if (problem == PackProblem::Form) {
    context_.error(
        DiagnosticKind::RplPackForm, field.pack_range,
        formatted("`{}` is not a format: write `float`, `unorm`, `snorm`, `uint` or `sint` and `8`, `16` or `32`",
                  name));
    return false;
  }
  if (problem == PackProblem::Bits) {
    context_.error(DiagnosticKind::RplPackBits, field.pack_range, formatted("there is no format `{}`", name));
    return false;
  }
  const ItemClass item = kFormats[static_cast<std::size_t>(format)].item;
  if (item == out_.types[type].item) return true;
  context_.error(DiagnosticKind::RplPackType, field.pack_range,
                 formatted("`{}` is for {} fields, and `{}` is `{}`", name,
                           item == ItemClass::Float  ? "`f`"
                           : item == ItemClass::Uint ? "`u`"
                                                     : "`s`",
                           context_.text(field.name), builtin_type_name(type)));
  return false;
}

// What every device must support (docs/spec/rpl.md#container-limits).
void DeclarationResolver::check_limits(const Container& container) const {
  const Item& item = context_.program->items[container.item];
  const auto check = [&](std::uint32_t count, std::uint32_t limit, std::uint32_t before, std::string_view what) {
    // Only where the limit is first exceeded.
    if (count <= limit || before > limit) return;
    context_.warning(DiagnosticKind::RplLimit, item.name_range,
                     formatted("{} {}; devices are only required to support {}", count, what, limit));
  };
  std::uint32_t locations = 0;
  for (std::uint32_t i = 0; i < container.fields.count; ++i) {
    locations += out_.container_fields[container.fields.first + i].location_count;
  }
  if (is_attribute(item.kind)) {
    check(counters_.attributes, 16, counters_.attributes - locations, "attribute locations");
    check(counters_.sources, 16, counters_.sources - 1, "attribute sources");
    check(container.block_size, 2048, 0, "bytes for one vertex or instance");
  } else if (item.kind == ItemKind::StateContainer) {
    check(counters_.state, 32, counters_.state - locations, "state locations");
  } else {
    check(counters_.outputs, 8, counters_.outputs - locations, "color outputs");
  }
}

// --- buffers -------------------------------------------------------------------------------------------------------

void DeclarationResolver::resolve_buffer(ItemId id) {
  index_of_[id] = static_cast<std::uint32_t>(out_.buffers.size());
  Consulted own;
  {
    const ReadScope scope(log_, own);
    const CachedLayout* const cached = cache_.find(id);
    const std::size_t cached_count =
        cached ? cached->buffer.parameters.count + cached->buffer.tail_parameters.count : 0;
    if (cached && parameter_count_ + cached_count <= kMaxParameters) {
      const Buffer made = cached->buffer;
      own = cached->consulted;
      types_.add_known_layout(id, cached->lookups, made.members);
      parameter_count_ += cached_count;
      add_buffer(made);
    } else {
      const LookupWindow window = log_.open_window();
      const std::size_t aliases = types_.alias_count();
      const Buffer made = make_buffer(id);
      add_buffer(made);
      types_.resolve_aliases(id, made.members);
      cache_.store(window, types_.alias_count() != aliases,
                   {.structure = {.item = id}, .type = {}, .buffer = made, .consulted = own, .lookups = {}});
    }
  }
  log_.sink->merge(own);
}

void DeclarationResolver::add_buffer(const Buffer& made) {
  if (made.kind == ItemKind::PushConstant) {
    if (out_.push_constant != kNone) {
      const Buffer& first = out_.buffers[out_.push_constant];
      context_
          .error(DiagnosticKind::RplPushTwice, context_.program->items[made.item].name_range,
                 "a pipeline has one active push-constant buffer")
          .note("the first one", context_.location(context_.program->items[first.item].name_range));
    } else {
      out_.push_constant = index_of_[made.item];
    }
  }
  out_.buffers.push_back(made);
}

Buffer DeclarationResolver::make_buffer(ItemId id) {
  const Item& item = context_.program->items[id];
  Buffer buffer{.kind = item.kind, .set = item.set, .name = item.name, .item = id};
  const Type layout = types_.resolve_members(id, buffer.members, item.kind != ItemKind::WorkgroupBuffer);
  buffer.align = layout.align;
  buffer.main_size = static_cast<std::uint32_t>(layout.size);
  if (layout.has_tail) find_tail(buffer);
  check_buffer(item, buffer, layout);
  if (item.set != DescriptorSet::None || item.kind == ItemKind::PushConstant) flatten(buffer);
  return buffer;
}

void DeclarationResolver::check_buffer(const Item& item, const Buffer& buffer, const Type& layout) const {
  const bool sixteen = item.kind == ItemKind::UniformBuffer || item.kind == ItemKind::PushConstant;
  for (std::uint32_t i = 0; sixteen && i < buffer.members.count; ++i) {
    const Member& member = out_.members[buffer.members.first + i];
    if (out_.types[member.type].multiples_of_16 || member.type == kErrorType) continue;
    const Field& field = context_.program->fields[member.field];
    context_.error(DiagnosticKind::RplLayout16, context_.program->types[field.type].range,
                   formatted("a `{}` holds `f4`, `u4`, `s4`, `f4x4` and what is made of them only, and `{}` is `{}`",
                             word_of(item.kind), context_.text(field.name), out_.type_text(member.type)));
  }
  std::uint64_t limit = 0x7FFFFFFF;
  if (item.kind == ItemKind::UniformBuffer) limit = context_.options->limits.uniform;
  if (item.kind == ItemKind::PushConstant) limit = context_.options->limits.push_constant;
  if (item.kind == ItemKind::WorkgroupBuffer) limit = context_.options->limits.workgroup;
  if (layout.size > limit) {
    context_.error(DiagnosticKind::RplLayoutSize, item.name_range,
                   formatted("`{}` has {} bytes; a `{}` has at most {}", context_.text(item.name), layout.size,
                             word_of(item.kind), limit));
  }
}

// The runtime array is the last member, or the last member of the last member, and so on.
void DeclarationResolver::find_tail(Buffer& buffer) {
  List members = buffer.members;
  std::uint32_t offset = 0;
  const auto first = static_cast<std::uint32_t>(out_.lists.size());
  for (;;) {
    const Member& last = out_.members[members.first + members.count - 1];
    out_.lists.push_back(members.count - 1);
    offset += last.offset;
    const Type& type = out_.types[last.type];
    if (type.kind != TypeKind::Struct) {
      buffer.tail_item = type.element;
      buffer.tail_item_size = type.stride;
      break;
    }
    members = out_.structs[type.index].members;
  }
  buffer.tail_path = {first, static_cast<std::uint32_t>(out_.lists.size()) - first};
  buffer.tail_offset = offset;
  buffer.main_size = offset;
}

void DeclarationResolver::flatten(Buffer& buffer) {
  buffer.parameters.first = static_cast<std::uint32_t>(out_.parameters.size());
  flatten_members(buffer.members, 0, buffer.item);
  buffer.parameters.count = static_cast<std::uint32_t>(out_.parameters.size()) - buffer.parameters.first;
  buffer.tail_parameters.first = static_cast<std::uint32_t>(out_.parameters.size());
  if (out_.types[buffer.tail_item].kind == TypeKind::Struct) {
    flatten_members(out_.structs[out_.types[buffer.tail_item].index].members, 0, buffer.item);
  }
  buffer.tail_parameters.count = static_cast<std::uint32_t>(out_.parameters.size()) - buffer.tail_parameters.first;
}

void DeclarationResolver::too_many(ItemId item, std::size_t limit, std::string_view what) {
  context_.error(DiagnosticKind::OutOfRange, context_.program->items[item].name_range,
                 formatted("the buffers have more than {} {}", limit, what));
  parameters_full_ = true;
}

void DeclarationResolver::flatten_members(List members, std::uint32_t base, ItemId item) {
  for (std::uint32_t i = 0; i < members.count && !parameters_full_; ++i) {
    if (++member_count_ > kMaxMembers) return too_many(item, kMaxMembers, "members");
    const Member member = out_.members[members.first + i];
    TypeId type = member.type;
    const Type& of = out_.types[type];
    if (of.kind == TypeKind::RuntimeArray || of.kind == TypeKind::Error) continue;
    path_.push_back(member.name);
    if (of.kind == TypeKind::Struct) {
      flatten_members(out_.structs[of.index].members, base + member.offset, item);
      path_.pop_back();
      continue;
    }
    Parameter parameter{.offset = base + member.offset, .field = member.field};
    parameter.dimensions.first = static_cast<std::uint32_t>(out_.lists.size());
    for (; out_.types[type].kind == TypeKind::Array; type = out_.types[type].element) {
      out_.lists.push_back(out_.types[type].length);
      parameter.total_item_count *= out_.types[type].length;
      parameter.array_stride = out_.types[type].stride;
    }
    parameter.dimensions.count = static_cast<std::uint32_t>(out_.lists.size()) - parameter.dimensions.first;
    if (out_.types[type].kind == TypeKind::Struct) {  // arrays of structs are not parameters
      path_.pop_back();
      continue;
    }
    if (parameter_count_ >= kMaxParameters) {
      path_.pop_back();
      return too_many(item, kMaxParameters, "parameters");
    }
    parameter.type = type;
    parameter.path = {static_cast<std::uint32_t>(out_.lists.size()), static_cast<std::uint32_t>(path_.size())};
    out_.lists.insert(out_.lists.end(), path_.begin(), path_.end());
    out_.parameters.push_back(parameter);
    ++parameter_count_;
    path_.pop_back();
  }
}

// --- samplers and images -------------------------------------------------------------------------------------------

void DeclarationResolver::resolve_sampler(ItemId id) {
  const Item& item = context_.program->items[id];
  index_of_[id] = static_cast<std::uint32_t>(out_.samplers.size());
  out_.samplers.push_back({.name = item.name, .item = id, .set = item.set});
}

void DeclarationResolver::resolve_image(ItemId id) {
  const Item& item = context_.program->items[id];
  const TypeRef& ref = context_.program->types[item.type];
  ImageDecl image{.name = item.name, .item = id, .set = item.set, .image_type = type_of_word(ref.name)};
  image.type = types_.resolve_type(item.type, true);
  image.storage = image.image_type >= kFirstStorageImage;
  image.has_array = ref.dimensions.count != 0;
  if (out_.types[image.type].kind == TypeKind::Array) image.array_size = out_.types[image.type].length;
  if (image.storage) {
    const TypeId texel = texel_type(out_.types[image.image_type]);
    image.format = default_format(texel);
    if (item.pack != kNoName) {
      const std::string_view name = context_.text(item.pack);
      const PackProblem problem = find_format(name, image.format);
      if (problem != PackProblem::None) {
        context_.error(problem == PackProblem::Form ? DiagnosticKind::RplPackForm : DiagnosticKind::RplPackBits,
                       item.pack_range, formatted("there is no format `{}`", name));
      } else if (!find_storage_format(image.format, texel)) {
        context_.error(DiagnosticKind::RplPackType, item.pack_range,
                       formatted("an image of `{}` texels cannot be `{}`", builtin_type_name(texel), name));
      }
    }
  }
  index_of_[id] = static_cast<std::uint32_t>(out_.images.size());
  out_.images.push_back(image);
}

}  // namespace slipway::rpl
