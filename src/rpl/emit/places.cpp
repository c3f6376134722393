// Places: pointers into memory, loads and stores.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {

Id Emitter::chain(TypeId type, Storage storage, Id base, std::span<const Id> indices) {
  const Id id = out_.new_id();
  words_->body.op_list(spv::Op::OpAccessChain, indices, pointer(type, storage), id, base);
  return id;
}

// The root gives the base; the steps, less those that the root took, become the indices of one access chain.
Pointer Emitter::pointer_of(const PlaceRef& place, bool writes, bool reads) {
  const Step* step = program_->steps.data() + place.steps.first;
  const Step* const end = step + place.steps.count;
  Pointer at{.type = place.type};
  std::uint32_t first_index = kNone;
  switch (place.root) {
    case PlaceRoot::Local:
      at.id = locals_[place.index];
      break;
    case PlaceRoot::Argument:
      at.id = arguments_[place.index];
      break;
    case PlaceRoot::Attribute:
    case PlaceRoot::StateIn:
      at.storage = Storage::Input;
      at.id = field_variable(place.index, at.storage);
      break;
    case PlaceRoot::StateOut:
    case PlaceRoot::ColorOutput:
      at.storage = Storage::Output;
      at.id = field_variable(place.index, at.storage);
      break;
    case PlaceRoot::Buffer: {
      const Buffer& buffer = program_->buffers[place.index];
      at.storage = storage_of(buffer);
      if (at.storage == Storage::Workgroup) {
        at.id = workgroup_variable(place.index, step++->value);
        break;
      }
      at.id = buffer_variable(place.index);
      buffers_[place.index].read |= reads;
      buffers_[place.index].written |= writes;
      // Steps into a struct that ends in the tail count on in the block, where its members stand (block_type).
      first_index = step->value;
      TypeId type = program_->members[buffer.members.first + step++->value].type;
      while (step != end && type_info(type).has_tail && type_info(type).kind == TypeKind::Struct) {
        first_index += step->value;
        const Struct& structure = program_->structs[type_info(type).index];
        type = program_->members[structure.members.first + step++->value].type;
      }
      break;
    }
    case PlaceRoot::Sampler:
    case PlaceRoot::Image:
      break;  // images.cpp
  }
  if (step == end && first_index == kNone) return at;

  indices_.clear();
  if (first_index != kNone) indices_.push_back(u1(first_index));
  for (; step != end; ++step) {
    indices_.push_back(step->kind == StepKind::Element ? value_of(step->value) : u1(step->value));
  }
  at.id = chain(place.type, at.storage, at.id, indices_);
  return at;
}

// A part of an `in` argument, which is a value and not memory.
Id Emitter::argument_part(const PlaceRef& place) {
  const Id value = arguments_[place.index];
  if (place.steps.count == 0) return value;
  const std::span steps(program_->steps.data() + place.steps.first, place.steps.count);
  const Id type = plain(place.type);
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
  // SPIR-V has no run-time index into a value, so that it goes to a variable, once.
  Id& spilled = spilled_[place.index];
  if (spilled == 0) {
    spilled = local_variable(pointer(program_->arguments[place.index].type, Storage::Function), {});
    words_->prologue.op(spv::Op::OpStore, spilled, value);
  }
  indices_.clear();
  for (const Step& step : steps) {
    indices_.push_back(step.kind == StepKind::Element ? value_of(step.value) : u1(step.value));
  }
  return load_from(place.type, chain(place.type, Storage::Function, spilled, indices_));
}

Id Emitter::load(const PlaceRef& place) {
  if (place.root == PlaceRoot::Argument && program_->arguments[place.index].access == Access::In) {
    return argument_part(place);
  }
  const Pointer from = pointer_of(place, false, true);
  if (is_laid_out(from.storage) && needs_copy(from.type)) return load_plain(from);
  return load_from(place.type, from.id);
}

void Emitter::store(const PlaceRef& place, Id value) {
  const Pointer to = pointer_of(place, true, false);
  if (is_laid_out(to.storage) && needs_copy(to.type)) return store_laid(to, value);
  words_->body.op(spv::Op::OpStore, to.id, value);
}

// An element of an array that is no place: the result of a call, say.
Id Emitter::element_of_value(TypeId array, Id value, Ref index, TypeId result) {
  if (is_constant(index)) {
    const Constant& known = program_->constants[constant_index(index)];
    return op(spv::Op::OpCompositeExtract, plain(result), value, program_->constant_words[known.first]);
  }
  const Id variable = local_variable(pointer(array, Storage::Function), {});
  words_->body.op(spv::Op::OpStore, variable, value);
  const Id indices[] = {value_of(index)};
  return load_from(result, chain(result, Storage::Function, variable, indices));
}

}  // namespace slipway::rpl::emit
