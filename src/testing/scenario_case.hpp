// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of planning: a scenario with its files in a scratch directory, read, checked and planned.
#pragma once

#include <map>
#include <regex>
#include <string>

#include "base/print_diagnostic.hpp"
#include "launch/plan/explain.hpp"
#include "scenario/check.hpp"
#include "scenario/plan.hpp"
#include "scenario/read.hpp"
#include "testing/file_recipe.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/vgf_recipe.hpp"
#include "testing/without_directory.hpp"

namespace slipway::testing {

// Files by name. Those with the extension of a binary format are recipes (testing/file_recipe.hpp, vgf_recipe.hpp),
// others are written unchanged.
using CaseFiles = std::map<std::string, std::string>;

class Case {
 public:
  explicit Case(const CaseFiles& files) {
    for (const auto& [name, text] : files) {
      const std::string extension = Path(name).extension().string();
      const bool binary = extension == ".npy" || extension == ".dds" || extension == ".png" || extension == ".exr" ||
                          extension == ".ktx2" || extension == ".spv" || extension == ".bin" || extension == ".DDS";
      const Result<> written = binary                ? write_file(directory_ / name, Bytes(testing::cook(text)))
                               : extension == ".vgf" ? write_file(directory_ / name, Bytes(testing::cook_vgf(text)))
                                                     : write_file(directory_ / name, text);
      if (!written) throw std::runtime_error(written.error().front().message);
    }
  }

  // Reads, checks and plans `scene.json`, or the given text.
  const std::optional<launch::Plan>& plan(const std::string& text, scenario::ScenarioOptions options = {}) {
    options.output = options.output.empty() ? options.output : directory_ / options.output;
    scenario_ = scenario::read_scenario(make_source("scene.json", text), directory_.path(), {}, diagnostics_);
    if (scenario_) scenario_->confine = options.confine;
    if (!scenario_) return plan_;
    scenario::check_scenario(*scenario_, options, diagnostics_);
    plan_ = scenario::plan_scenario(*scenario_, options, diagnostics_);
    diagnostics_.sort();
    return plan_;
  }

  const scenario::Scenario& model() const { return *scenario_; }
  const std::optional<launch::Plan>& plan() const { return plan_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Path operator/(const Path& name) const { return directory_ / name; }

  // The diagnostics, without the path of the scratch directory.
  std::string messages(bool sources = false) const {
    return without_directory(format_diagnostics(diagnostics_.all(), {.sources = sources}));
  }
  // The plan as text. Lengths of modules are removed: they depend on the compiler and on the path of the source file.
  std::string plan_text() const {
    static const std::regex length("[0-9]+ words of SPIR-V");
    return plan_ ? std::regex_replace(without_directory(launch::print_plan(*plan_)), length, "SPIR-V") : "";
  }

 private:
  std::string without_directory(std::string text) const {
    return testing::without_directory(std::move(text), directory_.path());
  }

  testing::ScratchDirectory directory_;
  Diagnostics diagnostics_;
  std::optional<scenario::Scenario> scenario_;
  std::optional<launch::Plan> plan_;
};

}  // namespace slipway::testing
