// Row programs: the invocations of a workgroup share a row, or a few short ones; on a processor the lanes of a vector.
//
// Each invocation folds its own elements of a row. What they make of them goes through the memory of the workgroup,
// from where all of them join it to the result of the whole row; lanes take it from each other. With values in
// registers a row is read from memory once and written once, whatever the program does with it.
#include "lower/families/rows.hpp"

#include <bit>
#include <functional>
#include <map>
#include <span>

#include "base/checked.hpp"
#include "lower/families/family.hpp"
#include "lower/fusion.hpp"
#include "lower/operators/reduce.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::ValueId;

// The digits of a number of a power of two, and those in front of them.
Value low(Kernel& k, Value number, std::int64_t power) { return power == 1 ? k.integer(0) : number & (power - 1); }
Value high(Value number, std::int64_t power) { return number >> std::countr_zero(static_cast<std::uint64_t>(power)); }

// What is stored in the memory of a workgroup for a number of any type but long.
Value word_of(Kernel& k, Value value) { return value.type() == Scalar::Float ? k.bits_of(value) : k.to_int(value); }
Value from_word(Kernel& k, Scalar type, Value word) {
  if (type == Scalar::Bool) return word != 0;
  return type == Scalar::Float ? k.float_of_bits(word) : word;
}

constexpr std::int64_t kMaxReadAhead = 8;  // steps whose operands have room in registers all at once

class RowKernel {
 public:
  RowKernel(KernelMaker& maker, const RowProgram& program, const RowGrid& grid)
      : maker_(maker), k_(maker.kernel()), program_(program), rows_(program.rows), grid_(grid) {}

  void run() {
    begin();
    if (k_.is_for_gpus() && grid_.steps <= kMaxReadAhead) read_ahead();
    for (const Node* node : program_.nodes) compute(*node);
    store(program_.nodes.back()->outputs[0]);
  }

 private:
  // An element of this invocation's row. The last step of a row is moved back so that it is full; what a step before it
  // has counted already is not its own.
  struct Place {
    std::int64_t step = 0;  // if values are in registers
    Value along, is_own;
  };

  const tensor::Shape& shape(ValueId value) const { return maker_.graph()[value].type.shape; }

  void begin() {
    const bool along = rows_.inner() == 1;
    const Value me = k_.local_index();
    share_ = along ? low(k_, me, grid_.shares) : high(me, grid_.rows);
    row_in_group_ = along ? high(me, grid_.shares) : low(k_, me, grid_.rows);
    if (grid_.shares == 1) share_ = k_.integer(0);
    if (grid_.rows == 1) {
      share_ = me;
      row_in_group_ = k_.integer(0);
    }
    // The last rows of the last workgroups are computed several times, to the same values.
    const Value row = k_.min(k_.group_index() * grid_.rows + row_in_group_, k_.integer(rows_.count() - 1));
    first_ = coordinates_of(k_, rows_.reduced(), row);
  }

  Coordinates at(Value along) const {
    Coordinates place = first_;
    place[rows_.axis] = along;
    return place;
  }
  Coordinates at_row(ValueId value) const {
    Coordinates place = first_;
    if (shape(value).size() < place.size()) place.erase(place.begin() + static_cast<std::ptrdiff_t>(rows_.axis));
    return place;
  }

  // Calls `use` with this invocation's elements of the row, several at a time: all of them if values are in registers.
  void for_each_place(const std::function<void(std::span<const Place>)>& use) {
    const std::int64_t at_once = k_.is_for_gpus() ? 8 : 4;
    std::int64_t done = 0;
    if (!grid_.in_registers) {
      const std::int64_t rounds = rows_.length() / grid_.shares / at_once;
      k_.loop(k_.integer(rounds), [&](Value round) {
        std::vector<Place> places;
        for (std::int64_t i = 0; i < at_once; ++i) {
          const Value along = (round * at_once + i) * grid_.shares + share_;
          places.push_back({.along = along, .is_own = k_.boolean(true)});
        }
        use(places);
      });
      done = rounds * at_once;
    }
    std::vector<Place> places;
    for (std::int64_t step = done; step < grid_.steps; ++step) {
      const std::int64_t first = step * grid_.shares, last_first = rows_.length() - grid_.shares;
      const Value along = share_ + std::min(first, last_first);
      places.push_back({step, along, first <= last_first ? k_.boolean(true) : along >= first});
    }
    if (!places.empty()) use(places);
  }

  // From here on values in registers are those of this place.
  void go_to(const Place& place) {
    if (!grid_.in_registers) return;
    for (const auto& [value, elements] : in_registers_)
      maker_.fix(value, elements[static_cast<std::size_t>(place.step)]);
  }

  // Everything that is read is on its way before the first barrier. What was loaded once is not loaded again.
  void read_ahead() {
    for (const Node* node : program_.nodes) {
      const std::size_t operands = is_reduction(node->op) ? 1 : elementwise_inputs(*node);
      for (std::size_t i = 0; i < operands; ++i) {
        const ValueId value = node->inputs[i];
        if (!maker_.is_stored(value)) continue;
        const auto read = [&](const Coordinates& place) { maker_.at(value, broadcast(k_, shape(value), place)); };
        if (!is_reduction(node->op) && !rows_.is_whole(shape(node->outputs[0]))) {
          read(at_row(node->outputs[0]));
          continue;
        }
        for_each_place([&](std::span<const Place> places) {
          for (const Place& place : places) read(at(place.along));
        });
      }
    }
  }

  void compute(const Node& node) {
    const ValueId value = node.outputs[0];
    if (is_reduction(node.op)) {
      maker_.fix(value, maker_.result(node, 0, reduced(node)));
    } else if (!rows_.is_whole(shape(value))) {
      maker_.fix(value, maker_.compute(node, 0, at_row(value)));
    } else if (grid_.in_registers) {
      std::vector<Value> elements;
      for_each_place([&](std::span<const Place> places) {
        for (const Place& place : places) {
          go_to(place);
          elements.push_back(maker_.compute(node, 0, at(place.along)));
        }
      });
      in_registers_.emplace(value, std::move(elements));
    }
  }

  Value reduced(const Node& node) {
    const Fold fold = fold_of(k_, maker_.graph(), node);
    std::vector<Variable> numbers;
    for (const Value& start : fold.start) numbers.push_back(k_.variable(start));
    const auto state = [&] {
      FoldState so_far;
      for (const Variable& number : numbers) so_far.push_back(k_.get(number));
      return so_far;
    };
    for_each_place([&](std::span<const Place> places) {
      std::vector<Value> elements;
      for (const Place& place : places) {
        go_to(place);
        elements.push_back(maker_.at(node.inputs[0], at(place.along)));
      }
      for (std::size_t i = 0; i < places.size(); ++i) {
        const FoldState so_far = state(), joined = fold.join(so_far, fold.of(places[i].along, elements[i]), true);
        for (std::size_t n = 0; n < numbers.size(); ++n)
          k_.set(numbers[n], k_.select(places[i].is_own, joined[n], so_far[n]));
      }
    });
    return join_shares(fold, state()).back();
  }

  // The state of the whole row, for all of its invocations. Through the memory of the workgroup in rounds: in each an
  // invocation joins a few states of others; those that join the same ones have the same state then, and count as one
  // in the next round.
  FoldState join_shares(const Fold& fold, FoldState state) {
    if (k_.grid().lanes) return join_lanes(fold, state);
    constexpr std::int64_t kAtOnce = 16;
    Value mine = share_;
    for (std::int64_t count = grid_.shares, parts = 0; count > 1; count /= parts) {
      parts = count <= kAtOnce ? count : count <= kAtOnce * kAtOnce ? square_root_to(count) : kAtOnce / 2;
      const std::int64_t left = count / parts;
      for (std::size_t n = 0; n < state.size(); ++n) k_.store(memory(n), place_of(mine), word_of(k_, state[n]));
      k_.barrier();
      mine = low(k_, mine, left);
      const auto part = [&](std::int64_t number) {
        FoldState loaded;
        for (std::size_t n = 0; n < state.size(); ++n)
          loaded.push_back(from_word(k_, fold.start[n].type(), k_.load(memory(n), place_of(mine + number * left))));
        return loaded;
      };
      state = part(0);
      for (std::int64_t number = 1; number < parts; ++number) state = fold.join(state, part(number), false);
      ++round_;
    }
    return state;
  }

  FoldState join_lanes(const Fold& fold, const FoldState& state) {
    const auto part = [&](std::uint32_t lane) {
      FoldState of_lane;
      for (const Value& number : state)
        of_lane.push_back(from_word(k_, number.type(), k_.from_lane(word_of(k_, number), lane)));
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

  // Two in turn: who stores for a round has passed a barrier that all pass when they have loaded for the round before
  // the last.
  SharedRef memory(std::size_t number) {
    const auto [known, is_new] = memory_.try_emplace({number, round_ % 2});
    if (is_new) known->second = k_.shared(Scalar::Int, k_.grid().local_size);
    return known->second;
  }
  // Neighbours store to neighbours.
  Value place_of(Value share) {
    return rows_.inner() == 1 ? row_in_group_ * grid_.shares + share : share * grid_.rows + row_in_group_;
  }

  void store(ValueId value) {
    if (!rows_.is_whole(shape(value))) {
      k_.when(share_ == 0, [&] { store(maker_.write(value), value, at_row(value), maker_.at(value, at_row(value))); });
      return;
    }
    std::optional<BufferRef> to;
    for_each_place([&](std::span<const Place> places) {
      std::vector<Value> elements;
      for (const Place& place : places) {
        go_to(place);
        const Node& node = *program_.nodes.back();
        elements.push_back(grid_.in_registers ? maker_.at(value, at(place.along))
                                              : maker_.compute(node, 0, at(place.along)));
      }
      // The buffer that is written comes behind those that are read.
      if (!to) to = maker_.write(value);
      for (std::size_t i = 0; i < places.size(); ++i) store(*to, value, at(places[i].along), elements[i]);
    });
  }

  void store(BufferRef to, ValueId value, const Coordinates& place, Value element) {
    k_.store(to, linear_index(k_, shape(value), place), maker_.stored_form(value, element));
  }

  KernelMaker& maker_;
  Kernel& k_;
  const RowProgram& program_;
  const Rows& rows_;
  const RowGrid& grid_;
  Value share_, row_in_group_;
  Coordinates first_;                                                // of the row
  std::map<ValueId, std::vector<Value>> in_registers_;               // by step
  std::size_t round_ = 0;                                            // of joining states
  std::map<std::pair<std::size_t, std::size_t>, SharedRef> memory_;  // by the number in a state, and rounds in turn
};

}  // namespace

bool lower_rows(ProgramBuilder& program, const Node& node, std::size_t result) {
  const auto rows = row_program_of(program.graph(), program.stored(), node);
  if (!rows) return false;
  const auto grid = row_grid(rows->rows, program.device());
  if (!grid) return false;
  const GroupKey key = key_of_group(program.graph(), program.stored(), node.outputs[result], "rows");
  if (program.repeat(key)) return true;
  KernelMaker maker = program.kernel({.local_size = static_cast<std::uint32_t>(grid->shares * grid->rows),
                                      .addresses = true,
                                      .lanes = program.device().lanes});
  RowKernel(maker, *rows, *grid).run();
  program.dispatch(
      maker, divide_up(static_cast<std::uint64_t>(rows->rows.count()), static_cast<std::uint64_t>(grid->rows)), key);
  return true;
}

}  // namespace slipway::lower
