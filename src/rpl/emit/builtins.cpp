// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of built-in functions (docs/spec/rpl.md#stages-and-built-ins).
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

using spv::Op;

constexpr std::uint32_t kScopeDevice = 1, kScopeWorkgroup = 2;
constexpr std::uint32_t kPiBits = 0x40490FDB;

}  // namespace

Id Emitter::extended(std::uint32_t number, TypeId type, std::span<const std::uint32_t> refs) {
  for (const Ref ref : refs) value_of(ref);
  scratch_.clear();
  for (const Ref ref : refs) scratch_.push_back(value_of(ref));
  const Id result = plain(type);
  const Id import = ext_import();
  const Id id = out_.new_id();
  words_->body.op_list(Op::OpExtInst, scratch_, result, id, import, number);
  return id;
}

// `operands`: the lvalue, the value [, for compare-exchange: expected, desired]
Id Emitter::atomic(const Instruction& instruction, std::span<const std::uint32_t> operands) {
  const auto builtin = static_cast<Builtin>(instruction.sub);
  const LValue& lvalue = program_->lvalues[operands[0]];
  const Storage storage = storage_of(lvalue);
  const Id at = address_of(lvalue, storage, true, true);
  const Id scope = u1(storage == Storage::Workgroup ? kScopeWorkgroup : kScopeDevice);
  const Id relaxed = u1(0);
  const Id type = plain(instruction.type);
  const Id first = value_of(operands[1]);
  if (builtin != Builtin::AtomicCompareExchange) {
    return op(static_cast<Op>(info_of(builtin).number), type, at, scope, relaxed, first);
  }
  const Id desired = value_of(operands[2]);
  return op(Op::OpAtomicCompareExchange, type, at, scope, relaxed, relaxed, desired, first);
}

// The tail is the last member of the block; those before it are counted as block_type lays them out.
Id Emitter::tail_length(const LValue& lvalue) {
  const Buffer& buffer = program_->buffers[lvalue.index];
  const Id variable = buffer_variable(lvalue.index);
  std::uint32_t member = 0;
  List members = buffer.members;
  while (true) {
    member += members.count - 1;
    const Type& last = type_info(program_->members[members.first + members.count - 1].type);
    if (last.kind != TypeKind::Struct) break;
    members = program_->structs[last.index].members;
  }
  return op(Op::OpArrayLength, plain(kU1), variable, member);
}

Id Emitter::builtin(const Instruction& instruction) {
  const auto code = static_cast<Builtin>(instruction.sub);
  const BuiltinInfo& info = info_of(code);
  const std::span<const std::uint32_t> operands = list(instruction.a, instruction.b);
  const TypeId type = instruction.type;
  switch (info.code) {
    case BuiltinCode::Ext:
      return extended(info.number, type, operands);
    case BuiltinCode::Op: {
      if (info.family >= BuiltinFamily::Atomic) return atomic(instruction, operands);
      const Id first = value_of(operands[0]);
      if (operands.size() == 1) return op(static_cast<Op>(info.number), plain(type), first);
      const Id second = value_of(operands[1]);
      return op(static_cast<Op>(info.number), plain(type), first, second);
    }
    case BuiltinCode::Input: {
      const Id from = builtin_variable(code);
      return load_from(type, from);
    }
    case BuiltinCode::Output: {
      writes_depth_ |= code == Builtin::FragmentDepth;
      const Id to = builtin_variable(code);
      words_->body.op(Op::OpStore, to, value_of(operands[0]));
      return 0;
    }
    case BuiltinCode::Special:
      break;
  }
  switch (code) {
    case Builtin::Pi:
      return out_.constant_word(plain(kF1), kPiBits);
    case Builtin::Discard:
      end_path(options_.target == Target::Vulkan13 ? Op::OpTerminateInvocation : Op::OpKill);
      return 0;
    case Builtin::GroupSize: {
      Id parts[3];
      for (std::uint32_t i = 0; i < 3; ++i) parts[i] = u1(program_->settings[Setting::workgroup_size_x + i]);
      return out_.constant_composite(plain(kU3), parts);
    }
    case Builtin::Barrier:
    case Builtin::FullBarrier: {
      const Id scope = u1(kScopeWorkgroup);
      words_->body.op(Op::OpControlBarrier, scope, scope, u1(info.number));
      return 0;
    }
    case Builtin::TailLength:
      return tail_length(program_->lvalues[operands[0]]);
    case Builtin::ImageFetch:
      return fetch(type, operands);
    case Builtin::ImageSize:
      return image_size(type, operands);
    case Builtin::ImageLoad:
      return image_load(type, operands);
    case Builtin::ImageStore:
      image_store(operands);
      return 0;
    default:
      return sample(code, type, operands);
  }
}

}  // namespace slipway::rpl::emit
