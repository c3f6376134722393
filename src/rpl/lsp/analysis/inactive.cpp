// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/analysis/inactive.hpp"

#include <algorithm>
#include <unordered_map>

namespace slipway::rpl::lsp {
namespace {

constexpr int kMaxDepth = 200;

class InactiveFinder {
 public:
  // Options in `unknown` may have any value.
  InactiveFinder(const Program& program, const Assignment& assignment, const std::vector<bool>& unknown = {})
      : program_(program), assignment_(assignment), unknown_(unknown) {}

  std::vector<Range> find() {
    for (const Item& item : program_.items) {
      if (off(item.condition)) {
        found_.push_back(item.range);
        continue;
      }
      for (std::uint32_t i = 0; i < item.fields.count; ++i) {
        const Field& field = program_.fields[item.fields.first + i];
        if (off(field.condition)) found_.push_back(field.range);
      }
      for (std::uint32_t i = 0; i < item.arguments.count; ++i) {
        const ArgumentDecl& argument = program_.arguments[item.arguments.first + i];
        if (off(argument.condition)) found_.push_back(argument.range);
      }
    }
    // Statements are in the array in any order; an inactive scope hides its contents.
    for (const Stmt& statement : program_.stmts) {
      if (off(statement.condition)) found_.push_back(statement.range);
    }
    std::ranges::sort(
        found_, [](const Range& a, const Range& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<Range> outermost;
    for (const Range& range : found_) {
      if (outermost.empty() || range.begin >= outermost.back().end) outermost.push_back(range);
    }
    return outermost;
  }

 private:
  bool off(ExprId condition) const {
    if (condition == 0) return false;
    const Value value = evaluate(condition, 0);
    return value.type == ValueType::Flag && value.bits == 0;
  }

  // Type None: not known here.
  Value evaluate(ExprId id, int depth) const {
    const Expr& expr = program_.exprs[id];
    if (depth > kMaxDepth) return {};
    switch (expr.kind) {
      case ExprKind::Uint:
        return {ValueType::Uint, expr.a};
      case ExprKind::Sint:
        return {ValueType::Sint, expr.a};
      case ExprKind::Float:
        return {ValueType::Float, expr.a};
      case ExprKind::String:
        return {ValueType::String, expr.a};
      case ExprKind::True:
        return flag(true);
      case ExprKind::False:
        return flag(false);
      case ExprKind::Name:
        return named(expr.a, expr.range.begin, depth);
      case ExprKind::Unary: {
        const Value operand = evaluate(expr.a, depth + 1);
        return static_cast<UnaryOp>(expr.op) == UnaryOp::Not && operand.type == ValueType::Flag
                   ? flag(operand.bits == 0)
                   : Value{};
      }
      case ExprKind::Binary:
        return binary(static_cast<BinaryOp>(expr.op), evaluate(expr.a, depth + 1), evaluate(expr.b, depth + 1));
      default:
        return {};
    }
  }
  static Value flag(bool value) { return {ValueType::Flag, value ? 1U : 0U}; }

  static Value binary(BinaryOp op, const Value& a, const Value& b) {
    const bool flags = a.type == ValueType::Flag && b.type == ValueType::Flag;
    const auto is = [](const Value& value, bool wanted) {
      return value.type == ValueType::Flag && (value.bits != 0) == wanted;
    };
    switch (op) {
      case BinaryOp::And:
        if (is(a, false) || is(b, false)) return flag(false);
        return flags ? flag(true) : Value{};
      case BinaryOp::Or:
        if (is(a, true) || is(b, true)) return flag(true);
        return flags ? flag(false) : Value{};
      case BinaryOp::Equal:
      case BinaryOp::NotEqual:
        if (a.type == ValueType::None || a.type != b.type || a.type == ValueType::Float) return {};
        return flag((a == b) == (op == BinaryOp::Equal));
      case BinaryOp::Less:
      case BinaryOp::Greater:
      case BinaryOp::LessEqual:
      case BinaryOp::GreaterEqual:
        return ordered(op, a, b);
      default:
        return {};
    }
  }
  static Value ordered(BinaryOp op, const Value& a, const Value& b) {
    if (a.type != ValueType::Uint || b.type != ValueType::Uint) return {};
    return flag(op == BinaryOp::Less        ? a.bits < b.bits
                : op == BinaryOp::Greater   ? a.bits > b.bits
                : op == BinaryOp::LessEqual ? a.bits <= b.bits
                                            : a.bits >= b.bits);
  }

  // An option, or a constant declared before.
  Value named(NameId name, std::uint32_t before, int depth) const {
    if (name >= program_.first_value.size()) return switch_word(name);
    ItemId item = program_.first_value[name];
    if (item == kNone) return switch_word(name);
    for (; item != kNone; item = program_.items[item].next_same_name) {
      const Item& of = program_.items[item];
      if (of.kind == ItemKind::Option) {
        if (of.index < unknown_.size() && unknown_[of.index]) return {};
        return assignment_.has(of.index) ? assignment_.values[of.index] : program_.options[of.index].initial;
      }
      if (of.kind != ItemKind::Constant || of.range.begin >= before) return {};
      if (of.condition != 0) {
        const Value active = evaluate(of.condition, depth + 1);
        if (active.type == ValueType::None) return {};
        if (active.bits == 0) continue;
      }
      // Each constant once: constants may refer to one another many times.
      if (const auto known = constants_.find(item); known != constants_.end()) return known->second;
      const Value value = evaluate(of.value, depth + 1);
      constants_.emplace(item, value);
      return value;
    }
    return {};
  }
  static Value switch_word(NameId name) {
    return name == Word::on ? flag(true) : name == Word::off ? flag(false) : Value{};
  }

  const Program& program_;
  const Assignment& assignment_;
  std::vector<bool> unknown_;
  std::vector<Range> found_;
  mutable std::unordered_map<ItemId, Value> constants_;
};

}  // namespace

std::vector<Range> common_ranges(const std::vector<Range>& a, const std::vector<Range>& b) {
  std::vector<Range> common;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Range both = {std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    if (both.begin < both.end) common.push_back(both);
    a[i].end < b[k].end ? ++i : ++k;
  }
  return common;
}

std::vector<Range> unreachable_ranges(const Program& program, const VariantOptions& options,
                                      std::span<const Assignment> leaves) {
  std::vector<Range> common;
  for (const Assignment& leaf : leaves) {
    Assignment assignment = leaf;
    std::vector<bool> unknown(program.options.size());
    for (OptionId option = 0; option < program.options.size(); ++option) {
      if (leaf.has(option)) continue;
      const std::size_t values = option < options.domains.size() ? options.domains[option].size() : 0;
      if (options.fixed.has(option))
        assignment.set(option, options.fixed.values[option]);
      else if (values == 1)
        assignment.set(option, options.domains[option].front());
      else
        unknown[option] = values > 1;
    }
    std::vector<Range> here = InactiveFinder(program, assignment, unknown).find();
    common = &leaf == leaves.data() ? std::move(here) : common_ranges(common, here);
    if (common.empty()) break;
  }
  return common;
}

std::vector<Range> inactive_ranges(const Program& program, const Assignment& assignment) {
  return InactiveFinder(program, assignment).find();
}

}  // namespace slipway::rpl::lsp
