// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/shaders/shader_operator.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
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

constexpr std::array<std::string_view, 3> kWords = {"Tensor", "Image", "Buffer"};

struct LanguageWord {
  std::string_view word;
  ShaderLanguage language;
};
constexpr LanguageWord kLanguages[] = {
    {"SPIR-V", ShaderLanguage::Spirv}, {"GLSL", ShaderLanguage::Glsl}, {"HLSL", ShaderLanguage::Hlsl}};

// The keys of a sampler, with the names that each accepts.
struct SamplerKey {
  std::string_view key;
  const std::vector<vk::EnumName>& (*names)();
};
constexpr std::array kSamplerKeys = {
    SamplerKey{"min_filter", vk::names<vk::Filter>},          SamplerKey{"mag_filter", vk::names<vk::Filter>},
    SamplerKey{"address_mode_u", vk::names<vk::AddressMode>}, SamplerKey{"address_mode_v", vk::names<vk::AddressMode>},
    SamplerKey{"border_color", vk::names<vk::BorderColor>},
};

constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::uint32_t>::max();

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
  Diagnostic& rule(DiagnosticKind kind, std::string_view key, std::string text) {
    return add(Severity::Warning, kind, key, std::move(text)).as_rule();
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
      if (!seen.insert(key).second) rule(DiagnosticKind::DuplicateKey, key, formatted("`{}` appears twice", key));
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
    for (const LanguageWord& known : kLanguages) {
      if (word == known.word) made_.language = known.language;
    }
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
    made.binding = number(prefix + "binding", kMaxNumber);
    made.set = number(prefix + "descriptorset", kMaxNumber - 1);
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
    const bool known =
        std::ranges::any_of(kWords, [&](std::string_view each) { return equal_in_any_case(each, word); });
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
    std::set<std::string_view> seen;
    for (const json::Value each : value) {
      const std::string path = formatted("{}/{}", key, each.key());
      if (!std::ranges::contains(kSamplerKeys, each.key(), &SamplerKey::key))
        error(DiagnosticKind::UnknownKey, path, formatted("a sampler has no `{}`", each.key()));
      if (!seen.insert(each.key()).second)
        rule(DiagnosticKind::DuplicateKey, path, formatted("`{}` appears twice", each.key()));
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
    if (type == vk::DescriptorType::SAMPLER) return;
    const bool image = std::ranges::find(kTypes, type, &KnownType::type)->word == "Image";
    if (!info) {
      if (!image && format != vk::Format::UNDEFINED) {
        rule(DiagnosticKind::FileMismatch, key,
             formatted("a tensor or buffer cannot have the format {}", vk::name_of(format)));
      }
      return;
    }
    const std::size_t element = tensor::size_of(tosa::storage_of(of.data));
    const std::string name_of_format = vk::name_of(format);
    if (!info->packed && tensor::size_of(info->component) != element) {
      warning(DiagnosticKind::FileMismatch, key,
              formatted("{} has components of {} bytes, and elements of {} have {}", name_of_format,
                        tensor::size_of(info->component), text_of(of), element));
    }
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

void write_sampler_schema(json::Writer& out) {
  out.object([&] {
    out.member("type", "object").member("additionalProperties", false);
    out.key("required").array([&] {
      for (const SamplerKey& each : kSamplerKeys) out.value(each.key);
    });
    out.key("properties").object([&] {
      for (const SamplerKey& each : kSamplerKeys) {
        out.key(each.key).object([&] {
          out.key("enum").array([&] {
            for (const vk::EnumName& name : each.names()) out.value(name.name);
          });
        });
      }
    });
  });
}

// The names of types, in any case.
std::string words_pattern() {
  std::string words;
  for (const std::string_view word : kWords) {
    words += words.empty() ? "" : "|";
    for (const char c : word) {
      const auto letter = static_cast<unsigned char>(c);
      words += formatted("[{}{}]", static_cast<char>(std::toupper(letter)), static_cast<char>(std::tolower(letter)));
    }
  }
  return formatted("^({})$", words);
}

}  // namespace

std::optional<ShaderOperator> read_shader_operator(const tosa::Graph& graph, const tosa::Node& node,
                                                   Diagnostics& diagnostics) {
  return Reader(graph, node, diagnostics).run();
}

// The keys of tensors contain their index, so that this is not a record.
std::string shader_operator_schema() {
  json::Writer out;
  const auto text_or_null = [&](std::string_view key, std::string_view pattern, std::string_view description) {
    out.key(key).object([&] {
      out.key("type").array([&] { out.value("string").value("null"); });
      if (!pattern.empty()) out.member("pattern", pattern);
      if (!description.empty()) out.member("description", description);
    });
  };
  const auto number_or_null = [&](std::string_view key, std::uint64_t most) {
    out.key(key).object([&] {
      out.key("type").array([&] { out.value("integer").value("null"); });
      out.member("minimum", 0).member("maximum", most);
    });
  };
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    out.member("title", "Attributes of a shader operator");
    out.member("description",
               "The text in `implementation_attrs` of a TOSA CUSTOM operator of the domain com.arm.VulkanCustomShader. "
               "Keys with other names are ignored.");
    out.member("type", "object");
    out.key("required").array([&] { out.value("entry_point").value("workgroup_sizes"); });
    out.key("properties").object([&] {
      out.key("entry_point").object([&] {
        out.member("type", "string").member("minLength", 1).member("description", "the compute entry point");
      });
      out.key("workgroup_sizes").object([&] {
        out.member("type", "array").member("minItems", 3).member("maxItems", 3);
        out.key("items").object(
            [&] { out.member("type", "integer").member("minimum", 1).member("maximum", kMaxNumber); });
        out.member("description", "how many workgroups are dispatched");
      });
      out.key("shader_language").object([&] {
        out.key("enum").array([&] {
          out.value("");
          for (const LanguageWord& known : kLanguages) out.value(known.word);
          out.null();
        });
        out.member("description", "of `shader_code`; detected from the code if absent");
      });
      text_or_null("shader_code", "",
                   "text, or SPIR-V in base64; none: a placeholder, whose code the application supplies");
      text_or_null("push_constants",
                   "^ *([A-Za-z_][A-Za-z0-9_]* *: *[0-9]+ *(, *[A-Za-z_][A-Za-z0-9_]* *: *[0-9]+ *)*)?$",
                   "`name: size, ...`; sizes in bytes, 1 to 256");
    });
    const auto key = [](std::string_view name) { return formatted("^(input|output)_(0|[1-9][0-9]*)_{}$", name); };
    out.key("patternProperties").object([&] {
      text_or_null(key("vkformat"), "^VK_FORMAT_[A-Z0-9_]+$", "as which format the shader sees the tensor");
      text_or_null(key("vkdescriptortype"), "^VK_DESCRIPTOR_TYPE_[A-Z0-9_]+$", "");
      number_or_null(key("binding"), kMaxNumber);
      number_or_null(key("descriptorset"), kMaxNumber - 1);
      text_or_null(key("type"), words_pattern(), "");
      out.key(key("sampler"));
      write_sampler_schema(out);
    });
  });
  return out.text();
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
