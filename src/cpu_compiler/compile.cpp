// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a kernel to an object: translation, a few passes of LLVM, and its code generator.
#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

#include "base/format.hpp"
#include "cpu_compiler/machine.hpp"
#include "cpu_compiler/translate.hpp"

namespace slipway::cpu_compiler {
namespace {

// Variables become registers first; everything else needs that. What loops repeat is moved out of them last, when
// addresses are simplified.
void add_passes(llvm::legacy::PassManager& passes) {
  passes.add(llvm::createSROAPass());
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createInstructionCombiningPass());
  passes.add(llvm::createCFGSimplificationPass());
  passes.add(llvm::createLICMPass());
  passes.add(llvm::createGVNPass());
  passes.add(llvm::createInstructionCombiningPass());
  passes.add(llvm::createCFGSimplificationPass());
  passes.add(llvm::createLICMPass());
}

// Loads of neighbours become one load of a vector. Instructions of AArch64 multiply by an element of a vector; those of
// x86-64 take it from memory.
void join_loads(llvm::legacy::PassManager& passes) {
  passes.add(llvm::createLoadStoreVectorizerPass());
  passes.add(llvm::createInstructionCombiningPass());
}

// The only lane that a mask selects, if it is a constant that selects one. LLVM does not store undefined lanes.
std::optional<unsigned> only_lane(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant) return std::nullopt;
  std::optional<unsigned> only;
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const llvm::Constant* selected = constant->getAggregateElement(lane);
    if (!selected) return std::nullopt;
    if (llvm::isa<llvm::UndefValue>(selected) || selected->isZeroValue()) continue;
    if (only) return std::nullopt;
    only = lane;
  }
  return only;
}

// LLVM 22 makes one instruction of narrowing and a masked store. If the mask is a constant that selects one lane, that
// instruction stores the element before it was narrowed, over the bytes after it. Such stores become those of a scalar.
void replace_stores_of_one_lane(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    const auto lane = only_lane(store->getArgOperand(store->arg_size() - 1));
    if (!lane) continue;
    llvm::Value *vector = store->getArgOperand(0), *first = store->getArgOperand(1);
    llvm::Type* element = vector->getType()->getScalarType();
    llvm::IRBuilder<> b(store);
    b.CreateAlignedStore(b.CreateExtractElement(vector, *lane), b.CreateConstGEP1_32(element, first, *lane),
                         llvm::Align(element->getScalarSizeInBits() / 8));
    store->eraseFromParent();
  }
}

struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

Result<> begin(Compilation& compilation, const spirv::Module& kernel, const cpu::Target& target,
               std::uint32_t buffers) {
  SLIPWAY_TRY(compilation.module, translate(kernel, target, buffers, compilation.context));
  compilation.machine = machine_for(target);
  if (!compilation.machine) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(kernel.name()),
                formatted("kernel `{}`: this compiler has no code generator for that architecture", kernel.name()));
  }
  compilation.module->setTargetTriple(compilation.machine->getTargetTriple());
  compilation.module->setDataLayout(compilation.machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream text(problem);
  if (llvm::verifyModule(*compilation.module, &text)) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(kernel.name()),
                formatted("kernel `{}`: the CPU engine made invalid code: {}", kernel.name(), problem));
  }
  return {};
}

Result<std::vector<std::byte>> emit(const spirv::Module& kernel, const cpu::Target& target, std::uint32_t buffers,
                                    llvm::CodeGenFileType type) {
  Compilation compilation;
  SLIPWAY_TRY_VOID(begin(compilation, kernel, target, buffers));
  const auto passes_for_target = [&](llvm::legacy::PassManager& passes) {
    passes.add(llvm::createTargetTransformInfoWrapperPass(compilation.machine->getTargetIRAnalysis()));
  };
  llvm::legacy::PassManager simplification, emission;
  passes_for_target(simplification);
  add_passes(simplification);
  simplification.run(*compilation.module);
  for (llvm::Function& function : *compilation.module) replace_stores_of_one_lane(function);
  if (target.architecture == cpu::Architecture::Aarch64) {
    llvm::legacy::PassManager loads;
    passes_for_target(loads);
    join_loads(loads);
    loads.run(*compilation.module);
  }
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  passes_for_target(emission);
  if (compilation.machine->addPassesToEmitFile(emission, stream, nullptr, type)) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(kernel.name()),
                formatted("kernel `{}`: LLVM cannot emit code for this machine", kernel.name()));
  }
  emission.run(*compilation.module);
  const auto* first = reinterpret_cast<const std::byte*>(code.data());
  return std::vector<std::byte>(first, first + code.size());
}

Result<std::vector<std::byte>> compile(const spirv::Module& kernel, const cpu::Target& target, std::uint32_t buffers) {
  return emit(kernel, target, buffers, llvm::CodeGenFileType::ObjectFile);
}

Result<std::string> print(const spirv::Module& kernel, const cpu::Target& target, std::uint32_t buffers,
                          bool assembly) {
  if (assembly) {
    return emit(kernel, target, buffers, llvm::CodeGenFileType::AssemblyFile)
        .transform([](const std::vector<std::byte>& code) {
          return std::string(reinterpret_cast<const char*>(code.data()), code.size());
        });
  }
  Compilation compilation;
  SLIPWAY_TRY_VOID(begin(compilation, kernel, target, buffers));
  std::string text;
  llvm::raw_string_ostream stream(text);
  compilation.module->print(stream, nullptr);
  return text;
}

}  // namespace
}  // namespace slipway::cpu_compiler

extern "C" [[gnu::visibility("default")]] const slipway::cpu::CompilerTable* slipway_cpu_compiler() {
  static const slipway::cpu::CompilerTable table = {
      .version = LLVM_VERSION_STRING, .compile = slipway::cpu_compiler::compile, .print = slipway::cpu_compiler::print};
  return &table;
}
