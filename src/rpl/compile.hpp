// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One variant of a program, from sources to outputs: parse, resolve, metadata, SPIR-V (docs/spec/rpl.md#decision-17).
//
//   const Program program = parse(modules, diagnostics);
//   Compiler compiler;                                // keeps its memory; one per thread
//   if (std::optional<Compiled> made = compiler.compile(program, assignment, options, diagnostics)) ...
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "rpl/emit/emit_spirv.hpp"
#include "rpl/metadata/emit_metadata.hpp"
#include "rpl/resolve.hpp"

namespace slipway::rpl {

struct CompileOptions {
  std::vector<EntryPointName> entry_points;  // empty: metadata only
  ResolveOptions resolve;
  SpirvOptions spirv;
  // Changes the modules before they are hashed: optimize_modules (emit/optimize.hpp); null: they stay as they are.
  Result<> (*optimize)(std::span<SpirvModule> modules, Target target) = nullptr;
  bool skip_attributes = false;
  bool skip_sets = false;
  // Names of the modules in the metadata: `STEM.spv`, or `STEM.vertex.spv` with split stages.
  std::string stem = "out";
};

struct Compiled {
  Metadata metadata;
  std::vector<SpirvModule> modules;  // in the order of metadata.code
};

// Microseconds.
struct CompileTimes {
  double resolve = 0, metadata = 0, spirv = 0, optimize = 0;
};

class Compiler {
 public:
  // Empty when there are errors.
  std::optional<Compiled> compile(const Program& program, const Assignment& assignment, const CompileOptions& options,
                                  Diagnostics& diagnostics, CompileTimes* times = nullptr);
  // The resolved program of the last call; null when it failed.
  const Resolved* resolved() const { return resolved_; }
  std::span<const OptionId> read_order() const { return resolver_.read_order(); }

 private:
  // What variants of a program share, by the hash of the values that decide it (Consulted): equal hashes, equal
  // outputs.
  struct Code {
    std::vector<SpirvModule> modules;
    std::vector<std::string> sha256;
  };
  void keep_of(const Program& program, const CompileOptions& options);
  // Null for modules that cannot be optimized.
  const Code* code(const CompileOptions& options, CompileTimes& spent, Diagnostics& diagnostics);

  Resolver resolver_;
  SpirvEmitter emitter_;
  const Resolved* resolved_ = nullptr;
  // Of the last program and its options; other ones clear it.
  std::vector<ProgramSource> sources_;
  CompileOptions options_;
  std::unordered_map<std::uint64_t, Code> codes_;
  std::unordered_map<std::uint64_t, std::string> interface_hashes_;
};

// The name of the file that holds a module.
std::string module_file(const Resolved& resolved, const SpirvModule& module, const CompileOptions& options);

// One module per file, or one module of all files; messages and metadata show the names.
std::vector<ModuleSources> modules_of(std::vector<SourcePtr> sources, bool one_module);

}  // namespace slipway::rpl
