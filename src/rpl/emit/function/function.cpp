// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/function.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {
namespace {

using spv::Op;

}  // namespace

FunctionEmitter::FunctionEmitter(Emission& emission, ModuleTypes& types, ModuleVariables& variables, SourceLines& lines)
    : emission_(emission),
      types_(types),
      lines_(lines),
      instances_(emission),
      code_(emission, types),
      values_(emission, types),
      control_(emission, types, code_),
      copies_(emission, types, code_, control_),
      memory_(emission, types, variables, code_, values_, copies_),
      operators_(emission, types, code_),
      images_(emission, types, variables, code_, values_, instances_),
      builtins_(emission, types, variables, code_, values_, memory_, images_),
      calls_(emission, types, code_, values_, memory_, images_, instances_) {}

void FunctionEmitter::begin_module() {
  values_.begin_module();
  memory_.begin_module();
  images_.begin_module();
  builtins_.begin_module();
}

void FunctionEmitter::begin_entry(std::uint32_t function, Id id) {
  instances_.begin_entry_point();
  emit_function({.function = function, .id = id});
  code_.suspend();
  // Emitting a function may append to the list.
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    emit_function(FunctionInstance(instances_[i]));
    code_.end();
  }
  code_.resume();
}

void FunctionEmitter::emit_function(const FunctionInstance& instance) {
  const Function& function = emission_.program->functions[instance.function];
  values_.begin_function(function);
  memory_.begin_function(function);
  images_.begin_function(instance);
  calls_.begin_function();
  const Id type = declare_arguments(instance);
  add_name(emission_, instance.id, function.name);
  const Id first_block = emission_.out.new_id();
  code_.begin(first_block);
  WordBuffer& head = code_.head();
  head.op(Op::OpFunction, signature_[1], instance.id, spv::FunctionControlMask::MaskNone, type);
  for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
    head.op(Op::OpFunctionParameter, signature_[2 + i], values_.argument(function.arguments.first + i));
  }
  head.op(Op::OpLabel, first_block);

  emit_code(function);
  if (!code_.ended()) code_.end_block(function.result == kVoid ? Op::OpReturn : Op::OpUnreachable);
}

// Creates the ids of the arguments. Returns the type of the function.
Id FunctionEmitter::declare_arguments(const FunctionInstance& instance) {
  const Resolved& program = *emission_.program;
  const Function& function = program.functions[instance.function];
  signature_.assign({static_cast<std::uint32_t>(Op::OpTypeFunction), types_.plain(function.result)});
  std::uint32_t image = 0;
  for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
    const std::uint32_t index = function.arguments.first + i;
    const Argument& argument = program.arguments[index];
    const TypeKind kind = emission_.type_info(argument.type).kind;
    Id type = 0;
    if (kind == TypeKind::StorageImage) {
      const ItemFormat format = program.images[instances_.image(instance, image++).image].format;
      type = types_.pointer_to(types_.image(argument.type, format), Storage::UniformConstant);
    } else if (kind == TypeKind::Image || kind == TypeKind::Sampler) {
      image += kind == TypeKind::Image;
      type = types_.pointer(argument.type, Storage::UniformConstant);
    } else {
      type = argument.access == Access::In ? types_.plain(argument.type)
                                           : types_.pointer(argument.type, Storage::Function);
    }
    signature_.push_back(type);
    const Id id = emission_.out.new_id();
    values_.argument(index) = id;
    add_name(emission_, id, argument.name);
  }
  return emission_.out.unique_type(signature_);
}

// A local that nothing writes to is replaced by its first value; the others are variables.
void FunctionEmitter::emit_declaration(const Instruction& instruction) {
  const Resolved& program = *emission_.program;
  const Local& local = program.locals[instruction.a];
  const Id first = instruction.b == kNoRef ? types_.zero(local.type) : values_.of(instruction.b);
  Id& id = values_.local(instruction.a);
  if (!local.in_memory) {
    id = first;
    if (instruction.b != kNoRef && !is_constant(instruction.b) && is_new(program.code[instruction.b])) {
      add_name(emission_, first, local.name);
    }
    return;
  }
  if (id == 0) id = code_.variable(local.type, local.name);
  code_.store(id, first);
}

// Whether the value of an instruction has its own id, rather than that of a variable's value, which has a name.
bool FunctionEmitter::is_new(const Instruction& instruction) const {
  const Resolved& program = *emission_.program;
  if (instruction.op == rpl::Op::Store) return false;
  if (instruction.op != rpl::Op::Load) return true;
  const LValue& lvalue = program.lvalues[instruction.a];
  if (lvalue.steps.count != 0) return true;
  if (lvalue.root == LValueRoot::Local) return program.locals[lvalue.index].in_memory;
  return lvalue.root != LValueRoot::Argument || program.arguments[lvalue.index].access != Access::In;
}

void FunctionEmitter::begin_logic(const Instruction& instruction) {
  if (instruction.simple) return;
  control_.end_header();
  control_.begin_logic(static_cast<BinaryOp>(instruction.sub) == BinaryOp::And, values_.of(instruction.a));
}

Id FunctionEmitter::end_logic(const Instruction& instruction) {
  const Instruction& begin = emission_.program->code[instruction.a];
  const bool is_and = static_cast<BinaryOp>(begin.sub) == BinaryOp::And;
  const Id right = values_.of(instruction.b);
  if (!begin.simple) return control_.end_logic(is_and, right);
  const Id left = values_.of(begin.a);
  return code_.op(is_and ? Op::OpLogicalAnd : Op::OpLogicalOr, types_.plain(kBoolean), left, right);
}

void FunctionEmitter::test_loop(Ref condition) {
  const bool endless = is_constant(condition) && emission_.word_of(condition) != 0;
  control_.test_loop(endless ? 0 : values_.of(condition));
}

Id FunctionEmitter::value(const Instruction& instruction) {
  const Resolved& program = *emission_.program;
  const TypeId type = instruction.type;
  switch (instruction.op) {
    case rpl::Op::Unary:
      return operators_.unary(static_cast<UnaryOp>(instruction.sub), type, values_.of(instruction.a));
    case rpl::Op::Binary: {
      const Id a = values_.of(instruction.a);
      const Id b = values_.of(instruction.b);
      return operators_.binary(static_cast<BinaryOp>(instruction.sub), type, program.type_of(instruction.a),
                               program.type_of(instruction.b), a, b);
    }
    case rpl::Op::LogicEnd:
      return end_logic(instruction);
    case rpl::Op::Convert:
      return operators_.convert(type, program.type_of(instruction.a), values_.of(instruction.a));
    case rpl::Op::Splat:
      return operators_.splat(type, values_.of(instruction.a));
    case rpl::Op::Combine:
    case rpl::Op::Columns:
    case rpl::Op::Build: {
      const Id id = types_.plain(type);
      return code_.op_list(Op::OpCompositeConstruct, id, values_.of_list(emission_.list(instruction.a, instruction.b)));
    }
    case rpl::Op::Crop:
      return operators_.crop(values_.of(instruction.a));
    case rpl::Op::Extract:
      return code_.extract(type, values_.of(instruction.a), instruction.b);
    case rpl::Op::Swizzle:
      return operators_.swizzle(type, values_.of(instruction.a), instruction.b);
    case rpl::Op::Element:
      return memory_.element_of_value(program.type_of(instruction.a), values_.of(instruction.a), instruction.b, type);
    case rpl::Op::Call:
      return calls_.call(instruction);
    default:
      return builtins_.call(instruction);
  }
}

[[gnu::always_inline]] inline void FunctionEmitter::emit_instruction(std::uint32_t index) {
  const Resolved& program = *emission_.program;
  const Instruction& instruction = program.code[index];
  if (code_.ended() && control_.skips(instruction.op)) return;
  if (emission_.options.debug_lines && instruction.begins_statement) lines_.add_line(instruction.at, code_.body());
  switch (instruction.op) {
    case rpl::Op::Load:  // first, because it is the most frequent
      return values_.set(index, memory_.load(program.lvalues[instruction.a]));
    case rpl::Op::Store: {
      const Id stored = values_.of(instruction.b);
      memory_.store(program.lvalues[instruction.a], stored);
      return values_.set(index, stored);
    }
    case rpl::Op::Declare:
      return emit_declaration(instruction);
    case rpl::Op::Evaluate:
    case rpl::Op::ScopeBegin:
    case rpl::Op::ScopeEnd:
      return;
    case rpl::Op::LogicBegin:
      return begin_logic(instruction);
    case rpl::Op::If:
      return control_.begin_if(values_.of(instruction.a));
    case rpl::Op::Else:
      return control_.begin_else();
    case rpl::Op::EndIf:
      return control_.end_if();
    case rpl::Op::LoopBegin:
      return control_.begin_loop();
    case rpl::Op::LoopTest:
      return test_loop(instruction.a);
    case rpl::Op::LoopStep:
      return control_.step_loop();
    case rpl::Op::LoopEnd:
      return control_.end_loop();
    case rpl::Op::Break:
      return control_.jump_out();
    case rpl::Op::Continue:
      return control_.jump_next();
    case rpl::Op::Return:
      if (instruction.a == kNoRef) return code_.end_block(Op::OpReturn);
      return code_.end_block(Op::OpReturnValue, values_.of(instruction.a));
    case rpl::Op::Discard:
      return code_.discard();
    default:
      values_.set(index, value(instruction));
  }
}

void FunctionEmitter::emit_code(const Function& function) {
  for (std::uint32_t i = 0; i < function.code.count; ++i) emit_instruction(function.code.first + i);
}

}  // namespace slipway::rpl::emit
