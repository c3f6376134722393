// Resolving: one variant of a program, with names bound and everything compile-time gone.
//
//   Resolver resolver;                       // keeps its memory from one call to the next
//   if (const Resolved* variant = resolver.resolve(program, assignment, entries, settings, diagnostics))
//   emit(*variant);
//
// The kinds of diagnostics are those of RPL page 4. `resolve` reports all independent problems and gives nothing when
// one of them is an error.
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

// Bytes (RPL page 3.11).
struct BufferLimits {
  std::uint32_t uniform = 16384;
  std::uint32_t push_constant = 128;
  std::uint32_t workgroup = 16384;
  bool operator==(const BufferLimits&) const = default;
};

struct ResolveOptions {
  PipelineKind pipeline = PipelineKind::Graphics;
  BufferLimits limits;
  // Checks functions and structs that no entry point reaches; what is found there is a warning (rpl-unused-definition).
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

  // The result belongs to the resolver and is good until the next call; null when there were errors. `program` must be
  // valid and outlive the result. No entry points: metadata only.
  //
  // Further variants of a program share what the options that differ do not reach: its functions, structs and buffers,
  // and where only settings differ, everything else. They come out as if each were resolved alone. What is kept for
  // that grows to some times what one variant takes and is then begun anew (resolve/kept.cpp); another program, other
  // settings and `check_unused` begin anew, too.
  const Resolved* resolve(const Program& program, const Assignment& assignment,
                          std::span<const EntryPointName> entry_points, const ResolveOptions& settings,
                          Diagnostics& diagnostics);
  // After a call that gave null, too: which options were read, in order (for the search through variants).
  std::span<const OptionId> read_order() const;
  // Hands the last result over.
  Resolved release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::optional<Resolved> resolve(const Program& program, const Assignment& assignment,
                                std::span<const EntryPointName> entry_points, const ResolveOptions& settings,
                                Diagnostics& diagnostics);

}  // namespace slipway::rpl
