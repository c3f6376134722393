// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention with cooperative matrices, of 16-bit floats.
//
// Scores go from the matrices through shared memory to the threads that compute their powers, and the powers back.
// Between two steps the sums of the result stay in matrices; they are scaled by a matrix whose rows have one value
// each. The next K or V is read from memory while the matrices of the one before are multiplied.
#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "lower/kernel/small_floats.hpp"
#include "lower/strategies/attention/attention_rows.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kInChunk = 8, kPadReals = 4;  // padding puts rows on different banks

std::int64_t padded_to(std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit * unit; }

// How a block of rows is divided among subgroups.
struct AttentionLayout {
  MatrixShape shape;
  std::int64_t subgroup_size = 32;
  std::int64_t depth = 64, columns = 64;  // padded to whole matrices
  std::int64_t down = 4, across = 1;      // subgroups
  std::int64_t row_matrices = 1;          // of a subgroup
  std::int64_t keys = 64;                 // of a step
  bool keys_are_rows = true;              // K in shared memory: a row for each key, otherwise for each product

  std::int64_t rows() const { return down * row_matrices * shape.m; }
  AttentionBlock block() const { return {rows(), keys, down * across * subgroup_size}; }
  // In chunks.
  std::int64_t q_row() const { return depth / kInChunk + 1; }
  std::int64_t k_row() const { return keys_are_rows ? q_row() : keys / kInChunk + 1; }
  std::int64_t v_row() const { return columns / kInChunk + 1; }
  std::int64_t k_chunks() const { return (keys_are_rows ? keys : depth) * k_row(); }
  std::int64_t v_chunks() const { return keys * v_row(); }
  std::int64_t shares_row() const { return keys / kInChunk + 1; }
  // In floats.
  std::int64_t scores_row() const { return keys + kPadReals; }
  std::int64_t tile_row() const { return shape.n + kPadReals; }
  std::int64_t scores_size() const { return std::max(rows() * scores_row(), down * across * shape.m * tile_row()); }

  std::int64_t shared_bytes() const {
    return 16 * (rows() * q_row() + std::max(k_chunks(), v_chunks()) + rows() * shares_row()) +
           4 * (scores_size() + rows() * tile_row() + rows()) + AttentionRows::shared_bytes(block());
  }
  bool fits(const DeviceFacts& device) const {
    const AttentionBlock all = block();
    const std::int64_t threads = all.threads_per_row(), chunks = keys / kInChunk;
    // Matrices of a subgroup: more would not stay in registers.
    constexpr std::int64_t kMaxScores = 8, kMaxSums = 16;
    if (row_matrices * keys > kMaxScores * across * shape.n || row_matrices * columns > kMaxSums * across * shape.n)
      return false;
    return shared_bytes() <= device.shared_memory && all.invocations <= device.max_invocations &&
           all.invocations % rows() == 0 && threads <= subgroup_size && chunks % threads == 0 &&
           keys % (across * shape.n) == 0 && keys % shape.k == 0;
  }
  Parameters parameters() const { return {{"down", down}, {"across", across}, {"rows", row_matrices}, {"keys", keys}}; }
};

const MatrixShape* attention_shape(const DeviceFacts& device, tosa::DataType type) {
  const MatrixShape* shape = nullptr;
  for (const MatrixShape& s : device.matrices) {
    const bool is_applicable = s.factors == tosa::storage_of(type) && tensor::size_of(s.factors) == 2 &&
                               s.sum == ElementType::F32 && s.m % 8 == 0 && s.n % kInChunk == 0 && s.k % kInChunk == 0;
    if (is_applicable && (!shape || s.m * s.n * s.k > shape->m * shape->n * shape->k)) shape = &s;
  }
  return shape;
}

// An estimate: steps wait for memory and for each other, and a multiprocessor runs a few workgroups together.
double time_of_attention(const Attention& a, const AttentionLayout& layout, const DeviceFacts& device) {
  const Rates& rates = device.rates;
  const auto units = static_cast<std::int64_t>(std::max<std::uint32_t>(device.multiprocessors, 1));
  const std::int64_t groups = a.batches * ((a.rows + layout.rows() - 1) / layout.rows());
  const std::int64_t mine = (groups + units - 1) / units;
  const std::int64_t together = std::clamp<std::int64_t>(2 * device.shared_memory / layout.shared_bytes(), 1, 4);
  const auto steps = static_cast<double>(divide_up(a.keys, layout.keys));
  const auto scores = static_cast<double>(layout.rows() * layout.keys);
  const double products = 2 * scores * static_cast<double>(layout.depth + layout.columns);
  const auto waves = static_cast<double>(divide_up(mine, together));
  return waves * steps * rates.attention_step +
         static_cast<double>(mine) * steps * (products / rates.attention_products + scores / rates.attention_powers);
}

std::vector<AttentionLayout> attention_layouts(const Attention& a, const DeviceFacts& device, bool keys_are_rows) {
  const MatrixShape* shape = attention_shape(device, a.type);
  if (!shape) return {};
  struct Division {
    std::int64_t down, across, row_matrices;
  };
  constexpr Division kDivisions[] = {{4, 1, 1}, {2, 2, 1}, {1, 4, 1}, {4, 2, 1},
                                     {2, 2, 2}, {4, 1, 2}, {2, 1, 1}, {1, 1, 1}};
  std::vector<AttentionLayout> layouts;
  for (const Division& division : kDivisions) {
    for (const std::int64_t keys : {128, 64, 32, 16}) {
      AttentionLayout layout{.shape = *shape,
                             .subgroup_size = device.subgroup_size,
                             .depth = padded_to(a.depth, shape->k),
                             .columns = padded_to(a.columns, division.across * shape->n),
                             .down = division.down,
                             .across = division.across,
                             .row_matrices = division.row_matrices,
                             .keys = keys,
                             .keys_are_rows = keys_are_rows};
      // Keys after the last one are computed for nothing, except in the smallest block.
      if (keys > 16 && keys >= 2 * padded_to(a.keys, 16)) continue;
      if (layout.fits(device)) layouts.push_back(layout);
    }
  }
  std::ranges::stable_sort(layouts, {},
                           [&](const AttentionLayout& layout) { return time_of_attention(a, layout, device); });
  constexpr std::size_t kMaxCandidates = 10;
  if (layouts.size() > kMaxCandidates) layouts.resize(kMaxCandidates);
  return layouts;
}

class MatrixAttention {
 public:
  MatrixAttention(ProgramBuilder& program, const Attention& attention, const AttentionLayout& layout)
      : program_(program),
        a_(attention),
        layout_(layout),
        block_(layout.block()),
        q_(program, attention.q, 2),
        k_(program, attention.k, layout.keys_are_rows ? 1 : 2),
        v_(program, attention.v, 2) {}

  void run() {
    const GroupKey key =
        key_of_group(program_.graph(), program_.stored(), a_.last().outputs[0], "attention by matrices");
    if (program_.repeat(key)) return;
    KernelBuilder builder = program_.linked_kernel(
        {.local_size = static_cast<std::uint32_t>(block_.invocations), .addresses = true, .vulkan_memory_model = true},
        static_cast<std::uint64_t>(AttentionRows::groups_of(a_, block_)), ProgramBuilder::kRegistersOfTiles);
    builder_ = &builder;
    for (AttentionOperand* operand : {&q_, &k_, &v_}) {
      if (operand->has_chunks(kInChunk)) operand->open_chunks(builder);
    }
    invocation_ = k().subgroup_index() * layout_.subgroup_size + k().subgroup_lane();
    AttentionRows rows(builder, a_, block_, invocation_, true);
    rows_ = &rows;
    rows.dispatch(program_, key, {[this] { begin(); }, [this](Value index) { step(index); }, [this] { finish(); }});
  }

 private:
  // A chunk that an invocation moves.
  struct Move {
    Value outer, inner, shared_index;
    ChunkVariable next;
  };

  Kernel& k() { return builder_->kernel(); }
  std::int64_t columns_of_subgroup() const { return layout_.columns / layout_.shape.n / layout_.across; }

  // Calls make(row, chunk, exists) for the chunks of `rows` rows that this invocation moves.
  void share(std::int64_t rows, std::int64_t row_chunks, const std::function<void(Value, Value)>& make) {
    for (std::int64_t i = 0; i * block_.invocations < rows * row_chunks; ++i) {
      const Value e = k().min(invocation_ + i * block_.invocations, k().integer(rows * row_chunks - 1));
      const Value row = k().unsigned_divide(e, k().integer(row_chunks));
      make(row, e - row * row_chunks);
    }
  }

  std::vector<Move> moves_of(std::int64_t rows, std::int64_t row_chunks, std::int64_t shared_row) {
    std::vector<Move> moves;
    share(rows, row_chunks, [&](Value row, Value chunk) {
      moves.push_back({row, chunk * kInChunk, row * shared_row + chunk, k().variable(k().zero_chunk())});
    });
    return moves;
  }

  void begin() {
    const auto chunks = [&](std::int64_t count) { return k().shared_chunks(static_cast<std::uint32_t>(count)); };
    const auto reals = [&](std::int64_t count) { return k().shared(Scalar::Float, static_cast<std::uint32_t>(count)); };
    shared_q_ = chunks(layout_.rows() * layout_.q_row());
    shared_kv_ = chunks(std::max(layout_.k_chunks(), layout_.v_chunks()));
    shares_ = chunks(layout_.rows() * layout_.shares_row());
    scores_ = reals(layout_.scores_size());
    if (rows_->steps() > 1) factors_ = reals(layout_.rows() * layout_.tile_row());
    row_factors_ = reals(layout_.rows());
    const Value subgroup = k().subgroup_index();
    down_ = k().unsigned_divide(subgroup, k().integer(layout_.across));
    across_ = subgroup - down_ * layout_.across;
    const MatrixType sum = sum_type();
    for (std::int64_t i = 0; i < layout_.row_matrices * columns_of_subgroup(); ++i)
      sums_.push_back(k().matrix_variable(sum));
    if (layout_.keys_are_rows)
      k_moves_ = moves_of(layout_.keys, layout_.depth / kInChunk, layout_.k_row());
    else
      k_moves_ = moves_of(layout_.depth, layout_.keys / kInChunk, layout_.k_row());
    v_moves_ = moves_of(layout_.keys, layout_.columns / kInChunk, layout_.v_row());
    builder_->wait_for_stage();
    // All loads of a single step start together.
    fetch_k(k().integer(0));
    if (rows_->steps() == 1) fetch_v(k().integer(0));
    share(layout_.rows(), layout_.depth / kInChunk, [&](Value row, Value chunk) {
      const Value in_batch = rows_->first_row() + row;
      k().store(shared_q_, row * layout_.q_row() + chunk,
                q_.chunk(*builder_, rows_->batch(), in_batch, chunk * kInChunk));
    });
  }

  MatrixType sum_type() { return k().matrix_type(ElementType::F32, layout_.shape.m, layout_.shape.n, MatrixUse::Sum); }
  MatrixType a_type() { return k().matrix_type(layout_.shape.factors, layout_.shape.m, layout_.shape.k, MatrixUse::A); }
  MatrixType b_type() { return k().matrix_type(layout_.shape.factors, layout_.shape.k, layout_.shape.n, MatrixUse::B); }

  void fetch_k(Value index) {
    const Value first = index * layout_.keys;
    for (const Move& move : k_moves_) {
      const Value outer = layout_.keys_are_rows ? move.outer + first : move.outer;
      const Value inner = layout_.keys_are_rows ? move.inner : move.inner + first;
      k().set(move.next, k_.chunk(*builder_, rows_->batch(), outer, inner));
    }
  }
  void fetch_v(Value index) {
    for (const Move& move : v_moves_)
      k().set(move.next, v_.chunk(*builder_, rows_->batch(), move.outer + index * layout_.keys, move.inner));
  }
  void stage(const std::vector<Move>& moves) {
    for (const Move& move : moves) k().store(shared_kv_, move.shared_index, k().get(move.next));
  }

  void step(Value index) {
    stage(k_moves_);
    k().barrier();
    if (rows_->steps() > 1) fetch_v(index);
    multiply_scores();
    k().barrier();
    stage(v_moves_);
    compute_shares(index);
    k().barrier();
    if (rows_->steps() > 1) fetch_k(k().min(index + 1, k().integer(rows_->steps() - 1)));
    multiply_values();
    k().barrier();
  }

  // The position of a matrix of this subgroup among the rows of the block.
  Value matrix_row(std::int64_t i) { return (down_ * layout_.row_matrices + i) * layout_.shape.m; }

  void multiply_scores() {
    const MatrixShape& s = layout_.shape;
    const std::int64_t columns = layout_.keys / s.n / layout_.across;
    const MatrixType sum = sum_type(), a = a_type(), b = b_type();
    std::vector<Matrix> scores(static_cast<std::size_t>(layout_.row_matrices * columns), k().zero_matrix(sum));
    for (std::int64_t product = 0; product < layout_.depth; product += s.k) {
      std::vector<Matrix> left, right;
      for (std::int64_t i = 0; i < layout_.row_matrices; ++i)
        left.push_back(
            k().load_matrix(a, shared_q_, matrix_row(i) * layout_.q_row() + product / kInChunk, layout_.q_row()));
      for (std::int64_t j = 0; j < columns; ++j) {
        const Value key = (across_ * columns + j) * s.n;
        const Value at = layout_.keys_are_rows
                             ? key * layout_.k_row() + product / kInChunk
                             : k().unsigned_divide(key, k().integer(kInChunk)) + product * layout_.k_row();
        right.push_back(k().load_matrix(b, shared_kv_, at, layout_.k_row(), layout_.keys_are_rows));
      }
      for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
          Matrix& score = scores[i * right.size() + j];
          score = k().multiply_add(left[i], right[j], score);
        }
      }
    }
    for (std::int64_t i = 0; i < layout_.row_matrices; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const Value at = matrix_row(i) * layout_.scores_row() + (across_ * columns + j) * s.n;
        k().store_matrix(scores_, at, scores[static_cast<std::size_t>(i * columns + j)], layout_.scores_row());
      }
    }
  }

  // Each thread has chunks of neighbouring keys. Logits take the place of the scores, so that the code is short.
  void compute_shares(Value index) {
    const std::int64_t threads = block_.threads_per_row(), chunks = layout_.keys / kInChunk / threads;
    const Value first = rows_->row() * layout_.scores_row();
    const auto chunk_of_thread = [&](Value c) { return rows_->part() + c * threads; };
    const Variable max = k().variable(rows_->minus_infinity());
    k().loop(k().integer(chunks), [&](Value c) {
      Value so_far = k().get(max);
      for (std::int64_t e = 0; e < kInChunk; ++e) {
        const Value key = chunk_of_thread(c) * kInChunk + e;
        const Value logit = rows_->logit(index, key, k().load(scores_, first + key));
        k().store(scores_, first + key, logit);
        so_far = rows_->larger(so_far, logit);
      }
      k().set(max, so_far);
    });
    const AttentionRows::Step step = rows_->join(k().get(max));
    k().loop(k().integer(chunks), [&](Value c) {
      std::array<Value, 4> words;
      for (std::int64_t e = 0; e < kInChunk; ++e) {
        const Value logit = k().load(scores_, first + chunk_of_thread(c) * kInChunk + e);
        const Value bits = bits_of_factor(rows_->power(step, logit));
        Value& word = words[static_cast<std::size_t>(e / 2)];
        word = e % 2 == 0 ? bits : word | bits << 16;
      }
      k().store(shares_, rows_->row() * layout_.shares_row() + chunk_of_thread(c), k().chunk_of(words));
    });
    if (rows_->steps() == 1) return;
    for (std::int64_t column = 0; column < layout_.shape.n; column += threads) {
      k().when(rows_->part() + column < layout_.shape.n,
               [&] { k().store(factors_, rows_->row() * layout_.tile_row() + rows_->part() + column, step.factor); });
    }
  }

  Value bits_of_factor(Value real) {
    return layout_.shape.factors == ElementType::F16 ? f16_bits(k(), real) : bf16_bits(k(), real);
  }

  void multiply_values() {
    const MatrixShape& s = layout_.shape;
    const std::int64_t columns = columns_of_subgroup();
    const MatrixType sum = sum_type(), a = a_type(), b = b_type();
    std::vector<Matrix> sums;
    for (std::int64_t i = 0; i < layout_.row_matrices; ++i) {
      std::optional<Matrix> factor;
      if (rows_->steps() > 1)
        factor = k().load_matrix_of_reals(sum, factors_, matrix_row(i) * layout_.tile_row(), layout_.tile_row());
      for (std::int64_t j = 0; j < columns; ++j) {
        const Matrix before = k().get(sums_[static_cast<std::size_t>(i * columns + j)]);
        sums.push_back(factor ? k().multiply_elements(before, *factor) : before);
      }
    }
    for (std::int64_t key = 0; key < layout_.keys; key += s.k) {
      std::vector<Matrix> left, right;
      for (std::int64_t i = 0; i < layout_.row_matrices; ++i)
        left.push_back(
            k().load_matrix(a, shares_, matrix_row(i) * layout_.shares_row() + key / kInChunk, layout_.shares_row()));
      for (std::int64_t j = 0; j < columns; ++j) {
        const Value column = k().unsigned_divide((across_ * columns + j) * s.n, k().integer(kInChunk));
        right.push_back(k().load_matrix(b, shared_kv_, column + key * layout_.v_row(), layout_.v_row()));
      }
      for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
          Matrix& value = sums[i * right.size() + j];
          value = k().multiply_add(left[i], right[j], value);
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) k().set(sums_[i], sums[i]);
  }

  // Each subgroup moves its matrices through a tile of its own, so that threads get elements whose rows they know.
  void finish() {
    const Value factor = rows_->final_factor();
    k().when(rows_->part() == 0, [&] { k().store(row_factors_, rows_->row(), factor); });
    k().barrier();
    const MatrixShape& s = layout_.shape;
    const std::int64_t columns = columns_of_subgroup(), count = std::int64_t{s.m} * s.n;
    const Value tile = k().subgroup_index() * (s.m * layout_.tile_row()), lane = k().subgroup_lane();
    for (std::int64_t i = 0; i < layout_.row_matrices; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        k().subgroup_barrier();
        k().store_matrix(scores_, tile, k().get(sums_[static_cast<std::size_t>(i * columns + j)]), layout_.tile_row());
        k().subgroup_barrier();
        for (std::int64_t first = 0; first < count; first += layout_.subgroup_size) {
          const Value e = k().min(lane + first, k().integer(count - 1));
          const Value y = k().unsigned_divide(e, k().integer(s.n)), x = e - y * s.n, row = matrix_row(i) + y;
          const Value column = (across_ * columns + j) * s.n + x;
          rows_->store(row, column, k().load(scores_, tile + y * layout_.tile_row() + x), k().load(row_factors_, row));
        }
      }
    }
  }

  ProgramBuilder& program_;
  const Attention& a_;
  AttentionLayout layout_;
  AttentionBlock block_;
  AttentionOperand q_, k_, v_;
  KernelBuilder* builder_ = nullptr;
  AttentionRows* rows_ = nullptr;
  Value invocation_, down_, across_;
  SharedRef shared_q_, shared_kv_, shares_, scores_, factors_, row_factors_;
  std::vector<Move> k_moves_, v_moves_;
  std::vector<MatrixVariable> sums_;
};

}  // namespace

// Of large ones, separate products with their larger tiles are as fast (measured on one large GPU).
bool has_matrix_attention(const Attention& attention, const DeviceFacts& device) {
  constexpr std::int64_t kMaxProducts = std::int64_t{1} << 34;
  return attention.products() <= kMaxProducts && device.addresses && !device.lanes &&
         !attention_layouts(attention, device, true).empty() && !attention_layouts(attention, device, false).empty();
}

bool lower_matrix_attention(ProgramBuilder& program, const Attention& attention) {
  const bool keys_are_rows = inner_of_keys(program, attention) == 1;
  const std::vector<AttentionLayout> layouts = attention_layouts(attention, program.device(), keys_are_rows);
  if (layouts.empty()) return false;
  const std::size_t chosen = choose_attention(program, attention, tosa::name_of(attention.type), layouts.size(),
                                              [&](std::size_t i) { return layouts[i].parameters(); });
  MatrixAttention(program, attention, layouts[chosen]).run();
  return true;
}

}  // namespace slipway::lower
