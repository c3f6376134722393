// Places: pointers into memory, loads and stores.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {

Id Emitter::chain(TypeId type, Storage storage, Id base, std::span<const Id> indices) {
  const Id id = out_.new_id();
  words_->body.op_list(spv::Op::OpAccessChain, indices, pointer(type, storage), id, base);
  return id;
}

Storage Emitter::storage_of(const PlaceRef& place) const {
  switch (place.root) {
    case PlaceRoot::Attribute:
    case PlaceRoot::StateIn:
      return Storage::Input;
    case PlaceRoot::StateOut:
    case PlaceRoot::ColorOutput:
      return Storage::Output;
    case PlaceRoot::Buffer:
      return storage_of(program_->buffers[place.index]);
    default:
      return Storage::Function;
  }
}

// The root gives the base; the steps, less those that the root took, become the indices of one access chain. `storage`
// is that of the place.
Id Emitter::address_of(const PlaceRef& place, Storage storage, bool writes, bool reads) {
  const Step* step = program_->steps.data() + place.steps.first;
  const Step* const end = step + place.steps.count;
  Id base = 0;
  std::uint32_t first_index = kNone;
  switch (place.root) {
    case PlaceRoot::Local:
      base = locals_[place.index];
      break;
    case PlaceRoot::Argument:
      base = arguments_[place.index];
      break;
    case PlaceRoot::Attribute:
    case PlaceRoot::StateIn:
    case PlaceRoot::StateOut:
    case PlaceRoot::ColorOutput:
      base = field_variable(place.index, storage);
      break;
    case PlaceRoot::Buffer: {
      const Buffer& buffer = program_->buffers[place.index];
      if (storage == Storage::Workgroup) {
        base = workgroup_variable(place.index, step++->value);
        break;
      }
      base = buffer_variable(place.index);
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
  if (step == end && first_index == kNone) return base;

  indices_.clear();
  if (first_index != kNone) indices_.push_back(u1(first_index));
  for (; step != end; ++step) {
    indices_.push_back(step->kind == StepKind::Element ? value_of(step->value) : u1(step->value));
  }
  return chain(place.type, storage, base, indices_);
}

// A part of an `in` argument or of a local that is one value: not of memory.
Id Emitter::part_of_value(const PlaceRef& place, Id value) {
  if (place.steps.count == 0) return value;
  const std::span steps(program_->steps.data() + place.steps.first, place.steps.count);
  const Id type = plain(place.type);
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
  // SPIR-V has no run-time index into a value, so that it goes to a variable, once. Locals that need it are one.
  Id& spilled = spilled_[place.index];
  if (spilled == 0) {
    spilled = local_variable(pointer(program_->arguments[place.index].type, Storage::Function));
    words_->prologue.op(spv::Op::OpStore, spilled, value);
  }
  indices_.clear();
  for (const Step& step : steps) {
    indices_.push_back(step.kind == StepKind::Element ? value_of(step.value) : u1(step.value));
  }
  return load_from(place.type, chain(place.type, Storage::Function, spilled, indices_));
}

Id Emitter::load(const PlaceRef& place) {
  if (place.root == PlaceRoot::Local) {
    const Id local = locals_[place.index];
    if (!program_->locals[place.index].in_memory) return part_of_value(place, local);
    if (place.steps.count == 0) return load_from(place.type, local);
  }
  if (place.root == PlaceRoot::Argument && program_->arguments[place.index].access == Access::In) {
    return part_of_value(place, arguments_[place.index]);
  }
  const Storage storage = storage_of(place);
  const Id from = address_of(place, storage, false, true);
  if (is_laid_out(storage) && needs_copy(place.type)) return load_plain({from, storage, place.type});
  return load_from(place.type, from);
}

void Emitter::store(const PlaceRef& place, Id value) {
  if (place.root == PlaceRoot::Local && place.steps.count == 0) {
    return words_->body.op(spv::Op::OpStore, locals_[place.index], value);
  }
  const Storage storage = storage_of(place);
  const Id to = address_of(place, storage, true, false);
  if (is_laid_out(storage) && needs_copy(place.type)) return store_laid({to, storage, place.type}, value);
  words_->body.op(spv::Op::OpStore, to, value);
}

// An element of an array that is no place: the result of a call, say.
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
