// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: sums of products over named dimensions (docs/spec/import.md#matrix-products-convolutions-pooling).
#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

// A letter of the equation, or -1, -2, ... for the dimensions of an ellipsis, counted from its end.
using Label = int;
using Labels = std::vector<Label>;

struct Labelled {
  Term term;
  Labels labels;
};

struct Equation {
  std::vector<std::string> operands;
  std::optional<std::string> result;
};

Equation parsed(std::string text) {
  std::erase(text, ' ');
  Equation equation;
  if (const std::size_t arrow = text.find("->"); arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    text.resize(arrow);
  }
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = text.find(',', begin);
    equation.operands.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return equation;
    begin = comma + 1;
  }
}

// `dimensions`: of the ellipsis.
Labels labels_of(const std::string& subscripts, std::size_t dimensions) {
  Labels labels;
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    const char letter = subscripts[i];
    if (subscripts.compare(i, 3, "...") == 0) {
      for (std::size_t d = dimensions; d > 0; --d) labels.push_back(-static_cast<Label>(d));
      i += 2;
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
      labels.push_back(letter);
    } else {
      throw Refused(formatted("`{}` in the equation is not a letter", letter));
    }
  }
  return labels;
}

std::size_t letters_of(const std::string& subscripts) {
  return static_cast<std::size_t>(std::ranges::count_if(subscripts, [](char c) { return c != '.'; }));
}

class Contraction {
 public:
  explicit Contraction(Builder& builder) : b_(builder) {}

  // A label that occurs twice selects the diagonal of its dimensions.
  Labelled without_repeats(Labelled x) {
    for (std::size_t i = 0; i < x.labels.size(); ++i) {
      for (std::size_t j = i + 1; j < x.labels.size(); ++j) {
        if (x.labels[i] != x.labels[j]) continue;
        x = diagonal(std::move(x), i, j);
        --j;
      }
    }
    return x;
  }

  // Sums over the labels that neither are in `needed`.
  Labelled reduced(Labelled x, const std::set<Label>& needed) {
    std::vector<std::int64_t> axes;
    Labels labels;
    for (std::size_t i = 0; i < x.labels.size(); ++i) {
      if (needed.contains(x.labels[i]))
        labels.push_back(x.labels[i]);
      else
        axes.push_back(static_cast<std::int64_t>(i));
    }
    if (axes.empty()) return x;
    return {b_.reduce(Reduction::Sum, x.term, std::move(axes), false), std::move(labels)};
  }

  // The product of two, of whose common labels those are summed that are not needed.
  Labelled product(const Labelled& x, const Labelled& y, const std::set<Label>& needed) {
    Labels batch, summed, of_x, of_y;
    for (const Label label : x.labels) {
      if (!std::ranges::contains(y.labels, label))
        of_x.push_back(label);
      else
        (needed.contains(label) ? batch : summed).push_back(label);
    }
    for (const Label label : y.labels) {
      if (!std::ranges::contains(x.labels, label)) of_y.push_back(label);
    }
    std::map<Label, std::int64_t> extents;
    for (const Labelled* each : {&x, &y}) {
      for (std::size_t i = 0; i < each->labels.size(); ++i) {
        std::int64_t& extent = extents.try_emplace(each->labels[i], 1).first->second;
        const std::int64_t own = each->term.shape[i];
        if (own != 1 && extent != 1 && own != extent)
          throw Refused(formatted("a dimension of the equation has {} and {} elements", extent, own));
        extent = own == 1 ? extent : own;
      }
    }
    Labels labels = batch;
    labels.insert(labels.end(), of_x.begin(), of_x.end());
    labels.insert(labels.end(), of_y.begin(), of_y.end());
    if (summed.empty()) return {b_.mul(spread(x, labels), spread(y, labels)), labels};
    const std::int64_t batches = count(batch, extents), inner = count(summed, extents);
    const Term left = arranged(x, {batch, of_x, summed}, extents);
    const Term right = arranged(y, {batch, summed, of_y}, extents);
    const Term made = b_.matmul(b_.reshape(left, {batches, count(of_x, extents), inner}),
                                b_.reshape(right, {batches, inner, count(of_y, extents)}));
    tensor::Shape shape;
    for (const Label label : labels) shape.push_back(extents[label]);
    return {b_.reshape(made, std::move(shape)), labels};
  }

  Term ordered(const Labelled& x, const Labels& labels) {
    std::vector<std::int64_t> permutation;
    for (const Label label : labels) permutation.push_back(std::ranges::find(x.labels, label) - x.labels.begin());
    return b_.transpose(x.term, std::move(permutation));
  }

 private:
  Labelled diagonal(Labelled x, std::size_t i, std::size_t j) {
    const std::int64_t extent = x.term.shape[i];
    if (x.term.shape[j] != extent) throw Refused("a repeated label of the equation has dimensions of two extents");
    std::vector<std::int64_t> permutation;
    for (std::size_t d = 0; d < x.labels.size(); ++d) {
      if (d == j) continue;
      permutation.push_back(static_cast<std::int64_t>(d));
      if (d == i) permutation.push_back(static_cast<std::int64_t>(j));
    }
    const Term moved = b_.transpose(x.term, std::move(permutation));
    tensor::Shape merged = moved.shape;
    merged[i] = extent * extent;
    merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(j));
    x.term = b_.stride(b_.reshape(moved, std::move(merged)), static_cast<std::int64_t>(i), 0, extent + 1, extent);
    return x;
  }

  static std::int64_t count(const Labels& labels, const std::map<Label, std::int64_t>& extents) {
    std::int64_t product = 1;
    for (const Label label : labels) product *= extents.at(label);
    return product;
  }

  // With the dimensions of `labels`, of one element where x has none.
  Term spread(const Labelled& x, const Labels& labels) {
    Labels own;
    tensor::Shape shape;
    for (const Label label : labels) {
      const auto found = std::ranges::find(x.labels, label);
      if (found == x.labels.end()) {
        shape.push_back(1);
      } else {
        own.push_back(label);
        shape.push_back(x.term.shape[static_cast<std::size_t>(found - x.labels.begin())]);
      }
    }
    return b_.reshape(ordered(x, own), std::move(shape));
  }

  // With its dimensions in the order of the groups and of the extents of the product.
  Term arranged(const Labelled& x, const std::vector<Labels>& groups, std::map<Label, std::int64_t>& extents) {
    Labels order;
    for (const Labels& group : groups) order.insert(order.end(), group.begin(), group.end());
    tensor::Shape shape;
    for (const Label label : order) shape.push_back(extents[label]);
    return b_.broadcast(ordered(x, order), shape);
  }

  Builder& b_;
};

// The labels of the result of an equation without an arrow: those of the ellipsis and the letters that occur once.
Labels implied(const std::vector<Labelled>& operands) {
  std::map<Label, int> counts;
  for (const Labelled& operand : operands) {
    for (const Label label : operand.labels) ++counts[label];
  }
  Labels labels;
  for (const auto& [label, count] : counts) {
    if (label < 0 || count == 1) labels.push_back(label);
  }
  return labels;
}

}  // namespace

void emit_onnx_Einsum(NodeContext& node) {
  const Equation equation = parsed(node.text("equation", ""));
  if (equation.operands.size() != node.inputs())
    throw Refused(
        formatted("the equation has {} operands and the node has {}", equation.operands.size(), node.inputs()));
  std::size_t dimensions = 0;
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const std::string& subscripts = equation.operands[i];
    const std::size_t rank = node.in(i).rank(), letters = letters_of(subscripts);
    const bool has_ellipsis = subscripts.contains("...");
    if (letters > rank || (!has_ellipsis && letters != rank))
      throw Refused(formatted("`{}` of the equation does not fit a tensor of rank {}", subscripts, rank));
    const std::size_t own = has_ellipsis ? rank - letters : 0;
    dimensions = std::max(dimensions, own);
    operands.push_back({node.in(i), labels_of(subscripts, own)});
  }
  const Labels result = equation.result ? labels_of(*equation.result, dimensions) : implied(operands);
  Contraction contraction(node.b);
  for (Labelled& operand : operands) operand = contraction.without_repeats(std::move(operand));
  std::optional<Labelled> made;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    // What the result and later operands have is needed.
    std::set<Label> later(result.begin(), result.end());
    for (std::size_t j = i + 1; j < operands.size(); ++j)
      later.insert(operands[j].labels.begin(), operands[j].labels.end());
    std::set<Label> own = later;
    if (made) own.insert(made->labels.begin(), made->labels.end());
    Labelled next = contraction.reduced(std::move(operands[i]), own);
    if (!made) {
      made = std::move(next);
      continue;
    }
    std::set<Label> of_made = later;
    of_made.insert(next.labels.begin(), next.labels.end());
    made = contraction.product(contraction.reduced(*std::move(made), of_made), next, later);
  }
  for (const Label label : result) {
    if (!std::ranges::contains(made->labels, label))
      throw Refused("the result of the equation has a label that no operand has");
  }
  node.out(0, contraction.ordered(*made, result));
}

}  // namespace slipway::importer
