// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/translate.hpp"

#include <array>
#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <spirv/unified1/GLSL.std.450.h>

#include "base/format.hpp"
#include "cpu_compiler/kernel_module.hpp"
#include "cpu_compiler/spread.hpp"
#include "cpu_compiler/tiles.hpp"
#include "cpu_compiler/vector_matrices.hpp"
#include "cpu_compiler/vector_products.hpp"

namespace slipway::cpu_compiler {
namespace {

// A value of the kernel. Vectors of uniform and linear values are made where they are used.
struct Value {
  Spread spread = Spread::Uniform;
  // Uniform: the value. Linear: that of lane 0. Varying: the vector. Of a pointer that varies: its first element.
  llvm::Value* value = nullptr;
  llvm::Value* indices = nullptr;       // of a pointer that varies: of the elements, a vector
  std::uint64_t stride = 0;             // of a pointer: bytes of an element
  bool is_address = false;              // a pointer that the kernel treats as an integer
  std::vector<llvm::Value*> parts;      // of a composite, which is uniform or a pair of a product
  std::optional<std::uint32_t> member;  // a pointer to this member of the push constants
};

// Two 16-bit integers, which are translated as the 32-bit integer that has their bits.
bool is_pair(const KernelModule& kernel, Id id) {
  const Type& type = kernel.type(id);
  return type.kind == Type::Kind::Vector && type.count == 2 && kernel.type(type.element).kind == Type::Kind::Int &&
         kernel.type(type.element).width == 16;
}

// Null for a CPU without matrices.
std::unique_ptr<MatrixUnit> matrix_unit_of(const cpu::Target& target, const KernelModule& kernel,
                                           llvm::IRBuilder<>& builder, llvm::Module& module) {
  if (target.has_tiles) return std::make_unique<Tiles>(kernel, builder, module);
  if (target.has_vector_matrices) return std::make_unique<VectorMatrices>(kernel, builder);
  return nullptr;
}

class Translator {
 public:
  Translator(const KernelModule& kernel, const Spreads& spreads, const cpu::Target& target, std::uint32_t buffers,
             llvm::LLVMContext& context)
      : kernel_(kernel),
        spreads_(spreads),
        target_(target),
        lanes_(target.lanes),
        context_(context),
        module_(std::make_unique<llvm::Module>("kernel", context)),
        b_(context),
        matrices_(matrix_unit_of(target, kernel, b_, *module_)) {
    begin_function(buffers);
  }

  Result<std::unique_ptr<llvm::Module>> run() {
    const std::uint32_t vectors = kernel_.local_size / lanes_;
    for (const auto& [id, variable] : kernel_.variables) {
      if (variable.storage == spv::StorageClass::Workgroup) SLIPWAY_TRY_VOID(share(id, variable, vectors));
      if (variable.storage != spv::StorageClass::Function) continue;
      if (kernel_.type(variable.type).kind == Type::Kind::Matrix) {
        if (matrices_ && !spreads_.variables.at(id).varying && matrices_->declare(id, kernel_.type(variable.type)))
          continue;
        return refused(*kernel_.module, "a variable of this type of matrices");
      }
      llvm::Type* scalar = scalar_type(variable.type);
      if (!scalar) return refused(*kernel_.module, "a variable of this type");
      locals_[id] = b_.CreateAlloca(spreads_.variables.at(id).varying ? vector_of(scalar) : scalar);
    }
    Result<> done;
    counted_loop(begin_, end_, [&](llvm::Value* group) {
      group_ = group;
      if (vectors == 1) {
        first_lane_ = b_.getInt32(0);
        done = block(kernel_.body, nullptr);
      } else {
        counted_loop(b_.getInt32(0), b_.getInt32(vectors), [&](llvm::Value* vector) {
          first_lane_ = b_.CreateMul(vector, b_.getInt32(lanes_));
          done = block(kernel_.body, nullptr);
        });
      }
    });
    if (!done) return fail(std::move(done.error()));
    if (matrices_) matrices_->release(b_);
    b_.CreateRetVoid();
    llvm::BasicBlock& entry = body_->getEntryBlock();
    llvm::IRBuilder<> begin(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    if (matrices_) matrices_->configure(begin);
    make_entry();
    return std::move(module_);
  }

 private:
  // Memory of a workgroup, which is one vector.
  Result<> share(Id id, const Variable& variable, std::uint32_t vectors) {
    const Type& array = kernel_.type(variable.type);
    llvm::Type* scalar = scalar_type(array.element);
    if (vectors != 1 || array.kind != Type::Kind::Array || array.count == 0 || !scalar)
      return refused(*kernel_.module, "the storage class Workgroup for several vectors, or for anything but an array");
    llvm::AllocaInst* memory = b_.CreateAlloca(llvm::ArrayType::get(scalar, array.count));
    memory->setAlignment(llvm::Align(64));
    shared_[id] = memory;
    return {};
  }

  // --- functions ---

  // The buffers are parameters, so that each is known to overlap no other.
  void begin_function(std::uint32_t buffers) {
    std::vector<llvm::Type*> parameters(buffers, b_.getPtrTy());
    parameters.insert(parameters.end(), {b_.getInt32Ty(), b_.getInt32Ty(), b_.getInt32Ty()});
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), parameters, false);
    body_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, "body", *module_);
    for (std::uint32_t i = 0; i < buffers; ++i) {
      body_->addParamAttr(i, llvm::Attribute::NoAlias);
      body_->addParamAttr(i, llvm::Attribute::NonNull);
    }
    body_->addFnAttr(llvm::Attribute::NoInline);
    set_attributes(*body_);
    begin_ = body_->getArg(buffers);
    end_ = body_->getArg(buffers + 1);
    groups_ = body_->getArg(buffers + 2);
    buffers_ = buffers;
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", body_));
  }

  void set_attributes(llvm::Function& function) const {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-features", target_.features);
    function.addFnAttr("tune-cpu", target_.tuning);
    function.addFnAttr("prefer-vector-width", std::to_string(target_.vector_bits));
    function.addFnAttr("min-legal-vector-width", std::to_string(target_.vector_bits));
    function.addFnAttr("no-builtins");
  }

  void make_entry() {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(),
                                         {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kFunctionName, *module_);
    set_attributes(*entry);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", entry));
    std::vector<llvm::Value*> arguments;
    for (std::uint32_t i = 0; i < buffers_; ++i) {
      llvm::Value* at = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), entry->getArg(0), i);
      arguments.push_back(b_.CreateLoad(b_.getPtrTy(), at));
    }
    arguments.insert(arguments.end(), {entry->getArg(1), entry->getArg(2), entry->getArg(3)});
    b_.CreateCall(body_, arguments);
    b_.CreateRetVoid();
  }

  template <class Body>
  void counted_loop(llvm::Value* begin, llvm::Value* end, const Body& body) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *inside = new_block("inside"), *after = new_block("after");
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), inside, after);
    b_.SetInsertPoint(inside);
    llvm::PHINode* index = b_.CreatePHI(b_.getInt32Ty(), 2);
    index->addIncoming(begin, before);
    body(index);
    llvm::Value* next = b_.CreateNSWAdd(index, b_.getInt32(1));
    index->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), inside, after);
    b_.SetInsertPoint(after);
  }

  llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(context_, name, body_); }

  // --- types ---

  llvm::Type* scalar_type(Id id) {
    const Type& type = kernel_.type(id);
    switch (type.kind) {
      case Type::Kind::Bool:
        return b_.getInt1Ty();
      case Type::Kind::Int:
        return b_.getIntNTy(type.width);
      case Type::Kind::Float:
        if (type.is_bfloat) return nullptr;
        return type.width == 16 ? b_.getHalfTy() : type.width == 32 ? b_.getFloatTy() : nullptr;
      default:
        return nullptr;
    }
  }
  llvm::VectorType* vector_of(llvm::Type* scalar) const { return llvm::FixedVectorType::get(scalar, lanes_); }

  // --- values ---

  static Value uniform(llvm::Value* value) { return {.spread = Spread::Uniform, .value = value}; }
  static Value varying(llvm::Value* value) { return {.spread = Spread::Varying, .value = value}; }

  Value get(Id id) {
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    const auto constant = kernel_.constants.find(id);
    if (constant == kernel_.constants.end()) return {};
    llvm::Type* type = scalar_type(kernel_.constant_types.at(id));
    if (!type) return {};
    if (!type->isFloatingPointTy())
      return uniform(llvm::ConstantInt::get(type, constant->second & mask_of(type->getIntegerBitWidth())));
    const llvm::APInt bits(type->getScalarSizeInBits(), constant->second & mask_of(type->getScalarSizeInBits()));
    return uniform(llvm::ConstantFP::get(context_, llvm::APFloat(type->getFltSemantics(), bits)));
  }
  static std::uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }

  llvm::Value* lane_numbers(llvm::Type* type) {
    std::vector<llvm::Constant*> numbers;
    for (std::uint32_t i = 0; i < lanes_; ++i) numbers.push_back(llvm::ConstantInt::get(type, i));
    return llvm::ConstantVector::get(numbers);
  }

  // All lanes of a value, as a vector.
  llvm::Value* vector(const Value& value) {
    if (value.spread == Spread::Varying) return value.value;
    llvm::Value* all = b_.CreateVectorSplat(lanes_, value.value);
    return value.spread == Spread::Linear ? b_.CreateAdd(all, lane_numbers(value.value->getType())) : all;
  }

  // --- statements ---

  // `mask`: the active lanes; null: all.
  Result<> block(const Block& block_of, llvm::Value* mask) {
    if (matrices_) matrices_->enter_block();
    for (const Statement& statement : block_of) {
      if (const auto* in = std::get_if<const Instruction*>(&statement.what)) {
        SLIPWAY_TRY_VOID(instruction(**in, mask));
      } else if (const auto* branch = std::get_if<If>(&statement.what)) {
        SLIPWAY_TRY_VOID(selection(*branch, mask));
      } else {
        SLIPWAY_TRY_VOID(loop(std::get<Loop>(statement.what), mask));
      }
    }
    if (matrices_ && !matrices_->leave_block()) return refused(*kernel_.module, "a sum of matrices that is not stored");
    return {};
  }

  Result<> selection(const If& branch, llvm::Value* mask) {
    const Value condition = get(branch.condition);
    llvm::BasicBlock *inside = new_block("then"), *after = new_block("merge");
    llvm::Value* any = condition.value;
    const Region before = region_;
    if (condition.spread != Spread::Uniform) {
      llvm::Value* active = vector(condition);
      mask = mask ? b_.CreateAnd(mask, active) : active;
      any = b_.CreateOrReduce(mask);
      region_ = spreads_.regions.at(&branch);
    }
    b_.CreateCondBr(any, inside, after);
    b_.SetInsertPoint(inside);
    Result<> done = block(branch.body, mask);
    region_ = before;
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    return done;
  }

  Result<> loop(const Loop& loop_of, llvm::Value* mask) {
    llvm::BasicBlock *test = new_block("test"), *inside = new_block("loop"), *after = new_block("end");
    b_.CreateBr(test);
    b_.SetInsertPoint(test);
    SLIPWAY_TRY_VOID(block(loop_of.test, mask));
    b_.CreateCondBr(get(loop_of.condition).value, inside, after);
    b_.SetInsertPoint(inside);
    SLIPWAY_TRY_VOID(block(loop_of.body, mask));
    SLIPWAY_TRY_VOID(block(loop_of.step, mask));
    b_.CreateBr(test);
    b_.SetInsertPoint(after);
    return {};
  }

  // --- instructions ---

  Result<> instruction(const Instruction& in, llvm::Value* mask) {
    switch (in.op) {
      case spv::Op::OpStore:
        return store(in, mask);
      case spv::Op::OpLoad:
        return load(in, mask);
      case spv::Op::OpAccessChain:
        return access(in);
      case spv::Op::OpConvertUToPtr:
        return keep(in, address(in));
      case spv::Op::OpGroupNonUniformBroadcast:
        return keep(in, broadcast(in));
      case spv::Op::OpCompositeExtract:
        return keep(in, component(in));
      case spv::Op::OpSMulExtended:
        return keep(in, product(in));
      case spv::Op::OpExtInst:
        return keep(in, extended(in));
      case spv::Op::OpSUDot:
        return dot(in);
      case spv::Op::OpSDot:
        if (in.operands.size() != 4) return dot(in);  // of bytes
        // `lower` multiplies no pairs for AArch64.
        if (target_.architecture == cpu::Architecture::Aarch64) return unknown(*kernel_.module, in);
        return keep(in, arithmetic(in));
      case spv::Op::OpCooperativeMatrixLoadKHR:
      case spv::Op::OpCooperativeMatrixStoreKHR:
      case spv::Op::OpCooperativeMatrixMulAddKHR:
        if (mask || !matrices_ || !matrix(in)) return unknown(*kernel_.module, in);
        return {};
      case spv::Op::OpControlBarrier:
        // A workgroup that is one vector is always in step.
        if (kernel_.local_size != lanes_) return unknown(*kernel_.module, in);
        return {};
      case spv::Op::OpIAdd:
        if (auto sum = sum_with_dot(in)) return keep(in, std::move(sum));
        [[fallthrough]];
      case spv::Op::OpISub:
      case spv::Op::OpBitcast:
        if (is_pair(kernel_, in.type)) return keep(in, get(in.operand(2)));
        [[fallthrough]];
      case spv::Op::OpSConvert:
        if (spreads_.of(in.result) == Spread::Linear || get(in.operand(2)).is_address) return keep(in, linear(in));
        [[fallthrough]];
      default:
        return keep(in, arithmetic(in));
    }
  }

  Result<> keep(const Instruction& in, std::optional<Value> value) {
    if (!value) return unknown(*kernel_.module, in);
    values_[in.result] = std::move(*value);
    return {};
  }

  // --- sums of products of bytes ---

  // Where it is added to something else, both are one instruction; otherwise it is added to zero.
  Result<> dot(const Instruction& in) {
    const Value of_b = get(in.operand(2)), of_a = get(in.operand(3));
    const bool is_known = (in.op == spv::Op::OpSDot) == (target_.architecture == cpu::Architecture::Aarch64);
    const bool packed = in.operands.size() == 5 && static_cast<spv::PackedVectorFormat>(in.operand(4)) ==
                                                       spv::PackedVectorFormat::PackedVectorFormat4x8Bit;
    if (!target_.has_dot_products || !is_known || !packed || !of_b.value || !of_a.value)
      return unknown(*kernel_.module, in);
    const Dot made{.a = bytes(of_a), .b = bytes(of_b)};
    dots_[in.result] = made;
    return keep(in, varying(add_dot(llvm::Constant::getNullValue(vector_of(b_.getInt32Ty())), made)));
  }

  std::optional<Value> sum_with_dot(const Instruction& in) {
    for (const std::size_t i : {2U, 3U}) {
      const auto found = dots_.find(in.operand(i));
      const Value other = get(in.operand(5 - i));
      if (found == dots_.end() || !other.value || other.is_address) continue;
      return varying(add_dot(vector(other), found->second));
    }
    return std::nullopt;
  }

  struct Dot {
    llvm::Value *a = nullptr, *b = nullptr;
  };

  llvm::Value* add_dot(llvm::Value* sum, const Dot& dot) {
    return add_products_of_bytes(b_, target_, sum, dot.a, dot.b);
  }

  // All lanes of a value. An exclusive or of what all lanes load and a constant is made of vectors, because it is then
  // one instruction with an operand in memory that is broadcast. LLVM would simplify it to an operation on scalars if
  // it knew the constant.
  llvm::Value* bytes(const Value& value) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value.value);
    if (target_.architecture == cpu::Architecture::Aarch64 || value.spread != Spread::Uniform || !operation ||
        operation->getOpcode() != llvm::Instruction::Xor)
      return vector(value);
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    if (!number) return vector(value);
    return b_.CreateXor(b_.CreateVectorSplat(lanes_, operation->getOperand(0)), opaque(number));
  }

  llvm::Value* opaque(llvm::ConstantInt* number) {
    llvm::Value*& known = opaque_[number];
    if (known) return known;
    llvm::VectorType* type = vector_of(number->getType());
    llvm::IRBuilder<> entry(&body_->getEntryBlock(), body_->getEntryBlock().getFirstInsertionPt());
    auto* copy = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "",
                                      target_.vector_bits == 512 ? "=v,0" : "=x,0", false);
    return known = entry.CreateCall(copy, {entry.CreateVectorSplat(lanes_, number)});
  }

  // --- matrices ---

  bool matrix(const Instruction& in) {
    if (in.op == spv::Op::OpCooperativeMatrixMulAddKHR) return matrices_->multiply_add(in);
    const bool is_load = in.op == spv::Op::OpCooperativeMatrixLoadKHR;
    const Value pointer = get(in.operand(is_load ? 2 : 0)), stride = get(in.operand(is_load ? 4 : 3));
    const auto layout = kernel_.constants.find(in.operand(is_load ? 3 : 2));
    if (!pointer.value || pointer.spread != Spread::Uniform || pointer.stride == 0 || !stride.value ||
        stride.spread != Spread::Uniform || layout == kernel_.constants.end())
      return false;
    const auto order = static_cast<std::uint32_t>(layout->second);
    llvm::Value* bytes = b_.CreateMul(b_.CreateSExt(stride.value, b_.getInt64Ty()), b_.getInt64(pointer.stride));
    return is_load ? matrices_->load(in.result, kernel_.type(in.type), order, pointer.value, bytes)
                   : matrices_->store(in.operand(1), order, pointer.value, bytes);
  }

  // --- memory ---

  std::optional<Value> address(const Instruction& in) {
    const Value from = get(in.operand(2));
    if (!from.is_address) return std::nullopt;
    return uniform(from.value);
  }

  Result<> access(const Instruction& in) {
    const auto variable = kernel_.variables.find(in.operand(2));
    const Id last = in.operand(in.operands.size() - 1);
    if (variable != kernel_.variables.end() && variable->second.storage == spv::StorageClass::PushConstant) {
      const auto member = kernel_.constants.find(last);
      const Type& structure = kernel_.type(variable->second.type);
      if (in.operands.size() != 4 || member == kernel_.constants.end() || member->second >= structure.offsets.size())
        return unknown(*kernel_.module, in);
      Value value;
      value.member = structure.offsets[member->second] / 8;
      return keep(in, value);
    }
    const auto shared = shared_.find(in.operand(2));
    Value base;
    if (shared != shared_.end()) {
      if (in.operands.size() != 4) return unknown(*kernel_.module, in);
      base = uniform(shared->second);
    } else {
      // The only member of a block, which is an array, and an index in it.
      const auto first = kernel_.constants.find(in.operand(3));
      if (in.operands.size() != 5 || first == kernel_.constants.end() || first->second != 0)
        return unknown(*kernel_.module, in);
      base = variable == kernel_.variables.end() ? get(in.operand(2)) : uniform(buffer(variable->second.binding));
    }
    if (!base.value || base.spread != Spread::Uniform || !base.value->getType()->isPointerTy())
      return unknown(*kernel_.module, in);
    const Value index = get(last);
    if (!index.value) return unknown(*kernel_.module, in);
    const std::uint64_t stride = element_size(kernel_.type(in.type).element);
    if (index.spread == Spread::Varying)
      return keep(in, Value{.spread = Spread::Varying, .value = base.value, .indices = index.value});
    return keep(in, Value{.spread = index.spread, .value = offset(base.value, index.value, stride), .stride = stride});
  }

  llvm::Value* buffer(std::uint32_t index) { return index < buffers_ ? body_->getArg(index) : nullptr; }

  llvm::Value* offset(llvm::Value* base, llvm::Value* index, std::uint64_t stride) {
    llvm::Value* wide = b_.CreateSExt(index, b_.getInt64Ty());
    return b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateMul(wide, b_.getInt64(stride)));
  }

  std::uint64_t element_size(Id id) const {
    const Type& type = kernel_.type(id);
    if (type.kind == Type::Kind::Vector) return type.count * element_size(type.element);
    return type.width / 8;
  }

  Result<> load(const Instruction& in, llvm::Value* mask) {
    const Id from = in.operand(2);
    if (const auto local = locals_.find(from); local != locals_.end()) {
      llvm::Value* loaded = b_.CreateLoad(local->second->getAllocatedType(), local->second);
      return keep(in, spreads_.variables.at(from).varying ? varying(loaded) : uniform(loaded));
    }
    if (matrices_ && matrices_->has(from)) {
      if (mask || !matrices_->get(in.result, from)) return unknown(*kernel_.module, in);
      return {};
    }
    if (const auto variable = kernel_.variables.find(from); variable != kernel_.variables.end())
      return keep(in, built_in(variable->second));
    const Value pointer = get(from);
    if (pointer.member) {
      llvm::Value* parameter = buffer(*pointer.member);
      if (!parameter) return unknown(*kernel_.module, in);
      return keep(in, Value{.spread = Spread::Uniform, .value = parameter, .is_address = true});
    }
    if (!pointer.value) return unknown(*kernel_.module, in);
    const Type& type = kernel_.type(in.type);
    if (type.kind == Type::Kind::Vector) {
      llvm::Type* scalar = scalar_type(type.element);
      if (pointer.spread != Spread::Uniform || !scalar) return unknown(*kernel_.module, in);
      Value all;
      for (std::uint32_t i = 0; i < type.count; ++i) {
        const std::uint64_t size = element_size(type.element);
        llvm::Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), pointer.value, i * size);
        all.parts.push_back(b_.CreateAlignedLoad(scalar, at, llvm::Align(size)));
      }
      return keep(in, all);
    }
    llvm::Type* scalar = scalar_type(in.type);
    if (!scalar) return unknown(*kernel_.module, in);
    const llvm::Align alignment(element_size(in.type));
    switch (pointer.spread) {
      case Spread::Uniform:
        // Words of bytes are at any address, whatever the instruction says. The CPU does not care.
        return keep(in, uniform(b_.CreateAlignedLoad(scalar, pointer.value, llvm::Align(1))));
      case Spread::Linear:
        if (!mask) return keep(in, varying(b_.CreateAlignedLoad(vector_of(scalar), pointer.value, alignment)));
        return keep(in, varying(b_.CreateMaskedLoad(vector_of(scalar), pointer.value, alignment, mask,
                                                    llvm::Constant::getNullValue(vector_of(scalar)))));
      case Spread::Varying:
        break;
    }
    // Lanes that are masked off read the first element instead.
    llvm::Value* indices = pointer.indices;
    if (mask) indices = b_.CreateSelect(mask, indices, llvm::Constant::getNullValue(indices->getType()));
    llvm::Value* all = b_.CreateGEP(scalar, pointer.value, indices);
    return keep(in, varying(b_.CreateMaskedGather(vector_of(scalar), all, alignment)));
  }

  Result<> store(const Instruction& in, llvm::Value* mask) {
    const Id to = in.operand(0);
    if (matrices_ && matrices_->has(to)) {
      if (mask || !matrices_->set(to, in.operand(1))) return unknown(*kernel_.module, in);
      return {};
    }
    const Value what = get(in.operand(1));
    if (!what.value || what.is_address) return unknown(*kernel_.module, in);
    if (const auto local = locals_.find(to); local != locals_.end()) {
      const VariableSpread& spread = spreads_.variables.at(to);
      llvm::Value* stored = spread.varying ? vector(what) : what.value;
      if (spread.varying && mask && region_ != spread.owner)
        stored = b_.CreateSelect(mask, stored, b_.CreateLoad(stored->getType(), local->second));
      b_.CreateStore(stored, local->second);
      return {};
    }
    const Value pointer = get(to);
    if (!pointer.value) return unknown(*kernel_.module, in);
    const llvm::Align alignment(what.value->getType()->getScalarSizeInBits() / 8);
    switch (pointer.spread) {
      case Spread::Uniform: {
        llvm::Value* stored = what.value;
        if (what.spread != Spread::Uniform) stored = of_first_active(vector(what), mask);
        b_.CreateAlignedStore(stored, pointer.value, alignment);
        return {};
      }
      case Spread::Linear:
        if (mask)
          b_.CreateMaskedStore(vector(what), pointer.value, alignment, mask);
        else
          b_.CreateAlignedStore(vector(what), pointer.value, alignment);
        return {};
      case Spread::Varying:
        break;
    }
    llvm::Value* all = b_.CreateGEP(what.value->getType()->getScalarType(), pointer.value, pointer.indices);
    b_.CreateMaskedScatter(vector(what), all, alignment,
                           mask ? mask : llvm::Constant::getAllOnesValue(vector_of(b_.getInt1Ty())));
    return {};
  }

  llvm::Value* of_first_active(llvm::Value* all, llvm::Value* mask) {
    if (!mask) return b_.CreateExtractElement(all, std::uint64_t{0});
    llvm::Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(lanes_));
    llvm::Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
    return b_.CreateExtractElement(all, first);
  }

  std::optional<Value> built_in(const Variable& variable) {
    if (!variable.built_in) return std::nullopt;
    Value value;
    switch (*variable.built_in) {
      case spv::BuiltIn::WorkgroupId:
        value.parts = {group_, b_.getInt32(0), b_.getInt32(0)};
        return value;
      case spv::BuiltIn::NumWorkgroups:
        value.parts = {groups_, b_.getInt32(1), b_.getInt32(1)};
        return value;
      case spv::BuiltIn::LocalInvocationIndex:
        return Value{.spread = Spread::Linear, .value = first_lane_};
      case spv::BuiltIn::SubgroupLocalInvocationId:
        return Value{.spread = Spread::Linear, .value = b_.getInt32(0)};
      case spv::BuiltIn::SubgroupId:
        return uniform(b_.CreateUDiv(first_lane_, b_.getInt32(lanes_)));
      default:
        return std::nullopt;
    }
  }

  // --- expressions ---

  std::optional<Value> broadcast(const Instruction& in) {
    Value from = get(in.operand(3));
    const auto lane = kernel_.constants.find(in.operand(4));
    if (!from.value || lane == kernel_.constants.end() || lane->second >= lanes_) return std::nullopt;
    if (from.spread == Spread::Uniform) return from;
    return uniform(b_.CreateExtractElement(vector(from), lane->second));
  }

  std::optional<Value> component(const Instruction& in) {
    const Value from = get(in.operand(2));
    const std::uint32_t index = in.operand(3);
    if (index >= from.parts.size()) return std::nullopt;
    return from.spread == Spread::Uniform ? uniform(from.parts[index]) : varying(from.parts[index]);
  }

  // The low and the high half of a product.
  std::optional<Value> product(const Instruction& in) {
    const bool is_uniform = spreads_.of(in.result) == Spread::Uniform;
    const Value a = get(in.operand(2)), b = get(in.operand(3));
    if (!a.value || !b.value || a.value->getType()->getScalarSizeInBits() != 32) return std::nullopt;
    llvm::Value *left = is_uniform ? a.value : vector(a), *right = is_uniform ? b.value : vector(b);
    if (!is_uniform) {
      Value value{.spread = Spread::Varying};
      value.parts = {b_.CreateMul(left, right), high_halves(b_, target_, left, right)};
      return value;
    }
    llvm::Type *narrow = left->getType(), *wide = narrow->getWithNewBitWidth(64);
    llvm::Value* both = b_.CreateMul(b_.CreateSExt(left, wide), b_.CreateSExt(right, wide));
    Value value{.spread = is_uniform ? Spread::Uniform : Spread::Varying};
    value.parts = {b_.CreateTrunc(both, narrow), b_.CreateTrunc(b_.CreateAShr(both, 32), narrow)};
    return value;
  }

  // A uniform value plus the lane: only the value of lane 0 is computed. And addresses plus offsets.
  std::optional<Value> linear(const Instruction& in) {
    const Value a = get(in.operand(2));
    if (a.is_address) {
      const Value b = get(in.operand(3));
      if (in.op != spv::Op::OpIAdd || !b.value || b.spread != Spread::Uniform || b.is_address) return std::nullopt;
      return Value{
          .spread = Spread::Uniform, .value = b_.CreateGEP(b_.getInt8Ty(), a.value, b.value), .is_address = true};
    }
    Value result{.spread = Spread::Linear};
    if (in.op == spv::Op::OpBitcast) {
      result.value = a.value;
    } else if (in.op == spv::Op::OpSConvert) {
      result.value = b_.CreateSExtOrTrunc(a.value, scalar_type(in.type));
    } else {
      const Value b = get(in.operand(3));
      result.value = in.op == spv::Op::OpIAdd ? b_.CreateAdd(a.value, b.value) : b_.CreateSub(a.value, b.value);
    }
    return result;
  }

  std::optional<Value> extended(const Instruction& in) {
    if (in.operand(2) != kernel_.glsl) return std::nullopt;
    const bool is_uniform = spreads_.of(in.result) == Spread::Uniform;
    std::vector<llvm::Value*> x;
    for (std::size_t i = 4; i < in.operands.size(); ++i) {
      const Value value = get(in.operand(i));
      if (!value.value) return std::nullopt;
      x.push_back(is_uniform ? value.value : vector(value));
    }
    const auto result = [&](llvm::Value* value) { return is_uniform ? uniform(value) : varying(value); };
    switch (in.operand(3)) {
      case GLSLstd450Fma:
        if (target_.has_fma)
          return result(b_.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, {x[0], x[1], x[2]}));
        return result(b_.CreateFAdd(b_.CreateFMul(x[0], x[1]), x[2]));
      case GLSLstd450RoundEven:
        return result(b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x[0]));
      case GLSLstd450Floor:
        return result(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x[0]));
      case GLSLstd450Ceil:
        return result(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x[0]));
      case GLSLstd450InverseSqrt:
        return result(b_.CreateFDiv(llvm::ConstantFP::get(x[0]->getType(), 1.0),
                                    b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0])));
      case GLSLstd450FindUMsb:  // 31 minus the leading zeros
        return result(b_.CreateSub(llvm::ConstantInt::get(x[0]->getType(), 31),
                                   b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x[0], b_.getFalse())));
      default:
        return std::nullopt;
    }
  }

  std::optional<Value> arithmetic(const Instruction& in) {
    const bool is_uniform = spreads_.of(in.result) == Spread::Uniform;
    llvm::Type* type = scalar_type(in.type);
    if (!type) return std::nullopt;
    if (!is_uniform) type = vector_of(type);
    std::vector<llvm::Value*> x;
    for (std::size_t i = 2; i < in.operands.size(); ++i) {
      const Value value = get(in.operand(i));
      if (!value.value || value.is_address || value.value->getType()->isPointerTy()) return std::nullopt;
      // The condition of a selection may stay a scalar.
      const bool scalar = is_uniform || (in.op == spv::Op::OpSelect && i == 2 && value.spread == Spread::Uniform);
      x.push_back(scalar ? value.value : vector(value));
    }
    llvm::Value* value = operation(in.op, type, x);
    if (!value) return std::nullopt;
    return is_uniform ? uniform(value) : varying(value);
  }

  // Long, because it has one case per instruction.
  llvm::Value* operation(spv::Op op, llvm::Type* type, const std::vector<llvm::Value*>& x) {
    using enum spv::Op;
    switch (op) {
      case OpIAdd:
        return b_.CreateAdd(x[0], x[1]);
      case OpISub:
        return b_.CreateSub(x[0], x[1]);
      case OpIMul:
        return b_.CreateMul(x[0], x[1]);
      case OpSDiv:
        return b_.CreateSDiv(x[0], safe_divisor(x[0], x[1], true));
      case OpUDiv:
        return b_.CreateUDiv(x[0], safe_divisor(x[0], x[1], false));
      case OpFAdd:
        return b_.CreateFAdd(x[0], x[1]);
      case OpFSub:
        return b_.CreateFSub(x[0], x[1]);
      case OpFMul:
        return b_.CreateFMul(x[0], x[1]);
      case OpFDiv:
        return b_.CreateFDiv(x[0], x[1]);
      case OpBitwiseAnd:
      case OpLogicalAnd:
        return b_.CreateAnd(x[0], x[1]);
      case OpBitwiseOr:
      case OpLogicalOr:
        return b_.CreateOr(x[0], x[1]);
      case OpBitwiseXor:
      case OpLogicalNotEqual:
        return b_.CreateXor(x[0], x[1]);
      case OpNot:
      case OpLogicalNot:
        return b_.CreateNot(x[0]);
      case OpLogicalEqual:
        return b_.CreateNot(b_.CreateXor(x[0], x[1]));
      case OpShiftLeftLogical:
        return b_.CreateShl(x[0], safe_shift(x[0], x[1]));
      case OpShiftRightLogical:
        return b_.CreateLShr(x[0], safe_shift(x[0], x[1]));
      case OpShiftRightArithmetic:
        return b_.CreateAShr(x[0], safe_shift(x[0], x[1]));
      case OpIEqual:
        return b_.CreateICmpEQ(x[0], x[1]);
      case OpINotEqual:
        return b_.CreateICmpNE(x[0], x[1]);
      case OpSLessThan:
        return b_.CreateICmpSLT(x[0], x[1]);
      case OpSLessThanEqual:
        return b_.CreateICmpSLE(x[0], x[1]);
      case OpULessThan:
        return b_.CreateICmpULT(x[0], x[1]);
      case OpFOrdEqual:
        return b_.CreateFCmpOEQ(x[0], x[1]);
      case OpFUnordNotEqual:
        return b_.CreateFCmpUNE(x[0], x[1]);
      case OpFOrdLessThan:
        return b_.CreateFCmpOLT(x[0], x[1]);
      case OpFOrdLessThanEqual:
        return b_.CreateFCmpOLE(x[0], x[1]);
      case OpSelect:
        return b_.CreateSelect(x[0], x[1], x[2]);
      case OpSDot:  // of pairs
        return products_of_pairs(b_, target_, x[0], x[1]);
      case OpSConvert:
        return b_.CreateSExtOrTrunc(x[0], type);
      case OpUConvert:
        return b_.CreateZExtOrTrunc(x[0], type);
      case OpFConvert:
        return b_.CreateFPCast(x[0], type);
      case OpConvertFToS:
        return b_.CreateFPToSI(x[0], type);
      case OpConvertSToF:
        return b_.CreateSIToFP(x[0], type);
      case OpBitcast:
        return x[0]->getType()->getScalarSizeInBits() == type->getScalarSizeInBits() ? b_.CreateBitCast(x[0], type)
                                                                                     : nullptr;
      default:
        return nullptr;
    }
  }

  // A quotient that the kernel does not use must not trap.
  llvm::Value* safe_divisor(llvm::Value* dividend, llvm::Value* divisor, bool is_signed) {
    llvm::Type* type = divisor->getType();
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(divisor)) {
      const llvm::Constant* scalar = type->isVectorTy() ? constant->getSplatValue() : constant;
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(scalar);
      if (number && !number->isZero() && !number->isMinusOne()) return divisor;
    }
    llvm::Value* traps = b_.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
    if (is_signed) {
      const auto lowest = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
      traps = b_.CreateOr(traps, b_.CreateAnd(b_.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
                                              b_.CreateICmpEQ(dividend, llvm::ConstantInt::get(type, lowest))));
    }
    return b_.CreateSelect(traps, llvm::ConstantInt::get(type, 1), divisor);
  }

  // The count of bits may be a 32-bit integer beside a 64-bit one.
  llvm::Value* safe_shift(llvm::Value* value, llvm::Value* bits) {
    bits = b_.CreateZExtOrTrunc(bits, value->getType());
    return b_.CreateAnd(bits, llvm::ConstantInt::get(bits->getType(), value->getType()->getScalarSizeInBits() - 1));
  }

  const KernelModule& kernel_;
  const Spreads& spreads_;
  const cpu::Target& target_;
  std::uint32_t lanes_;
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> b_;
  llvm::Function* body_ = nullptr;
  llvm::Value *begin_ = nullptr, *end_ = nullptr, *groups_ = nullptr;
  llvm::Value *group_ = nullptr, *first_lane_ = nullptr;
  std::uint32_t buffers_ = 0;
  std::map<Id, llvm::AllocaInst*> locals_, shared_;
  std::map<Id, Value> values_;
  std::map<Id, Dot> dots_;
  std::map<llvm::ConstantInt*, llvm::Value*> opaque_;  // constants as vectors that LLVM does not know
  Region region_ = 0;
  std::unique_ptr<MatrixUnit> matrices_;  // null: the target has none
};

}  // namespace

Result<std::unique_ptr<llvm::Module>> translate(const spirv::Module& module, const cpu::Target& target,
                                                std::uint32_t buffers, llvm::LLVMContext& context) {
  SLIPWAY_TRY(const KernelModule kernel, read_kernel(module));
  if (kernel.local_size % target.lanes != 0) {
    return refused(module,
                   formatted("workgroups of {} invocations on vectors of {} lanes", kernel.local_size, target.lanes));
  }
  SLIPWAY_TRY(const Spreads spreads, analyse_spreads(kernel));
  return Translator(kernel, spreads, target, buffers, context).run();
}

}  // namespace slipway::cpu_compiler
