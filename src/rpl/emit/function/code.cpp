// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/code.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

void FunctionCode::begin(Id first_block) {
  words_.head.clear();
  words_.prologue.clear();
  words_.body.clear();
  block_ = first_block;
  ended_ = false;
}

void FunctionCode::end() {
  WordBuffer& functions = emission_.out.section(Section::Functions);
  functions.append(words_.head.words());
  functions.append(words_.prologue.words());
  functions.append(words_.body.words());
  functions.op(spv::Op::OpFunctionEnd);
}

Id FunctionCode::variable(TypeId type, NameId name) {
  const Id pointer = types_.pointer(type, Storage::Function);
  const Id id = emission_.out.new_id();
  words_.head.op(spv::Op::OpVariable, pointer, id, spv::StorageClass::Function);
  if (name != kNoName) add_name(emission_, id, name);
  return id;
}

void FunctionCode::discard() {
  end_block(emission_.options.target >= Target::Vulkan13 ? spv::Op::OpTerminateInvocation : spv::Op::OpKill);
}

}  // namespace slipway::rpl::emit
