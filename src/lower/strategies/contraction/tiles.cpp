// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions on GPUs: a workgroup computes a tile of rows x channels, step by step along K.
//
// The next step's operands are read from memory into registers while the current ones are multiplied from shared
// memory. The rows of all batch elements of a convolution are counted together, so that a tile is full whatever the
// width of an image is. There are two ways:
//
//   scalars    any type, computed as 32-bit floats; each invocation has a square of results
//   matrices   16-bit floats and 8-bit integers on devices with cooperative matrices; 16 bytes are moved at a time
#include "lower/strategies/contraction/tiles.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "lower/operators/operation.hpp"
#include "lower/strategies/contraction/image_rows.hpp"
#include "lower/strategies/contraction/operands.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {

TileWork::TileWork(ProgramBuilder& program_builder, const Contraction& contraction, const tosa::Node& stored_node,
                   const Anchor& anchor_of)
    : program(program_builder), c(contraction), node(stored_node), anchor(anchor_of) {
  batches = c.is_matmul ? c.batch_count() : 1;
  rows = c.is_matmul ? c.m : c.m * c.batch_count();
  type = program.graph()[c.node->outputs[0]].type.data;
}

std::int64_t TileWork::tiles(TileSize size) const {
  return batches * ((rows + size.rows - 1) / size.rows) * ((c.n + size.channels - 1) / size.channels);
}

void TileWork::place(Kernel& k, TileSize size, std::int64_t parts) {
  const std::int64_t rows_of_tiles = (rows + size.rows - 1) / size.rows,
                     columns_of_tiles = (c.n + size.channels - 1) / size.channels;
  groups = parts * tiles(size);
  tile = k.min(k.group_index(), k.integer(groups - 1));
  part = k.integer(0);
  if (parts > 1) {
    part = k.unsigned_divide(tile, k.integer(tiles(size)));
    tile = tile - part * tiles(size);
  }
  batch = k.unsigned_divide(tile, k.integer(rows_of_tiles * columns_of_tiles));
  const Value in_batch = tile - batch * (rows_of_tiles * columns_of_tiles);
  // Tiles that run at the same time should share rows and columns in the caches: bands of rows, column by column.
  constexpr std::int64_t kBand = 8;
  const Value band = k.unsigned_divide(in_batch, k.integer(kBand * columns_of_tiles));
  const Value in_band = in_batch - band * (kBand * columns_of_tiles), first = band * kBand;
  const Value height =
      rows_of_tiles % kBand == 0 ? k.integer(kBand) : k.min(k.integer(rows_of_tiles) - first, k.integer(kBand));
  panel = k.unsigned_divide(in_band, height);
  first_row = (first + in_band - panel * height) * size.rows;
  first_channel = panel * size.channels;
}

Value TileWork::row_begin(Kernel& k, Value row) const {
  const Value safe = k.min(row, k.integer(rows - 1));
  if (c.is_matmul) return batch * (c.m * c.contiguous_k) + safe * c.m_stride;
  Value rest = k.unsigned_divide(safe, k.integer(c.m));
  Value begin = (safe - rest * c.m) * c.m_stride;
  for (std::size_t i = c.batch.size(); i-- > 0;) {
    const Value next = i == 0 ? k.integer(0) : k.unsigned_divide(rest, k.integer(c.batch[i].count));
    begin = begin + (i == 0 ? rest : rest - next * c.batch[i].count) * c.batch[i].stride;
    rest = next;
  }
  return begin;
}

TileWork::Step TileWork::step(Kernel& k, Value index, std::int64_t length) const {
  const std::int64_t steps_of_block = (c.contiguous_k + length - 1) / length;
  Value block = k.unsigned_divide(index, k.integer(steps_of_block));
  const Value in_block = (index - block * steps_of_block) * length;
  Step step{.a = in_block, .products = block * c.contiguous_k + in_block, .in_block = in_block};
  for (std::size_t i = c.k_blocks.size(); i-- > 0;) {
    const Value next = i == 0 ? k.integer(0) : k.unsigned_divide(block, k.integer(c.k_blocks[i].count));
    step.a = step.a + (i == 0 ? block : block - next * c.k_blocks[i].count) * c.k_blocks[i].stride;
    block = next;
  }
  return step;
}

std::int64_t TileWork::steps(std::int64_t length) const {
  return c.k() / c.contiguous_k * ((c.contiguous_k + length - 1) / length);
}

Value TileWork::element(KernelBuilder& builder, Value sum, Value row, Value channel, Value& index) const {
  Kernel& k = builder.kernel();
  const tensor::Shape& shape = program.graph()[node.outputs[0]].type.shape;
  const Coordinates at = coordinates(k, shape, row, channel);
  sum = result_of_sum(builder, c, tosa::is_float(type) ? sum : k.to_int(sum), channel);
  builder.add_node(*c.node);
  builder.fix(c.node->outputs[0], sum);
  index = linear_index(k, shape, at);
  return builder.stored_form(node.outputs[0], &node == c.node ? sum : builder.compute(node, 0, at));
}

Coordinates TileWork::coordinates(Kernel& k, const tensor::Shape& shape, Value row, Value channel) const {
  if (c.is_matmul && !anchor.is_reshaped) return {batch, row, channel};
  if (c.is_matmul && batches > 1) row = batch * rows + row;
  if (anchor.reads_by_row_and_channel) {
    Coordinates at(shape.size(), k.integer(0));
    at[shape.size() - 2] = row;
    at.back() = channel;
    return at;
  }
  Coordinates at = coordinates_of(k, tensor::Shape(shape.begin(), shape.end() - 1), row);
  at.push_back(channel);
  return at;
}

PartialSums::PartialSums(TileWork& work, TileSize tile, std::int64_t part_count, ElementType element)
    : parts(part_count),
      batches(work.batches),
      rows((work.rows + tile.rows - 1) / tile.rows * tile.rows),
      channels((work.c.n + tile.channels - 1) / tile.channels * tile.channels),
      type(element) {
  const auto size = static_cast<std::uint64_t>(parts * batches * rows * channels) * tensor::size_of(type);
  const std::string purpose = formatted("{} parts of {}x{}", parts, rows, channels);
  buffer = work.program.packed(work.c.node->outputs[0], size, purpose).first;
}

Value PartialSums::index(Kernel& k, Value part, Value batch, Value row, Value channel) const {
  return ((part * k.integer(batches) + batch) * rows + row) * channels + channel;
}

void add_parts(TileWork& work, const PartialSums& sums, const AdjustSum& adjust,
               std::span<const std::uint32_t> buffers) {
  const GroupKey key = key_of_group(work.program.graph(), work.program.stored(), work.node.outputs[0], "added parts");
  std::vector<std::uint32_t> packed = {sums.buffer};
  packed.insert(packed.end(), buffers.begin(), buffers.end());
  if (work.program.repeat(key, packed)) return;
  const std::int64_t channels = work.c.n, count = work.batches * work.rows * channels;
  const std::uint64_t groups = divide_up(static_cast<std::uint64_t>(count), kLocalSize);
  KernelBuilder builder = work.program.linked_kernel({.addresses = true}, groups);
  builder.wait_for_stage();
  Kernel& k = builder.kernel();
  const BufferRef from = builder.read_packed(sums.buffer, sums.type);
  const Value e = k.element_index();
  k.when(e < count, [&] {
    const Value rest = k.unsigned_divide(e, k.integer(channels)), channel = e - rest * channels;
    const Value batch = k.unsigned_divide(rest, k.integer(work.rows)), row = rest - batch * work.rows;
    Value sum = k.load(from, sums.index(k, k.integer(0), batch, row, channel));
    for (std::int64_t part = 1; part < sums.parts; ++part)
      sum = sum + k.load(from, sums.index(k, k.integer(part), batch, row, channel));
    work.batch = batch;
    Value index;
    const Value element = work.element(builder, adjust(builder, sum, batch, channel), row, channel, index);
    k.store(builder.write(work.node.outputs[0]), index, element);
  });
  work.program.dispatch(builder, groups, key, packed);
}

namespace {

// --- scalars ---------------------------------------------------------------------------------------------------------

constexpr std::int64_t kSide = 16;  // invocations of a workgroup, in either direction
constexpr std::int64_t kStep = 16;  // products of a step
constexpr std::int64_t kPad = 4;    // keeps columns of a tile on different banks
constexpr std::int64_t kQuad = 4;   // neighbouring results of an invocation

class ScalarTiles {
 public:
  static std::int64_t shared_bytes(TileSize tile) { return 2 * 4 * kStep * (tile.rows + tile.channels + kPad); }

  // `image`: reads A from the image. Empty: A is read in the order of the contraction, from the stored value or a copy.
  // `parts`: workgroups that share the products of a tile.
  ScalarTiles(TileWork& work, TileSize tile, std::int64_t parts, std::optional<ImageRows> image)
      : w_(work),
        c_(work.c),
        tile_(tile),
        my_rows_(tile.rows / kSide),
        my_channels_(tile.channels / kSide),
        parts_(parts),
        image_(std::move(image)) {}

  void run() {
    const auto copy = image_ ? std::nullopt : bordered_a(w_.program, c_, ElementType::F32);
    const bool direct = reads_b_directly();
    const std::uint32_t packed = direct ? 0 : panels_of_b(w_.program, c_, tile_.channels, ElementType::F32);
    std::optional<PartialSums> partial;
    if (parts_ > 1) partial.emplace(w_, tile_, parts_, tosa::is_float(w_.type) ? ElementType::F32 : ElementType::I32);
    multiply_tiles(copy, direct, packed, partial ? &*partial : nullptr);
    if (partial) add_parts(w_, *partial, [](KernelBuilder&, Value sum, Value, Value) { return sum; }, {});
  }

 private:
  void multiply_tiles(std::optional<std::uint32_t> copy, bool direct, std::uint32_t packed,
                      const PartialSums* partial) {
    const GroupKey key =
        key_of_group(w_.program.graph(), w_.program.stored(), w_.node.outputs[0], partial ? "parts by tiles" : "tiles");
    const std::array buffers = {copy.value_or(packed), packed, partial ? partial->buffer : packed};
    if (w_.program.repeat(key, buffers)) return;
    KernelBuilder builder = w_.program.linked_kernel({.local_size = kSide * kSide, .addresses = true},
                                                     static_cast<std::uint64_t>(w_.tiles(tile_) * parts_),
                                                     ProgramBuilder::kRegistersOfTiles);
    builder.wait_for_stage();
    builder_ = &builder;
    if (copy)
      a_ = builder.read_packed(*copy, ElementType::F32);
    else
      a_ = builder.read(image_ ? image_->source() : source_of(w_.program, c_.a));
    b_ = direct ? builder.read(source_of(w_.program, c_.b)) : builder.read_packed(packed, ElementType::F32);
    w_.place(k(), tile_, parts_);
    begin(direct);
    multiply();
    if (partial)
      store_partial(*partial);
    else
      store();
    w_.program.dispatch(builder, static_cast<std::uint64_t>(w_.groups), key, buffers, partial ? "PARTS" : "");
  }

  Kernel& k() { return builder_->kernel(); }

  // A stored matrix of floats needs no panels: its rows are read in place.
  bool reads_b_directly() const {
    const tosa::ValueId source = source_of(w_.program, c_.b);
    return c_.is_matmul && w_.program.stored()[index(source)] && !w_.program.graph().constant(source) &&
           w_.program.graph()[c_.b].type.data == tosa::DataType::F32;
  }

  // The rows of A in shared memory, one for each product; those of B have the length of a tile's channels.
  std::int64_t a_row() const { return tile_.rows + kPad; }

  // What each invocation reads in every step: a few elements of either operand.
  void begin(bool direct) {
    constexpr std::int64_t kInvocations = kSide * kSide;
    static_assert(kInvocations % kStep == 0);
    const Value me = k().local_index(), first = k().unsigned_divide(me, k().integer(kStep));
    a_column_ = me - first * kStep;
    for (std::int64_t i = 0; i < tile_.rows * kStep / kInvocations; ++i) {
      const Value row = first + i * (kInvocations / kStep);
      if (image_)
        a_image_.push_back(image_->row(k(), k().min(w_.first_row + row, k().integer(w_.rows - 1))));
      else
        a_row_.push_back(w_.row_begin(k(), w_.first_row + row) + a_column_);
      a_offset_.push_back(a_column_ * a_row() + row);
    }
    for (std::int64_t i = 0; i < tile_.channels * kStep / kInvocations; ++i) {
      const Value e = me + i * kInvocations;
      const Value product = k().unsigned_divide(e, k().integer(tile_.channels)), channel = e - product * tile_.channels;
      b_product_.push_back(product);
      b_offset_.push_back(product * tile_.channels + channel);
      if (direct) {
        const Value safe = k().min(w_.first_channel + channel, k().integer(c_.n - 1));
        b_begin_.push_back(w_.batch * (c_.contiguous_k * c_.n) + safe);
      } else {
        const std::int64_t panels = (c_.n + tile_.channels - 1) / tile_.channels;
        b_begin_.push_back((w_.batch * panels + w_.panel) * (c_.k() * tile_.channels) + channel);
      }
    }
    b_stride_ = direct ? c_.n : tile_.channels;
    shared_a_ = k().shared(Scalar::Float, static_cast<std::uint32_t>(2 * kStep * a_row()));
    shared_b_ = k().shared(Scalar::Float, static_cast<std::uint32_t>(2 * kStep * tile_.channels));
  }

  // Products after the end of a K block count as zeros; their loads are clamped to the block.
  void fetch(Value index) {
    const TileWork::Step step = w_.step(k(), index, kStep);
    const bool partial = c_.contiguous_k % kStep != 0;
    const Value zero = k().integer(0), last = k().integer(c_.contiguous_k - 1);
    Value in_a = partial ? step.in_block + a_column_ < c_.contiguous_k : k().boolean(true);
    if (image_) {
      const Value product = step.products + a_column_;
      const ImageRows::Tap tap = image_->tap(k(), product);
      for (std::size_t i = 0; i < a_image_.size(); ++i) {
        const Value inside = in_a & image_->inside(k(), a_image_[i], tap);
        const Value a = k().load(a_, k().select(inside, a_image_[i].begin + tap.distance, zero));
        k().set(next_a_[i], k().select(inside, as_float(k(), a, c_.a_zero), k().real(0)));
      }
    } else {
      const Value past = partial ? k().select(in_a, zero, step.in_block + a_column_ - last) : zero;
      for (std::size_t i = 0; i < a_row_.size(); ++i) {
        const Value a = k().load(a_, a_row_[i] + step.a - past);
        k().set(next_a_[i], k().select(in_a, a, k().real(0)));
      }
    }
    for (std::size_t i = 0; i < b_begin_.size(); ++i) {
      const Value in_b = partial ? step.in_block + b_product_[i] < c_.contiguous_k : k().boolean(true);
      const Value past = partial ? k().select(in_b, zero, step.in_block + b_product_[i] - last) : zero;
      const Value b = k().load(b_, b_begin_[i] + (step.products + b_product_[i] - past) * b_stride_);
      k().set(next_b_[i], k().select(in_b, b, k().real(0)));
    }
  }

  void multiply() {
    for (std::size_t i = 0; i < a_offset_.size(); ++i) next_a_.push_back(k().variable(k().real(0)));
    for (std::size_t i = 0; i < b_offset_.size(); ++i) next_b_.push_back(k().variable(k().real(0)));
    for (std::int64_t i = 0; i < my_rows_ * my_channels_; ++i) sums_.push_back(k().variable(k().real(0)));
    const std::int64_t steps = w_.steps(kStep) / parts_;
    const Value first = w_.part * steps;
    const bool exact = tosa::is_float(w_.type);
    if (!exact) {
      for (std::size_t i = 0; i < sums_.size(); ++i) totals_.push_back(k().variable(k().integer(0)));
    }
    fetch(first);
    // Double buffering, so that one barrier a step is enough: a stage is written only after the barrier that follows
    // all reads of it.
    k().loop(k().integer(steps), [&](Value index) {
      const Value stage = index & 1, a_stage = stage * (kStep * a_row()), b_stage = stage * (kStep * tile_.channels);
      for (std::size_t i = 0; i < a_offset_.size(); ++i)
        k().store(shared_a_, a_stage + a_offset_[i], k().get(next_a_[i]));
      for (std::size_t i = 0; i < b_offset_.size(); ++i)
        k().store(shared_b_, b_stage + b_offset_[i], k().get(next_b_[i]));
      k().barrier();
      fetch(first + k().min(index + 1, k().integer(steps - 1)));
      multiply_step(a_stage, b_stage);
    });
  }

  // Row or column `i` of an invocation in the tile: quads of neighbours, far apart from each other.
  Value in_tile(Value invocation, std::int64_t i) {
    return invocation * kQuad + (i / kQuad * kQuad * kSide + i % kQuad);
  }

  void multiply_step(Value a_stage, Value b_stage) {
    const Value me = k().local_index(), y = k().unsigned_divide(me, k().integer(kSide)), x = me - y * kSide;
    std::vector<Value> sums;
    for (const Variable& sum : sums_) sums.push_back(k().get(sum));
    for (std::int64_t product = 0; product < kStep; ++product) {
      std::vector<Value> a, b;
      for (std::int64_t i = 0; i < my_rows_; ++i)
        a.push_back(k().load(shared_a_, a_stage + in_tile(y, i) + product * a_row()));
      for (std::int64_t i = 0; i < my_channels_; ++i)
        b.push_back(k().load(shared_b_, b_stage + in_tile(x, i) + product * tile_.channels));
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
          Value& sum = sums[i * b.size() + j];
          sum = k().multiply_add(a[i], b[j], sum);
        }
      }
    }
    // Integers: a float holds the sum of a step exactly.
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (totals_.empty()) {
        k().set(sums_[i], sums[i]);
      } else {
        k().set(totals_[i], k().get(totals_[i]) + k().to_int(sums[i]));
        k().set(sums_[i], k().real(0));
      }
    }
  }

  // Calls `use` with the sum, row and channel of each result of this invocation.
  void for_each_sum(const std::function<void(const Variable&, Value, Value)>& use) {
    const Value me = k().local_index(), y = k().unsigned_divide(me, k().integer(kSide)), x = me - y * kSide;
    for (std::int64_t i = 0; i < my_rows_; ++i) {
      for (std::int64_t j = 0; j < my_channels_; ++j) {
        const auto which = static_cast<std::size_t>(i * my_channels_ + j);
        use(totals_.empty() ? sums_[which] : totals_[which], w_.first_row + in_tile(y, i),
            w_.first_channel + in_tile(x, j));
      }
    }
  }

  void store() {
    std::optional<BufferRef> to;
    for_each_sum([&](const Variable& sum, Value row, Value channel) {
      k().when((row < w_.rows) & (channel < c_.n), [&] {
        Value index;
        const Value element = w_.element(*builder_, k().get(sum), row, channel, index);
        if (!to) to = builder_->write(w_.node.outputs[0]);
        k().store(*to, index, element);
      });
    });
  }

  // Whole tiles, also where only a part of them is within the result.
  void store_partial(const PartialSums& sums) {
    const BufferRef to = builder_->write_packed(sums.buffer, sums.type);
    builder_->add_node(*c_.node);
    for_each_sum([&](const Variable& sum, Value row, Value channel) {
      k().store(to, sums.index(k(), w_.part, w_.batch, row, channel), k().get(sum));
    });
  }

  TileWork& w_;
  const Contraction& c_;
  TileSize tile_;
  std::int64_t my_rows_, my_channels_, parts_, b_stride_ = 0;
  std::optional<ImageRows> image_;
  KernelBuilder* builder_ = nullptr;
  BufferRef a_, b_;
  SharedRef shared_a_, shared_b_;
  Value a_column_;  // of the products of a step, the one whose elements of A this invocation moves
  std::vector<Value> a_row_, a_offset_, b_product_, b_begin_, b_offset_;
  std::vector<ImageRows::Row> a_image_;  // instead of a_row_, where A is read from an image
  std::vector<Variable> next_a_, next_b_, sums_, totals_;
};

// A tile, and how many workgroups share its products.
struct ScalarLayout {
  TileSize tile;
  std::int64_t parts = 1;
  Parameters parameters() const { return {{"rows", tile.rows}, {"channels", tile.channels}, {"parts", parts}}; }
};

// An estimate in microseconds. Large tiles reuse more of what they read, but there must be enough of them to occupy the
// whole GPU.
double time_of_tiles(const TileWork& work, const ScalarLayout& layout) {
  const Rates& rates = work.program.device().rates;
  const auto units = static_cast<std::int64_t>(work.program.device().multiprocessors);
  const std::int64_t tiles = work.tiles(layout.tile) * layout.parts, waves = (tiles + units - 1) / units;
  const auto results = static_cast<double>(layout.tile.rows * layout.tile.channels);
  // Of the peak rate: a thread loads an element of either operand for each row and channel that it has.
  const double loads = static_cast<double>(kSide) *
                       (1.0 / static_cast<double>(layout.tile.rows) + 1.0 / static_cast<double>(layout.tile.channels));
  const double share = 1 / (1 + 1.2 * loads);
  const std::int64_t products = work.steps(kStep) * kStep / layout.parts;  // of a result in one workgroup
  const double time = static_cast<double>(waves) * results * static_cast<double>(products) / (share * rates.products);
  if (layout.parts == 1) return time;
  return time + rates.further_dispatch +
         8 * results * static_cast<double>(tiles) / (rates.moved_bytes * static_cast<double>(units));
}

std::vector<ScalarLayout> scalar_layouts(const TileWork& work) {
  const DeviceFacts& device = work.program.device();
  std::vector<ScalarLayout> layouts;
  for (const TileSize tile : {TileSize{64, 64}, TileSize{128, 64}, TileSize{64, 128}, TileSize{128, 128}}) {
    if (ScalarTiles::shared_bytes(tile) > device.shared_memory) continue;
    for (const std::int64_t parts : {1, 2, 3, 4, 8}) {
      constexpr std::int64_t kMinSteps = 8;  // of a part
      const std::int64_t steps = work.steps(kStep);
      const bool idle = work.tiles(tile) * (parts - 1) < device.multiprocessors;
      if (parts == 1 || (steps % parts == 0 && steps / parts >= kMinSteps && idle)) layouts.push_back({tile, parts});
    }
  }
  std::ranges::stable_sort(layouts, {}, [&](const ScalarLayout& layout) { return time_of_tiles(work, layout); });
  constexpr std::size_t kMaxCandidates = 8;
  if (layouts.size() > kMaxCandidates) layouts.resize(kMaxCandidates);
  return layouts;
}

}  // namespace

bool lower_tiles(ProgramBuilder& program, const tosa::Node& node, std::size_t result) {
  const DeviceFacts& device = program.device();
  if (!device.addresses || device.lanes || result != 0 || device.max_invocations < kSide * kSide) return false;
  const auto anchor = find_anchor(program.graph(), program.stored(), node);
  if (!anchor) return false;
  const auto contraction = contraction_of(program.graph(), *anchor->node);
  if (!contraction) return false;
  if (lower_matrix_tiles(program, *contraction, node, *anchor)) return true;
  std::optional<ImageRows> image;
  if (!is_stored_as(program, *contraction, ElementType::F32)) image = ImageRows::of(program, *contraction, 1);
  const Contraction c = image ? contraction->with_contiguous_k() : *contraction;
  TileWork work(program, c, node, *anchor);
  const std::vector<ScalarLayout> layouts = scalar_layouts(work);
  const std::string what = formatted("tiles {}x{}x{}x{} in runs of {}{}", work.batches, work.rows, c.n, c.k(),
                                     c.contiguous_k, image ? " of an image" : "");
  const std::size_t chosen =
      program.choose(what, *c.node, layouts.size(), [&](std::size_t i) { return layouts[i].parameters(); });
  ScalarTiles(work, layouts[chosen].tile, layouts[chosen].parts, std::move(image)).run();
  return true;
}

}  // namespace slipway::lower
