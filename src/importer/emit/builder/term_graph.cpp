// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/builder/term_graph.hpp"

#include <limits>

#include "base/format.hpp"
#include "tosa/check/shapes.hpp"

namespace slipway::importer {

using tosa::Op;
using tosa::ValueId;

std::int64_t Term::count() const {
  return static_cast<std::int64_t>(tensor::element_count(shape).value_or(std::numeric_limits<std::int64_t>::max()));
}

std::int64_t Term::extent(std::int64_t dimension) const { return shape[axis_of(dimension, rank())]; }

Term known_term(Array array) {
  Term made{.type = array.type, .shape = array.shape, .known = {}, .value = tosa::kNoValue, .quantization = nullptr};
  made.known = std::move(array);
  return made;
}

Term sequence_of(std::vector<Term> terms) {
  Term made;
  made.sequence = std::make_shared<const std::vector<Term>>(std::move(terms));
  return made;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto dimensions = static_cast<std::int64_t>(rank);
  const std::int64_t from_front = axis < 0 ? axis + dimensions : axis;
  if (from_front < 0 || from_front >= dimensions)
    throw Refused(formatted("the axis {} is out of range for a tensor of rank {}", axis, rank));
  return static_cast<std::size_t>(from_front);
}

tensor::Shape broadcast_shape(tensor::ShapeView a, tensor::ShapeView b) {
  tensor::Shape shape(std::max(a.size(), b.size()));
  for (std::size_t d = 1; d <= shape.size(); ++d) {
    const std::int64_t of_a = d <= a.size() ? a[a.size() - d] : 1;
    const std::int64_t of_b = d <= b.size() ? b[b.size() - d] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      throw Refused(
          formatted("the shapes {} and {} do not fit together", tensor::shape_text(a), tensor::shape_text(b)));
    }
    shape[shape.size() - d] = of_a == 1 ? of_b : of_a;
  }
  return shape;
}

namespace {

// The elements of a known term in the storage of the graph's type: integers of 64 bits in 32, doubles as floats.
Array in_graph_storage(const Array& array) {
  switch (array.type) {
    case FileType::I64:
    case FileType::U64:
      for (std::size_t i = 0; i < array.count(); ++i) {
        const std::int64_t value = array.integer(i);
        if (value != static_cast<std::int32_t>(value)) {
          throw Refused(formatted("the constant {} does not fit in 32 bits, in which {} is computed", value,
                                  name_of(array.type)));
        }
      }
      return array_of(FileType::I32, array.shape, array.integers());
    case FileType::F64:
      return array_of(FileType::F32, array.shape, array.reals());
    default:
      return array;
  }
}

// Numbers that are made on the host, for one tensor and for all; and operators, which may be those of unrolled steps.
constexpr std::size_t kMaxNumbers = 1 << 24, kMaxAllNumbers = 1 << 27, kMaxNodes = 1 << 20;

bool all_equal(Bytes data, std::size_t size) {
  return data.size() > size && std::memcmp(data.data(), data.data() + size, data.size() - size) == 0;
}

}  // namespace

ValueId TermGraph::value(const Term& term) {
  if (term.rank() > kMaxGraphRank)
    throw Refused(formatted("a tensor has rank {}; {} is the limit", term.rank(), kMaxGraphRank));
  if (term.value != tosa::kNoValue) return term.value;
  if (term.count() == 0) throw Refused("a tensor without elements reaches an operator");
  Array stored = in_graph_storage(*term.known);
  const tosa::TensorType type{info_of(term.type).graph, term.shape.empty() ? tensor::Shape{1} : term.shape};
  const std::size_t size = stored.element_size();
  const bool splat = stored.count() <= kMaxFolded && all_equal(stored.data, size);
  if (!stored.owner) return graph_.add_constant(type, splat ? stored.data.first(size) : stored.data, splat);
  if (splat) stored.data = stored.data.first(size);
  return graph_.add_constant(type, std::vector(stored.data.begin(), stored.data.end()), splat);
}

Term TermGraph::term(ValueId of, FileType type) const {
  return {.type = type, .shape = graph_[of].type.shape, .known = {}, .value = of, .quantization = nullptr};
}

void TermGraph::will_make(const tensor::Shape& shape) const {
  const std::size_t count = tensor::element_count(shape).value_or(kMaxNumbers + 1);
  if (count > kMaxNumbers)
    throw Refused(
        formatted("a tensor of shape {} is too large to be computed before the run", tensor::shape_text(shape)));
  made_ += count;
  if (made_ > kMaxAllNumbers)
    throw Refused(formatted("more than {} numbers are computed before the run", kMaxAllNumbers));
}

Term TermGraph::number(FileType type, double number, tensor::Shape shape) const {
  will_make(shape);
  const std::vector<double> numbers(tensor::element_count(shape).value_or(0), number);
  return known_term(array_of(type, std::move(shape), std::span<const double>(numbers)));
}

Term TermGraph::integers(FileType type, tensor::Shape shape, std::span<const std::int64_t> values) const {
  return known_term(array_of(type, std::move(shape), values));
}

Term TermGraph::arange(FileType type, std::int64_t first, std::int64_t count, std::int64_t step) const {
  will_make({count});
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<std::int64_t>(i) * step;
  return integers(type, {count}, values);
}

Term TermGraph::apply(Op op, const Term& x, FileType type, tosa::Attributes attributes,
                      std::initializer_list<ValueId> others) {
  std::vector<ValueId> inputs{value(x)};
  inputs.insert(inputs.end(), others.begin(), others.end());
  Term made = term(add(op, std::move(inputs), std::move(attributes), info_of(type).graph), type);
  made.shape = x.shape;
  return made;
}

Term TermGraph::renamed(const Term& x, FileType type) {
  Term made = term(value(x), type);
  made.shape = x.shape;
  return made;
}

ValueId TermGraph::add(Op op, std::vector<ValueId> inputs, tosa::Attributes attributes) {
  const tosa::DataType type = graph_[inputs.front()].type.data;
  return add(op, std::move(inputs), std::move(attributes), type);
}

ValueId TermGraph::add(Op op, std::vector<ValueId> inputs, tosa::Attributes attributes, tosa::DataType result) {
  if (graph_.nodes.size() >= kMaxNodes) throw Refused(formatted("the graph gets more than {} operators", kMaxNodes));
  tosa::Node node;
  node.op = op;
  node.inputs = inputs;
  node.attributes = attributes;
  // The shape rules of some operators look at the types of their results.
  const auto made = graph_.add(op, std::move(inputs), std::move(attributes), {result, {}});
  tosa::Node& added = graph_.nodes.back();
  added.name = origin;
  added.location = location;
  Diagnostics problems;
  const auto shapes = tosa::result_shapes(graph_, added, problems);
  if (!shapes) throw Refused(problems.all().empty() ? "its shapes do not fit" : problems.all().front().message);
  graph_[made].type.shape = shapes->front();
  if (graph_[made].type.shape.size() > kMaxGraphRank)
    throw Refused(formatted("a tensor has rank {}; {} is the limit", graph_[made].type.shape.size(), kMaxGraphRank));
  return made;
}

}  // namespace slipway::importer
