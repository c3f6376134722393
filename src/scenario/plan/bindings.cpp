// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan/bindings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "launch/plan/image_formats.hpp"
#include "spirv/tensors/emulate.hpp"
#include "tensor/format.hpp"
#include "vk/image_plan.hpp"
#include "vk/view_shape.hpp"

namespace slipway::scenario {
namespace {

using spirv::BindingKind;

bool is_sampled(BindingKind kind) {
  return kind == BindingKind::CombinedImageSampler || kind == BindingKind::SampledImage || kind == BindingKind::Sampler;
}

// What the stages of a command declare at one set and binding, together.
struct Declared {
  const StageInterface* stage = nullptr;  // the first that declares it
  const spirv::Binding* binding = nullptr;
  BindingKind kind = BindingKind::StorageBuffer;  // of the descriptor
  bool used = false, reads = false, writes = false;
  const spirv::Binding* other = nullptr;  // used too, as another kind

  // A second variable that is used. A separate image and a sampler are the two halves of one descriptor (Vulkan 1.3,
  // "Combined Image Sampler").
  void join(const spirv::Binding& second, const StageInterface& from) {
    if (second.kind == kind) return;
    if (!is_sampled(kind) || !is_sampled(second.kind)) {
      other = &second;
      return;
    }
    kind = BindingKind::CombinedImageSampler;
    if (binding->image) return;
    stage = &from;
    binding = &second;
  }
};

using Slot = std::pair<std::uint32_t, std::uint32_t>;  // set, binding

std::map<Slot, Declared> declared_in(std::span<const StageInterface> stages) {
  std::map<Slot, Declared> all;
  for (const StageInterface& stage : stages) {
    for (const spirv::Binding& binding : stage.entry->bindings) {
      Declared& declared = all[{binding.set, binding.binding}];
      // A variable that is used takes precedence over one that is only declared.
      if (!declared.binding || (binding.used && !declared.used)) {
        declared.stage = &stage;
        declared.binding = &binding;
        declared.kind = binding.kind;
      } else if (declared.used && binding.used) {
        declared.join(binding, stage);
      }
      declared.used |= binding.used;
      declared.reads |= binding.reads;
      declared.writes |= binding.writes;
    }
  }
  return all;
}

enum class ResourceKind { Buffer, Image, Tensor, None };

ResourceKind resource_kind(BindingKind kind) {
  switch (kind) {
    case BindingKind::StorageBuffer:
    case BindingKind::UniformBuffer:
    case BindingKind::UniformTexelBuffer:
    case BindingKind::StorageTexelBuffer:
      return ResourceKind::Buffer;
    case BindingKind::CombinedImageSampler:
    case BindingKind::SampledImage:
    case BindingKind::Sampler:
    case BindingKind::StorageImage:
      return ResourceKind::Image;
    case BindingKind::Tensor:
      return ResourceKind::Tensor;
    case BindingKind::InputAttachment:
    case BindingKind::AccelerationStructure:
      return ResourceKind::None;
  }
  std::unreachable();
}

ResourceKind resource_kind(const Resource& resource) {
  if (std::holds_alternative<Buffer>(resource)) return ResourceKind::Buffer;
  if (std::holds_alternative<Image>(resource)) return ResourceKind::Image;
  return ResourceKind::Tensor;
}

bool is_texel_buffer(BindingKind kind) {
  return kind == BindingKind::UniformTexelBuffer || kind == BindingKind::StorageTexelBuffer;
}

// One binding of a command and what the shaders declare there.
class BindingCheck {
 public:
  BindingCheck(const Binding& binding, const Declared& declared, const Resource& resource, launch::Resource& planned,
               Diagnostics& diagnostics)
      : binding_(binding), declared_(declared), resource_(resource), planned_(planned), diagnostics_(diagnostics) {}

  // Of an image that can be bound.
  vk::ViewShape view() const { return view_; }
  // Of a texel buffer that can be bound.
  vk::Format texels() const { return texels_; }

  // Whether it can be bound.
  bool run() {
    const spirv::Binding& shader = *declared_.binding;
    const ResourceKind wanted = resource_kind(shader.kind);
    if (wanted == ResourceKind::None) {
      return error(binding_.at, DiagnosticKind::Unsupported, "this build cannot bind such resources");
    }
    if (declared_.other) {
      return error(binding_.at, DiagnosticKind::BindingMismatch,
                   formatted("but it is used as {} too", describe(*declared_.other)));
    }
    if (wanted != resource_kind(resource_)) {
      return error(binding_.resource.at, DiagnosticKind::WrongReference,
                   formatted("but `{}` is {}", uid_of(resource_), described_resource()));
    }
    if (shader.count != 0 && binding_.element >= shader.count) {
      return error(binding_.resource.at, DiagnosticKind::IndexOutOfRange,
                   shader.count == 1 ? "not an array of descriptors"
                                     : formatted("an array of {} descriptors, which has no element {}", shader.count,
                                                 binding_.element));
    }
    bool ok = binding_.descriptor_type == DescriptorChoice::Auto || shader.kind == BindingKind::StorageImage ||
              error(binding_.at["descriptor_type"], DiagnosticKind::BindingMismatch,
                    "not the storage image that `descriptor_type` asks for");
    ok &= wanted == ResourceKind::Buffer   ? check_buffer()
          : wanted == ResourceKind::Tensor ? check_tensor()
                                           : check_image();
    if (ok) check_access();
    return ok;
  }

 private:
  // The beginning of each message: what the shader declares.
  std::string subject() const {
    return formatted("shader `{}` declares set {}, binding {} as {}", declared_.stage->shader, binding_.set,
                     binding_.id, describe(*declared_.binding));
  }
  bool error(json::Value at, DiagnosticKind kind, std::string_view rest) {
    diagnostics_.add(json::problem(at, kind, formatted("{}, {}", subject(), rest)));
    return false;
  }
  void rule(std::string_view rest) {
    diagnostics_.add(
        json::problem(binding_.resource.at, DiagnosticKind::BindingMismatch, formatted("{}, {}", subject(), rest))
            .as_rule());
  }
  void warning(std::string_view rest) {
    diagnostics_.add(json::problem(binding_.resource.at, DiagnosticKind::BindingMismatch,
                                   formatted("{}, {}", subject(), rest), Severity::Warning));
  }

  std::string_view described_resource() const {
    switch (resource_kind(resource_)) {
      case ResourceKind::Buffer:
        return "a buffer";
      case ResourceKind::Image:
        return "an image";
      default:
        return "a tensor";
    }
  }

  bool check_buffer() {
    auto& buffer = std::get<launch::Buffer>(planned_.kind);
    if (declared_.binding->block && declared_.binding->block->size > buffer.size) {
      return error(binding_.resource.at, DiagnosticKind::BindingMismatch,
                   formatted("of at least {} bytes, but buffer `{}` has {}", declared_.binding->block->size,
                             planned_.name, buffer.size));
    }
    buffer.uniform |= declared_.binding->kind == BindingKind::UniformBuffer;
    return !is_texel_buffer(declared_.binding->kind) || check_texels(buffer);
  }

  bool check_texels(launch::Buffer& buffer) {
    const auto& type = declared_.binding->image;
    const vk::Format in_shader = type ? type->format : vk::Format::UNDEFINED;
    const auto& given = std::get<Buffer>(resource_).texel_format;
    if (given && !given->value) return false;  // reported with the buffer
    texels_ = given ? *given->value : in_shader;
    if (texels_ == vk::Format::UNDEFINED) {
      return error(binding_.resource.at, DiagnosticKind::BindingMismatch,
                   formatted("without a format; give buffer `{}` the key `texel_format`", planned_.name));
    }
    const auto texel = vk::texel_block(texels_);
    if (!texel || buffer.size % texel->bytes != 0) {
      return error(binding_.resource.at, DiagnosticKind::BindingMismatch,
                   formatted("but the {} bytes of buffer `{}` are not a whole number of texels of {}", buffer.size,
                             planned_.name, vk::name_of(texels_)));
    }
    if (in_shader != vk::Format::UNDEFINED && in_shader != texels_) {
      const std::string difference = formatted("of the format {}, but buffer `{}` has {}", vk::name_of(in_shader),
                                               planned_.name, vk::name_of(texels_));
      if (!launch::is_accessible_as(in_shader, texels_))
        return error(binding_.resource.at, DiagnosticKind::BindingMismatch, difference);
      // The format of a uniform texel buffer converts what is read; HLSL declares one for each type of elements.
      if (declared_.binding->kind == BindingKind::StorageTexelBuffer)
        rule(difference + "; the shader is changed to the format of the buffer");
    }
    if (type) check_numeric_type(*type, texels_, "buffer");
    buffer.texels = true;
    return true;
  }

  bool check_tensor() {
    const auto& tensor = std::get<Tensor>(resource_);
    const auto element = tensor::tensor_element_type(*tensor.format.value, tensor.at.location());
    if (!element || !declared_.binding->tensor) return false;  // reported with the tensor
    const auto mismatch = spirv::tensor_mismatch(*declared_.binding->tensor, *element, tensor.dims);
    if (!mismatch) return true;
    const std::string difference =
        formatted("with {}, but tensor `{}` has {}", mismatch->declared, planned_.name, mismatch->given);
    if (mismatch->effect.empty()) return error(binding_.resource.at, DiagnosticKind::BindingMismatch, difference);
    rule(formatted("{}; {}", difference, mismatch->effect));
    return true;
  }

  bool check_image() {
    auto& image = std::get<launch::Image>(planned_.kind);
    const auto& type = declared_.binding->image;
    (is_sampled(declared_.binding->kind) ? image.sampled : image.storage) = true;
    if (!type) return true;  // a separate sampler
    const auto shape = shape_of(*type, image);
    if (!shape) {
      const bool deep = image.extent[2] > 1;
      const std::string layers = image.layers == 1 ? "one layer" : formatted("{} layers", image.layers);
      return error(
          binding_.resource.at, DiagnosticKind::BindingMismatch,
          formatted("of dimension {}{}{}, but image `{}` is {} with {} and one sample{}", name_of(type->dimension),
                    type->arrayed ? ", arrayed" : "", type->multisampled ? ", multisampled" : "", planned_.name,
                    deep ? "3d" : "2d", layers, needed_layers(*type)));
    }
    view_ = *shape;
    const bool line = type->dimension == spirv::ImageDimension::D1;
    if (image.line.value_or(line) != line) {
      return error(binding_.resource.at, DiagnosticKind::BindingMismatch,
                   formatted("of dimension {}, but image `{}` is bound as {} too", name_of(type->dimension),
                             planned_.name, line ? "2d" : "1d"));
    }
    image.line = line;
    image.cube |= view_ == vk::ViewShape::Cube || view_ == vk::ViewShape::CubeArray;
    if (type->format != vk::Format::UNDEFINED && type->format != image.format) {
      const std::string difference = formatted("of the format {}, but image `{}` has {}", vk::name_of(type->format),
                                               planned_.name, vk::name_of(image.format));
      if (!launch::is_accessible_as(type->format, image.format))
        return error(binding_.resource.at, DiagnosticKind::BindingMismatch, difference);
      rule(difference + "; the shader is changed to the format of the image");
    }
    check_numeric_type(*type, image.format, "image");
    return true;
  }

  // The view of an image that the shader declares; empty when the image has none like it.
  static std::optional<vk::ViewShape> shape_of(const spirv::ImageType& type, const launch::Image& image) {
    const bool deep = image.extent[2] > 1, square = image.extent[0] == image.extent[1];
    if (type.multisampled) return std::nullopt;
    if (type.dimension == spirv::ImageDimension::D3 && deep) return vk::ViewShape::Plain;
    if (deep) return std::nullopt;
    if (type.dimension == spirv::ImageDimension::D1) {
      if (image.extent[1] > 1 || image.color_attachment || image.depth_attachment) return std::nullopt;
      if (type.arrayed) return vk::ViewShape::Array;
      return image.layers == 1 ? std::optional(vk::ViewShape::Plain) : std::nullopt;
    }
    if (type.dimension == spirv::ImageDimension::D2) {
      if (type.arrayed) return vk::ViewShape::Array;
      return image.layers == 1 ? std::optional(vk::ViewShape::Plain) : std::nullopt;
    }
    if (type.dimension != spirv::ImageDimension::Cube || !square) return std::nullopt;
    if (type.arrayed) return image.layers % 6 == 0 ? std::optional(vk::ViewShape::CubeArray) : std::nullopt;
    return image.layers == 6 ? std::optional(vk::ViewShape::Cube) : std::nullopt;
  }

  // What an image needs to be seen as a line or a cube.
  static std::string_view needed_layers(const spirv::ImageType& type) {
    if (type.dimension == spirv::ImageDimension::D1) return "; a 1d image has one row, and is not an attachment";
    if (type.dimension != spirv::ImageDimension::Cube || type.multisampled) return "";
    return type.arrayed ? "; an array of cubes has equal width and height, and a multiple of 6 as `layers`"
                        : "; a cube has equal width and height, and 6 as `layers`";
  }

  // Reading integers as floats, or floats as integers, yields undefined values.
  void check_numeric_type(const spirv::ImageType& type, vk::Format format, std::string_view resource) {
    const tensor::FormatInfo* info = tensor::find_format(format);
    if (!type.sampled || !info) return;
    using enum tensor::ElementKind;
    const tensor::ElementKind in_shader = tensor::info_of(*type.sampled).kind;
    const tensor::ElementKind in_image = info->numeric == tensor::NumericFormat::Uint   ? Unsigned
                                         : info->numeric == tensor::NumericFormat::Sint ? Signed
                                                                                        : Float;
    if (in_shader == in_image) return;
    warning(formatted("with elements of {}, which does not fit the format {} of {} `{}`",
                      tensor::name_of(*type.sampled), vk::name_of(format), resource, planned_.name));
  }

  // The declared `shader_access` of the resource against what this shader does (docs/spec/scenario.md#descriptors).
  void check_access() {
    const Access access = access_of(resource_);
    if (access == Access::ReadOnly && declared_.writes)
      warning(formatted("and may write it, but `{}` is readonly", planned_.name));
    if (access == Access::WriteOnly && declared_.reads) {
      warning(formatted("and may read it, but `{}` is writeonly", planned_.name));
    }
  }

  const Binding& binding_;
  const Declared& declared_;
  const Resource& resource_;
  launch::Resource& planned_;
  Diagnostics& diagnostics_;
  vk::ViewShape view_ = vk::ViewShape::Plain;
  vk::Format texels_ = vk::Format::UNDEFINED;
};

std::string shaders_text(std::span<const StageInterface> stages) {
  return stages.size() == 1 ? formatted("shader `{}` declares", stages[0].shader)
                            : formatted("shaders `{}` and `{}` declare", stages[0].shader, stages[1].shader);
}

std::string slots_text(const std::map<Slot, Declared>& declared) {
  std::string text;
  for (const auto& [slot, what] : declared) {
    text += formatted("{}set {}, binding {} ({})", text.empty() ? "" : "; ", slot.first, slot.second,
                      describe(*what.binding));
  }
  return text.empty() ? "nothing" : text;
}

// The first descriptor of a slot that must be bound, and is not: any of an array of RPL, and of other arrays one.
std::optional<std::uint32_t> first_unbound(Slot slot, const spirv::Binding& declared,
                                           const std::vector<Binding>& bindings, const RplBindings* rpl) {
  const auto is_made = [&](const launch::Binding& made) { return Slot(made.set, made.binding) == slot; };
  if (rpl && std::ranges::any_of(rpl->made, is_made)) return std::nullopt;
  std::set<std::uint32_t> bound;
  for (const Binding& binding : bindings) {
    if (Slot(binding.set, binding.id) == slot) bound.insert(binding.element);
  }
  if (!rpl) return bound.empty() ? std::optional(0u) : std::nullopt;
  for (std::uint32_t element = 0; element < declared.count; ++element) {
    if (!bound.contains(element)) return element;
  }
  return std::nullopt;
}

Diagnostic nothing_bound(const Declared& what, Slot slot, std::uint32_t element, json::Value command) {
  const json::Value list = command["bindings"] ? command["bindings"] : command;
  const std::string which = element > 0 ? formatted(", element {}", element) : std::string();
  Diagnostic missing =
      json::problem(list, DiagnosticKind::BindingMismatch,
                    formatted("shader `{}` uses set {}, binding {}{} ({}), but nothing is bound there",
                              what.stage->shader, slot.first, slot.second, which, describe(*what.binding)));
  missing.location = list.opening();
  // The name that glslang and dxc use.
  if (what.binding->name.starts_with("$Global"))
    missing.hint("it holds the variables of HLSL outside of functions and buffers; `static const` ones are not in it");
  return missing;
}

}  // namespace

std::optional<launch::Binding> declared_binding(std::span<const StageInterface> stages, std::uint32_t set,
                                                std::uint32_t binding) {
  const std::map<Slot, Declared> declared = declared_in(stages);
  const auto found = declared.find({set, binding});
  if (found == declared.end() || !found->second.used) return std::nullopt;
  return launch::Binding{.set = set,
                         .binding = binding,
                         .type = spirv::descriptor_type(found->second.kind),
                         .reads = found->second.reads,
                         .writes = found->second.writes};
}

std::vector<launch::Binding> resolve_bindings(const Scenario& scenario, const std::vector<Binding>& bindings,
                                              json::Value command, std::span<const StageInterface> stages,
                                              const ResourceIndices& indices, launch::Plan& plan,
                                              Diagnostics& diagnostics, const RplBindings* rpl) {
  const std::map<Slot, Declared> declared = declared_in(stages);
  std::vector<launch::Binding> resolved;
  for (const Binding& binding : bindings) {
    const auto found = declared.find({binding.set, binding.id});
    if (found == declared.end()) {
      if (rpl && !binding.name.empty()) continue;
      diagnostics.add(json::problem(binding.at, DiagnosticKind::BindingMismatch,
                                    formatted("{} nothing at set {}, binding {}; declared: {}", shaders_text(stages),
                                              binding.set, binding.id, slots_text(declared)))
                          .as_rule());
      continue;
    }
    const auto index = indices.find(binding.resource.uid);
    const Resource* resource = scenario.find(binding.resource.uid);
    if (index == indices.end() || !resource) continue;
    const Declared& what = found->second;
    BindingCheck check(binding, what, *resource, plan.resources[index->second], diagnostics);
    if (!check.run()) continue;
    resolved.push_back({.set = binding.set,
                        .binding = binding.id,
                        .element = binding.element,
                        .count = static_cast<std::uint32_t>(what.binding->count),
                        .type = spirv::descriptor_type(what.kind),
                        .resource = index->second,
                        .level = binding.lod,
                        .view = check.view(),
                        .texels = check.texels(),
                        .reads = what.reads,
                        .writes = what.writes,
                        .origin = launch::Origin::of_reference(binding.resource.at)});
  }
  // An array without a size is as long as what is bound to it.
  std::map<Slot, std::uint32_t> lengths;
  for (const launch::Binding& binding : resolved) {
    if (binding.count != 0) continue;
    std::uint32_t& length = lengths[{binding.set, binding.binding}];
    length = std::max(length, binding.element + 1);
  }
  for (launch::Binding& binding : resolved) {
    if (binding.count == 0) binding.count = lengths.at({binding.set, binding.binding});
  }
  for (const auto& [slot, what] : declared) {
    if (!what.used) continue;
    if (const auto element = first_unbound(slot, *what.binding, bindings, rpl)) {
      diagnostics.add(nothing_bound(what, slot, *element, command));
    }
  }
  return resolved;
}

}  // namespace slipway::scenario
