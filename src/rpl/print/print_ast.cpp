// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/print_ast.hpp"

#include <bit>

#include "base/format.hpp"
#include "json/writer.hpp"

namespace slipway::rpl {
namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string print() {
    for (const Module& module : program_.modules) {
      open(formatted("module {}", json::quoted(module.name)));
      for (std::uint32_t i = 0; i < module.item_count; ++i) item(program_.items[module.first_item + i]);
      close();
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  // --- layout: `open` begins a list on a line of its own, `close` ends it after its last line
  void line(std::string_view text) {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    out_.append(2 * depth_, ' ');
    out_ += text;
  }
  void open(std::string_view text) {
    line("(" + std::string(text));
    ++depth_;
  }
  void close() {
    --depth_;
    out_ += ')';
  }

  std::string at(Range range) const { return at(range.begin); }
  std::string at(std::uint32_t offset) const {
    const ProgramSource& source = program_.sources[program_.source_at(offset)];
    const Position position = source.text->position(offset - source.base);
    return formatted("@{}:{}", position.line, position.column);
  }
  std::string_view text(NameId name) const { return program_.text(name); }
  std::uint32_t element(List list, std::uint32_t i) const { return program_.lists[list.first + i]; }

  // --- expressions are on one line
  std::string value(const Value& value) const {
    return value.type == ValueType::String ? json::quoted(text(value.bits)) : format_value(program_, value);
  }

  std::string expression(ExprId id) const {
    const Expr& expr = program_.exprs[id];
    const std::string location = at(expr.range);
    const auto leaf = [&](std::string_view kind, std::string_view of) {
      return formatted("({} {} {})", kind, location, of);
    };
    switch (expr.kind) {
      case ExprKind::Uint:
        return leaf("u1", formatted("{}", expr.a));
      case ExprKind::Sint:
        return leaf("s1", formatted("{}", expr.a));
      case ExprKind::Float:
        return leaf("f1", json::number_text(std::bit_cast<float>(expr.a)));
      case ExprKind::String:
        return leaf("string", json::quoted(text(expr.a)));
      case ExprKind::True:
        return formatted("(true {})", location);
      case ExprKind::False:
        return formatted("(false {})", location);
      case ExprKind::Name:
        return leaf("name", text(expr.a));
      case ExprKind::Unary:
        return formatted("({} {} {})", text_of(static_cast<UnaryOp>(expr.op)), location, expression(expr.a));
      case ExprKind::Binary:
        return formatted("({} {} {} {})", text_of(static_cast<BinaryOp>(expr.op)), location, expression(expr.a),
                         expression(expr.b));
      case ExprKind::Member:
        return formatted("(. {} {} {})", location, expression(expr.a), text(expr.b));
      case ExprKind::Index:
        return formatted("([] {} {} {})", location, expression(expr.a), expression(expr.b));
      case ExprKind::Call:
      case ExprKind::Construct: {
        std::string list =
            formatted("({} {} {}", expr.kind == ExprKind::Call ? "call" : "construct", location, text(expr.a));
        for (std::uint32_t i = 0; i < expr.c; ++i) list += " " + expression(program_.lists[expr.b + i]);
        return list + ")";
      }
      case ExprKind::None:
        break;
    }
    return formatted("(error {})", location);
  }

  std::string conditional(ExprId condition) const {
    return condition == 0 ? "" : formatted(" (conditional {})", expression(condition));
  }

  std::string type(TypeRefId id) const {
    const TypeRef& ref = program_.types[id];
    std::string list = formatted("(type {} {}", at(ref.range), text(ref.name));
    for (std::uint32_t i = 0; i < ref.dimensions.count; ++i) list += " " + expression(element(ref.dimensions, i));
    return list + (ref.runtime ? " ...)" : ")");
  }

  // --- items
  void item(const Item& of) {
    switch (of.kind) {
      case ItemKind::Option:
        return option(of);
      case ItemKind::Constant:
        return line(formatted("(constant {}{} {} {})", at(of.range), conditional(of.condition), text(of.name),
                              expression(of.value)));
      case ItemKind::Setting:
        return line(formatted("(setting {}{} {}{} {})", at(of.range), conditional(of.condition), text(of.name),
                              of.block == kNone ? "" : formatted(" (block {})", of.block), expression(of.value)));
      case ItemKind::Sampler:
        return line(
            formatted("(sampler {}{} {} {})", at(of.range), conditional(of.condition), word_of(of.set), text(of.name)));
      case ItemKind::Image:
        return line(formatted("(image {}{} {}{} {} {})", at(of.range), conditional(of.condition), word_of(of.set),
                              pack(of.pack), type(of.type), text(of.name)));
      case ItemKind::Function:
        return function(of);
      default:
        return body(of);
    }
  }

  std::string pack(NameId name) const { return name == kNoName ? "" : formatted(" (pack {})", text(name)); }

  void option(const Item& of) {
    const Option& option = program_.options[of.index];
    std::string list = formatted("(option {} {} {} {}", at(of.range), name_of(option.option_class), text(option.name),
                                 name_of(option.type));
    if (option.type == OptionType::Enum) {
      for (std::uint32_t i = 0; i < option.values.count; ++i)
        list += " " + json::quoted(text(element(option.values, i)));
    } else {
      list += " " + value(option.initial);
    }
    line(list + ")");
  }

  // Structs, containers, buffers.
  void body(const Item& of) {
    const std::string set = of.set == DescriptorSet::None ? "" : formatted(" {}", word_of(of.set));
    open(formatted("{} {}{}{} {}", word_of(of.kind), at(of.range), conditional(of.condition), set, text(of.name)));
    for (std::uint32_t i = 0; i < of.fields.count; ++i) field(program_.fields[of.fields.first + i]);
    close();
  }

  void field(const Field& of) {
    if (of.alias) {
      std::string path;
      for (std::uint32_t i = 0; i + 1 < of.path.count; i += 2) {
        path += formatted("{}{}", i == 0 ? "" : ".", text(element(of.path, i)));
      }
      return line(formatted("(alias {}{} {} {})", at(of.range), conditional(of.condition), text(of.name), path));
    }
    std::string tags;
    for (std::uint32_t i = 0; i < of.meta.count; ++i) tags += formatted(" {}", text(element(of.meta, i)));
    line(formatted("(field {}{}{}{} {} {})", at(of.range), conditional(of.condition),
                   tags.empty() ? "" : formatted(" (meta{})", tags), pack(of.pack), type(of.type), text(of.name)));
  }

  void function(const Item& of) {
    open(formatted("function {}{} {} {}", at(of.range), conditional(of.condition), type(of.type), text(of.name)));
    for (std::uint32_t i = 0; i < of.arguments.count; ++i) {
      const ArgumentDecl& argument = program_.arguments[of.arguments.first + i];
      constexpr std::string_view kAccess[] = {"in", "out", "in out"};
      line(formatted("(argument {}{} {} {} {})", at(argument.range), conditional(argument.condition),
                     kAccess[static_cast<std::size_t>(argument.access)], type(argument.type), text(argument.name)));
    }
    statement(of.body);
    close();
  }

  // --- statements
  void statement(StmtId id) {
    if (id == 0) return;
    const Stmt& of = program_.stmts[id];
    const std::string location = at(of.range);
    switch (of.kind) {
      case StmtKind::Block:
        open(formatted("scope {}{}", location, conditional(of.condition)));
        for (std::uint32_t i = 0; i < of.list.count; ++i) statement(element(of.list, i));
        return close();
      case StmtKind::Alias:
        return line(
            formatted("(alias {}{} {} {})", location, conditional(of.condition), text(of.name), expression(of.a)));
      case StmtKind::Variable:
        return line(formatted("(variable {} {} {}{})", location, type(of.type), text(of.name),
                              of.a == 0 ? "" : " " + expression(of.a)));
      case StmtKind::Expr:
        return line(formatted("(expression {} {})", location, expression(of.a)));
      case StmtKind::If:
        open(formatted("if {} {}", location, expression(of.a)));
        statement(of.b);
        statement(of.c);
        return close();
      case StmtKind::For:
        open(formatted("for {}", location));
        statement(of.a);
        line(expression(of.b));
        line(expression(of.c));
        statement(of.d);
        return close();
      case StmtKind::While:
        open(formatted("while {} {}", location, expression(of.a)));
        statement(of.d);
        return close();
      case StmtKind::Break:
        return line(formatted("(break {})", location));
      case StmtKind::Continue:
        return line(formatted("(continue {})", location));
      case StmtKind::Return:
        return line(formatted("(return {}{})", location, of.a == 0 ? "" : " " + expression(of.a)));
      case StmtKind::None:
        return;
    }
  }

  const Program& program_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print_ast(const Program& program) { return Printer(program).print(); }

}  // namespace slipway::rpl
