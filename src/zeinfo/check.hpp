// The rules: three levels, each with those before it. Every rule has its own kind of diagnostic (ZE Info
// page, 3.8, 3.9).
//
//   Spec         structure, types, required keys, enums, versions
//   Consistency  what holds in all real kernels
//   Runtime      what a release of the Intel compute runtime makes of the file
//
// The reader (parse.hpp) has reported the structure already; `check` adds the rest to the same problems.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/model.hpp"
#include "zeinfo/problems.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

enum class Level { Spec, Consistency, Runtime };

// `spec`, `consistency`, `runtime`, `runtime=YY.WW` or `runtime=all`.
struct LevelChoice {
  Level level = Level::Consistency;
  Release release = kLastRelease;
  bool all_releases = false;  // one verdict for each step of the decoder
};
std::optional<LevelChoice> parse_level(std::string_view text);

struct CheckOptions {
  Level level = Level::Consistency;
  Release release = kLastRelease;  // of level Runtime
  const Device* run_on = nullptr;  // --product: the device that should load the file
};

void check(const Document& document, const Target& target, const CheckOptions& options, Problems& problems);

// --- the runtime -----------------------------------------------------------------------------------------------------

enum class Verdict { Accepts, AcceptsWithWarnings, Refuses, Crashes };
std::string_view name_of(Verdict verdict);  // "accepts", "accepts with warnings", "refuses", "crashes"

// One thing that a release does not like.
struct RuntimeFinding {
  Verdict verdict = Verdict::AcceptsWithWarnings;
  DiagnosticKind kind = DiagnosticKind::Unsupported;
  std::string message;       // ours
  std::string runtime_says;  // the runtime's own words; empty if it says nothing
  Span span;
  int code = 2;  // as the vendor's validator: 2 invalid, 3 unhandled version or device, 4 unknown attribute
};

struct RuntimeVerdict {
  Release release;        // the known release that was taken
  int decoder_minor = 0;  // its decoder knows 1.N; -1 before 1.0
  Verdict verdict = Verdict::Accepts;
  int code = 0;                          // 0 valid; else of the first finding that refuses
  std::vector<RuntimeFinding> findings;  // at most kMaxFindings
};
inline constexpr std::size_t kMaxFindings = 1000;

RuntimeVerdict runtime_verdict(const Document& document, const Target& target, Release release,
                               const Device* run_on = nullptr);

// The steps of the runtime's history: releases at which the decoder or what it refuses changed.
struct RuntimeStep {
  Release from;
  int decoder_minor;
};
std::span<const RuntimeStep> runtime_steps();
// The greatest known release not after this one; the first known one for those before.
Release known_release(Release release);
// The minor version that the decoder of a release knows; -1 before 20.45.
int decoder_of(Release release);

// What containers may have since when, for whoever checks them (section and note types are numbers of the ELF file).
struct ContainerFeature {
  enum class Kind { ElfType, SectionType, SectionName, NoteType };
  Kind kind;
  std::uint32_t number;   // of a type
  std::string_view name;  // of a section
  Release since;
};
std::span<const ContainerFeature> container_features();

}  // namespace slipway::zeinfo
