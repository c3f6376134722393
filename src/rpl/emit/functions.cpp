// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions: the header, and the walk over the code.
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

using spv::Op;

}  // namespace

void Emitter::emit_function(const Instance& instance, bool is_entry) {
  const Function& function = program_->functions[instance.function];
  words_ = is_entry ? &entry_words_ : &other_words_;
  words_->variables.clear();
  words_->prologue.clear();
  words_->body.clear();
  function_ = &function;
  instance_ = &instance;
  temporaries_.clear();
  std::fill_n(locals_.begin() + function.locals.first, function.locals.count, 0);

  std::vector<std::uint32_t>& type = signature_;
  type.assign({static_cast<std::uint32_t>(Op::OpTypeFunction), plain(function.result)});
  std::uint32_t image = instance.images;
  for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
    const std::uint32_t index = function.arguments.first + i;
    const Argument& argument = program_->arguments[index];
    const TypeKind kind = type_info(argument.type).kind;
    Id id = 0;
    if (kind == TypeKind::StorageImage) {
      const ItemFormat format = program_->images[image_arguments_[image++].image].format;
      id = pointer_to(image_type(argument.type, format), Storage::UniformConstant);
    } else if (kind == TypeKind::Image || kind == TypeKind::Sampler) {
      image += kind == TypeKind::Image;
      id = pointer(argument.type, Storage::UniformConstant);
    } else {
      id = argument.access == Access::In ? plain(argument.type) : pointer(argument.type, Storage::Function);
    }
    type.push_back(id);
    arguments_[index] = out_.new_id();
    spilled_[index] = 0;
    name(arguments_[index], argument.name);
  }
  const Id function_type = out_.unique_type(type);
  name(instance.id, function.name);
  const Id start = out_.new_id();
  block_ = start;
  ended_ = false;
  emit_code(function);
  if (!ended_) end_path(function.result == kVoid ? Op::OpReturn : Op::OpUnreachable);

  // The entry point's own instructions wait until the functions that it calls are emitted: emit_entry_point.
  WordBuffer& out = is_entry ? entry_words_.header : out_.section(Section::Functions);
  out.op(Op::OpFunction, type[1], instance.id, spv::FunctionControlMask::MaskNone, function_type);
  for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
    out.op(Op::OpFunctionParameter, type[2 + i], arguments_[function.arguments.first + i]);
  }
  out.op(Op::OpLabel, start);
  if (!is_entry) append_function(other_words_);
}

void Emitter::append_function(const FunctionWords& words) {
  out_.section(Section::Functions).append(words.header.words());
  out_.section(Section::Functions).append(words.variables.words());
  out_.section(Section::Functions).append(words.prologue.words());
  out_.section(Section::Functions).append(words.body.words());
  out_.section(Section::Functions).op(Op::OpFunctionEnd);
}

// After the end of a path nothing is emitted up to the end of its block; `skipped_` counts the structures in between.
bool Emitter::skips(rpl::Op code) {
  switch (code) {
    case rpl::Op::If:
    case rpl::Op::LoopBegin:
      ++skipped_;
      return true;
    case rpl::Op::EndIf:
    case rpl::Op::LoopEnd:
      if (skipped_ == 0) return false;
      --skipped_;
      return true;
    case rpl::Op::Else:
    case rpl::Op::LoopStep:
      return skipped_ != 0;
    default:
      return true;
  }
}

// A local that nothing writes to is replaced by its first value; the others are variables.
void Emitter::declare(const Instruction& instruction) {
  const Local& local = program_->locals[instruction.a];
  const Id first = instruction.b == kNoRef ? zero(local.type) : value_of(instruction.b);
  Id& id = locals_[instruction.a];
  if (!local.in_memory) {
    id = first;
    if (instruction.b != kNoRef && !is_constant(instruction.b) && is_new(program_->code[instruction.b])) {
      name(first, local.name);
    }
    return;
  }
  if (id == 0) id = local_variable(pointer(local.type, Storage::Function), local.name);
  words_->body.op(Op::OpStore, id, first);
}

// Whether the value of an instruction has its own id, rather than that of a variable's value, which has a name.
bool Emitter::is_new(const Instruction& instruction) const {
  if (instruction.op == rpl::Op::Store) return false;
  if (instruction.op != rpl::Op::Load) return true;
  const LValue& lvalue = program_->lvalues[instruction.a];
  if (lvalue.steps.count != 0) return true;
  if (lvalue.root == LValueRoot::Local) return program_->locals[lvalue.index].in_memory;
  return lvalue.root != LValueRoot::Argument || program_->arguments[lvalue.index].access != Access::In;
}

Id Emitter::value(const Instruction& instruction) {
  const TypeId type = instruction.type;
  switch (instruction.op) {
    case rpl::Op::Unary:
      return unary(static_cast<UnaryOp>(instruction.sub), type, value_of(instruction.a));
    case rpl::Op::Binary: {
      const Id a = value_of(instruction.a);
      const Id b = value_of(instruction.b);
      return binary(static_cast<BinaryOp>(instruction.sub), type, program_->type_of(instruction.a),
                    program_->type_of(instruction.b), a, b);
    }
    case rpl::Op::LogicEnd:
      return end_logic(instruction);
    case rpl::Op::Convert:
      return convert(type, program_->type_of(instruction.a), value_of(instruction.a));
    case rpl::Op::Splat:
      return splat(type, value_of(instruction.a));
    case rpl::Op::Combine:
    case rpl::Op::Columns:
    case rpl::Op::Build: {
      const Id id = plain(type);
      return composite(id, list(instruction.a, instruction.b));
    }
    case rpl::Op::Crop:
      return crop(value_of(instruction.a));
    case rpl::Op::Extract: {
      const Id from = value_of(instruction.a);
      return op(Op::OpCompositeExtract, plain(type), from, instruction.b);
    }
    case rpl::Op::Swizzle: {
      const Id from = value_of(instruction.a);
      std::uint32_t items[4];
      for (std::uint32_t i = 0; i < item_count(type); ++i) items[i] = instruction.b >> 2 * i & 3;
      const Id result = plain(type);
      const Id id = out_.new_id();
      words_->body.op_list(Op::OpVectorShuffle, std::span(items, item_count(type)), result, id, from, from);
      return id;
    }
    case rpl::Op::Element:
      return element_of_value(program_->type_of(instruction.a), value_of(instruction.a), instruction.b, type);
    case rpl::Op::Call:
      return call(instruction);
    default:
      return builtin(instruction);
  }
}

[[gnu::always_inline]] inline void Emitter::emit_instruction(std::uint32_t index) {
  const Instruction& instruction = program_->code[index];
  if (ended_ && skips(instruction.op)) return;
  if (options_.debug_lines && instruction.begins_statement) debug_line(instruction.at);
  switch (instruction.op) {
    case rpl::Op::Load:  // first, because it is the most frequent
      values_[index] = load(program_->lvalues[instruction.a]);
      return;
    case rpl::Op::Store: {
      const Id stored_value = value_of(instruction.b);
      store(program_->lvalues[instruction.a], stored_value);
      values_[index] = stored_value;
      return;
    }
    case rpl::Op::Declare:
      return declare(instruction);
    case rpl::Op::Evaluate:
    case rpl::Op::ScopeBegin:
    case rpl::Op::ScopeEnd:
      return;
    case rpl::Op::LogicBegin:
      return begin_logic(index);
    case rpl::Op::If:
      return begin_if(instruction);
    case rpl::Op::Else:
      return begin_else();
    case rpl::Op::EndIf:
      return end_if();
    case rpl::Op::LoopBegin:
      return begin_loop();
    case rpl::Op::LoopTest:
      return test_loop(instruction);
    case rpl::Op::LoopStep:
      return step_loop();
    case rpl::Op::LoopEnd:
      return end_loop();
    case rpl::Op::Break:
      return jump(loops_.back().merge);
    case rpl::Op::Continue:
      return jump(loops_.back().next);
    case rpl::Op::Return:
      if (instruction.a == kNoRef) return end_path(Op::OpReturn);
      words_->body.op(Op::OpReturnValue, value_of(instruction.a));
      ended_ = true;
      return;
    case rpl::Op::Discard:
      return end_path(options_.target == Target::Vulkan13 ? Op::OpTerminateInvocation : Op::OpKill);
    default:
      values_[index] = value(instruction);
  }
}

void Emitter::emit_code(const Function& function) {
  for (std::uint32_t i = 0; i < function.code.count; ++i) emit_instruction(function.code.first + i);
}

}  // namespace slipway::rpl::emit
