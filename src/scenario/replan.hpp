// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scenario that is loaded before its device is known, as the library does it: the kernels of its graphs are chosen
// again when the device is known.
//
//   Replannable scenario({make_source("a.json", text), directory, options}, diagnostics);
//   if (scenario.loaded().plan && scenario.plan_for(graphs, diagnostics))
//   run(scenario.loaded()...);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scenario/load.hpp"

namespace slipway::scenario {

struct ScenarioText {
  SourcePtr text;
  Path directory;
  ScenarioOptions options;  // without a target
};

class Replannable {
 public:
  // Plans for an unknown device. Without errors there is a plan.
  Replannable(ScenarioText text, Diagnostics& diagnostics);

  const Loaded& loaded() const { return loaded_; }
  const Cache& cache() const { return text_.options.cache; }

  // Reads files again if a graph or tensors have to be planned again. Returns false after errors; the plan is then
  // unchanged. What runs natively must live as long as this.
  bool plan_for(const model::GraphOptions& graphs, Diagnostics& diagnostics);

  // Replaces the initial contents of a resource in this plan and in later ones.
  void set_contents(const std::string& resource, Bytes bytes);

 private:
  using Replaced = std::shared_ptr<const std::vector<std::byte>>;
  Loaded load_for(const model::GraphOptions& graphs, Diagnostics& diagnostics);
  static void replace(launch::Plan& plan, const std::string& resource, const Replaced& contents);

  ScenarioText text_;
  Loaded loaded_;
  model::GraphOptions graphs_;  // that it is planned with
  bool depends_on_graphs_ = false;
  std::map<std::string, Replaced> replaced_;
};

}  // namespace slipway::scenario
