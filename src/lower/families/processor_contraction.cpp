// Contractions on processors (measured on Mesa's software driver).
//
// A workgroup is one vector of invocations, each of which has a channel, and computes a tile of rows. In each step an
// element of A is the same for all, and becomes an operand in memory of the multiplication; the factors of B stand side
// by side in a panel and are one vector load. Sixteen steps are unrolled: the driver blends and spills every sum at the
// end of an iteration, and compiles long code slowly.
#include <algorithm>
#include <array>

#include "lower/families/family.hpp"
#include "lower/families/operands.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kMostRows = 16, kUnrolled = 16;

// Rows of a tile: as few tiles as possible, then as few rows as these need.
std::int64_t rows_of_tile(std::int64_t rows) {
  const std::int64_t tiles = (rows + kMostRows - 1) / kMostRows;
  return (rows + tiles - 1) / tiles;
}

// Whether the rows of A should be laid side by side first. Rows whose distance is a power of two fall on the same few
// places of the cache; copying costs little where many panels use the copy.
bool interleaves(const Contraction& c, std::int64_t panels) {
  return c.is_matmul && c.rows >= kMostRows && panels >= 16 && c.run >= 256;
}

class Generator {
 public:
  Generator(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor)
      : program_(program),
        c_(c),
        node_(node),
        anchor_(anchor),
        lanes_(program.device().lanes),
        tile_rows_(rows_of_tile(c.rows)),
        panels_((c.channels + lanes_ - 1) / lanes_),
        tiles_((c.rows + tile_rows_ - 1) / tile_rows_),
        is_float_(tosa::is_float(program.graph()[c.node->inputs[0]].type.data)),
        interleaved_(interleaves(c, panels_)) {}

  void run() {
    if (interleaved_) tile_rows_ = kMostRows, tiles_ = (c_.rows + tile_rows_ - 1) / tile_rows_;
    const auto copy =
        interleaved_ ? interleaved_a(program_, c_, tile_rows_) : bordered_a(program_, c_, ElementType::F32);
    const std::uint32_t panels = panels_of_b(program_, c_, lanes_, ElementType::F32);
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "contraction");
    const std::array packed = {copy.value_or(panels), panels};
    if (program_.repeat(key, packed)) return;
    KernelMaker maker = program_.kernel({.local_size = lanes_, .addresses = true, .lanes = lanes_});
    maker_ = &maker;
    a_ = copy ? maker.read_packed(*copy, ElementType::F32) : maker.read(source_of(program_, c_.a));
    b_ = maker.read_packed(panels, ElementType::F32);
    const std::int64_t groups = panels_ * tiles_ * c_.line_count();
    place(groups);
    multiply();
    finish();
    program_.dispatch(maker, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  Kernel& k() { return maker_->kernel(); }

  // Which line, rows and channels this workgroup has. The grid may be a few workgroups longer than there is work.
  void place(std::int64_t groups) {
    const Value number = k().min(k().group_index(), k().integer(groups - 1));
    const Value tile_number = k().unsigned_divide(number, k().integer(panels_));
    panel_ = number - tile_number * panels_;
    line_ = k().unsigned_divide(tile_number, k().integer(tiles_));
    tile_ = tile_number - line_ * tiles_;
    first_row_ = k().min(tile_ * tile_rows_, k().integer(c_.rows - tile_rows_));

    b_first_ = panel_ * (c_.depth() * lanes_);
    if (c_.is_matmul) b_first_ = b_first_ + line_ * (panels_ * c_.depth() * lanes_);
    if (interleaved_) {
      a_first_ = (line_ * tiles_ + tile_) * (c_.run * tile_rows_);
      return;
    }
    a_first_ = first_row_ * c_.row_stride;
    Value rest = line_;
    for (std::size_t i = c_.lines.size(); i-- > 0;) {
      const Value next = i == 0 ? k().integer(0) : k().unsigned_divide(rest, k().integer(c_.lines[i].count));
      a_first_ = a_first_ + (i == 0 ? rest : rest - next * c_.lines[i].count) * c_.lines[i].stride;
      rest = next;
    }
  }

  // --- sums
  // -----------------------------------------------------------------------------------------------------------

  void multiply() {
    for (std::int64_t row = 0; row < tile_rows_; ++row) sums_.push_back(k().variable(k().real(0)));
    if (!is_float_ && c_.depth() > chunk()) {
      for (std::int64_t row = 0; row < tile_rows_; ++row) totals_.push_back(k().variable(k().integer(0)));
    }
    // A loop that runs once: without one around them Mesa 26.1 (llvmpipe, LLVM 21) leaves the sums of an iteration to
    // the next one, and every product of an iteration is spilled, which halves the speed.
    k().loop(k().groups_deep(), [&](Value) { segments(0, k().integer(0), k().integer(0)); });
  }

  // How many products of 8-bit integers a float is sure to sum exactly.
  std::int64_t chunk() const {
    const auto largest = [](std::int64_t zero) { return std::max(128 + zero, 127 - zero); };
    const std::int64_t products = (std::int64_t{1} << 24) / (largest(c_.a_zero) * largest(c_.b_zero));
    return products / kUnrolled * kUnrolled;
  }

  // `a`: where the segment begins, in elements behind the first row's beginning; `done`: how many products stand before
  // it.
  void segments(std::size_t level, Value a, Value done) {
    if (level == c_.segments.size()) return run_of(a, done);
    std::int64_t inside = c_.run;
    for (std::size_t i = level + 1; i < c_.segments.size(); ++i) inside *= c_.segments[i].count;
    const Loop& loop = c_.segments[level];
    // Short sums are straight code.
    if (c_.depth() <= 2 * kUnrolled) {
      for (std::int64_t i = 0; i < loop.count; ++i) segments(level + 1, a + i * loop.stride, done + i * inside);
    } else {
      k().loop(k().integer(loop.count), [&](Value i) { segments(level + 1, a + i * loop.stride, done + i * inside); });
    }
  }

  void run_of(Value a, Value done) {
    if (totals_.empty()) return part_of_run(a, done, c_.run);
    const std::int64_t whole = c_.run / chunk(), rest = c_.run % chunk();
    if (whole) {
      k().loop(k().integer(whole), [&](Value i) {
        part_of_run(a + i * chunk(), done + i * chunk(), chunk());
        add_up();
      });
    }
    if (rest) {
      part_of_run(a + whole * chunk(), done + whole * chunk(), rest);
      add_up();
    }
  }

  void part_of_run(Value a, Value done, std::int64_t length) {
    const std::int64_t whole = length / kUnrolled, rest = length % kUnrolled;
    k().loop(k().integer(whole), [&](Value i) { steps(a + i * kUnrolled, done + i * kUnrolled, kUnrolled); });
    if (rest) steps(a + whole * kUnrolled, done + whole * kUnrolled, rest);
  }

  void steps(Value a, Value done, std::int64_t count) {
    const Pointer from_a = k().pointer(a_, a_first_ + (interleaved_ ? a * tile_rows_ : a));
    const Pointer from_b = k().pointer(b_, b_first_ + done * lanes_);
    std::vector<Value> sums;
    for (const Variable& sum : sums_) sums.push_back(k().get(sum));
    for (std::int64_t step = 0; step < count; ++step) {
      const Value factor = k().load_lanes(from_b, step * lanes_);
      for (std::int64_t row = 0; row < tile_rows_; ++row) {
        const std::int64_t at = interleaved_ ? step * tile_rows_ + row : row * c_.row_stride + step;
        Value& sum = sums[static_cast<std::size_t>(row)];
        sum = k().multiply_add(k().load(from_a, at), factor, sum);
      }
    }
    for (std::size_t row = 0; row < sums.size(); ++row) k().set(sums_[row], sums[row]);
  }

  void add_up() {
    for (std::size_t row = 0; row < totals_.size(); ++row) {
      k().set(totals_[row], k().get(totals_[row]) + k().to_int(k().get(sums_[row])));
      k().set(sums_[row], k().real(0));
    }
  }

  // --- results
  // --------------------------------------------------------------------------------------------------------

  void finish() {
    const bool whole = c_.channels % lanes_ == 0;
    Value channel = panel_ * lanes_ + k().local_index();
    if (!whole) channel = k().gathered(channel);
    k().when(whole ? k().boolean(true) : channel < c_.channels, [&] { store(channel); });
  }

  void store(Value channel) {
    const tensor::Shape& shape = program_.graph()[node_.outputs[0]].type.shape;
    std::vector<Coordinates> places;
    std::vector<Value> elements;
    for (std::int64_t row = 0; row < tile_rows_; ++row) {
      const Coordinates at = coordinates(shape, first_row_ + row, channel);
      maker_->fix(c_.node->outputs[0], result(static_cast<std::size_t>(row), channel));
      maker_->add_node(*c_.node);
      elements.push_back(&node_ == c_.node ? maker_->at(node_.outputs[0], at) : maker_->compute(node_, 0, at));
      places.push_back(at);
    }
    const BufferRef to = maker_->write(node_.outputs[0]);
    for (std::size_t row = 0; row < elements.size(); ++row)
      k().store(to, linear_index(k(), shape, places[row]), elements[row]);
  }

  Coordinates coordinates(const tensor::Shape& shape, Value row, Value channel) {
    if (c_.is_matmul) return {line_, row, channel};
    Coordinates at(shape.size(), k().integer(0));
    at.back() = channel;
    const std::size_t x = shape.size() - 2;
    if (c_.flat_rows && anchor_.reads_by_row_and_channel) {
      at[x] = row;
      return at;
    }
    Value rest = c_.flat_rows ? row : line_;
    if (!c_.flat_rows) at[x] = row;
    for (std::size_t d = c_.flat_rows ? x + 1 : x; d-- > 0;) {
      const Value next = d == 0 ? k().integer(0) : k().unsigned_divide(rest, k().integer(shape[d]));
      at[d] = d == 0 ? rest : rest - next * shape[d];
      rest = next;
    }
    return at;
  }

  // The result of the contraction itself, with its bias, as its declared type has it.
  Value result(std::size_t row, Value channel) {
    const tosa::DataType type = program_.graph()[c_.node->outputs[0]].type.data;
    Value sum = totals_.empty() ? k().get(sums_[row]) : k().get(totals_[row]);
    if (!is_float_) sum = k().to_int(sum);
    if (is_float_) sum = rounded(k(), tosa::storage_of(type), sum);
    if (!c_.bias) return sum;
    const bool one = program_.graph()[*c_.bias].type.shape[0] == 1;
    sum = sum + maker_->at(*c_.bias, {one ? k().integer(0) : channel});
    return is_float_ ? rounded(k(), tosa::storage_of(type), sum) : sum;
  }

  ProgramBuilder& program_;
  const Contraction& c_;
  const tosa::Node& node_;
  const Anchor& anchor_;
  std::uint32_t lanes_;
  std::int64_t tile_rows_, panels_, tiles_;
  bool is_float_, interleaved_;
  KernelMaker* maker_ = nullptr;
  BufferRef a_, b_;
  Value panel_, line_, tile_, first_row_, a_first_, b_first_;
  std::vector<Variable> sums_, totals_;  // by row; totals of integers, where a float cannot hold them
};

}  // namespace

bool lower_contraction(ProgramBuilder& program, const tosa::Node& node, std::size_t result) {
  if (!program.device().addresses || !program.device().lanes || result != 0) return false;
  const auto anchor = find_anchor(program.graph(), program.stored(), node);
  if (!anchor) return false;
  const auto contraction = contraction_of(program.graph(), *anchor->node);
  if (!contraction) return false;
  Generator(program, *contraction, node, *anchor).run();
  return true;
}

}  // namespace slipway::lower
