// A scenario that is loaded before anybody knows on which device it will run, as the library does it: the kernels of
// its graphs are chosen again when a device is there.
//
//   Replannable scenario({make_source("a.json", text), directory, settings}, diagnostics);
//   if (scenario.loaded().plan && scenario.plan_for(model::device_facts(snapshot), diagnostics))
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
  LoadSettings settings;  // without device_facts
};

class Replannable {
 public:
  // For any device. Without errors there is a plan.
  Replannable(ScenarioText text, Diagnostics& diagnostics);

  const Loaded& loaded() const { return loaded_; }
  const Cache& cache() const { return text_.settings.cache; }

  // Files are read again where a graph has to be planned again. False: there were errors, and the plan is as it was.
  bool plan_for(const lower::DeviceFacts& facts, Diagnostics& diagnostics);

  // Replaces the initial contents of a resource of the plan, now and in the plans to come.
  void set_contents(const std::string& resource, Bytes bytes);

 private:
  using Replaced = std::shared_ptr<const std::vector<std::byte>>;
  Loaded load_for(const lower::DeviceFacts& facts, Diagnostics& diagnostics) const;
  static void replace(launch::Plan& plan, const std::string& resource, const Replaced& contents);

  ScenarioText text_;
  Loaded loaded_;
  lower::DeviceFacts facts_;  // that it is planned for
  std::map<std::string, Replaced> replaced_;
};

}  // namespace slipway::scenario
