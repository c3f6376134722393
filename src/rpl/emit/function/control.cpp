// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/control.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

bool ControlFlow::skips(rpl::Op code) {
  switch (code) {
    case rpl::Op::If:
    case rpl::Op::LoopBegin:
      ++skipped_;
      return true;
    case rpl::Op::EndIf:
    case rpl::Op::LoopEnd:
      if (skipped_ == 0) return false;
      --skipped_;
      return true;
    case rpl::Op::Else:
    case rpl::Op::LoopStep:
      return skipped_ != 0;
    default:
      return true;
  }
}

void ControlFlow::merge(Id id, bool reached) {
  code_.label(id);
  if (!reached) code_.end_block(spv::Op::OpUnreachable);
}

// --- selections ----------------------------------------------------------------------------------------------------

void ControlFlow::begin_if(Id condition) {
  const Id then = emission_.out.new_id();
  const Id after = emission_.out.new_id();
  code_.body().op(spv::Op::OpSelectionMerge, after, spv::SelectionControlMask::MaskNone);
  code_.body().op(spv::Op::OpBranchConditional, condition, then, after);
  ifs_.push_back({.branch = code_.body().size() - 1, .merge = after});
  code_.label(then);
}

void ControlFlow::begin_else() {
  OpenIf& open = ifs_.back();
  if (!code_.ended()) {
    code_.branch(open.merge);
    open.reached = true;
  }
  open.has_else = true;
  const Id otherwise = emission_.out.new_id();
  code_.body()[open.branch] = otherwise;
  code_.label(otherwise);
}

void ControlFlow::end_if() {
  const OpenIf open = ifs_.back();
  ifs_.pop_back();
  const bool reached = open.reached || !open.has_else || !code_.ended();
  if (!code_.ended()) code_.branch(open.merge);
  merge(open.merge, reached);
}

// --- loops ---------------------------------------------------------------------------------------------------------

void ControlFlow::begin_loop() {
  end_header();
  const Id header = emission_.out.new_id();
  const Id after = emission_.out.new_id();
  const Id next = emission_.out.new_id();
  code_.branch(header);
  code_.label(header);
  loops_.push_back({.header = header, .merge = after, .next = next});
}

void ControlFlow::end_header() {
  if (loops_.empty() || code_.block() != loops_.back().header) return;
  merge_of_loop();
  const Id condition = emission_.out.new_id();
  code_.branch(condition);
  code_.label(condition);
}

void ControlFlow::merge_of_loop() {
  const OpenLoop& loop = loops_.back();
  code_.body().op(spv::Op::OpLoopMerge, loop.merge, loop.next, spv::LoopControlMask::MaskNone);
}

void ControlFlow::test_loop(Id condition) {
  OpenLoop& loop = loops_.back();
  if (code_.block() == loop.header) merge_of_loop();
  const Id body = emission_.out.new_id();
  if (condition == 0) {
    code_.branch(body);
  } else {
    code_.body().op(spv::Op::OpBranchConditional, condition, body, loop.merge);
    loop.reached = true;
  }
  code_.label(body);
}

void ControlFlow::step_loop() {
  const Id next = loops_.back().next;
  if (!code_.ended()) code_.branch(next);
  code_.label(next);
}

void ControlFlow::end_loop() {
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  if (!code_.ended()) code_.branch(loop.header);
  merge(loop.merge, loop.reached);
}

void ControlFlow::jump_out() {
  loops_.back().reached = true;
  code_.branch(loops_.back().merge);
}

void ControlFlow::jump_next() { code_.branch(loops_.back().next); }

// --- logic ---------------------------------------------------------------------------------------------------------

void ControlFlow::begin_logic(bool is_and, Id left) {
  const Id right = emission_.out.new_id();
  const Id after = emission_.out.new_id();
  code_.body().op(spv::Op::OpSelectionMerge, after, spv::SelectionControlMask::MaskNone);
  code_.body().op(spv::Op::OpBranchConditional, left, is_and ? right : after, is_and ? after : right);
  logic_.push_back({.merge = after, .first_block = code_.block()});
  code_.label(right);
}

Id ControlFlow::end_logic(bool is_and, Id right) {
  const OpenLogic open = logic_.back();
  logic_.pop_back();
  const Id type = types_.plain(kBoolean);
  const Id short_cut = types_.boolean(!is_and);
  const Id right_block = code_.block();
  code_.branch(open.merge);
  code_.label(open.merge);
  return code_.op(spv::Op::OpPhi, type, short_cut, open.first_block, right, right_block);
}

}  // namespace slipway::rpl::emit
