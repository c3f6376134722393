// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/image_formats.hpp"

#include <gtest/gtest.h>

#include "spirv/reflect/reflect.hpp"
#include "spirv/testing.hpp"
#include "spirv/tools.hpp"

namespace slipway::spirv {
namespace {

// Two images of one type and a third of another.
constexpr std::string_view kImages = R"(
%wide = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%narrow = OpTypeImage %f32 2D 0 0 0 2 Rgba16f
%wide_pointer = OpTypePointer UniformConstant %wide
%narrow_pointer = OpTypePointer UniformConstant %narrow
%a = OpVariable %wide_pointer UniformConstant
%b = OpVariable %wide_pointer UniformConstant
%c = OpVariable %narrow_pointer UniformConstant
%at = OpConstantComposite %v2u %u1 %u1
)";
constexpr std::string_view kBody = R"(
%loaded_a = OpLoad %wide %a
%loaded_b = OpLoad %wide %b
%loaded_c = OpLoad %narrow %c
%texel = OpImageRead %v4f %loaded_a %at
OpImageWrite %loaded_b %at %texel
OpImageWrite %loaded_c %at %texel
)";

// The formats of `a`, `b` and `c`, then the capabilities that were added.
std::string changed(const std::map<char, vk::Format>& formats) {
  const std::string annotations =
      "OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 1\n"
      "OpDecorate %c DescriptorSet 0\nOpDecorate %c Binding 2\n";
  const auto module =
      read_module(words_of(compute_shader(annotations, std::string(kImages), std::string(kBody), "%a %b %c")), "m")
          .value();
  std::map<Id, vk::Format> by_variable;
  for (const Binding& binding : reflect(module).value().entry_points.at(0).bindings) {
    if (const auto format = formats.find(static_cast<char>('a' + binding.binding)); format != formats.end())
      by_variable[binding.variable] = format->second;
  }
  const Words made = with_image_formats(module, by_variable);
  if (const auto valid = validate(made, "m"); !valid) return valid.error().at(0).message;
  const auto reflection = reflect(read_module(made, "m").value()).value();
  std::string text;
  for (const Binding& binding : reflection.entry_points.at(0).bindings)
    text += std::string(vk::name_of(binding.image->format)) + "\n";
  for (const auto& capability : reflection.capabilities) {
    if (capability.starts_with("StorageImage")) text += capability + "\n";
  }
  return text;
}

TEST(ImageFormats, OfTypesThatVariablesShare) {
  using enum vk::Format;
  EXPECT_EQ(changed({}),
            "VK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_R16G16B16A16_SFLOAT\n");
  // The type becomes that of `c`.
  EXPECT_EQ(changed({{'a', R16G16B16A16_SFLOAT}, {'b', R16G16B16A16_SFLOAT}}),
            "VK_FORMAT_R16G16B16A16_SFLOAT\nVK_FORMAT_R16G16B16A16_SFLOAT\nVK_FORMAT_R16G16B16A16_SFLOAT\n");
  EXPECT_EQ(changed({{'c', R16G16_SFLOAT}}),
            "VK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_R16G16_SFLOAT\n"
            "StorageImageExtendedFormats\n");
  // `a` and `b` share a type and need different formats.
  EXPECT_EQ(changed({{'a', R16G16_SFLOAT}}),
            "VK_FORMAT_UNDEFINED\nVK_FORMAT_UNDEFINED\nVK_FORMAT_R16G16B16A16_SFLOAT\n"
            "StorageImageReadWithoutFormat\nStorageImageWriteWithoutFormat\n");
  // SPIR-V has no such format.
  EXPECT_EQ(changed({{'c', B8G8R8A8_UNORM}}),
            "VK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_R32G32B32A32_SFLOAT\nVK_FORMAT_UNDEFINED\n"
            "StorageImageReadWithoutFormat\nStorageImageWriteWithoutFormat\n");
}

}  // namespace
}  // namespace slipway::spirv
