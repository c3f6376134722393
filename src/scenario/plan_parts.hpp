// A plan in the making: what the stages of plan.cpp share.
#pragma once

#include <map>
#include <set>
#include <string>

#include "scenario/plan.hpp"
#include "scenario/resource_indices.hpp"

namespace slipway::scenario {

struct Planning {
  const Scenario& scenario;
  const PlanOptions& options;
  Diagnostics& diagnostics;
  // JSON pointers of the elements of `resources` and `commands` in which earlier phases found errors.
  std::set<std::string, std::less<>> faulty;

  launch::Plan plan;
  ResourceIndices resources;
  std::map<std::string, launch::Contents, std::less<>> raw_data;
  std::map<std::string, launch::Shader, std::less<>> compiled;      // all that are good
  std::map<std::string, launch::ShaderIndex, std::less<>> shaders;  // those that commands use, in the plan

  bool is_faulty(json::Value object) const;
};

// `/resources/3` of a pointer to something inside of that element.
std::string element_of(std::string_view pointer);
launch::Origin origin_of(json::Value object);

// In this order: contents and outputs of all resources; all shaders; then commands and expectations, which look up
// both.
void plan_resources(Planning& planning);
void plan_shaders(Planning& planning);
void plan_commands(Planning& planning);
void plan_expectations(Planning& planning);

}  // namespace slipway::scenario
