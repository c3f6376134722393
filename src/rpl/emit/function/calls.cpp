// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/calls.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

Id CallEmitter::temporary(TypeId type) {
  for (Temporary& known : temporaries_) {
    if (known.type == type && !known.taken) {
      known.taken = true;
      return known.id;
    }
  }
  const Id id = code_.variable(type);
  temporaries_.push_back({type, id, true});
  return id;
}

Id CallEmitter::call(const Instruction& instruction) {
  const Resolved& program = *emission_.program;
  const std::span arguments(program.call_arguments.data() + instruction.b, instruction.c);
  const Function& callee = program.functions[instruction.a];
  const Argument* const declared = program.arguments.data() + callee.arguments.first;
  for (Temporary& known : temporaries_) known.taken = false;

  passed_.clear();
  passed_images_.clear();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    const TypeId type = declared[i].type;
    const TypeKind kind = emission_.type_info(type).kind;
    if (kind == TypeKind::Sampler) {
      passed_.push_back(images_.sampler(program.lvalues[argument.lvalue]));
    } else if (kind == TypeKind::Image || kind == TypeKind::StorageImage) {
      const LValue& image = program.lvalues[argument.lvalue];
      passed_.push_back(images_.image(image));
      passed_images_.push_back(images_.argument_of(image));
    } else if (argument.access == Access::In) {
      passed_.push_back(values_.of(argument.value));
    } else {
      const Id variable = temporary(type);
      const Id value = argument.access == Access::InOut ? values_.of(argument.value) : types_.zero(type);
      code_.store(variable, value);
      passed_.push_back(variable);
    }
  }
  const Id function = instances_.find_or_add(instruction.a, passed_images_);
  const Id type = types_.plain(callee.result);
  const Id result = emission_.out.new_id();
  code_.body().op_list(spv::Op::OpFunctionCall, passed_, type, result, function);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    if (argument.access == Access::In) continue;
    const Id value = code_.load(declared[i].type, passed_[i]);
    memory_.store(program.lvalues[argument.lvalue], value);
  }
  return result;
}

}  // namespace slipway::rpl::emit
