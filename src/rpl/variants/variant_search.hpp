// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for the variants of a program: its leaves, what each consults, which of them fail.
#pragma once

#include <map>

#include "rpl/variants/variants.hpp"

namespace slipway::rpl {

// Hashes of the sequences of compile-time values: equal hashes, equal outputs.
struct OutputKeys {
  std::uint64_t interface = 0, settings = 0;
  std::array<std::uint64_t, kStageCount> stages{};

  // Of what the modules contain, and of everything.
  std::uint64_t code() const;
  std::uint64_t metadata() const;
};

struct Leaf {
  Assignment assignment;
  bool failed = false;
  OutputKeys keys;
  OptionSet interface_options;
  std::vector<std::size_t> problems;  // in Search::problems, ascending
};

// No more of them are counted: a walk to a leaf takes a resolution for each option.
constexpr double kManyVariants = 1e15;

struct Search {
  std::vector<Leaf> leaves;          // sorted by assignment
  std::vector<Diagnostic> problems;  // each once
  // There are more leaves than max_variants; `factors` is the number of values that the leaves so far have of each
  // option.
  bool too_many = false;
  double estimate = 0;               // of the leaves, up to kManyVariants, if they were too many to begin with
  std::vector<std::size_t> factors;  // by OptionId; only then
};

Search search_variants(const Program& program, const VariantOptions& settings);

// The proof that instance options do not reach the interface: records the options that it depends on, and reports
// rpl-internal when one of them is an instance option or when leaves with the same global options differ in it.
void check_interface(const Program& program, const Search& search, Variants& variants, Diagnostics& diagnostics);

// How many assignments there are, and how many agree with a partial one.
double count_assignments(const VariantOptions& settings);
double count_assignments(const VariantOptions& settings, const Assignment& partial);

// Whether no option has two different values in them.
bool agree(const Assignment& a, const Assignment& b);

}  // namespace slipway::rpl
