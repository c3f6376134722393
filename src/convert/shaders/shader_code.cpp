// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/shaders/shader_code.hpp"

#include <algorithm>
#include <cstring>

#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "base/text/base64.hpp"
#include "shader/compile.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::convert {
namespace {

class Builder {
 public:
  Builder(const ShaderOperator& shader, const tosa::Graph& graph, const tosa::Node& node,
          const ShaderCodeOptions& settings, Diagnostics& diagnostics)
      : shader_(shader), graph_(graph), node_(node), settings_(settings), diagnostics_(diagnostics) {}

  std::optional<ShaderModule> run() {
    ShaderModule made;
    const std::size_t before = diagnostics_.errors();
    switch (language()) {
      case ShaderLanguage::Glsl:
      case ShaderLanguage::Hlsl:
        text(made);
        break;
      default:
        binary(made);
    }
    if (diagnostics_.errors() != before) return std::nullopt;
    return made;
  }

 private:
  Diagnostic& add(Severity severity, DiagnosticKind kind, std::string_view key, const std::string& message) {
    Diagnostic diagnostic{.severity = severity,
                          .kind = kind,
                          .message = formatted("shader operator `{}`: {}", shader_.name, message),
                          .location = node_.location};
    return diagnostics_.add(std::move(diagnostic)).at(formatted("implementation_attrs/{}", key));
  }
  Diagnostic& error(DiagnosticKind kind, const std::string& message, std::string_view key = "shader_code") {
    return add(Severity::Error, kind, key, message);
  }
  Diagnostic& warning(DiagnosticKind kind, const std::string& message, std::string_view key = "shader_code") {
    return add(Severity::Warning, kind, key, message);
  }

  // Code without a language is SPIR-V if it looks like SPIR-V, otherwise GLSL.
  ShaderLanguage language() {
    if (shader_.language != ShaderLanguage::Unset || shader_.is_placeholder()) return shader_.language;
    const auto bytes = from_base64(shader_.code);
    const bool spirv = bytes && spirv::is_spirv(*bytes);
    warning(DiagnosticKind::DeprecatedForm,
            formatted("`shader_language` is missing; the code is taken as {}", spirv ? "SPIR-V" : "GLSL"),
            "shader_language");
    return spirv ? ShaderLanguage::Spirv : ShaderLanguage::Glsl;
  }

  // --- text ---

  void text(ShaderModule& made) {
    const bool glsl = shader_.language != ShaderLanguage::Hlsl;  // unset and unlike SPIR-V: GLSL
    made.kind = glsl ? vgf::CodeKind::Glsl : vgf::CodeKind::Hlsl;
    if (shader_.is_placeholder()) return;
    if (settings_.keep_source && settings_.check != ShaderCheck::Full) {
      made.text = shader_.code;
      return;
    }
    auto compiled = compile(glsl ? shader::Language::Glsl : shader::Language::Hlsl);
    if (!compiled) return;
    if (settings_.keep_source) {
      made.text = shader_.code;
      return;
    }
    made.kind = vgf::CodeKind::Spirv;
    made.words = std::move(*compiled);
  }

  std::optional<spirv::Words> compile(shader::Language language) {
    const SourcePtr source = make_source(
        formatted("{}.{}", shader_.name, language == shader::Language::Glsl ? "glsl" : "hlsl"), shader_.code);
    shader::Options options;
    // GLSL only has `main`; it is renamed below.
    options.entry = language == shader::Language::Glsl ? "main" : shader_.entry_point;
    options.debug_info = settings_.debug_info;
    options.read_file = [](const Path& path) -> Result<std::string> {
      return fail(DiagnosticKind::FileNotFound, {},
                  formatted("a shader operator cannot include files, but this one includes {}", path.string()));
    };
    auto compiled = shader::compile(source, language, options);
    const auto add_noted = [&](Diagnostic diagnostic) { diagnosed(diagnostics_.add(std::move(diagnostic))); };
    if (!compiled) {
      for (Diagnostic& problem : compiled.error()) add_noted(std::move(problem));
      return std::nullopt;
    }
    for (Diagnostic& problem : compiled->warnings) add_noted(std::move(problem));
    spirv::Words words = std::move(compiled->words);
    if (options.entry != shader_.entry_point) words = renamed(words);
    if (!interface(words)) return std::nullopt;
    return words;
  }

  void diagnosed(Diagnostic& problem) {
    problem.note(formatted("in shader operator `{}`; if the language or an extension is not supported, SPIR-V can be "
                           "given instead",
                           shader_.name),
                 node_.location);
  }

  // The only entry point gets the name from the attributes.
  spirv::Words renamed(const spirv::Words& words) const {
    const auto module = spirv::read_module(words, shader_.name);
    if (!module) return words;
    spirv::Words out(words.begin(), words.begin() + spirv::kHeaderWords);
    for (const spirv::Instruction& instruction : module->instructions()) {
      const auto begin = words.begin() + instruction.offset;
      if (instruction.op != spv::Op::OpEntryPoint) {
        out.insert(out.end(), begin, begin + 1 + static_cast<std::ptrdiff_t>(instruction.operands.size()));
        continue;
      }
      const std::size_t old_words = spirv::string_words(instruction.string(2));
      const std::size_t new_words = spirv::string_words(shader_.entry_point);
      const std::size_t size = 1 + instruction.operands.size() - old_words + new_words;
      out.push_back(static_cast<std::uint32_t>(size) << 16 | static_cast<std::uint32_t>(spv::Op::OpEntryPoint));
      out.insert(out.end(), instruction.operands.begin(), instruction.operands.begin() + 2);
      const std::size_t at = out.size();
      out.resize(at + new_words);
      std::ranges::copy(shader_.entry_point, reinterpret_cast<char*>(out.data() + at));
      out.insert(out.end(), instruction.operands.begin() + 2 + static_cast<std::ptrdiff_t>(old_words),
                 instruction.operands.end());
    }
    return out;
  }

  // --- SPIR-V ---

  void binary(ShaderModule& made) {
    if (shader_.is_placeholder()) return;
    const auto bytes = from_base64(shader_.code);
    if (!bytes || bytes->size() % 4 != 0 || bytes->empty()) {
      error(DiagnosticKind::FileFormat,
            bytes ? formatted("the SPIR-V is {} bytes; the size must be a multiple of 4", bytes->size())
                  : "the code is not base64 (standard alphabet, padded, without blanks)");
      return;
    }
    made.words.resize(bytes->size() / 4);
    std::memcpy(made.words.data(), bytes->data(), bytes->size());
    if (settings_.check == ShaderCheck::Off) return;
    if (made.words[0] != spv::MagicNumber) {
      error(DiagnosticKind::FileFormat, spirv::is_spirv(*bytes) ? "big-endian SPIR-V is not supported"
                                                                : "the code is not SPIR-V: wrong magic number");
    } else if (settings_.check == ShaderCheck::Magic) {
      warning(DiagnosticKind::FileFormat, "the SPIR-V is not checked beyond its first word");
    } else {
      interface(made.words);
    }
  }

  // --- the interface ---

  bool interface(const spirv::Words& words) {
    const std::size_t before = diagnostics_.errors();
    const auto module = spirv::read_module(words, shader_.name);
    const auto reflection = module ? spirv::reflect(*module) : Result<spirv::Reflection>();
    if (!module || !reflection) {
      for (const Diagnostic& problem : module ? reflection.error() : module.error())
        error(DiagnosticKind::FileFormat, "the SPIR-V is not valid: " + problem.message);
      return false;
    }
    const spirv::EntryPoint* entry = reflection->find(shader_.entry_point, spirv::Stage::Compute);
    if (!entry) {
      std::string names;
      for (const spirv::EntryPoint& each : reflection->entry_points)
        names += formatted("{}`{}` ({})", names.empty() ? "" : ", ", each.name, name_of(each.stage));
      error(DiagnosticKind::UnknownReference,
            formatted("the shader has no compute entry point `{}`; it has {}", shader_.entry_point,
                      names.empty() ? "none" : names),
            "entry_point");
      return false;
    }
    resources(*entry);
    push_constants(*entry);
    return diagnostics_.errors() == before;
  }

  struct Declared {
    const ShaderBinding* binding;
    tosa::ValueId value;
    std::string key;
    bool is_input;
    bool used = false;
  };

  std::vector<Declared> declared() const {
    std::vector<Declared> all;
    for (std::size_t i = 0; i < shader_.inputs.size(); ++i)
      all.push_back({&shader_.inputs[i], node_.inputs[i], formatted("input_{}_binding", i), true});
    for (std::size_t i = 0; i < shader_.outputs.size(); ++i)
      all.push_back({&shader_.outputs[i], node_.outputs[i], formatted("output_{}_binding", i), false});
    return all;
  }

  void resources(const spirv::EntryPoint& entry) {
    std::vector<Declared> all = declared();
    for (const spirv::Binding& binding : entry.bindings) {
      if (!binding.used) continue;
      const auto found = std::ranges::find_if(all, [&](const Declared& each) {
        return each.binding->set == binding.set && each.binding->binding == binding.binding;
      });
      if (found == all.end()) {
        error(DiagnosticKind::BindingMismatch,
              formatted("the shader uses {} `{}` at set {} binding {}, which no input or output has",
                        name_of(binding.kind), binding.name, binding.set, binding.binding));
        continue;
      }
      found->used = true;
      if (binding.count != 1) {
        error(
            DiagnosticKind::Unsupported,
            formatted("`{}` at set {} binding {} is an array of resources", binding.name, binding.set, binding.binding),
            found->key);
      } else if (spirv::descriptor_type(binding.kind) != found->binding->type) {
        error(DiagnosticKind::BindingMismatch,
              formatted("`{}` at set {} binding {} is a {}, and the operator has {}", binding.name, binding.set,
                        binding.binding, name_of(binding.kind), vk::name_of(found->binding->type)),
              found->key);
      } else if (binding.tensor) {
        tensor(binding, *found);
      }
      if (binding.writes && found->is_input)
        warning(DiagnosticKind::BindingMismatch,
                formatted("the shader writes `{}` at set {} binding {}, which is an input of the operator",
                          binding.name, binding.set, binding.binding),
                found->key)
            .as_rule();
    }
    for (const Declared& each : all) {
      if (each.used) continue;
      warning(DiagnosticKind::UnusedResource,
              formatted("the shader does not use set {} binding {}", each.binding->set, each.binding->binding),
              each.key);
    }
  }

  void tensor(const spirv::Binding& binding, const Declared& at) {
    const tosa::TensorType& type = graph_[at.value].type;
    const std::size_t rank = std::max<std::size_t>(type.shape.size(), 1);
    const spirv::TensorType& in_shader = *binding.tensor;
    if (tensor::size_of(in_shader.element) != tensor::size_of(tosa::storage_of(type.data))) {
      error(DiagnosticKind::TypeMismatch,
            formatted("tensor `{}` of the shader has elements of {}, and the operator's is {}", binding.name,
                      tensor::name_of(in_shader.element), text_of(type)),
            at.key);
    }
    const tensor::Shape shape(in_shader.shape.begin(), in_shader.shape.end());
    const bool differs = !shape.empty() && type.is_static() && !type.shape.empty() && shape != type.shape;
    if ((in_shader.rank && *in_shader.rank != rank) || differs) {
      error(DiagnosticKind::ShapeMismatch,
            formatted("tensor `{}` of the shader has {}, and the operator's is {}", binding.name,
                      shape.empty() ? formatted("rank {}", *in_shader.rank)
                                    : formatted("the shape {}", tensor::shape_text(shape)),
                      text_of(type)),
            at.key);
    }
  }

  void push_constants(const spirv::EntryPoint& entry) {
    const std::uint64_t size = entry.push_constants ? entry.push_constants->size : 0;
    if (size != 0 && shader_.push_constant_bytes == 0) {
      error(DiagnosticKind::BindingMismatch,
            formatted("the shader has {} bytes of push constants, but the operator has none", size), "push_constants");
    } else if (size > shader_.push_constant_bytes) {
      error(DiagnosticKind::BindingMismatch,
            formatted("the shader has {} bytes of push constants, and the operator {}", size,
                      shader_.push_constant_bytes),
            "push_constants");
    } else if (size == 0 && shader_.push_constant_bytes != 0) {
      warning(DiagnosticKind::UnusedResource, "the shader has no push constants", "push_constants");
    }
  }

  const ShaderOperator& shader_;
  const tosa::Graph& graph_;
  const tosa::Node& node_;
  const ShaderCodeOptions& settings_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<ShaderModule> build_shader(const ShaderOperator& shader, const tosa::Graph& graph, const tosa::Node& node,
                                         const ShaderCodeOptions& settings, Diagnostics& diagnostics) {
  return Builder(shader, graph, node, settings, diagnostics).run();
}

}  // namespace slipway::convert
