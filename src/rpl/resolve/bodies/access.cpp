// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/access.hpp"

#include "base/format.hpp"

namespace slipway::rpl {

void AccessChecker::warn_uninitialised(Binding& binding, Range range) {
  context_
      .warning(DiagnosticKind::RplUninitialised, range,
               formatted("`{}` is read before anything is written to it", context_.text(binding.name)))
      .hint("it is zero");
  binding.warned = true;
}

bool AccessChecker::can_read(ExprResult lvalue, Range range) {
  LValue& ref = out_.lvalues[lvalue.index];
  switch (ref.root) {
    case LValueRoot::Argument:
      if (out_.arguments[ref.index].access != Access::Out) return true;
      context_
          .error(
              DiagnosticKind::RplNotReadable, range,
              formatted("`{}` is an `out` argument and cannot be read", context_.text(out_.arguments[ref.index].name)))
          .hint("`in out` can");
      return false;
    case LValueRoot::ColorOutput:
      context_.error(DiagnosticKind::RplNotReadable, range, "color outputs cannot be read");
      return false;
    case LValueRoot::StateOut:
      if (lvalue.form == ResultForm::StateOut) {
        context_.error(DiagnosticKind::RplNotReadable, range, "`out` state cannot be read");
        return false;
      }
      ref.root = LValueRoot::StateIn;
      [[fallthrough]];
    case LValueRoot::StateIn:
      code_.note_stage_use(StageUse::StateRead, mask_of(Stage::Fragment), range);
      code_.use_field({out_.container_fields[ref.index].field, false, range});
      return true;
    case LValueRoot::Attribute:
      code_.note_stage_use(StageUse::Attribute, mask_of(Stage::Vertex), range);
      return true;
    case LValueRoot::Local: {
      Binding& binding = scope_.binding_of(ref);
      if (!binding.written && !binding.warned && !code_.is_dead()) warn_uninitialised(binding, range);
      return true;
    }
    default:
      return true;
  }
}

// Long, because it has one case per root of a value.
bool AccessChecker::can_write(ExprResult result, Range range) {
  if (result.kind == ResultKind::Buffer || result.kind == ResultKind::Container) {
    context_.error(
        DiagnosticKind::RplWholeObject, range,
        formatted("`{}` is not a value; its fields are", context_.text(context_.program->items[result.index].name)));
    return false;
  }
  if (result.kind != ResultKind::LValue) {
    if (result.kind == ResultKind::Error) return false;
    const bool swizzle = result.form == ResultForm::Swizzle;
    context_.error(swizzle ? DiagnosticKind::RplSwizzleWrite : DiagnosticKind::RplNotWritable, range,
                   swizzle ? "a swizzle cannot be written; write its components one by one"
                           : "this is a value and cannot be written");
    return false;
  }
  LValue& ref = out_.lvalues[result.index];
  switch (ref.root) {
    case LValueRoot::Local:
      return true;
    case LValueRoot::Argument:
      if (out_.arguments[ref.index].access != Access::In) return true;
      context_
          .error(DiagnosticKind::RplNotWritable, range,
                 formatted("`{}` is an `in` argument and cannot be written",
                           context_.text(out_.arguments[ref.index].name)))
          .hint("`in out` can");
      return false;
    case LValueRoot::Attribute:
      context_.error(DiagnosticKind::RplNotWritable, range, "attributes cannot be written");
      return false;
    case LValueRoot::StateIn:
    case LValueRoot::StateOut:
      if (result.form == ResultForm::StateIn) {
        context_.error(DiagnosticKind::RplNotWritable, range, "`in` state cannot be written");
        return false;
      }
      ref.root = LValueRoot::StateOut;
      code_.note_stage_use(StageUse::StateWrite, mask_of(Stage::Vertex), range);
      code_.use_field({out_.container_fields[ref.index].field, true, range});
      return true;
    case LValueRoot::ColorOutput:
      code_.note_stage_use(StageUse::ColorWrite, mask_of(Stage::Fragment), range);
      code_.use_field({out_.container_fields[ref.index].field, true, range});
      return true;
    case LValueRoot::Buffer: {
      const Buffer& buffer = out_.buffers[ref.index];
      if (buffer.kind == ItemKind::WorkgroupBuffer) return true;
      if (buffer.kind == ItemKind::ReadWriteBuffer) {
        code_.note_stage_use(StageUse::BufferWrite, mask_of(Stage::Compute), range);
        return true;
      }
      context_.error(
          DiagnosticKind::RplNotWritable, range,
          formatted("`{}` is a `{}` and cannot be written", context_.text(buffer.name), word_of(buffer.kind)));
      return false;
    }
    case LValueRoot::Sampler:
    case LValueRoot::Image:
      context_.error(DiagnosticKind::RplWholeObject, range, "samplers and images are not values");
      return false;
  }
  return false;
}

void AccessChecker::mark_written(ExprResult lvalue) {
  const LValue& ref = out_.lvalues[lvalue.index];
  if (ref.root != LValueRoot::Local || code_.is_dead()) return;
  scope_.binding_of(ref).written = true;
  out_.locals[ref.index].in_memory = true;
}

ExprResult AccessChecker::load(ExprResult result, Range range) {
  switch (result.kind) {
    case ResultKind::Error:
    case ResultKind::Value:
      return result;
    case ResultKind::Void:
      context_.error(DiagnosticKind::RplTypeMismatch, range, "this call returns no value");
      return {};
    case ResultKind::Buffer:
    case ResultKind::Container:
      context_.error(
          DiagnosticKind::RplWholeObject, range,
          formatted("`{}` is not a value; its fields are", context_.text(context_.program->items[result.index].name)));
      return {};
    case ResultKind::LValue:
      break;
  }
  const Type& of = out_.types[result.type];
  if (of.opaque) {
    context_.error(DiagnosticKind::RplWholeObject, range, "samplers and images are not values");
    return {};
  }
  if (of.has_tail) {
    context_.error(DiagnosticKind::RplArrayValue, range, "a runtime array is not a value; its elements are");
    return {};
  }
  if (!can_read(result, range)) return {};
  return code_.value_of(code_.emit(Op::Load, result.type, range, result.index), result.type);
}

}  // namespace slipway::rpl
