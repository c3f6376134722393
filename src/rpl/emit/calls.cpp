// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the program's functions. `in` arguments go by value; `out` and `in out` arguments through temporaries of the
// caller, which are stored to their lvalues after the callee has returned
// (docs/spec/rpl.md#passing-arguments).
#include <algorithm>

#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {

// A variable that no argument of the current call uses; later calls reuse it.
Id Emitter::temporary(TypeId type) {
  for (Temporary& known : temporaries_) {
    if (known.type == type && !known.taken) {
      known.taken = true;
      return known.id;
    }
  }
  const Id id = local_variable(pointer(type, Storage::Function));
  temporaries_.push_back({type, id, true});
  return id;
}

// The instance of the function for the images that a call passes; a new one is emitted after the current function.
Id Emitter::instance_of(std::uint32_t function, std::span<const CallArgument> arguments) {
  const auto first = static_cast<std::uint32_t>(image_arguments_.size());
  const Function& callee = program_->functions[function];
  for (std::uint32_t i = 0; i < callee.arguments.count; ++i) {
    const TypeKind kind = type_info(program_->arguments[callee.arguments.first + i].type).kind;
    if (kind == TypeKind::Image || kind == TypeKind::StorageImage) {
      image_arguments_.push_back(image_argument(program_->lvalues[arguments[i].lvalue]));
    }
  }
  const std::span wanted = std::span(image_arguments_).subspan(first);
  std::uint32_t* link = &first_instance_[function];
  while (*link != kNone) {
    Instance& known = instances_[*link];
    if (std::ranges::equal(wanted, std::span(image_arguments_).subspan(known.images, wanted.size()))) {
      image_arguments_.resize(first);
      return known.id;
    }
    link = &known.next;
  }
  *link = static_cast<std::uint32_t>(instances_.size());
  const Id id = out_.new_id();
  instances_.push_back({.function = function, .id = id, .images = first, .next = kNone});
  return id;
}

Id Emitter::call(const Instruction& instruction) {
  const std::span arguments(program_->call_arguments.data() + instruction.b, instruction.c);
  const Function& callee = program_->functions[instruction.a];
  for (Temporary& known : temporaries_) known.taken = false;

  std::vector<Id>& given = given_;
  given.clear();
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    const TypeId type = program_->arguments[callee.arguments.first + i].type;
    const TypeKind kind = type_info(type).kind;
    if (kind == TypeKind::Sampler) {
      const LValue& lvalue = program_->lvalues[argument.lvalue];
      given.push_back(lvalue.root == LValueRoot::Argument ? arguments_[lvalue.index] : sampler_variable(lvalue.index));
    } else if (kind == TypeKind::Image || kind == TypeKind::StorageImage) {
      given.push_back(image_pointer(program_->lvalues[argument.lvalue]));
    } else if (argument.access == Access::In) {
      given.push_back(value_of(argument.value));
    } else {
      const Id variable = temporary(type);
      const Id value = argument.access == Access::InOut ? value_of(argument.value) : zero(type);
      words_->body.op(spv::Op::OpStore, variable, value);
      given.push_back(variable);
    }
  }
  const Id function = instance_of(instruction.a, arguments);
  const Id type = plain(callee.result);
  const Id result = out_.new_id();
  words_->body.op_list(spv::Op::OpFunctionCall, given, type, result, function);
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    if (argument.access == Access::In) continue;
    const Id value = load_from(program_->arguments[callee.arguments.first + i].type, given[i]);
    store(program_->lvalues[argument.lvalue], value);
  }
  return result;
}

}  // namespace slipway::rpl::emit
