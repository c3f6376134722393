// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/shaders/shader_operator.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "json/document.hpp"
#include "tensor/format.hpp"

namespace slipway::convert {
namespace {

using json::Type;

constexpr int kMaxNesting = 64;
constexpr std::uint32_t kSurePushConstants = 128, kMaxPushConstants = 256;

// Whether the text is nested deeper than any valid attributes; strings are skipped.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxNesting) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The descriptor types that operands may have, and the value of `_type` for each.
struct KnownType {
  vk::DescriptorType type;
  std::string_view word;
};
constexpr KnownType kTypes[] = {
    {vk::DescriptorType::STORAGE_BUFFER, "Buffer"},
    {vk::DescriptorType::UNIFORM_BUFFER, "Buffer"},
    {vk::DescriptorType::STORAGE_IMAGE, "Image"},
    {vk::DescriptorType::SAMPLED_IMAGE, "Image"},
    {vk::DescriptorType::COMBINED_IMAGE_SAMPLER, "Image"},
    {vk::DescriptorType::SAMPLER, ""},
    {vk::DescriptorType::UNIFORM_TEXEL_BUFFER, "Buffer"},
    {vk::DescriptorType::STORAGE_TEXEL_BUFFER, "Buffer"},
    {vk::DescriptorType::TENSOR_ARM, "Tensor"},
};

// Reads one object of the attributes.
class Reader {
 public:
  Reader(const tosa::Graph& graph, const tosa::Node& node, Diagnostics& diagnostics)
      : graph_(graph), node_(node), diagnostics_(diagnostics) {}

  std::optional<ShaderOperator> run() {
    const std::size_t before = diagnostics_.errors();
    const std::string& text = node_.custom->attributes;
    if (nests_too_deep(text)) {
      error(DiagnosticKind::JsonSyntax, "", formatted("the attributes nest deeper than {} levels", kMaxNesting));
      return std::nullopt;
    }
    auto document = json::parse(make_source("implementation_attrs", text));
    if (!document) {
      for (const Diagnostic& problem : document.error()) error(problem.kind, "", problem.message);
      return std::nullopt;
    }
    document_ = std::move(*document);
    if (document_->extension())
      error(DiagnosticKind::JsonExtension, "", "comments and trailing commas are not allowed here");
    if (!document_->root().is(Type::Object)) {
      error(DiagnosticKind::WrongType, "",
            formatted("the attributes are {} instead of an object", json::name_of(document_->root().type())));
      return std::nullopt;
    }
    keys();
    whole();
    tensors("input", node_.inputs, made_.inputs);
    tensors("output", node_.outputs, made_.outputs);
    bindings();
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(made_);
  }

 private:
  Diagnostic& add(Severity severity, DiagnosticKind kind, std::string_view key, std::string text) {
    Diagnostic diagnostic{.severity = severity,
                          .kind = kind,
                          .message = formatted("shader operator `{}`: {}", node_.custom->name, text),
                          .location = node_.location};
    diagnostic.at(key.empty() ? "implementation_attrs" : formatted("implementation_attrs/{}", key));
    return diagnostics_.add(std::move(diagnostic));
  }
  Diagnostic& error(DiagnosticKind kind, std::string_view key, std::string text) {
    return add(Severity::Error, kind, key, std::move(text));
  }
  Diagnostic& warning(DiagnosticKind kind, std::string_view key, std::string text) {
    return add(Severity::Warning, kind, key, std::move(text));
  }

  // --- reading members ---

  // A JSON null counts as absent.
  json::Value member(std::string_view key) const {
    const json::Value value = document_->root()[key];
    return value && value.is(Type::Null) ? json::Value() : value;
  }

  json::Value required(const std::string& key, Type type) {
    const json::Value value = member(key);
    if (!value) {
      error(DiagnosticKind::MissingKey, key, formatted("`{}` is missing", key));
      return {};
    }
    return of_type(key, value, type);
  }

  json::Value of_type(const std::string& key, json::Value value, Type type) {
    if (!value || value.is(type)) return value;
    error(DiagnosticKind::WrongType, key,
          formatted("`{}` is {} instead of {}", key, json::name_of(value.type()), json::name_of(type)));
    return {};
  }

  std::string optional_text(const std::string& key) {
    const json::Value value = of_type(key, member(key), Type::String);
    return value ? value.string() : std::string();
  }

  // A name of a Vulkan enumerant.
  template <class E>
  std::optional<E> name(const std::string& key, json::Value value, std::string_view what) {
    if (!value) return std::nullopt;
    if (const auto known = vk::from_name<E>(value.string())) return known;
    std::vector<std::string_view> names;
    for (const vk::EnumName& each : vk::names<E>()) names.push_back(each.name);
    Diagnostic& problem =
        error(DiagnosticKind::UnknownValue, key, formatted("`{}` is not a known {}", value.string(), what));
    if (const auto near = closest(value.string(), names)) problem.hint(formatted("did you mean `{}`?", *near));
    return std::nullopt;
  }

  std::uint32_t number(const std::string& key, std::uint64_t most) {
    const json::Value value = required(key, Type::Number);
    if (!value) return 0;
    const auto integer = value.integer();
    if (integer && *integer >= 0 && static_cast<std::uint64_t>(*integer) <= most)
      return static_cast<std::uint32_t>(*integer);
    error(DiagnosticKind::OutOfRange, key,
          formatted("`{}` is {}; it must be a whole number from 0 to {}", key, value.number_text(), most));
    return 0;
  }

  // --- the parts ---

  // Reports duplicate keys and indices without a tensor.
  void keys() {
    std::set<std::string_view> seen;
    for (const json::Value value : document_->root()) {
      const std::string& key = value.key();
      if (!seen.insert(key).second) error(DiagnosticKind::DuplicateKey, key, formatted("`{}` appears twice", key));
      for (const auto& [prefix, count] : {std::pair<std::string_view, std::size_t>{"input_", node_.inputs.size()},
                                          {"output_", node_.outputs.size()}}) {
        if (!key.starts_with(prefix)) continue;
        const std::string_view rest = std::string_view(key).substr(prefix.size());
        const std::string_view digits = rest.substr(0, rest.find('_'));
        std::size_t position = 0;
        const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
        if (end != digits.data() + digits.size() || digits.empty() || digits.size() == rest.size()) continue;
        if (failed == std::errc() && position < count) continue;
        warning(DiagnosticKind::UnknownKey, key,
                formatted("`{}` is for tensor {}, and the operator has {}", key, digits, count));
      }
    }
  }

  void whole() {
    made_.name = node_.custom->name;
    if (const json::Value value = required("entry_point", Type::String)) made_.entry_point = value.string();
    if (made_.entry_point.contains('\0') ||
        (member("entry_point") && made_.entry_point.empty() && member("entry_point").is(Type::String)))
      error(DiagnosticKind::OutOfRange, "entry_point", "`entry_point` is empty or contains NUL");
    workgroups();
    language();
    push_constants();
  }

  void workgroups() {
    const json::Value sizes = required("workgroup_sizes", Type::Array);
    if (!sizes) return;
    if (sizes.size() != 3) {
      error(DiagnosticKind::OutOfRange, "workgroup_sizes",
            formatted("`workgroup_sizes` has {} numbers instead of 3", sizes.size()));
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const auto count = sizes[i].is(Type::Number) ? sizes[i].integer() : std::nullopt;
      if (count && *count >= 1 && *count <= std::numeric_limits<std::uint32_t>::max()) {
        made_.workgroups[i] = static_cast<std::uint32_t>(*count);
        continue;
      }
      error(DiagnosticKind::OutOfRange, formatted("workgroup_sizes/{}", i),
            formatted("`workgroup_sizes` has {}; each is a whole number from 1 to 2^32-1", sizes[i].text()));
    }
  }

  void language() {
    const std::string word = optional_text("shader_language");
    made_.code = optional_text("shader_code");
    if (word == "SPIR-V") made_.language = ShaderLanguage::Spirv;
    if (word == "GLSL") made_.language = ShaderLanguage::Glsl;
    if (word == "HLSL") made_.language = ShaderLanguage::Hlsl;
    if (made_.language == ShaderLanguage::Unset && !word.empty()) {
      error(DiagnosticKind::UnknownValue, "shader_language",
            formatted("unknown shader language `{}`; accepted are SPIR-V, GLSL and HLSL", word));
    } else if (!word.empty() && !member("shader_code")) {
      error(DiagnosticKind::ConflictingKeys, "shader_language",
            "shader_language and shader_code must both be set or both be unset");
    }
    if (made_.code.contains('\0'))
      error(DiagnosticKind::OutOfRange, "shader_code", "`shader_code` contains a NUL character");
  }

  void push_constants() {
    std::string problem;
    auto parsed = parse_push_constants(optional_text("push_constants"), problem);
    if (!parsed) {
      error(DiagnosticKind::OutOfRange, "push_constants", std::move(problem));
      return;
    }
    made_.push_constants = std::move(*parsed);
    if (made_.push_constants.empty()) return;
    const PushConstant& last = made_.push_constants.back();
    made_.push_constant_bytes = (last.offset + last.size + 3) / 4 * 4;
    if (made_.push_constant_bytes > kMaxPushConstants) {
      error(DiagnosticKind::OutOfRange, "push_constants",
            formatted("the push constants take {} bytes; at most {} are possible", made_.push_constant_bytes,
                      kMaxPushConstants));
    } else if (made_.push_constant_bytes > kSurePushConstants) {
      warning(DiagnosticKind::NotPortable, "push_constants",
              formatted("the push constants take {} bytes; every device has {}", made_.push_constant_bytes,
                        kSurePushConstants));
    }
  }

  void tensors(std::string_view kind, std::span<const tosa::ValueId> values, std::vector<ShaderBinding>& to) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string prefix = formatted("{}_{}_", kind, i);
      to.push_back(tensor(prefix, graph_[values[i]].type));
    }
  }

  ShaderBinding tensor(const std::string& prefix, const tosa::TensorType& of) {
    ShaderBinding made;
    const std::string format_key = prefix + "vkformat";
    const auto format = name<vk::Format>(format_key, required(format_key, Type::String), "format");
    if (format) made.format = *format;
    const auto type = descriptor_type(prefix + "vkdescriptortype");
    if (type) made.type = *type;
    made.binding = number(prefix + "binding", std::numeric_limits<std::uint32_t>::max());
    made.set = number(prefix + "descriptorset", std::numeric_limits<std::uint32_t>::max() - 1);
    made.sampler = sampler(prefix + "sampler");
    if (!type) return made;
    kind_word(prefix + "type", *type);
    if (*type == vk::DescriptorType::COMBINED_IMAGE_SAMPLER && !made.sampler) {
      warning(DiagnosticKind::MissingKey, prefix + "sampler",
              formatted("`{}sampler` is missing; not every runtime makes up a sampler", prefix));
    }
    if (format) layout(format_key, *format, *type, of);
    return made;
  }

  std::optional<vk::DescriptorType> descriptor_type(const std::string& key) {
    const json::Value value = required(key, Type::String);
    if (!value) return std::nullopt;
    if (value.string() == "VK_DESCRIPTOR_TYPE_STORAGE_TENSOR_EXT") {
      warning(DiagnosticKind::DeprecatedForm, key,
              "`VK_DESCRIPTOR_TYPE_STORAGE_TENSOR_EXT` is taken as "
              "`VK_DESCRIPTOR_TYPE_TENSOR_ARM`");
      return vk::DescriptorType::TENSOR_ARM;
    }
    const auto type = name<vk::DescriptorType>(key, value, "descriptor type");
    if (!type || std::ranges::contains(kTypes, *type, &KnownType::type)) return type;
    error(DiagnosticKind::Unsupported, key,
          formatted("a shader operator cannot have a tensor as `{}`", value.string()));
    return std::nullopt;
  }

  // `_type` has no effect, but must not contradict the descriptor type.
  void kind_word(const std::string& key, vk::DescriptorType type) {
    const std::string word = optional_text(key);
    if (word.empty()) return;
    const std::string_view expected = std::ranges::find(kTypes, type, &KnownType::type)->word;
    const bool known = std::ranges::any_of(std::array<std::string_view, 3>{"Tensor", "Image", "Buffer"},
                                           [&](std::string_view each) { return equal_in_any_case(each, word); });
    if (!known) {
      error(DiagnosticKind::UnknownValue, key,
            formatted("`{}` is `{}`; it is one of Tensor, Image, Buffer", key, word));
    } else if (!equal_in_any_case(word, expected)) {
      warning(DiagnosticKind::ConflictingKeys, key,
              formatted("`{}` is `{}`, and the descriptor type is {}", key, word, vk::name_of(type)));
    }
  }

  std::optional<vgf::Sampler> sampler(const std::string& key) {
    const json::Value value = document_->root()[key];
    if (!value) return std::nullopt;
    if (!of_type(key, value, Type::Object)) return std::nullopt;
    static constexpr std::array<std::string_view, 5> kKeys = {"min_filter", "mag_filter", "address_mode_u",
                                                              "address_mode_v", "border_color"};
    std::set<std::string_view> seen;
    for (const json::Value each : value) {
      const std::string path = formatted("{}/{}", key, each.key());
      if (!std::ranges::contains(kKeys, each.key()))
        error(DiagnosticKind::UnknownKey, path, formatted("a sampler has no `{}`", each.key()));
      if (!seen.insert(each.key()).second)
        error(DiagnosticKind::DuplicateKey, path, formatted("`{}` appears twice", each.key()));
    }
    vgf::Sampler made;
    const auto set = [&]<class E>(std::string_view name_of_key, E& to, std::string_view what) {
      const std::string path = formatted("{}/{}", key, name_of_key);
      const json::Value word = value[name_of_key];
      if (!word) {
        error(DiagnosticKind::MissingKey, path, formatted("`{}` of the sampler is missing", name_of_key));
      } else if (const auto known = name<E>(path, of_type(path, word, Type::String), what)) {
        to = *known;
      }
    };
    set("min_filter", made.min_filter, "filter");
    set("mag_filter", made.mag_filter, "filter");
    set("address_mode_u", made.address_mode_u, "address mode");
    set("address_mode_v", made.address_mode_v, "address mode");
    set("border_color", made.border_color, "border color");
    return made;
  }

  // Images have one component per channel, all others one component per element.
  void layout(const std::string& key, vk::Format format, vk::DescriptorType type, const tosa::TensorType& of) {
    const tensor::FormatInfo* info = tensor::find_format(format);
    if (!info || type == vk::DescriptorType::SAMPLER) return;
    const std::size_t element = tensor::size_of(tosa::storage_of(of.data));
    const std::string name_of_format = vk::name_of(format);
    if (!info->packed && tensor::size_of(info->component) != element) {
      warning(DiagnosticKind::FileMismatch, key,
              formatted("{} has components of {} bytes, and elements of {} have {}", name_of_format,
                        tensor::size_of(info->component), text_of(of), element));
    }
    const bool image = std::ranges::find(kTypes, type, &KnownType::type)->word == "Image";
    if (!image && info->components != 1) {
      warning(DiagnosticKind::FileMismatch, key,
              formatted("{} has {} components; a tensor or buffer has one", name_of_format, info->components));
    }
    if (!image) return;
    const std::size_t rank = of.shape.size();
    if ((rank == 3 || (rank == 4 && of.shape[0] == 1)) && (of.shape.back() < 0 || of.shape.back() == info->components))
      return;
    warning(DiagnosticKind::ShapeMismatch, key,
            formatted("an image of {} has the shape [H, W, {}] or [1, H, W, {}], and the tensor is {}", name_of_format,
                      info->components, info->components, text_of(of)));
  }

  // Each binding of a descriptor set holds one operand.
  void bindings() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
    const auto check = [&](std::string_view kind, const std::vector<ShaderBinding>& all) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string key = formatted("{}_{}_binding", kind, i);
        if (!member(key) || taken.insert({all[i].set, all[i].binding}).second) continue;
        error(DiagnosticKind::DuplicateName, key,
              formatted("set {} binding {} is used twice", all[i].set, all[i].binding));
      }
    };
    check("input", made_.inputs);
    check("output", made_.outputs);
  }

  const tosa::Graph& graph_;
  const tosa::Node& node_;
  Diagnostics& diagnostics_;
  std::shared_ptr<const json::Document> document_;
  ShaderOperator made_;
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_identifier(std::string_view text) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  return !text.empty() && letter(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [&](unsigned char c) { return letter(c) || std::isdigit(c); });
}

}  // namespace

std::optional<ShaderOperator> read_shader_operator(const tosa::Graph& graph, const tosa::Node& node,
                                                   Diagnostics& diagnostics) {
  return Reader(graph, node, diagnostics).run();
}

std::optional<std::vector<PushConstant>> parse_push_constants(std::string_view text, std::string& problem) {
  std::vector<PushConstant> members;
  if (trimmed(text).empty()) return members;
  std::uint32_t end = 0;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string_view name = trimmed(part.substr(0, colon));
    const std::string_view digits = trimmed(part.substr(std::min(colon + 1, part.size())));
    std::uint32_t size = 0;
    const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (!is_identifier(name) || colon == part.size() || failed == std::errc::invalid_argument ||
        rest != digits.data() + digits.size()) {
      problem = formatted("`{}` is not of the form `name: size`", trimmed(part));
      return std::nullopt;
    }
    if (failed != std::errc() || size < 1 || size > kMaxPushConstants) {
      problem = formatted("push constant `{}` has {} bytes; it is 1 to {}", name, digits, kMaxPushConstants);
      return std::nullopt;
    }
    if (std::ranges::contains(members, name, &PushConstant::name)) {
      problem = formatted("two push constants are called `{}`", name);
      return std::nullopt;
    }
    const std::uint32_t alignment = size == 1 || size == 2 || size == 4 || size == 8 ? size : size % 8 == 0 ? 16 : 4;
    const std::uint32_t offset = (end + alignment - 1) / alignment * alignment;
    members.push_back({std::string(name), offset, size});
    end = offset + size;
    if (comma == text.size()) return members;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace slipway::convert
