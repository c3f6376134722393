// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/operands.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "lower/strategies/strided_view.hpp"

namespace slipway::lower {
namespace {

using tosa::ValueId;

// An element of a copy of A, and an element of its border.
Value in_copy(Kernel& k, Value element, ElementType to, std::int64_t zero) {
  if (to == ElementType::I8) return element;
  return to == ElementType::I16 ? element - zero : as_float(k, element, zero);
}
Value border_of(Kernel& k, ElementType to, std::int64_t zero) {
  if (to == ElementType::I8) return k.integer(zero);
  return to == ElementType::I16 ? k.integer(0) : k.real(0);
}

std::uint64_t bytes_of(std::int64_t count, ElementType type) {
  return static_cast<std::uint64_t>(count) * tensor::size_of(type);
}

// A copy of an operand that a kernel makes.
struct Copy {
  std::uint32_t buffer = 0;
  std::string note;
  GroupKey key;
};

// Identifies the copy of an operand for a purpose. The contraction names it.
Copy copy_of(const ProgramBuilder& program, std::uint32_t buffer, ValueId operand, const Contraction& c,
             const std::string& note, const std::string& purpose) {
  Copy copy{buffer, note, key_of_operand(program.graph(), program.stored(), operand)};
  copy.key.values.push_back(c.node->outputs[0]);
  copy.key.text += formatted("{} {}", note, purpose);
  return copy;
}

// Rows that are filled by vectors, or by single elements on devices without lanes.
struct RowWork {
  std::int64_t rows = 1, length = 1;  // length in elements
  ElementType type = ElementType::F32;
};

// Calls `element(row, position)` for each element, `position` being the lane's own, and stores its result at the
// row-major index.
void fill_rows(ProgramBuilder& program, KernelBuilder& builder, const Copy& copy, RowWork work,
               const std::function<Value(Value, Value)>& element) {
  const std::uint32_t buffer = copy.buffer;
  Kernel& k = builder.kernel();
  const std::int64_t lanes = k.grid().lanes;
  if (!lanes) {
    const std::int64_t count = work.rows * work.length;
    const Value index = k.element_index();
    k.when(index < count, [&] {
      const Value row = k.unsigned_divide(index, k.integer(work.length));
      const Value made = element(row, index - row * work.length);
      k.store(builder.write_packed(buffer, work.type), index, made);
    });
    program.dispatch(builder, divide_up(static_cast<std::uint64_t>(count), k.grid().local_size), copy.key,
                     std::array{buffer}, copy.note);
    return;
  }
  const std::int64_t vectors = std::min<std::int64_t>(16, work.length / lanes), step = vectors * lanes;
  const std::int64_t steps = (work.length + step - 1) / step;
  const Value group = k.min(k.group_index(), k.integer(work.rows * steps - 1));
  const Value row = k.unsigned_divide(group, k.integer(steps));
  const Value first = k.min((group - row * steps) * step, k.integer(work.length - step)) + k.local_index();
  std::vector<Value> made;
  for (std::int64_t v = 0; v < vectors; ++v) made.push_back(element(row, first + v * lanes));
  const BufferRef to = builder.write_packed(buffer, work.type);
  for (std::int64_t v = 0; v < vectors; ++v)
    k.store(to, row * work.length + (first + v * lanes), made[static_cast<std::size_t>(v)]);
  program.dispatch(builder, static_cast<std::uint64_t>(work.rows * steps), copy.key, std::array{buffer}, copy.note);
}

KernelBuilder row_kernel(ProgramBuilder& program, std::int64_t length) {
  const std::uint32_t lanes = program.device().lanes;
  const bool vectors = lanes && length >= lanes;
  return program.kernel({.local_size = vectors ? lanes : kLocalSize, .addresses = true, .lanes = vectors ? lanes : 0});
}

bool is_whole(const ProgramBuilder& program, ValueId value) { return program.stored()[index(value)]; }

}  // namespace

ValueId source_of(const ProgramBuilder& program, ValueId value) {
  return source_of(program.graph(), program.stored(), value);
}

Value as_float(Kernel& k, Value element, std::int64_t zero) {
  return element.type() == Scalar::Float ? element : k.to_float(element - zero);
}

bool is_stored_as(const ProgramBuilder& program, const Contraction& c, ElementType type) {
  const ValueId source = source_of(program, c.a);
  const auto widened = program.widened(source);
  const ElementType stored = tosa::storage_of(program.graph()[c.a].type.data);
  return c.same_border && is_whole(program, source) &&
         (widened ? widened->zero == c.a_zero && type == widened->type : stored == type);
}

// Long, because an element of the copy is a closure over the shapes, the border and the kernel that come before it.
std::optional<std::uint32_t> bordered_a(ProgramBuilder& program, const Contraction& c, ElementType to,
                                        std::uint64_t spare) {
  if (spare == 0 && is_stored_as(program, c, to)) return std::nullopt;
  const tosa::Graph& graph = program.graph();
  const ValueId source = source_of(program, c.a);
  const tensor::Shape& shape = graph[c.a].type.shape;
  const tensor::Shape& bordered = c.is_matmul ? shape : c.border.shape;
  std::string purpose = formatted("{} {} {}", tensor::name_of(to), c.a_zero, spare);
  if (!c.is_matmul) {
    for (std::size_t d = 0; d < shape.size(); ++d)
      purpose += formatted(" {}+{}", c.border.before[d], bordered[d] - shape[d]);
  }
  const std::int64_t count = static_cast<std::int64_t>(tensor::element_count(bordered).value_or(0));
  const auto [buffer, is_new] = program.packed(c.a, bytes_of(count, to) + spare, purpose);
  if (!is_new) return buffer;
  const Copy copy = copy_of(program, buffer, c.a, c, "BORDER", purpose);
  if (program.repeat(copy.key, std::array{buffer})) return buffer;

  // A row of the copy is a row of pixels, all channels; without a border the copy is one row.
  const std::size_t rank = shape.size();
  const bool one_row = c.same_border && is_whole(program, source);
  const std::int64_t length = one_row ? count : bordered[rank - 2] * bordered[rank - 1];
  KernelBuilder builder = row_kernel(program, length);
  Kernel& k = builder.kernel();
  builder.add_node(*c.node);
  const auto element = [&](Value row, Value position) {
    if (one_row) return in_copy(k, builder.load_stored(source, position), to, c.a_zero);
    Coordinates at(rank, k.integer(0));
    Value inside = k.boolean(true);
    const auto coordinate = [&](std::size_t d, Value i) {
      const std::int64_t before = c.is_matmul ? 0 : c.border.before[d];
      if (bordered[d] != shape[d]) {
        i = i - before;
        inside = inside & (i >= 0) & (i < shape[d]);
        i = k.clamp(i, k.integer(0), k.integer(shape[d] - 1));
      }
      at[d] = i;
    };
    Value rest = row;
    for (std::size_t d = rank - 2; d-- > 0;) {
      const Value next = d == 0 ? k.integer(0) : k.unsigned_divide(rest, k.integer(bordered[d]));
      coordinate(d, d == 0 ? rest : rest - next * bordered[d]);
      rest = next;
    }
    const std::int64_t channels = shape[rank - 1];
    if (is_whole(program, source) && source == c.a) {
      // Pixels and channels in one coordinate: the row-major index is right, and vectors stay vectors.
      const std::int64_t before = (c.is_matmul ? 0 : c.border.before[rank - 2]) * channels;
      const std::int64_t extent = shape[rank - 2] * channels;
      const Value i = position - before;
      if (bordered[rank - 2] != shape[rank - 2]) {
        // A vector is inside or outside as a whole where channels are whole vectors.
        const bool whole = k.grid().lanes && channels % k.grid().lanes == 0;
        const Value begin = whole ? k.without_lane(i) : i;
        inside = inside & (begin >= 0) & (begin < extent);
        const Value last = k.integer(extent - (whole ? k.grid().lanes : 1));
        at[rank - 1] = whole ? k.clamp(begin, k.integer(0), last) + k.local_index() : k.clamp(i, k.integer(0), last);
      } else {
        at[rank - 1] = i;
      }
    } else {
      // A vector is in one pixel where channels are whole vectors.
      const bool whole = k.grid().lanes && channels % k.grid().lanes == 0;
      const Value begin = whole ? k.without_lane(position) : position;
      const Value pixel = k.unsigned_divide(begin, k.integer(channels));
      coordinate(rank - 2, pixel);
      at[rank - 1] = begin - pixel * channels;
      if (whole) at[rank - 1] = at[rank - 1] + k.local_index();
    }
    return k.select(inside, in_copy(k, builder.at(c.a, at), to, c.a_zero), border_of(k, to, c.a_zero));
  };
  fill_rows(program, builder, copy, {count / length, length, to}, element);
  return buffer;
}

std::uint32_t interleaved_a(ProgramBuilder& program, const Contraction& c, std::int64_t tile_rows) {
  const std::int64_t tiles = (c.m + tile_rows - 1) / tile_rows;
  const std::int64_t count = c.batch_count() * tiles * c.contiguous_k * tile_rows;
  const std::string purpose = formatted("tiles of {} {}", tile_rows, c.a_zero);
  const auto [buffer, is_new] = program.packed(c.a, bytes_of(count, ElementType::F32), purpose);
  if (!is_new) return buffer;
  const Copy copy = copy_of(program, buffer, c.a, c, "TILES", purpose);
  if (program.repeat(copy.key, std::array{buffer})) return buffer;
  // A row of the copy is a tile.
  KernelBuilder builder = row_kernel(program, c.contiguous_k * tile_rows);
  Kernel& k = builder.kernel();
  builder.add_node(*c.node);
  fill_rows(program, builder, copy, {c.batch_count() * tiles, c.contiguous_k * tile_rows},
            [&](Value row, Value position) {
              const Value batch = k.unsigned_divide(row, k.integer(tiles)), tile = row - batch * tiles;
              const bool whole = k.grid().lanes && tile_rows % k.grid().lanes == 0;
              const Value begin = whole ? k.without_lane(position) : position;
              const Value column = k.unsigned_divide(begin, k.integer(tile_rows));
              const Value first = k.min(tile * tile_rows, k.integer(c.m - tile_rows));
              Value in_tile = begin - column * tile_rows;
              if (whole) in_tile = in_tile + k.local_index();
              return as_float(k, builder.at(c.a, {batch, first + in_tile, column}), c.a_zero);
            });
  return buffer;
}

namespace {

Packing panels(const ProgramBuilder& program, const Contraction& c, std::int64_t width, ElementType to) {
  const std::int64_t depth = c.k();
  Packing packing{.rows = depth,
                  .columns = c.n,
                  .width = width,
                  .from = tosa::storage_of(program.graph()[c.b].type.data),
                  .to = to,
                  .zero = c.b_zero};
  if (c.is_matmul) {
    packing.batches = c.batch_count();
    packing.batch_stride = depth * c.n;
    packing.row_stride = c.n;
  } else {
    packing.row_stride = 1;
    packing.column_stride = depth;
  }
  return packing;
}

}  // namespace

std::uint32_t words_of_b(ProgramBuilder& program, const Contraction& c, std::int64_t width, ElementType to,
                         const WordsOfB& words) {
  Packing packing = panels(program, c, width, to);
  packing.group = words.words * kBytesOfWord / tensor::size_of(to);
  packing.block = c.contiguous_k;
  packing.groups_of_block = words.groups_of_block;
  return program.packed_constant(source_of(program, c.b), packing);
}

std::uint32_t sums_of_panels(ProgramBuilder& program, const Contraction& c, std::int64_t width) {
  Packing packing = panels(program, c, width, ElementType::I32);
  packing.sums = true;
  return program.packed_constant(source_of(program, c.b), packing);
}

std::uint32_t panels_of_b(ProgramBuilder& program, const Contraction& c, std::int64_t width, ElementType to) {
  const tosa::Graph& graph = program.graph();
  const std::int64_t depth = c.k();
  const Packing packing = panels(program, c, width, to);
  const std::int64_t batches = packing.batches;
  const ValueId source = source_of(program, c.b);
  if (graph.constant(source)) return program.packed_constant(source, packing);

  const std::string purpose = formatted("panels of {} {} {}", width, tensor::name_of(to), c.b_zero);
  const auto [buffer, is_new] = program.packed(c.b, packing.size(), purpose);
  if (!is_new) return buffer;
  const Copy copy = copy_of(program, buffer, c.b, c, "PANELS", purpose);
  if (program.repeat(copy.key, std::array{buffer})) return buffer;
  // A row of the copy is a panel.
  const std::int64_t count = packing.panels();
  KernelBuilder builder = row_kernel(program, depth * width);
  Kernel& k = builder.kernel();
  builder.add_node(*c.node);
  // Whether a vector is in one row of a panel, with all channels present. Its index is then uniform except for the
  // lane.
  const std::int64_t lanes = k.grid().lanes;
  const bool whole = lanes > 0 && width % lanes == 0 && c.n % width == 0;
  fill_rows(program, builder, copy, {batches * count, depth * width, to}, [&](Value row, Value position) {
    const Value batch = k.unsigned_divide(row, k.integer(count)), panel = row - batch * count;
    const Value begin = whole ? k.without_lane(position) : position;
    const Value i = k.unsigned_divide(begin, k.integer(width));
    Value lane = whole && lanes == width ? k.local_index() : begin - i * width;
    if (whole && lanes != width) lane = lane + k.local_index();
    Value channel = panel * width + lane;
    const Value inside = whole ? k.boolean(true) : channel < c.n;
    if (!whole) channel = k.min(channel, k.integer(c.n - 1));
    Coordinates at;
    if (c.is_matmul) {
      at = {batch, i, channel};
    } else {
      const tensor::Shape& shape = graph[c.b].type.shape;
      at = coordinates_of(k, tensor::Shape(shape.begin() + 1, shape.end()), i);
      at.insert(at.begin(), channel);
    }
    return k.select(inside, as_float(k, builder.at(c.b, at), c.b_zero), k.real(0));
  });
  return buffer;
}

namespace {

// Four channels of a product of B, one byte each.
Value word_of_b(KernelBuilder& builder, const Contraction& c, const std::optional<BufferRef>& words, Value batch,
                Value product, Value channel) {
  Kernel& k = builder.kernel();
  if (words) {
    const Value first = k.min(channel, k.integer(c.n - 4));
    return k.load(*words, ((batch * c.k() + product) * c.n + first) >> 2);
  }
  Value word = k.integer(0);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Value element = builder.at(c.b, {batch, product, k.min(channel + i, k.integer(c.n - 1))});
    word = word | (element & 0xff) << (8 * i);
  }
  return word;
}

// Squares of the matrix are transposed in shared memory, so that reads and writes both touch neighbours. They are moved
// as words of four elements: each invocation transposes a block of four words.
void transpose_b(ProgramBuilder& program, const Contraction& c, const Copy& copy) {
  constexpr std::int64_t kSide = 64, kWord = 4, kWords = kSide / kWord, kInvocations = kWords * kWords;
  constexpr std::int64_t kRow = kWords + 1;  // rows begin on different banks
  const std::int64_t depth = c.k(), across = (c.n + kSide - 1) / kSide, down = (depth + kSide - 1) / kSide;
  KernelBuilder builder = program.kernel({.local_size = kInvocations, .addresses = true});
  Kernel& k = builder.kernel();
  builder.add_node(*c.node);
  std::optional<BufferRef> words;
  if (is_whole(program, c.b) && c.n % kWord == 0) words = builder.read_as(c.b, ElementType::I32);
  const std::int64_t groups = c.batch_count() * down * across;
  const Value group = k.min(k.group_index(), k.integer(groups - 1));
  const Value rest = k.unsigned_divide(group, k.integer(across)), batch = k.unsigned_divide(rest, k.integer(down));
  const Value first_channel = (group - rest * across) * kSide, first_product = (rest - batch * down) * kSide;
  const SharedRef square = k.shared(Scalar::Int, kSide * kRow);
  const Value y = k.unsigned_divide(k.local_index(), k.integer(kWords)), x = k.local_index() - y * kWords;
  for (std::int64_t i = 0; i < kWord; ++i) {
    const Value row = y + i * kWords, product = k.min(first_product + row, k.integer(depth - 1));
    k.store(square, row * kRow + x, word_of_b(builder, c, words, batch, product, first_channel + x * kWord));
  }
  k.barrier();
  std::array<Value, kWord> column;
  for (std::int64_t i = 0; i < kWord; ++i)
    column[static_cast<std::size_t>(i)] = k.load(square, (x * kWord + i) * kRow + y);
  const BufferRef to = builder.write_packed(copy.buffer, ElementType::I32);
  // K is a multiple of 16 here, so words are complete.
  const Value product = first_product + x * kWord;
  for (std::int64_t i = 0; i < kWord; ++i) {
    Value word = k.integer(0);
    for (std::int64_t p = 0; p < kWord; ++p)
      word = word | (k.shift_right_logical(column[static_cast<std::size_t>(p)], k.integer(8 * i)) & 0xff) << (8 * p);
    const Value channel = first_channel + y * kWord + i;
    k.when((channel < c.n) & (product < depth),
           [&] { k.store(to, ((batch * c.n + channel) * depth + product) >> 2, word); });
  }
  program.dispatch(builder, static_cast<std::uint64_t>(groups), copy.key, std::array{copy.buffer}, copy.note);
}

// A constant B as a matrix of channels x products.
Packing matrix_of_b(const ProgramBuilder& program, const Contraction& c) {
  const std::int64_t depth = c.k();
  Packing packing{.rows = c.n,
                  .row_stride = depth,
                  .columns = depth,
                  .width = depth,
                  .from = tosa::storage_of(program.graph()[c.b].type.data),
                  .to = ElementType::I8};
  if (c.is_matmul) {
    packing.batches = c.batch_count();
    packing.batch_stride = depth * c.n;
    packing.row_stride = 1;
    packing.column_stride = c.n;
  }
  return packing;
}

}  // namespace

std::optional<ValueId> stored_channels_of_b(const ProgramBuilder& program, const Contraction& c) {
  const ValueId source = source_of(program, c.b);
  if (!c.is_matmul) return is_whole(program, source) ? std::optional(source) : std::nullopt;
  const auto view = strided_view(program.graph(), program.stored(), c.b);
  if (!view || view->offset != 0) return std::nullopt;
  const auto dimension = [](std::int64_t extent, std::int64_t stride) {
    std::vector<StridedView::Digit> digits;
    if (extent > 1) digits.push_back({extent, stride});
    return digits;
  };
  const std::vector<std::vector<StridedView::Digit>> channels = {dimension(c.batch_count(), c.n * c.k()),
                                                                 dimension(c.k(), 1), dimension(c.n, c.k())};
  return view->dimensions == channels ? std::optional(view->source) : std::nullopt;
}

std::optional<std::uint32_t> channels_of_b(ProgramBuilder& program, const Contraction& c) {
  const tosa::Graph& graph = program.graph();
  const ValueId source = source_of(program, c.b);
  if (graph.constant(source)) return program.packed_constant(source, matrix_of_b(program, c));
  if (stored_channels_of_b(program, c)) return std::nullopt;
  const std::string purpose = "channels";
  const auto size = static_cast<std::uint64_t>((c.is_matmul ? c.batch_count() : 1) * c.k() * c.n);
  const auto [buffer, is_new] = program.packed(c.b, size, purpose);
  if (!is_new) return buffer;
  const Copy copy = copy_of(program, buffer, c.b, c, "CHANNELS", purpose);
  if (!program.repeat(copy.key, std::array{buffer})) transpose_b(program, c, copy);
  return buffer;
}

std::uint32_t sums_of_b(ProgramBuilder& program, const Contraction& c) {
  // The transposed matrix: a row for each product.
  Packing packing = matrix_of_b(program, c);
  std::swap(packing.rows, packing.columns);
  std::swap(packing.row_stride, packing.column_stride);
  packing.width = packing.columns;
  packing.to = ElementType::I32;
  packing.sums = true;
  return program.packed_constant(source_of(program, c.b), packing);
}

}  // namespace slipway::lower
