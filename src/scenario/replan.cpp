// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/replan.hpp"

#include <algorithm>

namespace slipway::scenario {

Replannable::Replannable(ScenarioText text, Diagnostics& diagnostics) : text_(std::move(text)) {
  loaded_ = load_for(graphs_, diagnostics);
}

Loaded Replannable::load_for(const model::GraphOptions& graphs, Diagnostics& diagnostics) {
  ScenarioOptions options = text_.options;
  options.target = [&] {
    depends_on_graphs_ = true;
    return graphs;
  };
  return load(text_.text, text_.directory, options, diagnostics);
}

bool Replannable::plan_for(const model::GraphOptions& graphs, Diagnostics& diagnostics) {
  const bool is_same =
      graphs.engine == graphs_.engine && graphs.lower.device == graphs_.lower.device && graphs.native == graphs_.native;
  if (is_same || !depends_on_graphs_) return true;
  Diagnostics problems;
  Loaded again = load_for(graphs, problems);
  if (problems.has_errors() || !again.plan) {
    diagnostics.add(problems.release());
    return false;
  }
  for (const auto& [resource, contents] : replaced_) replace(*again.plan, resource, contents);
  loaded_ = std::move(again);
  graphs_ = graphs;
  return true;
}

void Replannable::set_contents(const std::string& resource, Bytes bytes) {
  const auto contents = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  replaced_[resource] = contents;
  replace(*loaded_.plan, resource, contents);
}

void Replannable::replace(launch::Plan& plan, const std::string& resource, const Replaced& contents) {
  const auto found = std::ranges::find(plan.resources, resource, &launch::Resource::name);
  if (found == plan.resources.end()) return;
  found->initial = {{.size = contents->size(), .write = [contents](MutableBytes to) -> Result<> {
                       std::ranges::copy(*contents, to.begin());
                       return {};
                     }}};
}

}  // namespace slipway::scenario
