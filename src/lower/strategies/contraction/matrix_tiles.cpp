// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of 16-bit floats and 8-bit integers by cooperative matrices, summed in 32 bits. Convolutions that ask for sums
// of 16 bits (`acc_type`) may get them, where tuning finds that they are faster.
//
// Integers keep their zero points. That of A is subtracted from the sums, with the help of the sums of the channels of
// B; the zero point of B must be 0. Their B is stored channel by channel, since devices load 8-bit matrices slowly in
// the other order.
//
// Split-K: where tiles do not fill the device, several workgroups share the products (K) of a tile. A kernel of its own
// adds their sums (the split-K reduction), or the last of them to finish does.
//
// Each subgroup has a part of the tile (the subgroup tile), as a grid of matrices. Operands go through shared memory
// sixteen bytes at a time, in rows a chunk longer than their contents so that they begin on different banks. A product
// without further operators is stored directly from the matrices. One with further operators, or with a partial tile at
// the edge, goes through shared memory a few matrices at a time, so that each invocation gets elements whose indices it
// knows.
#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "base/format.hpp"
#include "lower/strategies/contraction/image_rows.hpp"
#include "lower/strategies/contraction/operands.hpp"
#include "lower/strategies/contraction/tiles.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kChunkBytes = 16;

// How a tile is divided among subgroups.
struct MatrixLayout {
  MatrixShape shape;
  std::int64_t across = 2, down = 2;   // subgroups
  std::int64_t rows = 1, columns = 1;  // matrices of a subgroup
  std::int64_t step = 32;              // products
  std::int64_t parts = 1;              // workgroups that share the products of a tile
  bool joined = false;                 // the last of them adds the parts, not a kernel of its own
  bool halves = false;                 // 16-bit floats are summed in 16 bits

  std::int64_t chunk() const { return kChunkBytes / tensor::size_of(shape.factors); }  // elements
  bool by_channel() const { return shape.factors == ElementType::I8; }                 // B
  TileSize tile() const { return {down * rows * shape.m, across * columns * shape.n}; }
  std::int64_t subgroups() const { return across * down; }
  // Of the operands in shared memory: chunks of a row, and rows.
  std::int64_t a_row() const { return step / chunk() + 1; }
  std::int64_t b_row() const { return by_channel() ? a_row() : tile().channels / chunk() + 1; }
  std::int64_t b_rows() const { return by_channel() ? tile().channels : step; }
  Parameters parameters() const {
    Parameters all = {{"across", across},   {"down", down}, {"rows", rows},
                      {"columns", columns}, {"step", step}, {"parts", parts}};
    if (joined) all.emplace("joined", 1);
    if (halves) all.emplace("halves", 1);
    return all;
  }
  // The type of the sums while products are added.
  ElementType sum() const { return halves ? shape.factors : shape.sum; }
  // How many the sums of an invocation take.
  std::int64_t registers_of_sums(std::int64_t invocations) const {
    return rows * columns * shape.m * shape.n * subgroups() / (invocations * (halves ? 2 : 1));
  }
  // Sums in shared memory: neighbouring matrices, with padded rows that begin on different banks.
  std::int64_t sums_across() const { return columns % 2 == 0 ? 2 : 1; }
  std::int64_t sums_row() const { return sums_across() * shape.n + 8; }
  std::int64_t sums_of_subgroup() const { return shape.m * sums_row(); }
  std::int64_t chunks() const { return (tile().rows + tile().channels) * step / chunk(); }  // of the operands of a step
  // How many steps are read before they are multiplied (software pipelining; two: double buffering). Two hide more
  // latency where steps are long or a subgroup has many sums (docs/design/performance.md#gemm), if the registers hold
  // both.
  std::int64_t steps_ahead(std::int64_t invocations, std::int64_t steps_of_part) const {
    constexpr std::int64_t kLongStep = 128, kManySums = 16, kMinSteps = 4, kMaxRegisters = 190;
    const bool is_long = step * tensor::size_of(shape.factors) >= kLongStep || rows * columns >= kManySums;
    const std::int64_t operands = kChunkBytes / 4 * (chunks() + invocations - 1) / invocations;
    const bool fits = registers_of_sums(invocations) + 2 * operands <= kMaxRegisters;
    return is_long && steps_of_part >= kMinSteps && fits ? 2 : 1;
  }
  std::int64_t shared_bytes() const {
    return kChunkBytes * (tile().rows * a_row() + b_rows() * b_row()) + 4 * subgroups() * sums_of_subgroup() +
           (joined ? kChunkBytes : 0);
  }
};

struct TileShape {
  std::int64_t across, down, rows, columns;
  std::int64_t steps;  // matrices along the products
};
constexpr TileShape kTileShapes[] = {{4, 2, 4, 4, 2}, {2, 2, 4, 4, 4}, {4, 2, 2, 2, 4}, {2, 4, 2, 2, 4},
                                     {2, 2, 2, 3, 4}, {2, 2, 2, 2, 4}, {2, 2, 2, 2, 8}, {2, 2, 2, 1, 4},
                                     {2, 2, 2, 1, 8}, {2, 2, 1, 1, 4}, {2, 2, 1, 1, 8}};
constexpr TileShape kUnmeasuredShapes[] = {{3, 2, 2, 1, 4}, {3, 2, 2, 1, 8}, {3, 2, 2, 2, 4}};

// The estimated time of a contraction, by a rough model of a GPU. Only the order of the candidates depends on it.
double time_of(const TileWork& work, const MatrixLayout& layout) {
  const TileSize tile = layout.tile();
  const std::int64_t steps = work.steps(layout.step) / layout.parts, tiles = work.tiles(tile);
  // A multiprocessor has `mine` of all workgroups. Those that run together wait for memory together.
  const DeviceFacts& device = work.program.device();
  const Rates& rates = device.rates;
  const std::int64_t units = device.multiprocessors, mine = (tiles * layout.parts + units - 1) / units;
  const std::int64_t invocations = layout.subgroups() * device.subgroup_size;
  const std::int64_t registers = 80 + layout.registers_of_sums(invocations);  // of an invocation
  const std::int64_t together =
      std::max<std::int64_t>(1, device.registers_of_multiprocessor / (invocations * registers));
  const auto operands =
      static_cast<double>((tile.rows + tile.channels) * layout.step * tensor::size_of(layout.shape.factors));
  const auto results = static_cast<double>(tile.rows * tile.channels);
  const std::int64_t waves = (mine + together - 1) / together;
  const double waiting = static_cast<double>(waves * steps) * rates.step_latency;
  const double time =
      waiting + static_cast<double>(mine) *
                    (static_cast<double>(steps) * operands / rates.operand_bytes + results / rates.matrix_results);
  if (layout.parts == 1) return time;
  if (layout.joined) {
    const double part = 4 * results / rates.operand_bytes;
    return time + rates.step_latency * static_cast<double>(layout.parts) + part * static_cast<double>(layout.parts);
  }
  const double bytes = 2 * 4 * static_cast<double>(tiles * layout.parts) * results;
  return time + rates.further_dispatch + bytes / (rates.moved_bytes * static_cast<double>(units));
}

// The largest applicable matrix shape with sums of 32 bits.
const MatrixShape* shape_for(const DeviceFacts& device, ElementType factors) {
  const MatrixShape* shape = nullptr;
  for (const MatrixShape& s : device.matrices) {
    const std::uint32_t chunk = kChunkBytes / tensor::size_of(s.factors);
    const bool is_applicable =
        s.factors == factors && tensor::size_of(s.sum) == 4 && s.m % 8 == 0 && s.n % chunk == 0 && s.k % chunk == 0;
    if (is_applicable && (!shape || s.m * s.n * s.k > shape->m * shape->n * shape->k)) shape = &s;
  }
  return shape;
}

// Whether a convolution asks for sums of 16 bits, and the device has the same matrices with them.
bool may_sum_halves(const TileWork& work, const MatrixShape& shape) {
  const tosa::Attributes& attributes = work.c.node->attributes;
  MatrixShape with_halves = shape;
  with_halves.sum = ElementType::F16;
  return shape.factors == ElementType::F16 && attributes.has("acc_type") &&
         attributes.enumerant<tosa::AccType>("acc_type") == tosa::AccType::Fp16 &&
         std::ranges::contains(work.program.device().matrices, with_halves);
}

struct TileCandidate {
  MatrixLayout layout;
  double time;  // as estimated
};

struct LayoutKind {
  std::span<const TileShape> shapes;
  bool joined = false, halves = false;
};

// The applicable layouts with some shapes, by their estimated times. K is split into parts of equal length where tiles
// alone do not fill the device.
std::vector<TileCandidate> candidates_of(const TileWork& work, const MatrixShape& matrix, const LayoutKind& kind) {
  const DeviceFacts& device = work.program.device();
  std::vector<TileCandidate> candidates;
  for (const TileShape& one : kind.shapes) {
    MatrixLayout layout{.shape = matrix,
                        .across = one.across,
                        .down = one.down,
                        .rows = one.rows,
                        .columns = one.columns,
                        .step = one.steps * static_cast<std::int64_t>(matrix.k),
                        .joined = kind.joined,
                        .halves = kind.halves};
    const std::int64_t invocations = layout.subgroups() * device.subgroup_size;
    if (layout.shared_bytes() > device.shared_memory || invocations > device.max_invocations) continue;
    constexpr std::int64_t kMaxParts = 16;
    const std::int64_t steps = work.steps(layout.step);
    for (layout.parts = kind.joined ? 2 : 1; layout.parts <= std::min(kMaxParts, steps); ++layout.parts) {
      if (steps % layout.parts == 0) candidates.push_back({layout, time_of(work, layout)});
    }
  }
  std::ranges::stable_sort(candidates, {}, &TileCandidate::time);
  return candidates;
}

// The fastest layout.
std::optional<MatrixLayout> layout_for(TileWork& work) {
  const ElementType factors = tosa::storage_of(work.program.graph()[work.c.a].type.data);
  const MatrixShape* shape = shape_for(work.program.device(), factors);
  if (!shape) return std::nullopt;
  std::vector<TileCandidate> candidates = candidates_of(work, *shape, {.shapes = kTileShapes});
  if (candidates.empty()) return std::nullopt;
  // Those whose estimates were never compared with measurements: only tuning chooses them.
  const bool halves = may_sum_halves(work, *shape);
  std::vector<LayoutKind> kinds = {{.shapes = kUnmeasuredShapes},
                                   {.shapes = kTileShapes, .joined = true},
                                   {.shapes = kUnmeasuredShapes, .joined = true}};
  if (halves) {
    kinds.push_back({.shapes = kTileShapes, .halves = true});
    kinds.push_back({.shapes = kTileShapes, .joined = true, .halves = true});
  }
  for (const LayoutKind& kind : kinds) {
    for (const TileCandidate& one : candidates_of(work, *shape, kind)) candidates.push_back(one);
  }
  // Candidates with a far longer estimate are not measured. Of those whose last workgroup adds the parts, the best ones
  // were estimated to take 0.6 to 1.2 of the time of the best other one.
  constexpr double kFarLonger = 2.5, kLongerIfJoined = 1.4;
  std::erase_if(candidates, [best = candidates[0].time](const TileCandidate& one) {
    return one.time > (one.layout.joined ? kLongerIfJoined : kFarLonger) * best;
  });
  const auto key = [&](std::string_view sums) {
    return formatted("matrices {} {}x{}x{}x{} in runs of {}{}{}", tensor::name_of(factors), work.batches, work.rows,
                     work.c.n, work.c.k(), work.c.contiguous_k, sums, &work.node == work.c.node ? "" : ", and more");
  };
  const std::size_t chosen = work.program.choose(
      key(halves ? ", in 16 bits" : ""), *work.c.node, candidates.size(),
      [&](std::size_t i) { return candidates[i].layout.parameters(); }, halves ? key("") : "");
  return candidates[chosen].layout;
}

bool has_whole_chunks(const Contraction& c, std::int64_t chunk) {
  const auto whole = [&](std::int64_t n) { return n % chunk == 0; };
  return whole(c.contiguous_k) && whole(c.m_stride) &&
         std::ranges::all_of(c.batch, [&](const ContractionLoop& loop) { return whole(loop.stride); }) &&
         std::ranges::all_of(c.k_blocks, [&](const ContractionLoop& loop) { return whole(loop.stride); });
}

class MatrixTiles {
 public:
  // `image`: reads A from the image. Empty: A is read in the order of the contraction, from the stored value or a copy.
  // `b`: the contraction in which the K of B has no gaps.
  MatrixTiles(TileWork& work, const Contraction& b, const MatrixLayout& layout, std::optional<ImageRows> image)
      : w_(work), c_(work.c), b_contraction_(b), layout_(layout), tile_(layout.tile()), image_(std::move(image)) {}

  void run() {
    const auto copy = image_ ? std::nullopt : bordered_a(w_.program, c_, layout_.shape.factors);
    const std::optional<std::uint32_t> b_copy = copy_of_b();
    direct_ = !b_copy;
    const std::uint32_t packed = b_copy.value_or(0);
    if (has_zero()) sums_of_b_ = sums_of_b(w_.program, c_);
    invocations_ = layout_.subgroups() * w_.program.device().subgroup_size;
    ahead_ = layout_.steps_ahead(invocations_, steps_of_part());
    std::optional<PartialSums> partial;
    if (layout_.parts > 1) partial.emplace(w_, tile_, layout_.parts, layout_.shape.sum);
    multiply_tiles(copy, packed, partial ? &*partial : nullptr);
    if (!partial || layout_.joined) return;
    const auto adjust = [&](KernelBuilder& builder, Value sum, Value batch, Value channel) {
      if (!has_zero()) return sum;
      return without_zero(builder, builder.read_packed(sums_of_b_, ElementType::I32), sum, batch, channel);
    };
    const std::uint32_t buffers[] = {sums_of_b_};
    add_parts(w_, *partial, adjust, std::span(buffers, has_zero() ? 1 : 0));
  }

 private:
  void multiply_tiles(std::optional<std::uint32_t> copy, std::uint32_t packed, const PartialSums* partial) {
    const GroupKey key = key_of_group(w_.program.graph(), w_.program.stored(), w_.node.outputs[0],
                                      partial && !layout_.joined ? "parts by matrices" : "matrices");
    const std::uint32_t counters =
        layout_.joined ? w_.program.counters(w_.node.outputs[0], static_cast<std::uint64_t>(w_.tiles(tile_))) : packed;
    const std::array buffers = {copy.value_or(packed), packed, has_zero() ? sums_of_b_ : packed,
                                partial ? partial->buffer : packed, counters};
    if (w_.program.repeat(key, buffers)) return;
    KernelBuilder builder = w_.program.linked_kernel(
        {.local_size = static_cast<std::uint32_t>(invocations_), .addresses = true, .vulkan_memory_model = true},
        static_cast<std::uint64_t>(w_.tiles(tile_) * layout_.parts), ProgramBuilder::kRegistersOfTiles);
    builder_ = &builder;
    if (copy)
      a_ = builder.read_packed_chunks(*copy);
    else if (!image_)
      a_ = builder.read_chunks(source_of(w_.program, c_.a));
    else if (image_->is_pairs())
      a_ = builder.read_as(image_->source(), ElementType::I32);
    else if (image_->unit() == 1)
      a_ = builder.read_as(image_->source(), ElementType::U16);
    else
      a_ = builder.read_chunks(image_->source());
    b_ = direct_ ? builder.read_chunks(source_of_b()) : builder.read_packed_chunks(packed);
    w_.place(k(), tile_, layout_.parts);
    shared_a_ = k().shared_chunks(static_cast<std::uint32_t>(tile_.rows * layout_.a_row()));
    shared_b_ = k().shared_chunks(static_cast<std::uint32_t>(layout_.b_rows() * layout_.b_row()));
    begin();
    multiply();
    if (!partial) {
      store_results();
    } else if (!layout_.joined) {
      store_partial(*partial, builder.write_packed(partial->buffer, partial->type));
    } else {
      const BufferRef parts = builder.exchange_packed(partial->buffer, partial->type);
      store_partial(*partial, parts);
      const BufferRef counter = builder.exchange_packed(counters, ElementType::I32);
      k().when(k().is_last_of(counter, w_.tile, layout_.parts), [&] {
        add_all(*partial, parts);
        store_results();
      });
    }
    w_.program.dispatch(builder, static_cast<std::uint64_t>(w_.groups), key, buffers,
                        partial && !layout_.joined ? "PARTS" : "");
  }

  void store_results() {
    if (stores_matrices())
      store_matrices();
    else
      store_elements();
  }

  Kernel& k() { return builder_->kernel(); }

  std::int64_t steps_of_part() const { return w_.steps(layout_.step) / layout_.parts; }
  bool has_zero() const { return layout_.by_channel() && c_.a_zero != 0; }

  // The stored value where B is read in place.
  tosa::ValueId source_of_b() const {
    return layout_.by_channel() ? *stored_channels_of_b(w_.program, c_) : source_of(w_.program, c_.b);
  }

  // Empty where B is read in place.
  std::optional<std::uint32_t> copy_of_b() const {
    if (layout_.by_channel()) return channels_of_b(w_.program, c_);
    const tosa::ValueId source = source_of(w_.program, c_.b);
    const bool whole = w_.program.stored()[index(source)] && !w_.program.graph().constant(source);
    if (c_.is_matmul && whole && c_.n % layout_.chunk() == 0) return std::nullopt;
    return panels_of_b(w_.program, b_contraction_, tile_.channels, layout_.shape.factors);
  }

  // A chunk that an invocation moves in every step.
  struct Move {
    Value begin;   // in the buffer, chunks
    Value offset;  // of its products in the step: in chunks or, for B in panels, in products
    Value shared_index;
    Value exists;                     // false for channels after the last one
    std::vector<ChunkVariable> next;  // by steps ahead
  };

  void begin() {
    begin_a();
    if (layout_.by_channel())
      begin_channels();
    else
      begin_panels();
  }

  // Calls make(row, chunk) for the chunks of `rows` rows that this invocation moves.
  void share(std::int64_t rows, std::int64_t row_chunks, const std::function<void(Value, Value)>& make) {
    const Value me = k().local_index();
    // Whole rows at once, if possible: a chunk has the same index in each of them.
    const bool whole = invocations_ % row_chunks == 0 && rows * row_chunks % invocations_ == 0;
    const Value first = k().unsigned_divide(me, k().integer(row_chunks));
    for (std::int64_t i = 0; i * invocations_ < rows * row_chunks; ++i) {
      if (whole) {
        make(first + i * (invocations_ / row_chunks), me - first * row_chunks);
        continue;
      }
      const Value e = k().min(me + i * invocations_, k().integer(rows * row_chunks - 1));
      const Value row = k().unsigned_divide(e, k().integer(row_chunks));
      make(row, e - row * row_chunks);
    }
  }

  std::vector<ChunkVariable> next() {
    std::vector<ChunkVariable> variables;
    for (std::int64_t i = 0; i < ahead_; ++i) variables.push_back(k().variable(k().zero_chunk()));
    return variables;
  }

  void begin_a() {
    share(tile_.rows, layout_.step / layout_.chunk(), [&](Value row, Value chunk) {
      Value begin;
      if (image_)
        a_rows_.push_back(image_->row(k(), k().min(w_.first_row + row, k().integer(w_.rows - 1))));
      else
        begin = k().unsigned_divide(w_.row_begin(k(), w_.first_row + row), k().integer(layout_.chunk()));
      a_moves_.push_back({.begin = begin,
                          .offset = chunk,
                          .shared_index = row * layout_.a_row() + chunk,
                          .exists = k().boolean(true),
                          .next = next()});
    });
  }

  // B channel by channel, each like a row of A. Channels after the last one are read as the last one.
  void begin_channels() {
    share(tile_.channels, layout_.step / layout_.chunk(), [&](Value row, Value chunk) {
      const Value channel = k().min(w_.first_channel + row, k().integer(c_.n - 1));
      b_moves_.push_back({.begin = (w_.batch * c_.n + channel) * (c_.k() / layout_.chunk()),
                          .offset = chunk,
                          .shared_index = row * layout_.b_row() + chunk,
                          .exists = k().boolean(true),
                          .next = next()});
    });
  }

  // B product by product, each with the channels of the tile or, where B is a stored matrix, with all channels.
  void begin_panels() {
    const std::int64_t b_chunks = tile_.channels / layout_.chunk(), all = c_.n / layout_.chunk();
    const std::int64_t panels = (c_.n + tile_.channels - 1) / tile_.channels;
    share(layout_.step, b_chunks, [&](Value product, Value chunk) {
      Move move{.begin = {},
                .offset = product,
                .shared_index = product * layout_.b_row() + chunk,
                .exists = k().boolean(true),
                .next = next()};
      if (direct_) {
        const Value column = w_.panel * b_chunks + chunk;
        if (c_.n % tile_.channels != 0) move.exists = column < all;
        move.begin = w_.batch * (c_.contiguous_k * all) + k().min(column, k().integer(all - 1));
      } else {
        move.begin = (w_.batch * panels + w_.panel) * (b_contraction_.k() * b_chunks) + chunk;
      }
      b_moves_.push_back(move);
    });
    b_stride_ = direct_ ? all : b_chunks;
  }

  enum class Operands : std::uint8_t { A, B, Both };

  // Reads step `index` to the variables `next[set]`. Products after the end of a K block count as zeros.
  void fetch(Value index, std::size_t set, Operands operands = Operands::Both) {
    const TileWork::Step step = w_.step(k(), index, layout_.step);
    const Value left = k().integer(c_.contiguous_k) - step.in_block;  // products of the block
    const auto in_chunks = [&](Value elements) { return k().unsigned_divide(elements, k().integer(layout_.chunk())); };
    const auto move_all = [&](const std::vector<Move>& moves, BufferRef from, Value first, std::int64_t products,
                              std::int64_t stride) {
      for (const Move& move : moves) {
        Value inside = move.exists, offset = move.offset;
        if (c_.contiguous_k % layout_.step != 0) {
          const Value in_block = move.offset * products < left;
          inside = inside & in_block;
          offset = k().select(in_block, move.offset, k().integer(0));
        }
        const Chunk chunk = k().load_chunk(from, move.begin + (first + offset) * stride);
        k().set(move.next[set], k().select(inside, chunk, k().zero_chunk()));
      }
    };
    if (operands != Operands::B) {
      if (image_)
        fetch_image(step.products, set);
      else
        move_all(a_moves_, a_, in_chunks(step.a), layout_.chunk(), 1);
    }
    if (operands == Operands::A) return;
    if (image_ && image_->is_pairs())
      fetch_factors(step.products, set);
    else if (layout_.by_channel())
      move_all(b_moves_, b_, in_chunks(step.products), layout_.chunk(), 1);
    else
      move_all(b_moves_, b_, step.products, 1, b_stride_);
  }

  // B of an image that is read in pairs.
  void fetch_factors(Value products, std::size_t set) {
    for (const Move& move : b_moves_) {
      const auto [row, exists] = image_->factor(k(), products + move.offset);
      const Chunk chunk = k().load_chunk(b_, move.begin + row * b_stride_);
      k().set(move.next[set], k().select(exists & move.exists, chunk, k().zero_chunk()));
    }
  }

  // The index of a unit of A in a step, and whether it is inside the image. Where a step stays within the channels of a
  // pixel, the whole step has one position in the window.
  std::pair<Value, Value> in_image(const ImageRows::Row& row, Value step, Value offset) {
    const Value product = step + offset;
    const bool one_pixel = image_->channels() % (layout_.step / image_->unit()) == 0;
    ImageRows::Tap tap = image_->tap(k(), one_pixel ? step : product);
    if (one_pixel) tap.distance = tap.distance + offset;
    Value inside = image_->inside(k(), row, tap);
    if (c_.contiguous_k % layout_.step != 0) inside = inside & (product < c_.contiguous_k / image_->unit());
    return {k().select(inside, row.begin + tap.distance, k().integer(0)), inside};
  }

  // Padding counts as the zero point, which is subtracted from the sums later.
  void fetch_image(Value products, std::size_t set) {
    const Value step = k().unsigned_divide(products, k().integer(image_->unit()));
    const Value border = k().integer(static_cast<std::int32_t>((c_.a_zero & 0xff) * 0x01010101));
    const Chunk padding = layout_.by_channel() ? k().chunk_of({border, border, border, border}) : k().zero_chunk();
    for (std::size_t i = 0; i < a_moves_.size(); ++i) {
      const Move& move = a_moves_[i];
      if (image_->unit() == layout_.chunk()) {
        const auto [index, inside] = in_image(a_rows_[i], step, move.offset);
        k().set(move.next[set], k().select(inside, k().load_chunk(a_, index), padding));
        continue;
      }
      std::array<Value, 4> words;  // of two elements
      if (image_->is_pairs()) {
        for (std::size_t e = 0; e < words.size(); ++e) {
          const Value pair = move.offset * std::ssize(words) + static_cast<std::int64_t>(e);
          const auto [index, inside] = in_image(a_rows_[i], step, pair);
          const Value bits = k().select(inside, k().load(a_, index), k().integer(0));
          words[e] = image_->without_gaps(k(), step + pair, bits);
        }
        k().set(move.next[set], k().chunk_of(words));
        continue;
      }
      for (std::int64_t e = 0; e < layout_.chunk(); ++e) {
        const auto [index, inside] = in_image(a_rows_[i], step, move.offset * layout_.chunk() + e);
        const Value bits = k().select(inside, k().load(a_, index), k().integer(0));
        Value& word = words[static_cast<std::size_t>(e / 2)];
        word = e % 2 == 0 ? bits : word | bits << 16;
      }
      k().set(move.next[set], k().chunk_of(words));
    }
  }

  void multiply() {
    const Value subgroup = k().subgroup_index();
    down_ = k().unsigned_divide(subgroup, k().integer(layout_.across));
    across_ = subgroup - down_ * layout_.across;
    const MatrixType sum = type_of_sums(layout_.sum());
    for (std::int64_t i = 0; i < layout_.rows * layout_.columns; ++i) sums_.push_back(k().matrix_variable(sum));
    const std::int64_t steps = steps_of_part();
    const Value first = w_.part * steps;
    const auto step = [&](Value index, std::size_t set) {
      for (const Move& move : a_moves_) k().store(shared_a_, move.shared_index, k().get(move.next[set]));
      for (const Move& move : b_moves_) k().store(shared_b_, move.shared_index, k().get(move.next[set]));
      k().barrier();
      fetch(first + k().min(index + ahead_, k().integer(steps - 1)), set);
      multiply_step();
      k().barrier();
    };
    const auto fetch_first = [&](Operands operands) {
      for (std::int64_t set = 0; set < ahead_; ++set) fetch(first + set, static_cast<std::size_t>(set), operands);
    };
    // Weights are there before the stage before has ended.
    const bool has_weights = w_.program.graph().constant(source_of(w_.program, c_.b)) != nullptr;
    if (has_weights) fetch_first(Operands::B);
    builder_->wait_for_stage();
    fetch_first(has_weights ? Operands::A : Operands::Both);
    k().loop(k().integer(steps / ahead_), [&](Value index) {
      for (std::int64_t set = 0; set < ahead_; ++set) step(index * ahead_ + set, static_cast<std::size_t>(set));
    });
    if (steps % ahead_ != 0) step(k().integer(steps - 1), 0);
    if (layout_.halves) widen();
  }

  MatrixType type_of_sums(ElementType element) {
    return k().matrix_type(element, layout_.shape.m, layout_.shape.n, MatrixUse::Sum);
  }

  // What follows the products expects the sums in 32 bits.
  void widen() {
    const MatrixType wide = type_of_sums(layout_.shape.sum);
    for (MatrixVariable& sum : sums_) {
      const MatrixVariable widened = k().matrix_variable(wide);
      k().set(widened, k().convert(k().get(sum), wide));
      sum = widened;
    }
  }

  void multiply_step() {
    const MatrixShape& s = layout_.shape;
    const MatrixType a_type = k().matrix_type(s.factors, s.m, s.k, MatrixUse::A),
                     b_type = k().matrix_type(s.factors, s.k, s.n, MatrixUse::B);
    std::vector<Matrix> sums;
    for (const MatrixVariable& sum : sums_) sums.push_back(k().get(sum));
    for (std::int64_t product = 0; product < layout_.step; product += s.k) {
      std::vector<Matrix> a, b;
      for (std::int64_t i = 0; i < layout_.rows; ++i) {
        const Value row = (down_ * layout_.rows + i) * s.m;
        a.push_back(
            k().load_matrix(a_type, shared_a_, row * layout_.a_row() + product / layout_.chunk(), layout_.a_row()));
      }
      for (std::int64_t j = 0; j < layout_.columns; ++j) {
        const Value channel = (across_ * layout_.columns + j) * s.n;
        const Value chunk = layout_.by_channel() ? channel * layout_.b_row() + product / layout_.chunk()
                                                 : k().unsigned_divide(channel, k().integer(layout_.chunk())) +
                                                       product * layout_.b_row();
        b.push_back(k().load_matrix(b_type, shared_b_, chunk, layout_.b_row(), layout_.by_channel()));
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

  // --- results ---

  // Not of floats that are an output, whose NaN has to be canonical.
  bool stores_matrices() const {
    const bool as_summed = tosa::storage_of(w_.type) == layout_.shape.sum;
    const tosa::Graph& graph = w_.program.graph();
    if (tosa::is_float(w_.type) && std::ranges::contains(graph.outputs, w_.node.outputs[0])) return false;
    return &w_.node == c_.node && !c_.bias && as_summed && !has_zero() && w_.rows % tile_.rows == 0 &&
           c_.n % tile_.channels == 0;
  }

  template <class Use>
  void for_each_matrix(Use use) {
    for (std::int64_t i = 0; i < layout_.rows; ++i) {
      for (std::int64_t j = 0; j < layout_.columns; ++j)
        use(sums_[static_cast<std::size_t>(i * layout_.columns + j)], matrix_row(i), matrix_channel(j));
    }
  }
  // The position of a matrix of this subgroup among the results.
  Value matrix_row(std::int64_t i) { return w_.first_row + (down_ * layout_.rows + i) * layout_.shape.m; }
  Value matrix_channel(std::int64_t j) { return w_.first_channel + (across_ * layout_.columns + j) * layout_.shape.n; }

  void store_matrices() {
    const BufferRef to = builder_->write(w_.node.outputs[0]);
    builder_->add_node(*c_.node);
    for_each_matrix([&](const MatrixVariable& sum, Value row, Value channel) {
      const Value first = (w_.batch * w_.rows + row) * c_.n + channel;
      k().store_matrix(to, first, k().get(sum), c_.n);
    });
  }

  // Whole tiles, also where only a part of them is within the result.
  void store_partial(const PartialSums& sums, BufferRef to) {
    builder_->add_node(*c_.node);
    for_each_matrix([&](const MatrixVariable& sum, Value row, Value channel) {
      k().store_matrix(to, sums.index(k(), w_.part, w_.batch, row, channel), k().get(sum), sums.channels);
    });
  }

  // The sums of all parts, always in the same order: results do not depend on which workgroup is the last.
  void add_all(const PartialSums& sums, BufferRef from) {
    for_each_matrix([&](const MatrixVariable& total, Value row, Value channel) {
      Matrix sum;
      for (std::int64_t part = 0; part < layout_.parts; ++part) {
        const Value index = sums.index(k(), k().integer(part), w_.batch, row, channel);
        const Matrix one = k().load_matrix(total.type, from, index, sums.channels);
        sum = part == 0 ? one : k().add(sum, one);
      }
      k().set(total, sum);
    });
  }

  Value without_zero(KernelBuilder& builder, BufferRef sums, Value sum, Value batch, Value channel) const {
    return sum - builder.kernel().load(sums, batch * c_.n + channel) * c_.a_zero;
  }

  // All operands of the elements of an invocation are read before any element is written, which hides memory latency.
  // Neighbouring invocations have neighbouring channels.
  void store_elements() {
    const std::int64_t lanes = w_.program.device().subgroup_size, across = layout_.sums_across();
    const std::int64_t width = across * layout_.shape.n, count = layout_.shape.m * width;
    const SharedRef scratch = k().shared(layout_.by_channel() ? Scalar::Int : Scalar::Float,
                                         static_cast<std::uint32_t>(layout_.subgroups() * layout_.sums_of_subgroup()));
    std::optional<BufferRef> sums_of_b;
    if (has_zero()) sums_of_b = builder_->read_packed(sums_of_b_, ElementType::I32);
    const Value mine = k().subgroup_index() * layout_.sums_of_subgroup(), lane = k().subgroup_lane();
    const std::int64_t passes = (count + lanes - 1) / lanes, at_once = std::min(passes, elements_at_once());
    Results results{.all_exist = w_.rows % tile_.rows == 0 && c_.n % tile_.channels == 0};
    // The row and column of an element of this invocation. Where whole rows fit in a pass, or whole passes in a row, a
    // pass changes only what is known here, and most of an element's address is computed once.
    const std::int64_t in_row = std::max<std::int64_t>(width / lanes, 1),
                       in_pass = std::max<std::int64_t>(lanes / width, 1);
    const bool whole = width * in_pass == lanes * in_row && passes % at_once == 0 && at_once % in_row == 0;
    const Value lane_row = k().unsigned_divide(lane, k().integer(width)), lane_column = lane - lane_row * width;
    const auto element_of_pass = [&](Value pass, std::int64_t e) {
      if (whole) {
        const Value y = (pass * (at_once / in_row) + e / in_row) * in_pass + lane_row;
        return std::pair(y, lane_column + e % in_row * lanes);
      }
      const Value index = k().min((pass * at_once + e) * lanes + lane, k().integer(count - 1));
      const Value y = k().unsigned_divide(index, k().integer(width));
      return std::pair(y, index - y * width);
    };
    for (std::int64_t i = 0; i < layout_.rows; ++i) {
      for (std::int64_t j = 0; j < layout_.columns; j += across) {
        k().subgroup_barrier();
        for (std::int64_t n = 0; n < across; ++n) {
          const Matrix sum = k().get(sums_[static_cast<std::size_t>(i * layout_.columns + j + n)]);
          k().store_matrix(scratch, mine + n * layout_.shape.n, sum, layout_.sums_row());
        }
        k().subgroup_barrier();
        k().loop(k().integer((passes + at_once - 1) / at_once), [&](Value pass) {
          for (std::int64_t e = 0; e < at_once; ++e) {
            const auto [y, x] = element_of_pass(pass, e);
            const Value sum = k().load(scratch, mine + y * layout_.sums_row() + x);
            add_result(results, sum, matrix_row(i) + y, matrix_channel(j) + x, sums_of_b);
          }
          store(results);
        });
      }
    }
  }

  // Residuals are read for many elements at once. Otherwise code is short, because it stays in the instruction cache
  // only when many tiles run it.
  std::int64_t elements_at_once() const {
    constexpr std::int64_t kFew = 4, kMany = 16, kManyOfUnit = 3;
    const bool many_tiles = w_.tiles(tile_) >= kManyOfUnit * w_.program.device().multiprocessors;
    return many_tiles || w_.anchor.has_residual ? kMany : kFew;
  }

  struct Results {
    bool all_exist;
    struct Element {
      Value exists, index, value;
    };
    std::vector<Element> elements = {};
    std::optional<BufferRef> to = {};
  };

  void add_result(Results& results, Value sum, Value row, Value channel, const std::optional<BufferRef>& sums_of_b) {
    Value exists = k().boolean(true);
    if (!results.all_exist) {
      exists = (row < w_.rows) & (channel < c_.n);
      row = k().min(row, k().integer(w_.rows - 1));
      channel = k().min(channel, k().integer(c_.n - 1));
    }
    if (sums_of_b) sum = without_zero(*builder_, *sums_of_b, sum, w_.batch, channel);
    Value index;
    const Value element = w_.element(*builder_, sum, row, channel, index);
    results.elements.push_back({exists, index, element});
  }

  void store(Results& results) {
    if (!results.to) results.to = builder_->write(w_.node.outputs[0]);
    for (const auto& [exists, index, value] : results.elements)
      k().when(exists, [&] { k().store(*results.to, index, value); });
    results.elements.clear();
  }

  TileWork& w_;
  const Contraction& c_;
  const Contraction& b_contraction_;
  MatrixLayout layout_;
  TileSize tile_;
  std::optional<ImageRows> image_;
  bool direct_ = false;
  std::uint32_t sums_of_b_ = 0;  // a buffer of the program
  std::int64_t invocations_ = 0, ahead_ = 1, b_stride_ = 0;
  KernelBuilder* builder_ = nullptr;
  BufferRef a_, b_;
  SharedRef shared_a_, shared_b_;
  std::vector<Move> a_moves_, b_moves_;
  std::vector<ImageRows::Row> a_rows_;  // by move, where A is read from an image
  std::vector<MatrixVariable> sums_;
  Value down_, across_;
};

}  // namespace

bool lower_matrix_tiles(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor) {
  const tosa::Graph& graph = program.graph();
  const tosa::DataType factors = graph[c.a].type.data;
  const ElementType type = tosa::storage_of(factors);
  if (graph[c.b].type.data != factors) return false;
  if (!tosa::is_float(factors)) {
    const bool known = graph.constant(source_of(program, c.b)) != nullptr;
    const bool whole = known || c.is_matmul || program.stored()[index(source_of(program, c.b))];
    if (factors != tosa::DataType::I8 || c.b_zero != 0 || !whole || (c.a_zero != 0 && !known)) return false;
  }
  const std::int64_t chunk = kChunkBytes / tensor::size_of(type);
  const bool whole_chunks = has_whole_chunks(c, chunk);
  std::optional<ImageRows> image;
  if (!whole_chunks || !is_stored_as(program, c, type)) image = ImageRows::of(program, c, chunk);
  // B of 8-bit integers is read by whole chunks of a channel, so its channels cannot be divided.
  if (!whole_chunks && !image && tensor::size_of(type) == 2) {
    image = ImageRows::of_pairs(program, c);
    if (!image) image = ImageRows::of(program, c, 1);
  }
  if (!whole_chunks && !image) return false;
  const Contraction without_gaps = image ? c.with_contiguous_k() : c;
  Contraction contraction = without_gaps;
  if (image && image->is_pairs()) contraction.contiguous_k = image->products();
  TileWork work(program, contraction, node, anchor);
  const auto layout = layout_for(work);
  if (!layout) return false;
  MatrixTiles(work, without_gaps, *layout, std::move(image)).run();
  return true;
}

}  // namespace slipway::lower
