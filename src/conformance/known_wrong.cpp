// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `known_wrong`. A row is `graphs/NAME`, `shaders/NAME` or `recipes/NAME`, a case of
// tests/corpus/known_wrong.
#include <algorithm>

#include "base/format.hpp"
#include "conformance/case_runner.hpp"
#include "conformance/corpus.hpp"
#include "conformance/scenario_case.hpp"
#include "conformance/suites.hpp"
#include "slipway/recipe.hpp"
#include "tensor/compare.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::conformance {
namespace {

constexpr std::string_view kDirectory = "known_wrong/", kWrongGraphs = "graphs/", kWrongShaders = "shaders/",
                           kRecipes = "recipes/", kProfile = ".profile.json";

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

// Runs a recipe as its profile says, which compares.
Result<> run_recipe(const std::string& name, SuiteRun& run) {
  FailedCase made{.name = name, .why = {}, .graph = {}, .inputs = {}, .scenario = {}};
  auto index = run.target.vulkan_index();
  if (!index) return run.outcome.refuse(std::move(index.error()), std::move(made));
  const std::string directory = formatted("{}{}", kDirectory, kRecipes);
  artifacts::map files;
  for (const CorpusFile& file : corpus()) {
    if (!file.name.starts_with(directory)) continue;
    const std::string_view text = file.text();
    files.emplace(file.name.substr(directory.size()), std::vector<char>(text.begin(), text.end()));
  }
  const auto text_of = [&](std::string_view extension) {
    return std::string(find_in_corpus(formatted("{}{}{}", directory, name, extension))->text());
  };
  try {
    runner recipe(device(static_cast<unsigned>(*index)), text_of(".json"), text_of(kProfile),
                  artifacts(std::move(files)));
    recipe.execute();
    recipe.wait();
    ++run.outcome.passed;
  } catch (const runner::error& problem) {
    const bool is_lacking = std::ranges::all_of(
        problem.diagnostics(), [](const Problem& one) { return one.kind == name_of(DiagnosticKind::DeviceLacks); });
    if (is_lacking && !problem.diagnostics().empty()) {
      run.outcome.lack(problem.what());
    } else {
      made.why = problem.what();
      run.outcome.fail(std::move(made));
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> known_wrong_rows(Extent) {
  std::vector<std::string> rows;
  for (const std::string& name : names_in_corpus(kDirectory, ".graph"))
    rows.push_back(formatted("{}{}", kWrongGraphs, name));
  for (const std::string& name : names_in_corpus(kDirectory, ".json")) {
    if (!name.starts_with(kRecipes)) rows.push_back(formatted("{}{}", kWrongShaders, name));
  }
  for (const std::string& name : names_in_corpus(formatted("{}{}", kDirectory, kRecipes), kProfile))
    rows.push_back(formatted("{}{}", kRecipes, name));
  return rows;
}

Result<> run_known_wrong_row(SuiteRun& run) {
  const std::string name(run.row.substr(run.row.find('/') + 1));
  if (run.row.starts_with(kWrongGraphs)) return run_graph(name, run);
  if (run.row.starts_with(kRecipes)) return run_recipe(name, run);
  return run_scenario(name, find_in_corpus(formatted("{}{}.json", kDirectory, name))->text(), run.target, run.outcome);
}

}  // namespace slipway::conformance
