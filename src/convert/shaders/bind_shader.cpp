// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/shaders/bind_shader.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/base64.hpp"
#include "importer/emit/bound_shader.hpp"
#include "json/writer.hpp"
#include "shader/guess.hpp"
#include "spirv/reflect/reflect.hpp"
#include "tensor/element.hpp"
#include "tosa/vulkan_format.hpp"

namespace slipway::convert {
namespace {

using importer::ShaderNode;

std::string list_of(const auto& values, auto text) {
  std::string list;
  for (const auto& value : values) list += formatted("{}{}", list.empty() ? "" : ", ", text(value));
  return list;
}
std::string list_of(const tensor::Shape& shape) {
  return list_of(shape, [](std::int64_t extent) { return formatted("{}", extent); });
}
// With a point or an exponent, so that it is a float in GLSL.
std::string float_text(double value) {
  std::string text = tensor::shortest_text(static_cast<float>(value));
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

std::optional<std::string> macro_value(const importer::AttributeValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return formatted("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return float_text(*real);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
    return list_of(*list, [](std::int64_t each) { return formatted("{}", each); });
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return list_of(*list, float_text);
  return std::nullopt;
}

// ATTR_NAME for numbers and lists of numbers; INPUT_0_SHAPE, INPUT_0_RANK, INPUT_0_SIZE and so on for tensors.
std::vector<shader::Macro> macros_of(const ShaderNode& node) {
  std::vector<shader::Macro> macros;
  for (const auto& [name, value] : node.node.attributes) {
    const auto text = macro_value(value);
    const bool is_word = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (text && is_word) macros.push_back({formatted("ATTR_{}", name), *text});
  }
  const auto tensors = [&](std::string_view role, const std::vector<tosa::TensorType>& types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string prefix = formatted("{}_{}_", role, i);
      macros.push_back({prefix + "SHAPE", list_of(types[i].shape)});
      macros.push_back({prefix + "RANK", formatted("{}", types[i].shape.size())});
      macros.push_back({prefix + "SIZE", formatted("{}", tensor::element_count(types[i].shape).value_or(0))});
    }
  };
  tensors("INPUT", node.inputs);
  tensors("OUTPUT", node.outputs);
  return macros;
}

class BoundShader {
 public:
  BoundShader(SourcePtr source, shader::Guess guess, Path directory, shader::ReadFile read_file)
      : source_(std::move(source)),
        guess_(std::move(guess)),
        directory_(std::move(directory)),
        read_file_(std::move(read_file)) {}

  Result<std::string> attributes(const ShaderNode& node) const {
    SLIPWAY_TRY(shader::Compiled compiled, shader::compile(source_, guess_.language,
                                                           {.entry = guess_.entry,
                                                            .macros = macros_of(node),
                                                            .directory = directory_,
                                                            .debug_info = false,
                                                            .read_file = read_file_}));
    const std::string code = to_base64(std::as_bytes(std::span(compiled.words)));
    SLIPWAY_TRY(const spirv::Module module, spirv::read_module(std::move(compiled.words), source_->name()));
    SLIPWAY_TRY(const spirv::Reflection reflection, spirv::reflect(module));
    const auto entry = std::ranges::find(reflection.entry_points, spirv::Stage::Compute, &spirv::EntryPoint::stage);
    if (entry == reflection.entry_points.end() || !entry->local_size)
      return fail(DiagnosticKind::Unsupported, here(), "the shader is not a compute shader");
    const std::size_t tensors = node.inputs.size() + node.outputs.size();
    if (entry->bindings.size() != tensors)
      return fail(
          DiagnosticKind::BindingMismatch, here(),
          formatted("the shader has {} bindings, and `{}` has {} operands and {} results: one binding is for each, "
                    "in this order by set and number",
                    entry->bindings.size(), node.kind, node.inputs.size(), node.outputs.size()));
    if (entry->push_constants)
      return fail(DiagnosticKind::Unsupported, here(),
                  "the shader has push constants; attributes of the node are macros (`ATTR_name`)");
    for (std::size_t i = 0; i < entry->bindings.size(); ++i) {
      const spirv::Binding& binding = entry->bindings[i];
      if (binding.writes && i < node.inputs.size())
        return fail(DiagnosticKind::BindingMismatch, here(),
                    formatted("the shader writes {}, which is operand {} of `{}`; only its results may be written",
                              describe(binding), i, node.kind));
      if (binding.kind != spirv::BindingKind::StorageBuffer && binding.kind != spirv::BindingKind::Tensor)
        return fail(DiagnosticKind::Unsupported, here(),
                    formatted("{} is bound to a tensor, for which it has to be a storage buffer or a tensor",
                              describe(binding)));
    }
    return text(node, *entry, code);
  }

 private:
  SourceLocation here() const { return SourceLocation::in_file(source_->name()); }

  // Invocations for the elements of the first result: all in x, or, for a workgroup with more dimensions, its innermost
  // dimension in x, the next one in y and the others in z.
  static std::array<std::uint64_t, 3> workgroups(const ShaderNode& node, const spirv::LocalSize& local) {
    const tensor::Shape& shape = node.outputs.front().shape;
    std::array<std::uint64_t, 3> extents = {1, 1, 1};
    const bool is_flat = local[1].value == 1 && local[2].value == 1;
    for (std::size_t i = 0; i < shape.size(); ++i)
      extents[is_flat ? 0 : std::min<std::size_t>(i, 2)] *= static_cast<std::uint64_t>(shape[shape.size() - 1 - i]);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::uint64_t size = std::max<std::uint32_t>(local[d].value, 1);
      extents[d] = std::min<std::uint64_t>((extents[d] + size - 1) / size, std::numeric_limits<std::uint32_t>::max());
    }
    return extents;
  }

  static std::string text(const ShaderNode& node, const spirv::EntryPoint& entry, const std::string& code) {
    json::Writer out(0);
    out.object([&] {
      out.member("entry_point", entry.name).key("workgroup_sizes");
      out.array([&] {
        for (const std::uint64_t count : workgroups(node, *entry.local_size)) out.value(count);
      });
      out.member("shader_language", "SPIR-V").member("shader_code", code);
      for (std::size_t i = 0; i < entry.bindings.size(); ++i) {
        const bool is_input = i < node.inputs.size();
        const std::size_t index = is_input ? i : i - node.inputs.size();
        const spirv::Binding& binding = entry.bindings[i];
        const std::string prefix = formatted("{}_{}_", is_input ? "input" : "output", index);
        out.member(prefix + "vkformat",
                   vk::name_of(tosa::tensor_format((is_input ? node.inputs : node.outputs)[index].data)))
            .member(prefix + "vkdescriptortype", vk::name_of(descriptor_type(binding.kind)))
            .member(prefix + "binding", binding.binding)
            .member(prefix + "descriptorset", binding.set);
      }
    });
    return out.text();
  }

  SourcePtr source_;
  shader::Guess guess_;
  Path directory_;
  shader::ReadFile read_file_;
};

}  // namespace

std::optional<importer::ShaderOfNode> bind_shader(const Path& file, shader::ReadFile read_file,
                                                  Diagnostics& diagnostics) {
  protect_input(file);
  const auto mapped = diagnostics.take(map_file(file));
  if (!mapped) return std::nullopt;
  auto guess = shader::guess(file, mapped->bytes());
  if (!guess) {
    diagnostics.error(DiagnosticKind::NotRecognised, SourceLocation::in_file(file.string()),
                      "the file is not a shader: GLSL, HLSL, SPIR-V or its assembly");
    return std::nullopt;
  }
  auto bound = std::make_shared<const BoundShader>(make_source(file.string(), std::string(text_of(mapped->bytes()))),
                                                   std::move(*guess), directory_of(file), std::move(read_file));
  return [bound](const ShaderNode& node) { return bound->attributes(node); };
}

}  // namespace slipway::convert
