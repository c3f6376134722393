// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between the laid-out and the plain version of a struct or an array. SPIR-V 1.4 has an instruction for this;
// for Vulkan 1.1 they are copied member by member, long arrays by loops.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

// An array is copied element by element up to this many 32-bit words, then by a loop.
constexpr std::uint64_t kUnrolledWords = 64;

}  // namespace

// for (u1 i = 0; i < times; ++i) body(i)
template <class Body>
void Emitter::count_loop(std::uint32_t times, Body body) {
  const Id counter = local_variable(pointer(kU1, Storage::Function));
  const Id number = plain(kU1);
  words_->body.op(spv::Op::OpStore, counter, u1(0));
  begin_loop();
  const Id index = op(spv::Op::OpLoad, number, counter);
  const Id limit = u1(times);
  test_loop(op(spv::Op::OpULessThan, bools(1), index, limit));
  body(index);
  step_loop();
  words_->body.op(spv::Op::OpStore, counter, op(spv::Op::OpIAdd, number, index, u1(1)));
  end_loop();
}

Id Emitter::load_plain(const Pointer& from) {
  if (!needs_copy(from.type)) return load_from(from.type, from.id);
  if (has_copy_logical()) {
    const Id value = op(spv::Op::OpLoad, laid(from.type), from.id);
    return op(spv::Op::OpCopyLogical, plain(from.type), value);
  }
  const Type& info = type_info(from.type);
  std::vector<Id> parts;
  auto part = [&](TypeId type, Id index) {
    const Id indices[] = {index};
    return load_plain({chain(type, from.storage, from.id, indices), from.storage, type});
  };
  if (info.kind == TypeKind::Struct) {
    const List members = program_->structs[info.index].members;
    for (std::uint32_t i = 0; i < members.count; ++i) {
      parts.push_back(part(program_->members[members.first + i].type, u1(i)));
    }
  } else if (info.size / 4 <= kUnrolledWords) {
    for (std::uint32_t i = 0; i < info.length; ++i) parts.push_back(part(info.element, u1(i)));
  } else {
    const Id copy = local_variable(pointer(from.type, Storage::Function));
    count_loop(info.length, [&](Id index) {
      const Id value = part(info.element, index);
      const Id indices[] = {index};
      words_->body.op(spv::Op::OpStore, chain(info.element, Storage::Function, copy, indices), value);
    });
    return load_from(from.type, copy);
  }
  return op_list(spv::Op::OpCompositeConstruct, plain(from.type), parts);
}

void Emitter::store_laid(const Pointer& to, Id value) {
  if (!needs_copy(to.type)) return words_->body.op(spv::Op::OpStore, to.id, value);
  if (has_copy_logical()) {
    const Id copy = op(spv::Op::OpCopyLogical, laid(to.type), value);
    return words_->body.op(spv::Op::OpStore, to.id, copy);
  }
  const Type& info = type_info(to.type);
  auto part = [&](TypeId type, Id index, Id of) {
    const Id indices[] = {index};
    store_laid({chain(type, to.storage, to.id, indices), to.storage, type}, of);
  };
  if (info.kind == TypeKind::Struct) {
    const List members = program_->structs[info.index].members;
    for (std::uint32_t i = 0; i < members.count; ++i) {
      const TypeId type = program_->members[members.first + i].type;
      const Id index = u1(i);
      part(type, index, op(spv::Op::OpCompositeExtract, plain(type), value, i));
    }
  } else if (info.size / 4 <= kUnrolledWords) {
    for (std::uint32_t i = 0; i < info.length; ++i) {
      const Id index = u1(i);
      part(info.element, index, op(spv::Op::OpCompositeExtract, plain(info.element), value, i));
    }
  } else {
    const Id copy = local_variable(pointer(to.type, Storage::Function));
    words_->body.op(spv::Op::OpStore, copy, value);
    count_loop(info.length, [&](Id index) {
      const Id indices[] = {index};
      const Id from = chain(info.element, Storage::Function, copy, indices);
      part(info.element, index, load_from(info.element, from));
    });
  }
}

}  // namespace slipway::rpl::emit
