// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the modules of a resolved program: with all entry points in one, or one for each.
//
// The classes of a module are in module/, those of a function in function/. Their state is that of one module, one
// entry point or one function, and begins anew with each (`begin_module`...); only memory stays.
#pragma once

#include <span>
#include <vector>

#include "rpl/emit/function/function.hpp"

namespace slipway::rpl::emit {

class Emitter {
 public:
  Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  std::vector<SpirvModule> emit(const Resolved& program, const SpirvOptions& options);

 private:
  spirv::Words emit_module(std::span<const std::uint32_t> entry_points);
  void emit_entry_point(const EntryPoint& entry);
  // What an entry point writes before its own code.
  void write_missing_state();
  void write_default_depth();
  void add_modes(Id entry_point);

  Emission emission_;
  ModuleTypes types_{emission_};
  ModuleVariables variables_{emission_, types_};
  SourceLines lines_{emission_};
  FunctionEmitter functions_{emission_, types_, variables_, lines_};
};

}  // namespace slipway::rpl::emit
