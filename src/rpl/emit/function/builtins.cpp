// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/builtins.hpp"

#include <numbers>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {
namespace {

using spv::Op;

constexpr std::uint32_t kScopeDevice = 1, kScopeWorkgroup = 2;

}  // namespace

Id BuiltinEmitter::call(const Instruction& instruction) {
  const auto builtin = static_cast<Builtin>(instruction.sub);
  const BuiltinInfo& info = info_of(builtin);
  const std::span<const std::uint32_t> operands = emission_.list(instruction.a, instruction.b);
  const TypeId type = instruction.type;
  switch (info.code) {
    case BuiltinCode::Ext:
      return extended(info.number, type, operands);
    case BuiltinCode::Op: {
      if (info.family >= BuiltinFamily::Atomic) return atomic(builtin, type, operands);
      const Id first = values_.of(operands[0]);
      if (operands.size() == 1) return code_.op(static_cast<Op>(info.number), types_.plain(type), first);
      const Id second = values_.of(operands[1]);
      return code_.op(static_cast<Op>(info.number), types_.plain(type), first, second);
    }
    case BuiltinCode::Input:
      return code_.load(type, variables_.builtin(builtin));
    case BuiltinCode::Output: {
      const Id to = variables_.builtin(builtin);
      code_.store(to, values_.of(operands[0]));
      return 0;
    }
    case BuiltinCode::Special:
      break;
  }
  return special(builtin, type, operands);
}

Id BuiltinEmitter::special(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands) {
  switch (builtin) {
    case Builtin::Pi:
      return types_.f1(std::numbers::pi_v<float>);
    case Builtin::Discard:
      code_.discard();
      return 0;
    case Builtin::GroupSize: {
      Id parts[3];
      for (std::uint32_t i = 0; i < 3; ++i) {
        parts[i] = types_.u1(emission_.program->settings[Setting::workgroup_size_x + i]);
      }
      return types_.vector(kU3, parts);
    }
    case Builtin::Barrier:
    case Builtin::FullBarrier: {
      const Id scope = types_.u1(kScopeWorkgroup);
      code_.body().op(Op::OpControlBarrier, scope, scope, types_.u1(info_of(builtin).number));
      return 0;
    }
    case Builtin::TailLength: {
      const std::uint32_t buffer = emission_.program->lvalues[operands[0]].index;
      const Id variable = variables_.buffer(buffer);
      return code_.op(Op::OpArrayLength, types_.plain(kU1), variable,
                      types_.tail_member(emission_.program->buffers[buffer]));
    }
    case Builtin::ImageFetch:
      return images_.fetch(type, operands);
    case Builtin::ImageSize:
      return images_.size(type, operands);
    case Builtin::ImageLoad:
      return images_.load(type, operands);
    case Builtin::ImageStore:
      images_.store(operands);
      return 0;
    default:
      return images_.sample(builtin, type, operands);
  }
}

Id BuiltinEmitter::extended(std::uint32_t number, TypeId type, std::span<const Ref> operands) {
  const std::span<const Id> values = values_.of_list(operands);
  const Id result = types_.plain(type);
  if (import_ == 0) {  // the module imports nothing else, so it need not be looked up
    import_ = emission_.out.new_id();
    emission_.out.section(Section::Imports).op_text(Op::OpExtInstImport, "GLSL.std.450", {}, import_);
  }
  const Id id = emission_.out.new_id();
  code_.body().op_list(Op::OpExtInst, values, result, id, import_, number);
  return id;
}

// `operands`: the lvalue, the value [, for compare-exchange: expected, desired]
Id BuiltinEmitter::atomic(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands) {
  const LValue& lvalue = emission_.program->lvalues[operands[0]];
  const Storage storage = memory_.storage_of(lvalue);
  const Id at = memory_.address_of(lvalue, storage, true);
  const Id scope = types_.u1(storage == Storage::Workgroup ? kScopeWorkgroup : kScopeDevice);
  const Id relaxed = types_.u1(0);
  const Id result = types_.plain(type);
  const Id first = values_.of(operands[1]);
  if (builtin != Builtin::AtomicCompareExchange) {
    return code_.op(static_cast<Op>(info_of(builtin).number), result, at, scope, relaxed, first);
  }
  const Id desired = values_.of(operands[2]);
  return code_.op(Op::OpAtomicCompareExchange, result, at, scope, relaxed, relaxed, desired, first);
}

}  // namespace slipway::rpl::emit
