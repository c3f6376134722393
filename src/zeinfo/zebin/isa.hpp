// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of kernels, through Intel's assembler library (libiga64), which is opened when they are asked for
// (docs/spec/zeinfo.md#instructions).
//
//   const Result<IsaLibrary> library = IsaLibrary::open();
//   if (library) add_instructions(input, *library, diagnostics);   // then in input.target.code
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "zeinfo/target.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::zebin {

struct IsaListing {
  std::string text;
  std::uint64_t instructions = 0;  // without those that do nothing
  std::uint64_t sends = 0;         // of them: messages to memory, samplers, gateways
  std::string problem;             // why the text ends early; empty: it is complete
};

class IsaLibrary {
 public:
  // Opens the library that SLIPWAY_IGA names, or that of the system. Errors: no-backend, with what to install.
  static Result<IsaLibrary> open();

  // The instructions of a code section; zeros after the last one are not read. Errors: unsupported for a device that
  // the library does not know, no-backend if a call fails.
  Result<IsaListing> disassemble(Bytes code, const zeinfo::Target& target) const;

  struct Functions;

 private:
  explicit IsaLibrary(std::shared_ptr<const Functions> functions) : functions_(std::move(functions)) {}
  std::shared_ptr<const Functions> functions_;
};

// The counts and the text of a listing as the library prints it.
IsaListing listing_of(std::string_view text);

// Adds the instructions of each code section to the target of a zebin. Errors: those of `disassemble`, once for an
// input. A listing that ends early is a warning.
void add_instructions(Input& input, const IsaLibrary& library, Diagnostics& diagnostics);

}  // namespace slipway::zebin
