// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/copies.hpp"

#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace slipway::rpl::emit {
namespace {

// An array is copied element by element up to this many 32-bit words, then by a loop.
constexpr std::uint64_t kUnrolledWords = 64;

}  // namespace

// for (u1 i = 0; i < times; ++i) body(i)
template <class Body>
void LayoutCopies::count_loop(std::uint32_t times, Body body) {
  const Id counter = code_.variable(kU1);
  const Id number = types_.plain(kU1);
  code_.store(counter, types_.u1(0));
  control_.begin_loop();
  const Id index = code_.op(spv::Op::OpLoad, number, counter);
  const Id limit = types_.u1(times);
  control_.test_loop(code_.op(spv::Op::OpULessThan, types_.bools(1), index, limit));
  body(index);
  control_.step_loop();
  code_.store(counter, code_.op(spv::Op::OpIAdd, number, index, types_.u1(1)));
  control_.end_loop();
}

Pointer LayoutCopies::part(const Pointer& whole, TypeId type, Id index) {
  return {code_.chain(type, whole.storage, whole.id, std::span(&index, 1)), whole.storage, type};
}

Id LayoutCopies::load(const Pointer& from) {
  if (!types_.needs_copy(from.type)) return code_.load(from.type, from.id);
  if (emission_.has_spirv14()) {
    const Id value = code_.op(spv::Op::OpLoad, types_.laid(from.type), from.id);
    return code_.op(spv::Op::OpCopyLogical, types_.plain(from.type), value);
  }
  const Type& info = emission_.type_info(from.type);
  std::vector<Id> parts;
  if (info.kind == TypeKind::Struct) {
    const std::span members = emission_.members(emission_.program->structs[info.index].members);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      parts.push_back(load(part(from, members[i].type, types_.u1(i))));
    }
  } else if (info.size / 4 <= kUnrolledWords) {
    for (std::uint32_t i = 0; i < info.length; ++i) parts.push_back(load(part(from, info.element, types_.u1(i))));
  } else {
    const Pointer copy = {code_.variable(from.type), Storage::Function, from.type};
    count_loop(info.length, [&](Id index) {
      const Id value = load(part(from, info.element, index));
      code_.store(part(copy, info.element, index).id, value);
    });
    return code_.load(from.type, copy.id);
  }
  return code_.op_list(spv::Op::OpCompositeConstruct, types_.plain(from.type), parts);
}

void LayoutCopies::store(const Pointer& to, Id value) {
  if (!types_.needs_copy(to.type)) return code_.store(to.id, value);
  if (emission_.has_spirv14()) {
    const Id copy = code_.op(spv::Op::OpCopyLogical, types_.laid(to.type), value);
    return code_.store(to.id, copy);
  }
  const Type& info = emission_.type_info(to.type);
  const auto store_element = [&](TypeId type, std::uint32_t i) {
    const Id index = types_.u1(i);
    const Id element = code_.extract(type, value, i);
    store(part(to, type, index), element);
  };
  if (info.kind == TypeKind::Struct) {
    const std::span members = emission_.members(emission_.program->structs[info.index].members);
    for (std::uint32_t i = 0; i < members.size(); ++i) store_element(members[i].type, i);
  } else if (info.size / 4 <= kUnrolledWords) {
    for (std::uint32_t i = 0; i < info.length; ++i) store_element(info.element, i);
  } else {
    const Pointer copy = {code_.variable(to.type), Storage::Function, to.type};
    code_.store(copy.id, value);
    count_loop(info.length, [&](Id index) {
      const Id element = code_.load(info.element, part(copy, info.element, index).id);
      store(part(to, info.element, index), element);
    });
  }
}

}  // namespace slipway::rpl::emit
