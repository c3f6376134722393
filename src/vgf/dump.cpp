// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/dump.hpp"

#include "base/format.hpp"
#include "json/record.hpp"
#include "tensor/format.hpp"
#include "vgf/printed_name.hpp"

namespace slipway::vgf {
namespace {

using json::Boolean, json::Integer, json::List, json::Nested, json::Record, json::Text;

// An entry of a list, with its index.
template <class T>
struct Entry {
  const File* file;
  const T* value;
  std::size_t index;
};

template <class T>
std::vector<Entry<T>> entries_of(const File& file, const std::vector<T>& values) {
  std::vector<Entry<T>> entries;
  for (std::size_t i = 0; i < values.size(); ++i) entries.push_back({&file, &values[i], i});
  return entries;
}

// A member of an entry's value.
template <auto kMember>
auto value_of() {
  return [](const auto& entry) { return (*entry.value).*kMember; };
}

template <class T>
std::size_t index_of(const Entry<T>& entry) {
  return entry.index;
}

constexpr Integer kSigned{.min = std::numeric_limits<std::int64_t>::min()};

// The keys of all records are in alphabetical order, as the existing tool writes them.

const Record<Entry<Constant>>& constant_record() {
  using C = Entry<Constant>;
  static const auto record =
      Record<C>("constant", "data that the model contains")
          .required("index", index_of<Constant>, Integer{}, "index in the list")
          .required("mrt_index", value_of<&Constant::resource>(), Integer{}, "index of its resource")
          .required("sparsity_dimension", value_of<&Constant::sparsity>(), kSigned, "-1: dense");
  return record;
}

const Record<Version>& version_record() {
  static const auto record = Record<Version>("version", "the version of the format")
                                 .required("major", &Version::major, Integer{}, "first number")
                                 .required("minor", &Version::minor, Integer{}, "second number")
                                 .required("patch", &Version::patch, Integer{}, "third number");
  return record;
}

const Record<Entry<Slot>>& slot_record() {
  using S = Entry<Slot>;
  static const auto record =
      Record<S>("slot", "a descriptor or a value that is bound")
          .required("binding", value_of<&Slot::binding>(), Integer{}, "its number")
          .required("index", index_of<Slot>, Integer{}, "index in the list")
          .required("mrt_index", value_of<&Slot::resource>(), Integer{}, "index of its resource");
  return record;
}

struct NamedSlot {
  Entry<Slot> slot;
  std::string_view name;
};

const Record<NamedSlot>& named_slot_record() {
  static const auto record = Record<NamedSlot>("named_slot", "an input or output of the model")
                                 .part(&NamedSlot::slot, slot_record())
                                 .required("name", &NamedSlot::name, Text{}, "empty if the file has none");
  return record;
}

std::vector<NamedSlot> model_inputs(const File& file) {
  const bool named = file.input_names.size() == file.inputs.size();
  std::vector<NamedSlot> slots;
  for (const Entry<Slot>& slot : entries_of(file, file.inputs))
    slots.push_back({slot, named ? input_name(file, slot.index) : std::string_view()});
  return slots;
}

std::vector<NamedSlot> model_outputs(const File& file) {
  std::vector<NamedSlot> slots;
  for (const Entry<Slot>& slot : entries_of(file, file.outputs)) slots.push_back({slot, output_name(file, slot.index)});
  return slots;
}

const Record<Entry<DescriptorSet>>& set_record() {
  using S = Entry<DescriptorSet>;
  static const auto record =
      Record<S>("descriptor_set", "a descriptor set of a segment")
          .required(
              "bindings", [](const S& from) { return entries_of(*from.file, from.value->slots); },
              List{Nested(slot_record())}, "its descriptors")
          .required("set_index", value_of<&DescriptorSet::index>(), Integer{}, "its number");
  return record;
}

const Record<Entry<PushConstantRange>>& push_constant_record() {
  using P = Entry<PushConstantRange>;
  static const auto record =
      Record<P>("push_constant_range", "push constants of a shader")
          .required("index", index_of<PushConstantRange>, Integer{}, "index in the list")
          .required("offset", value_of<&PushConstantRange::offset>(), Integer{}, "bytes")
          .required("size", value_of<&PushConstantRange::size>(), Integer{}, "bytes")
          .required("stage_flags", value_of<&PushConstantRange::stage_flags>(), Integer{}, "VkShaderStageFlags");
  return record;
}

std::vector<std::uint32_t> dispatch_shape(const Entry<Segment>& from) {
  const auto& dispatch = from.value->dispatch;
  return dispatch ? std::vector(dispatch->begin(), dispatch->end()) : std::vector<std::uint32_t>();
}

const Record<Entry<Segment>>& segment_record() {
  using S = Entry<Segment>;
  static const auto record =
      Record<S>("segment", "a shader or a graph that the model runs")
          .required("constants", value_of<&Segment::constants>(), List{Integer{}}, "indices of its constants")
          .required(
              "descriptor_set_infos", [](const S& from) { return entries_of(*from.file, from.value->sets); },
              List{Nested(set_record())}, "its descriptor sets")
          .required("dispatch_shape", dispatch_shape, List{Integer{}}, "work groups; empty for graphs")
          .required("index", index_of<Segment>, Integer{}, "index in the list")
          .required(
              "inputs", [](const S& from) { return entries_of(*from.file, from.value->inputs); },
              List{Nested(slot_record())}, "what it reads")
          .required("module_index", value_of<&Segment::module>(), Integer{}, "index of its module")
          .required("name", value_of<&Segment::name>(), Text{}, "its name")
          .required(
              "outputs", [](const S& from) { return entries_of(*from.file, from.value->outputs); },
              List{Nested(slot_record())}, "what it writes")
          .required(
              "push_constant_ranges", [](const S& from) { return entries_of(*from.file, from.value->push_constants); },
              List{Nested(push_constant_record())}, "its push constants")
          .required("type", [](const S& from) { return name_of(from.value->kind); }, Text{}, "GRAPH or COMPUTE");
  return record;
}

const Record<File>& sequence_record() {
  static const auto record = Record<File>("model_sequence", "what the model runs")
                                 .required("inputs", model_inputs, List{Nested(named_slot_record())}, "of the model")
                                 .required("outputs", model_outputs, List{Nested(named_slot_record())}, "of the model")
                                 .required(
                                     "segments", [](const File& from) { return entries_of(from, from.segments); },
                                     List{Nested(segment_record())}, "in order of execution");
  return record;
}

const Record<Entry<Module>>& module_record() {
  using M = Entry<Module>;
  static const auto record =
      Record<M>("module", "the code of segments")
          .required("entry_point", value_of<&Module::entry_point>(), Text{}, "its entry point")
          .required("index", index_of<Module>, Integer{}, "index in the list")
          .required("name", value_of<&Module::name>(), Text{}, "its name")
          .required(
              "shader_code_available", [](const M& from) { return !from.value->is_placeholder(); }, Boolean{},
              "false: the application supplies the code")
          .required(
              "shader_type", [](const M& from) { return name_of(from.value->code); }, Text{}, "kind of the code")
          .required("type", [](const M& from) { return name_of(from.value->kind); }, Text{}, "GRAPH or COMPUTE");
  return record;
}

const Record<Sampler>& sampler_record() {
  using S = Sampler;
  static const auto record =
      Record<S>("sampler_config", "how an image is sampled")
          .required(
              "address_mode_u", [](const S& from) { return printed_name(from.address_mode_u); }, Text{},
              "VkSamplerAddressMode")
          .required(
              "address_mode_v", [](const S& from) { return printed_name(from.address_mode_v); }, Text{},
              "VkSamplerAddressMode")
          .required(
              "border_color", [](const S& from) { return printed_name(from.border_color); }, Text{}, "VkBorderColor")
          .required(
              "mag_filter", [](const S& from) { return printed_name(from.mag_filter); }, Text{}, "VkFilter")
          .required("min_filter", [](const S& from) { return printed_name(from.min_filter); }, Text{}, "VkFilter");
  return record;
}

std::string descriptor_type_of(const Entry<Resource>& from) {
  const auto& type = from.value->descriptor_type;
  return type ? printed_name(*type) : "none";
}

const Record<Entry<Resource>>& resource_record() {
  using R = Entry<Resource>;
  static const auto record =
      Record<R>("resource", "a tensor, image or buffer of the model")
          .optional("alias_group_id", value_of<&Resource::alias_group>(), Integer{}, "of resources that share storage")
          .required(
              "category", [](const R& from) { return name_of(from.value->category); }, Text{}, "INPUT and so on")
          .required("index", index_of<Resource>, Integer{}, "index in the list")
          .optional("sampler_config", value_of<&Resource::sampler>(), Nested(sampler_record()), "of sampled images")
          .required(
              "shape", [](const R& from) { return std::span(from.value->shape); }, List{kSigned}, "extents")
          .required(
              "stride", [](const R& from) { return std::span(from.value->strides); }, List{kSigned}, "bytes")
          .required("vk_descriptor_type", descriptor_type_of, Text{}, "`none` for constants")
          .required("vk_format", [](const R& from) { return printed_name(from.value->format); }, Text{}, "VkFormat");
  return record;
}

const Record<File>& dump_record() {
  static const auto record =
      Record<File>("vgf", "a VGF file")
          .required(
              "constants", [](const File& from) { return entries_of(from, from.constants); },
              List{Nested(constant_record())}, "data that the model contains")
          .required("header", &File::version, Nested(version_record()), "the version of the format")
          .required(
              "model_sequence", [](const File& from) { return &from; }, Nested(sequence_record()), "what it runs")
          .required(
              "modules", [](const File& from) { return entries_of(from, from.modules); }, List{Nested(module_record())},
              "the code of segments")
          .required(
              "resources", [](const File& from) { return entries_of(from, from.resources); },
              List{Nested(resource_record())}, "tensors, images and buffers");
  return record;
}

std::unexpected<Failure> out_of_bounds(const File& file, std::string_view what, std::uint64_t index,
                                       std::string_view plural, std::size_t count) {
  return fail(DiagnosticKind::IndexOutOfRange, SourceLocation::in_file(file.name),
              formatted("{} index {} out of bounds. Number of {}: {}", what, index, plural, count));
}

std::unexpected<Failure> no_code(const File& file, std::uint64_t index, std::string_view kind) {
  return fail(DiagnosticKind::FileMismatch, SourceLocation::in_file(file.name),
              formatted("Module index {} has no stored {} code", index, kind));
}

}  // namespace

std::string dump_json(const File& file) {
  std::string text = json::object_text(dump_record(), file, 4);
  text.pop_back();  // the existing tool writes no final line end
  return text;
}

std::string dump_schema() {
  return json::schema_text("what `slipway inspect --json` and `vgf_dump` print for a VGF file", "",
                           {&dump_record().table()});
}

Result<Bytes> module_words(const File& file, std::uint64_t index) {
  if (index >= file.modules.size()) return out_of_bounds(file, "Module", index, "modules", file.modules.size());
  if (file.modules[index].words.empty()) return no_code(file, index, "SPIRV");
  return file.modules[index].words;
}

Result<std::string_view> module_text(const File& file, std::uint64_t index, CodeKind kind) {
  if (index >= file.modules.size()) return out_of_bounds(file, "Module", index, "modules", file.modules.size());
  const Module& module = file.modules[index];
  if (module.code != kind || module.text.empty()) return no_code(file, index, name_of(kind));
  return module.text;
}

Result<Bytes> constant_bytes(const File& file, std::uint64_t index) {
  if (index >= file.constants.size()) return out_of_bounds(file, "Constant", index, "constants", file.constants.size());
  return file.constants[index].data;
}

Result<std::vector<std::byte>> constant_npy(const File& file, std::uint64_t index) {
  const Result<Bytes> data = constant_bytes(file, index);
  if (!data) return fail(data.error());
  const Resource& resource = file.resources[file.constants[index].resource];
  const tensor::FormatInfo* info = tensor::find_format(resource.format);
  if (!info || info->components != 1 || info->packed || info->depth || info->stencil) {
    return fail(DiagnosticKind::WrongType, file.location(file.constants[index].range),
                formatted("Unable to classify NumPy encoding: constant {} has format `{}`", index,
                          printed_name(resource.format)));
  }
  using enum tensor::ElementType;
  std::string descr(tensor::info_of(info->component).descr);
  if (info->component == F8E5M2) descr = "|V1";  // NumPy has no such type
  std::string shape = "(";
  for (std::size_t i = 0; i < resource.shape.size(); ++i) {
    shape += formatted("{}{}", i ? ", " : "", resource.shape[i]);
  }
  shape += resource.shape.size() == 1 ? ",)" : ")";
  std::string header = formatted("{{'descr': '{}','fortran_order': False,'shape': {}}}", descr, shape);
  header.append(16 - (10 + header.size() + 1) % 16, ' ');
  header += '\n';
  ByteWriter out;
  out.append("\x93NUMPY").write(std::uint8_t{1}).write(std::uint8_t{0});
  out.write(static_cast<std::uint16_t>(header.size())).append(header).append(*data);
  return out.release();
}

}  // namespace slipway::vgf
