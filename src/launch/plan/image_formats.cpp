// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/image_formats.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "launch/plan/specialization.hpp"
#include "spirv/image_formats.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/tools.hpp"
#include "tensor/format.hpp"

namespace slipway::launch {
namespace {

// 0: floats, which UNORM and SNORM are for shaders; 1: unsigned; 2: signed; 3: 64-bit integers.
std::optional<int> kind_of(vk::Format format) {
  const tensor::FormatInfo* info = tensor::find_format(format);
  if (!info || info->depth || info->stencil) return std::nullopt;
  if (info->numeric != tensor::NumericFormat::Uint && info->numeric != tensor::NumericFormat::Sint) return 0;
  const bool wide = !info->packed && tensor::size_of(info->component) == 8;
  return wide ? 3 : info->numeric == tensor::NumericFormat::Uint ? 1 : 2;
}

}  // namespace

bool is_accessible_as(vk::Format declared, vk::Format image) {
  const auto a = kind_of(declared), b = kind_of(image);
  return a && a == b;
}

ImageFormats other_image_formats(const Shader& shader, std::span<const Binding> bindings, const Plan& plan) {
  ImageFormats formats;
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, shader.stage);
  for (const spirv::Binding& declared : entry->bindings) {
    const bool is_image = declared.kind == spirv::BindingKind::StorageImage;
    if (!is_image && declared.kind != spirv::BindingKind::StorageTexelBuffer &&
        declared.kind != spirv::BindingKind::UniformTexelBuffer)
      continue;
    if (!declared.image || declared.image->format == vk::Format::UNDEFINED) continue;
    std::set<vk::Format> bound;
    for (const Binding& binding : bindings) {
      if (binding.set != declared.set || binding.binding != declared.binding) continue;
      const auto* image = std::get_if<Image>(&plan.resources[binding.resource].kind);
      bound.insert(is_image && image ? image->format : binding.texels);
    }
    bound.erase(vk::Format::UNDEFINED);
    // The elements of an array may differ.
    if (bound.size() > 1) {
      formats[declared.variable] = vk::Format::UNDEFINED;
    } else if (!bound.empty() && *bound.begin() != declared.image->format) {
      formats[declared.variable] = *bound.begin();
    }
  }
  return formats;
}

Result<Shader> with_image_formats(const Shader& shader, const ImageFormats& formats) {
  SLIPWAY_TRY(const spirv::Module module, spirv::read_module(spirv::Words(*shader.spirv), shader.name));
  spirv::Words words = spirv::with_image_formats(module, formats);
  SLIPWAY_TRY_VOID(spirv::validate(words, shader.name));
  SLIPWAY_TRY(const spirv::Module made, spirv::read_module(std::move(words), shader.name));
  SLIPWAY_TRY(spirv::Reflection reflection, spirv::reflect(made, values_of(shader.specializations)));
  Shader result = shader;
  result.spirv = std::make_shared<const spirv::Words>(std::from_range, made.words());
  result.reflection = std::make_shared<const spirv::Reflection>(std::move(reflection));
  return result;
}

std::string key_of(const ImageFormats& formats) {
  std::string text;
  for (const auto& [variable, format] : formats) text += formatted(" image {} {}", variable, vk::name_of(format));
  return text;
}

}  // namespace slipway::launch
