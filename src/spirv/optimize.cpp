// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer of SPIRV-Tools, in a file of its own: what does not optimize is linked without it.
#include <spirv-tools/optimizer.hpp>

#include "base/format.hpp"
#include "spirv/tools_library.hpp"

namespace slipway::spirv {

Result<Words> optimize(WordSpan words, const std::string& name, Optimize goal, Environment environment) {
  // The optimizer trusts its input, so that it is validated first.
  if (Result<> valid = validate(words, name, Environment::Universal16); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  spvtools::Optimizer optimizer(target_of(environment));
  LibraryError error;
  optimizer.SetMessageConsumer(error.consumer());
  constexpr bool kKeepInterface = true;  // bindings are checked against what the shader declares
  if (goal == Optimize::Performance) {
    optimizer.RegisterPerformancePasses(kKeepInterface);
  } else {
    optimizer.RegisterSizePasses(kKeepInterface);
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  Words optimized;
  if (optimizer.Run(words.data(), words.size(), &optimized, options)) return optimized;
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
              formatted("the optimizer failed on the SPIR-V module: {}", error.first_line()));
}

}  // namespace slipway::spirv
