// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/vgf.hpp"

namespace slipway::vgf {

std::string_view name_of(ModuleKind kind) { return kind == ModuleKind::Graph ? "GRAPH" : "COMPUTE"; }

std::string_view name_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::None:
      return "None";
    case CodeKind::Spirv:
      return "SPIR-V";
    case CodeKind::Glsl:
      return "GLSL";
    case CodeKind::Hlsl:
      return "HLSL";
  }
  return "None";
}

std::string_view name_of(Category category) {
  switch (category) {
    case Category::Input:
      return "INPUT";
    case Category::Output:
      return "OUTPUT";
    case Category::Intermediate:
      return "INTERMEDIATE";
    case Category::Constant:
      return "CONSTANT";
  }
  return "INPUT";
}

std::string_view input_name(const File& file, std::size_t index) {
  if (file.input_names.size() == file.inputs.size()) return file.input_names[index];
  // More names than slots: unused arguments were dropped, and the logical binding identifies the remaining ones.
  const std::uint32_t argument = file.inputs[index].binding;
  if (file.input_names.size() > file.inputs.size() && argument < file.input_names.size())
    return file.input_names[argument];
  return {};
}

std::string_view output_name(const File& file, std::size_t index) {
  return file.output_names.size() == file.outputs.size() ? file.output_names[index] : std::string_view{};
}

bool is_vgf(Bytes bytes) {
  const std::string_view start = text_of(bytes.first(std::min<std::size_t>(bytes.size(), 4)));
  return start == kMagic || start == kOldMagic;
}

}  // namespace slipway::vgf
