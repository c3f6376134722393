// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/print_resolved.hpp"

#include <bit>
#include <unordered_map>

#include "base/format.hpp"
#include "rpl/literals.hpp"
#include "rpl/print/print_code.hpp"

namespace slipway::rpl {
namespace {

class ResolvedPrinter {
 public:
  explicit ResolvedPrinter(const Resolved& resolved) : resolved_(resolved), program_(*resolved.program) {}

  std::vector<ResolvedModule> print() {
    index();
    std::vector<ResolvedModule> modules;
    for (const Module& module : program_.modules) {
      out_.clear();
      // The last module's settings take effect.
      if (&module == &program_.modules.back()) settings();
      for (std::uint32_t i = 0; i < module.item_count; ++i) item(module.first_item + i);
      modules.push_back({module.name, out_});
    }
    return modules;
  }

 private:
  std::string_view name(NameId id) const { return program_.text(id); }

  // The index of each item in its table.
  void index() {
    const auto add = [](auto& map, const auto& list) {
      for (std::uint32_t i = 0; i < list.size(); ++i) map.emplace(list[i].item, i);
    };
    add(structs_, resolved_.structs);
    add(containers_, resolved_.containers);
    add(buffers_, resolved_.buffers);
    add(samplers_, resolved_.samplers);
    add(images_, resolved_.images);
    add(functions_, resolved_.functions);
  }

  void item(ItemId id) {
    const auto print = [&](const auto& map, const auto& list, auto&& with) {
      if (const auto found = map.find(id); found != map.end()) with(list[found->second]);
    };
    print(structs_, resolved_.structs, [&](const Struct& of) {
      begin(formatted("struct {}", name(of.name)));
      members(of.members);
      out_ += "};\n";
    });
    print(containers_, resolved_.containers, [&](const Container& of) { container(of); });
    print(buffers_, resolved_.buffers, [&](const Buffer& of) {
      const std::string set = of.set == DescriptorSet::None ? "" : std::string(word_of(of.set)) + " ";
      begin(formatted("{}{} {}", set, word_of(of.kind), name(of.name)));
      members(of.members);
      out_ += "};\n";
    });
    print(samplers_, resolved_.samplers,
          [&](const SamplerDecl& of) { out_ += formatted("{} sampler {};\n", word_of(of.set), name(of.name)); });
    print(images_, resolved_.images, [&](const ImageDecl& of) {
      const std::string pack = of.storage ? formatted("pack ({}) ", name_of(of.format)) : "";
      const std::string type = of.has_array ? formatted("{}[{}]", builtin_type_name(of.image_type), of.array_size)
                                            : std::string(builtin_type_name(of.image_type));
      out_ += formatted("{} {}{} {};\n", word_of(of.set), pack, type, name(of.name));
    });
    print(functions_, resolved_.functions, [&](const Function& of) { function(of); });
  }

  void begin(std::string_view head) {
    out_ += formatted("{}{}\n{{\n", out_.empty() || out_.ends_with("\n\n") ? "" : "\n", head);
  }

  std::string meta(FieldId field) const {
    if (field == kNone || program_.fields[field].meta.count == 0) return "";
    const List list = program_.fields[field].meta;
    std::string text;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      text += formatted("{}{}", i == 0 ? "" : ", ", name(program_.lists[list.first + i]));
    }
    return formatted("meta ({}) ", text);
  }

  void members(List list) {
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const Member& member = resolved_.members[list.first + i];
      out_ += formatted("    {}{} {};\n", meta(member.field), resolved_.type_text(member.type), name(member.name));
    }
  }

  void container(const Container& of) {
    begin(formatted("{} {}", word_of(of.kind), name(of.name)));
    const bool attributes = of.kind == ItemKind::VertexContainer || of.kind == ItemKind::InstancedContainer;
    for (std::uint32_t i = 0; i < of.fields.count; ++i) {
      const ContainerField& field = resolved_.container_fields[of.fields.first + i];
      const bool packed = attributes && byte_count(field.format) != 4;  // without `pack` an item has 32 bits
      out_ +=
          formatted("    {}{}{} {};\n", meta(field.field), packed ? formatted("pack ({}) ", name_of(field.format)) : "",
                    builtin_type_name(field.type), name(field.name));
    }
    out_ += "};\n";
  }

  void function(const Function& of) {
    std::string arguments;
    for (std::uint32_t i = 0; i < of.arguments.count; ++i) {
      constexpr std::string_view kAccess[] = {"in", "out", "in out"};
      const Argument& argument = resolved_.arguments[of.arguments.first + i];
      arguments += formatted("{}{} {} {}", i == 0 ? "" : ", ", kAccess[static_cast<std::size_t>(argument.access)],
                             resolved_.type_text(argument.type), name(argument.name));
    }
    begin(formatted("{} {} ({})", resolved_.type_text(of.result), name(of.name),
                    of.arguments.count == 0 ? "void" : arguments));
    out_ += print_code(resolved_, of);
    out_ += "}\n";
  }

  // --- settings: those that differ from their initial values
  static std::string setting_value(const SettingInfo& info, std::uint32_t value) {
    switch (info.type) {
      case SettingType::Flag:
        return value != 0 ? "true" : "false";
      case SettingType::Uint:
        return formatted("{}u", value);
      case SettingType::Float:
        return float_literal(std::bit_cast<float>(value));
      case SettingType::Word:
        return string_literal(word_of(info.id, value).name);
    }
    return "";
  }

  void settings() {
    const SettingScope scope =
        resolved_.pipeline == PipelineKind::Graphics ? SettingScope::Graphics : SettingScope::Compute;
    for (const SettingInfo& info : setting_table()) {
      // The initial values of formats depend on other things, so formats are always printed.
      const bool is_format = info.id == Setting::depth_stencil_format;
      if (info.scope != scope || (resolved_.settings[info.id] == info.initial && !is_format)) continue;
      out_ += formatted("setting {} = {};\n", info.name, setting_value(info, resolved_.settings[info.id]));
    }
    for (std::size_t block = 0; block < resolved_.color_outputs.size(); ++block) {
      for (const SettingInfo& info : setting_table()) {
        if (info.scope != SettingScope::ColorOutput) continue;
        const std::uint32_t value = resolved_.color_outputs[block].setting(info.id);
        if (value == info.initial && info.id != Setting::color_output_format) continue;
        out_ += formatted("setting {} block {} = {};\n", info.name, block, setting_value(info, value));
      }
    }
    if (!out_.empty()) out_ += '\n';
  }

  using Indices = std::unordered_map<ItemId, std::uint32_t>;
  const Resolved& resolved_;
  const Program& program_;
  Indices structs_, containers_, buffers_, samplers_, images_, functions_;
  std::string out_;
};

}  // namespace

std::vector<ResolvedModule> print_resolved(const Resolved& resolved) { return ResolvedPrinter(resolved).print(); }

}  // namespace slipway::rpl
