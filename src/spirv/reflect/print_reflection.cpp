// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reflection for people, and the names of its enumerants.

#include "base/format.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::spirv {
namespace {

struct StageName {
  Stage stage;
  std::string_view name;
};
constexpr StageName kStages[] = {
    {Stage::Vertex, "vertex"},
    {Stage::TessellationControl, "tessellation control"},
    {Stage::TessellationEvaluation, "tessellation evaluation"},
    {Stage::Geometry, "geometry"},
    {Stage::Fragment, "fragment"},
    {Stage::Compute, "compute"},
    {Stage::Kernel, "kernel"},
    {Stage::TaskNV, "task (NV)"},
    {Stage::MeshNV, "mesh (NV)"},
    {Stage::RayGeneration, "ray generation"},
    {Stage::Intersection, "intersection"},
    {Stage::AnyHit, "any hit"},
    {Stage::ClosestHit, "closest hit"},
    {Stage::Miss, "miss"},
    {Stage::Callable, "callable"},
    {Stage::Task, "task"},
    {Stage::Mesh, "mesh"},
    {Stage::Graph, "graph"},
};

struct BindingKindName {
  BindingKind kind;
  std::string_view name;
  vk::DescriptorType descriptor;
};
constexpr BindingKindName kBindingKinds[] = {
    {BindingKind::StorageBuffer, "storage buffer", vk::DescriptorType::STORAGE_BUFFER},
    {BindingKind::UniformBuffer, "uniform buffer", vk::DescriptorType::UNIFORM_BUFFER},
    {BindingKind::CombinedImageSampler, "combined image sampler", vk::DescriptorType::COMBINED_IMAGE_SAMPLER},
    {BindingKind::SampledImage, "sampled image", vk::DescriptorType::SAMPLED_IMAGE},
    {BindingKind::Sampler, "sampler", vk::DescriptorType::SAMPLER},
    {BindingKind::StorageImage, "storage image", vk::DescriptorType::STORAGE_IMAGE},
    {BindingKind::UniformTexelBuffer, "uniform texel buffer", vk::DescriptorType::UNIFORM_TEXEL_BUFFER},
    {BindingKind::StorageTexelBuffer, "storage texel buffer", vk::DescriptorType::STORAGE_TEXEL_BUFFER},
    {BindingKind::InputAttachment, "input attachment", vk::DescriptorType::INPUT_ATTACHMENT},
    {BindingKind::AccelerationStructure, "acceleration structure", vk::DescriptorType::ACCELERATION_STRUCTURE_KHR},
    {BindingKind::Tensor, "tensor", vk::DescriptorType::TENSOR_ARM},
};

struct ImageDimensionName {
  ImageDimension dimension;
  std::string_view name;
};
constexpr ImageDimensionName kImageDimensions[] = {
    {ImageDimension::D1, "1d"},
    {ImageDimension::D2, "2d"},
    {ImageDimension::D3, "3d"},
    {ImageDimension::Cube, "cube"},
    {ImageDimension::Rect, "rect"},
    {ImageDimension::Buffer, "buffer"},
    {ImageDimension::SubpassData, "subpass"},
    {ImageDimension::TileImage, "tile image"},
};

constexpr const BindingKindName& info_of(BindingKind kind) { return kBindingKinds[static_cast<std::size_t>(kind)]; }

std::string with_name(std::string_view name) { return name.empty() ? std::string() : formatted(" `{}`", name); }

std::string text_of(const SpecializedNumber& number) {
  return number.spec_id ? formatted("{} (constant {})", number.value, *number.spec_id) : std::to_string(number.value);
}

std::string text_of(const TensorType& tensor) {
  std::string text(tensor::name_of(tensor.element));
  if (!tensor.rank) return text;
  if (tensor.shape.empty()) return formatted("{} rank {}", text, *tensor.rank);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += formatted("{}{}", i == 0 ? " [" : ", ", tensor.shape[i]);
  return text + "]";
}

std::string text_of(const ImageType& image) {
  std::string text = formatted("{}{}{}", name_of(image.dimension), image.arrayed ? " array" : "",
                               image.multisampled ? " multisampled" : "");
  if (image.format != vk::Format::UNDEFINED) text += " " + vk::name_of(image.format);
  if (image.sampled) text += formatted(" of {}", tensor::name_of(*image.sampled));
  return text;
}

std::string text_of(const Binding& binding) {
  std::string text =
      formatted("  binding {}.{}{}: {}", binding.set, binding.binding, with_name(binding.name), name_of(binding.kind));
  if (binding.count == 0) text += "[]";
  if (binding.count > 1) text += formatted("[{}]", binding.count);
  if (binding.image) text += " " + text_of(*binding.image);
  if (binding.tensor) text += " " + text_of(*binding.tensor);
  if (binding.block) {
    text += formatted(", {} bytes", binding.block->size);
    if (binding.block->runtime_stride != 0) text += formatted(" + n * {}", binding.block->runtime_stride);
  }
  text += binding.used ? "" : ", unused";
  text += binding.reads ? ", read" : "";
  text += binding.writes ? ", written" : "";
  return text + "\n";
}

std::string text_of(const PushConstants& constants) {
  std::string text = formatted("  push constants{}: {} bytes{}\n", with_name(constants.name), constants.size,
                               constants.used ? "" : ", unused");
  for (const BlockMember& member : constants.members) {
    text += formatted("    +{}{}: {} bytes{}\n", member.offset, with_name(member.name), member.size,
                      member.addresses ? ", an address" : "");
  }
  return text;
}

std::string text_of(std::string_view direction, const InterfaceVariable& variable) {
  std::string text = formatted("  {} {}", direction, variable.location);
  if (variable.component != 0) text += formatted(".{}", variable.component);
  text += formatted("{}: {}", with_name(variable.name), tensor::name_of(variable.type));
  if (variable.components > 1 || variable.columns > 1) text += formatted("x{}", variable.components);
  if (variable.columns > 1) text += formatted("x{}", variable.columns);
  if (variable.count != 1) text += formatted("[{}]", variable.count);
  return text + "\n";
}

std::string text_of(const EntryPoint& entry_point) {
  std::string text = formatted("{}{}\n", name_of(entry_point.stage), with_name(entry_point.name));
  if (entry_point.local_size) {
    const auto& [x, y, z] = *entry_point.local_size;
    text += formatted("  local size {} x {} x {}\n", text_of(x), text_of(y), text_of(z));
  }
  if (entry_point.shared_memory != 0) text += formatted("  shared memory {} bytes\n", entry_point.shared_memory);
  if (entry_point.push_constants) text += text_of(*entry_point.push_constants);
  for (const Binding& binding : entry_point.bindings) text += text_of(binding);
  for (const InterfaceVariable& input : entry_point.inputs) text += text_of("input", input);
  for (const InterfaceVariable& output : entry_point.outputs) text += text_of("output", output);
  return text;
}

}  // namespace

std::string_view name_of(Stage stage) {
  for (const StageName& known : kStages) {
    if (known.stage == stage) return known.name;
  }
  return "unknown stage";
}

std::string_view name_of(BindingKind kind) { return info_of(kind).name; }
std::string describe(const Binding& binding) {
  const std::string_view kind = name_of(binding.kind);
  return binding.name.empty() ? formatted("a {}", kind) : formatted("`{}`, a {}", binding.name, kind);
}

vk::DescriptorType descriptor_type(BindingKind kind) { return info_of(kind).descriptor; }
std::string_view name_of(ImageDimension dimension) {
  return kImageDimensions[static_cast<std::size_t>(dimension)].name;
}

std::string print_reflection(const Reflection& reflection) {
  std::string text = formatted("SPIR-V {}.{}\n", reflection.version >> 16, reflection.version >> 8 & 0xff);
  for (const std::string& name : reflection.capabilities) text += formatted("capability {}\n", name);
  for (const std::string& name : reflection.extensions) text += formatted("extension {}\n", name);
  for (const std::string& name : reflection.instruction_sets) text += formatted("instruction set {}\n", name);
  for (const SpecializationConstant& constant : reflection.specialization_constants) {
    const std::string line = formatted("specialization constant {}{}: {} = {:#x}\n", constant.spec_id,
                                       with_name(constant.name), tensor::name_of(constant.type), constant.default_bits);
    // Compilers repeat a constant that is also a size of the workgroup.
    if (!text.ends_with(line)) text += line;
  }
  for (const GraphConstant& constant : reflection.graph_constants) {
    text += formatted("graph constant {}{}: {}\n", constant.constant_id, with_name(constant.name),
                      text_of(constant.tensor));
  }
  for (const EntryPoint& entry_point : reflection.entry_points) text += text_of(entry_point);
  return text;
}

}  // namespace slipway::spirv
