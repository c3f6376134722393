// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured control flow: blocks, selections, loops, and the short circuit of `&&` and `||`.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

using spv::Op;

}  // namespace

void Emitter::label(Id id) {
  words_->body.op(Op::OpLabel, id);
  block_ = id;
  ended_ = false;
}

void Emitter::branch(Id target) {
  words_->body.op(Op::OpBranch, target);
  ended_ = true;
}

void Emitter::end_path(spv::Op code) {
  words_->body.op(code);
  ended_ = true;
}

// A merge block that nothing reaches is unreachable, and so is what follows.
void Emitter::merge(Id id, bool reached) {
  label(id);
  if (!reached) end_path(Op::OpUnreachable);
}

void Emitter::begin_if(const Instruction& instruction) {
  const Id condition = value_of(instruction.a);
  const Id then = out_.new_id();
  const Id after = out_.new_id();
  words_->body.op(Op::OpSelectionMerge, after, spv::SelectionControlMask::MaskNone);
  words_->body.op(Op::OpBranchConditional, condition, then, after);
  ifs_.push_back({.branch = words_->body.size() - 1, .merge = after});
  label(then);
}

void Emitter::begin_else() {
  OpenIf& open = ifs_.back();
  if (!ended_) {
    branch(open.merge);
    open.reached = true;
  }
  open.has_else = true;
  const Id otherwise = out_.new_id();
  words_->body[open.branch] = otherwise;
  label(otherwise);
}

void Emitter::end_if() {
  const OpenIf open = ifs_.back();
  ifs_.pop_back();
  const bool reached = open.reached || !open.has_else || !ended_;
  if (!ended_) branch(open.merge);
  merge(open.merge, reached);
}

void Emitter::begin_loop() {
  end_header();
  const OpenLoop loop = {.header = out_.new_id(), .merge = out_.new_id(), .next = out_.new_id(), .reached = false};
  branch(loop.header);
  label(loop.header);
  loops_.push_back(loop);
}

// The merge instruction of a loop comes before the last instruction of its header. The header usually holds the whole
// condition; a condition with blocks of its own continues after the header.
void Emitter::end_header() {
  if (loops_.empty() || block_ != loops_.back().header) return;
  merge_of_loop();
  const Id condition = out_.new_id();
  branch(condition);
  label(condition);
}

void Emitter::merge_of_loop() {
  const OpenLoop& loop = loops_.back();
  words_->body.op(Op::OpLoopMerge, loop.merge, loop.next, spv::LoopControlMask::MaskNone);
}

// `condition` is 0 for a loop that only jumps can leave.
void Emitter::test_loop(Id condition) {
  OpenLoop& loop = loops_.back();
  if (block_ == loop.header) merge_of_loop();
  const Id body = out_.new_id();
  if (condition == 0) {
    branch(body);
  } else {
    words_->body.op(Op::OpBranchConditional, condition, body, loop.merge);
    loop.reached = true;
  }
  label(body);
}

void Emitter::test_loop(const Instruction& instruction) {
  const bool endless = is_constant(instruction.a) &&
                       program_->constant_words[program_->constants[constant_index(instruction.a)].first] != 0;
  test_loop(endless ? 0 : value_of(instruction.a));
}

void Emitter::step_loop() {
  if (!ended_) branch(loops_.back().next);
  label(loops_.back().next);
}

void Emitter::end_loop() {
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  if (!ended_) branch(loop.header);
  merge(loop.merge, loop.reached);
}

void Emitter::jump(Id target) {
  OpenLoop& loop = loops_.back();
  loop.reached |= target == loop.merge;
  branch(target);
}

// a && b: b has a block of its own when its evaluation is observable.
void Emitter::begin_logic(std::uint32_t index) {
  const Instruction& instruction = program_->code[index];
  if (instruction.simple) return;
  end_header();
  const Id left = value_of(instruction.a);
  const Id right = out_.new_id();
  const Id after = out_.new_id();
  const bool is_and = static_cast<BinaryOp>(instruction.sub) == BinaryOp::And;
  words_->body.op(Op::OpSelectionMerge, after, spv::SelectionControlMask::MaskNone);
  words_->body.op(Op::OpBranchConditional, left, is_and ? right : after, is_and ? after : right);
  logic_.push_back({.merge = after, .first_block = block_});
  label(right);
}

Id Emitter::end_logic(const Instruction& instruction) {
  const Instruction& begin = program_->code[instruction.a];
  const bool is_and = static_cast<BinaryOp>(begin.sub) == BinaryOp::And;
  const Id type = plain(kBoolean);
  const Id right = value_of(instruction.b);
  if (begin.simple) {
    const Id left = value_of(begin.a);
    return op(is_and ? Op::OpLogicalAnd : Op::OpLogicalOr, type, left, right);
  }
  const OpenLogic open = logic_.back();
  logic_.pop_back();
  const Id short_cut = out_.unique_constant(is_and ? Op::OpConstantFalse : Op::OpConstantTrue, type);
  const Id right_block = block_;
  branch(open.merge);
  label(open.merge);
  return op(Op::OpPhi, type, short_cut, open.first_block, right, right_block);
}

}  // namespace slipway::rpl::emit
