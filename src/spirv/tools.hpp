// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIRV-Tools: validation, text to words and back, optimisation. All of it runs in the sandbox (sandbox/sandbox.hpp); a
// module on which SPIRV-Tools crashes, or for which it needs too much time or memory, is an error like any other.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "sandbox/sandbox.hpp"
#include "spirv/environment.hpp"
#include "spirv/module.hpp"

namespace slipway::spirv {

// The rules for the offsets and strides of blocks: what devices with all features accept, or what all devices accept.
enum class BlockLayout { Scalar, Standard };

// A problem is a file-format error `Failed to validate SPIR-V module: ...` at the instruction concerned. Block layouts
// may be scalar: whether a device accepts them depends on its features.
Result<> validate(WordSpan words, const std::string& name, Environment environment = Environment::Vulkan13,
                  BlockLayout layout = BlockLayout::Scalar);
// Adds the problem, or a note that SPIRV-Tools does not know an extension of the module, so that `validate` accepts it
// unread. Returns whether it found no problem.
bool check_module(WordSpan words, const std::string& name, Diagnostics& diagnostics,
                  Environment environment = Environment::Vulkan13);

// Text assembly to words of SPIR-V 1.6. Errors: shader-compile, at the line and column of the source.
Result<Words> assemble(const SourcePtr& source);

// Disassembling and optimizing a module with an extension that SPIRV-Tools does not know is an error: unsupported.
struct DisassembleOptions {
  bool friendly_names = true;
  bool indent = true;
  bool header = false;
  bool offsets = false;  // byte offsets after the instructions
};
Result<std::string> disassemble(WordSpan words, const std::string& name, const DisassembleOptions& options = {});

enum class Optimize { Performance, Size };
Result<Words> optimize(WordSpan words, const std::string& name, Optimize goal = Optimize::Performance,
                       Environment environment = Environment::Vulkan13);

// What a sandbox process serves.
extern const sandbox::Service kValidateService, kAssembleService, kDisassembleService, kOptimizeService;

}  // namespace slipway::spirv
