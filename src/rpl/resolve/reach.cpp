// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/reach.hpp"

#include "rpl/builtins.hpp"

namespace slipway::rpl {

namespace {

// An item has two nodes: its head, which is what others depend on, and the body of a function. One more node represents
// all settings.
class ReferenceGraph {
 public:
  explicit ReferenceGraph(const Program& program) : program_(program), reached_(2 * program.items.size() + 1) {
    for (ItemId id = 0; id < program.items.size(); ++id) {
      const Item& item = program.items[id];
      if (item.kind == ItemKind::Option) reached_[head_of(id)].add(item.index);
      if (item.kind == ItemKind::Function) edges_.push_back({body_of(id), head_of(id)});
      if (item.kind == ItemKind::Setting) edges_.push_back({settings(), head_of(id)});
      for (const ArgumentDecl& argument :
           std::span(program.arguments).subspan(item.arguments.first, item.arguments.count)) {
        add_reference(body_of(id), program.first_value, argument.name);
      }
    }
    // Nodes of the tree are in the order of their items.
    ItemId item = 0;
    for (const Expr& expr : std::span(program.exprs).subspan(1)) add_reference(node_of(item, expr.range), expr);
    item = 0;
    for (const TypeRef& type : std::span(program.types).subspan(1)) {
      add_reference(node_of(item, type.range), program.first_struct, type.name);
    }
    item = 0;
    for (const Stmt& stmt : std::span(program.stmts).subspan(1)) {
      const std::uint32_t node = node_of(item, stmt.range);
      // A local must not have the name of a declaration.
      if (stmt.name != kNoName) add_reference(node, program.first_value, stmt.name);
    }
    close();
  }

  const OptionSet& of(ItemId id) const {
    return reached_[program_.items[id].kind == ItemKind::Function ? body_of(id) : head_of(id)];
  }

 private:
  static std::uint32_t head_of(ItemId id) { return 2 * id; }
  static std::uint32_t body_of(ItemId id) { return 2 * id + 1; }
  std::uint32_t settings() const { return static_cast<std::uint32_t>(reached_.size()) - 1; }

  // The node of the text at `range`; `item` advances from call to call.
  std::uint32_t node_of(ItemId& item, Range range) const {
    while (item + 1 < program_.items.size() && range.begin >= program_.items[item].range.end) ++item;
    const StmtId body = program_.items[item].body;
    return body != 0 && range.begin >= program_.stmts[body].range.begin ? body_of(item) : head_of(item);
  }

  void add_reference(std::uint32_t node, const std::vector<ItemId>& first, NameId name) {
    for (ItemId id = first[name]; id != kNone; id = program_.items[id].next_same_name) {
      edges_.push_back({node, head_of(id)});
    }
  }
  void add_reference(std::uint32_t node, const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Name:
        return add_reference(node, program_.first_value, expr.a);
      case ExprKind::Construct:
        return add_reference(node, program_.first_struct, expr.a);
      case ExprKind::Call: {
        const BuiltinFunction* const builtin = find_builtin(expr.a);
        if (builtin && builtin->id == Builtin::GroupSize) edges_.push_back({node, settings()});
        return add_reference(node, program_.first_function, expr.a);
      }
      default:
        return;
    }
  }

  // Propagates options to everything that references them, until nothing changes.
  void close() {
    const std::size_t nodes = reached_.size();
    std::vector<std::uint32_t> first(nodes + 1);  // by node: its part of `referenced_by`
    for (const Edge& edge : edges_) ++first[edge.to + 1];
    for (std::size_t node = 0; node < nodes; ++node) first[node + 1] += first[node];
    std::vector<std::uint32_t> referenced_by(edges_.size()), next = first, todo;
    for (const Edge& edge : edges_) referenced_by[next[edge.to]++] = edge.from;
    std::vector<bool> waits(nodes);
    for (const Option& option : program_.options) todo.push_back(head_of(option.item));
    while (!todo.empty()) {
      const std::uint32_t node = todo.back();
      todo.pop_back();
      waits[node] = false;
      for (std::uint32_t i = first[node]; i < first[node + 1]; ++i) {
        const std::uint32_t by = referenced_by[i];
        const std::size_t before = reached_[by].count();
        reached_[by].merge(reached_[node]);
        if (reached_[by].count() == before || waits[by]) continue;
        waits[by] = true;
        todo.push_back(by);
      }
    }
  }

  struct Edge {
    std::uint32_t from = 0, to = 0;
  };
  const Program& program_;
  std::vector<OptionSet> reached_;  // by node
  std::vector<Edge> edges_;
};

}  // namespace

void OptionReach::find(const Program& program) {
  const ReferenceGraph references(program);
  options_.clear();
  lists_.assign(program.items.size(), {});
  for (ItemId id = 0; id < program.items.size(); ++id) {
    lists_[id].first = static_cast<std::uint32_t>(options_.size());
    references.of(id).for_each([&](OptionId option) { options_.push_back(option); });
    lists_[id].count = static_cast<std::uint32_t>(options_.size()) - lists_[id].first;
  }
}

}  // namespace slipway::rpl
