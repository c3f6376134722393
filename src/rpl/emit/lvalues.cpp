// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lvalues: pointers into memory, loads and stores.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {

Id Emitter::chain(TypeId type, Storage storage, Id base, std::span<const Id> indices) {
  const Id id = out_.new_id();
  words_->body.op_list(spv::Op::OpAccessChain, indices, pointer(type, storage), id, base);
  return id;
}

Storage Emitter::storage_of(const LValue& lvalue) const {
  switch (lvalue.root) {
    case LValueRoot::Attribute:
    case LValueRoot::StateIn:
      return Storage::Input;
    case LValueRoot::StateOut:
    case LValueRoot::ColorOutput:
      return Storage::Output;
    case LValueRoot::Buffer:
      return storage_of(program_->buffers[lvalue.index]);
    default:
      return Storage::Function;
  }
}

// The root determines the base; the remaining steps become the indices of one access chain. `storage` is that of the
// lvalue.
Id Emitter::address_of(const LValue& lvalue, Storage storage, bool writes, bool reads) {
  const Step* step = program_->steps.data() + lvalue.steps.first;
  const Step* const end = step + lvalue.steps.count;
  Id base = 0;
  std::uint32_t first_index = kNone;
  switch (lvalue.root) {
    case LValueRoot::Local:
      base = locals_[lvalue.index];
      break;
    case LValueRoot::Argument:
      base = arguments_[lvalue.index];
      break;
    case LValueRoot::Attribute:
    case LValueRoot::StateIn:
    case LValueRoot::StateOut:
    case LValueRoot::ColorOutput:
      base = field_variable(lvalue.index, storage);
      break;
    case LValueRoot::Buffer: {
      const Buffer& buffer = program_->buffers[lvalue.index];
      if (storage == Storage::Workgroup) {
        base = workgroup_variable(lvalue.index, step++->value);
        break;
      }
      base = buffer_variable(lvalue.index);
      buffers_[lvalue.index].read |= reads;
      buffers_[lvalue.index].written |= writes;
      // The members of a struct that ends in the tail are members of the block (block_type), so the index continues.
      first_index = step->value;
      TypeId type = program_->members[buffer.members.first + step++->value].type;
      while (step != end && type_info(type).has_tail && type_info(type).kind == TypeKind::Struct) {
        first_index += step->value;
        const Struct& structure = program_->structs[type_info(type).index];
        type = program_->members[structure.members.first + step++->value].type;
      }
      break;
    }
    case LValueRoot::Sampler:
    case LValueRoot::Image:
      break;  // images.cpp
  }
  if (step == end && first_index == kNone) return base;

  indices_.clear();
  if (first_index != kNone) indices_.push_back(u1(first_index));
  for (; step != end; ++step) {
    indices_.push_back(step->kind == StepKind::Element ? value_of(step->value) : u1(step->value));
  }
  return chain(lvalue.type, storage, base, indices_);
}

// A part of an `in` argument or of a local that is a value, not memory.
Id Emitter::part_of_value(const LValue& lvalue, Id value) {
  if (lvalue.steps.count == 0) return value;
  const std::span steps(program_->steps.data() + lvalue.steps.first, lvalue.steps.count);
  const Id type = plain(lvalue.type);
  if (steps.size() == 1 && steps[0].kind != StepKind::Element) {
    return op(spv::Op::OpCompositeExtract, type, value, steps[0].value);
  }
  scratch_.clear();
  for (const Step& step : steps) {
    if (step.kind != StepKind::Element) {
      scratch_.push_back(step.value);
    } else if (is_constant(step.value)) {
      const Constant& index = program_->constants[constant_index(step.value)];
      scratch_.push_back(program_->constant_words[index.first]);
    } else {
      break;
    }
  }
  if (scratch_.size() == steps.size()) {
    const Id id = out_.new_id();
    words_->body.op_list(spv::Op::OpCompositeExtract, scratch_, type, id, value);
    return id;
  }
  // SPIR-V has no run-time index into a value, so the argument is stored to a variable, once. Locals that need this are
  // variables.
  Id& spilled = spilled_[lvalue.index];
  if (spilled == 0) {
    spilled = local_variable(pointer(program_->arguments[lvalue.index].type, Storage::Function));
    words_->prologue.op(spv::Op::OpStore, spilled, value);
  }
  indices_.clear();
  for (const Step& step : steps) {
    indices_.push_back(step.kind == StepKind::Element ? value_of(step.value) : u1(step.value));
  }
  return load_from(lvalue.type, chain(lvalue.type, Storage::Function, spilled, indices_));
}

Id Emitter::load(const LValue& lvalue) {
  if (lvalue.root == LValueRoot::Local) {
    const Id local = locals_[lvalue.index];
    if (!program_->locals[lvalue.index].in_memory) return part_of_value(lvalue, local);
    if (lvalue.steps.count == 0) return load_from(lvalue.type, local);
  }
  if (lvalue.root == LValueRoot::Argument && program_->arguments[lvalue.index].access == Access::In) {
    return part_of_value(lvalue, arguments_[lvalue.index]);
  }
  const Storage storage = storage_of(lvalue);
  const Id from = address_of(lvalue, storage, false, true);
  if (is_laid_out(storage) && needs_copy(lvalue.type)) return load_plain({from, storage, lvalue.type});
  return load_from(lvalue.type, from);
}

void Emitter::store(const LValue& lvalue, Id value) {
  if (lvalue.root == LValueRoot::Local && lvalue.steps.count == 0) {
    return words_->body.op(spv::Op::OpStore, locals_[lvalue.index], value);
  }
  const Storage storage = storage_of(lvalue);
  const Id to = address_of(lvalue, storage, true, false);
  if (is_laid_out(storage) && needs_copy(lvalue.type)) return store_laid({to, storage, lvalue.type}, value);
  words_->body.op(spv::Op::OpStore, to, value);
}

// An element of an array that is not an lvalue, for example the result of a call.
Id Emitter::element_of_value(TypeId array, Id value, Ref index, TypeId result) {
  if (is_constant(index)) {
    const Constant& known = program_->constants[constant_index(index)];
    return op(spv::Op::OpCompositeExtract, plain(result), value, program_->constant_words[known.first]);
  }
  const Id variable = local_variable(pointer(array, Storage::Function));
  words_->body.op(spv::Op::OpStore, variable, value);
  const Id indices[] = {value_of(index)};
  return load_from(result, chain(result, Storage::Function, variable, indices));
}

}  // namespace slipway::rpl::emit
