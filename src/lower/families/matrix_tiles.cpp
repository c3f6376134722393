// Tiles of 16-bit floats by cooperative matrices, summed in 32 bits.
//
// Each subgroup has a part of the tile, as a grid of matrices. Operands go through the memory of the workgroup sixteen
// bytes at a time, rows a chunk longer than their contents so that they begin on different banks. A product alone is
// stored straight from the matrices; what has operators behind it, or a ragged edge, goes matrix by matrix through the
// memory of the workgroup, so that each invocation gets elements whose places it knows.
#include <algorithm>
#include <array>

#include "lower/families/operands.hpp"
#include "lower/families/tiles.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kChunk = 8, kChunkBytes = 16;  // elements of 16 bits

// How a tile is shared among subgroups.
struct Layout {
  MatrixShape shape;
  std::int64_t across = 2, down = 2;   // subgroups
  std::int64_t rows = 1, columns = 1;  // matrices of a subgroup
  std::int64_t step = 32;              // products

  TileSize tile() const { return {down * rows * shape.m, across * columns * shape.n}; }
  std::int64_t subgroups() const { return across * down; }
  std::int64_t a_row() const { return step / kChunk + 1; }  // chunks
  std::int64_t b_row() const { return tile().channels / kChunk + 1; }
  std::int64_t shared_bytes() const {
    return kChunkBytes * (tile().rows * a_row() + step * b_row()) + 4 * subgroups() * shape.m * shape.n;
  }
};

// Large tiles where there are enough of them for all parts of a GPU.
std::optional<Layout> layout_for(const TileWork& work) {
  const DeviceFacts& device = work.program.device();
  const auto suits = [](const MatrixShape& s) {
    return s.factors == ElementType::F16 && s.sum == ElementType::F32 && s.m % 8 == 0 && s.n % 8 == 0 && s.k % 8 == 0;
  };
  const MatrixShape* shape = nullptr;  // the one with most products
  for (const MatrixShape& s : device.matrices) {
    if (suits(s) && (!shape || s.m * s.n * s.k > shape->m * shape->n * shape->k)) shape = &s;
  }
  if (!shape) return std::nullopt;
  constexpr std::int64_t kEnough = 128;
  for (const bool large : {true, false}) {
    Layout layout{.shape = *shape};
    layout.across = large ? 4 : 2;
    layout.rows = layout.columns = large ? 4 : 2;
    layout.step = 2 * static_cast<std::int64_t>(shape->k);
    const TileSize tile = layout.tile();
    const std::int64_t groups = (work.rows + tile.rows - 1) / tile.rows *
                                ((work.c.channels + tile.channels - 1) / tile.channels) * work.batches;
    if (large && groups < kEnough) continue;
    const std::int64_t invocations = layout.subgroups() * device.subgroup_size;
    if (layout.shared_bytes() <= device.shared_memory && invocations <= device.most_invocations) return layout;
  }
  return std::nullopt;
}

bool has_whole_chunks(const Contraction& c) {
  const auto whole = [](std::int64_t n) { return n % kChunk == 0; };
  return whole(c.run) && whole(c.row_stride) &&
         std::ranges::all_of(c.lines, [&](const Loop& loop) { return whole(loop.stride); }) &&
         std::ranges::all_of(c.segments, [&](const Loop& loop) { return whole(loop.stride); });
}

class MatrixTiles {
 public:
  MatrixTiles(TileWork& work, const Layout& layout) : w_(work), c_(work.c), layout_(layout), tile_(layout.tile()) {}

  void run() {
    const auto copy = bordered_a(w_.program, c_, ElementType::F16);
    direct_ = reads_b_directly();
    const std::uint32_t packed = direct_ ? 0 : panels_of_b(w_.program, c_, tile_.channels, ElementType::F16);
    invocations_ = layout_.subgroups() * w_.program.device().subgroup_size;
    const GroupKey key = key_of_group(w_.program.graph(), w_.program.stored(), w_.node.outputs[0], "matrices");
    const std::array buffers = {copy.value_or(packed), packed};
    if (w_.program.repeat(key, buffers)) return;
    KernelMaker maker = w_.program.kernel(
        {.local_size = static_cast<std::uint32_t>(invocations_), .addresses = true, .vulkan_memory_model = true});
    maker_ = &maker;
    a_ = copy ? maker.read_packed_chunks(*copy) : maker.read_chunks(source_of(w_.program, c_.a));
    b_ = direct_ ? maker.read_chunks(source_of(w_.program, c_.b)) : maker.read_packed_chunks(packed);
    w_.place(k(), tile_);
    shared_a_ = k().shared_chunks(static_cast<std::uint32_t>(tile_.rows * layout_.a_row()));
    shared_b_ = k().shared_chunks(static_cast<std::uint32_t>(layout_.step * layout_.b_row()));
    begin();
    multiply();
    if (stores_matrices())
      store_matrices();
    else
      store_elements();
    w_.program.dispatch(maker, static_cast<std::uint64_t>(w_.groups), key, buffers);
  }

 private:
  Kernel& k() { return maker_->kernel(); }

  bool reads_b_directly() const {
    const tosa::ValueId source = source_of(w_.program, c_.b);
    return c_.is_matmul && w_.program.stored()[index(source)] && !w_.program.graph().constant(source) &&
           c_.channels % kChunk == 0;
  }

  // A chunk that an invocation moves in every step.
  struct Move {
    Value begin;   // in the buffer, chunks
    Value offset;  // of its products in the step
    Value place;   // in the memory of the workgroup
    Value exists;  // of a channel behind the last one there is nothing
    ChunkVariable next;
  };

  void begin() {
    const Value me = k().local_index();
    const std::int64_t a_chunks = layout_.step / kChunk, b_chunks = tile_.channels / kChunk;
    const Chunk zero = k().zero_chunk();
    for (std::int64_t i = 0; i * invocations_ < tile_.rows * a_chunks; ++i) {
      const Value e = k().min(me + i * invocations_, k().integer(tile_.rows * a_chunks - 1));
      const Value row = k().unsigned_divide(e, k().integer(a_chunks)), column = e - row * a_chunks;
      a_moves_.push_back({.begin = k().unsigned_divide(w_.row_begin(k(), w_.first_row + row), k().integer(kChunk)),
                          .offset = column,
                          .place = row * layout_.a_row() + column,
                          .exists = k().boolean(true),

                          .next = k().variable(zero)});
    }
    const std::int64_t panels = (c_.channels + tile_.channels - 1) / tile_.channels;
    for (std::int64_t i = 0; i * invocations_ < layout_.step * b_chunks; ++i) {
      const Value e = k().min(me + i * invocations_, k().integer(layout_.step * b_chunks - 1));
      const Value product = k().unsigned_divide(e, k().integer(b_chunks)), chunk = e - product * b_chunks;
      Move move{.begin = {},
                .offset = product,
                .place = product * layout_.b_row() + chunk,
                .exists = k().boolean(true),

                .next = k().variable(zero)};
      if (direct_) {
        const std::int64_t all = c_.channels / kChunk;
        const Value column = w_.panel * b_chunks + chunk;
        if (c_.channels % tile_.channels != 0) move.exists = column < all;
        move.begin = w_.batch * (c_.run * all) + k().min(column, k().integer(all - 1));
      } else {
        move.begin = (w_.batch * panels + w_.panel) * (c_.depth() * b_chunks) + chunk;
      }
      b_moves_.push_back(move);
    }
    b_stride_ = direct_ ? c_.channels / kChunk : b_chunks;
  }

  // Products behind the end of a run count as zeros.
  void fetch(Value number) {
    const TileWork::Step step = w_.step(k(), number, layout_.step);
    const bool partial = c_.run % layout_.step != 0;
    const Value a = k().unsigned_divide(step.a, k().integer(kChunk)),
                left = k().integer(c_.run) - step.in_run;  // products of the run
    for (const Move& move : a_moves_) {
      const Value inside = partial ? move.offset * kChunk < left : k().boolean(true);
      const Value offset = partial ? k().select(inside, move.offset, k().integer(0)) : move.offset;
      k().set(move.next, k().select(inside, k().load_chunk(a_, move.begin + a + offset)));
    }
    for (const Move& move : b_moves_) {
      const Value inside = partial ? (move.offset < left) & move.exists : move.exists;
      const Value offset = partial ? k().select(move.offset < left, move.offset, k().integer(0)) : move.offset;
      k().set(move.next, k().select(inside, k().load_chunk(b_, move.begin + (step.products + offset) * b_stride_)));
    }
  }

  void multiply() {
    const Value subgroup = k().subgroup_index();
    down_ = k().unsigned_divide(subgroup, k().integer(layout_.across));
    across_ = subgroup - down_ * layout_.across;
    const MatrixType sum = k().matrix_type(ElementType::F32, layout_.shape.m, layout_.shape.n, MatrixUse::Sum);
    for (std::int64_t i = 0; i < layout_.rows * layout_.columns; ++i) sums_.push_back(k().matrix_variable(sum));
    const std::int64_t steps = w_.steps(layout_.step);
    fetch(k().integer(0));
    k().loop(k().integer(steps), [&](Value number) {
      for (const Move& move : a_moves_) k().store(shared_a_, move.place, k().get(move.next));
      for (const Move& move : b_moves_) k().store(shared_b_, move.place, k().get(move.next));
      k().barrier();
      fetch(k().min(number + 1, k().integer(steps - 1)));
      multiply_step();
      k().barrier();
    });
  }

  void multiply_step() {
    const MatrixShape& s = layout_.shape;
    const MatrixType a_type = k().matrix_type(ElementType::F16, s.m, s.k, MatrixUse::A),
                     b_type = k().matrix_type(ElementType::F16, s.k, s.n, MatrixUse::B);
    std::vector<Matrix> sums;
    for (const MatrixVariable& sum : sums_) sums.push_back(k().get(sum));
    for (std::int64_t product = 0; product < layout_.step; product += s.k) {
      std::vector<Matrix> a, b;
      for (std::int64_t i = 0; i < layout_.rows; ++i) {
        const Value row = (down_ * layout_.rows + i) * s.m;
        a.push_back(k().load_matrix(a_type, shared_a_, row * layout_.a_row() + product / kChunk, layout_.a_row()));
      }
      for (std::int64_t j = 0; j < layout_.columns; ++j) {
        const Value column = (across_ * layout_.columns + j) * (s.n / kChunk);
        b.push_back(k().load_matrix(b_type, shared_b_, column + product * layout_.b_row(), layout_.b_row()));
      }
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
          Matrix& sum = sums[i * b.size() + j];
          sum = k().multiply_add(a[i], b[j], sum);
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) k().set(sums_[i], sums[i]);
  }

  // --- results
  // --------------------------------------------------------------------------------------------------------

  bool stores_matrices() const {
    return &w_.node == c_.node && !c_.bias && w_.type == tosa::DataType::F32 && w_.rows % tile_.rows == 0 &&
           c_.channels % tile_.channels == 0;
  }

  template <class Use>
  void for_each_matrix(Use use) {
    for (std::int64_t i = 0; i < layout_.rows; ++i) {
      for (std::int64_t j = 0; j < layout_.columns; ++j) {
        const Value row = w_.first_row + (down_ * layout_.rows + i) * layout_.shape.m,
                    channel = w_.first_channel + (across_ * layout_.columns + j) * layout_.shape.n;
        use(sums_[static_cast<std::size_t>(i * layout_.columns + j)], row, channel);
      }
    }
  }

  void store_matrices() {
    const BufferRef to = maker_->write(w_.node.outputs[0]);
    maker_->add_node(*c_.node);
    for_each_matrix([&](const MatrixVariable& sum, Value row, Value channel) {
      const Value first = (w_.batch * w_.rows + row) * c_.channels + channel;
      k().store_matrix(to, first, k().get(sum), c_.channels);
    });
  }

  void store_elements() {
    const std::int64_t count = layout_.shape.m * layout_.shape.n, lanes = w_.program.device().subgroup_size;
    const SharedRef scratch = k().shared(Scalar::Float, static_cast<std::uint32_t>(layout_.subgroups() * count));
    const Value mine = k().subgroup_index() * count, lane = k().subgroup_lane();
    std::optional<BufferRef> to;
    for_each_matrix([&](const MatrixVariable& sum, Value row, Value channel) {
      k().barrier();
      k().store_matrix(scratch, mine, k().get(sum), layout_.shape.n);
      k().barrier();
      k().loop(k().integer((count + lanes - 1) / lanes), [&](Value i) {
        const Value e = i * lanes + lane, y = k().unsigned_divide(e, k().integer(layout_.shape.n));
        const Value at_row = row + y, at_channel = channel + (e - y * layout_.shape.n);
        k().when((e < count) & (at_row < w_.rows) & (at_channel < c_.channels), [&] {
          Value index;
          const Value element = w_.element(*maker_, k().load(scratch, mine + e), at_row, at_channel, index);
          if (!to) to = maker_->write(w_.node.outputs[0]);
          k().store(*to, index, element);
        });
      });
    });
  }

  TileWork& w_;
  const Contraction& c_;
  Layout layout_;
  TileSize tile_;
  bool direct_ = false;
  std::int64_t invocations_ = 0, b_stride_ = 0;
  KernelMaker* maker_ = nullptr;
  BufferRef a_, b_;
  SharedRef shared_a_, shared_b_;
  std::vector<Move> a_moves_, b_moves_;
  std::vector<MatrixVariable> sums_;
  Value down_, across_;
};

}  // namespace

bool lower_matrix_tiles(TileWork& work) {
  const tosa::Graph& graph = work.program.graph();
  if (graph[work.c.a].type.data != tosa::DataType::F16 || graph[work.c.b].type.data != tosa::DataType::F16 ||
      !has_whole_chunks(work.c))
    return false;
  const auto layout = layout_for(work);
  if (!layout) return false;
  MatrixTiles(work, *layout).run();
  return true;
}

}  // namespace slipway::lower
