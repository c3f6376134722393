// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/write_reflection.hpp"

#include "base/format.hpp"
#include "tensor/element.hpp"

namespace slipway::shader {
namespace {

void write_texts(json::Writer& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).array([&] {
    for (const std::string& text : texts) out.value(text);
  });
}

void write_binding(json::Writer& out, const spirv::Binding& binding) {
  out.object([&] {
    out.member("set", binding.set).member("binding", binding.binding).member("name", binding.name);
    out.member("kind", name_of(binding.kind)).member("count", binding.count);
    out.member("used", binding.used).member("reads", binding.reads).member("writes", binding.writes);
    if (binding.block) {
      out.member("size", binding.block->size);
      if (binding.block->runtime_stride != 0) out.member("runtime_stride", binding.block->runtime_stride);
      if (binding.block->element) out.member("element", tensor::name_of(*binding.block->element));
    }
    if (binding.image) {
      out.key("image").object([&] {
        out.member("dimension", name_of(binding.image->dimension)).member("arrayed", binding.image->arrayed);
        out.member("multisampled", binding.image->multisampled);
        if (binding.image->format != vk::Format::UNDEFINED) out.member("format", vk::name_of(binding.image->format));
        if (binding.image->sampled) out.member("element", tensor::name_of(*binding.image->sampled));
      });
    }
    if (binding.tensor) {
      out.key("tensor").object([&] {
        out.member("element", tensor::name_of(binding.tensor->element));
        if (binding.tensor->rank) out.member("rank", *binding.tensor->rank);
        if (binding.tensor->shape.empty()) return;
        out.key("shape").array([&] {
          for (const std::uint64_t size : binding.tensor->shape) out.value(size);
        });
      });
    }
  });
}

void write_push_constants(json::Writer& out, const spirv::PushConstants& block) {
  out.key("push_constants").object([&] {
    out.member("name", block.name).member("size", block.size).member("used", block.used);
    out.key("members").array([&] {
      for (const spirv::BlockMember& member : block.members) {
        out.object([&] {
          out.member("name", member.name).member("offset", member.offset).member("size", member.size);
          if (member.element) out.member("element", tensor::name_of(*member.element));
        });
      }
    });
  });
}

void write_interface(json::Writer& out, std::string_view key, const std::vector<spirv::InterfaceVariable>& variables) {
  out.key(key).array([&] {
    for (const spirv::InterfaceVariable& variable : variables) {
      out.object([&] {
        out.member("location", variable.location).member("component", variable.component);
        out.member("name", variable.name).member("type", tensor::name_of(variable.type));
        out.member("components", variable.components).member("columns", variable.columns);
        out.member("count", variable.count);
      });
    }
  });
}

void write_entry_point(json::Writer& out, const spirv::EntryPoint& entry) {
  out.object([&] {
    out.member("name", entry.name).member("stage", name_of(entry.stage));
    if (entry.local_size) {
      out.key("workgroup_size").array([&] {
        for (const spirv::SpecializedNumber& number : *entry.local_size) out.value(number.value);
      });
    }
    out.member("shared_memory", entry.shared_memory);
    if (entry.push_constants) write_push_constants(out, *entry.push_constants);
    out.key("bindings").array([&] {
      for (const spirv::Binding& binding : entry.bindings) write_binding(out, binding);
    });
    write_interface(out, "inputs", entry.inputs);
    write_interface(out, "outputs", entry.outputs);
  });
}

}  // namespace

void write_reflection(json::Writer& out, std::string_view file, std::string_view language,
                      const spirv::Reflection& reflection) {
  out.object([&] {
    out.member("file", file).member("language", language);
    out.member("spirv_version", formatted("{}.{}", reflection.version >> 16, reflection.version >> 8 & 0xff));
    write_texts(out, "capabilities", reflection.capabilities);
    write_texts(out, "extensions", reflection.extensions);
    write_texts(out, "instruction_sets", reflection.instruction_sets);
    out.key("specialization_constants").array([&] {
      for (const spirv::SpecializationConstant& constant : reflection.specialization_constants) {
        out.object([&] {
          const auto* bits = reinterpret_cast<const std::byte*>(&constant.default_bits);
          out.member("id", constant.spec_id).member("name", constant.name);
          out.member("type", tensor::name_of(constant.type));
          out.member("default", tensor::text_of(tensor::number_of(constant.type, bits)));
        });
      }
    });
    out.key("entry_points").array([&] {
      for (const spirv::EntryPoint& entry : reflection.entry_points) write_entry_point(out, entry);
    });
  });
}

}  // namespace slipway::shader
