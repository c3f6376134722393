// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions on CPUs (measured on Mesa's software driver).
//
// A workgroup is one vector of invocations and computes a tile: some rows times some panels, in each of which an
// invocation has one channel. In each step an element of A is the same for all invocations, and the factors of B are
// neighbours in a panel and are one vector load (products.hpp).
//
// Where the device has matrices of bytes or BF16 (DeviceFacts::matrices), a workgroup computes up to two matrices of
// rows with two panels each. The sums then go through memory of the workgroup, so that each invocation gets those of
// its channel.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "base/format.hpp"
#include "lower/operators/operation.hpp"
#include "lower/strategies/contraction/contraction_result.hpp"
#include "lower/strategies/contraction/operands.hpp"
#include "lower/strategies/contraction/products.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kMaxRows = 16;

// The size of equal parts: as few parts as possible, and then parts as small as that count allows.
std::int64_t even_part(std::int64_t whole, std::int64_t max) {
  const std::int64_t parts = (whole + max - 1) / max;
  return (whole + parts - 1) / parts;
}

// How a contraction is cut into tiles and steps.
struct Shape {
  std::int64_t rows = 1;    // of a tile, for each of its batch elements
  std::int64_t down = 0;    // matrices of rows of A; 0: without matrices
  std::int64_t across = 1;  // panels of a tile
  std::int64_t unrolled = kUnrolled;
  bool interleaved = false;  // the rows of A are interleaved first
  bool has_matrices() const { return down > 0; }
  bool operator==(const Shape&) const = default;

  Parameters parameters() const {
    if (has_matrices()) return {{"rows", rows}, {"down", down}, {"across", across}};
    return {{"rows", rows}, {"across", across}, {"unrolled", unrolled}, {"interleaved", interleaved ? 1 : 0}};
  }
};

// Rows whose distance is a multiple of a page share one set of the first-level cache, which has 8 to 12 ways.
constexpr std::int64_t kMaxInOneSet = 10;
bool shares_one_set(const Contraction& c, Factors factors) {
  constexpr std::int64_t kPage = 4096;
  return c.m_stride * tensor::size_of(type_of(factors)) % kPage == 0;
}

// How the products of a block of K are divided into steps of matrices.
struct MatrixSteps {
  std::int64_t count = 1, words = 1;    // words of a row of A in each
  std::int64_t in_word = kBytesOfWord;  // factors
  std::int64_t products() const { return count * words * in_word; }
};
MatrixSteps matrix_steps(const Contraction& c, const MatrixShape& shape, const DeviceFacts& device) {
  const std::int64_t in_word = kBytesOfWord / tensor::size_of(shape.factors), max = shape.k / in_word;
  const std::int64_t words = (c.contiguous_k + in_word - 1) / in_word;
  return {(words + max - 1) / max, device.vector_matrices ? max : even_part(words, max), in_word};
}

// The matrices of a device for a contraction: null without. Further bytes, which are read beyond a block, are
// multiplied by zero. Floats must not be: they may be infinite.
const MatrixShape* matrix_for(const ProgramBuilder& program, const Contraction& c) {
  const DeviceFacts& device = program.device();
  const ElementType factors = tosa::storage_of(program.graph()[c.a].type.data);
  const auto found = std::ranges::find(device.matrices, factors, &MatrixShape::factors);
  if (!device.native_vectors || found == device.matrices.end() || found->n != device.lanes) return nullptr;
  if (factors == ElementType::I8)
    return factors_of(program.graph(), program.stored(), c, device) == Factors::Bytes ? &*found : nullptr;
  const bool same_types = program.graph()[c.a].type.data == program.graph()[c.b].type.data;
  const bool is_applicable = same_types && has_constant_b(program.graph(), program.stored(), c) &&
                             matrix_steps(c, *found, device).products() == c.contiguous_k;
  return is_applicable ? &*found : nullptr;
}

// Whether the rows of a tile are consecutive rows of all lines of an image, and not of one line. Each has an address of
// its own then, which a driver's compiler does not keep in a register.
bool joins_lines(const Contraction& c, const Shape& shape, const DeviceFacts& device) {
  return device.native_vectors && !shape.has_matrices() && !c.is_matmul && !c.flat_m && !c.batch.empty();
}

// Batch elements of a tile, where their rows are so few that several fit into it.
std::int64_t batches_of_tile(const Contraction& c, const Shape& shape, const DeviceFacts& device) {
  if (shape.has_matrices()) return c.m > shape.rows ? 1 : shape.down;
  if (device.native_vectors || c.is_matmul || c.flat_m || c.batch.empty() || 2 * c.m > kMaxRows) return 1;
  return even_part(c.batch.back().count, kMaxRows / c.m);
}

// How long a step of a tile takes, in units of a product of vectors: a load is slower than half a product, two of which
// CPUs begin in a cycle, and a product takes longer than five others. Fitted to loops with 128 to 2304 steps in the
// first-level cache, on a CPU that begins two in a cycle: tiles of 14 rows and a panel have 0.8 of the peak, 6 x 2 and
// 4 x 3 almost all of it.
double time_of_step(std::int64_t rows, std::int64_t across) {
  const auto products = static_cast<double>(rows * across), loads = static_cast<double>(rows + across);
  return std::max({products, 1.2 * loads, 10.0});
}

// The same where factors are lanes of vectors: a vector of a row serves four steps, two panels are one load, and all
// instructions count on CPUs that begin few in a cycle.
double time_with_lane_factors(std::int64_t rows, std::int64_t across) {
  const std::int64_t products = rows * across, loads_of_b = (across + 1) / 2;
  return std::max(static_cast<double>(products + loads_of_b) + 0.25 * static_cast<double>(rows), 10.0);
}

// The best tile of `max_rows` rows at most. Several panels need fewer loads for each product, but a count of panels
// that they do not divide is work that is done twice, and small contractions need many workgroups.
Shape estimated_tile(const Contraction& c, std::int64_t panels, std::int64_t max_rows, Factors factors,
                     const DeviceFacts& device) {
  constexpr std::int64_t kMaxAcross = 8, kMinGroups = 32;
  const std::int64_t all_rows = c.is_matmul ? c.m : c.batch_count() * c.m, batches = c.is_matmul ? c.batch_count() : 1;
  Shape best;
  double least = std::numeric_limits<double>::max();
  for (std::int64_t across = 1; across <= std::min(kMaxAcross, panels); ++across) {
    for (std::int64_t max = 1; max <= std::min(max_rows, all_rows); ++max) {
      if (!fits_registers(max, across, factors, device)) continue;
      const std::int64_t rows = even_part(all_rows, max), tiles = (all_rows + rows - 1) / rows,
                         columns = (panels + across - 1) / across;
      if (across > 1 && batches * tiles * columns < kMinGroups) continue;
      const auto time_of = device.lane_factors ? time_with_lane_factors : time_of_step;
      const double time = static_cast<double>(tiles * columns) * time_of(rows, across);
      if (time < least) least = time, best = {.rows = rows, .across = across};
    }
  }
  // Long code gains nothing where an iteration has many products already.
  if (best.across > 1 && !device.lane_factors) best.unrolled = kUnrolled / 2;
  return best;
}

// How many matrices of rows there are, in a line or of several batch elements.
std::int64_t max_down(const Contraction& c, std::int64_t rows) {
  if (c.m > rows) return (c.m + rows - 1) / rows;
  return c.is_matmul || c.flat_m || c.batch.empty() ? 1 : c.batch.back().count;
}

// The best tile of matrices in vector registers: its sums, and the factors of its rows for two products, must fit with
// four registers to spare. Pairs of rows are put together by an instruction for each of their vectors.
Shape estimated_matrices(const Contraction& c, std::int64_t panels, std::int64_t rows, const DeviceFacts& device) {
  constexpr std::int64_t kMaxAcross = 6, kMinGroups = 32, kSpare = 4;
  const std::int64_t max = max_down(c, rows), batches = c.m > rows ? c.batch_count() : c.batch_count() / max;
  Shape best{.rows = rows, .down = 1};
  double least = std::numeric_limits<double>::max();
  for (std::int64_t down = 1; down <= std::min<std::int64_t>(2, max); ++down) {
    for (std::int64_t across = 1; across <= std::min(kMaxAcross, panels); ++across) {
      const std::int64_t pairs = down * ((rows + 1) / 2), sums = 2 * pairs * across;
      if (sums + 2 * pairs + kSpare > device.vector_registers) continue;
      const std::int64_t groups = batches * ((max + down - 1) / down) * ((panels + across - 1) / across);
      if (down * across > 1 && groups < kMinGroups) continue;
      const double time = static_cast<double>(groups) * std::max(static_cast<double>(sums + 2 * pairs + across), 8.0);
      if (time < least) least = time, best = {.rows = rows, .down = down, .across = across};
    }
  }
  return best;
}

// An estimate of the best shape. Interleaving the rows of A in a copy costs little where many panels use the copy; then
// few addresses are needed, and longer code pays off.
Shape estimated_shape(const Contraction& c, std::int64_t panels, Factors factors, const DeviceFacts& device) {
  if (!device.native_vectors) {
    if (c.is_matmul && c.m >= kMaxRows && panels >= 16 && c.contiguous_k >= 256)
      return {.rows = kMaxRows, .unrolled = 2 * kUnrolled, .interleaved = true};
    return {.rows = even_part(c.m, shares_one_set(c, factors) ? kMaxInOneSet : kMaxRows)};
  }
  return estimated_tile(c, panels, shares_one_set(c, factors) ? kMaxInOneSet : kMaxRows, factors, device);
}

// A product of matrices takes as long for few rows as for all. Products by words have fewer instructions for few rows:
// fewer than this, or than half of the rows of a small matrix.
constexpr std::int64_t kMinRowsOfMatrix = 4;

Shape shape_for(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, std::int64_t panels,
                Factors factors) {
  std::vector<Shape> shapes;
  const auto add = [&](Shape shape) {
    if (!std::ranges::contains(shapes, shape)) shapes.push_back(shape);
  };
  if (const MatrixShape* matrix = matrix_for(program, c)) {
    // Four sums hide the latency of a product. Fewer make more workgroups.
    const std::int64_t rows = even_part(c.m, matrix->m);
    const bool are_few = rows < std::min<std::int64_t>(kMinRowsOfMatrix, matrix->m / 2);
    if (program.device().vector_matrices && !are_few) add(estimated_matrices(c, panels, rows, program.device()));
    for (const std::int64_t down : {2, 1}) {
      for (const std::int64_t across : {2, 1}) {
        if (!are_few)
          add({.rows = rows, .down = std::min(down, max_down(c, rows)), .across = std::min(across, panels)});
      }
    }
  }
  add(estimated_shape(c, panels, factors, program.device()));
  for (const std::int64_t unrolled : {kUnrolled, 2 * kUnrolled}) {
    if (unrolled > kUnrolled && c.contiguous_k < unrolled) continue;
    for (const std::int64_t across : {1, 2, 3}) {
      for (const std::int64_t rows : {4, 6, 8, 10, 12, 14, 16}) {
        const bool applies = program.device().native_vectors
                                 ? across <= panels && fits_registers(rows, across, factors, program.device())
                                 : across == 1;
        if (applies) add({.rows = even_part(c.m, rows), .across = across, .unrolled = unrolled});
      }
    }
    if (!program.device().native_vectors && c.is_matmul && c.m >= kMaxRows)
      add({.rows = kMaxRows, .unrolled = unrolled, .interleaved = true});
  }
  const std::string what = formatted("contraction {}x{}x{}x{} in runs of {} by {}{}", c.batch_count(), c.m, c.n, c.k(),
                                     c.contiguous_k, c.m_stride, &node == c.node ? "" : ", and more");
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
        panels_((c.n + lanes_ - 1) / lanes_),
        factors_(factors_of(program.graph(), program.stored(), c, program.device())),
        shape_(shape_for(program, c, node, panels_, factors_)),
        joins_lines_(joins_lines(c, shape_, program.device())),
        all_rows_(joins_lines_ ? c.batch_count() * c.m : c.m),
        tile_rows_(shape_.rows),
        tile_batches_(batches_of_tile(c, shape_, program.device())) {
    if (shape_.has_matrices()) {
      matrix_ = *matrix_for(program, c);
      steps_of_block_ = matrix_steps(c, matrix_, program.device());
      if (tile_batches_ == 1) tile_rows_ = std::min(shape_.down * tile_rows_, c.m);
    }
    tiles_ = (all_rows_ + tile_rows_ - 1) / tile_rows_;
    columns_ = (panels_ + shape_.across - 1) / shape_.across;
  }

  void run() {
    const std::optional<std::uint32_t> copy = copy_of_a();
    const bool words = factors_ != Factors::Floats || shape_.has_matrices();
    const std::int64_t width = panels_together() * lanes_;
    const std::uint32_t panels = words ? words_of_b(program_, c_, width, type_of_a(), groups_of_b())
                                       : panels_of_b(program_, c_, width, ElementType::F32);
    std::vector<std::uint32_t> packed = {copy.value_or(panels), panels};
    if (are_bytes()) packed.push_back(sums_of_panels(program_, c_, width));
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "contraction");
    if (program_.repeat(key, packed)) return;
    KernelBuilder builder = program_.kernel(
        {.local_size = lanes_, .addresses = true, .lanes = lanes_, .vulkan_memory_model = shape_.has_matrices()});
    builder_ = &builder;
    operands_.factors = factors_;
    operands_.signed_bytes = program_.device().signed_dot_products;
    operands_.lane_factors = program_.device().lane_factors;
    operands_.a = copy ? builder.read_packed(*copy, type_of_a()) : builder.read(source_of(program_, c_.a));
    operands_.b = builder.read_packed(panels, words ? ElementType::I32 : ElementType::F32);
    if (are_bytes()) channel_sums_ = builder.read_packed(packed[2], ElementType::I32);
    // Groups of batch elements are taken along the innermost batch loop.
    const std::int64_t in_loop = c_.batch.empty() ? 1 : c_.batch.back().count;
    batch_tiles_ = (in_loop + tile_batches_ - 1) / tile_batches_;
    const std::int64_t tiles = joins_lines_ ? tiles_ : tiles_ * batch_tiles_ * (c_.batch_count() / in_loop),
                       groups = columns_ * tiles;
    place(tiles);
    if (shape_.has_matrices()) {
      arrange_matrices();
      multiply_matrices();
      finish_matrices();
    } else {
      arrange();
      multiply();
      finish();
    }
    program_.dispatch(builder, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  Kernel& k() { return builder_->kernel(); }
  // Where blocks are not whole words or steps, readers go beyond the last element; B is zero there.
  std::optional<std::uint32_t> copy_of_a() {
    if (shape_.has_matrices()) {
      const std::int64_t beyond = steps_of_block_.products() - c_.contiguous_k;
      return bordered_a(program_, c_, type_of_a(), static_cast<std::uint64_t>(beyond));
    }
    if (shape_.interleaved) return interleaved_a(program_, c_, tile_rows_);
    const bool whole = c_.contiguous_k % products_of_step(factors_) == 0;
    const std::uint64_t beyond = kBytesOfWord - tensor::size_of(type_of_a());
    return bordered_a(program_, c_, type_of_a(), whole ? 0 : beyond);
  }
  bool are_bytes() const { return factors_ == Factors::Bytes; }
  ElementType type_of_a() const { return shape_.has_matrices() ? matrix_.factors : type_of(factors_); }
  // Words of B of a block, with those that fill its last step; 0 without matrices.
  std::int64_t words_of_matrices() const {
    return shape_.has_matrices() ? steps_of_block_.count * steps_of_block_.words : 0;
  }
  // Neighbours of a column of B: a word, or all products of a step.
  bool is_by_column() const { return shape_.has_matrices() && program_.device().vector_matrices; }
  WordsOfB groups_of_b() const {
    return {.words = is_by_column() ? steps_of_block_.words : 1,
            .groups_of_block = is_by_column() ? steps_of_block_.count : words_of_matrices()};
  }
  // Rows of a panel, of one sum.
  std::int64_t steps() const {
    if (shape_.has_matrices()) return c_.k_block_count() * words_of_matrices();
    return c_.steps(factors_);
  }
  bool is_native() const { return program_.device().native_vectors; }
  // Panels whose rows are neighbours: those of a tile, where two vectors are one load.
  std::int64_t panels_together() const { return program_.device().lane_factors ? shape_.across : 1; }
  // With those of a last tile that has fewer.
  std::int64_t packed_panels() const {
    return (panels_ + panels_together() - 1) / panels_together() * panels_together();
  }

  // Which batch elements, rows and channels this workgroup has. The grid may be a few workgroups longer than the work.
  void place(std::int64_t tiles) {
    const Value group = k().min(k().group_index(), k().integer(columns_ * tiles - 1));
    const Value tile_index = is_native() ? place_in_cache(group, tiles) : place_simply(group, tiles);
    const Value batch_tile = k().unsigned_divide(tile_index, k().integer(tiles_));
    tile_ = tile_index - batch_tile * tiles_;
    batch_ = first_batch(batch_tile);
    first_row_ = k().min(tile_ * tile_rows_, k().integer(all_rows_ - tile_rows_));

    if (panels_together() > 1)
      panel_ = panel_ * shape_.across;
    else if (shape_.across > 1)
      panel_ = k().min(panel_ * shape_.across, k().integer(panels_ - shape_.across));
    operands_.b_begin = panel_ * (steps() * lanes_);
    if (c_.is_matmul) operands_.b_begin = operands_.b_begin + batch_ * (packed_panels() * steps() * lanes_);
    if (shape_.interleaved) {
      a_first_ = (batch_ * tiles_ + tile_) * (c_.contiguous_k * tile_rows_);
      return;
    }
    if (!joins_lines_) a_first_ = begin_of_row(batch_, first_row_);
  }

  // The offset of a row of a batch element in A.
  Value begin_of_row(Value batch, Value row) {
    Value begin = row * c_.m_stride, rest = batch;
    for (std::size_t i = c_.batch.size(); i-- > 0;) {
      const Value next = i == 0 ? k().integer(0) : k().unsigned_divide(rest, k().integer(c_.batch[i].count));
      begin = begin + (i == 0 ? rest : rest - next * c_.batch[i].count) * c_.batch[i].stride;
      rest = next;
    }
    return begin;
  }
  // The same of a row that is counted through all lines.
  Value begin_of_joined(Value row) {
    const Value line = k().unsigned_divide(row, k().integer(c_.m));
    return begin_of_row(line, row - line * c_.m);
  }

  // Consecutive workgroups share the larger operand: a panel of B where B is larger, otherwise the rows of A. Sets the
  // panel and returns the tile.
  Value place_simply(Value group, std::int64_t tiles) {
    const bool by_panel = !c_.is_matmul && panels_ * lanes_ * c_.k_block_count() > c_.batch_count() * c_.m;
    const Value outer = k().unsigned_divide(group, k().integer(by_panel ? tiles : panels_));
    const Value inner = group - outer * (by_panel ? tiles : panels_);
    panel_ = by_panel ? outer : inner;
    return by_panel ? inner : outer;
  }

  // A few tiles use a panel of B, or the panels of a tile, before the next one. Sets its index and returns the tile.
  Value place_in_cache(Value group, std::int64_t tiles) {
    const std::int64_t together = tiles_together(tiles);
    const Value few = k().unsigned_divide(group, k().integer(columns_ * together));
    const Value rest = group - few * (columns_ * together);
    panel_ = k().unsigned_divide(rest, k().integer(together));
    return few * together + (rest - panel_ * together);
  }

  // As many as move the fewest bytes into the second-level cache: B comes once for all tiles that are together, A once
  // if the rows of these tiles stay in the cache, otherwise for each panel.
  std::int64_t tiles_together(std::int64_t tiles) const {
    constexpr std::int64_t kCache = 256 << 10;
    const std::int64_t of_batch = c_.is_matmul ? tiles_ : tiles;  // each batch of a product has a B of its own
    const std::int64_t element_size = tensor::size_of(type_of_a()), of_b = panels_ * lanes_ * c_.k() * element_size;
    const std::int64_t rows = tile_batches_ * c_.k_block_count() * (tile_rows_ * c_.m_stride + c_.contiguous_k);
    const std::int64_t of_tile = (shape_.interleaved ? tile_rows_ * c_.k() : rows) * element_size;
    const auto elements = static_cast<std::int64_t>(tensor::element_count(c_.border.shape).value_or(0));
    const std::int64_t of_a = (c_.is_matmul ? c_.m * c_.k() : elements) * element_size;
    std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t together = 1; together <= of_batch; ++together) {
      if (of_batch % together != 0) continue;
      const std::int64_t times_of_b = of_b <= 2 * kCache ? 1 : of_batch / together;
      const std::int64_t times_of_a = std::min(together * of_tile, of_a) <= kCache ? 1 : columns_;
      const std::int64_t moved = times_of_b * of_b + times_of_a * of_a;
      if (moved < least) least = moved, best = together;
    }
    return best;
  }

  // The last group of a loop is moved back so that it is full.
  Value first_batch(Value batch_tile) {
    if (tile_batches_ == 1) return batch_tile;
    const std::int64_t count = c_.batch.back().count;
    const Value loop = k().unsigned_divide(batch_tile, k().integer(batch_tiles_));
    const Value first = (batch_tile - loop * batch_tiles_) * tile_batches_;
    return loop * count + k().min(first, k().integer(count - tile_batches_));
  }

  void arrange() {
    operands_.max_unrolled = shape_.unrolled;
    // Elements of A that several rows read in one step would occupy registers from one use to the next.
    if (is_native() && !shape_.interleaved && c_.m_stride > 0 && c_.m_stride < c_.contiguous_k)
      operands_.max_unrolled = std::clamp<std::int64_t>(c_.m_stride / operands_.products(), 1, operands_.max_unrolled);
    operands_.a_step = shape_.interleaved ? tile_rows_ : 1;
    operands_.panels = shape_.across;
    operands_.panel_size = panels_together() > 1 ? lanes_ : steps() * lanes_;
    operands_.b_step = panels_together() * lanes_;
    if (joins_lines_) {
      const bool in_one_line = c_.m % tile_rows_ == 0;
      const Value first = begin_of_joined(first_row_);
      for (std::int64_t row = 0; row < tile_rows_; ++row) {
        if (in_one_line || row == 0)
          operands_.rows.push_back({first, row * c_.m_stride});
        else
          operands_.rows.push_back({begin_of_joined(first_row_ + row), 0});
      }
      return;
    }
    for (std::int64_t batch = 0; batch < tile_batches_; ++batch) {
      const std::int64_t begin = tile_batches_ == 1 ? 0 : batch * c_.batch.back().stride;
      for (std::int64_t row = 0; row < tile_rows_; ++row)
        operands_.rows.push_back({a_first_, begin + (shape_.interleaved ? row : row * c_.m_stride)});
    }
  }

  // --- sums ---

  void multiply() {
    std::vector<Value> first;
    for (std::int64_t i = 0; i < shape_.across; ++i) first.push_back(first_sum(panel_ + i));
    for (std::size_t row = 0; row < operands_.rows.size(); ++row) {
      for (const Value& of_panel : first) sums_.push_back(k().variable(of_panel));
    }
    if (factors_ == Factors::Floats && !sums_exactly(program_.graph(), c_)) {
      for (std::size_t i = 0; i < sums_.size(); ++i) totals_.push_back(k().variable(k().integer(0)));
    }
    // A loop that runs once: without it, Mesa 26.1 (llvmpipe, LLVM 21) spills every product of an iteration, which
    // halves the speed. Without inner iterations, on the other hand, such a loop makes it confuse a mask with a sum
    // (seen with sums of one product).
    const auto all = [&](Value) { k_blocks(0, k().integer(0), k().integer(0)); };
    if (c_.k() <= kUnrolled || is_native())
      all(k().integer(0));
    else
      k().loop(k().groups_deep(), all);
  }

  // Sums of bytes are those of (a + offset) * b; (offset + zero point) * b is subtracted in advance.
  Value first_sum(Value panel) {
    if (factors_ == Factors::Floats) return k().real(0);
    return are_bytes() ? sum_of_channel(panel) * -(program_.device().byte_offset() + c_.a_zero) : k().integer(0);
  }

  // Of all elements of B that a channel has.
  Value sum_of_channel(Value panel) {
    if (c_.is_matmul) panel = panel + batch_ * packed_panels();
    return k().load_lanes(k().pointer(channel_sums_, panel * lanes_), 0);
  }

  // `a`: offset of the block from the beginning of the first row, in elements; `done`: steps before it.
  void k_blocks(std::size_t level, Value a, Value done) {
    if (level == c_.k_blocks.size()) return block(a, done);
    std::int64_t inside = steps() / c_.k_block_count();
    for (std::size_t i = level + 1; i < c_.k_blocks.size(); ++i) inside *= c_.k_blocks[i].count;
    const ContractionLoop& loop = c_.k_blocks[level];
    // Short sums are straight code.
    if (c_.k() <= 2 * kUnrolled && !is_native()) {
      for (std::int64_t i = 0; i < loop.count; ++i) k_blocks(level + 1, a + i * loop.stride, done + i * inside);
    } else {
      k().loop(k().integer(loop.count), [&](Value i) { k_blocks(level + 1, a + i * loop.stride, done + i * inside); });
    }
  }

  void block(Value a, Value done) {
    if (shape_.has_matrices()) return add_matrix_products(k(), matrices_, a, done, steps_of_block_.count, matrix_sums_);
    if (totals_.empty()) return add_products(k(), operands_, a, done, steps() / c_.k_block_count(), sums_);
    const std::int64_t exact = exact_products(c_), whole = c_.contiguous_k / exact, rest = c_.contiguous_k % exact;
    if (whole) {
      k().loop(k().integer(whole), [&](Value i) {
        add_products(k(), operands_, a + i * exact, done + i * exact, exact, sums_);
        add_up();
      });
    }
    if (rest) {
      add_products(k(), operands_, a + whole * exact, done + whole * exact, rest, sums_);
      add_up();
    }
  }

  void add_up() {
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      k().set(totals_[i], k().get(totals_[i]) + k().int_of_whole(k().get(sums_[i]), kSumBits));
      k().set(sums_[i], k().real(0));
    }
  }

  // --- matrices ---

  // The rows of the second matrix of A are of the next batch element, or after those of the first. Where a tile has
  // fewer rows than both, they share some.
  std::int64_t next_batch() const { return tile_batches_ > 1 ? 1 : 0; }
  std::int64_t next_row() const { return tile_batches_ > 1 ? 0 : tile_rows_ - shape_.rows; }

  void arrange_matrices() {
    const auto rows = static_cast<std::uint32_t>(shape_.rows),
               products = static_cast<std::uint32_t>(steps_of_block_.words * steps_of_block_.in_word);
    matrices_ = {
        .a = operands_.a,
        .b = operands_.b,
        .matrices = {},
        .rows = shape_.rows,
        .row_stride = c_.m_stride,
        .b_begin = operands_.b_begin,
        .panels = shape_.across,
        .panel_size = panels_together() > 1 ? lanes_ * (is_by_column() ? steps_of_block_.words : 1) : steps() * lanes_,
        .b_step = panels_together() * lanes_,
        .by_column = is_by_column(),
        .words = steps_of_block_.words,
        .in_word = steps_of_block_.in_word,
        .a_type = k().matrix_type(matrix_.factors, rows, products, MatrixUse::A),
        .b_type = k().matrix_type(matrix_.factors, products, lanes_, MatrixUse::B),
        .sum_type = k().matrix_type(matrix_.sum, rows, lanes_, MatrixUse::Sum)};
    const std::int64_t to_next = next_row() * c_.m_stride + (next_batch() ? c_.batch.back().stride : 0);
    for (std::int64_t i = 0; i < shape_.down; ++i) matrices_.matrices.push_back({a_first_, i * to_next});
  }

  void multiply_matrices() {
    for (std::int64_t i = 0; i < shape_.down * shape_.across; ++i)
      matrix_sums_.push_back(k().matrix_variable(matrices_.sum_type));
    k_blocks(0, k().integer(0), k().integer(0));
  }

  // Of integers (a - zero point) * b, where the sums in matrices are those of a * b.
  void finish_matrices() {
    const std::int64_t size = shape_.rows * lanes_;
    const SharedRef scratch = k().shared(are_bytes() ? Scalar::Int : Scalar::Float,
                                         static_cast<std::uint32_t>(std::ssize(matrix_sums_) * size));
    for (std::size_t i = 0; i < matrix_sums_.size(); ++i)
      k().store_matrix(scratch, k().integer(static_cast<std::int64_t>(i) * size), k().get(matrix_sums_[i]), lanes_);
    k().subgroup_barrier();
    k().loop(k().integer(std::ssize(matrix_sums_)), [&](Value i) {
      const Value down = k().unsigned_divide(i, k().integer(shape_.across));
      const Value panel = panel_ + (i - down * shape_.across);
      Value zero;
      if (c_.a_zero != 0) zero = sum_of_channel(panel) * c_.a_zero;
      store({panel, batch_ + down * next_batch(), first_row_ + down * next_row(), shape_.rows, [&](std::int64_t row) {
               const Value sum = k().load(scratch, i * size + (k().local_index() + row * lanes_));
               return c_.a_zero != 0 ? sum - zero : sum;
             }});
    });
  }

  // --- results ---

  void finish() {
    const std::vector<Variable>& sums = totals_.empty() ? sums_ : totals_;
    for (std::int64_t panel = 0; panel < shape_.across; ++panel) {
      store({panel_ + panel, batch_, first_row_, std::ssize(operands_.rows),
             [&](std::int64_t row) { return k().get(sums[static_cast<std::size_t>(row * shape_.across + panel)]); }});
    }
  }

  // Rows of results in the channels of a panel, of one batch element after the other.
  struct Rows {
    Value panel, batch, first_row;
    std::int64_t count = 0;
    std::function<Value(std::int64_t)> sum;
  };

  void store(const Rows& rows) {
    const bool all_exist = panels_ == packed_panels();
    k().when(all_exist ? k().boolean(true) : rows.panel < panels_, [&] { store_panel(rows); });
  }

  void store_panel(const Rows& rows) {
    const bool whole = c_.n % lanes_ == 0;
    Value channel = rows.panel * lanes_ + k().local_index();
    if (!whole) channel = k().gathered(channel);
    k().when(whole ? k().boolean(true) : channel < c_.n, [&] { store(rows, channel); });
  }

  void store(const Rows& rows, Value channel) {
    const tensor::Shape& shape = program_.graph()[node_.outputs[0]].type.shape;
    std::vector<Coordinates> coordinates_of_rows;
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const Coordinates at =
          coordinates(shape, rows.batch + i / shape_.rows, rows.first_row + i % shape_.rows, channel);
      builder_->fix(c_.node->outputs[0], finished_sum(*builder_, c_, rows.sum(i), channel));
      builder_->add_node(*c_.node);
      const Value element = &node_ == c_.node ? builder_->at(node_.outputs[0], at) : builder_->compute(node_, 0, at);
      elements.push_back(builder_->stored_form(node_.outputs[0], element));
      coordinates_of_rows.push_back(at);
    }
    const BufferRef to = builder_->write(node_.outputs[0]);
    for (std::size_t row = 0; row < elements.size(); ++row)
      k().store(to, linear_index(k(), shape, coordinates_of_rows[row]), elements[row]);
  }

  Coordinates coordinates(const tensor::Shape& shape, Value batch, Value row, Value channel) {
    if (c_.is_matmul && !anchor_.is_reshaped) return {batch, row, channel};
    const bool is_flat = c_.flat_m || joins_lines_ || anchor_.is_reshaped;
    if (is_flat && !c_.flat_m && !joins_lines_) row = batch * c_.m + row;
    if (is_flat && anchor_.reads_by_row_and_channel) {
      Coordinates at(shape.size(), k().integer(0));
      at[shape.size() - 2] = row;
      at.back() = channel;
      return at;
    }
    const tensor::Shape outer(shape.begin(), shape.end() - (is_flat ? 1 : 2));
    Coordinates at = coordinates_of(k(), outer, is_flat ? row : batch);
    if (!is_flat) at.push_back(row);
    at.push_back(channel);
    return at;
  }

  ProgramBuilder& program_;
  const Contraction& c_;
  const tosa::Node& node_;
  const Anchor& anchor_;
  std::uint32_t lanes_;
  std::int64_t panels_;
  Factors factors_;
  Shape shape_;
  bool joins_lines_;
  std::int64_t all_rows_;  // of a batch element, or of all lines
  std::int64_t tile_rows_, tile_batches_, tiles_ = 1, batch_tiles_ = 1;
  std::int64_t columns_ = 1;  // of tiles
  MatrixShape matrix_;
  MatrixSteps steps_of_block_;
  KernelBuilder* builder_ = nullptr;
  ProductOperands operands_;
  MatrixOperands matrices_;
  BufferRef channel_sums_;
  Value panel_, batch_, tile_, first_row_, a_first_;
  std::vector<Variable> sums_,
      totals_;  // by batch element and row, then by panel; totals of integers, where a float cannot hold them
  std::vector<MatrixVariable> matrix_sums_;  // by matrix of A and panel
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
