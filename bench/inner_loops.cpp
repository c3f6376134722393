// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inner_loops [--loops] LEVEL...: which part of the instructions of inner loops are multiply-adds, of the kernels of
// three networks compiled for a level (`aarch64+dotprod`). No CPU of that level is needed. By the kind of kernel, in
// each precision: the median and the minimum of all kernels. A multiply-add waits for other instructions of the vector
// unit, and seldom for loads, which CPUs begin beside them: so its part of the instructions of the vector unit is
// printed too. --loops also prints the loop of each kernel.
#include <algorithm>
#include <iterator>
#include <map>
#include <print>
#include <span>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cpu/library.hpp"
#include "cpu/program.hpp"
#include "cpu/target.hpp"
#include "lower/lower.hpp"
#include "must.hpp"
#include "networks.hpp"

namespace slipway::bench {
namespace {

struct Counted {
  std::string mnemonic;  // of the multiply-adds
  std::size_t products = 0, of_vectors = 0, all = 0;
  std::string text;
  double part() const { return static_cast<double>(products) / static_cast<double>(all); }
  double part_of_vectors() const { return static_cast<double>(products) / static_cast<double>(of_vectors); }
};

struct Line {
  std::string_view label;  // that it defines
  std::string_view mnemonic, operands;
};

std::vector<Line> lines_of(std::string_view assembly) {
  std::vector<Line> lines;
  while (!assembly.empty()) {
    std::string_view line = assembly.substr(0, assembly.find('\n'));
    assembly.remove_prefix(std::min(line.size() + 1, assembly.size()));
    line = line.substr(0, line.find("//"));
    if (line.empty()) continue;
    if (line[0] != '\t') {
      if (const auto colon = line.find(':'); colon != line.npos) lines.push_back({line.substr(0, colon), {}, {}});
      continue;
    }
    line.remove_prefix(1);
    if (line.empty() || line[0] == '.') continue;
    const auto tab = std::min(line.find('\t'), line.size());
    lines.push_back({{}, line.substr(0, tab), line.substr(std::min(tab + 1, line.size()))});
  }
  return lines;
}

// Those of the upper halves of vectors end with 2.
constexpr std::string_view kProducts[] = {"fmla", "sdot", "usdot", "smmla", "bfmmla", "smull", "smull2"};

// Loads and stores of vectors are not the vector unit's, but those of a lane are also.
bool uses_vector_unit(const Line& line) {
  const bool of_memory = line.mnemonic.starts_with("ld") || line.mnemonic.starts_with("st");
  const bool of_vectors = line.operands.starts_with('v') || line.operands.starts_with("{ v");
  return of_vectors && (!of_memory || (line.mnemonic == "ld1" && line.operands.contains("}[")));
}

Counted count(std::span<const Line> loop) {
  Counted counted;
  std::map<std::string_view, std::size_t> products;
  for (const Line& line : loop) {
    if (line.mnemonic.empty()) continue;
    ++counted.all;
    if (uses_vector_unit(line)) ++counted.of_vectors;
    if (std::ranges::contains(kProducts, line.mnemonic) && line.operands.starts_with('v'))
      ++products[line.mnemonic.substr(0, line.mnemonic.find('2'))];
    counted.text += formatted("    {} {}\n", line.mnemonic, line.operands);
  }
  const auto most = std::ranges::max_element(products, {}, [](const auto& one) { return one.second; });
  if (most != products.end()) counted.mnemonic = most->first, counted.products = most->second;
  return counted;
}

// The loop without another one in it that has most multiply-adds of one kind. A loop ends with the last branch to where
// it begins.
Counted inner_loop(std::string_view assembly) {
  const std::vector<Line> lines = lines_of(assembly);
  std::map<std::string_view, std::size_t> labels;
  std::map<std::size_t, std::size_t> ends;  // by the beginning of a loop
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [label, mnemonic, operands] = lines[i];
    if (!label.empty()) labels[label] = i;
    if (!mnemonic.starts_with('b') && !mnemonic.starts_with("cb") && !mnemonic.starts_with("tb")) continue;
    if (const auto begin = labels.find(operands.substr(operands.rfind(' ') + 1)); begin != labels.end())
      ends[begin->second] = i + 1;
  }
  Counted best;
  for (auto loop = ends.begin(); loop != ends.end(); ++loop) {
    const auto next = std::next(loop);
    if (next != ends.end() && next->second <= loop->second) continue;
    Counted counted = count(std::span(lines).subspan(loop->first, loop->second - loop->first));
    if (counted.products > best.products) best = std::move(counted);
  }
  return best;
}

std::string_view kind_of(std::string_view kernel) {
  for (const std::string_view kind : {"CONV2D+DEPTHWISE", "DEPTHWISE", "CONV2D", "MATMUL"}) {
    if (kernel.contains(kind)) return kind;
  }
  return "others";
}

int run(std::span<const std::string_view> levels, bool with_loops) {
  const cpu::CompilerTable* compiler = must(cpu::load_compiler());
  for (const std::string_view name : levels) {
    const auto level = cpu::level_named(name);
    if (!level) {
      std::println(stderr, "inner_loops: there is no level `{}`; the levels are {}", name, cpu::level_names());
      return 2;
    }
    const cpu::Target target = cpu::any_target_of(*level);
    std::println("{}", name);
    for (const Precision precision : {Precision::F32, Precision::I8, Precision::BF16}) {
      std::map<std::string, std::vector<Counted>> kinds;
      for (const auto make : {mobilenet_v2, resnet_50, transformer_block}) {
        const Network network = make(precision, 1);
        const lower::KernelProgram program =
            must(lower::lower_graph(network.graph, {.device = cpu::facts_of(target), .max_groups = cpu::kMaxGroups}));
        for (const lower::ProgramKernel& kernel : program.kernels) {
          const spirv::Module module = must(spirv::read_module(spirv::Words(*kernel.spirv), kernel.name));
          const Counted loop = inner_loop(must(compiler->print(module, target, kernel.bindings, true)));
          if (loop.products == 0) continue;
          if (with_loops) std::println("  {}: {} of {}\n{}", kernel.name, loop.products, loop.all, loop.text);
          kinds[formatted("{:5} {:17} {}", name_of(precision), kind_of(kernel.name), loop.mnemonic)].push_back(loop);
        }
      }
      for (auto& [kind, loops] : kinds) {
        const auto median = [&](auto part) {
          std::ranges::sort(loops, {}, part);
          return std::pair(part(loops[loops.size() / 2]), part(loops.front()));
        };
        const auto all = median([](const Counted& loop) { return loop.part(); });
        const auto vectors = median([](const Counted& loop) { return loop.part_of_vectors(); });
        std::println("  {:32} {:3} kernels: {:.2f} ({:.2f}); of the vector unit {:.2f} ({:.2f})", kind, loops.size(),
                     all.first, all.second, vectors.first, vectors.second);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace slipway::bench

int main(int count, char** arguments) {
  std::vector<std::string_view> levels(arguments + 1, arguments + count);
  const bool with_loops = std::erase(levels, "--loops") > 0;
  if (!levels.empty()) return slipway::bench::run(levels, with_loops);
  std::println(stderr, "usage: inner_loops [--loops] LEVEL...");
  return 2;
}
