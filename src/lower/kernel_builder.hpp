// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a kernel from elements of values of a graph, which are loaded where they are stored and otherwise computed.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lower/operators/operation.hpp"
#include "lower/plan/widening.hpp"

namespace slipway::lower {

// A buffer of a kernel, by binding: the buffer of a value, or an additional one of the program.
struct Slot {
  std::optional<tosa::ValueId> value;
  std::uint32_t buffer = 0;  // index in the program, for those without a value
  bool raw = false;          // not read element by element
  bool exchanged = false;    // Access::Exchange
};

class KernelBuilder final : public Elements {
 public:
  // `stored` is the result of plan_fusion, `widened` that of plan_widening; all references must outlive the builder.
  // `links`: of a linked kernel, the buffer of the program with the counters of stages.
  KernelBuilder(const tosa::Graph& graph, const std::vector<bool>& stored, const Widening& widened,
                const FloatFacts& floats, Grid grid, std::uint32_t links = 0);

  const tosa::Graph& graph() const { return graph_; }
  Kernel& kernel() { return kernel_; }

  Value at(tosa::ValueId value, const Coordinates& coordinates) override;
  // The element of a stored value at a row-major index.
  Value load_stored(tosa::ValueId value, Value index);
  // The form in which an element of a value is stored. Of an output, every NaN is the canonical one.
  Value stored_form(tosa::ValueId value, Value element);
  // An element of a result of a node, rounded to its declared type.
  Value compute(const tosa::Node& node, std::size_t result_index, const Coordinates& coordinates);
  // The same from a value that a strategy has computed itself.
  Value result(const tosa::Node& node, std::size_t result_index, Value value);
  // From now on `at` returns this for any element of the value: a strategy has computed it itself.
  void fix(tosa::ValueId value, Value element) {
    fixed_[tosa::index(value)] = element;
    computed_.clear();
  }

  // The buffers; the one that is written must come last.
  BufferRef read(tosa::ValueId value);
  BufferRef read_as(tosa::ValueId value, ElementType type);  // the bits of its elements, as a type of the same size
  BufferRef read_packed(std::uint32_t buffer, ElementType type);
  BufferRef read_chunks(tosa::ValueId value);
  BufferRef read_packed_chunks(std::uint32_t buffer);
  BufferRef exchange_packed(std::uint32_t buffer, ElementType type);
  BufferRef write(tosa::ValueId value);
  BufferRef write_packed(std::uint32_t buffer, ElementType type);

  // Before and after all accesses to what other dispatches write and read. Nothing if the kernel is not linked.
  void wait_for_stage();
  void count_for_stage();

  bool is_stored(tosa::ValueId value) const { return stored_[tosa::index(value)]; }
  const std::vector<Slot>& slots() const { return slots_; }
  // The nodes that are computed, in their order in the graph.
  std::vector<std::uint32_t> nodes() const;
  void add_node(const tosa::Node& node);

 private:
  ElementType stored_type(tosa::ValueId value) const;
  Value computed(tosa::ValueId value, const Coordinates& coordinates);
  Value splat(const tosa::Constant& constant, tosa::DataType type);

  const tosa::Graph& graph_;
  const std::vector<bool>& stored_;
  const Widening& widened_;
  Kernel kernel_;
  std::vector<Slot> slots_;
  BufferRef waits_, counts_;  // of linked kernels
  std::vector<std::uint32_t> nodes_;
  std::map<std::size_t, Value> fixed_;  // by value
  // Elements that several operators of a kernel read are computed once per block: by value and coordinates.
  using ElementKey = std::pair<std::size_t, std::vector<std::pair<bool, std::int64_t>>>;
  struct Computed {
    std::uint32_t block = 0;
    Value element;
  };
  std::map<ElementKey, Computed> computed_;
};

// The row-major index of coordinates.
Value linear_index(Kernel& kernel, const tensor::Shape& shape, const Coordinates& at);

}  // namespace slipway::lower
