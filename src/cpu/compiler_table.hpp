// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program and the compiler, a shared object that is opened when a kernel is not in the cache, exchange.
//
// The object, libslipway_cpu.so, exports one C function, which returns a table. Program and object are built together
// and share C++ types. The table begins with a fingerprint of these types; the object of another build is refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace slipway::cpu {

enum class Architecture : std::uint8_t { X86, Aarch64 };

// What kernels are compiled for.
struct Target {
  Architecture architecture = Architecture::X86;
  std::string features;  // of LLVM: "+avx2,+fma"; all that the kernels may use
  std::string tuning;    // the CPU whose timing decides the order of instructions, as LLVM calls it
  std::uint32_t vector_bits = 128;
  std::uint32_t lanes = 4;           // 32-bit elements of a vector
  bool has_fma = false;              // a product and a sum, rounded once
  bool has_f16 = false;              // conversions from and to 16-bit floats
  bool has_dot_products = false;     // of 8-bit integers (VNNI: unsigned by signed ones; SDOT: signed ones)
  bool has_vector_matrices = false;  // of AArch64: products of matrices of bytes and BF16 (SMMLA, BFMMLA)
  bool has_tiles = false;            // registers of matrices, and products of such, of 8-bit integers and BF16 (AMX)
  bool operator==(const Target&) const = default;
};

// Changes if the layout of types that program and object share changes.
inline constexpr std::array<std::uint64_t, 4> kFingerprint = {5,  // of this table and of the code that is made
                                                              sizeof(Target), sizeof(Diagnostic),
                                                              sizeof(spirv::Module)};

struct CompilerTable {
  std::array<std::uint64_t, 4> fingerprint = kFingerprint;
  const char* version = "";  // of LLVM
  // A relocatable object with the function `kernel` (src/cpu_compiler/translate.hpp). `buffers`: how many the kernel
  // has. Errors: unsupported, with the name of what the compiler does not know. Any thread.
  Result<std::vector<std::byte>> (*compile)(const spirv::Module& kernel, const Target& target,
                                            std::uint32_t buffers) = nullptr;
  // The same as text: LLVM IR, or assembly.
  Result<std::string> (*print)(const spirv::Module& kernel, const Target& target, std::uint32_t buffers,
                               bool assembly) = nullptr;
};

using CompilerEntryPoint = const CompilerTable* (*)();
inline constexpr const char* kCompilerEntryPoint = "slipway_cpu_compiler";
inline constexpr const char* kCompilerFile = "libslipway_cpu.so";

}  // namespace slipway::cpu
