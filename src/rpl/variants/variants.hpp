// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All variants of a program: which assignments of its options lead to different results, and the results
// (docs/spec/rpl.md#variants).
//
// A program with 12 flags has 4096 assignments, but a variant that is not skinned never asks how many weights a joint
// has. So the search resolves with nothing assigned, finds out which options were read, and branches over the first one
// that has no value yet. A leaf is the assignment of exactly the options that its variant read; it represents all
// assignments that agree with it. Leaves whose compile-time expressions had the same values have the same outputs and
// form one class.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rpl/compile.hpp"

namespace slipway::rpl {

enum class Vary : std::uint8_t { All, Global, Instance };

struct VariantOptions {
  CompileOptions compile;
  // Values of options that do not vary.
  Assignment fixed;
  // By OptionId: the values that an option takes. Empty: it keeps its fixed or default value.
  std::vector<std::vector<Value>> domains;
  // Instead of the search: exactly these.
  std::optional<std::vector<Assignment>> listed;
  std::size_t max_variants = 65536;
  unsigned jobs = 1;  // threads, including the caller's; further ones are started only for many variants
  bool emit = false;  // also emits metadata and SPIR-V of the classes
  bool keep_values = false;
};

// The values of flags and enums; empty for options that `fixed` assigns, for those outside `vary`, and for numbers.
std::vector<std::vector<Value>> default_domains(const Program& program, const Assignment& fixed, Vary vary);

struct VariantModule {
  std::string file;  // the first 16 digits of the SHA-256, `.spv`
  spirv::Words words;
};

// Variants with equal outputs.
struct VariantClass {
  // The leaves; an assignment belongs to the one class with an entry that it agrees with.
  std::vector<Assignment> when;
  std::string file;  // of the metadata: the first 16 digits of its SHA-256, `.json`
  std::string metadata;
  Metadata values;                            // what `metadata` is the text of, with VariantOptions::keep_values
  std::array<std::string, kStageCount> code;  // by Stage: the module's file, empty for stages that are not compiled
  // Why it exists: the options, and what differs from the variant of the default values: `fog=true: fragment`.
  std::string reason;
};

struct Variants {
  double assignments = 0;  // exact up to 2^53
  std::size_t leaves = 0;
  std::size_t failing_leaves = 0;
  std::vector<Assignment> leaf_assignments;
  // Classes of each output.
  std::size_t interfaces = 0, settings = 0, metadata = 0;
  std::array<std::size_t, kStageCount> stages{};
  OptionSet interface_options;  // that some variant's interface depends on
  // With VariantOptions::emit, when nothing failed.
  std::vector<VariantClass> classes;
  std::vector<VariantModule> modules;
};

// Diagnostics: each problem once, with the shortest assignment that has it unless all variants have it;
// rpl-variant-failed when variants fail; rpl-variant-limit, and then no result; rpl-internal when an instance option
// changes the interface.
std::optional<Variants> find_variants(const Program& program, const VariantOptions& settings, Diagnostics& diagnostics);

// `assignments: 4, variants: 4; classes: ...` and the interface proof, as text.
std::string summary_text(const Program& program, const VariantOptions& settings, const Variants& variants);

// The content of `variants.json`.
std::string variants_json(const Program& program, const Variants& variants);
std::string variants_schema_text();

}  // namespace slipway::rpl
