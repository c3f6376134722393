// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of many graphs for devices of all kinds, as digests: a change of any kernel changes a line of
// tests/data/kernel_digests.txt. Compilers for AArch64 evaluate arguments in another order, so that instructions have
// other numbers there: the digests are of forms without these numbers (spirv/compare/normal_form.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/sha256.hpp"
#include "base/system/files.hpp"
#include "lower/lower.hpp"
#include "spirv/compare/normal_form.hpp"
#include "testing/source_directory.hpp"
#include "testing/written_facts.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "tosa_cases/networks.hpp"

namespace slipway::lower {
namespace {

using tosa_cases::OperatorCase;
using tosa_cases::Pattern;

// Cases of every operator, evenly from its configurations: the first tensor is an input, the others are inputs in one
// half of the cases and constants in the other.
std::map<tosa::Op, std::vector<OperatorCase>> operator_cases() {
  constexpr std::size_t kOfEach = 40;
  std::map<tosa::Op, std::vector<std::size_t>> configurations;
  for (std::size_t i = 0; i < tosa_cases::matrix().size(); ++i) configurations[tosa_cases::matrix()[i].op].push_back(i);
  std::map<tosa::Op, std::vector<OperatorCase>> cases;
  for (const auto& [op, all] : configurations) {
    const std::size_t count = std::min(all.size(), kOfEach);
    for (std::size_t i = 0; i < count; ++i) {
      Diagnostics refused;
      auto made = tosa_cases::case_of(all[i * all.size() / count], i % 2 ? Pattern::Random : Pattern::Random2, refused);
      if (made) cases[op].push_back(std::move(*made));
    }
  }
  return cases;
}

// A line for each set of facts: the names of graph and facts, the counts of kernels and of their words, and the first
// 16 digits of the SHA-256 of their forms.
void add_lines(std::string& lines, std::string_view name, std::span<const tosa::Graph* const> graphs) {
  static const std::vector<testing::NamedOptions> all = testing::options_of_all_kinds();
  for (const auto& [facts, options] : all) {
    std::size_t kernels = 0;
    std::size_t words = 0;
    spirv::Words forms;
    for (const tosa::Graph* graph : graphs) {
      const auto program = lower_graph(*graph, options);
      ASSERT_TRUE(program) << name << " " << facts << "\n" << format_diagnostics(program.error());
      kernels += program->kernels.size();
      for (const ProgramKernel& kernel : program->kernels) {
        words += kernel.spirv->size();
        const auto module = spirv::read_module(spirv::Words(*kernel.spirv), kernel.name);
        ASSERT_TRUE(module) << name << " " << facts << " " << kernel.name;
        forms.append_range(spirv::normal_form(*module));
      }
    }
    append_formatted(lines, "{} {} {} {} {}\n", name, facts, kernels, words,
                     sha256_text(std::as_bytes(std::span(forms))).substr(0, 16));
  }
}

std::string digests() {
  std::string lines;
  for (const auto& [op, cases] : operator_cases()) {
    tosa_cases::Batch batch;
    for (const OperatorCase& each : cases) batch.add(each);
    add_lines(lines, tosa::name_of(op), std::array{&batch.graph()});
  }
  const std::vector<tosa_cases::NamedGraph> blocks = tosa_cases::model_graphs();
  std::vector<const tosa::Graph*> graphs;
  for (const tosa_cases::NamedGraph& block : blocks) graphs.push_back(&block.builder.graph);
  add_lines(lines, "blocks", graphs);
  for (const tosa_cases::Network& network : tosa_cases::small_networks())
    add_lines(lines, network.name, std::array{&network.graph});
  return lines;
}

std::set<std::string> lines_of(std::string_view text) {
  std::set<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    lines.emplace(text.substr(at, end - at));
  return lines;
}

TEST(KernelDigests, AreThoseOfTheFile) {
  const Path path = testing::source_directory() / "tests/data/kernel_digests.txt";
  const std::string actual = digests(), expected = read_text(path).value_or("(the file is missing)\n");
  if (std::getenv("UPDATE_CORPUS")) {
    ASSERT_TRUE(write_file(path, actual));
    return;
  }
  if (actual == expected) return;
  std::string changed;
  for (const std::string& line : lines_of(actual)) {
    if (!lines_of(expected).contains(line)) changed += line + "\n";
  }
  FAIL() << "other kernels than in " << path << "; UPDATE_CORPUS=1 writes them\n" << changed;
}

}  // namespace
}  // namespace slipway::lower
