// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_compute.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "launch/plan/image_formats.hpp"
#include "launch/plan/specialization.hpp"
#include "model/native.hpp"
#include "model/plan/packed_rows.hpp"
#include "spirv/module.hpp"
#include "spirv/tensors/emulate.hpp"
#include "tensor/format.hpp"
#include "vgf/check.hpp"

namespace slipway::model {
namespace {

using spirv::BindingKind;

class Builder {
 public:
  Builder(launch::Plan& plan, const ComputeSegment& compute, Diagnostics& diagnostics)
      : plan_(plan),
        compute_(compute),
        file_(compute.file),
        segment_(compute.file.segments[compute.segment]),
        diagnostics_(diagnostics),
        shader_(compute.shader) {}

  void run(ComputeShaders& shaders) {
    const std::size_t before = diagnostics_.errors();
    const spirv::EntryPoint* entry = compute_.shader.reflection->find(compute_.shader.entry, spirv::Stage::Compute);
    for (const vgf::DescriptorSet& set : segment_.sets) {
      for (const vgf::Slot& slot : set.slots) bind(*entry, set.index, slot);
    }
    for (const spirv::Binding& declared : entry->bindings) {
      if (declared.used && !find(bindings_, declared.set, declared.binding)) missing(declared);
    }
    if (diagnostics_.errors() != before || !change_formats()) return;
    choose_tensors();
    const auto shader = shader_in_plan(shaders);
    if (!shader) return;
    launch::Dispatch dispatch{.shader = *shader,
                              .groups = segment_.dispatch.value_or(std::array{1u, 1u, 1u}),
                              .bindings = {},
                              .push_constants = compute_.push_constants};
    const launch::Shader& planned = plan_.shaders[*shader];
    dispatch.push_constants.resize(planned.push_constant_size);
    // After the rewriting, tensors are storage buffers.
    if (native_) bind_native_tensors();
    const spirv::EntryPoint* rewritten = planned.reflection->find(planned.entry, spirv::Stage::Compute);
    for (launch::Binding& binding : bindings_) {
      const spirv::Binding* declared = declared_at(*rewritten, binding.set, binding.binding);
      if (!declared) continue;
      binding.type = spirv::descriptor_type(declared->kind);
      binding.reads = declared->reads;
      binding.writes = declared->writes;
      dispatch.bindings.push_back(binding);
      if (const auto copy = copies_.find(binding.resource); copy != copies_.end()) {
        copy->second.read |= declared->reads;
        copy->second.written |= declared->writes;
      }
    }
    for (const auto& [packed, copy] : copies_) {
      if (copy.read) rows_.gather(plan_, copy.of, compute_.origin);
    }
    plan_.steps.push_back(
        {.name = compute_.name, .action = std::move(dispatch), .barrier_after = true, .origin = compute_.origin});
    for (const auto& [packed, copy] : copies_) {
      if (copy.written) rows_.scatter(plan_, copy.of, compute_.origin);
    }
  }

 private:
  void error(DiagnosticKind kind, const SourceLocation& location, std::string_view text) {
    diagnostics_.error(kind, location, formatted("`{}`: {}", compute_.name, text));
  }

  static const launch::Binding* find(std::span<const launch::Binding> bindings, std::uint32_t set,
                                     std::uint32_t binding) {
    const auto found = std::ranges::find_if(
        bindings, [&](const launch::Binding& one) { return one.set == set && one.binding == binding; });
    return found == bindings.end() ? nullptr : &*found;
  }

  // A descriptor that is used takes precedence over one that is only declared.
  static const spirv::Binding* declared_at(const spirv::EntryPoint& entry, std::uint32_t set, std::uint32_t binding) {
    const spirv::Binding* found = nullptr;
    for (const spirv::Binding& declared : entry.bindings) {
      if (declared.set == set && declared.binding == binding && (!found || declared.used)) found = &declared;
    }
    return found;
  }

  void missing(const spirv::Binding& declared) {
    error(DiagnosticKind::BindingMismatch, file_.location(segment_.range),
          formatted("shader `{}` uses set {}, binding {} (a {}), but the segment binds nothing there",
                    compute_.shader.name, declared.set, declared.binding, name_of(declared.kind)));
  }

  void bind(const spirv::EntryPoint& entry, std::uint32_t set, const vgf::Slot& slot) {
    const spirv::Binding* declared = declared_at(entry, set, slot.binding);
    if (!declared) {
      diagnostics_.warning(DiagnosticKind::BindingMismatch, file_.location(slot),
                           formatted("`{}`: the segment binds set {}, binding {}, which shader `{}` does not declare",
                                     compute_.name, set, slot.binding, compute_.shader.name));
      return;
    }
    if (find(bindings_, set, slot.binding)) return;  // listed twice; the check of the file has reported a warning
    const vgf::Resource& resource = file_.resources[slot.resource];
    const auto mismatch = [&](std::string_view text) {
      error(DiagnosticKind::BindingMismatch, file_.location(slot), described(*declared, set, slot, text));
    };
    if (!takes(declared->kind, resource.descriptor_type)) {
      return mismatch(formatted("and the model binds a {} there",
                                vk::name_of(resource.descriptor_type.value_or(vk::DescriptorType::TENSOR_ARM))));
    }
    if (declared->count != 1) return mismatch("as an array, of which a model binds only one element");
    auto planned = compute_.storage.at(plan_, slot.resource, diagnostics_);
    if (!planned) return;
    const bool has_rows = declared->kind == BindingKind::Tensor && has_rows_of_image(slot.resource, *planned);
    // A buffer has no rows, and a tensor may have others: where it shares the memory of an image, the shader gets a
    // packed copy.
    if (!is_image(resource) && !has_rows) {
      const launch::ResourceIndex packed = rows_.packed(plan_, *planned);
      if (packed != *planned) copies_[packed].of = *planned;
      planned = packed;
    }
    if (declared->kind == BindingKind::Tensor) {
      tensor(*declared, set, slot, *planned, has_rows, mismatch);
    } else if (!is_image(resource)) {
      auto& buffer = std::get<launch::Buffer>(plan_.resources[*planned].kind);
      buffer.uniform |= declared->kind == BindingKind::UniformBuffer;
      if (is_texel_buffer(declared->kind)) {
        if (!texels(*declared, set, slot, mismatch)) return;
        buffer.texels = true;
      }
      if (declared->block && declared->block->size > buffer.size) {
        return mismatch(formatted("of at least {} bytes, but resource {} of the model has {}", declared->block->size,
                                  slot.resource, buffer.size));
      }
    } else {
      if (!image(*declared, set, slot, std::get<launch::Image>(plan_.resources[*planned].kind), mismatch)) return;
    }
    const auto level = compute_.levels.find(slot.resource);
    bindings_.push_back({.set = set,
                         .binding = slot.binding,
                         .resource = *planned,
                         .level = level == compute_.levels.end() ? std::nullopt : std::optional(level->second),
                         .texels = is_texel_buffer(declared->kind) ? resource.format : vk::Format::UNDEFINED,
                         .origin = compute_.origin});
  }

  // A message about a binding of the shader.
  std::string described(const spirv::Binding& declared, std::uint32_t set, const vgf::Slot& slot,
                        std::string_view text) const {
    return formatted("shader `{}` declares set {}, binding {} as a {}, {}", compute_.shader.name, set, slot.binding,
                     name_of(declared.kind), text);
  }
  void rule(const vgf::Slot& slot, std::string_view text) {
    diagnostics_.rule(DiagnosticKind::BindingMismatch, file_.location(slot),
                      formatted("`{}`: {}", compute_.name, text));
  }

  static bool takes(BindingKind declared, std::optional<vk::DescriptorType> listed) {
    switch (listed.value_or(vk::DescriptorType::TENSOR_ARM)) {
      case vk::DescriptorType::TENSOR_ARM:
        return declared == BindingKind::Tensor;
      case vk::DescriptorType::STORAGE_BUFFER:
      case vk::DescriptorType::UNIFORM_BUFFER:
        return declared == BindingKind::StorageBuffer || declared == BindingKind::UniformBuffer;
      case vk::DescriptorType::UNIFORM_TEXEL_BUFFER:
        return declared == BindingKind::UniformTexelBuffer;
      case vk::DescriptorType::STORAGE_TEXEL_BUFFER:
        return declared == BindingKind::StorageTexelBuffer;
      case vk::DescriptorType::STORAGE_IMAGE:
        return declared == BindingKind::StorageImage;
      case vk::DescriptorType::COMBINED_IMAGE_SAMPLER:
        return declared == BindingKind::CombinedImageSampler || declared == BindingKind::SampledImage ||
               declared == BindingKind::Sampler;
      default:
        return false;
    }
  }

  static bool is_texel_buffer(BindingKind kind) {
    return kind == BindingKind::UniformTexelBuffer || kind == BindingKind::StorageTexelBuffer;
  }

  // Whether the texels of a buffer are those that the shader declares.
  template <class Mismatch>
  bool texels(const spirv::Binding& declared, std::uint32_t set, const vgf::Slot& slot, const Mismatch& mismatch) {
    const vk::Format format = file_.resources[slot.resource].format;
    if (!declared.image || declared.image->format == vk::Format::UNDEFINED || declared.image->format == format)
      return true;
    const std::string difference = formatted("of the format {}, but resource {} of the model has {}",
                                             vk::name_of(declared.image->format), slot.resource, vk::name_of(format));
    if (!launch::is_accessible_as(declared.image->format, format)) {
      mismatch(difference);
      return false;
    }
    if (declared.kind == BindingKind::StorageTexelBuffer)
      rule(slot, described(declared, set, slot, difference + "; the shader is changed to the format of the buffer"));
    return true;
  }

  // Returns false after an error.
  template <class Mismatch>
  bool image(const spirv::Binding& declared, std::uint32_t set, const vgf::Slot& slot, launch::Image& image,
             const Mismatch& mismatch) {
    (declared.kind == BindingKind::StorageImage ? image.storage : image.sampled) = true;
    if (declared.image && declared.image->format != vk::Format::UNDEFINED && declared.image->format != image.format) {
      const std::string difference =
          formatted("of the format {}, but resource {} of the model has {}", vk::name_of(declared.image->format),
                    slot.resource, vk::name_of(image.format));
      if (!launch::is_accessible_as(declared.image->format, image.format)) {
        mismatch(difference);
        return false;
      }
      rule(slot, described(declared, set, slot, difference + "; the shader is changed to the format of the image"));
    }
    return true;
  }

  // Whether a tensor has the rows of the image whose memory it shares.
  bool has_rows_of_image(std::uint32_t resource, launch::ResourceIndex planned) const {
    const auto& rows = std::get<launch::Buffer>(plan_.resources[planned].kind).rows;
    const tensor::Shape& shape = compute_.storage.shape(resource);
    return rows && shape.size() >= 3 && static_cast<std::uint64_t>(shape[shape.size() - 3]) == rows->count;
  }

  template <class Mismatch>
  void tensor(const spirv::Binding& declared, std::uint32_t set, const vgf::Slot& slot, launch::ResourceIndex planned,
              bool has_rows, const Mismatch& mismatch) {
    const auto element = vgf::element_type(file_.resources[slot.resource].format);
    const tensor::Shape& shape = compute_.storage.shape(slot.resource);
    if (!element) return;  // the check of the file reports that
    if (declared.tensor) {
      if (const auto difference = spirv::tensor_mismatch(*declared.tensor, *element, shape)) {
        const std::string text =
            formatted("with {}, and the model binds one with {}", difference->declared, difference->given);
        if (difference->effect.empty()) return mismatch(text);
        rule(slot, described(declared, set, slot, formatted("{}; {}", text, difference->effect)));
        other_elements_ = true;
      }
    }
    spirv::TensorLayout layout = spirv::packed_layout(*element, shape);
    if (declared.tensor) layout.element = declared.tensor->element;
    // Only the device knows where rows of texels begin.
    if (has_rows) {
      const std::uint32_t constant = unused_constant();
      layout.stride_ids.emplace(layout.shape.size() - 3, constant);
      row_strides_.push_back({.constant = constant, .rows = planned});
    }
    tensors_.push_back({set, slot.binding, {std::move(layout)}});
    native_tensors_.push_back({.format = file_.resources[slot.resource].format, .shape = shape});
  }

  void choose_tensors() {
    if (!compute_.native || tensors_.empty()) return;
    emulated_because_ = other_elements_ ? "a tensor has other elements than the shader declares"
                                        : why_not_native(*compute_.native, shader_, native_tensors_);
    native_ = emulated_because_.empty();
    if (native_) row_strides_.clear();
  }

  void bind_native_tensors() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const auto binding = std::ranges::find_if(bindings_, [&](const launch::Binding& one) {
        return one.set == tensors_[i].set && one.binding == tensors_[i].binding;
      });
      if (binding == bindings_.end()) continue;
      binding->tensor =
          add_tensor(plan_, binding->resource,
                     {.format = native_tensors_[i].format, .shape = native_tensors_[i].shape, .shaders = true});
    }
  }

  std::uint32_t unused_constant() const {
    std::uint32_t id = 0;
    const auto is_used = [&] {
      return std::ranges::contains(compute_.shader.reflection->specialization_constants, id,
                                   &spirv::SpecializationConstant::spec_id) ||
             std::ranges::contains(row_strides_, id, &launch::RowStride::constant);
    };
    while (is_used()) ++id;
    return id;
  }

  // Returns false after an error.
  bool change_formats() {
    const launch::ImageFormats formats = launch::other_image_formats(shader_, bindings_, plan_);
    if (formats.empty()) return true;
    auto changed = diagnostics_.take(launch::with_image_formats(shader_, formats));
    if (!changed) return false;
    shader_ = std::move(*changed);
    formats_key_ = launch::key_of(formats);
    return true;
  }

  // The shader, rewritten for its tensors, and added if it is not in the plan yet.
  std::optional<launch::ShaderIndex> shader_in_plan(ComputeShaders& shaders) {
    std::string key = std::to_string(segment_.module) + formats_key_;
    if (native_) return keep(shaders, key, shader_);
    for (const spirv::TensorBinding& tensor : tensors_) {
      const spirv::TensorLayout& layout = tensor.elements[0];
      key += formatted(" {}.{} {}", tensor.set, tensor.binding, tensor::name_of(layout.element));
      if (!layout.strides.empty()) key += formatted(" by {}", layout.strides.back());
      for (const std::int64_t extent : tensor.elements[0].shape) key += formatted(",{}", extent);
    }
    for (const launch::RowStride& stride : row_strides_) key += formatted(" rows of {}", stride.rows);
    if (const auto known = shaders.find(key); known != shaders.end()) return known->second;
    return keep(shaders, key, tensors_.empty() ? shader_ : rewritten());
  }

  std::optional<launch::ShaderIndex> keep(ComputeShaders& shaders, const std::string& key,
                                          std::optional<launch::Shader> made) {
    if (!made) return std::nullopt;
    const auto [known, fresh] = shaders.try_emplace(key, static_cast<launch::ShaderIndex>(plan_.shaders.size()));
    if (fresh) plan_.shaders.push_back(std::move(*made));
    return known->second;
  }

  std::optional<launch::Shader> rewritten() {
    const spirv::Specialization values = launch::values_of(compute_.shader.specializations);
    const auto module = diagnostics_.take(spirv::read_module(spirv::Words(*shader_.spirv), compute_.shader.name));
    if (!module) return std::nullopt;
    auto words = diagnostics_.take(spirv::emulate_tensors(*module, tensors_, values));
    if (!words) return std::nullopt;
    const auto made = diagnostics_.take(spirv::read_module(std::move(*words), compute_.shader.name));
    auto reflection = made ? diagnostics_.take(spirv::reflect(*made, values)) : std::nullopt;
    if (!reflection) return std::nullopt;
    launch::Shader shader = shader_;
    shader.spirv = std::make_shared<const spirv::Words>(made->words().begin(), made->words().end());
    shader.reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection));
    shader.row_strides = row_strides_;
    shader.emulates_tensors = true;
    shader.emulated_because = emulated_because_;
    return shader;
  }

  launch::Plan& plan_;
  const ComputeSegment& compute_;
  const vgf::File& file_;
  const vgf::Segment& segment_;
  Diagnostics& diagnostics_;
  std::vector<launch::Binding> bindings_;
  std::vector<spirv::TensorBinding> tensors_;
  std::vector<launch::RowStride> row_strides_;
  struct Copy {
    launch::ResourceIndex of = 0;
    bool read = false, written = false;
  };
  PackedRows rows_;
  std::map<launch::ResourceIndex, Copy> copies_;  // by packed buffer
  std::vector<NativeTensor> native_tensors_;      // as many as tensors_
  bool native_ = false;                           // the device has tensors
  bool other_elements_ = false;                   // of a tensor, than the shader declares
  launch::Shader shader_;                         // with the formats of the images that are bound
  std::string formats_key_;
  std::string emulated_because_;
};

}  // namespace

void plan_compute(launch::Plan& plan, const ComputeSegment& compute, ComputeShaders& shaders,
                  Diagnostics& diagnostics) {
  Builder(plan, compute, diagnostics).run(shaders);
}

}  // namespace slipway::model
