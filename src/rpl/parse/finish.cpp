// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables that follow from the items of a program.
#include "rpl/builtins.hpp"
#include "rpl/parse/parser.hpp"
#include "rpl/referenced_names.hpp"

namespace slipway::rpl {
namespace {

// Links the items of one name in program order, walking backwards.
void link_names(Program& program) {
  const std::size_t count = program.names.size();
  program.first_value.assign(count, kNone);
  program.first_struct.assign(count, kNone);
  program.first_function.assign(count, kNone);
  for (auto id = static_cast<ItemId>(program.items.size()); id-- > 0;) {
    Item& item = program.items[id];
    if (item.kind == ItemKind::Setting) continue;
    auto& first = item.kind == ItemKind::Struct     ? program.first_struct
                  : item.kind == ItemKind::Function ? program.first_function
                                                    : program.first_value;
    item.next_same_name = first[item.name];
    first[item.name] = id;
  }
}

// Whether an expression references an instance option, or a constant that depends on one. `instance_names` are the
// names of such constants before it.
bool references_instance_option(const Program& program, ExprId expression, const std::vector<bool>& instance_names,
                                std::vector<ExprId>& todo) {
  return any_referenced_name(program, expression, todo, [&](const Expr& node) {
    if (instance_names[node.a]) return true;
    const ItemId id = program.first_value[node.a];
    return id != kNone && program.items[id].kind == ItemKind::Option &&
           program.options[program.items[id].index].option_class == OptionClass::Instance;
  });
}

void sort_items(Program& program, std::vector<ExprId>& todo) {
  std::vector<bool> instance_names(program.names.size());
  program.constants.reserve(program.items.size());
  program.declarations.reserve(program.items.size());
  for (ItemId id = 0; id < program.items.size(); ++id) {
    Item& item = program.items[id];
    switch (item.kind) {
      case ItemKind::Option:
        break;
      case ItemKind::Constant:
        program.constants.push_back(id);
        item.instance = references_instance_option(program, item.condition, instance_names, todo) ||
                        references_instance_option(program, item.value, instance_names, todo);
        if (item.instance) instance_names[item.name] = true;
        break;
      case ItemKind::Setting:
        program.settings.push_back(id);
        break;
      case ItemKind::Struct:
        if (item.next_same_name != kNone && program.first_struct[item.name] == id) program.contested.push_back(id);
        break;
      case ItemKind::Function: {
        const bool shared = item.next_same_name != kNone && program.first_function[item.name] == id;
        if (shared || find_builtin(item.name)) program.contested.push_back(id);
        break;
      }
      default:
        program.declarations.push_back(id);
    }
  }
}

}  // namespace

void finish_program(Program& program, std::vector<ExprId>& stack) {
  link_names(program);
  sort_items(program, stack);
}

}  // namespace slipway::rpl
