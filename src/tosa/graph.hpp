// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph: operators on tensors, the hub between every model format, the interpreter and the kernels.
//
//   Graph graph;
//   const ValueId x = graph.add_input({DataType::I8, {1, 4, 4, 2}}, "x");
//   const ValueId y = graph.add_node(Op::CAST, {x}, {}, {{DataType::I32, {1, 4, 4, 2}}})[0];
//   graph.outputs = {y};
//
// A value is an input of the graph, a constant or the result of a node. Nodes are in an order in which every value is
// computed before it is used. The data of constants is referenced in the file where possible, not copied. Shape
// operands, zero points and other constant operands of one element are attributes; only tensors that a kernel would
// load are inputs of a node.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/text/source.hpp"
#include "tosa/operators.hpp"

namespace slipway::tosa {

enum class ValueId : std::uint32_t {};
inline constexpr ValueId kNoValue{0xffffffff};
constexpr std::size_t index(ValueId value) { return static_cast<std::size_t>(value); }

// The attributes of a node by the names of operators.def. Numbers, flags and enumerants are one integer; lists are
// integers; a scalar of a float type is a real number (every value of every float type is exact in a double).
class Attributes {
 public:
  struct Entry {
    std::string_view name;  // from operators.def, with static lifetime
    std::vector<std::int64_t> integers;
    double real = 0;
    bool operator==(const Entry&) const = default;
  };

  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string_view, std::vector<std::int64_t>>> entries);

  void set(std::string_view name, std::vector<std::int64_t> integers);
  void set(std::string_view name, std::int64_t integer) { set(name, std::vector{integer}); }
  void set_real(std::string_view name, double value);

  const Entry* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // 0, false or empty for an attribute that is missing.
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const { return integer(name) != 0; }
  std::span<const std::int64_t> list(std::string_view name) const;
  double real(std::string_view name) const;  // integers are converted
  template <class E>
  E enumerant(std::string_view name) const {
    return static_cast<E>(integer(name));
  }

  std::span<const Entry> entries() const { return entries_; }
  bool operator==(const Attributes&) const = default;

 private:
  Entry& entry(std::string_view name);
  std::vector<Entry> entries_;
};

enum class ValueKind : std::uint8_t { Input, Constant, Result };

struct Value {
  TensorType type;
  ValueKind kind = ValueKind::Input;
  std::uint32_t source = 0;  // index into inputs, constants or nodes
  std::string name;          // from the file; may be empty and need not be unique
};

// The data of a constant, packed, in the storage of its type.
struct Constant {
  Bytes data;          // all elements, or a single one when `splat`
  bool splat = false;  // all elements are equal
  // The id under which a VGF file binds data to it (GraphConstantID); `data` is empty until that is done.
  std::optional<std::uint32_t> graph_constant;
  ValueId value{};
};

struct CustomOperator {
  std::string domain, name, attributes;
};

struct Node {
  Op op{};
  std::vector<ValueId> inputs;  // tensors, in the order of operators.def
  std::vector<ValueId> outputs;
  Attributes attributes;
  std::string name;                              // from the file's debug information
  SourceLocation location;                       // in the file that the graph was read from
  std::shared_ptr<const CustomOperator> custom;  // for CUSTOM only
};

// Where a graph input or output is bound: a descriptor, or an element of an array of descriptors.
struct Binding {
  std::uint32_t set = 0, binding = 0, element = 0;
  auto operator<=>(const Binding&) const = default;
};
// "set 0, binding 2", with the element of an array if it is not the first.
std::string text_of(const Binding& at);

struct Graph {
  std::string name;  // the entry point's
  std::vector<Value> values;
  std::vector<Constant> constants;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs, outputs;
  std::vector<Binding> input_bindings, output_bindings;  // one for each input and output, or empty
  // Data that the graph owns.
  std::vector<std::shared_ptr<const std::vector<std::byte>>> storage;

  const Value& operator[](ValueId value) const { return values[index(value)]; }
  Value& operator[](ValueId value) { return values[index(value)]; }
  const Constant* constant(ValueId value) const {
    const Value& of = (*this)[value];
    return of.kind == ValueKind::Constant ? &constants[of.source] : nullptr;
  }
  const Node* producer(ValueId value) const {
    const Value& of = (*this)[value];
    return of.kind == ValueKind::Result ? &nodes[of.source] : nullptr;
  }

  ValueId add_input(TensorType type, std::string name = {});
  // `data` must outlive the graph.
  ValueId add_constant(TensorType type, Bytes data, bool splat = false, std::string name = {});
  ValueId add_constant(TensorType type, std::vector<std::byte> data, bool splat = false, std::string name = {});
  ValueId add_graph_constant(TensorType type, std::uint32_t graph_constant, std::string name = {});
  std::vector<ValueId> add_node(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                std::vector<TensorType> results);
  // Of a node with one result.
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes, TensorType result) {
    return add_node(op, std::move(inputs), std::move(attributes), {std::move(result)})[0];
  }
};

// The integers of a constant with an integer type; a splat counts once for each element. Empty for other values.
std::vector<std::int64_t> integers_of(const Graph& graph, ValueId value);

}  // namespace slipway::tosa
