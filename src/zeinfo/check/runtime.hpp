// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What releases of the Intel compute runtime make of a document (docs/spec/zeinfo.md#runtime-releases).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"
#include "zeinfo/text_diagnostics.hpp"

namespace slipway::zeinfo {

enum class Verdict { Accepts, AcceptsWithWarnings, Refuses, Crashes };
std::string_view name_of(Verdict verdict);  // "accepts", "accepts with warnings", "refuses", "crashes"

// One reason why a release warns or refuses.
struct RuntimeFinding {
  Verdict verdict = Verdict::AcceptsWithWarnings;
  DiagnosticKind kind = DiagnosticKind::Unsupported;
  std::string message;          // our text
  std::string runtime_message;  // the runtime's own text; empty if it prints nothing
  Span span;
  int code = 2;  // as in the vendor's validator: 2 invalid, 3 unhandled version or device, 4 unknown attribute
};

struct RuntimeVerdict {
  Release release;        // the known release that was used
  int decoder_minor = 0;  // its decoder knows 1.N; -1 before 1.0
  Verdict verdict = Verdict::Accepts;
  int code = 0;                          // 0 valid; otherwise that of the first finding that refuses
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
// The latest known release not after this one; the first known one for earlier releases.
Release known_release(Release release);
// The minor version that the decoder of a release knows; -1 before 20.45.
int decoder_of(Release release);

// The contents that containers may have, with the release that introduced them (section and note types are numbers of
// the ELF file).
struct ContainerFeature {
  enum class Kind { ElfType, SectionType, SectionName, NoteType };
  Kind kind;
  std::uint32_t number;   // of a type
  std::string_view name;  // of a section
  Release since;
};
std::span<const ContainerFeature> container_features();

}  // namespace slipway::zeinfo
