// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/format.hpp"
#include "vgf/dump.hpp"

namespace slipway::vgf {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return formatted("{} bytes", bytes);
  return bytes < 10'000'000 ? formatted("{:.1f} KB", static_cast<double>(bytes) / 1e3)
                            : formatted("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string without(std::string_view prefix, std::string name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::string resource_text(const File& file, std::uint32_t index) {
  const Resource& resource = file.resources[index];
  std::string text =
      formatted("{} {}", without("VK_FORMAT_", vk::name_of(resource.format)), tensor::shape_text(resource.shape));
  if (resource.descriptor_type && *resource.descriptor_type != vk::DescriptorType::TENSOR_ARM)
    text += " " + without("VK_DESCRIPTOR_TYPE_", vk::name_of(*resource.descriptor_type));
  if (resource.alias_group) text += formatted(" alias group {}", *resource.alias_group);
  return text;
}

}  // namespace

std::string describe(const File& file) {
  std::string text =
      formatted("{}: VGF {}.{}.{}, {}, {}, {}, {}\n", file.name, file.version.major, file.version.minor,
                file.version.patch, counted(file.segments.size(), "segment"), counted(file.modules.size(), "module"),
                counted(file.resources.size(), "resource"), counted(file.constants.size(), "constant"));
  const auto values = [&](std::string_view what, const std::vector<Slot>& slots, auto&& name) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      text += formatted("  {} {} `{}` binding {}: {}\n", what, i, name(file, i), slots[i].binding,
                        resource_text(file, slots[i].resource));
    }
  };
  values("input", file.inputs, input_name);
  values("output", file.outputs, output_name);
  for (std::size_t i = 0; i < file.segments.size(); ++i) {
    const Segment& segment = file.segments[i];
    const Module& module = file.modules[segment.module];
    std::uint64_t weights = 0;
    for (const std::uint32_t constant : segment.constants) weights += file.constants[constant].data.size();
    text +=
        formatted("segment {} `{}`: {} `{}` entry `{}`, {}{}\n", i, segment.name, name_of(segment.kind), module.name,
                  module.entry_point, module.is_placeholder() ? "no code" : std::string(name_of(module.code)),
                  segment.constants.empty()
                      ? ""
                      : formatted(", {} of {}", counted(segment.constants.size(), "constant"), bytes_text(weights)));
    if (segment.kind == ModuleKind::Compute && segment.dispatch) {
      const auto& [x, y, z] = *segment.dispatch;
      text += formatted("  workgroups [{}, {}, {}]\n", x, y, z);
    }
    for (const DescriptorSet& set : segment.sets) {
      for (const Slot& slot : set.slots) {
        text += formatted("  set {} binding {}: {} {}\n", set.index, slot.binding,
                          name_of(file.resources[slot.resource].category), resource_text(file, slot.resource));
      }
    }
    for (std::size_t k = 0; segment.explicit_constant_ids && k < segment.constants.size(); ++k)
      text += formatted("  graph constant {} is constant {}\n", segment.constant_ids[k], segment.constants[k]);
  }
  for (std::size_t i = 0; i < file.constants.size(); ++i) {
    const Constant& constant = file.constants[i];
    text += formatted("constant {}: {}, {}{}\n", i, resource_text(file, constant.resource),
                      bytes_text(constant.data.size()),
                      constant.sparsity < 0 ? "" : formatted(", 2:4 sparse along dimension {}", constant.sparsity));
  }
  return text;
}

}  // namespace slipway::vgf
