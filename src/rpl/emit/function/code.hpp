// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of the function that is being emitted, by part, and its current block.
//
// Every instruction of the body belongs to the block of the last label; a terminated block gets no more instructions
// until the next label. The entry point is emitted first but ends last, because its first instructions depend on the
// functions that it calls: `suspend` puts it aside.
#pragma once

#include <span>
#include <utility>

#include "rpl/emit/module/names.hpp"
#include "rpl/emit/module/types.hpp"

namespace slipway::rpl::emit {

class FunctionCode {
 public:
  FunctionCode(Emission& emission, ModuleTypes& types) : emission_(emission), types_(types) {}

  // Starts a function. `first_block` is the label at the end of the head, which the caller writes.
  void begin(Id first_block);
  WordBuffer& head() { return words_.head; }          // from OpFunction on; variables follow
  WordBuffer& prologue() { return words_.prologue; }  // after the variables
  WordBuffer& body() { return words_.body; }
  // Appends the function to the module.
  void end();
  // Puts the function aside, and continues it.
  void suspend() { std::swap(words_, suspended_); }
  void resume() { std::swap(words_, suspended_); }

  // An instruction with a result.
  template <class... Operand>
  Id op(spv::Op code, Id type, Operand... operands) {
    const Id id = emission_.out.new_id();
    words_.body.op(code, type, id, operands...);
    return id;
  }
  Id op_list(spv::Op code, Id type, std::span<const std::uint32_t> operands) {
    const Id id = emission_.out.new_id();
    words_.body.op_list(code, operands, type, id);
    return id;
  }
  Id load(TypeId type, Id pointer) { return op(spv::Op::OpLoad, types_.plain(type), pointer); }
  void store(Id pointer, Id value) { words_.body.op(spv::Op::OpStore, pointer, value); }
  Id extract(TypeId type, Id value, std::uint32_t index) {
    return op(spv::Op::OpCompositeExtract, types_.plain(type), value, index);
  }
  // A pointer to a part of what `base` points to.
  Id chain(TypeId type, Storage storage, Id base, std::span<const Id> indices) {
    const Id id = emission_.out.new_id();
    words_.body.op_list(spv::Op::OpAccessChain, indices, types_.pointer(type, storage), id, base);
    return id;
  }
  // A variable of the function; without a name if it is not in the program.
  Id variable(TypeId type, NameId name = kNoName);

  // --- blocks
  Id block() const { return block_; }
  bool ended() const { return ended_; }
  void label(Id id) {
    words_.body.op(spv::Op::OpLabel, id);
    block_ = id;
    ended_ = false;
  }
  void branch(Id target) { end_block(spv::Op::OpBranch, target); }
  template <class... Operand>
  void end_block(spv::Op code, Operand... operands) {
    words_.body.op(code, operands...);
    ended_ = true;
  }
  // Ends the invocation.
  void discard();

 private:
  struct Words {
    WordBuffer head, prologue, body;
  };

  Emission& emission_;
  ModuleTypes& types_;
  Words words_, suspended_;
  Id block_ = 0;
  bool ended_ = false;
};

}  // namespace slipway::rpl::emit
