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
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>

#include "base/format.hpp"
#include "cpu_compiler/translate.hpp"

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
}

namespace slipway::cpu_compiler {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

const llvm::Target* llvm_target() {
  static const llvm::Target* const found = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    // LLVM would add products of integers to each other before their sum, to shorten the way through a loop. A tile has
    // enough sums to hide that, and spills them when it also has to keep products.
    constexpr const char* kOptions[] = {"slipway", "-x86-machine-combiner=0"};
    llvm::cl::ParseCommandLineOptions(std::size(kOptions), kOptions);
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
  }();
  return found;
}

std::unique_ptr<llvm::TargetMachine> machine_for(const cpu::Target& target) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // kernels say where a product and a sum are rounded once
  return std::unique_ptr<llvm::TargetMachine>(
      llvm_target()->createTargetMachine(llvm::Triple(kTriple), "x86-64", target.features, options, llvm::Reloc::PIC_,
                                         llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

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
  compilation.module->setTargetTriple(llvm::Triple(kTriple));
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
