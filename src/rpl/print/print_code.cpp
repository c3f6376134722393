// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rebuilds expressions from the linear code, in one walk: an instruction's text combines the texts of its operands. The
// instructions are in evaluation order, and the language evaluates left to right, so compiling the text results in the
// same sequence.
#include "rpl/print/print_code.hpp"

#include "base/format.hpp"
#include "rpl/literals.hpp"

namespace slipway::rpl {
namespace {

// Precedence: docs/spec/rpl.md#grammar.
constexpr int kPrimary = 12, kUnary = 11, kAssign = 0;

struct CodeText {
  std::string text;
  int level = kPrimary;
};

constexpr std::string_view kComponents = "xyzw";

class CodePrinter {
 public:
  CodePrinter(const Resolved& resolved, const Function& function) : resolved_(resolved), function_(function) {}

  std::string print() {
    const std::uint32_t first = function_.code.first, end = first + function_.code.count;
    texts_.resize(function_.code.count);
    used_.resize(function_.code.count);
    for (std::uint32_t i = first; i < end; ++i) mark_uses(resolved_.code[i]);
    for (std::uint32_t i = first; i < end; ++i) instruction(i);
    return std::move(out_);
  }

 private:
  struct Loop {
    std::string before;  // what was printed until the loop's body
    std::string first;   // for: the declaration
    std::string condition;
    std::string body;
    bool is_for = false;
  };

  const Program& program() const { return *resolved_.program; }
  std::string_view name(NameId id) const { return program().text(id); }

  // --- operands
  void mark(Ref ref) {
    if (ref != kNoRef && !is_constant(ref)) used_[ref - function_.code.first] = true;
  }
  void mark_uses(const Instruction& of) {
    switch (of.op) {
      case Op::Unary:
      case Op::LogicBegin:
      case Op::Convert:
      case Op::Splat:
      case Op::Crop:
      case Op::Extract:
      case Op::Swizzle:
      case Op::Evaluate:
      case Op::If:
      case Op::LoopTest:
      case Op::Return:
        return mark(of.a);
      case Op::Binary:
      case Op::LogicEnd:
      case Op::Element:
        mark(of.a);
        return mark(of.b);
      case Op::Store:
      case Op::Declare:
        return mark(of.b);
      case Op::Combine:
      case Op::Columns:
      case Op::Build:
        for (std::uint32_t i = 0; i < of.b; ++i) mark(resolved_.lists[of.a + i]);
        return;
      case Op::Builtin:
        for (std::uint32_t i = 0; i < of.b; ++i) {
          if (!is_lvalue(static_cast<Builtin>(of.sub), i)) mark(resolved_.lists[of.a + i]);
        }
        return;
      case Op::Call:
        for (std::uint32_t i = 0; i < of.c; ++i) mark(resolved_.call_arguments[of.b + i].value);
        return;
      default:
        return;
    }
  }
  static bool is_lvalue(Builtin builtin, std::uint32_t operand) {
    return (lvalue_operands(builtin) >> operand & 1) != 0;
  }

  CodeText value(Ref ref) const {
    if (!is_constant(ref)) return texts_[ref - function_.code.first];
    std::string text = constant_text(resolved_, resolved_.constants[constant_index(ref)]);
    const int level = text.starts_with('-') ? kUnary : kPrimary;
    return {std::move(text), level};
  }
  // In parentheses unless it binds at least as tightly.
  std::string at_level(Ref ref, int level) const {
    CodeText text = value(ref);
    return text.level >= level ? std::move(text.text) : formatted("({})", text.text);
  }
  std::string whole(Ref ref) const { return value(ref).text; }
  std::string list(std::uint32_t first, std::uint32_t count) const {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + whole(resolved_.lists[first + i]);
    return text;
  }

  // --- lvalues
  std::string lvalue(std::uint32_t index) const {
    const LValue& of = resolved_.lvalues[index];
    TypeId type = kErrorType;
    List members;  // of the struct or buffer that the steps have reached
    std::string text = root(of, type, members);
    for (std::uint32_t i = 0; i < of.steps.count; ++i) {
      const Step& step = resolved_.steps[of.steps.first + i];
      switch (step.kind) {
        case StepKind::Member: {
          const Member& member = resolved_.members[members.first + step.value];
          text += formatted(".{}", name(member.name));
          type = member.type;
          break;
        }
        case StepKind::Element:
          text += formatted("[{}]", whole(step.value));
          type = resolved_.types[type].element;
          break;
        case StepKind::Component:
        case StepKind::Column:
          text += formatted(".{}", kComponents[step.value]);
          break;
      }
      const Type& info = resolved_.types[type];
      if (info.kind == TypeKind::Struct) members = resolved_.structs[info.index].members;
    }
    return text;
  }

  std::string root(const LValue& of, TypeId& type, List& members) const {
    const auto starts = [&](TypeId of_root) {
      type = of_root;
      if (resolved_.types[type].kind == TypeKind::Struct)
        members = resolved_.structs[resolved_.types[type].index].members;
    };
    switch (of.root) {
      case LValueRoot::Local:
        starts(resolved_.locals[of.index].type);
        return std::string(name(resolved_.locals[of.index].name));
      case LValueRoot::Argument:
        starts(resolved_.arguments[of.index].type);
        return std::string(name(resolved_.arguments[of.index].name));
      case LValueRoot::Attribute:
      case LValueRoot::StateIn:
      case LValueRoot::StateOut:
      case LValueRoot::ColorOutput: {
        const ContainerField& field = resolved_.container_fields[of.index];
        starts(field.type);
        return formatted("{}.{}", name(resolved_.containers[field.container].name), name(field.name));
      }
      case LValueRoot::Buffer:
        members = resolved_.buffers[of.index].members;
        return std::string(name(resolved_.buffers[of.index].name));
      case LValueRoot::Sampler:
        return std::string(name(resolved_.samplers[of.index].name));
      case LValueRoot::Image:
        starts(resolved_.images[of.index].type);
        return std::string(name(resolved_.images[of.index].name));
    }
    return "";
  }

  // --- output
  void line(std::string_view text) {
    out_.append(4 * depth_, ' ');
    out_ += text;
    out_ += '\n';
  }
  void open() {
    line("{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

  // --- instructions
  void instruction(std::uint32_t index) {
    const Instruction& of = resolved_.code[index];
    if (of.op >= Op::Declare) return structure(of);
    CodeText& result = texts_[index - function_.code.first];
    result = expression(of);
    const bool ends_statement =
        (of.op == Op::Store || of.op == Op::Call || of.op == Op::Builtin) && !used_[index - function_.code.first];
    if (ends_statement) statement(result.text);
  }

  // An expression statement, or the step of a `for`.
  void statement(const std::string& text) {
    if (in_step_) {
      step_ = text;
    } else {
      line(text + ";");
    }
  }

  CodeText expression(const Instruction& of) const {
    const auto construct = [&](const std::string& operands) {
      return CodeText{formatted("{} {{{}}}", resolved_.type_text(of.type), operands), kPrimary};
    };
    switch (of.op) {
      case Op::Load:
        return {lvalue(of.a), kPrimary};
      case Op::Unary: {
        const std::string_view op = text_of(static_cast<UnaryOp>(of.sub));
        return {formatted("{}{}", op, at_level(of.a, kPrimary)), kUnary};
      }
      case Op::Binary: {
        const auto op = static_cast<BinaryOp>(of.sub);
        return binary(op, at_level(of.a, level_of(op)), at_level(of.b, level_of(op) + 1));
      }
      case Op::LogicEnd: {
        const Instruction& begin = resolved_.code[of.a];
        const auto op = static_cast<BinaryOp>(begin.sub);
        return binary(op, at_level(begin.a, level_of(op)), at_level(of.b, level_of(op) + 1));
      }
      case Op::Convert:
      case Op::Splat:
      case Op::Crop:
        return construct(whole(of.a));
      case Op::Combine:
      case Op::Columns:
      case Op::Build:
        return construct(list(of.a, of.b));
      case Op::Extract:
        return {formatted("{}.{}", at_level(of.a, kPrimary), part(of)), kPrimary};
      case Op::Swizzle: {
        std::string names;
        for (std::uint32_t i = 0; i < item_count(of.type); ++i) names += kComponents[of.b >> (2 * i) & 3];
        return {formatted("{}.{}", at_level(of.a, kPrimary), names), kPrimary};
      }
      case Op::Element:
        return {formatted("{}[{}]", at_level(of.a, kPrimary), whole(of.b)), kPrimary};
      case Op::Call:
        return {call(of), kPrimary};
      case Op::Builtin:
        return {builtin(of), kPrimary};
      case Op::Store:
        return binary(BinaryOp::Assign, lvalue(of.a), at_level(of.b, kAssign));
      default:
        return {};
    }
  }
  static CodeText binary(BinaryOp op, const std::string& left, const std::string& right) {
    return {formatted("{} {} {}", left, text_of(op), right), level_of(op)};
  }

  std::string part(const Instruction& of) const {
    const Type& type = resolved_.types[resolved_.type_of(of.a)];
    if (type.kind != TypeKind::Struct) return std::string(1, kComponents[of.b]);
    return std::string(name(resolved_.members[resolved_.structs[type.index].members.first + of.b].name));
  }

  std::string call(const Instruction& of) const {
    std::string arguments;
    for (std::uint32_t i = 0; i < of.c; ++i) {
      const CallArgument& argument = resolved_.call_arguments[of.b + i];
      arguments += (i == 0 ? "" : ", ") + (argument.lvalue != kNone ? lvalue(argument.lvalue) : whole(argument.value));
    }
    return formatted("{} ({})", name(resolved_.functions[of.a].name), arguments);
  }

  std::string builtin(const Instruction& of) const {
    const auto id = static_cast<Builtin>(of.sub);
    std::string arguments;
    TypeId first = kVoid;
    for (std::uint32_t i = 0; i < of.b; ++i) {
      const std::uint32_t operand = resolved_.lists[of.a + i];
      if (i == 0) first = is_lvalue(id, i) ? resolved_.lvalues[operand].type : resolved_.type_of(operand);
      arguments += (i == 0 ? "" : ", ") + (is_lvalue(id, i) ? lvalue(operand) : whole(operand));
    }
    return formatted("{} ({})", builtin_name(id, of.type, first), arguments);
  }
  // `round_f3`: the T of a family is the type of the result or that of the first argument.
  static std::string_view builtin_name(Builtin id, TypeId result, TypeId first) {
    std::string_view found;
    for (const BuiltinFunction& function : builtin_functions()) {
      if (function.id != id) continue;
      if (function.type == kVoid || function.type == first) return function.name;
      if (function.type == result) found = function.name;
    }
    return found;
  }

  // Long, because it has one case per instruction.
  void structure(const Instruction& of) {
    switch (of.op) {
      case Op::Declare: {
        const Local& local = resolved_.locals[of.a];
        std::string text = formatted("{} {}", resolved_.type_text(local.type), name(local.name));
        if (of.b != kNoRef) text += " = " + at_level(of.b, kAssign);
        if (for_head_) {
          first_ = std::move(text);
        } else {
          line(text + ";");
        }
        break;
      }
      case Op::Evaluate:
        statement(whole(of.a));
        break;
      case Op::ScopeBegin:
        for_head_ = of.sub == 1;
        if (of.sub == 1) {
          fors_.push_back(true);
        } else {
          fors_.push_back(false);
          open();
        }
        break;
      case Op::ScopeEnd:
        if (!fors_.back()) {
          close();
        } else if (!first_.empty()) {  // a loop that never runs leaves its declaration alone
          for_head_ = false;
          open();
          line(std::exchange(first_, {}) + ";");
          close();
        }
        fors_.pop_back();
        break;
      case Op::If:
        line(formatted("if ({})", whole(of.a)));
        open();
        break;
      case Op::Else:
        close();
        line("else");
        open();
        break;
      case Op::EndIf:
        close();
        break;
      case Op::LoopBegin:
        loops_.push_back(
            {.before = {}, .first = std::exchange(first_, {}), .condition = {}, .body = {}, .is_for = of.sub == 1});
        for_head_ = false;
        break;
      case Op::LoopTest:
        loops_.back().condition = whole(of.a);
        loops_.back().before = std::exchange(out_, {});
        ++depth_;
        break;
      case Op::LoopStep:
        loops_.back().body = std::exchange(out_, std::move(loops_.back().before));
        --depth_;
        in_step_ = true;
        break;
      case Op::LoopEnd: {
        in_step_ = false;
        const Loop loop = std::move(loops_.back());
        loops_.pop_back();
        if (step_.empty()) step_ = "0u";  // a constant, which has no code
        line(loop.is_for ? formatted("for ({}; {}; {})", loop.first, loop.condition, std::exchange(step_, {}))
                         : formatted("while ({})", loop.condition));
        step_.clear();
        line("{");
        out_ += loop.body;
        line("}");
        break;
      }
      case Op::Break:
        line("break;");
        break;
      case Op::Continue:
        line("continue;");
        break;
      case Op::Return:
        line(of.a == kNoRef ? "return;" : formatted("return {};", whole(of.a)));
        break;
      case Op::Discard:
        line("fragment_stage_discard ();");
        break;
      default:
        break;
    }
  }

  const Resolved& resolved_;
  const Function& function_;
  std::vector<CodeText> texts_;  // by instruction of the function
  std::vector<bool> used_;
  std::string out_;
  std::size_t depth_ = 1;
  std::vector<bool> fors_;  // for each open scope whether it is that of a `for`
  std::vector<Loop> loops_;
  bool for_head_ = false;
  bool in_step_ = false;
  std::string first_, step_;  // of the `for` that is being read
};

}  // namespace

std::string print_code(const Resolved& resolved, const Function& function) {
  return CodePrinter(resolved, function).print();
}

}  // namespace slipway::rpl
