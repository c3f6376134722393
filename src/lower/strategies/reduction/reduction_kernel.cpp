// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of reduction fusions: the invocations of a workgroup share one row, or a few short ones; on a CPU the lanes
// of a vector do.
//
// Each invocation folds its own elements of a row. The partial results go through shared memory, from where every
// invocation combines them into the result of the whole row; lanes read each other's directly. With values in registers
// a row is read from memory once and written once, however many passes there are.
#include <bit>
#include <functional>
#include <map>
#include <span>

#include "base/checked.hpp"
#include "lower/operator_traits.hpp"
#include "lower/operators/reduce.hpp"
#include "lower/strategies/reduction/reduction_fusion.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::ValueId;

// An index modulo a power of two, and divided by it.
Value low(Kernel& k, Value index, std::int64_t power) { return power == 1 ? k.integer(0) : index & (power - 1); }
Value high(Value index, std::int64_t power) { return index >> std::countr_zero(static_cast<std::uint64_t>(power)); }

// The word in shared memory for a value of any type but long.
Value word_of(Kernel& k, Value value) { return value.type() == Scalar::Float ? k.bits_of(value) : k.to_int(value); }
Value from_word(Kernel& k, Scalar type, Value word) {
  if (type == Scalar::Bool) return word != 0;
  return type == Scalar::Float ? k.float_of_bits(word) : word;
}

constexpr std::int64_t kMaxReadAhead = 8;  // steps whose operands fit into registers together

class ReductionKernel {
 public:
  ReductionKernel(KernelBuilder& builder, const ReductionFusion& fusion, const ReductionGrid& grid)
      : builder_(builder), k_(builder.kernel()), fusion_(fusion), axis_(fusion.axis), grid_(grid) {}

  void run() {
    begin();
    if (k_.is_for_gpu() && grid_.steps <= kMaxReadAhead) read_ahead();
    for (const Node* node : fusion_.nodes) compute(*node);
    store(fusion_.nodes.back()->outputs[0]);
  }

 private:
  // An element of this invocation's row. The last step of a row is moved back so that it is full; elements that an
  // earlier step has counted are not its own.
  struct Position {
    std::int64_t step = 0;  // if values are in registers
    Value along, is_own;
  };

  const tensor::Shape& shape(ValueId value) const { return builder_.graph()[value].type.shape; }

  void begin() {
    const bool along = axis_.inner() == 1;
    const Value me = k_.local_index();
    thread_ = along ? low(k_, me, grid_.threads_per_row) : high(me, grid_.rows_per_group);
    row_in_group_ = along ? high(me, grid_.threads_per_row) : low(k_, me, grid_.rows_per_group);
    if (grid_.threads_per_row == 1) thread_ = k_.integer(0);
    if (grid_.rows_per_group == 1) {
      thread_ = me;
      row_in_group_ = k_.integer(0);
    }
    // The last row may be computed several times by the last workgroup, with the same result.
    const Value row = k_.min(k_.group_index() * grid_.rows_per_group + row_in_group_, k_.integer(axis_.count() - 1));
    first_ = coordinates_of(k_, axis_.reduced(), row);
  }

  Coordinates at(Value along) const {
    Coordinates at = first_;
    at[axis_.axis] = along;
    return at;
  }
  Coordinates at_row(ValueId value) const {
    Coordinates at = first_;
    if (shape(value).size() < at.size()) at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis_.axis));
    return at;
  }

  // Calls `use` with this invocation's elements of the row, several at a time; all of them if values are in registers.
  void for_each_element(const std::function<void(std::span<const Position>)>& use) {
    const std::int64_t at_once = k_.is_for_gpu() ? 8 : 4;
    std::int64_t done = 0;
    if (!grid_.in_registers) {
      const std::int64_t rounds = axis_.length() / grid_.threads_per_row / at_once;
      k_.loop(k_.integer(rounds), [&](Value round) {
        std::vector<Position> positions;
        for (std::int64_t i = 0; i < at_once; ++i) {
          const Value along = (round * at_once + i) * grid_.threads_per_row + thread_;
          positions.push_back({.along = along, .is_own = k_.boolean(true)});
        }
        use(positions);
      });
      done = rounds * at_once;
    }
    std::vector<Position> positions;
    for (std::int64_t step = done; step < grid_.steps; ++step) {
      const std::int64_t first = step * grid_.threads_per_row, last_first = axis_.length() - grid_.threads_per_row;
      const Value along = thread_ + std::min(first, last_first);
      positions.push_back({step, along, first <= last_first ? k_.boolean(true) : along >= first});
    }
    if (!positions.empty()) use(positions);
  }

  // From now on, values in registers are those of this position.
  void select(const Position& position) {
    if (!grid_.in_registers) return;
    for (const auto& [value, elements] : in_registers_)
      builder_.fix(value, elements[static_cast<std::size_t>(position.step)]);
  }

  // Starts all loads before the first barrier. A value that was loaded is not loaded again.
  void read_ahead() {
    for (const Node* node : fusion_.nodes) {
      const std::size_t operands = is_reduction(node->op) ? 1 : elementwise_inputs(*node);
      for (std::size_t i = 0; i < operands; ++i) {
        const ValueId value = node->inputs[i];
        if (!builder_.is_stored(value)) continue;
        const auto read = [&](const Coordinates& at) { builder_.at(value, broadcast(k_, shape(value), at)); };
        if (!is_reduction(node->op) && !axis_.is_whole(shape(node->outputs[0]))) {
          read(at_row(node->outputs[0]));
          continue;
        }
        for_each_element([&](std::span<const Position> positions) {
          for (const Position& position : positions) read(at(position.along));
        });
      }
    }
  }

  void compute(const Node& node) {
    const ValueId value = node.outputs[0];
    if (is_reduction(node.op)) {
      builder_.fix(value, builder_.result(node, 0, reduced(node)));
    } else if (!axis_.is_whole(shape(value))) {
      builder_.fix(value, builder_.compute(node, 0, at_row(value)));
    } else if (grid_.in_registers) {
      std::vector<Value> elements;
      for_each_element([&](std::span<const Position> positions) {
        for (const Position& position : positions) {
          select(position);
          elements.push_back(builder_.compute(node, 0, at(position.along)));
        }
      });
      in_registers_.emplace(value, std::move(elements));
    }
  }

  Value reduced(const Node& node) {
    const Fold fold = fold_of(k_, builder_.graph(), node);
    std::vector<Variable> variables;
    for (const Value& start : fold.start) variables.push_back(k_.variable(start));
    const auto state = [&] {
      FoldState so_far;
      for (const Variable& variable : variables) so_far.push_back(k_.get(variable));
      return so_far;
    };
    for_each_element([&](std::span<const Position> positions) {
      std::vector<Value> elements;
      for (const Position& position : positions) {
        select(position);
        elements.push_back(builder_.at(node.inputs[0], at(position.along)));
      }
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const FoldState so_far = state(), joined = fold.join(so_far, fold.of(positions[i].along, elements[i]), true);
        for (std::size_t n = 0; n < variables.size(); ++n)
          k_.set(variables[n], k_.select(positions[i].is_own, joined[n], so_far[n]));
      }
    });
    return join_threads(fold, state()).back();
  }

  // The state of the whole row, for all of its invocations. Shared memory is used in rounds: in each, an invocation
  // combines a few states of others. Invocations that combine the same states then have the same state, and count as
  // one in the next round.
  FoldState join_threads(const Fold& fold, FoldState state) {
    if (k_.grid().lanes) return join_lanes(fold, state);
    constexpr std::int64_t kAtOnce = 16;
    Value mine = thread_;
    for (std::int64_t count = grid_.threads_per_row, parts = 0; count > 1; count /= parts) {
      parts = count <= kAtOnce ? count : count <= kAtOnce * kAtOnce ? square_root_to(count) : kAtOnce / 2;
      const std::int64_t left = count / parts;
      for (std::size_t n = 0; n < state.size(); ++n) k_.store(memory(n), offset_of(mine), word_of(k_, state[n]));
      k_.barrier();
      mine = low(k_, mine, left);
      const auto part = [&](std::int64_t index) {
        FoldState loaded;
        for (std::size_t n = 0; n < state.size(); ++n)
          loaded.push_back(from_word(k_, fold.start[n].type(), k_.load(memory(n), offset_of(mine + index * left))));
        return loaded;
      };
      state = part(0);
      for (std::int64_t index = 1; index < parts; ++index) state = fold.join(state, part(index), false);
      ++round_;
    }
    return state;
  }

  FoldState join_lanes(const Fold& fold, const FoldState& state) {
    const auto part = [&](std::uint32_t lane) {
      FoldState of_lane;
      for (const Value& value : state)
        of_lane.push_back(from_word(k_, value.type(), k_.from_lane(word_of(k_, value), lane)));
      return of_lane;
    };
    FoldState joined = part(0);
    for (std::uint32_t lane = 1; lane < k_.grid().lanes; ++lane) joined = fold.join(joined, part(lane), false);
    return joined;
  }

  // The larger of two powers of two whose product is this one.
  static std::int64_t square_root_to(std::int64_t power) {
    return std::int64_t{1} << ((std::countr_zero(static_cast<std::uint64_t>(power)) + 1) / 2);
  }

  // Double buffering: an invocation stores for a round only after a barrier that all pass once they have loaded for the
  // round before the last.
  SharedRef memory(std::size_t variable) {
    const auto [known, is_new] = memory_.try_emplace({variable, round_ % 2});
    if (is_new) known->second = k_.shared(Scalar::Int, k_.grid().local_size);
    return known->second;
  }
  // Neighbouring invocations store to neighbouring words.
  Value offset_of(Value thread) {
    return axis_.inner() == 1 ? row_in_group_ * grid_.threads_per_row + thread
                              : thread * grid_.rows_per_group + row_in_group_;
  }

  void store(ValueId value) {
    if (!axis_.is_whole(shape(value))) {
      k_.when(thread_ == 0,
              [&] { store(builder_.write(value), value, at_row(value), builder_.at(value, at_row(value))); });
      return;
    }
    std::optional<BufferRef> to;
    for_each_element([&](std::span<const Position> positions) {
      std::vector<Value> elements;
      for (const Position& position : positions) {
        select(position);
        const Node& node = *fusion_.nodes.back();
        elements.push_back(grid_.in_registers ? builder_.at(value, at(position.along))
                                              : builder_.compute(node, 0, at(position.along)));
      }
      // The buffer that is written must come after those that are read.
      if (!to) to = builder_.write(value);
      for (std::size_t i = 0; i < positions.size(); ++i) store(*to, value, at(positions[i].along), elements[i]);
    });
  }

  void store(BufferRef to, ValueId value, const Coordinates& at, Value element) {
    k_.store(to, linear_index(k_, shape(value), at), builder_.stored_form(value, element));
  }

  KernelBuilder& builder_;
  Kernel& k_;
  const ReductionFusion& fusion_;
  const ReductionAxis& axis_;
  const ReductionGrid& grid_;
  Value thread_, row_in_group_;
  Coordinates first_;                                                // of the row
  std::map<ValueId, std::vector<Value>> in_registers_;               // by step
  std::size_t round_ = 0;                                            // of combining states
  std::map<std::pair<std::size_t, std::size_t>, SharedRef> memory_;  // by index in a state, and parity of the round
};

}  // namespace

bool lower_reductions(ProgramBuilder& program, const Node& node, std::size_t result) {
  const auto fusion = match_reduction_fusion(program.graph(), program.stored(), node);
  if (!fusion) return false;
  const auto grid = plan_reduction_grid(fusion->axis, program.device());
  if (!grid) return false;
  const GroupKey key = key_of_group(program.graph(), program.stored(), node.outputs[result], "reductions");
  if (program.repeat(key)) return true;
  const std::uint64_t groups =
      divide_up(static_cast<std::uint64_t>(fusion->axis.count()), static_cast<std::uint64_t>(grid->rows_per_group));
  KernelBuilder builder =
      program.linked_kernel({.local_size = static_cast<std::uint32_t>(grid->threads_per_row * grid->rows_per_group),
                             .addresses = true,
                             .lanes = program.device().lanes},
                            groups);
  builder.wait_for_stage();
  ReductionKernel(builder, *fusion, *grid).run();
  program.dispatch(builder, groups, key);
  return true;
}

}  // namespace slipway::lower
