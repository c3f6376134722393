// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer of SPIRV-Tools, in a file of its own: what does not optimize is linked without it.
#include <spirv-tools/optimizer.hpp>

#include "base/format.hpp"
#include "spirv/tools.hpp"
#include "spirv/tools_library.hpp"

namespace slipway::spirv {

namespace {

struct OptimizeOptions {
  Optimize goal;
  Environment environment;
};

std::vector<std::byte> run_optimize(Bytes request, const sandbox::Ask&) {
  ByteReader reader(request);
  const auto chosen = reader.read<OptimizeOptions>();
  const Words words = rest_as_words(reader);
  spvtools::Optimizer optimizer(target_of(chosen.environment));
  LibraryError error;
  optimizer.SetMessageConsumer(error.consumer());
  constexpr bool kKeepInterface = true;  // bindings are checked against what the shader declares
  if (chosen.goal == Optimize::Performance) {
    optimizer.RegisterPerformancePasses(kKeepInterface);
  } else {
    optimizer.RegisterSizePasses(kKeepInterface);
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  Words optimized;
  const bool done = optimizer.Run(words.data(), words.size(), &optimized, options);
  ByteWriter reply;
  reply.write(done);
  if (done)
    reply.append(bytes_of_words(optimized));
  else
    error.write_to(reply);
  return reply.release();
}

}  // namespace

const sandbox::Service kOptimizeService = {"spirv-optimize", "the SPIR-V optimizer", run_optimize};

Result<Words> optimize(WordSpan words, const std::string& name, Optimize goal, Environment environment) {
  SLIPWAY_TRY_VOID(require_known(words, name));
  // The optimizer trusts its input, so that it is validated first.
  if (Result<> valid = validate(words, name, Environment::Universal16); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  const OptimizeOptions options{goal, environment};
  const auto reply = sandbox::call(kOptimizeService, {std::as_bytes(std::span(&options, 1)), bytes_of_words(words)});
  if (!reply)
    return fail(reply.error().kind(DiagnosticKind::FileFormat), SourceLocation::in_file(name), reply.error().text);
  ByteReader reader(*reply);
  if (reader.read<std::uint8_t>() == 1) return rest_as_words(reader);
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
              formatted("the optimizer failed on the SPIR-V module: {}", LibraryError::read_from(reader).first_line()));
}

}  // namespace slipway::spirv
