// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole corpus of scenarios and models on a device with native tensors and graphs (src/layer): each resource has
// the same bytes as on the device without them.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <print>
#include <sstream>

#include "base/format.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/run.hpp"
#include "model/standalone/standalone.hpp"
#include "scenario/load.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/layer.hpp"
#include "testing/scenario_case.hpp"
#include "testing/source_directory.hpp"

namespace slipway::scenario {
namespace {

using testing::must;

struct CorpusScene {
  std::string name;
  std::string text;
  Path directory;
  std::unique_ptr<testing::Case> files;  // of a case in one file
};

std::vector<Path> paths_in(const Path& directory, std::string_view extension) {
  std::vector<Path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::source_directory() / directory)) {
    if (entry.is_regular_file() && entry.path().extension() == extension &&
        !entry.path().filename().string().starts_with("fail_"))
      paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

// The sections of a case of tests/corpus/scenario_files, without its expectations.
testing::CaseFiles sections_of(const std::string& text) {
  testing::CaseFiles files;
  std::string* section = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "=== diagnostics") break;
    if (line.starts_with("=== "))
      section = &files[line.substr(4)];
    else if (section)
      *section += line + '\n';
  }
  return files;
}

std::vector<CorpusScene> all_scenes() {
  std::vector<CorpusScene> scenes;
  for (const Path& path : paths_in("tests/corpus/scenario_files", ".txt")) {
    testing::CaseFiles files = sections_of(must(read_text(path)));
    std::string text = files.at("scene.json");
    auto made = std::make_unique<testing::Case>(files);
    const Path directory = *made / "";
    scenes.push_back({path.filename().string(), std::move(text), directory, std::move(made)});
  }
  for (const Path directory : {"tests/corpus/scenario", "examples"}) {
    for (const Path& path : paths_in(directory, ".json")) {
      std::string text = must(read_text(path));
      if (text.contains("\"commands\""))
        scenes.push_back({path.lexically_relative(testing::source_directory()).generic_string(), std::move(text),
                          path.parent_path(), nullptr});
    }
  }
  return scenes;
}

struct SceneResult {
  std::map<std::string, std::vector<std::byte>> resources;  // by name
  std::string expectations;
  std::string problems;  // why it does not run
  std::size_t native = 0;
  bool has_graphs = false;
};

SceneResult run_corpus_scene(const CorpusScene& scene, launch::DeviceOpening& opening, bool native) {
  SceneResult result;
  const testing::ScratchDirectory directory;
  Diagnostics diagnostics;
  Loaded loaded =
      load(make_source(scene.name, scene.text), scene.directory,
           {.output = directory.path(),
            .target = [&] { return model::GraphOptions{.native = native ? must(opening.snapshot()).get() : nullptr}; }},
           diagnostics);
  if (loaded.plan) {
    for (launch::Resource& resource : loaded.plan->resources) {
      const auto* image = std::get_if<launch::Image>(&resource.kind);
      resource.outputs.clear();
      if (resource.name.empty() || (image && image->samples > 1)) continue;
      resource.outputs.push_back({directory.path() / formatted("{}", result.resources.size()),
                                  [&kept = result.resources[resource.name]](OutputFile&, Bytes data) -> Result<> {
                                    kept.assign(data.begin(), data.end());
                                    return {};
                                  }});
    }
    for (const launch::GraphDispatch& graph : loaded.plan->graphs) {
      result.has_graphs = true;
      if (graph.native) ++result.native;
    }
    launch::VulkanExecutor executor(opening);
    const auto report = run(loaded, executor, {}, Log([](LogLevel, std::string_view) {}), diagnostics);
    if (report) result.expectations = launch::print_expectations(report->expectations);
  }
  if (diagnostics.has_errors()) result.problems = format_diagnostics(diagnostics.all(), {.sources = false});
  return result;
}

// Cases about reading and rules that do not run on any device, besides those that name files that do not exist.
struct NotRun {
  std::string_view name, message;
};
constexpr NotRun kNotRun[] = {
    {"tests/corpus/scenario/rules/core_formats.json", "this build does not know the texels"},
    {"tests/corpus/scenario/structure/requires.json", "skipped: requires"},
};

TEST(NativeCorpus, ScenariosHaveTheSameBytes) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  const std::vector<CorpusScene> scenes = all_scenes();
  std::vector<SceneResult> direct;
  {
    launch::DeviceOpening opening({.robustness_on_cpus = true});
    for (const CorpusScene& scene : scenes) direct.push_back(run_corpus_scene(scene, opening, false));
  }
  const testing::UseLayer layer(testing::Validation::Off);
  launch::DeviceOpening opening({.robustness_on_cpus = true});
  std::size_t ran = 0, native_graphs = 0, compared = 0;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const CorpusScene& scene = scenes[i];
    const SceneResult native = run_corpus_scene(scene, opening, true);
    EXPECT_EQ(native.problems.empty(), direct[i].problems.empty()) << scene.name << "\n"
                                                                   << native.problems << direct[i].problems;
    if (!direct[i].problems.empty()) {
      const auto known = std::ranges::find(kNotRun, scene.name, &NotRun::name);
      const std::string_view reason = known == std::end(kNotRun) ? "[file-not-found]" : known->message;
      EXPECT_TRUE(direct[i].problems.contains(reason)) << scene.name << "\n" << direct[i].problems;
      continue;
    }
    ++ran;
    native_graphs += native.native;
    EXPECT_EQ(native.expectations, direct[i].expectations) << scene.name;
    for (const auto& [name, bytes] : direct[i].resources) {
      const auto found = native.resources.find(name);
      // The memory of intermediates of graphs differs.
      if (found == native.resources.end()) continue;
      EXPECT_TRUE(found->second == bytes)
          << scene.name << " " << name << ": " << found->second.size() << " and " << bytes.size() << " bytes";
      ++compared;
    }
  }
  std::println("{} of {} scenarios ran, {} graphs natively; {} resources compared", ran, scenes.size(), native_graphs,
               compared);
  EXPECT_GE(ran, 75u);
  EXPECT_GE(native_graphs, 3u);
  EXPECT_GE(compared, 200u);
}

// --- models ----------------------------------------------------------------------------------------------------------

struct ModelResult {
  model::ModelValues values;
  std::vector<std::vector<std::byte>> outputs;
  std::size_t native = 0;
};

ModelResult run_corpus_model(const Path& path, launch::DeviceOpening& opening, bool native) {
  Diagnostics diagnostics;
  const auto file = model::open_model(path, path.filename().string(), diagnostics);
  const auto shaders = file ? model::compile_modules(*file, {}, diagnostics) : std::nullopt;
  if (!shaders) throw std::runtime_error(format_diagnostics(diagnostics.all()));
  ModelResult result;
  const auto values = std::make_shared<model::ModelValues>();
  const auto alone = model::plan_standalone(
      {.file = file,
       .name = "net",
       .model = {.graphs = {.native = native ? must(opening.snapshot()).get() : nullptr}, .shaders = *shaders},
       .fill = {.seed = 1},
       .values = values},
      diagnostics);
  if (!alone) throw std::runtime_error(format_diagnostics(diagnostics.all()));
  for (const launch::GraphDispatch& graph : alone->plan.graphs) {
    if (graph.native) ++result.native;
  }
  const gpu::Device& device = *must(opening.get(launch::needs_of(alone->plan)));
  must(launch::run(alone->plan, launch::VulkanExecutor(device), {}, Log([](LogLevel, std::string_view) {})));
  result.values = *values;
  for (const vgf::Slot& output : file->vgf.outputs) result.outputs.push_back(values->at(output.resource));
  return result;
}

TEST(NativeCorpus, ModelsHaveTheSameBytes) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  std::vector<Path> paths;
  for (const Path directory : {"examples", "tests/data/models"}) paths.append_range(paths_in(directory, ".vgf"));
  // Its shader is in the scenario beside it, which ran above.
  std::erase_if(paths, [](const Path& path) { return path.filename() == "sandwich.vgf"; });
  ASSERT_GE(paths.size(), 2u);
  std::vector<ModelResult> direct;
  {
    launch::DeviceOpening opening({});
    for (const Path& path : paths) direct.push_back(run_corpus_model(path, opening, false));
  }
  const testing::UseLayer layer(testing::Validation::Off);
  launch::DeviceOpening opening({});
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const ModelResult native = run_corpus_model(paths[i], opening, true);
    EXPECT_GT(native.native, 0u) << paths[i];
    EXPECT_FALSE(native.outputs.empty()) << paths[i];
    EXPECT_TRUE(native.outputs == direct[i].outputs) << paths[i];
  }
}

}  // namespace
}  // namespace slipway::scenario
