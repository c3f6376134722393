// Containers, buffers, samplers and images: layouts, locations, bindings (RPL pages 3.10 to 3.12, 3.14).

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/suggest.hpp"
#include "rpl/resolve/context.hpp"

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

// What a storage image may be packed as: the SPIR-V ImageFormat; the first of a texel type is its default.
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

// The format that a `pack` names: an index into kFormats, or why there is none.
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

// --- names ---------------------------------------------------------------------------------------------------------

bool Resolver::State::bind_value(ItemId id) {
  const Item& item = program->items[id];
  ItemId& slot = bound[item.name];
  if (slot != kNone) {
    error(DiagnosticKind::RplDuplicateName, item.name_range, formatted("`{}` is already declared", text(item.name)))
        .note("the first declaration", location(program->items[slot].name_range));
    return false;
  }
  slot = id;
  return true;
}

void Resolver::State::resolve_declarations() {
  const bool graphics = settings->pipeline == PipelineKind::Graphics;
  auto next = program->declarations.begin();
  for (const Module& module : program->modules) {
    const std::size_t first_buffer = out.buffers.size(), first_sampler = out.samplers.size();
    const std::size_t first_image = out.images.size();
    for (; next != program->declarations.end() && *next < module.first_item + module.item_count; ++next) {
      const ItemId id = *next;
      const Item& item = program->items[id];
      user = id;
      Group group = Group::Pass;
      switch (item.kind) {
        case ItemKind::VertexContainer:
        case ItemKind::InstancedContainer:
          group = Group::Attributes;
          break;
        case ItemKind::StateContainer:
          group = Group::State;
          break;
        case ItemKind::ColorContainer:
          group = Group::ColorOutputs;
          break;
        case ItemKind::PushConstant:
          group = Group::PushConstant;
          break;
        case ItemKind::WorkgroupBuffer:
          group = Group::Workgroup;
          break;
        case ItemKind::UniformBuffer:
        case ItemKind::ReadOnlyBuffer:
        case ItemKind::ReadWriteBuffer:
        case ItemKind::Sampler:
        case ItemKind::Image:
          group = static_cast<Group>(item.set);
          break;
        default:
          continue;
      }
      // A compute pipeline has no containers; their names are known all the same, for messages.
      sink = &groups[static_cast<std::size_t>(group)];
      if (!is_active(id) || !bind_value(id)) continue;
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
    // Within a module: uniform, read-only, read-write buffers, samplers, images by type, storage images.
    const auto take = [&](DescriptorSet set) { return counters.bindings[static_cast<std::size_t>(set)]++; };
    for (const ItemKind kind : {ItemKind::UniformBuffer, ItemKind::ReadOnlyBuffer, ItemKind::ReadWriteBuffer}) {
      for (std::size_t i = first_buffer; i < out.buffers.size(); ++i) {
        if (out.buffers[i].kind == kind) out.buffers[i].binding = take(out.buffers[i].set);
      }
    }
    for (std::size_t i = first_sampler; i < out.samplers.size(); ++i) {
      out.samplers[i].binding = take(out.samplers[i].set);
    }
    for (TypeId type = kFirstImage; type < kFirstStorageImage && first_image < out.images.size(); ++type) {
      for (std::size_t i = first_image; i < out.images.size(); ++i) {
        if (out.images[i].image_type == type) out.images[i].binding = take(out.images[i].set);
      }
    }
    for (std::size_t i = first_image; i < out.images.size(); ++i) {
      if (out.images[i].storage) out.images[i].binding = take(out.images[i].set);
    }
  }
}

// --- containers ----------------------------------------------------------------------------------------------------

void Resolver::State::resolve_container(ItemId id) {
  const Item& item = program->items[id];
  Container container{.kind = item.kind, .name = item.name, .item = id};
  container.fields.first = static_cast<std::uint32_t>(out.container_fields.size());
  if (is_attribute(item.kind)) container.binding = counters.sources++;
  payload[id] = static_cast<std::uint32_t>(out.containers.size());
  Type sizes{.align = 1};  // size: bytes so far; align: the largest item; columns: whether there is any field
  for (FieldId field = item.fields.first; field < item.fields.first + item.fields.count; ++field) {
    resolve_container_field(item, container, field, sizes);
  }
  container.fields.count = static_cast<std::uint32_t>(out.container_fields.size()) - container.fields.first;
  if (is_attribute(item.kind)) container.block_size = static_cast<std::uint32_t>(round_up(sizes.size, sizes.align));
  if (sizes.columns == 0) {
    error(DiagnosticKind::RplEmptyBody, item.name_range, formatted("`{}` has no active field", text(item.name)));
  }
  out.containers.push_back(container);
  resolve_aliases(id, aliases.size());
  check_limits(container);
}

void Resolver::State::resolve_container_field(const Item& item, Container& container, FieldId id, Type& sizes) {
  const Field& field = program->fields[id];
  if (field.alias || !condition_holds(field.condition, is_attribute(item.kind))) return;
  sizes.columns = 1;
  const TypeRef& ref = program->types[field.type];
  const TypeId type = type_of_word(ref.name);
  if (!is_vector(type) && !is_matrix(type)) {
    if (type == kErrorType && program->first_struct[ref.name] == kNone) {
      named_struct(ref.name, ref.range);  // says what is unknown
    } else {
      error(DiagnosticKind::RplContainerFieldType, ref.range,
            formatted("a field of a container is a vector, a scalar or a matrix, and `{}` is not", text(ref.name)));
    }
    return;
  }
  if (item.kind == ItemKind::ColorContainer && is_matrix(type)) {
    error(DiagnosticKind::RplColorOutputType, ref.range, "a color output is a vector or a scalar, not a matrix");
    return;
  }
  ContainerField made{.name = field.name,
                      .type = type,
                      .container = payload[container.item],
                      .location_count = is_matrix(type) ? item_count(type) : 1,
                      .format = default_format(type),
                      .field = id};
  if (!add_field(container.item, id, static_cast<std::uint32_t>(out.container_fields.size()))) return;
  std::uint32_t* counter = &counters.state;
  if (is_attribute(item.kind)) {
    if (!choose_format(field, type, made.format)) return;
    counter = &counters.attributes;
    const std::uint32_t bytes = byte_count(made.format);
    made.offset = static_cast<std::uint32_t>(round_up(sizes.size, bytes));
    sizes.size = made.offset + std::uint64_t{bytes} * word_count(type);
    sizes.align = std::max(sizes.align, bytes);
    if (bytes < 4 && (type == kF3x3 || (is_vector(type) && item_count(type) == 3))) {
      diagnostics->remark(
          DiagnosticKind::RplPortability, location(field.name_range),
          formatted("vertex formats with three items of {} bits are not supported by every device", 8 * bytes));
    }
  } else if (item.kind == ItemKind::ColorContainer) {
    counter = &counters.outputs;
    out.color_outputs.push_back({.field = static_cast<std::uint32_t>(out.container_fields.size())});
  }
  made.location = *counter;
  *counter += made.location_count;
  field_of[id] = static_cast<std::uint32_t>(out.container_fields.size());
  out.container_fields.push_back(made);
}

bool Resolver::State::choose_format(const Field& field, TypeId type, ItemFormat& format) {
  if (field.pack == kNoName) return true;
  const std::string_view name = text(field.pack);
  const PackProblem problem = find_format(name, format);
  if (problem == PackProblem::Form) {
    error(DiagnosticKind::RplPackForm, field.pack_range,
          formatted("`{}` is not a format: write `float`, `unorm`, `snorm`, `uint` or `sint` and `8`, `16` or `32`",
                    name));
    return false;
  }
  if (problem == PackProblem::Bits) {
    error(DiagnosticKind::RplPackBits, field.pack_range, formatted("there is no format `{}`", name));
    return false;
  }
  const ItemClass item = kFormats[static_cast<std::size_t>(format)].item;
  if (item == out.types[type].item) return true;
  error(DiagnosticKind::RplPackType, field.pack_range,
        formatted("`{}` is for {} fields, and `{}` is `{}`", name,
                  item == ItemClass::Float  ? "`f`"
                  : item == ItemClass::Uint ? "`u`"
                                            : "`s`",
                  text(field.name), builtin_type_name(type)));
  return false;
}

// What every device is sure to have (RPL page 3.10).
void Resolver::State::check_limits(const Container& container) {
  const Item& item = program->items[container.item];
  const auto check = [&](std::uint32_t count, std::uint32_t limit, std::uint32_t before, std::string_view what) {
    // Once: where the limit is passed.
    if (count <= limit || before > limit) return;
    warning(DiagnosticKind::RplLimit, item.name_range,
            formatted("{} {}; devices are only required to support {}", count, what, limit));
  };
  std::uint32_t locations = 0;
  for (std::uint32_t i = 0; i < container.fields.count; ++i) {
    locations += out.container_fields[container.fields.first + i].location_count;
  }
  if (is_attribute(item.kind)) {
    check(counters.attributes, 16, counters.attributes - locations, "attribute locations");
    check(counters.sources, 16, counters.sources - 1, "attribute sources");
    check(container.block_size, 2048, 0, "bytes for one vertex or instance");
  } else if (item.kind == ItemKind::StateContainer) {
    check(counters.state, 32, counters.state - locations, "state locations");
  } else {
    check(counters.outputs, 8, counters.outputs - locations, "color outputs");
  }
}

// --- buffers -------------------------------------------------------------------------------------------------------

void Resolver::State::resolve_buffer(ItemId id) {
  payload[id] = static_cast<std::uint32_t>(out.buffers.size());
  Consulted own;
  Consulted* const group = std::exchange(sink, &own);
  if (const CachedLayout* const kept = find_kept_layout(id)) {
    const Buffer made = kept->buffer;
    own = kept->consulted;
    reuse_layout(id, kept->lookups, made.members);
    parameter_count += made.parameters.count + made.tail_parameters.count;
    add_buffer(made);
  } else {
    const Window window = open_window();
    const Buffer made = make_buffer(id);
    add_buffer(made);
    resolve_aliases(id, aliases.size());
    keep_layout(window, {.structure = {.item = id}, .buffer = made, .consulted = own});
  }
  sink = group;
  sink->merge(own);
}

void Resolver::State::add_buffer(const Buffer& made) {
  if (made.kind == ItemKind::PushConstant) {
    if (out.push_constant != kNone) {
      const Buffer& first = out.buffers[out.push_constant];
      error(DiagnosticKind::RplPushTwice, program->items[made.item].name_range,
            "a pipeline has one active push-constant buffer")
          .note("the first one", location(program->items[first.item].name_range));
    } else {
      out.push_constant = payload[made.item];
    }
  }
  out.buffers.push_back(made);
}

Buffer Resolver::State::make_buffer(ItemId id) {
  const Item& item = program->items[id];
  Buffer buffer{.kind = item.kind, .set = item.set, .name = item.name, .item = id};
  const Type layout = resolve_members(id, buffer.members, item.kind != ItemKind::WorkgroupBuffer);
  buffer.align = layout.align;
  buffer.main_size = static_cast<std::uint32_t>(layout.size);
  if (layout.has_tail) find_tail(buffer, layout);
  check_buffer(item, buffer, layout);
  if (item.set != DescriptorSet::None) flatten(buffer);
  return buffer;
}

void Resolver::State::check_buffer(const Item& item, const Buffer& buffer, const Type& layout) {
  const bool sixteen = item.kind == ItemKind::UniformBuffer || item.kind == ItemKind::PushConstant;
  for (std::uint32_t i = 0; sixteen && i < buffer.members.count; ++i) {
    const Member& member = out.members[buffer.members.first + i];
    if (out.types[member.type].multiples_of_16 || member.type == kErrorType) continue;
    const Field& field = program->fields[member.field];
    error(DiagnosticKind::RplLayout16, program->types[field.type].range,
          formatted("a `{}` holds `f4`, `u4`, `s4`, `f4x4` and what is made of them only, and `{}` is `{}`",
                    word_of(item.kind), text(field.name), out.type_text(member.type)));
  }
  std::uint64_t limit = 0x7FFFFFFF;
  if (item.kind == ItemKind::UniformBuffer) limit = settings->limits.uniform;
  if (item.kind == ItemKind::PushConstant) limit = settings->limits.push_constant;
  if (item.kind == ItemKind::WorkgroupBuffer) limit = settings->limits.workgroup;
  if (layout.size > limit) {
    error(
        DiagnosticKind::RplLayoutSize, item.name_range,
        formatted("`{}` has {} bytes; a `{}` has at most {}", text(item.name), layout.size, word_of(item.kind), limit));
  }
}

// The runtime array is the last member, or the last member of the last member, and so on.
void Resolver::State::find_tail(Buffer& buffer, const Type&) {
  List members = buffer.members;
  std::uint32_t offset = 0;
  const auto first = static_cast<std::uint32_t>(out.lists.size());
  for (;;) {
    const Member& last = out.members[members.first + members.count - 1];
    out.lists.push_back(members.count - 1);
    offset += last.offset;
    const Type& type = out.types[last.type];
    if (type.kind != TypeKind::Struct) {
      buffer.tail_item = type.element;
      buffer.tail_item_size = type.stride;
      break;
    }
    members = out.structs[type.index].members;
  }
  buffer.tail_path = {first, static_cast<std::uint32_t>(out.lists.size()) - first};
  buffer.tail_offset = offset;
  buffer.main_size = offset;
}

void Resolver::State::flatten(Buffer& buffer) {
  buffer.parameters.first = static_cast<std::uint32_t>(out.parameters.size());
  flatten_members(buffer.members, 0, path_stack, true, buffer.item);
  buffer.parameters.count = static_cast<std::uint32_t>(out.parameters.size()) - buffer.parameters.first;
  buffer.tail_parameters.first = static_cast<std::uint32_t>(out.parameters.size());
  if (out.types[buffer.tail_item].kind == TypeKind::Struct) {
    flatten_members(out.structs[out.types[buffer.tail_item].index].members, 0, path_stack, false, buffer.item);
  }
  buffer.tail_parameters.count = static_cast<std::uint32_t>(out.parameters.size()) - buffer.tail_parameters.first;
}

void Resolver::State::flatten_members(List members, std::uint32_t base, std::vector<NameId>& path, bool top,
                                      ItemId item) {
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member member = out.members[members.first + i];
    TypeId type = member.type;
    const Type& of = out.types[type];
    if (of.kind == TypeKind::RuntimeArray || of.kind == TypeKind::Error) continue;
    path.push_back(member.name);
    if (of.kind == TypeKind::Struct) {
      flatten_members(out.structs[of.index].members, base + member.offset, path, top, item);
      path.pop_back();
      continue;
    }
    Parameter parameter{.offset = base + member.offset, .field = member.field};
    parameter.dimensions.first = static_cast<std::uint32_t>(out.lists.size());
    for (; out.types[type].kind == TypeKind::Array; type = out.types[type].element) {
      out.lists.push_back(out.types[type].length);
      parameter.total_item_count *= out.types[type].length;
      parameter.array_stride = out.types[type].stride;
    }
    parameter.dimensions.count = static_cast<std::uint32_t>(out.lists.size()) - parameter.dimensions.first;
    if (out.types[type].kind == TypeKind::Struct) {  // arrays of structs are no parameters
      path.pop_back();
      continue;
    }
    if (parameter_count >= kMaxParameters) {
      if (!parameters_full) {
        error(DiagnosticKind::OutOfRange, program->items[item].name_range,
              formatted("the buffers have more than {} parameters", kMaxParameters));
      }
      parameters_full = true;
      path.pop_back();
      return;
    }
    parameter.type = type;
    parameter.path = {static_cast<std::uint32_t>(out.lists.size()), static_cast<std::uint32_t>(path.size())};
    out.lists.insert(out.lists.end(), path.begin(), path.end());
    out.parameters.push_back(parameter);
    ++parameter_count;
    path.pop_back();
  }
}

// --- samplers and images -------------------------------------------------------------------------------------------

void Resolver::State::resolve_sampler(ItemId id) {
  const Item& item = program->items[id];
  payload[id] = static_cast<std::uint32_t>(out.samplers.size());
  out.samplers.push_back({.name = item.name, .item = id, .set = item.set});
}

void Resolver::State::resolve_image(ItemId id) {
  const Item& item = program->items[id];
  const TypeRef& ref = program->types[item.type];
  ImageDecl image{.name = item.name, .item = id, .set = item.set, .image_type = type_of_word(ref.name)};
  image.type = resolve_type(item.type, true);
  image.storage = image.image_type >= kFirstStorageImage;
  image.has_array = ref.dimensions.count != 0;
  if (out.types[image.type].kind == TypeKind::Array) image.array_size = out.types[image.type].length;
  if (image.storage) {
    const TypeId texel = texel_type(out.types[image.image_type]);
    image.format = default_format(texel);
    if (item.pack != kNoName) {
      const std::string_view name = text(item.pack);
      const PackProblem problem = find_format(name, image.format);
      if (problem != PackProblem::None) {
        error(problem == PackProblem::Form ? DiagnosticKind::RplPackForm : DiagnosticKind::RplPackBits, item.pack_range,
              formatted("there is no format `{}`", name));
      } else if (!find_storage_format(image.format, texel)) {
        error(DiagnosticKind::RplPackType, item.pack_range,
              formatted("an image of `{}` texels cannot be `{}`", builtin_type_name(texel), name));
      }
    }
  }
  payload[id] = static_cast<std::uint32_t>(out.images.size());
  out.images.push_back(image);
}

}  // namespace slipway::rpl
