// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention with 32-bit floats in shared memory, on GPUs, for all types. A thread has a few scores, and a few columns
// of the result, each of several rows.
#include <algorithm>
#include <array>

#include "lower/strategies/attention/attention_rows.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {
namespace {

// A workgroup is `across` x `down` threads.
struct ScalarBlock {
  std::int64_t across = 16, down = 8, rows = 32, keys = 32;
  std::int64_t depth = 64, columns = 64;

  AttentionBlock block() const { return {rows, keys, across * down}; }
  // Rows of shared memory, in floats; an odd length puts neighbouring rows on different banks.
  std::int64_t q_row() const { return depth | 1; }
  std::int64_t v_row() const { return columns | 1; }
  std::int64_t scores_row() const { return keys | 1; }
  std::int64_t kv_size() const { return keys * std::max(q_row(), v_row()); }
  std::int64_t shared_bytes() const {
    return 4 * (rows * q_row() + kv_size() + rows * scores_row() + rows) + AttentionRows::shared_bytes(block());
  }
  bool fits(const DeviceFacts& device) const {
    return shared_bytes() <= device.shared_memory && across * down <= device.max_invocations;
  }
  Parameters parameters() const { return {{"rows", rows}, {"keys", keys}, {"across", across}, {"down", down}}; }
};

std::vector<ScalarBlock> scalar_blocks(const Attention& a, const DeviceFacts& device) {
  constexpr ScalarBlock kBlocks[] = {{16, 16, 64, 32}, {16, 8, 32, 64}, {16, 8, 32, 32}, {16, 8, 16, 32},
                                     {16, 8, 16, 16},  {16, 8, 8, 16},  {16, 4, 4, 16}};
  std::vector<ScalarBlock> blocks;
  const auto units = static_cast<std::int64_t>(std::max<std::uint32_t>(device.multiprocessors, 1));
  for (ScalarBlock block : kBlocks) {
    block.depth = a.depth;
    block.columns = a.columns;
    if (block.fits(device)) blocks.push_back(block);
  }
  // Large blocks reuse more of what they read, but there must be enough of them to occupy the device.
  const auto leaves_idle = [&](const ScalarBlock& block) {
    return a.batches * ((a.rows + block.rows - 1) / block.rows) < units;
  };
  std::ranges::stable_partition(blocks, [&](const ScalarBlock& block) { return !leaves_idle(block); });
  if (!blocks.empty() && leaves_idle(blocks[0])) std::ranges::reverse(blocks);
  return blocks;
}

class ScalarAttention {
 public:
  ScalarAttention(ProgramBuilder& program, const Attention& attention, const ScalarBlock& block)
      : program_(program),
        a_(attention),
        block_(block),
        q_(program, attention.q, 2),
        k_(program, attention.k, inner_of_keys(program, attention)),
        v_(program, attention.v, 2),
        depth_is_inner_(inner_of_keys(program, attention) == 1) {}

  void run() {
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), a_.last().outputs[0], "attention");
    if (program_.repeat(key)) return;
    KernelBuilder builder =
        program_.kernel({.local_size = static_cast<std::uint32_t>(block_.across * block_.down), .addresses = true});
    builder_ = &builder;
    AttentionRows rows(builder, a_, block_.block(), k().local_index(), false);
    rows_ = &rows;
    rows.dispatch(program_, key, {[this] { begin(); }, [this](Value index) { step(index); }, [this] { finish(); }});
  }

 private:
  Kernel& k() { return builder_->kernel(); }
  std::int64_t rows_of_thread() const { return block_.rows / block_.down; }
  std::int64_t keys_of_thread() const { return block_.keys / block_.across; }
  std::int64_t columns_of_thread() const { return (block_.columns + block_.across - 1) / block_.across; }
  Value row_of(std::int64_t i) { return y_ + i * block_.down; }
  // Columns after the last one are computed as the last one.
  Value column_of(std::int64_t j) {
    const Value column = x_ + j * block_.across;
    return block_.columns % block_.across == 0 ? column : k().min(column, k().integer(block_.columns - 1));
  }

  void begin() {
    const auto reals = [&](std::int64_t count) { return k().shared(Scalar::Float, static_cast<std::uint32_t>(count)); };
    shared_q_ = reals(block_.rows * block_.q_row());
    shared_kv_ = reals(block_.kv_size());
    scores_ = reals(block_.rows * block_.scores_row());
    factors_ = reals(block_.rows);
    const Value me = k().local_index();
    y_ = k().unsigned_divide(me, k().integer(block_.across));
    x_ = me - y_ * block_.across;
    for (std::int64_t i = 0; i < rows_of_thread() * columns_of_thread(); ++i)
      sums_.push_back(k().variable(k().real(0)));
    move(q_, shared_q_, block_.rows, block_.depth, block_.q_row(), rows_->first_row(), k().integer(0), false);
  }

  // Copies `outer` x `inner` elements from `first` on to shared memory; those outside the operand are zeros. `turned`:
  // the rows in shared memory are along the inner dimension.
  void move(const AttentionOperand& from, SharedRef to, std::int64_t outer, std::int64_t inner, std::int64_t row,
            Value first_outer, Value first_inner, bool turned) {
    const std::int64_t count = outer * inner, invocations = block_.across * block_.down;
    constexpr std::int64_t kAtOnce = 8;
    const std::int64_t all = (count + invocations - 1) / invocations, rounds = (all + kAtOnce - 1) / kAtOnce;
    k().loop(k().integer(rounds), [&](Value round) {
      std::vector<std::pair<Value, Value>> moved;
      for (std::int64_t i = 0; i < std::min(all, kAtOnce); ++i) {
        const Value e = k().min((round * kAtOnce + i) * invocations + k().local_index(), k().integer(count - 1));
        const Value y = k().unsigned_divide(e, k().integer(inner)), x = e - y * inner;
        const Value from_y = first_outer + y, from_x = first_inner + x;
        const Value exists = (from_y < from.outer_extent()) & (from_x < from.inner_extent());
        const Value real =
            from.element(*builder_, rows_->batch(), k().min(from_y, k().integer(from.outer_extent() - 1)),
                         k().min(from_x, k().integer(from.inner_extent() - 1)));
        moved.emplace_back(turned ? x * row + y : y * row + x, k().select(exists, real, k().real(0)));
      }
      for (const auto& [at, real] : moved) k().store(to, at, real);
    });
  }

  void step(Value index) {
    const Value first = index * block_.keys, zero = k().integer(0);
    if (depth_is_inner_)
      move(k_, shared_kv_, block_.keys, block_.depth, block_.q_row(), first, zero, false);
    else
      move(k_, shared_kv_, block_.depth, block_.keys, block_.q_row(), zero, first, true);
    k().barrier();
    multiply_scores();
    k().barrier();
    move(v_, shared_kv_, block_.keys, block_.columns, block_.v_row(), first, zero, false);
    compute_shares(index);
    k().barrier();
    multiply_values();
    k().barrier();
  }

  // Adds `count` products of `left` x `right` elements to sums: some at a time.
  void multiply(std::int64_t count, std::span<const Variable> sums,
                const std::function<std::vector<Value>(Value)>& left,
                const std::function<std::vector<Value>(Value)>& right) {
    constexpr std::int64_t kAtOnce = 8;
    const auto some = [&](Value first, std::int64_t length) {
      std::vector<Value> so_far;
      for (const Variable& sum : sums) so_far.push_back(k().get(sum));
      for (std::int64_t i = 0; i < length; ++i) {
        const std::vector<Value> a = left(first + i), b = right(first + i);
        for (std::size_t y = 0; y < a.size(); ++y) {
          for (std::size_t x = 0; x < b.size(); ++x) {
            Value& sum = so_far[y * b.size() + x];
            sum = k().multiply_add(a[y], b[x], sum);
          }
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i) k().set(sums[i], so_far[i]);
    };
    k().loop(k().integer(count / kAtOnce), [&](Value i) { some(i * kAtOnce, kAtOnce); });
    if (count % kAtOnce) some(k().integer(count / kAtOnce * kAtOnce), count % kAtOnce);
  }

  void multiply_scores() {
    std::vector<Variable> scores;
    for (std::int64_t i = 0; i < rows_of_thread() * keys_of_thread(); ++i) scores.push_back(k().variable(k().real(0)));
    multiply(
        block_.depth, scores,
        [&](Value product) {
          std::vector<Value> q;
          for (std::int64_t i = 0; i < rows_of_thread(); ++i)
            q.push_back(k().load(shared_q_, row_of(i) * block_.q_row() + product));
          return q;
        },
        [&](Value product) {
          std::vector<Value> keys;
          for (std::int64_t j = 0; j < keys_of_thread(); ++j)
            keys.push_back(k().load(shared_kv_, (x_ + j * block_.across) * block_.q_row() + product));
          return keys;
        });
    for (std::int64_t i = 0; i < rows_of_thread(); ++i) {
      for (std::int64_t j = 0; j < keys_of_thread(); ++j) {
        const Value score = k().get(scores[static_cast<std::size_t>(i * keys_of_thread() + j)]);
        k().store(scores_, row_of(i) * block_.scores_row() + x_ + j * block_.across, score);
      }
    }
  }

  // Logits take the place of the scores, and then their powers.
  void compute_shares(Value index) {
    const std::int64_t threads = block_.block().threads_per_row(), mine = block_.keys / threads;
    const std::int64_t at_once = std::min<std::int64_t>(mine, 4);
    const Value first = rows_->row() * block_.scores_row();
    const auto key_of = [&](Value round, std::int64_t i) { return rows_->part() + (round * at_once + i) * threads; };
    const Variable max = k().variable(rows_->minus_infinity());
    k().loop(k().integer(mine / at_once), [&](Value round) {
      Value so_far = k().get(max);
      for (std::int64_t i = 0; i < at_once; ++i) {
        const Value key = key_of(round, i), logit = rows_->logit(index, key, k().load(scores_, first + key));
        k().store(scores_, first + key, logit);
        so_far = rows_->larger(so_far, logit);
      }
      k().set(max, so_far);
    });
    const AttentionRows::Step step = rows_->join(k().get(max));
    k().loop(k().integer(mine / at_once), [&](Value round) {
      for (std::int64_t i = 0; i < at_once; ++i) {
        const Value at = first + key_of(round, i);
        k().store(scores_, at, rows_->power(step, k().load(scores_, at)));
      }
    });
    k().when(rows_->part() == 0, [&] { k().store(factors_, rows_->row(), step.factor); });
  }

  void multiply_values() {
    if (rows_->steps() > 1) {
      for (std::int64_t i = 0; i < rows_of_thread(); ++i) {
        const Value factor = k().load(factors_, row_of(i));
        for (std::int64_t j = 0; j < columns_of_thread(); ++j) {
          const Variable& sum = sums_[static_cast<std::size_t>(i * columns_of_thread() + j)];
          k().set(sum, k().get(sum) * factor);
        }
      }
    }
    multiply(
        block_.keys, sums_,
        [&](Value key) {
          std::vector<Value> shares;
          for (std::int64_t i = 0; i < rows_of_thread(); ++i)
            shares.push_back(k().load(scores_, row_of(i) * block_.scores_row() + key));
          return shares;
        },
        [&](Value key) {
          std::vector<Value> values;
          for (std::int64_t j = 0; j < columns_of_thread(); ++j)
            values.push_back(k().load(shared_kv_, key * block_.v_row() + column_of(j)));
          return values;
        });
  }

  void finish() {
    const Value factor = rows_->final_factor();
    k().when(rows_->part() == 0, [&] { k().store(factors_, rows_->row(), factor); });
    k().barrier();
    for (std::int64_t i = 0; i < rows_of_thread(); ++i) {
      const Value of_row = k().load(factors_, row_of(i));
      for (std::int64_t j = 0; j < columns_of_thread(); ++j) {
        const Value sum = k().get(sums_[static_cast<std::size_t>(i * columns_of_thread() + j)]);
        rows_->store(row_of(i), x_ + j * block_.across, sum, of_row);
      }
    }
  }

  ProgramBuilder& program_;
  const Attention& a_;
  ScalarBlock block_;
  AttentionOperand q_, k_, v_;
  bool depth_is_inner_;
  KernelBuilder* builder_ = nullptr;
  AttentionRows* rows_ = nullptr;
  Value x_, y_;
  SharedRef shared_q_, shared_kv_, scores_, factors_;
  std::vector<Variable> sums_;
};

}  // namespace

// Of large ones, separate products with their larger tiles are faster: 1.12 times the speed of separate kernels with
// 2 x 10^8 products, 0.87 times with 2 x 10^9 (measured on one large GPU).
bool has_scalar_attention(const Attention& attention, const DeviceFacts& device) {
  constexpr std::int64_t kMaxProducts = 500'000'000;
  return attention.products() <= kMaxProducts && device.addresses && !device.lanes &&
         !scalar_blocks(attention, device).empty();
}

void lower_scalar_attention(ProgramBuilder& program, const Attention& attention) {
  const std::vector<ScalarBlock> blocks = scalar_blocks(attention, program.device());
  const std::size_t chosen = choose_attention(program, attention, "by floats", blocks.size(),
                                              [&](std::size_t i) { return blocks[i].parameters(); });
  ScalarAttention(program, attention, blocks[chosen]).run();
}

// --- the strategy ---

bool has_attention_kernel(const Attention& attention, const DeviceFacts& device) {
  return has_matrix_attention(attention, device) || has_scalar_attention(attention, device);
}

bool lower_attention(ProgramBuilder& program, const tosa::Node& node, std::size_t) {
  const auto attention = planned_attention(program.graph(), program.stored(), node);
  if (!attention) return false;
  if (!lower_matrix_attention(program, *attention)) lower_scalar_attention(program, *attention);
  return true;
}

}  // namespace slipway::lower
