// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a kernel to an object: translation, a few passes of LLVM, and its code generator.
#include <mutex>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
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
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(compilation.machine->getTargetIRAnalysis()));
  add_passes(passes);
  if (compilation.machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(kernel.name()),
                formatted("kernel `{}`: LLVM cannot emit code for this machine", kernel.name()));
  }
  passes.run(*compilation.module);
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
