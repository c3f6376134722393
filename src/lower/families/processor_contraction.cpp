// Contractions on processors (measured on Mesa's software driver).
//
// A workgroup is one vector of invocations, each of which has a channel, and computes a tile of rows. In each step an
// element of A is the same for all, and becomes an operand in memory of the multiplication; the factors of B stand side
// by side in a panel and are one vector load (products.hpp).
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "lower/families/family.hpp"
#include "lower/families/operands.hpp"
#include "lower/families/products.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kMaxRows = 16;

// As few parts as possible, then as small as so many can be.
std::int64_t even_part(std::int64_t whole, std::int64_t most) {
  const std::int64_t parts = (whole + most - 1) / most;
  return (whole + parts - 1) / parts;
}

// How a contraction is cut into tiles and steps.
struct Shape {
  std::int64_t rows = 1;  // of a tile
  std::int64_t unrolled = kUnrolled;
  bool interleaved = false;  // the rows of A are laid side by side first
  bool operator==(const Shape&) const = default;

  Parameters parameters() const {
    return {{"rows", rows}, {"unrolled", unrolled}, {"interleaved", interleaved ? 1 : 0}};
  }
};

// Lines that a tile has where they are so short that several fit into it.
std::int64_t lines_of_tile(const Contraction& c) {
  if (c.is_matmul || c.flat_rows || c.lines.empty() || 2 * c.rows > kMaxRows) return 1;
  return even_part(c.lines.back().count, kMaxRows / c.rows);
}

// What is best as far as one can tell. Rows whose distance is a multiple of a page fall on the same places of the first
// cache, which has 8 to 12 of them. Copying A so that rows stand side by side costs little where many panels use the
// copy; then few addresses are needed, and longer code pays.
Shape estimated_shape(const Contraction& c, std::int64_t panels) {
  constexpr std::int64_t kPage = 4096, kMaxOnOnePlace = 10;
  if (c.is_matmul && c.rows >= kMaxRows && panels >= 16 && c.run >= 256) return {kMaxRows, 2 * kUnrolled, true};
  const bool one_place = c.row_stride * 4 % kPage == 0;
  return {.rows = even_part(c.rows, one_place ? kMaxOnOnePlace : kMaxRows)};
}

Shape shape_for(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, std::int64_t panels) {
  std::vector<Shape> shapes = {estimated_shape(c, panels)};
  const auto add = [&](Shape shape) {
    if (!std::ranges::contains(shapes, shape)) shapes.push_back(shape);
  };
  for (const std::int64_t unrolled : {kUnrolled, 2 * kUnrolled}) {
    if (unrolled > kUnrolled && c.run < unrolled) continue;
    for (const std::int64_t rows : {8, 10, 12, 14, 16}) add({even_part(c.rows, rows), unrolled});
    if (c.is_matmul && c.rows >= kMaxRows) add({kMaxRows, unrolled, true});
  }
  const std::string what = formatted("contraction {}x{}x{}x{} in runs of {} by {}{}", c.line_count(), c.rows,
                                     c.channels, c.depth(), c.run, c.row_stride, &node == c.node ? "" : ", and more");
  return shapes[program.choose(what, *c.node, shapes.size(), [&](std::size_t i) { return shapes[i].parameters(); })];
}

class Generator {
 public:
  Generator(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor)
      : program_(program),
        c_(c),
        node_(node),
        anchor_(anchor),
        lanes_(program.device().lanes),
        panels_((c.channels + lanes_ - 1) / lanes_),
        shape_(shape_for(program, c, node, panels_)),
        tile_rows_(shape_.rows),
        tile_lines_(lines_of_tile(c)),
        tiles_((c.rows + tile_rows_ - 1) / tile_rows_),
        interleaved_(shape_.interleaved) {}

  void run() {
    const auto copy =
        interleaved_ ? interleaved_a(program_, c_, tile_rows_) : bordered_a(program_, c_, ElementType::F32);
    const std::uint32_t panels = panels_of_b(program_, c_, lanes_, ElementType::F32);
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "contraction");
    const std::array packed = {copy.value_or(panels), panels};
    if (program_.repeat(key, packed)) return;
    KernelMaker maker = program_.kernel({.local_size = lanes_, .addresses = true, .lanes = lanes_});
    maker_ = &maker;
    operands_.a = copy ? maker.read_packed(*copy, ElementType::F32) : maker.read(source_of(program_, c_.a));
    operands_.b = maker.read_packed(panels, ElementType::F32);
    // Groups of lines are taken along the last loop over lines.
    const std::int64_t in_loop = c_.lines.empty() ? 1 : c_.lines.back().count;
    line_tiles_ = (in_loop + tile_lines_ - 1) / tile_lines_;
    const std::int64_t tiles = tiles_ * line_tiles_ * (c_.line_count() / in_loop), groups = panels_ * tiles;
    place(tiles);
    arrange();
    multiply();
    finish();
    program_.dispatch(maker, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  Kernel& k() { return maker_->kernel(); }

  // Which lines, rows and channels this workgroup has. The grid may be a few workgroups longer than there is work.
  // Workgroups that follow each other share the larger operand: a panel of B where B is larger, else the rows of A.
  void place(std::int64_t tiles) {
    const Value number = k().min(k().group_index(), k().integer(panels_ * tiles - 1));
    const bool by_panel = !c_.is_matmul && panels_ * lanes_ * c_.segment_count() > c_.line_count() * c_.rows;
    const Value outer = k().unsigned_divide(number, k().integer(by_panel ? tiles : panels_));
    const Value inner = number - outer * (by_panel ? tiles : panels_);
    panel_ = by_panel ? outer : inner;
    const Value tile_number = by_panel ? inner : outer;
    const Value line_tile = k().unsigned_divide(tile_number, k().integer(tiles_));
    tile_ = tile_number - line_tile * tiles_;
    line_ = first_line(line_tile);
    first_row_ = k().min(tile_ * tile_rows_, k().integer(c_.rows - tile_rows_));

    operands_.b_begin = panel_ * (c_.depth() * lanes_);
    if (c_.is_matmul) operands_.b_begin = operands_.b_begin + line_ * (panels_ * c_.depth() * lanes_);
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

  // The last lines of a loop are moved back to be as many as the others.
  Value first_line(Value line_tile) {
    if (tile_lines_ == 1) return line_tile;
    const std::int64_t count = c_.lines.back().count;
    const Value loop = k().unsigned_divide(line_tile, k().integer(line_tiles_));
    const Value first = (line_tile - loop * line_tiles_) * tile_lines_;
    return loop * count + k().min(first, k().integer(count - tile_lines_));
  }

  void arrange() {
    operands_.lanes = lanes_;
    operands_.unrolled = shape_.unrolled;
    operands_.a_step = interleaved_ ? tile_rows_ : 1;
    for (std::int64_t line = 0; line < tile_lines_; ++line) {
      const std::int64_t begin = tile_lines_ == 1 ? 0 : line * c_.lines.back().stride;
      for (std::int64_t row = 0; row < tile_rows_; ++row)
        operands_.rows.push_back({a_first_, begin + (interleaved_ ? row : row * c_.row_stride)});
    }
  }

  // --- sums ---

  void multiply() {
    for (std::size_t row = 0; row < operands_.rows.size(); ++row) sums_.push_back(k().variable(k().real(0)));
    if (!sums_exactly(program_.graph(), c_)) {
      for (std::size_t row = 0; row < sums_.size(); ++row) totals_.push_back(k().variable(k().integer(0)));
    }
    // A loop that runs once: without one around them Mesa 26.1 (llvmpipe, LLVM 21) leaves the sums of an iteration to
    // the next one, and every product of an iteration is spilled, which halves the speed.
    // Where there are no iterations at all, such a loop makes it take a mask for a sum (seen with sums of one product).
    const auto all = [&](Value) { segments(0, k().integer(0), k().integer(0)); };
    if (c_.depth() <= kUnrolled)
      all(k().integer(0));
    else
      k().loop(k().groups_deep(), all);
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
    if (totals_.empty()) return add_products(k(), operands_, a, done, c_.run, sums_);
    const std::int64_t most = exact_products(c_), whole = c_.run / most, rest = c_.run % most;
    if (whole) {
      k().loop(k().integer(whole), [&](Value i) {
        add_products(k(), operands_, a + i * most, done + i * most, most, sums_);
        add_up();
      });
    }
    if (rest) {
      add_products(k(), operands_, a + whole * most, done + whole * most, rest, sums_);
      add_up();
    }
  }

  void add_up() {
    for (std::size_t row = 0; row < totals_.size(); ++row) {
      k().set(totals_[row], k().get(totals_[row]) + k().int_of_whole(k().get(sums_[row]), kSumBits));
      k().set(sums_[row], k().real(0));
    }
  }

  // --- results ---

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
    const std::vector<Variable>& sums = totals_.empty() ? sums_ : totals_;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::int64_t line = static_cast<std::int64_t>(i) / tile_rows_,
                         row = static_cast<std::int64_t>(i) % tile_rows_;
      const Coordinates at = coordinates(shape, line_ + line, first_row_ + row, channel);
      const Variable& sum = sums[i];
      maker_->fix(c_.node->outputs[0], finished_sum(*maker_, c_, k().get(sum), channel));
      maker_->add_node(*c_.node);
      const Value element = &node_ == c_.node ? maker_->at(node_.outputs[0], at) : maker_->compute(node_, 0, at);
      elements.push_back(maker_->stored_form(node_.outputs[0], element));
      places.push_back(at);
    }
    const BufferRef to = maker_->write(node_.outputs[0]);
    for (std::size_t row = 0; row < elements.size(); ++row)
      k().store(to, linear_index(k(), shape, places[row]), elements[row]);
  }

  Coordinates coordinates(const tensor::Shape& shape, Value line, Value row, Value channel) {
    if (c_.is_matmul) return {line, row, channel};
    Coordinates at(shape.size(), k().integer(0));
    at.back() = channel;
    const std::size_t x = shape.size() - 2;
    if (c_.flat_rows && anchor_.reads_by_row_and_channel) {
      at[x] = row;
      return at;
    }
    Value rest = c_.flat_rows ? row : line;
    if (!c_.flat_rows) at[x] = row;
    for (std::size_t d = c_.flat_rows ? x + 1 : x; d-- > 0;) {
      const Value next = d == 0 ? k().integer(0) : k().unsigned_divide(rest, k().integer(shape[d]));
      at[d] = d == 0 ? rest : rest - next * shape[d];
      rest = next;
    }
    return at;
  }

  ProgramBuilder& program_;
  const Contraction& c_;
  const tosa::Node& node_;
  const Anchor& anchor_;
  std::uint32_t lanes_;
  std::int64_t panels_;
  Shape shape_;
  std::int64_t tile_rows_, tile_lines_, tiles_, line_tiles_ = 1;
  bool interleaved_;
  KernelMaker* maker_ = nullptr;
  Operands operands_;
  Value panel_, line_, tile_, first_row_, a_first_;
  std::vector<Variable> sums_, totals_;  // by line and row; totals of integers, where a float cannot hold them
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
