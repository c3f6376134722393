// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What both attention kernels have in common: which rows a workgroup has, its operands, and the online softmax.
//
// A workgroup computes a block of rows of one batch element. It passes over the keys in blocks. For each row it has the
// maximum of the logits so far and the sum of their powers; when the maximum grows, what was summed before is scaled by
// the power of the difference. No score is ever stored in memory.
//
// Deviations of the rounding are towards the exact result: powers are not rounded before they are multiplied with V,
// except to the type of V, and their sum is not rounded.
#pragma once

#include <functional>
#include <span>

#include "lower/program_builder.hpp"
#include "lower/strategies/attention/attention_match.hpp"
#include "lower/strategies/strided_view.hpp"

namespace slipway::lower {

struct AttentionBlock {
  std::int64_t rows = 32, keys = 32;  // of a workgroup, and of a step
  std::int64_t invocations = 128;
  std::int64_t threads_per_row() const { return invocations / rows; }
};

// An operand of a product. Elements along `inner` are neighbours in memory, if possible.
class AttentionOperand {
 public:
  AttentionOperand(const ProgramBuilder& program, tosa::ValueId value, std::size_t inner);

  bool has_chunks(std::int64_t chunk) const { return view_ && view_->has_chunks(inner_, chunk); }
  // Reads are by chunks from now on.
  void open_chunks(KernelBuilder& builder);
  // The extents of both dimensions.
  std::int64_t outer_extent() const { return shape_[inner_ == 2 ? 1 : 2]; }
  std::int64_t inner_extent() const { return shape_[inner_]; }

  // An element inside the operand, as a float.
  Value element(KernelBuilder& builder, Value batch, Value outer, Value inner) const;
  // Eight 16-bit elements from `inner` on; those outside the operand are zeros.
  Chunk chunk(KernelBuilder& builder, Value batch, Value outer, Value inner) const;

 private:
  Coordinates at(Value batch, Value outer, Value inner) const;

  tosa::ValueId value_;
  std::size_t inner_;
  tensor::Shape shape_;
  ElementType type_;
  std::optional<StridedView> view_;
  std::optional<BufferRef> chunks_;
};

// The order in which K is read: by neighbours of its depth (1) or of its keys (2).
std::size_t inner_of_keys(const ProgramBuilder& program, const Attention& attention);

// What a workgroup does: `begin`, then a step for each block of keys, then `finish`.
struct AttentionStages {
  std::function<void()> begin;
  std::function<void(Value index)> step;
  std::function<void()> finish;
};

class AttentionRows {
 public:
  // `by_subgroup`: invocations are numbered by subgroup, and all threads of a row are in one subgroup.
  AttentionRows(KernelBuilder& builder, const Attention& attention, const AttentionBlock& block, Value invocation,
                bool by_subgroup);

  static std::int64_t shared_bytes(const AttentionBlock& block) { return 4 * block.invocations; }
  // Workgroups.
  static std::int64_t groups_of(const Attention& a, const AttentionBlock& block) {
    return a.batches * ((a.rows + block.rows - 1) / block.rows);
  }
  std::int64_t groups() const { return groups_of(a_, block_); }
  std::int64_t steps() const { return (a_.keys + block_.keys - 1) / block_.keys; }
  Value batch() const { return batch_; }
  Value first_row() const { return first_row_; }
  // Of this thread: its row in the block, and its index among the threads of the row.
  Value row() const { return row_; }
  Value part() const { return part_; }

  // The logit of a key of step `index` and this thread's row from its score. `key` is relative to the step; a key after
  // the last one has minus infinity.
  Value logit(Value index, Value key, Value score);
  Value larger(Value a, Value b);  // a NaN `b` is ignored
  Value minus_infinity();
  // From the maximum of this thread's logits of a step: what the powers are relative to, and the factor of what was
  // summed before.
  struct Step {
    Value base, factor;
  };
  Step join(Value max);
  // The power of a logit, rounded to the type of V. It is added to the sum of the row.
  Value power(const Step& step, Value logit);
  // The factor of the sums of this thread's row at the end.
  Value final_factor();
  // Stores an element of the result; `row` is relative to the block.
  void store(Value row, Value column, Value sum, Value factor);
  // Generates the stages of the kernel and dispatches it.
  void dispatch(ProgramBuilder& program, const GroupKey& key, const AttentionStages& stages);

 private:
  Kernel& k() { return builder_.kernel(); }
  Value joined(Value mine, const std::function<Value(Value, Value)>& join);
  Coordinates coordinates_of_logits(Value key);
  Value power_of(Value x);

  KernelBuilder& builder_;
  const Attention& a_;
  AttentionBlock block_;
  std::int64_t row_blocks_;
  bool by_subgroup_;
  Value batch_, first_row_, row_, part_;
  Variable max_, sum_;
  std::optional<SharedRef> partial_;
  std::optional<BufferRef> to_;
};

// The index of the candidate to use. `kind` is what the tuning table calls the strategy.
std::size_t choose_attention(ProgramBuilder& program, const Attention& attention, std::string_view kind,
                             std::size_t count, const std::function<Parameters(std::size_t)>& parameters);

// The strategies; false where types, sizes or the device do not allow them.
bool lower_matrix_attention(ProgramBuilder& program, const Attention& attention);
void lower_scalar_attention(ProgramBuilder& program, const Attention& attention);
bool has_matrix_attention(const Attention& attention, const DeviceFacts& device);
bool has_scalar_attention(const Attention& attention, const DeviceFacts& device);

}  // namespace slipway::lower
