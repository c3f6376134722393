// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/compile.hpp"

#include <algorithm>
#include <chrono>

#include "base/format.hpp"
#include "base/sha256.hpp"
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

// Whether the same variant has the same modules and interface with both.
bool same_outputs(const CompileOptions& a, const CompileOptions& b) {
  return a.entry_points == b.entry_points && a.resolve == b.resolve && a.spirv == b.spirv && a.optimize == b.optimize &&
         a.skip_attributes == b.skip_attributes && a.skip_sets == b.skip_sets;
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
  keep_of(program, options);
  const Code* const made_code = code(options, spent, diagnostics);
  if (!made_code) return std::nullopt;
  Compiled made;
  made.modules = made_code->modules;
  made.metadata = timed(spent.metadata, [&] {
    Metadata metadata = emit_metadata(
        *resolved_,
        {.target = options.spirv.target, .skip_attributes = options.skip_attributes, .skip_sets = options.skip_sets});
    for (std::size_t i = 0; i < made.modules.size(); ++i) {
      add_code(metadata, *resolved_, made.modules[i], module_file(*resolved_, made.modules[i], options),
               made_code->sha256[i]);
    }
    const auto [known, fresh] = interface_hashes_.try_emplace(resolved_->consulted.interface.hash);
    if (fresh) known->second = interface_hash_of(metadata);
    seal(metadata, known->second);
    return metadata;
  });
  return made;
}

void Compiler::keep_of(const Program& program, const CompileOptions& options) {
  // Some ten kilobytes each, in each compiler of each program of an engine.
  constexpr std::size_t kMaxKept = 16;
  const auto same_source = [](const ProgramSource& a, const ProgramSource& b) {
    return a.text == b.text && a.module == b.module;
  };
  if (std::ranges::equal(sources_, program.sources, same_source) && same_outputs(options_, options) &&
      codes_.size() < kMaxKept) {
    return;
  }
  codes_.clear();
  interface_hashes_.clear();
  sources_ = program.sources;  // owned, so that no other source can get the same address
  options_ = options;
}

const Compiler::Code* Compiler::code(const CompileOptions& options, CompileTimes& spent, Diagnostics& diagnostics) {
  Consulted key;
  key.mix(resolved_->consulted.interface.hash);
  for (const Consulted& stage : resolved_->consulted.stages) key.mix(stage.hash);
  const auto [known, fresh] = codes_.try_emplace(key.hash);
  Code& made = known->second;
  if (!fresh) return &made;
  made.modules = timed(spent.spirv, [&] { return emitter_.emit(*resolved_, options.spirv); });
  if (options.optimize) {
    const Result<> optimized =
        timed(spent.optimize, [&] { return options.optimize(made.modules, options.spirv.target); });
    if (!optimized) {
      diagnostics.add(optimized.error());
      codes_.erase(known);
      return nullptr;
    }
  }
  for (const SpirvModule& module : made.modules) {
    made.sha256.push_back(sha256_text(std::as_bytes(std::span(module.words))));
  }
  return &made;
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
