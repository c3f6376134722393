// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optional values: lists of terms that vanish while the graph is made (docs/spec/import.md#folding).
#include <algorithm>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

const std::vector<Term>& sequence_operand(const NodeContext& node, std::size_t i) {
  const Term& term = node.operand(i);
  if (!term.sequence || term.is_optional) throw Refused(formatted("the operand {} is not a sequence", i));
  return *term.sequence;
}

// A position that may be counted from the end; `limit`: how many there are.
std::ptrdiff_t position(const NodeContext& node, std::size_t i, std::size_t limit) {
  const std::int64_t given = integer_operand(node, i, "position");
  const auto count = static_cast<std::int64_t>(limit);
  const std::int64_t at = given < 0 ? given + count : given;
  if (at < 0 || at >= count) throw Refused(formatted("the position {} is out of range of a sequence", given));
  return at;
}

}  // namespace

void emit_onnx_SequenceConstruct(NodeContext& node) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < node.inputs(); ++i) terms.push_back(node.in(i));
  node.out(0, sequence_of(std::move(terms)));
}

void emit_onnx_SequenceEmpty(NodeContext& node) { node.out(0, sequence_of({})); }

void emit_onnx_SequenceInsert(NodeContext& node) {
  std::vector<Term> terms = sequence_operand(node, 0);
  std::ptrdiff_t at = std::ssize(terms);
  if (node.has(2)) {
    // The end is a position, too; those below 0 are counted from it.
    const std::int64_t given = integer_operand(node, 2, "position");
    at = given < 0 ? given + std::ssize(terms) : given;
    if (at < 0 || at > std::ssize(terms))
      throw Refused(formatted("the position {} is out of range of a sequence", given));
  }
  terms.insert(terms.begin() + at, node.in(1));
  node.out(0, sequence_of(std::move(terms)));
}

void emit_onnx_SequenceErase(NodeContext& node) {
  std::vector<Term> terms = sequence_operand(node, 0);
  if (terms.empty()) throw Refused("the sequence is empty");
  const std::ptrdiff_t at = node.has(1) ? position(node, 1, terms.size()) : std::ssize(terms) - 1;
  terms.erase(terms.begin() + at);
  node.out(0, sequence_of(std::move(terms)));
}

void emit_onnx_SequenceAt(NodeContext& node) {
  const std::vector<Term>& terms = sequence_operand(node, 0);
  node.out(0, terms[static_cast<std::size_t>(position(node, 1, terms.size()))]);
}

void emit_onnx_SequenceLength(NodeContext& node) {
  const std::int64_t length = std::ssize(sequence_operand(node, 0));
  node.out(0, node.b.integers(FileType::I64, {}, std::span(&length, 1)));
}

void emit_onnx_SplitToSequence(NodeContext& node) {
  constexpr std::int64_t kMaxParts = 4096;
  const Term& x = node.in(0);
  const std::int64_t axis = node.integer("axis", 0), extent = x.extent(axis);
  std::vector<std::int64_t> sizes;
  if (node.has(1) && node.in(1).rank() == 1) {
    sizes = node.integers(1, "split");
  } else {
    const std::int64_t size = node.has(1) ? integer_operand(node, 1, "split") : 1;
    if (size < 1) throw Refused(formatted("the size of a part is {}", size));
    if (extent / size > kMaxParts) throw Refused(formatted("a sequence of {} tensors is too long", extent / size));
    for (std::int64_t start = 0; start < extent; start += size) sizes.push_back(std::min(size, extent - start));
  }
  const bool keep = node.has(1) || node.flag("keepdims", true);
  std::vector<Term> terms;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || start + size > extent) throw Refused("its sizes do not fit the tensor");
    const Term part = node.b.slice_axis(x, axis, start, size);
    terms.push_back(keep ? part : node.b.squeeze(part, axis));
    start += size;
  }
  if (start != extent) throw Refused(formatted("its sizes have the sum {}; the axis has {} elements", start, extent));
  node.out(0, sequence_of(std::move(terms)));
}

void emit_onnx_ConcatFromSequence(NodeContext& node) {
  std::vector<Term> terms = sequence_operand(node, 0);
  const std::int64_t axis = node.integer("axis");
  if (node.flag("new_axis")) {
    for (Term& term : terms) term = node.b.unsqueeze(term, axis);
  }
  node.out(0, node.b.concat(terms, axis));
}

void emit_onnx_SequenceMap(NodeContext& node) {
  constexpr std::size_t kMaxIterations = 4096;
  const auto body = node.graph("body");
  if (!body) throw Refused("the attribute `body` is missing");
  const std::size_t length = sequence_operand(node, 0).size();
  if (length > kMaxIterations) throw Refused(formatted("{} iterations are too many", length));
  std::vector<std::vector<Term>> results(node.outputs());
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Term> operands;
    for (std::size_t k = 0; k < node.inputs(); ++k) {
      const Term& given = node.operand(k);
      if (given.sequence && given.sequence->size() != length) throw Refused("its sequences have different lengths");
      operands.push_back(given.sequence ? (*given.sequence)[i] : given);
    }
    const std::vector<Term> made = node.run(*body, operands, formatted("SequenceMap[{}]", i));
    if (made.size() < results.size()) throw Refused("its body has too few results");
    for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(made[k]);
  }
  for (std::size_t k = 0; k < results.size(); ++k) node.out(k, sequence_of(std::move(results[k])));
}

void emit_onnx_Optional(NodeContext& node) {
  std::vector<Term> terms;
  if (node.has(std::size_t{0})) terms.push_back(node.operand(0));
  Term made = sequence_of(std::move(terms));
  made.is_optional = true;
  node.out(0, std::move(made));
}

void emit_onnx_OptionalHasElement(NodeContext& node) {
  bool has_element = node.has(std::size_t{0});
  if (has_element && node.operand(0).is_optional) has_element = !node.operand(0).sequence->empty();
  node.out(0, node.b.number(FileType::Bool, has_element ? 1 : 0));
}

void emit_onnx_OptionalGetElement(NodeContext& node) {
  const Term& given = node.operand(0);
  if (!given.is_optional) return node.out(0, given);
  if (given.sequence->empty()) throw Refused("the optional value is empty");
  node.out(0, given.sequence->front());
}

}  // namespace slipway::importer
