// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/memory.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

void MemoryAccess::begin_module() { spilled_.resize(emission_.program->arguments.size()); }

void MemoryAccess::begin_function(const Function& function) {
  std::fill_n(spilled_.begin() + function.arguments.first, function.arguments.count, 0);
}

Storage MemoryAccess::storage_of(const LValue& lvalue) const {
  switch (lvalue.root) {
    case LValueRoot::Attribute:
    case LValueRoot::StateIn:
      return Storage::Input;
    case LValueRoot::StateOut:
    case LValueRoot::ColorOutput:
      return Storage::Output;
    case LValueRoot::Buffer:
      return emit::storage_of(emission_.program->buffers[lvalue.index].kind);
    default:
      return Storage::Function;
  }
}

// The root determines the base; the remaining steps become the indices of one access chain.
Id MemoryAccess::address_of(const LValue& lvalue, Storage storage, bool writes) {
  const Step* step = emission_.program->steps.data() + lvalue.steps.first;
  const Step* const end = step + lvalue.steps.count;
  Id base = 0;
  std::uint32_t first_index = kNone;
  switch (lvalue.root) {
    case LValueRoot::Local:
      base = values_.local(lvalue.index);
      break;
    case LValueRoot::Argument:
      base = values_.argument(lvalue.index);
      break;
    case LValueRoot::Attribute:
    case LValueRoot::StateIn:
    case LValueRoot::StateOut:
    case LValueRoot::ColorOutput:
      base = variables_.field(lvalue.index, storage);
      break;
    case LValueRoot::Buffer: {
      if (storage == Storage::Workgroup) {
        base = variables_.workgroup(lvalue.index, step++->value);
        break;
      }
      base = variables_.buffer(lvalue.index);
      if (writes) variables_.mark_buffer_written(lvalue.index);
      // The members of a struct that ends in the tail are members of the block (ModuleTypes::block), so the index
      // continues.
      first_index = step->value;
      const Type* type =
          &emission_.type_info(emission_.members(emission_.program->buffers[lvalue.index].members)[step++->value].type);
      while (step != end && type->has_tail && type->kind == TypeKind::Struct) {
        first_index += step->value;
        const List members = emission_.program->structs[type->index].members;
        type = &emission_.type_info(emission_.members(members)[step++->value].type);
      }
      break;
    }
    case LValueRoot::Sampler:
    case LValueRoot::Image:
      break;  // images.cpp
  }
  if (step == end && first_index == kNone) return base;

  indices_.clear();
  if (first_index != kNone) indices_.push_back(types_.u1(first_index));
  for (; step != end; ++step) indices_.push_back(index_of(*step));
  return code_.chain(lvalue.type, storage, base, indices_);
}

// A part of an `in` argument or of a local that is a value, not memory.
Id MemoryAccess::part_of_value(const LValue& lvalue, Id value) {
  if (lvalue.steps.count == 0) return value;
  const std::span steps = emission_.steps(lvalue);
  const Id type = types_.plain(lvalue.type);
  if (steps.size() == 1 && steps[0].kind != StepKind::Element) {
    return code_.op(spv::Op::OpCompositeExtract, type, value, steps[0].value);
  }
  indices_.clear();
  for (const Step& step : steps) {
    if (step.kind != StepKind::Element) {
      indices_.push_back(step.value);
    } else if (is_constant(step.value)) {
      indices_.push_back(emission_.word_of(step.value));
    } else {
      break;
    }
  }
  if (indices_.size() == steps.size()) {
    const Id id = emission_.out.new_id();
    code_.body().op_list(spv::Op::OpCompositeExtract, indices_, type, id, value);
    return id;
  }
  // SPIR-V has no run-time index into a value, so the argument is stored to a variable, once. Locals that need this are
  // variables.
  Id& spilled = spilled_[lvalue.index];
  if (spilled == 0) {
    spilled = code_.variable(emission_.program->arguments[lvalue.index].type);
    code_.prologue().op(spv::Op::OpStore, spilled, value);
  }
  indices_.clear();
  for (const Step& step : steps) indices_.push_back(index_of(step));
  return code_.load(lvalue.type, code_.chain(lvalue.type, Storage::Function, spilled, indices_));
}

Id MemoryAccess::load(const LValue& lvalue) {
  if (lvalue.root == LValueRoot::Local) {
    const Id local = values_.local(lvalue.index);
    if (!emission_.program->locals[lvalue.index].in_memory) return part_of_value(lvalue, local);
    if (lvalue.steps.count == 0) return code_.load(lvalue.type, local);
  }
  if (lvalue.root == LValueRoot::Argument && emission_.program->arguments[lvalue.index].access == Access::In) {
    return part_of_value(lvalue, values_.argument(lvalue.index));
  }
  const Storage storage = storage_of(lvalue);
  const Id from = address_of(lvalue, storage, false);
  if (is_laid_out(storage) && types_.needs_copy(lvalue.type)) return copies_.load({from, storage, lvalue.type});
  return code_.load(lvalue.type, from);
}

void MemoryAccess::store(const LValue& lvalue, Id value) {
  if (lvalue.root == LValueRoot::Local && lvalue.steps.count == 0) {
    return code_.store(values_.local(lvalue.index), value);
  }
  const Storage storage = storage_of(lvalue);
  const Id to = address_of(lvalue, storage, true);
  if (is_laid_out(storage) && types_.needs_copy(lvalue.type)) return copies_.store({to, storage, lvalue.type}, value);
  code_.store(to, value);
}

Id MemoryAccess::element_of_value(TypeId array, Id value, Ref index, TypeId result) {
  if (is_constant(index)) return code_.extract(result, value, emission_.word_of(index));
  const Id variable = code_.variable(array);
  code_.store(variable, value);
  const Id indices[] = {values_.of(index)};
  return code_.load(result, code_.chain(result, Storage::Function, variable, indices));
}

}  // namespace slipway::rpl::emit
