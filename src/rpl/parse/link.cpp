// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/parse/link.hpp"

#include "base/format.hpp"
#include "rpl/parse/parser.hpp"

namespace slipway::rpl {
namespace {

// Appends one program to another.
class Appender {
 public:
  Appender(const Program& from, Program& to, std::uint32_t base)
      : from_(from),
        to_(to),
        base_(base),
        exprs_(static_cast<std::uint32_t>(to.exprs.size()) - 1),  // index 0 is the same dummy in all programs
        stmts_(static_cast<std::uint32_t>(to.stmts.size()) - 1),
        types_(static_cast<std::uint32_t>(to.types.size()) - 1),
        lists_(static_cast<std::uint32_t>(to.lists.size())),
        fields_(static_cast<std::uint32_t>(to.fields.size())),
        arguments_(static_cast<std::uint32_t>(to.arguments.size())),
        items_(static_cast<std::uint32_t>(to.items.size())),
        options_(static_cast<std::uint32_t>(to.options.size())) {
    names_.reserve(from.names.size() - first_program_name());
    for (NameId id = first_program_name(); id < from.names.size(); ++id) {
      names_.push_back(to.names.intern(from.names.text(id)));
    }
  }

  void append() {
    append_modules();
    to_.lists.insert(to_.lists.end(), from_.lists.begin(), from_.lists.end());
    for (ExprId id = 1; id < from_.exprs.size(); ++id) append(from_.exprs[id]);
    for (StmtId id = 1; id < from_.stmts.size(); ++id) append(from_.stmts[id]);
    for (TypeRefId id = 1; id < from_.types.size(); ++id) append(from_.types[id]);
    for (const Field& field : from_.fields) append(field);
    for (const ArgumentDecl& argument : from_.arguments) append(argument);
    for (const Option& option : from_.options) append(option);
    for (const Item& item : from_.items) append(item);
  }

 private:
  NameId name(NameId id) const { return id < first_program_name() ? id : names_[id - first_program_name()]; }
  ExprId expr(ExprId id) const { return id == 0 ? 0 : id + exprs_; }
  StmtId stmt(StmtId id) const { return id == 0 ? 0 : id + stmts_; }
  TypeRefId type(TypeRefId id) const { return id == 0 ? 0 : id + types_; }
  std::uint32_t offset(std::uint32_t at) const { return at == 0 ? 0 : at + base_; }
  // (The empty range means that there is no range.)
  Range range(Range of) const { return of == Range{} ? of : Range{of.begin + base_, of.end + base_}; }
  List moved(List list) const { return {list.first + lists_, list.count}; }
  // A list whose entries `change` maps.
  template <class Change>
  List list(List of, Change change) {
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i) to_.lists[lists_ + i] = change(from_.lists[i]);
    return moved(of);
  }
  List exprs(List of) {
    return list(of, [this](std::uint32_t id) { return expr(id); });
  }
  List names(List of) {
    return list(of, [this](std::uint32_t id) { return name(id); });
  }

  void append_modules() {
    const auto first_module = static_cast<std::uint32_t>(to_.modules.size());
    const auto first_source = static_cast<std::uint32_t>(to_.sources.size());
    for (Module module : from_.modules) {
      module.first_source += first_source;
      module.first_item += items_;
      to_.modules.push_back(std::move(module));
    }
    for (const ProgramSource& source : from_.sources) {
      to_.sources.push_back({source.text, source.base + base_, source.module + first_module});
    }
    modules_ = first_module;
  }

  void append(Expr node) {
    node.at = offset(node.at);
    node.range = range(node.range);
    switch (node.kind) {
      case ExprKind::None:
      case ExprKind::Uint:
      case ExprKind::Sint:
      case ExprKind::Float:
      case ExprKind::True:
      case ExprKind::False:
        break;
      case ExprKind::String:
      case ExprKind::Name:
        node.a = name(node.a);
        break;
      case ExprKind::Unary:
        node.a = expr(node.a);
        break;
      case ExprKind::Binary:
      case ExprKind::Index:
        node.a = expr(node.a), node.b = expr(node.b);
        break;
      case ExprKind::Member:
        node.a = expr(node.a), node.b = name(node.b);
        break;
      case ExprKind::Call:
      case ExprKind::Construct:
        node.a = name(node.a), node.b = exprs({node.b, node.c}).first;
        break;
    }
    to_.exprs.push_back(node);
  }

  void append(Stmt node) {
    node.condition = expr(node.condition);
    node.name = name(node.name);
    node.type = type(node.type);
    node.range = range(node.range);
    node.name_range = range(node.name_range);
    switch (node.kind) {
      case StmtKind::None:
      case StmtKind::Break:
      case StmtKind::Continue:
        break;
      case StmtKind::Block:
        node.list = list(node.list, [this](std::uint32_t id) { return stmt(id); });
        break;
      case StmtKind::Alias:
      case StmtKind::Variable:
      case StmtKind::Expr:
      case StmtKind::Return:
        node.a = expr(node.a);
        break;
      case StmtKind::If:
        node.a = expr(node.a), node.b = stmt(node.b), node.c = stmt(node.c);
        break;
      case StmtKind::For:
        node.a = stmt(node.a), node.b = expr(node.b), node.c = expr(node.c), node.d = stmt(node.d);
        break;
      case StmtKind::While:
        node.a = expr(node.a), node.d = stmt(node.d);
        break;
    }
    to_.stmts.push_back(node);
  }

  void append(TypeRef node) {
    node.name = name(node.name);
    node.dimensions = exprs(node.dimensions);
    node.range = range(node.range);
    to_.types.push_back(node);
  }

  void append(Field node) {
    node.condition = expr(node.condition);
    node.name = name(node.name);
    node.type = type(node.type);
    node.pack = name(node.pack);
    node.meta = names(node.meta);
    bool is_name = false;  // names and offsets in turn
    node.path = list(node.path, [&](std::uint32_t part) {
      is_name = !is_name;
      return is_name ? name(part) : offset(part);
    });
    node.range = range(node.range);
    node.name_range = range(node.name_range);
    node.pack_range = range(node.pack_range);
    to_.fields.push_back(node);
  }

  void append(ArgumentDecl node) {
    node.condition = expr(node.condition);
    node.name = name(node.name);
    node.type = type(node.type);
    node.range = range(node.range);
    node.name_range = range(node.name_range);
    to_.arguments.push_back(node);
  }

  void append(Option node) {
    node.name = name(node.name);
    if (node.initial.type == ValueType::String) node.initial.bits = name(node.initial.bits);
    node.values = names(node.values);
    node.item += items_;
    to_.options.push_back(node);
  }

  void append(Item node) {
    node.condition = expr(node.condition);
    node.name = name(node.name);
    node.next_same_name = kNone;
    node.module += modules_;
    if (node.kind == ItemKind::Option) node.index += options_;
    node.value = expr(node.value);
    node.type = type(node.type);
    node.pack = name(node.pack);
    node.fields.first += fields_;
    node.arguments.first += arguments_;
    node.body = stmt(node.body);
    node.range = range(node.range);
    node.name_range = range(node.name_range);
    node.pack_range = range(node.pack_range);
    node.block_range = range(node.block_range);
    to_.items.push_back(node);
  }

  const Program& from_;
  Program& to_;
  std::uint32_t base_;
  std::uint32_t exprs_, stmts_, types_, lists_, fields_, arguments_, items_, options_, modules_ = 0;
  std::vector<NameId> names_;  // of `to_`, by those of `from_` that are not fixed
};

// Bytes that the sources take in the address space of a program.
std::uint64_t size_of(const Program& program) {
  if (program.sources.empty()) return 0;
  return std::uint64_t{program.sources.back().base} + program.sources.back().text->text().size() + 1;
}

void report_duplicate_options(const Program& program, Diagnostics& diagnostics) {
  std::vector<OptionId> first(program.names.size(), kNone);
  for (OptionId id = 0; id < program.options.size(); ++id) {
    const Option& option = program.options[id];
    OptionId& known = first[option.name];
    if (known == kNone) {
      known = id;
      continue;
    }
    diagnostics
        .error(DiagnosticKind::RplDuplicateOption, program.location(program.items[option.item].name_range),
               formatted("option `{}` is already declared", program.text(option.name)))
        .note("the first declaration", program.location(program.items[program.options[known].item].name_range));
  }
}

template <class T>
void reserve(std::vector<T>& to, std::span<const Program* const> programs, std::vector<T> Program::* member) {
  std::size_t size = 1;
  for (const Program* program : programs) size += (program->*member).size();
  to.reserve(size);
}

}  // namespace

Program link(std::span<const Program* const> programs, Diagnostics& diagnostics) {
  Program program;
  reserve(program.exprs, programs, &Program::exprs);
  reserve(program.stmts, programs, &Program::stmts);
  reserve(program.types, programs, &Program::types);
  reserve(program.lists, programs, &Program::lists);
  reserve(program.fields, programs, &Program::fields);
  reserve(program.arguments, programs, &Program::arguments);
  reserve(program.items, programs, &Program::items);
  reserve(program.options, programs, &Program::options);
  program.exprs.emplace_back();
  program.stmts.emplace_back();
  program.types.emplace_back();
  std::uint64_t base = 0;
  bool ok = true;
  for (const Program* from : programs) {
    ok &= from->valid;
    if (base + size_of(*from) > kNone) {
      diagnostics.error(DiagnosticKind::OutOfRange, {}, "the sources of a program have more than 4 GiB");
      return program;
    }
    Appender(*from, program, static_cast<std::uint32_t>(base)).append();
    base += size_of(*from);
  }
  std::vector<ExprId> stack;
  finish_program(program, stack);
  Diagnostics found;
  report_duplicate_options(program, found);
  program.valid = ok && !found.has_errors();
  for (const Diagnostic& problem : found.all()) diagnostics.add(problem);
  return program;
}

}  // namespace slipway::rpl
