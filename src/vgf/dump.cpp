// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/dump.hpp"

#include "base/format.hpp"
#include "json/writer.hpp"
#include "tensor/format.hpp"
#include "vgf/printed_name.hpp"

namespace slipway::vgf {
namespace {

// Keys are in alphabetical order throughout.
class Dump {
 public:
  explicit Dump(const File& file) : file_(file) {}

  std::string text() {
    out_.object([&] {
      list("constants", file_.constants, [&](const Constant& constant, std::size_t index) {
        out_.member("index", index).member("mrt_index", constant.resource);
        out_.member("sparsity_dimension", constant.sparsity);
      });
      out_.key("header").object([&] {
        out_.member("major", unsigned{file_.version.major}).member("minor", unsigned{file_.version.minor});
        out_.member("patch", unsigned{file_.version.patch});
      });
      out_.key("model_sequence").object([&] {
        named_slots("inputs", file_.inputs, input_name);
        named_slots("outputs", file_.outputs, output_name);
        list("segments", file_.segments, [&](const Segment& s, std::size_t index) { segment(s, index); });
      });
      list("modules", file_.modules, [&](const Module& module, std::size_t index) {
        out_.member("entry_point", module.entry_point).member("index", index).member("name", module.name);
        out_.member("shader_code_available", !module.is_placeholder()).member("shader_type", name_of(module.code));
        out_.member("type", name_of(module.kind));
      });
      list("resources", file_.resources, [&](const Resource& r, std::size_t index) { resource(r, index); });
    });
    std::string text = out_.text();
    text.pop_back();  // the existing tool writes no final line end
    return text;
  }

 private:
  template <class T, class F>
  void list(std::string_view key, const std::vector<T>& items, F&& members) {
    out_.key(key).array([&] {
      for (std::size_t i = 0; i < items.size(); ++i) out_.object([&] { members(items[i], i); });
    });
  }
  template <class Numbers>
  void numbers(std::string_view key, const Numbers& values) {
    out_.key(key).array([&] {
      for (const auto value : values) out_.value(value);
    });
  }
  void slots(std::string_view key, const std::vector<Slot>& slots) {
    list(key, slots, [&](const Slot& slot, std::size_t index) {
      out_.member("binding", slot.binding).member("index", index).member("mrt_index", slot.resource);
    });
  }
  template <class Name>
  void named_slots(std::string_view key, const std::vector<Slot>& slots, Name&& name) {
    const bool positional = &slots == &file_.inputs ? file_.input_names.size() == slots.size() : true;
    list(key, slots, [&](const Slot& slot, std::size_t index) {
      out_.member("binding", slot.binding).member("index", index).member("mrt_index", slot.resource);
      out_.member("name", positional ? name(file_, index) : std::string_view{});
    });
  }

  void segment(const Segment& segment, std::size_t index) {
    numbers("constants", segment.constants);
    list("descriptor_set_infos", segment.sets, [&](const DescriptorSet& set, std::size_t) {
      slots("bindings", set.slots);
      out_.member("set_index", set.index);
    });
    out_.key("dispatch_shape").array([&] {
      if (!segment.dispatch) return;
      for (const std::uint32_t count : *segment.dispatch) out_.value(count);
    });
    out_.member("index", index);
    slots("inputs", segment.inputs);
    out_.member("module_index", segment.module).member("name", segment.name);
    slots("outputs", segment.outputs);
    list("push_constant_ranges", segment.push_constants, [&](const PushConstantRange& range, std::size_t i) {
      out_.member("index", i).member("offset", range.offset).member("size", range.size);
      out_.member("stage_flags", range.stage_flags);
    });
    out_.member("type", name_of(segment.kind));
  }

  void resource(const Resource& resource, std::size_t index) {
    if (resource.alias_group) out_.member("alias_group_id", *resource.alias_group);
    out_.member("category", name_of(resource.category)).member("index", index);
    if (resource.sampler) {
      out_.key("sampler_config").object([&] {
        out_.member("address_mode_u", printed_name(resource.sampler->address_mode_u));
        out_.member("address_mode_v", printed_name(resource.sampler->address_mode_v));
        out_.member("border_color", printed_name(resource.sampler->border_color));
        out_.member("mag_filter", printed_name(resource.sampler->mag_filter));
        out_.member("min_filter", printed_name(resource.sampler->min_filter));
      });
    }
    numbers("shape", resource.shape);
    numbers("stride", resource.strides);
    out_.member("vk_descriptor_type",
                resource.descriptor_type ? printed_name(*resource.descriptor_type) : std::string("none"));
    out_.member("vk_format", printed_name(resource.format));
  }

  const File& file_;
  json::Writer out_{4};
};

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

std::string dump_json(const File& file) { return Dump(file).text(); }

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
