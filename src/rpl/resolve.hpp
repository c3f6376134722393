// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolving: one variant of a program, with names bound and all compile-time constructs evaluated.
//
//   Resolver resolver;                       // keeps its memory between calls
//   if (const Resolved* variant = resolver.resolve(program, assignment, entries, settings, diagnostics))
//   emit(*variant);
//
// The kinds of diagnostics are those of docs/spec/rpl.md#diagnostic-codes. `resolve` reports all independent problems
// and returns nothing when one of them is an error.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "rpl/resolved.hpp"

namespace slipway::rpl {

// `--entry vertex=vertex_main`
struct EntryPointName {
  Stage stage = Stage::Vertex;
  std::string function;
  bool operator==(const EntryPointName&) const = default;
};

// Bytes (docs/spec/rpl.md#buffers-and-layouts).
struct BufferLimits {
  std::uint32_t uniform = 16384;
  std::uint32_t push_constant = 128;
  std::uint32_t workgroup = 16384;
  bool operator==(const BufferLimits&) const = default;
};

struct ResolveOptions {
  PipelineKind pipeline = PipelineKind::Graphics;
  BufferLimits limits;
  // Checks functions and structs that no entry point reaches; their errors are warnings (rpl-unused-definition).
  // It does not change the result. Without entry points function bodies are checked only with `check_bodies`.
  bool check_unused = false;
  bool check_bodies = false;
  // Reports rpl-setting-keyword for settings without `setting`.
  bool strict = false;
  bool operator==(const ResolveOptions&) const = default;
};

class Resolver {
 public:
  Resolver();
  ~Resolver();
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;

  // The result belongs to the resolver and is valid until the next call; null when there were errors. `program` must be
  // valid and outlive the result. Without entry points the result has metadata only.
  //
  // Further variants of a program reuse the functions, structs and buffers that the changed options do not reach, and
  // everything else when only settings differ. The results are the same as those of a new resolver. The memory for this
  // grows to a multiple of that of one variant and is then cleared (resolve/resolve.cpp); another program, other
  // options of the resolver and `check_unused` also clear it.
  const Resolved* resolve(const Program& program, const Assignment& assignment,
                          std::span<const EntryPointName> entry_points, const ResolveOptions& options,
                          Diagnostics& diagnostics);
  // The options that were read, in order, for the search through variants; also after a call that returned null.
  std::span<const OptionId> read_order() const;
  // Moves the last result out.
  Resolved release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::optional<Resolved> resolve(const Program& program, const Assignment& assignment,
                                std::span<const EntryPointName> entry_points, const ResolveOptions& options,
                                Diagnostics& diagnostics);

}  // namespace slipway::rpl
