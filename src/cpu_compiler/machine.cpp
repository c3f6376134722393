// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/machine.hpp"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetMachine.h>

// CMake says which code generators are linked (SLIPWAY_LLVM_X86, SLIPWAY_LLVM_AARCH64).
#define CODE_GENERATOR(name)               \
  extern "C" {                             \
  void LLVMInitialize##name##TargetInfo(); \
  void LLVMInitialize##name##Target();     \
  void LLVMInitialize##name##TargetMC();   \
  void LLVMInitialize##name##AsmPrinter(); \
  }                                        \
  static void initialize_##name() {        \
    LLVMInitialize##name##TargetInfo();    \
    LLVMInitialize##name##Target();        \
    LLVMInitialize##name##TargetMC();      \
    LLVMInitialize##name##AsmPrinter();    \
  }
#if SLIPWAY_LLVM_X86
CODE_GENERATOR(X86)
#endif
#if SLIPWAY_LLVM_AARCH64
CODE_GENERATOR(AArch64)
#endif

namespace slipway::cpu_compiler {
namespace {

const llvm::Target* llvm_target(const char* triple) {
  [[maybe_unused]] static const bool initialized = [] {
#if SLIPWAY_LLVM_X86
    initialize_X86();
    // LLVM would add products of integers to each other before their sum, to shorten the way through a loop. A tile has
    // enough sums to hide that, and spills them when it also has to keep products.
    static constexpr const char* kOptions[] = {"slipway", "-x86-machine-combiner=0"};
    llvm::cl::ParseCommandLineOptions(std::size(kOptions), kOptions);
#endif
#if SLIPWAY_LLVM_AARCH64
    initialize_AArch64();
    // LLVM would bring loads of neighbours together also where each is used much later than the one before it: of a row
    // of A, whose vectors then do not fit into the registers. It reads this option for AArch64 only.
    static constexpr const char* kOptionsOfAarch64[] = {"slipway", "-misched-cluster=0"};
    llvm::cl::ParseCommandLineOptions(std::size(kOptionsOfAarch64), kOptionsOfAarch64);
#endif
    return true;
  }();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> machine_for(const cpu::Target& target) {
  const bool is_x86 = target.architecture == cpu::Architecture::X86;
  const char* triple = is_x86 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu";
  const llvm::Target* found = llvm_target(triple);
  if (!found) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // kernels say where a product and a sum are rounded once
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(llvm::Triple(triple), is_x86 ? "x86-64" : "generic", target.features, options,
                                 llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

}  // namespace slipway::cpu_compiler
