// A kernel in the making: elements of values of a graph, loaded where they are stored, else computed on the way.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lower/operators/operation.hpp"
#include "lower/widening.hpp"

namespace slipway::lower {

// A buffer of a kernel, by its binding: that of a value, or one that the program has besides.
struct Slot {
  std::optional<tosa::ValueId> value;
  std::uint32_t buffer = 0;  // of the program, for those without a value
  bool raw = false;          // read in another way than element by element
};

class KernelMaker final : public Elements {
 public:
  // `stored` as plan_fusion gives it, `widened` as plan_widening does; all must live as long.
  KernelMaker(const tosa::Graph& graph, const std::vector<bool>& stored, const Widening& widened,
              const FloatFacts& floats, Grid grid)
      : graph_(graph), stored_(stored), widened_(widened), kernel_(floats, grid) {}

  const tosa::Graph& graph() const { return graph_; }
  Kernel& kernel() { return kernel_; }

  Value at(tosa::ValueId value, const Coordinates& coordinates) override;
  // The element of a stored value that has this row-major index.
  Value load_stored(tosa::ValueId value, Value index);
  // What is stored for an element of a value.
  Value stored_form(tosa::ValueId value, Value element);
  // An element of a result as its declared type has it.
  Value compute(const tosa::Node& node, std::size_t number, const Coordinates& coordinates);
  // The same of a number that a kernel has computed in its own way.
  Value result(const tosa::Node& node, std::size_t number, Value value);
  // From now on any element of this value is this one: what a kernel has computed in its own way.
  void fix(tosa::ValueId value, Value element) { fixed_[tosa::index(value)] = element; }

  // The buffers; the one that is written must come last.
  BufferRef read(tosa::ValueId value);
  BufferRef read_as(tosa::ValueId value, ElementType type);  // its elements' bits, of a type of the same size
  BufferRef read_packed(std::uint32_t buffer, ElementType type);
  BufferRef read_chunks(tosa::ValueId value);
  BufferRef read_packed_chunks(std::uint32_t buffer);
  BufferRef write(tosa::ValueId value);
  BufferRef write_packed(std::uint32_t buffer, ElementType type);

  bool is_stored(tosa::ValueId value) const { return stored_[tosa::index(value)]; }
  const std::vector<Slot>& slots() const { return slots_; }
  // Computed, in their order in the graph.
  std::vector<std::uint32_t> nodes() const;
  void add_node(const tosa::Node& node);

 private:
  ElementType stored_type(tosa::ValueId value) const;
  Value splat(const tosa::Constant& constant, tosa::DataType type);

  const tosa::Graph& graph_;
  const std::vector<bool>& stored_;
  const Widening& widened_;
  Kernel kernel_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> nodes_;
  std::map<std::size_t, Value> fixed_;  // by value
};

// The row-major index of coordinates.
Value linear_index(Kernel& kernel, const tensor::Shape& shape, const Coordinates& at);

}  // namespace slipway::lower
