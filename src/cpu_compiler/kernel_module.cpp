// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/kernel_module.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"

namespace slipway::cpu_compiler {

std::unexpected<Failure> refused(const spirv::Module& module, std::string_view what) {
  return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(module.name()),
              formatted("kernel `{}`: the CPU engine does not know {}", module.name(), what));
}

std::unexpected<Failure> unknown(const spirv::Module& module, const Instruction& instruction) {
  return refused(module, formatted("the instruction {} ({})", spv::OpToString(instruction.op),
                                   static_cast<std::uint32_t>(instruction.op)));
}

namespace {

// Capabilities of instructions and types that the translation handles completely.
constexpr spv::Capability kCapabilities[] = {
    spv::Capability::Shader,
    spv::Capability::Int64,
    spv::Capability::Int16,
    spv::Capability::Int8,
    spv::Capability::Float16,
    spv::Capability::PhysicalStorageBufferAddresses,
    spv::Capability::StorageBuffer8BitAccess,
    spv::Capability::StorageBuffer16BitAccess,
    spv::Capability::GroupNonUniform,
    spv::Capability::GroupNonUniformBallot,
    spv::Capability::DotProduct,
    spv::Capability::DotProductInputAll,
    spv::Capability::DotProductInput4x8BitPacked,
    spv::Capability::CooperativeMatrixKHR,
    spv::Capability::BFloat16TypeKHR,
    spv::Capability::BFloat16CooperativeMatrixKHR,
    spv::Capability::VulkanMemoryModel,
    spv::Capability::SignedZeroInfNanPreserve,
    spv::Capability::DenormPreserve,
    spv::Capability::RoundingModeRTE,
};
constexpr spv::ExecutionMode kModes[] = {spv::ExecutionMode::LocalSize, spv::ExecutionMode::SignedZeroInfNanPreserve,
                                         spv::ExecutionMode::DenormPreserve, spv::ExecutionMode::RoundingModeRTE};
constexpr spv::BuiltIn kBuiltIns[] = {spv::BuiltIn::WorkgroupId, spv::BuiltIn::NumWorkgroups,
                                      spv::BuiltIn::LocalInvocationIndex, spv::BuiltIn::SubgroupLocalInvocationId,
                                      spv::BuiltIn::SubgroupId};

class Reader {
 public:
  explicit Reader(const spirv::Module& module) : module_(module) { kernel_.module = &module; }

  Result<KernelModule> read() {
    const std::span<const Instruction> all = module_.instructions();
    std::size_t i = 0;
    for (; i < all.size() && all[i].op != spv::Op::OpFunction; ++i) SLIPWAY_TRY_VOID(global(all[i]));
    if (i == all.size()) return refused(module_, "a module without a function");
    std::vector<const Instruction*> body;
    for (++i; i < all.size() && all[i].op != spv::Op::OpFunctionEnd; ++i) {
      if (all[i].op == spv::Op::OpFunctionParameter) return unknown(module_, all[i]);
      if (all[i].op == spv::Op::OpVariable)
        SLIPWAY_TRY_VOID(variable(all[i]));
      else
        body.push_back(&all[i]);
    }
    if (i + 1 < all.size()) return refused(module_, "more than one function");
    body_ = body;
    if (body_.empty() || body_[0]->op != spv::Op::OpLabel) return refused(module_, "a function without a body");
    at_ = 1;
    SLIPWAY_TRY_VOID(block(0, kernel_.body));
    if (at_ != body_.size()) return refused(module_, "blocks after the end of a function");
    return std::move(kernel_);
  }

 private:
  // Long, because it has one case per instruction.
  Result<> global(const Instruction& in) {
    const auto made = [&](Type type) {
      kernel_.types[in.result] = std::move(type);
      return Result<>();
    };
    switch (in.op) {
      case spv::Op::OpCapability:
        if (std::ranges::contains(kCapabilities, static_cast<spv::Capability>(in.operand(0)))) return {};
        return refused(module_, formatted("the capability {}",
                                          spv::CapabilityToString(static_cast<spv::Capability>(in.operand(0)))));
      case spv::Op::OpExtension:
      case spv::Op::OpMemoryModel:
      case spv::Op::OpEntryPoint:
      case spv::Op::OpName:
      case spv::Op::OpMemberName:
      case spv::Op::OpSource:
        return {};
      case spv::Op::OpExtInstImport:
        if (in.string(1) != "GLSL.std.450") return refused(module_, formatted("the set `{}`", in.string(1)));
        kernel_.glsl = in.result;
        return {};
      case spv::Op::OpExecutionMode:
        return mode(in);
      case spv::Op::OpDecorate:
        return decorate(in);
      case spv::Op::OpMemberDecorate:
        if (static_cast<spv::Decoration>(in.operand(2)) == spv::Decoration::Offset)
          offsets_[{in.operand(0), in.operand(1)}] = in.operand(3);
        return {};
      case spv::Op::OpTypeVoid:
        return made({.kind = Type::Kind::Void});
      case spv::Op::OpTypeFunction:
        return made({.kind = Type::Kind::Function});
      case spv::Op::OpTypeBool:
        return made({.kind = Type::Kind::Bool});
      case spv::Op::OpTypeInt:
        return made({.kind = Type::Kind::Int, .width = in.operand(1)});
      case spv::Op::OpTypeFloat:
        if (in.operands.size() > 2 && static_cast<spv::FPEncoding>(in.operand(2)) != spv::FPEncoding::BFloat16KHR)
          return refused(module_, "an encoding of floats");
        return made({.kind = Type::Kind::Float, .width = in.operand(1), .is_bfloat = in.operands.size() > 2});
      case spv::Op::OpTypeVector:
        return made({.kind = Type::Kind::Vector, .count = in.operand(2), .element = in.operand(1)});
      case spv::Op::OpTypeRuntimeArray:
        return made({.kind = Type::Kind::Array, .element = in.operand(1), .stride = strides_[in.result]});
      case spv::Op::OpTypeArray:
        return made({.kind = Type::Kind::Array, .count = number(in.operand(2)), .element = in.operand(1)});
      case spv::Op::OpTypeCooperativeMatrixKHR:
        return made({.kind = Type::Kind::Matrix,
                     .count = number(in.operand(4)),
                     .rows = number(in.operand(3)),
                     .use = number(in.operand(5)),
                     .element = in.operand(1)});
      case spv::Op::OpTypeStruct: {
        Type type{.kind = Type::Kind::Struct};
        for (std::size_t m = 1; m < in.operands.size(); ++m) {
          type.members.push_back(in.operand(m));
          type.offsets.push_back(offsets_[{in.result, static_cast<std::uint32_t>(m - 1)}]);
        }
        return made(std::move(type));
      }
      case spv::Op::OpTypePointer:
        return made({.kind = Type::Kind::Pointer,
                     .element = in.operand(2),
                     .storage = static_cast<spv::StorageClass>(in.operand(1))});
      case spv::Op::OpConstantTrue:
      case spv::Op::OpConstantFalse:
        return constant(in, in.op == spv::Op::OpConstantTrue ? 1 : 0);
      case spv::Op::OpConstant:
        return constant(in, in.operand(2) | std::uint64_t{in.operand(3)} << 32);
      case spv::Op::OpConstantNull:
        return {};
      case spv::Op::OpConstantComposite: {
        if (kernel_.type(in.type).kind == Type::Kind::Vector) return {};
        const auto element = kernel_.constants.find(in.operand(2));
        const bool is_matrix = kernel_.type(in.type).kind == Type::Kind::Matrix;
        if (!is_matrix || in.operands.size() != 3 || element == kernel_.constants.end() || element->second != 0)
          return unknown(module_, in);
        kernel_.zero_matrices.insert(in.result);
        return {};
      }
      case spv::Op::OpVariable:
        return variable(in);
      default:
        return unknown(module_, in);
    }
  }

  // The value of a constant integer; 0 for any other id.
  std::uint32_t number(Id id) const {
    const auto known = kernel_.constants.find(id);
    return known == kernel_.constants.end() ? 0 : static_cast<std::uint32_t>(known->second);
  }

  Result<> constant(const Instruction& in, std::uint64_t bits) {
    kernel_.constants[in.result] = bits;
    kernel_.constant_types[in.result] = in.type;
    return {};
  }

  Result<> mode(const Instruction& in) {
    const auto mode = static_cast<spv::ExecutionMode>(in.operand(1));
    if (!std::ranges::contains(kModes, mode))
      return refused(module_, formatted("the execution mode {}", spv::ExecutionModeToString(mode)));
    if (mode != spv::ExecutionMode::LocalSize) return {};
    kernel_.local_size = in.operand(2);
    if (in.operand(3) != 1 || in.operand(4) != 1) return refused(module_, "workgroups of several dimensions");
    return {};
  }

  Result<> decorate(const Instruction& in) {
    switch (static_cast<spv::Decoration>(in.operand(1))) {
      case spv::Decoration::ArrayStride:
        strides_[in.operand(0)] = in.operand(2);
        return {};
      case spv::Decoration::BuiltIn:
        built_ins_[in.operand(0)] = static_cast<spv::BuiltIn>(in.operand(2));
        return {};
      case spv::Decoration::Binding:
        bindings_[in.operand(0)] = in.operand(2);
        return {};
      case spv::Decoration::Block:
      case spv::Decoration::DescriptorSet:
      case spv::Decoration::NonWritable:
      case spv::Decoration::NonReadable:
      case spv::Decoration::NoContraction:  // nothing is contracted here
        return {};
      default:
        return refused(module_, formatted("the decoration {}",
                                          spv::DecorationToString(static_cast<spv::Decoration>(in.operand(1)))));
    }
  }

  Result<> variable(const Instruction& in) {
    const auto pointer = kernel_.types.find(in.type);
    if (pointer == kernel_.types.end() || in.operands.size() > 3) return unknown(module_, in);
    Variable variable{.type = pointer->second.element, .storage = static_cast<spv::StorageClass>(in.operand(2))};
    switch (variable.storage) {
      case spv::StorageClass::Function:
      case spv::StorageClass::PushConstant:
      case spv::StorageClass::Workgroup:
        break;
      case spv::StorageClass::StorageBuffer:
        variable.binding = bindings_[in.result];
        break;
      case spv::StorageClass::Input: {
        const auto built_in = built_ins_.find(in.result);
        if (built_in == built_ins_.end() || !std::ranges::contains(kBuiltIns, built_in->second))
          return refused(module_, built_in == built_ins_.end()
                                      ? "an input that is not built in"
                                      : formatted("the built-in {}", spv::BuiltInToString(built_in->second)));
        variable.built_in = built_in->second;
        break;
      }
      default:
        return refused(module_, formatted("the storage class {}", spv::StorageClassToString(variable.storage)));
    }
    kernel_.variables[in.result] = variable;
    return {};
  }

  // --- control flow ---

  const Instruction& next() const { return *body_[at_]; }
  bool is(spv::Op op) const { return at_ < body_.size() && next().op == op; }
  Result<> expect_label(Id label) {
    if (!is(spv::Op::OpLabel) || next().result != label) return refused(module_, "this form of control flow");
    ++at_;
    return {};
  }

  // Reads until the branch to `end`, or the end of the function if that is 0.
  Result<> block(Id end, Block& block) {
    while (at_ < body_.size()) {
      const Instruction& in = next();
      switch (in.op) {
        case spv::Op::OpReturn:
          ++at_;
          if (end != 0) return refused(module_, "a return inside a block");
          return {};
        case spv::Op::OpBranch:
          ++at_;
          if (in.operand(0) == end) return {};
          SLIPWAY_TRY_VOID(loop(in.operand(0), block));
          break;
        case spv::Op::OpSelectionMerge:
          ++at_;
          SLIPWAY_TRY_VOID(selection(in.operand(0), block));
          break;
        case spv::Op::OpLabel:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpLoopMerge:
        case spv::Op::OpSwitch:
        case spv::Op::OpPhi:
        case spv::Op::OpUnreachable:
        case spv::Op::OpKill:
          return refused(module_, formatted("{} here", spv::OpToString(in.op)));
        default:
          block.push_back({&in});
          ++at_;
      }
    }
    return refused(module_, "a block without an end");
  }

  Result<> selection(Id merge, Block& block_of) {
    if (!is(spv::Op::OpBranchConditional) || next().operand(2) != merge)
      return refused(module_, "a selection with two sides");
    If made{.condition = next().operand(0), .body = {}};
    const Id inside = next().operand(1);
    ++at_;
    SLIPWAY_TRY_VOID(expect_label(inside));
    SLIPWAY_TRY_VOID(block(merge, made.body));
    SLIPWAY_TRY_VOID(expect_label(merge));
    block_of.push_back({std::move(made)});
    return {};
  }

  Result<> loop(Id header, Block& block_of) {
    SLIPWAY_TRY_VOID(expect_label(header));
    if (!is(spv::Op::OpLoopMerge)) return wait(header, block_of);
    const Id merge = next().operand(0), step = next().operand(1);
    ++at_;
    if (!is(spv::Op::OpBranch)) return refused(module_, "this form of a loop");
    const Id test = next().operand(0);
    ++at_;
    SLIPWAY_TRY_VOID(expect_label(test));
    Loop made{.test = {}, .condition = 0, .body = {}, .step = {}};
    for (; at_ < body_.size() && !is(spv::Op::OpBranchConditional); ++at_) {
      if (is(spv::Op::OpLabel) || is(spv::Op::OpBranch) || is(spv::Op::OpSelectionMerge))
        return refused(module_, "control flow in the test of a loop");
      made.test.push_back({&next()});
    }
    if (at_ == body_.size() || next().operand(2) != merge) return refused(module_, "this form of a loop");
    made.condition = next().operand(0);
    const Id inside = next().operand(1);
    ++at_;
    SLIPWAY_TRY_VOID(expect_label(inside));
    SLIPWAY_TRY_VOID(block(step, made.body));
    SLIPWAY_TRY_VOID(expect_label(step));
    SLIPWAY_TRY_VOID(block(header, made.step));
    SLIPWAY_TRY_VOID(expect_label(merge));
    block_of.push_back({std::move(made)});
    return {};
  }

  // Kernel::wait_for_stage.
  Result<> wait(Id header, Block& block_of) {
    Loop made{.test = {}, .condition = 0, .body = {}, .step = {}, .waits = true};
    for (; at_ < body_.size() && !is(spv::Op::OpLoopMerge) && !is(spv::Op::OpLabel); ++at_)
      made.test.push_back({&next()});
    if (!is(spv::Op::OpLoopMerge)) return refused(module_, "this form of a loop");
    const Id merge = next().operand(0), again = next().operand(1);
    ++at_;
    if (!is(spv::Op::OpBranchConditional) || next().operand(1) != merge || next().operand(2) != again)
      return refused(module_, "this form of a loop");
    made.condition = next().operand(0);
    ++at_;
    SLIPWAY_TRY_VOID(expect_label(again));
    if (!is(spv::Op::OpBranch) || next().operand(0) != header) return refused(module_, "this form of a loop");
    ++at_;
    SLIPWAY_TRY_VOID(expect_label(merge));
    block_of.push_back({std::move(made)});
    return {};
  }

  const spirv::Module& module_;
  KernelModule kernel_;
  std::map<Id, std::uint32_t> strides_, bindings_;
  std::map<Id, spv::BuiltIn> built_ins_;
  std::map<std::pair<Id, std::uint32_t>, std::uint32_t> offsets_;
  std::vector<const Instruction*> body_;
  std::size_t at_ = 0;
};

}  // namespace

Result<KernelModule> read_kernel(const spirv::Module& module) { return Reader(module).read(); }

}  // namespace slipway::cpu_compiler
