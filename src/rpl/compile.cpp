// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/compile.hpp"

#include <chrono>

#include "base/format.hpp"
#include "rpl/metadata/metadata_json.hpp"

namespace slipway::rpl {
namespace {

// Runs a step and adds the time that it takes.
template <class F>
auto timed(double& microseconds, F&& step) {
  const auto start = std::chrono::steady_clock::now();
  auto result = step();
  microseconds += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

std::optional<Compiled> Compiler::compile(const Program& program, const Assignment& assignment,
                                          const CompileOptions& options, Diagnostics& diagnostics,
                                          CompileTimes* times) {
  CompileTimes own;
  CompileTimes& spent = times ? *times : own;
  resolved_ = timed(spent.resolve, [&] {
    return resolver_.resolve(program, assignment, options.entry_points, options.resolve, diagnostics);
  });
  if (!resolved_) return std::nullopt;
  Compiled made;
  made.modules = timed(spent.spirv, [&] { return emitter_.emit(*resolved_, options.spirv); });
  if (options.optimize) {
    const Result<> optimized =
        timed(spent.optimize, [&] { return optimize_modules(made.modules, options.spirv.target); });
    if (!optimized) {
      diagnostics.add(optimized.error());
      return std::nullopt;
    }
  }
  made.metadata = timed(spent.metadata, [&] {
    Metadata metadata = emit_metadata(
        *resolved_,
        {.target = options.spirv.target, .skip_attributes = options.skip_attributes, .skip_sets = options.skip_sets});
    for (const SpirvModule& module : made.modules) {
      add_code(metadata, *resolved_, module, module_file(*resolved_, module, options));
    }
    seal(metadata);
    return metadata;
  });
  return made;
}

Result<> optimize_modules(std::span<SpirvModule> modules, Target target) {
  for (SpirvModule& module : modules) {
    Result<spirv::Words> optimized = optimize_spirv(module, target);
    if (!optimized) return std::unexpected(std::move(optimized.error()));
    module.words = std::move(*optimized);
  }
  return {};
}

std::string module_file(const Resolved& resolved, const SpirvModule& module, const CompileOptions& options) {
  if (!options.spirv.split_stages) return options.stem + ".spv";
  return formatted("{}.{}.spv", options.stem, name_of(resolved.entry_points[module.entry_points.front()].stage));
}

std::vector<ModuleSources> modules_of(std::vector<SourcePtr> sources, bool one_module) {
  std::vector<ModuleSources> modules;
  for (SourcePtr& source : sources) {
    if (modules.empty() || !one_module) modules.push_back({source->name(), {}});
    modules.back().sources.push_back(std::move(source));
  }
  return modules;
}

}  // namespace slipway::rpl
