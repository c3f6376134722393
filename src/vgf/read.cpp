// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/read.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "vgf/tables.hpp"
#include "vgf_generated.h"

namespace slipway::vgf {
namespace {

constexpr std::string_view kRawConstants = {"CONST00\0", 8};
enum SectionIndex : std::size_t { kModules, kSequence, kResources, kConstants };

class Reader {
 public:
  Reader(Bytes bytes, std::string name, Diagnostics& diagnostics)
      : bytes_(bytes), diagnostics_(diagnostics), memory_(bytes.size() + kSpareBytes) {
    file_.name = std::move(name);
  }

  std::optional<File> read() {
    const std::size_t before = diagnostics_.errors();
    const auto failed = [&] { return diagnostics_.errors() != before; };
    header();
    if (failed()) return std::nullopt;
    modules();
    resources();
    sequence();
    constants();
    if (failed()) return std::nullopt;
    references();
    if (failed()) return std::nullopt;
    if (file_.unknown_fields) {
      diagnostics_.warning(DiagnosticKind::FileFormat, SourceLocation::in_file(file_.name),
                           "the file has fields of a newer format, which are ignored");
    }
    return std::move(file_);
  }

 private:
  // --- header (docs/spec/vgf.md#file-layout) ---

  void header() {
    if (bytes_.size() < kHeaderBytes) {
      error(DiagnosticKind::FileTruncated, {0, bytes_.size()},
            formatted("File too small to contain VGF header: {} bytes, and the header alone has {}", bytes_.size(),
                      kHeaderBytes));
      return;
    }
    if (!is_vgf(bytes_)) return header_error({0, 4}, "the file does not start with `VGF1`");
    ByteReader in(bytes_, 4);
    file_.vk_header_version = in.read<std::uint16_t>();
    in.take(2);
    file_.version = {in.read<std::uint8_t>(), in.read<std::uint8_t>(), in.read<std::uint8_t>()};
    version();
    in.seek(16);
    static constexpr std::array<std::string_view, 4> kNames = {"module table", "model sequence table",
                                                               "model resource table", "constants"};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint64_t field = in.offset(), offset = in.read<std::uint64_t>(), size = in.read<std::uint64_t>();
      const Size end = checked_add(offset, size);
      file_.sections[i] = {kNames[i], {offset, end.value_or(offset)}};
      if (!end || *end > bytes_.size()) {
        header_error({field, field + 16}, formatted("the {} section is {} bytes at {:#x}, and the file has {} bytes",
                                                    kNames[i], size, offset, bytes_.size()));
      } else if (offset < kHeaderBytes) {
        header_error({field, field + 16}, formatted("the {} section overlaps the header", kNames[i]));
      }
    }
  }

  void version() {
    const auto [major, minor, patch] = file_.version;
    if (major > 0 || minor > 4) {
      header_error({8, 11},
                   formatted("version {}.{}.{} is not supported; supported are 0.3.0 to 0.4.x", major, minor, patch));
    } else if (minor < 3) {
      diagnostics_.warning(DiagnosticKind::FileFormat, file_.location(Span{8, 11}),
                           formatted("version {}.{}.{} is older than 0.3.0; it is read as 0.3.0", major, minor, patch));
    }
  }

  void header_error(Span range, const std::string& what) {
    error(DiagnosticKind::FileFormat, range, "Invalid VGF file: header or section verification failed: " + what);
  }

  // --- sections ---

  // The root table of a FlatBuffers section, verified; null after an error.
  template <class Root>
  const Root* root(SectionIndex which, std::string_view invalid) {
    const Section& section = file_.sections[which];
    Bytes bytes = bytes_.subspan(section.range.begin, section.range.end - section.range.begin);
    if (bytes.size() < 8 || bytes.size() > kMaxTableBytes) {
      error(DiagnosticKind::FileFormat, section.range,
            formatted("{}: {} bytes are not a FlatBuffers table", invalid, bytes.size()));
      return nullptr;
    }
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
      const std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
      std::ranges::copy(bytes, copy.get());
      bytes = {copy.get(), bytes.size()};
      file_.copies.push_back(copy);
    }
    flatbuffers::Verifier::Options options;
    options.max_depth = 64;
    options.max_tables = 1u << 24;
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), options);
    if (!verifier.VerifyBuffer<Root>(nullptr)) {
      error(DiagnosticKind::FileFormat, section.range,
            formatted("{}: its FlatBuffers tables point outside the section or into one another", invalid));
      return nullptr;
    }
    base_ = bytes.data();
    base_offset_ = section.range.begin;
    return flatbuffers::GetRoot<Root>(bytes.data());
  }

  // The range of a table in the file; its vtable holds the size.
  template <class Table>
  Span range_of(const Table* table) {
    const auto* start = reinterpret_cast<const std::byte*>(table);
    const auto* vtable = start - load<std::int32_t>(start);
    const std::uint64_t offset = base_offset_ + static_cast<std::uint64_t>(start - base_);
    if (load<std::uint16_t>(vtable) > 4 + 2 * kSlots<Table>) file_.unknown_fields = true;
    return {offset, offset + load<std::uint16_t>(vtable + 2)};
  }
  Span range_of(Bytes part) const {
    const std::uint64_t offset = base_offset_ + static_cast<std::uint64_t>(part.data() - base_);
    return {offset, offset + part.size()};
  }

  // Shared tables could make a small file expand without bound, so decoded data may take the file's size plus a fixed
  // amount.
  template <class T>
  bool charge(std::uint64_t count, Span range) {
    const Size bytes = checked_multiply(count, sizeof(T));
    if (bytes && *bytes <= memory_) {
      memory_ -= *bytes;
      return true;
    }
    if (!overspent_) {
      error(DiagnosticKind::FileFormat, range,
            "the lists of this file expand to more than any model of its size needs");
    }
    overspent_ = true;
    return false;
  }

  template <class T, class List, class Decode>
  std::vector<T> list(const List* from, Span range, Decode&& decode) {
    std::vector<T> to;
    if (!from || !charge<T>(from->size(), range)) return to;
    to.reserve(from->size());
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) to.push_back(decode(from->Get(i)));
    return to;
  }
  template <class T, class Number>
  std::vector<T> numbers(const flatbuffers::Vector<Number>* from, Span range) {
    std::vector<T> to;
    if (!from || !charge<T>(from->size(), range)) return to;
    to.reserve(from->size());
    // FlatBuffers' verifier does not check the alignment of elements.
    const auto* bytes = reinterpret_cast<const std::byte*>(from->Data());
    for (std::size_t i = 0; i < from->size(); ++i)
      to.push_back(static_cast<T>(load<Number>(bytes + i * sizeof(Number))));
    return to;
  }

  static std::string_view text(const flatbuffers::String* string) {
    return string ? std::string_view(string->c_str(), string->size()) : std::string_view{};
  }

  template <class E, class Raw>
  E enumerant(Raw raw, E last, Span range, std::string_view what) {
    const auto value = static_cast<std::uint32_t>(raw);
    if (value <= static_cast<std::uint32_t>(last)) return static_cast<E>(value);
    error(DiagnosticKind::UnknownValue, range, formatted("unknown {} {}", what, value));
    return E{};
  }

  // --- module table ---

  void modules() {
    const auto* table = root<fb::ModuleTable>(kModules, "Invalid module table section");
    if (!table) return;
    file_.modules =
        list<Module>(table->modules(), range_of(table), [&](const fb::Module* from) { return module(from); });
  }

  Module module(const fb::Module* from) {
    const Span range = range_of(from);
    Module module{.kind = enumerant(from->type(), ModuleKind::Graph, range, "module type"),
                  .name = text(from->name()),
                  .entry_point = text(from->entry_point()),
                  .code = enumerant(from->code_type(), CodeKind::Hlsl, range, "kind of code"),
                  .words = {},
                  .text = {},
                  .range = range};
    if (from->code_type() == fb::ModuleCode::NONE && from->code()) {
      error(DiagnosticKind::FileFormat, range, "a module has code without a kind");
    }
    if (const auto* spirv = from->code_as_SPIRV()) {
      range_of(spirv);
      if (spirv->words()) module.words = std::as_bytes(std::span(spirv->words()->data(), spirv->words()->size()));
      if (!module.words.empty()) module.range = range_of(module.words);
    } else if (const auto* glsl = from->code_as_GLSL()) {
      range_of(glsl);
      module.text = text(glsl->code());
    } else if (const auto* hlsl = from->code_as_HLSL()) {
      range_of(hlsl);
      module.text = text(hlsl->code());
    }
    if (!module.text.empty()) module.range = range_of(bytes_of(module.text));
    return module;
  }

  // --- model resource table ---

  void resources() {
    const auto* table = root<fb::ModelResourceTable>(kResources, "Invalid model resource table section");
    if (!table) return;
    file_.resources = list<Resource>(table->mrt_entry(), range_of(table),
                                     [&](const fb::ModelResourceTableEntry* from) { return resource(from); });
  }

  Resource resource(const fb::ModelResourceTableEntry* from) {
    const Span range = range_of(from);
    Resource resource{.category = enumerant(from->category(), Category::Constant, range, "resource category"),
                      .descriptor_type = std::nullopt,
                      .format = static_cast<vk::Format>(from->vk_format()),
                      .shape = {},
                      .strides = {},
                      .sampler = std::nullopt,
                      .alias_group = std::nullopt,
                      .range = range};
    if (from->vk_descriptor_type() != kUnset)
      resource.descriptor_type = static_cast<vk::DescriptorType>(from->vk_descriptor_type());
    if (from->alias_group_id() != kUnset) resource.alias_group = from->alias_group_id();
    if (const auto* description = from->description()) {
      range_of(description);
      resource.shape = numbers<std::int64_t>(description->shape(), range);
      resource.strides = numbers<std::int64_t>(description->strides(), range);
    }
    if (static_cast<unsigned>(from->extra_config_type()) > 1) {
      error(DiagnosticKind::UnknownValue, range,
            formatted("unknown kind of extra configuration {}", static_cast<unsigned>(from->extra_config_type())));
    } else if (const auto* sampler = from->extra_config_as_SamplerConfig()) {
      range_of(sampler);
      resource.sampler =
          Sampler{static_cast<vk::Filter>(sampler->min_filter()), static_cast<vk::Filter>(sampler->mag_filter()),
                  static_cast<vk::AddressMode>(sampler->address_mode_u()),
                  static_cast<vk::AddressMode>(sampler->address_mode_v()),
                  static_cast<vk::BorderColor>(sampler->border_color())};
    }
    return resource;
  }

  // --- model sequence table ---

  using SlotList = flatbuffers::Vector<flatbuffers::Offset<fb::BindingSlot>>;

  void sequence() {
    const auto* table = root<fb::ModelSequenceTable>(kSequence, "Invalid model sequence table section");
    if (!table) return;
    const Span range = range_of(table);
    file_.inputs = slots(table->inputs(), range);
    file_.outputs = slots(table->outputs(), range);
    const auto name = [](const flatbuffers::String* string) { return text(string); };
    file_.input_names = list<std::string_view>(table->input_names(), range, name);
    file_.output_names = list<std::string_view>(table->output_names(), range, name);
    file_.segments =
        list<Segment>(table->segments(), range, [&](const fb::SegmentInfo* from) { return segment(from); });
  }

  std::vector<Slot> slots(const SlotList* from, Span range) {
    return list<Slot>(from, range, [&](const fb::BindingSlot* slot) {
      return Slot{slot->binding(), slot->mrt_index(), static_cast<std::uint32_t>(range_of(slot).begin - base_offset_)};
    });
  }

  Segment segment(const fb::SegmentInfo* from) {
    const Span range = range_of(from);
    Segment segment;
    segment.kind = enumerant(from->type(), ModuleKind::Graph, range, "segment type");
    segment.name = text(from->name());
    segment.module = from->module_index();
    segment.range = range;
    segment.inputs = slots(from->inputs(), range);
    segment.outputs = slots(from->outputs(), range);
    segment.constants = numbers<std::uint32_t>(from->constants(), range);
    segment.sets = list<DescriptorSet>(from->set_infos(), range, [&](const fb::DescriptorSetInfo* set) {
      range_of(set);
      return DescriptorSet{set->set_index(), set->set_index() != kUnset, slots(set->bindings(), range)};
    });
    for (std::uint32_t i = 0; DescriptorSet& set : segment.sets) {
      if (!set.explicit_index) set.index = i;
      ++i;
    }
    segment.push_constants =
        list<PushConstantRange>(from->push_constant_ranges(), range, [&](const fb::PushConstantRange* push) {
          range_of(push);
          return PushConstantRange{push->stage_flags(), push->offset(), push->size()};
        });
    if (const auto* dispatch = from->dispatch_shape()) {
      if (dispatch->size() == 3) {
        segment.dispatch = {dispatch->Get(0), dispatch->Get(1), dispatch->Get(2)};
      } else {
        error(DiagnosticKind::FileFormat, range,
              formatted("a dispatch shape has {} values instead of 3", dispatch->size()));
      }
    }
    constant_ids(from, segment);
    return segment;
  }

  // The GraphConstantID of each constant (docs/spec/vgf.md#decision-10).
  void constant_ids(const fb::SegmentInfo* from, Segment& segment) {
    const auto* pairs = from->constant_bindings();
    segment.explicit_constant_ids = pairs != nullptr;
    if (!pairs) {
      if (charge<std::uint32_t>(segment.constants.size(), segment.range)) segment.constant_ids = segment.constants;
      return;
    }
    std::vector<std::uint32_t> indices;
    segment.constant_ids = list<std::uint32_t>(pairs, segment.range, [&](const fb::GraphConstantBinding* pair) {
      range_of(pair);
      indices.push_back(pair->constant_table_index());
      return pair->graph_constant_id();
    });
    if (indices != segment.constants) {
      error(DiagnosticKind::FileFormat, segment.range,
            "`constant_bindings` lists other constants than `constants` does, or in another order");
    }
  }

  // --- constants (docs/spec/vgf.md#constants-section) ---

  void constants() {
    const Section& section = file_.sections[kConstants];
    const Bytes bytes = bytes_.subspan(section.range.begin, section.range.end - section.range.begin);
    if (bytes.size() >= 16 && text_of(bytes.first(8)) == kRawConstants) {
      raw_constants(bytes);
    } else {
      legacy_constants();
    }
  }

  void raw_constants(Bytes section) {
    const std::uint64_t start = file_.sections[kConstants].range.begin;
    ByteReader in(section, 8);
    const auto count = in.read<std::uint64_t>();
    constexpr std::uint64_t kRecordBytes = 24;
    if (count > (section.size() - 16) / kRecordBytes) {
      return error(
          DiagnosticKind::FileFormat, {start + 8, start + 16},
          formatted("Invalid constant section: {} constants do not fit into its {} bytes", count, section.size()));
    }
    if (!charge<Constant>(count, {start, start + 16})) return;
    const std::uint64_t payload = 16 + count * kRecordBytes;
    file_.constants.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Span record{start + in.offset(), start + in.offset() + kRecordBytes};
      const auto resource = in.read<std::uint32_t>();
      const auto sparsity = in.read<std::int32_t>();
      const auto size = in.read<std::uint64_t>(), offset = in.read<std::uint64_t>();
      const Size end = checked_add(offset, size);
      if (!end || *end > section.size() - payload || size == 0 || sparsity < -1) {
        error(DiagnosticKind::FileFormat, record,
              formatted("Invalid constant metadata at index {}: {} bytes at {:#x} of {} bytes of data, sparsity {}", i,
                        size, offset, section.size() - payload, sparsity));
        continue;
      }
      const std::uint64_t begin = payload + offset;
      file_.constants.push_back(
          {resource, sparsity, section.subspan(begin, size), {start + begin, start + begin + size}});
    }
  }

  void legacy_constants() {
    const auto* table = root<fb::ConstantSection>(kConstants, "Invalid constant section");
    if (!table) return;
    std::size_t index = 0;
    file_.constants = list<Constant>(table->data(), range_of(table), [&](const fb::ConstantData* from) {
      Constant constant{from->mrt_index(), from->sparsity_dimension(), {}, range_of(from)};
      if (from->raw()) constant.data = std::as_bytes(std::span(from->raw()->data(), from->raw()->size()));
      if (constant.data.empty() || constant.sparsity < -1) {
        error(DiagnosticKind::FileFormat, constant.range,
              formatted("Invalid constant metadata at index {}: {} bytes of data, sparsity {}", index,
                        constant.data.size(), constant.sparsity));
      } else {
        constant.range = range_of(constant.data);
      }
      ++index;
      return constant;
    });
  }

  // --- indices from one section into another ---

  void references() {
    for (std::size_t i = 0; i < file_.constants.size(); ++i) {
      within(file_.constants[i].resource, file_.resources.size(), file_.constants[i].range,
             [&] { return formatted("Constant {}: MRT", i); });
    }
    slots_within(file_.inputs, [](std::size_t i) { return formatted("Model input {}: MRT", i); });
    slots_within(file_.outputs, [](std::size_t i) { return formatted("Model output {}: MRT", i); });
    for (std::size_t i = 0; i < file_.segments.size(); ++i) {
      const Segment& segment = file_.segments[i];
      within(segment.module, file_.modules.size(), segment.range, [&] { return formatted("Segment {}: module", i); });
      for (const std::uint32_t constant : segment.constants) {
        within(constant, file_.constants.size(), segment.range, [&] { return formatted("Segment {}: constant", i); });
      }
      slots_within(segment.inputs,
                   [&](std::size_t k) { return formatted("Segment {} input binding slot {}: MRT", i, k); });
      slots_within(segment.outputs,
                   [&](std::size_t k) { return formatted("Segment {} output binding slot {}: MRT", i, k); });
      for (std::size_t s = 0; s < segment.sets.size(); ++s) {
        slots_within(segment.sets[s].slots, [&](std::size_t k) {
          return formatted("Segment {} descriptor set {} binding slot {}: MRT", i, s, k);
        });
      }
    }
  }

  template <class Name>
  void within(std::uint64_t index, std::size_t count, Span range, Name&& name) {
    if (index < count) return;
    error(DiagnosticKind::IndexOutOfRange, range,
          formatted("{} index {} out of range ({} entries)", name(), index, count));
  }
  template <class Name>
  void slots_within(const std::vector<Slot>& slots, Name&& name) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      within(slots[i].resource, file_.resources.size(), file_.location(slots[i]).span, [&] { return name(i); });
    }
  }

  void error(DiagnosticKind kind, Span range, std::string message) {
    Diagnostic& diagnostic = diagnostics_.error(kind, file_.location(range), std::move(message));
    for (const Section& section : file_.sections) {
      if (section.name.empty() || range.begin < section.range.begin || range.end > section.range.end) continue;
      diagnostic.note(formatted("in the {} section", section.name));
      return;
    }
  }

  static constexpr std::uint64_t kMaxTableBytes = (std::uint64_t{1} << 31) - 1;
  static constexpr std::uint64_t kSpareBytes = 32 << 20;  // beyond the size of the file

  Bytes bytes_;
  Diagnostics& diagnostics_;
  File file_;
  const std::byte* base_ = nullptr;  // of the section being read, maybe a copy, and its offset in the file
  std::uint64_t base_offset_ = 0;
  std::uint64_t memory_;
  bool overspent_ = false;
};

}  // namespace

std::optional<File> read_vgf(Bytes bytes, std::string name, Diagnostics& diagnostics) {
  return Reader(bytes, std::move(name), diagnostics).read();
}

}  // namespace slipway::vgf
