// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/emit_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/format.hpp"

namespace slipway::rpl {
namespace {

// The reserved words of C++17 to C++26, sorted.
constexpr auto kCppWords = std::to_array<std::string_view>({"NULL",
                                                            "alignas",
                                                            "alignof",
                                                            "and",
                                                            "and_eq",
                                                            "asm",
                                                            "assert",
                                                            "auto",
                                                            "bitand",
                                                            "bitor",
                                                            "bool",
                                                            "break",
                                                            "case",
                                                            "catch",
                                                            "char",
                                                            "char16_t",
                                                            "char32_t",
                                                            "char8_t",
                                                            "class",
                                                            "co_await",
                                                            "co_return",
                                                            "co_yield",
                                                            "compl",
                                                            "concept",
                                                            "const",
                                                            "const_cast",
                                                            "consteval",
                                                            "constexpr",
                                                            "constinit",
                                                            "continue",
                                                            "contract_assert",
                                                            "decltype",
                                                            "default",
                                                            "delete",
                                                            "do",
                                                            "double",
                                                            "dynamic_cast",
                                                            "else",
                                                            "enum",
                                                            "explicit",
                                                            "export",
                                                            "extern",
                                                            "false",
                                                            "float",
                                                            "for",
                                                            "friend",
                                                            "goto",
                                                            "if",
                                                            "inline",
                                                            "int",
                                                            "long",
                                                            "mutable",
                                                            "namespace",
                                                            "new",
                                                            "noexcept",
                                                            "not",
                                                            "not_eq",
                                                            "nullptr",
                                                            "offsetof",
                                                            "operator",
                                                            "or",
                                                            "or_eq",
                                                            "private",
                                                            "protected",
                                                            "public",
                                                            "register",
                                                            "reinterpret_cast",
                                                            "requires",
                                                            "return",
                                                            "short",
                                                            "signed",
                                                            "sizeof",
                                                            "static",
                                                            "static_assert",
                                                            "static_cast",
                                                            "std",
                                                            "struct",
                                                            "switch",
                                                            "template",
                                                            "this",
                                                            "thread_local",
                                                            "throw",
                                                            "true",
                                                            "try",
                                                            "typedef",
                                                            "typeid",
                                                            "typename",
                                                            "union",
                                                            "unsigned",
                                                            "using",
                                                            "virtual",
                                                            "void",
                                                            "volatile",
                                                            "wchar_t",
                                                            "while",
                                                            "xor",
                                                            "xor_eq"});
static_assert(std::ranges::is_sorted(kCppWords));

// <cstdint> and <cstddef> define such macros: INT32_MAX, SIZE_MAX, UINT64_C.
bool looks_like_macro(std::string_view name) {
  return name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_C") || name.ends_with("_WIDTH");
}

// The names of one C++ scope.
class Scope {
 public:
  std::string add(std::string_view wanted) {
    std::string name(wanted);
    if (std::ranges::binary_search(kCppWords, wanted) || looks_like_macro(wanted)) name += '_';
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

 private:
  std::set<std::string, std::less<>> taken_;
};

// Writes the members of one struct; offsets and sizes in bytes.
class StructWriter {
 public:
  // `declaration`: the text before and after the member's name, "float" and "[4]".
  void member(std::string_view name, std::string_view type, std::string_view dimensions, std::uint32_t offset,
              std::uint64_t size) {
    pad_to(offset);
    const std::string member = scope_.add(name);
    members_ += formatted("  {} {}{};\n", type, member, dimensions);
    offsets_.push_back({member, offset});
    end_ = offset + size;
  }
  void pad_to(std::uint64_t offset) {
    if (offset > end_) paddings_.push_back({members_.size(), offset - end_});
    end_ = std::max(end_, offset);
  }
  std::string text(std::string_view name) {
    // Padding is named last, so that it does not change the name of a member.
    std::string body;
    std::size_t at = 0;
    for (std::size_t i = 0; i < paddings_.size(); ++i) {
      body += members_.substr(at, paddings_[i].at - at);
      body += formatted("  unsigned char {}[{}];\n", scope_.add(formatted("_pad{}", i)), paddings_[i].size);
      at = paddings_[i].at;
    }
    body += members_.substr(at);
    std::string out =
        formatted("struct {} {{\n{}}};\nstatic_assert(sizeof({}) == {}, \"size\");\n", name, body, name, end_);
    for (const auto& [member, offset] : offsets_) {
      out += formatted("static_assert(offsetof({}, {}) == {}, \"offset\");\n", name, member, offset);
    }
    return out + "\n";
  }

 private:
  struct Padding {
    std::size_t at;  // in members_
    std::uint64_t size;
  };
  struct Offset {
    std::string member;
    std::uint32_t offset;
  };
  Scope scope_;
  std::string members_;
  std::vector<Padding> paddings_;
  std::vector<Offset> offsets_;
  std::uint64_t end_ = 0;
};

class HeaderWriter {
 public:
  HeaderWriter(const Resolved& resolved, std::string_view name_space)
      : resolved_(resolved), program_(*resolved.program), name_space_(name_space) {}

  std::string write() {
    find_used_structs();
    for (std::uint32_t i = 0; i < resolved_.structs.size(); ++i) {
      if (used_[i]) write_struct(i);
    }
    for (const Buffer& buffer : resolved_.buffers) {
      if (buffer.kind != ItemKind::WorkgroupBuffer) write_buffer(buffer);
    }
    for (const Container& container : resolved_.containers) {
      if (is_attributes(container)) write_source(container);
    }
    write_constants();
    std::string sources;
    for (const ProgramSource& source : program_.sources) {
      sources += formatted("{}{}", sources.empty() ? "" : ", ", one_line(source.text->name()));
    }
    return formatted(
        "// The memory layouts of {}, made by `slipway compile --header`.\n#pragma once\n\n#include <cstddef>\n"
        "#include <cstdint>\n\nnamespace {} {{\n\n{}{}\n}}  // namespace {}\n",
        sources, name_space_, structs_, constants_, name_space_);
  }

 private:
  // What a comment may hold: a file's name can contain anything.
  static std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == '\\'; }, '?');
    return text;
  }

  static bool is_attributes(const Container& container) {
    return container.kind == ItemKind::VertexContainer || container.kind == ItemKind::InstancedContainer;
  }

  // The structs of a buffer, recursively, each after those that it contains.
  void find_used_structs() {
    used_.resize(resolved_.structs.size());
    const auto use_members = [&](List members) {
      for (std::uint32_t i = 0; i < members.count; ++i) use(resolved_.members[members.first + i].type);
    };
    for (const Buffer& buffer : resolved_.buffers) {
      if (buffer.kind != ItemKind::WorkgroupBuffer) use_members(buffer.members);
    }
    for (std::size_t i = used_.size(); i-- > 0;) {
      if (used_[i]) use_members(resolved_.structs[i].members);
    }
  }
  void use(TypeId type) {
    while (resolved_.types[type].kind == TypeKind::Array || resolved_.types[type].kind == TypeKind::RuntimeArray) {
      type = resolved_.types[type].element;
    }
    if (resolved_.types[type].kind == TypeKind::Struct) used_[resolved_.types[type].index] = true;
  }

  struct Declaration {
    std::string type, dimensions;
  };

  // A type in a buffer. `owner` names the structs that are made for padded elements.
  Declaration declare(TypeId type, const std::string& owner) {
    const Type& info = resolved_.types[type];
    switch (info.kind) {
      case TypeKind::Vector:
        return {item_word(type), info.count == 1 ? "" : formatted("[{}]", info.count)};
      case TypeKind::Matrix:
        return {"float", type == kF3x3 ? "[12]" : "[16]"};
      case TypeKind::Struct:
        return {struct_name(info.index), ""};
      case TypeKind::Array: {
        Declaration element = declare(info.element, owner);
        if (info.stride != resolved_.types[info.element].size) element = {padded(info, element, owner), ""};
        return {element.type, formatted("[{}]{}", info.length, element.dimensions)};
      }
      default:
        return {"unsigned char", ""};  // nothing else has a layout
    }
  }
  static std::string item_word(TypeId type) {
    return is_float(type) ? "float" : is_unsigned(type) ? "std::uint32_t" : "std::int32_t";
  }
  // Qualified, because a member may have the name of its type.
  std::string struct_name(std::uint32_t index) const { return formatted("::{}::{}", name_space_, names_.at(index)); }

  std::string padded(const Type& array, const Declaration& element, const std::string& owner) {
    const std::string name = scope_.add(owner + "_element");
    StructWriter writer;
    writer.member("value", element.type, element.dimensions, 0, resolved_.types[array.element].size);
    writer.pad_to(array.stride);
    structs_ += writer.text(name);
    return formatted("::{}::{}", name_space_, name);
  }

  // The members up to a runtime array; returns false when there is no member before it.
  bool add_members(StructWriter& writer, List members, const std::string& owner) {
    bool any = false;
    for (std::uint32_t i = 0; i < members.count; ++i) {
      const Member& member = resolved_.members[members.first + i];
      const Type& type = resolved_.types[member.type];
      if (type.kind == TypeKind::RuntimeArray || (type.has_tail && !has_struct(type))) continue;
      const std::string name(program_.text(member.name));
      const Declaration declaration = declare(member.type, owner + "_" + name);
      writer.member(name, declaration.type, declaration.dimensions, member.offset, size_of(member.type));
      any = true;
    }
    return any;
  }
  // Whether a struct with a tail has a part before it, so that it became a C++ struct.
  bool has_struct(const Type& type) const { return type.kind == TypeKind::Struct && names_.contains(type.index); }
  // A struct with a tail ends with its last member here.
  std::uint64_t size_of(TypeId type) const {
    const Type& info = resolved_.types[type];
    if (!info.has_tail) return info.size;
    const List members = resolved_.structs[info.index].members;
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < members.count; ++i) {
      const Member& member = resolved_.members[members.first + i];
      const Type& of_member = resolved_.types[member.type];
      if (of_member.kind == TypeKind::RuntimeArray || (of_member.has_tail && !has_struct(of_member))) continue;
      end = member.offset + size_of(member.type);
    }
    return end;
  }

  void write_struct(std::uint32_t index) {
    const Struct& of = resolved_.structs[index];
    const std::string wanted(program_.text(of.name));
    StructWriter writer;
    if (!add_members(writer, of.members, wanted)) return;  // nothing but a tail
    const Type& type = resolved_.types[of.type];
    if (!type.has_tail) writer.pad_to(type.size);
    const std::string name = scope_.add(wanted);
    names_.emplace(index, name);
    structs_ += writer.text(name);
  }

  void write_buffer(const Buffer& buffer) {
    const std::string wanted(program_.text(buffer.name));
    StructWriter writer;
    if (!add_members(writer, buffer.members, wanted)) return;
    writer.pad_to(buffer.main_size);
    structs_ += writer.text(scope_.add(wanted));
  }

  void write_source(const Container& container) {
    StructWriter writer;
    for (std::uint32_t i = 0; i < container.fields.count; ++i) {
      const ContainerField& field = resolved_.container_fields[container.fields.first + i];
      const std::uint32_t items = word_count(field.type);
      writer.member(program_.text(field.name), attribute_word(field.format), items == 1 ? "" : formatted("[{}]", items),
                    field.offset, std::uint64_t{items} * byte_count(field.format));
    }
    writer.pad_to(container.block_size);
    structs_ += writer.text(scope_.add(program_.text(container.name)));
  }
  static std::string_view attribute_word(ItemFormat format) {
    switch (format) {
      case ItemFormat::Unorm8:
      case ItemFormat::Uint8:
        return "std::uint8_t";
      case ItemFormat::Snorm8:
      case ItemFormat::Sint8:
        return "std::int8_t";
      case ItemFormat::Unorm16:
      case ItemFormat::Uint16:
      case ItemFormat::Float16:
        return "std::uint16_t";
      case ItemFormat::Snorm16:
      case ItemFormat::Sint16:
        return "std::int16_t";
      case ItemFormat::Uint32:
        return "std::uint32_t";
      case ItemFormat::Sint32:
        return "std::int32_t";
      case ItemFormat::Float32:
        return "float";
    }
    return "";
  }

  void constant(std::string_view name, std::uint32_t value) {
    constants_ += formatted("inline constexpr std::uint32_t {} = {};\n", scope_.add(name), value);
  }

  void resource(NameId name, DescriptorSet set, std::uint32_t binding) {
    constant(formatted("binding_{}", program_.text(name)), binding);
    constant(formatted("set_{}_index", program_.text(name)), static_cast<std::uint32_t>(set));
  }

  void write_constants() {
    for (const Buffer& buffer : resolved_.buffers) {
      if (buffer.set != DescriptorSet::None) resource(buffer.name, buffer.set, buffer.binding);
      if (buffer.tail_item == kErrorType || buffer.kind == ItemKind::WorkgroupBuffer) continue;
      constant(formatted("{}_tail_offset", program_.text(buffer.name)), buffer.tail_offset);
      constant(formatted("{}_tail_item_size", program_.text(buffer.name)), buffer.tail_item_size);
    }
    for (const SamplerDecl& sampler : resolved_.samplers) resource(sampler.name, sampler.set, sampler.binding);
    for (const ImageDecl& image : resolved_.images) resource(image.name, image.set, image.binding);
    for (const Container& container : resolved_.containers) {
      if (is_attributes(container)) constant(formatted("binding_{}", program_.text(container.name)), container.binding);
      if (container.kind == ItemKind::StateContainer) continue;
      for (std::uint32_t i = 0; i < container.fields.count; ++i) {
        const ContainerField& field = resolved_.container_fields[container.fields.first + i];
        constant(formatted("location_{}_{}", program_.text(container.name), program_.text(field.name)), field.location);
      }
    }
    const bool push = resolved_.push_constant != kNone;
    constant("push_constant_size", push ? resolved_.buffers[resolved_.push_constant].main_size : 0);
  }

  const Resolved& resolved_;
  const Program& program_;
  std::string name_space_;
  Scope scope_;  // of the namespace
  std::vector<bool> used_;
  std::map<std::uint32_t, std::string> names_;  // of structs that have a C++ struct
  std::string structs_, constants_;
};

}  // namespace

std::string emit_header(const Resolved& resolved, std::string_view name_space) {
  return HeaderWriter(resolved, name_space).write();
}

std::string default_header_namespace(std::string_view path) {
  std::string_view stem = path.substr(path.find_last_of('/') + 1);
  stem = stem.substr(0, stem.find_last_of('.'));
  std::string name = "rpl_";
  for (const char c : stem) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

bool is_namespace_name(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find("::");
    const std::string_view part = text.substr(0, end);
    const auto ok = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (part.empty() || std::isdigit(static_cast<unsigned char>(part.front())) != 0 || !std::ranges::all_of(part, ok) ||
        std::ranges::binary_search(kCppWords, part)) {
      return false;
    }
    if (end == text.npos) return true;
    text.remove_prefix(end + 2);
  }
}

}  // namespace slipway::rpl
