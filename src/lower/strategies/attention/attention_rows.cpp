// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/attention/attention_rows.hpp"

#include <array>
#include <limits>

#include "base/format.hpp"
#include "lower/kernel/small_floats.hpp"
#include "lower/operators/math.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kChunkElements = 8;  // of 16 bits
constexpr std::int64_t kMinusInfinityBits = static_cast<std::int32_t>(0xff800000);

}  // namespace

// --- operands ---

AttentionOperand::AttentionOperand(const ProgramBuilder& program, tosa::ValueId value, std::size_t inner)
    : value_(value),
      inner_(inner),
      shape_(program.graph()[value].type.shape),
      type_(tosa::storage_of(program.graph()[value].type.data)),
      view_(strided_view(program.graph(), program.stored(), value)) {
  const tosa::Constant* constant = view_ ? program.graph().constant(view_->source) : nullptr;
  if (constant && constant->splat) view_.reset();
}

void AttentionOperand::open_chunks(KernelBuilder& builder) { chunks_ = builder.read_chunks(view_->source); }

Coordinates AttentionOperand::at(Value batch, Value outer, Value inner) const {
  return inner_ == 2 ? Coordinates{batch, outer, inner} : Coordinates{batch, inner, outer};
}

Value AttentionOperand::element(KernelBuilder& builder, Value batch, Value outer, Value inner) const {
  const Coordinates coordinates = at(batch, outer, inner);
  if (view_) return builder.load_stored(view_->source, view_->index(builder.kernel(), coordinates));
  return builder.at(value_, coordinates);
}

Chunk AttentionOperand::chunk(KernelBuilder& builder, Value batch, Value outer, Value inner) const {
  Kernel& k = builder.kernel();
  const Value exists = outer < outer_extent(), safe = k.min(outer, k.integer(outer_extent() - 1));
  if (chunks_) {
    const Value inside = exists & (inner < inner_extent());
    const Value first = view_->index(k, at(batch, safe, k.select(inside, inner, k.integer(0))));
    const Chunk chunk = k.load_chunk(*chunks_, k.unsigned_divide(first, k.integer(kChunkElements)));
    return k.select(inside, chunk, k.zero_chunk());
  }
  std::array<Value, 4> words;
  for (std::int64_t e = 0; e < kChunkElements; ++e) {
    const Value index = inner + e, last = k.integer(inner_extent() - 1);
    const Value real = element(builder, batch, safe, k.min(index, last));
    const Value bits = type_ == ElementType::F16 ? f16_bits(k, real) : bf16_bits(k, real);
    const Value inside = k.select(exists & (index < inner_extent()), bits, k.integer(0));
    Value& word = words[static_cast<std::size_t>(e / 2)];
    word = e % 2 == 0 ? inside : word | inside << 16;
  }
  return k.chunk_of(words);
}

std::size_t inner_of_keys(const ProgramBuilder& program, const Attention& attention) {
  const auto view = strided_view(program.graph(), program.stored(), attention.k);
  if (!view) return 2;
  const auto stride = [&](std::size_t dimension) {
    const auto& digits = view->dimensions[dimension];
    return digits.empty() ? std::numeric_limits<std::int64_t>::max() : digits.back().stride;
  };
  return stride(1) < stride(2) ? 1 : 2;
}

// --- rows ---

AttentionRows::AttentionRows(KernelBuilder& builder, const Attention& attention, const AttentionBlock& block,
                             Value invocation, bool by_subgroup)
    : builder_(builder),
      a_(attention),
      block_(block),
      row_blocks_((attention.rows + block.rows - 1) / block.rows),
      by_subgroup_(by_subgroup) {
  const Value group = k().min(k().group_index(), k().integer(groups() - 1));
  batch_ = k().unsigned_divide(group, k().integer(row_blocks_));
  first_row_ = (group - batch_ * row_blocks_) * block_.rows;
  row_ = k().unsigned_divide(invocation, k().integer(block_.threads_per_row()));
  part_ = invocation - row_ * block_.threads_per_row();
  max_ = k().variable(k().float_of_bits(k().integer(kMinusInfinityBits)));
  sum_ = k().variable(k().real(0));
  if (block_.threads_per_row() > 1)
    partial_ = k().shared(Scalar::Float, static_cast<std::uint32_t>(block_.invocations));
}

// Of all threads of a row.
Value AttentionRows::joined(Value mine, const std::function<Value(Value, Value)>& join) {
  if (!partial_) return mine;
  const Value first = row_ * block_.threads_per_row();
  const auto barrier = [&] { by_subgroup_ ? k().subgroup_barrier() : k().barrier(); };
  barrier();
  k().store(*partial_, first + part_, mine);
  barrier();
  Value all = k().load(*partial_, first);
  for (std::int64_t i = 1; i < block_.threads_per_row(); ++i) all = join(all, k().load(*partial_, first + i));
  return all;
}

Coordinates AttentionRows::coordinates_of_logits(Value key) {
  const tensor::Shape& shape = builder_.graph()[a_.logits].type.shape;
  const Value row = k().min(first_row_ + row_, k().integer(a_.rows - 1));
  Coordinates at;
  if (shape.size() > 1 && shape[shape.size() - 2] == a_.rows) {
    at = coordinates_of(k(), tensor::Shape(shape.begin(), shape.end() - 2), batch_);
    at.push_back(row);
  } else {
    at = coordinates_of(k(), tensor::Shape(shape.begin(), shape.end() - 1), batch_ * a_.rows + row);
  }
  at.push_back(key);
  return at;
}

Value AttentionRows::minus_infinity() { return k().float_of_bits(k().integer(kMinusInfinityBits)); }

Value AttentionRows::larger(Value a, Value b) { return k().select(b > a, b, a); }

Value AttentionRows::logit(Value index, Value key, Value score) {
  const Value in_row = index * block_.keys + key;
  builder_.fix(a_.scores->outputs[0], builder_.result(*a_.scores, 0, score));
  const Value logit = builder_.at(a_.logits, coordinates_of_logits(k().min(in_row, k().integer(a_.keys - 1))));
  return a_.keys % block_.keys == 0 ? logit : k().select(in_row < a_.keys, logit, minus_infinity());
}

Value AttentionRows::power_of(Value x) {
  const tosa::DataType type = builder_.graph()[a_.powers->outputs[0]].type.data;
  return type == tosa::DataType::F32 ? exp(k(), x) : short_exp(k(), x);
}

AttentionRows::Step AttentionRows::join(Value max) {
  const auto larger_of = [this](Value a, Value b) { return larger(a, b); };
  const Value before = k().get(max_), now = larger(before, joined(max, larger_of));
  // As long as all logits are minus infinity, all powers are 0.
  const Value base = k().select(k().bits_of(now) == kMinusInfinityBits, k().real(0), now);
  const Value factor = k().select(k().bits_of(before) == k().bits_of(now), k().real(1), power_of(before - base));
  k().set(max_, now);
  k().set(sum_, k().get(sum_) * factor);
  return {base, factor};
}

Value AttentionRows::power(const Step& step, Value logit) {
  const Value power = rounded_or_exact(k(), tosa::storage_of(a_.type), power_of(logit - step.base));
  k().set(sum_, k().get(sum_) + power);
  return power;
}

Value AttentionRows::final_factor() {
  const Value sum = joined(k().get(sum_), [](Value a, Value b) { return a + b; });
  for (const tosa::Node* node : {a_.max, a_.difference, a_.powers, a_.sum, a_.reciprocal, a_.shares})
    builder_.add_node(*node);
  for (const tosa::Node* node : a_.cast) builder_.add_node(*node);
  // The difference of two infinities.
  const Value has_none = k().bits_of(k().get(max_)) == kMinusInfinityBits;
  const bool is_short = a_.type != tosa::DataType::F32;
  return k().select(has_none, nan_of(k()), is_short ? k().real(1) / sum : reciprocal(k(), sum));
}

void AttentionRows::store(Value row, Value column, Value sum, Value factor) {
  const Value in_batch = first_row_ + row;
  k().when((in_batch < a_.rows) & (column < a_.columns), [&] {
    const tosa::Graph& graph = builder_.graph();
    const Value element = builder_.result(*a_.values, 0, sum * factor);
    Coordinates at = {batch_, in_batch, column};
    for (const tosa::Node* view : a_.after) {
      const tensor::Shape &from = graph[view->inputs[0]].type.shape, &to = graph[view->outputs[0]].type.shape;
      if (view->op == tosa::Op::TRANSPOSE) {
        Coordinates moved;
        for (const std::int64_t d : view->attributes.list("perms")) moved.push_back(at[static_cast<std::size_t>(d)]);
        at = std::move(moved);
      } else {
        at = coordinates_of(k(), to, linear_index(k(), from, at));
      }
      builder_.add_node(*view);
    }
    const tosa::ValueId result = a_.last().outputs[0];
    const Value index = linear_index(k(), graph[result].type.shape, at);
    if (!to_) to_ = builder_.write(result);
    k().store(*to_, index, builder_.stored_form(result, element));
  });
}

void AttentionRows::dispatch(ProgramBuilder& program, const GroupKey& key, const AttentionStages& stages) {
  stages.begin();
  k().loop(k().integer(steps()), stages.step);
  stages.finish();
  builder_.add_node(*a_.scores);
  builder_.add_node(*a_.values);
  program.dispatch(builder_, static_cast<std::uint64_t>(groups()), key);
}

std::size_t choose_attention(ProgramBuilder& program, const Attention& a, std::string_view kind, std::size_t count,
                             const std::function<Parameters(std::size_t)>& parameters) {
  const std::string what = formatted("attention {} {}x{}x{} of {} to {}{}", kind, a.batches, a.rows, a.keys, a.depth,
                                     a.columns, a.path.size() > 1 ? ", and more" : "");
  return program.choose(what, *a.values, count, parameters);
}

}  // namespace slipway::lower
