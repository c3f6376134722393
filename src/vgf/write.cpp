// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/write.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "vgf_generated.h"

namespace slipway::vgf {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class Ref>
Ref next(std::size_t size) {
  return static_cast<Ref>(static_cast<std::uint32_t>(size));
}

template <class Ref>
std::size_t index(Ref ref) {
  return static_cast<std::size_t>(ref);
}

// The constants section: a table of records, then the data of each, padded to 8 bytes
// (docs/spec/vgf.md#constants-section).
struct PlacedConstant {
  std::uint32_t resource;
  std::int64_t sparsity;
  std::uint64_t size;
  std::function<void(const Encoder::Put&)> produce;
};

}  // namespace

struct Encoder::State {
  std::uint16_t vk_header_version = 0;
  // One builder per section; their contents depend only on the order of the calls.
  FlatBufferBuilder modules, sequence, resources;
  std::vector<Offset<fb::Module>> module_tables;
  std::vector<ModuleKind> module_kinds;
  std::vector<NewResource> new_resources;
  std::vector<PlacedConstant> constants;
  std::vector<Offset<fb::BindingSlot>> slots;
  std::vector<Offset<fb::DescriptorSetInfo>> sets;
  std::vector<Offset<fb::PushConstantRange>> ranges;
  std::vector<Offset<fb::SegmentInfo>> segments;
  std::vector<Offset<fb::BindingSlot>> inputs, outputs;
  std::vector<Offset<flatbuffers::String>> input_names, output_names;
  std::vector<std::string> nul_in;  // names that contain NUL

  Offset<flatbuffers::String> string(FlatBufferBuilder& builder, std::string_view text, std::string_view what) {
    if (text.find('\0') != text.npos) nul_in.push_back(formatted("{} `{}`", what, text.substr(0, text.find('\0'))));
    return builder.CreateString(text.data(), text.size());
  }
  template <class T, class Ref>
  std::vector<Offset<T>> chosen(const std::vector<Offset<T>>& all, std::span<const Ref> refs) const {
    std::vector<Offset<T>> some;
    for (const Ref ref : refs) some.push_back(all[index(ref)]);
    return some;
  }

  void finish_resources() {
    std::vector<Offset<fb::ModelResourceTableEntry>> entries;
    for (const NewResource& resource : new_resources) {
      const auto shape = resources.CreateVector(resource.shape), strides = resources.CreateVector(resource.strides);
      const auto description = fb::CreateDescription(resources, shape, strides);
      Offset<void> extra;
      if (const auto& sampler = resource.sampler) {
        extra = fb::CreateSamplerConfig(resources, static_cast<std::uint32_t>(sampler->min_filter),
                                        static_cast<std::uint32_t>(sampler->mag_filter),
                                        static_cast<std::uint32_t>(sampler->address_mode_u),
                                        static_cast<std::uint32_t>(sampler->address_mode_v),
                                        static_cast<std::uint32_t>(sampler->border_color))
                    .Union();
      }
      entries.push_back(fb::CreateModelResourceTableEntry(
          resources, resource.descriptor_type ? static_cast<std::uint32_t>(*resource.descriptor_type) : kUnset,
          static_cast<std::uint32_t>(resource.format), static_cast<fb::ResourceCategory>(resource.category),
          description, resource.sampler ? fb::ExtraConfig::SamplerConfig : fb::ExtraConfig::NONE, extra,
          resource.alias_group.value_or(kUnset)));
    }
    resources.Finish(fb::CreateModelResourceTable(resources, resources.CreateVector(entries)));
  }

  void finish_sequence() {
    const auto in = sequence.CreateVector(inputs), out = sequence.CreateVector(outputs);
    const auto in_names = sequence.CreateVector(input_names), out_names = sequence.CreateVector(output_names);
    const auto all = sequence.CreateVector(segments);
    sequence.Finish(fb::CreateModelSequenceTable(sequence, all, in, out, in_names, out_names));
  }
};

Encoder::Encoder(std::uint16_t vk_header_version) : state_(std::make_unique<State>()) {
  state_->vk_header_version = vk_header_version;
}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

ResourceRef Encoder::add_resource(NewResource resource) {
  state_->new_resources.push_back(std::move(resource));
  return next<ResourceRef>(state_->new_resources.size() - 1);
}

ConstantRef Encoder::add_constant(ResourceRef resource, Bytes data, std::int64_t sparsity) {
  return add_constant(resource, data.size(), [data](const Put& put) { put(data); }, sparsity);
}

ConstantRef Encoder::add_constant(ResourceRef resource, std::uint64_t size, std::function<void(const Put& put)> produce,
                                  std::int64_t sparsity) {
  state_->constants.push_back({static_cast<std::uint32_t>(resource), sparsity, size, std::move(produce)});
  return next<ConstantRef>(state_->constants.size() - 1);
}

ModuleRef Encoder::add_module(const NewModule& module) {
  FlatBufferBuilder& builder = state_->modules;
  Offset<void> code;
  if (module.code == CodeKind::Spirv && !module.words.empty()) {
    code = fb::CreateSPIRV(builder, builder.CreateVector(module.words.data(), module.words.size())).Union();
  } else if (!module.text.empty()) {
    const auto text = state_->string(builder, module.text, "shader text of module");
    code =
        module.code == CodeKind::Glsl ? fb::CreateGLSL(builder, text).Union() : fb::CreateHLSL(builder, text).Union();
  }
  const auto name = state_->string(builder, module.name, "module name");
  const auto entry_point = state_->string(builder, module.entry_point, "entry point");
  state_->module_tables.push_back(fb::CreateModule(builder, static_cast<fb::ModuleType>(module.kind), name, entry_point,
                                                   static_cast<fb::ModuleCode>(module.code), code));
  state_->module_kinds.push_back(module.kind);
  return next<ModuleRef>(state_->module_tables.size() - 1);
}

SlotRef Encoder::add_slot(std::uint32_t binding, ResourceRef resource) {
  state_->slots.push_back(fb::CreateBindingSlot(state_->sequence, binding, static_cast<std::uint32_t>(resource)));
  return next<SlotRef>(state_->slots.size() - 1);
}

SetRef Encoder::add_set(std::span<const SlotRef> slots, std::optional<std::uint32_t> set_index) {
  const auto bindings = state_->sequence.CreateVector(state_->chosen(state_->slots, slots));
  state_->sets.push_back(fb::CreateDescriptorSetInfo(state_->sequence, bindings, set_index.value_or(kUnset)));
  return next<SetRef>(state_->sets.size() - 1);
}

RangeRef Encoder::add_push_constants(PushConstantRange range) {
  state_->ranges.push_back(fb::CreatePushConstantRange(state_->sequence, range.stage_flags, range.offset, range.size));
  return next<RangeRef>(state_->ranges.size() - 1);
}

void Encoder::add_segment(const NewSegment& segment) {
  FlatBufferBuilder& builder = state_->sequence;
  std::vector<std::uint32_t> indices;
  for (const ConstantRef constant : segment.constants) indices.push_back(static_cast<std::uint32_t>(constant));
  const auto constants = builder.CreateVector(indices);
  const auto dispatch = builder.CreateVector(segment.dispatch.data(), segment.dispatch.size());
  const auto sets = builder.CreateVector(state_->chosen(state_->sets, segment.sets));
  const auto inputs = builder.CreateVector(state_->chosen(state_->slots, segment.inputs));
  const auto outputs = builder.CreateVector(state_->chosen(state_->slots, segment.outputs));
  const auto ranges = builder.CreateVector(state_->chosen(state_->ranges, segment.push_constants));
  const auto name = state_->string(builder, segment.name, "segment name");
  state_->segments.push_back(fb::CreateSegmentInfo(
      builder, static_cast<fb::ModuleType>(state_->module_kinds[index(segment.module)]), name,
      static_cast<std::uint32_t>(segment.module), sets, inputs, outputs, constants, dispatch, ranges));
}

void Encoder::set_model(std::span<const SlotRef> inputs, std::span<const std::string_view> input_names,
                        std::span<const SlotRef> outputs, std::span<const std::string_view> output_names) {
  state_->inputs = state_->chosen(state_->slots, inputs);
  state_->outputs = state_->chosen(state_->slots, outputs);
  for (const std::string_view name : input_names)
    state_->input_names.push_back(state_->string(state_->sequence, name, "input name"));
  for (const std::string_view name : output_names)
    state_->output_names.push_back(state_->string(state_->sequence, name, "output name"));
}

Result<> Encoder::write_to(OutputFile& out) {
  Result<> written;
  const auto put = [&](Bytes bytes) {
    if (written) written = out.write(bytes);
  };
  if (Result<> whole = emit(put); !whole) return whole;
  return written;
}

Result<std::vector<std::byte>> Encoder::finish() {
  ByteWriter out;
  if (Result<> whole = emit([&](Bytes bytes) { out.append(bytes); }); !whole) return fail(std::move(whole.error()));
  return out.release();
}

Result<> Encoder::emit(const Put& put) {
  State& state = *state_;
  if (!state.nul_in.empty()) {
    Diagnostics problems;
    for (const std::string& what : state.nul_in)
      problems.error(DiagnosticKind::FileFormat, {}, formatted("the {} contains a NUL character", what));
    return fail(problems.release());
  }
  state.modules.Finish(fb::CreateModuleTable(state.modules, state.modules.CreateVector(state.module_tables)));
  state.finish_resources();
  state.finish_sequence();

  ByteWriter records;
  records.append(std::string_view("CONST00\0", 8)).write(std::uint64_t{state.constants.size()});
  std::uint64_t offset = 0;
  for (const PlacedConstant& constant : state.constants) {
    records.write(constant.resource).write(static_cast<std::int32_t>(constant.sparsity));
    records.write(constant.size).write(offset);
    offset += round_up(constant.size, 8);
  }

  const auto bytes_of = [](const FlatBufferBuilder& builder) {
    return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  };
  const std::array<Bytes, 4> parts = {bytes_of(state.modules), bytes_of(state.sequence), bytes_of(state.resources),
                                      records.bytes()};
  ByteWriter header;
  header.append(kMagic).write(state.vk_header_version).write(std::uint16_t{0});
  header.write(kCurrentVersion.major).write(kCurrentVersion.minor).write(kCurrentVersion.patch).write(std::uint8_t{0});
  header.write(std::uint32_t{0});
  std::uint64_t at = kHeaderBytes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t size = parts[i].size() + (i == 3 ? offset : 0);
    header.write(at).write(size);
    at = round_up(at + size, 8);
  }
  header.pad_to(kHeaderBytes);

  static constexpr std::array<std::byte, 8> kZeros{};
  const auto pad = [&](std::uint64_t size) {
    if (const std::size_t over = size % 8) put(Bytes(kZeros).first(8 - over));
  };
  put(header.bytes());
  for (const Bytes part : parts) {
    put(part);
    pad(part.size());
  }
  for (const PlacedConstant& constant : state.constants) {
    constant.produce(put);
    pad(constant.size);
  }
  return {};
}

namespace {

// Replays a file as calls, in the order of docs/spec/vgf.md#re-encoding.
class Replay {
 public:
  explicit Replay(const File& file) : file_(file), encoder_(file.vk_header_version) {}

  Result<std::vector<std::byte>> run() {
    for (const Module& module : file_.modules) {
      const auto words =
          std::span(reinterpret_cast<const std::uint32_t*>(module.words.data()), module.words.size() / 4);
      encoder_.add_module({module.kind, module.name, module.entry_point, module.code, words, module.text});
    }
    for (const Resource& resource : file_.resources) {
      encoder_.add_resource({resource.category, resource.descriptor_type, resource.format, resource.shape,
                             resource.strides, resource.sampler, resource.alias_group});
    }
    for (const Constant& constant : file_.constants)
      encoder_.add_constant(static_cast<ResourceRef>(constant.resource), constant.data, constant.sparsity);
    const std::vector<SlotRef> inputs = slots(file_.inputs);
    for (const Segment& segment : file_.segments) add(segment);
    const std::vector<SlotRef> outputs = slots(file_.outputs);
    encoder_.set_model(inputs, file_.input_names, outputs, file_.output_names);
    return encoder_.finish();
  }

 private:
  void add(const Segment& segment) {
    const std::vector<SlotRef> inputs = slots(segment.inputs), outputs = slots(segment.outputs);
    std::vector<SetRef> sets;
    for (const DescriptorSet& set : segment.sets) {
      sets.push_back(encoder_.add_set(slots(set.slots), set.explicit_index ? std::optional(set.index) : std::nullopt));
    }
    std::vector<RangeRef> ranges;
    for (const PushConstantRange& range : segment.push_constants) ranges.push_back(encoder_.add_push_constants(range));
    std::vector<ConstantRef> constants;
    for (const std::uint32_t constant : segment.constants) constants.push_back(static_cast<ConstantRef>(constant));
    encoder_.add_segment({static_cast<ModuleRef>(segment.module), segment.name, sets, inputs, outputs, constants,
                          segment.dispatch.value_or(std::array<std::uint32_t, 3>{}), ranges});
  }

  // Slots that share a table continue to share it.
  std::vector<SlotRef> slots(const std::vector<Slot>& from) {
    std::vector<SlotRef> to;
    for (const Slot& slot : from) {
      const auto [known, is_new] = slots_.try_emplace(slot.table);
      if (is_new) known->second = encoder_.add_slot(slot.binding, static_cast<ResourceRef>(slot.resource));
      to.push_back(known->second);
    }
    return to;
  }

  const File& file_;
  Encoder encoder_;
  std::unordered_map<std::uint32_t, SlotRef> slots_;
};

}  // namespace

Result<std::vector<std::byte>> reencode(const File& file, Bytes bytes, Diagnostics& diagnostics) {
  if (file.version == kCurrentVersion && !file.unknown_fields) return std::vector(bytes.begin(), bytes.end());
  for (const Segment& segment : file.segments) {
    if (segment.explicit_constant_ids && segment.constant_ids != segment.constants) {
      return fail(DiagnosticKind::Unsupported, file.location(segment.range),
                  formatted("segment `{}` numbers its graph constants explicitly, which version 0.4.3 cannot represent",
                            segment.name));
    }
  }
  if (file.unknown_fields) {
    diagnostics.warning(DiagnosticKind::FileFormat, SourceLocation::in_file(file.name),
                        "fields of a newer format are not written");
  }
  return Replay(file).run();
}

}  // namespace slipway::vgf
