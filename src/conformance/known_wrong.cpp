// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `known_wrong`. A row is `graphs/NAME` or `shaders/NAME`, a case of tests/corpus/known_wrong.
#include <algorithm>

#include "base/format.hpp"
#include "conformance/case_runner.hpp"
#include "conformance/corpus.hpp"
#include "conformance/scenario_case.hpp"
#include "conformance/suites.hpp"
#include "tensor/compare.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::conformance {
namespace {

constexpr std::string_view kDirectory = "known_wrong/", kWrongGraphs = "graphs/", kWrongShaders = "shaders/";

// The elements of an array of an archive, by its name.
Result<std::vector<std::byte>> array_of(const CorpusFile& file, std::string_view name) {
  const std::string of(file.name);
  SLIPWAY_TRY(const std::vector<tensor::NpzMember> members, tensor::parse_npz(file.bytes(), of));
  const auto member = std::ranges::find(members, name, &tensor::NpzMember::name);
  if (member == members.end())
    return fail(DiagnosticKind::UnknownReference, {}, formatted("{} has no array `{}`", of, name));
  Diagnostics ignored;
  SLIPWAY_TRY(const tensor::NpyView array, tensor::parse_npy(member->npy, of, ignored));
  SLIPWAY_TRY_VOID(tensor::read_elements(*member, array.payload, of));
  std::vector<std::byte> bytes(array.payload.size());
  tensor::copy_elements(array, bytes);
  return bytes;
}

// The second line of a file may be `// --atol NUMBER`.
double tolerance_of(std::string_view text) {
  constexpr std::string_view kOption = "// --atol ";
  const std::size_t second = text.find('\n') + 1;
  if (!text.substr(second).starts_with(kOption)) return 0;
  return std::stod(std::string(text.substr(second + kOption.size())));
}

Result<> run_graph(const std::string& name, SuiteRun& run) {
  const std::string path = formatted("{}{}", kDirectory, name);
  const CorpusFile &text = *find_in_corpus(path + ".graph"), &given = *find_in_corpus(path + ".in.npz"),
                   &wanted = *find_in_corpus(path + ".out.npz");
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source(name + ".graph", std::string(text.text())), diagnostics);
  if (graph) tosa::verify(*graph, diagnostics);
  if (!graph || diagnostics.has_errors()) return fail(Failure(diagnostics.all()));
  std::vector<reference::Tensor> inputs;
  for (const tosa::ValueId input : graph->inputs) {
    SLIPWAY_TRY(const std::vector<std::byte> bytes, array_of(given, (*graph)[input].name));
    inputs.push_back(reference::Tensor::from_bytes((*graph)[input].type, bytes));
  }
  std::vector<std::vector<std::byte>> expected;
  for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
    SLIPWAY_TRY(expected.emplace_back(), array_of(wanted, formatted("output_{}", i)));
  }
  SLIPWAY_TRY(model::GraphDevice* const device, run.target.graphs());
  CaseRunner runner(*device, false, run.outcome);
  return runner.add(name, *graph, inputs, [&](std::span<const reference::Tensor> results) -> std::string {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const tosa::TensorType& type = results[i].type;
      const tensor::Comparison compared = tensor::compare(tosa::storage_of(type.data), results[i].to_bytes(),
                                                          expected[i], type.shape, {.abs = tolerance_of(text.text())});
      if (compared.passed) continue;
      return formatted("output {}: {} of {} elements differ; the first one is {} instead of {}", i, compared.mismatches,
                       compared.count, compared.examples[0].got, compared.examples[0].expected);
    }
    return "";
  });
}

}  // namespace

std::vector<std::string> known_wrong_rows(Extent) {
  std::vector<std::string> rows;
  for (const auto& [rows_of, extension] : {std::pair(kWrongGraphs, ".graph"), std::pair(kWrongShaders, ".json")}) {
    for (const std::string& name : names_in_corpus(kDirectory, extension))
      rows.push_back(formatted("{}{}", rows_of, name));
  }
  return rows;
}

Result<> run_known_wrong_row(SuiteRun& run) {
  const std::string name(run.row.substr(run.row.find('/') + 1));
  if (run.row.starts_with(kWrongGraphs)) return run_graph(name, run);
  return run_scenario(name, find_in_corpus(formatted("{}{}.json", kDirectory, name))->text(), run.target, run.outcome);
}

}  // namespace slipway::conformance
