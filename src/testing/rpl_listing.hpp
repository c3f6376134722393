// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A resolved program as text: the expected output of a corpus case without errors.
//
//   attributes vertex: source 0, 16 bytes; position f3 at 0 location 0 float32, uv f2 at 12 location 1 float16
//   uniform_buffer view: set 0 binding 0, 64 bytes; projection_view f4x4 at 0
//   void main ()
//     declare i = (uint 0u)
#pragma once

#include <bit>
#include <string>

#include "base/format.hpp"
#include "rpl/resolved.hpp"

namespace slipway::testing {

class RplListing {
 public:
  explicit RplListing(const rpl::Resolved& resolved) : r_(resolved) {}

  std::string text() {
    for (const rpl::Container& container : r_.containers) list(container);
    for (const rpl::Buffer& buffer : r_.buffers) list(buffer);
    for (const rpl::SamplerDecl& sampler : r_.samplers) {
      text_ += formatted("sampler {}: set {} binding {}\n", name(sampler.name), static_cast<int>(sampler.set),
                         sampler.binding);
    }
    for (const rpl::ImageDecl& image : r_.images) {
      text_ += formatted("{} {}: set {} binding {}{}\n", r_.type_text(image.type), name(image.name),
                         static_cast<int>(image.set), image.binding,
                         image.storage ? formatted(" {}", rpl::name_of(image.format)) : "");
    }
    list_settings();
    for (const rpl::Function& function : r_.functions) list(function);
    return text_;
  }

 private:
  std::string name(rpl::NameId id) const { return std::string(r_.program->text(id)); }

  void list(const rpl::Container& container) {
    const bool attributes = container.kind <= rpl::ItemKind::InstancedContainer;
    text_ += formatted("{} {}:", rpl::word_of(container.kind), name(container.name));
    if (attributes) text_ += formatted(" source {}, {} bytes;", container.binding, container.block_size);
    for (std::uint32_t i = 0; i < container.fields.count; ++i) {
      const rpl::ContainerField& field = r_.container_fields[container.fields.first + i];
      text_ += formatted("{} {} {} location {}", i == 0 ? "" : ",", name(field.name), r_.type_text(field.type),
                         field.location);
      if (attributes) text_ += formatted(" at {} {}", field.offset, rpl::name_of(field.format));
    }
    text_ += "\n";
  }

  void list(const rpl::Buffer& buffer) {
    text_ += formatted("{} {}:", rpl::word_of(buffer.kind), name(buffer.name));
    if (buffer.set != rpl::DescriptorSet::None) {
      text_ += formatted(" set {} binding {},", static_cast<int>(buffer.set), buffer.binding);
    }
    text_ += formatted(" {} bytes", buffer.main_size);
    if (buffer.tail_item != rpl::kErrorType) {
      text_ += formatted(", tail at {} of {}", buffer.tail_offset, buffer.tail_item_size);
    }
    const char* separator = "; ";
    for (std::uint32_t i = 0; i < buffer.members.count; ++i) {
      const rpl::Member& member = r_.members[buffer.members.first + i];
      text_ += formatted("{}{} {} at {}", separator, name(member.name), r_.type_text(member.type), member.offset);
      separator = ", ";
    }
    text_ += "\n";
    list_parameters("parameters", buffer.parameters);
    list_parameters("tail", buffer.tail_parameters);
  }

  void list_parameters(std::string_view what, rpl::List parameters) {
    if (parameters.count == 0) return;
    text_ += formatted("  {}:", what);
    for (std::uint32_t i = 0; i < parameters.count; ++i) {
      const rpl::Parameter& parameter = r_.parameters[parameters.first + i];
      text_ += i == 0 ? " " : ", ";
      for (std::uint32_t part = 0; part < parameter.path.count; ++part) {
        text_ += (part == 0 ? "" : ".") + name(r_.lists[parameter.path.first + part]);
      }
      text_ += formatted(" {} at {}", r_.type_text(parameter.type), parameter.offset);
      if (parameter.dimensions.count != 0) {
        text_ += formatted(" x{} stride {}", parameter.total_item_count, parameter.array_stride);
      }
      const rpl::List meta = r_.program->fields[parameter.field].meta;
      for (std::uint32_t tag = 0; tag < meta.count; ++tag) {
        text_ += formatted(" #{}", name(r_.program->lists[meta.first + tag]));
      }
    }
    text_ += "\n";
  }

  std::string value(const rpl::SettingInfo& info, std::uint32_t bits) const {
    if (info.type == rpl::SettingType::Word) return std::string(rpl::words_of(info.words)[bits].name);
    if (info.type == rpl::SettingType::Float) return formatted("{}", std::bit_cast<float>(bits));
    return formatted("{}", bits);
  }

  // Settings that differ from their first value.
  void list_settings() {
    for (const rpl::SettingInfo& info : rpl::setting_table()) {
      if (info.scope == rpl::SettingScope::ColorOutput || r_.settings[info.id] == info.initial) continue;
      text_ += formatted("{} = {}\n", info.name, value(info, r_.settings[info.id]));
    }
    for (std::size_t i = 0; i < r_.color_outputs.size(); ++i) {
      for (std::uint32_t setting = 0; setting < rpl::kOutputSettingCount; ++setting) {
        const auto& info = rpl::info_of(static_cast<rpl::Setting::Id>(rpl::kFirstOutputSetting + setting));
        if (r_.color_outputs[i].settings[setting] == info.initial) continue;
        text_ += formatted("{} {} = {}\n", info.name, i, value(info, r_.color_outputs[i].settings[setting]));
      }
    }
  }

  std::string constant(const rpl::Constant& constant) const {
    std::string words;
    const auto all = r_.words(constant);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != 0) words += ' ';
      if (rpl::is_vector(constant.type) || rpl::is_matrix(constant.type)) {
        const rpl::TypeId item = rpl::item_type(constant.type);
        words += item == rpl::kF1   ? formatted("{}f", std::bit_cast<float>(all[i]))
                 : item == rpl::kU1 ? formatted("{}u", all[i])
                                    : formatted("{}", static_cast<std::int32_t>(all[i]));
      } else {
        words += constant.type == rpl::kBoolean ? (all[i] != 0 ? "true" : "false") : formatted("{:#x}", all[i]);
      }
    }
    return all.size() == 1 ? words : formatted("({} {})", r_.type_text(constant.type), words);
  }

  std::string lvalue(std::uint32_t index) const {
    const rpl::LValue& of = r_.lvalues[index];
    std::string text;
    rpl::TypeId type = rpl::kErrorType;
    rpl::List members;
    switch (of.root) {
      case rpl::LValueRoot::Local:
        text = name(r_.locals[of.index].name), type = r_.locals[of.index].type;
        break;
      case rpl::LValueRoot::Argument:
        text = name(r_.arguments[of.index].name), type = r_.arguments[of.index].type;
        break;
      case rpl::LValueRoot::Attribute:
      case rpl::LValueRoot::StateIn:
      case rpl::LValueRoot::StateOut:
      case rpl::LValueRoot::ColorOutput: {
        const rpl::ContainerField& field = r_.container_fields[of.index];
        text = name(r_.containers[field.container].name);
        if (of.root == rpl::LValueRoot::StateIn) text += ".in";
        if (of.root == rpl::LValueRoot::StateOut) text += ".out";
        text += "." + name(field.name), type = field.type;
        break;
      }
      case rpl::LValueRoot::Buffer:
        text = name(r_.buffers[of.index].name), members = r_.buffers[of.index].members;
        break;
      case rpl::LValueRoot::Sampler:
        text = name(r_.samplers[of.index].name);
        break;
      case rpl::LValueRoot::Image:
        text = name(r_.images[of.index].name), type = r_.images[of.index].type;
        break;
    }
    for (std::uint32_t i = 0; i < of.steps.count; ++i) {
      const rpl::Step& step = r_.steps[of.steps.first + i];
      switch (step.kind) {
        case rpl::StepKind::Member: {
          if (members.count == 0) members = r_.structs[r_.types[type].index].members;
          const rpl::Member& member = r_.members[members.first + step.value];
          text += "." + name(member.name);
          type = member.type;
          members = {};
          break;
        }
        case rpl::StepKind::Element:
          text += "[" + ref(step.value) + "]";
          type = r_.types[type].element;
          break;
        case rpl::StepKind::Component:
        case rpl::StepKind::Column:
          text += formatted(".{}", "xyzw"[step.value]);
          break;
      }
    }
    return text;
  }

  std::string list(std::uint32_t first, std::uint32_t count) const {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) text += " " + ref(r_.lists[first + i]);
    return text;
  }

  std::string builtin(const rpl::Instruction& at) const {
    const auto id = static_cast<rpl::Builtin>(at.sub);
    std::string text(rpl::info_of(id).stem);
    for (std::uint32_t i = 0; i < at.b; ++i) {
      const std::uint32_t operand = r_.lists[at.a + i];
      text += " " + ((rpl::lvalue_operands(id) >> i & 1) != 0 ? lvalue(operand) : ref(operand));
    }
    return text;
  }

  std::string call(const rpl::Instruction& at) const {
    std::string text = name(r_.functions[at.a].name);
    for (std::uint32_t i = 0; i < at.c; ++i) {
      const rpl::CallArgument& argument = r_.call_arguments[at.b + i];
      text += " ";
      if (argument.access == rpl::Access::InOut) text += "in out " + ref(argument.value) + " ";
      if (argument.access == rpl::Access::Out) text += "out ";
      text += argument.lvalue == rpl::kNone ? ref(argument.value) : lvalue(argument.lvalue);
    }
    return text;
  }

  // The expression that ends in this instruction.
  std::string ref(rpl::Ref ref) const {
    if (ref == rpl::kNoRef) return "nothing";
    if (rpl::is_constant(ref)) return constant(r_.constants[rpl::constant_index(ref)]);
    const rpl::Instruction& at = r_.code[ref];
    using rpl::Op;
    switch (at.op) {
      case Op::Load:
        return lvalue(at.a);
      case Op::Unary:
        return formatted("({}{})", rpl::text_of(static_cast<rpl::UnaryOp>(at.sub)), this->ref(at.a));
      case Op::Binary:
        return formatted("({} {} {})", rpl::text_of(static_cast<rpl::BinaryOp>(at.sub)), this->ref(at.a),
                         this->ref(at.b));
      case Op::LogicEnd: {
        const rpl::Instruction& begin = r_.code[at.a];
        return formatted("({}{} {} {})", rpl::text_of(static_cast<rpl::BinaryOp>(begin.sub)),
                         begin.simple ? " simple" : "", this->ref(begin.a), this->ref(at.b));
      }
      case Op::Convert:
        return formatted("(convert {} {})", r_.type_text(at.type), this->ref(at.a));
      case Op::Splat:
        return formatted("(splat {} {})", r_.type_text(at.type), this->ref(at.a));
      case Op::Combine:
        return formatted("({}{})", r_.type_text(at.type), list(at.a, at.b));
      case Op::Columns:
        return formatted("({}{})", r_.type_text(at.type), list(at.a, at.b));
      case Op::Build:
        return formatted("({}{})", r_.type_text(at.type), list(at.a, at.b));
      case Op::Crop:
        return formatted("(crop {})", this->ref(at.a));
      case Op::Extract:
        return formatted("(extract {} {})", this->ref(at.a), at.b);
      case Op::Swizzle: {
        std::string items;
        for (std::uint32_t i = 0; i < rpl::item_count(at.type); ++i) items += "xyzw"[at.b >> 2 * i & 3];
        return formatted("(swizzle {} {})", this->ref(at.a), items);
      }
      case Op::Element:
        return formatted("(element {} {})", this->ref(at.a), this->ref(at.b));
      case Op::Call:
        return formatted("({})", call(at));
      case Op::Builtin:
        return formatted("({})", builtin(at));
      case Op::Store:
        return formatted("(= {} {})", lvalue(at.a), this->ref(at.b));
      default:
        return "?";
    }
  }

  void list(const rpl::Function& function) {
    text_ += formatted("{} {} (", r_.type_text(function.result), name(function.name));
    for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
      const rpl::Argument& argument = r_.arguments[function.arguments.first + i];
      constexpr std::string_view kAccess[] = {"in", "out", "in out"};
      text_ += formatted("{}{} {} {}", i == 0 ? "" : ", ", kAccess[static_cast<int>(argument.access)],
                         r_.type_text(argument.type), name(argument.name));
    }
    text_ += ")";
    for (int stage = 0; stage < 3; ++stage) {
      if ((function.stages >> stage & 1) != 0) text_ += formatted(" {}", rpl::name_of(static_cast<rpl::Stage>(stage)));
    }
    text_ += "\n";
    int indent = 2;
    for (std::uint32_t i = function.code.first; i < function.code.first + function.code.count; ++i) {
      statement(i, indent);
    }
  }

  // Only instructions that end a statement are printed on their own; operands are printed as part of them.
  void statement(std::uint32_t index, int& indent) {
    const rpl::Instruction& at = r_.code[index];
    using rpl::Op;
    const auto line = [&](const std::string& text) {
      text_ += std::string(static_cast<std::size_t>(indent), ' ') + text + "\n";
    };
    switch (at.op) {
      case Op::Store:
        line(ref(index));
        break;
      case Op::Call:
        if (at.type == rpl::kVoid) line(ref(index));
        break;
      case Op::Builtin:
        if (at.type == rpl::kVoid) line(ref(index));
        break;
      case Op::Declare:
        line(formatted("{} {}{}", r_.type_text(r_.locals[at.a].type), name(r_.locals[at.a].name),
                       at.b == rpl::kNoRef ? "" : " = " + ref(at.b)));
        break;
      case Op::Evaluate:
        line(formatted("evaluate {}", ref(at.a)));
        break;
      case Op::ScopeBegin:
        line(at.sub != 0 ? "for scope" : "scope"), indent += 2;
        break;
      case Op::ScopeEnd:
        indent -= 2;
        break;
      case Op::If:
        line("if " + ref(at.a) + (at.terminates ? " (terminates)" : "")), indent += 2;
        break;
      case Op::Else:
        indent -= 2, line("else"), indent += 2;
        break;
      case Op::EndIf:
        indent -= 2;
        break;
      case Op::LoopBegin:
        line("loop"), indent += 2;
        break;
      case Op::LoopTest:
        line("test " + ref(at.a));
        break;
      case Op::LoopStep:
        line("step");
        break;
      case Op::LoopEnd:
        indent -= 2;
        break;
      case Op::Break:
        line("break");
        break;
      case Op::Continue:
        line("continue");
        break;
      case Op::Return:
        line(at.a == rpl::kNoRef ? "return" : "return " + ref(at.a));
        break;
      case Op::Discard:
        line("discard");
        break;
      default:
        break;
    }
  }

  const rpl::Resolved& r_;
  std::string text_;
};

inline std::string list_resolved(const rpl::Resolved& resolved) { return RplListing(resolved).text(); }

}  // namespace slipway::testing
