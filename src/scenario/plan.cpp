// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan.hpp"

#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "scenario/contents/expectations.hpp"
#include "scenario/paths.hpp"
#include "scenario/plan/planning.hpp"
#include "scenario/records/records.hpp"
#include "scenario/shaders/shaders.hpp"

namespace slipway::scenario {

bool Planning::has_errors_in(json::Value object) const { return with_errors.contains(element_of(object.pointer())); }

std::string element_of(std::string_view pointer) {
  const std::size_t list = pointer.find('/', 1);
  return std::string(pointer.substr(0, list == pointer.npos ? list : pointer.find('/', list + 1)));
}

launch::Origin origin_of(json::Value object) { return launch::Origin(object); }

launch::ShaderIndex shader_in_plan(Planning& planning, const std::string& key, const launch::Shader& shader) {
  std::vector<launch::Shader>& shaders = planning.plan.shaders;
  const auto [known, added] = planning.shaders.emplace(key, static_cast<launch::ShaderIndex>(shaders.size()));
  if (added) shaders.push_back(shader);
  return known->second;
}

StageInterface interface_of(const Planning& planning, launch::ShaderIndex index) {
  return interface_of(planning.plan.shaders[index]);
}

StageInterface interface_of(const launch::Shader& shader) {
  return {.shader = shader.name, .entry = shader.reflection->find(shader.entry, shader.stage)};
}

bool lacks_unused_file(Planning& planning, const Resource& resource) {
  if (!planning.unused.contains(uid_of(resource))) return false;
  const json::Value src = object_of(resource)["src"];
  if (!src.is(json::Type::String) || src.string().empty()) return false;
  const Path path = source_path(planning.scenario, src.string());
  if (file_exists(path)) return false;
  planning.diagnostics.add(json::problem(src, DiagnosticKind::FileNotFound,
                                         formatted("Could not open file {}; nothing uses {} `{}`", path.string(),
                                                   key_of(resource), uid_of(resource)))
                               .as_rule());
  return true;
}

bool is_unused(Planning& planning, const Resource& resource) {
  lacks_unused_file(planning, resource);
  return planning.unused.contains(uid_of(resource));
}

void plan_shaders(Planning& planning) {
  std::vector<const Shader*> shaders;
  for (const Resource& resource : planning.scenario.resources) {
    const auto* shader = std::get_if<Shader>(&resource);
    if (shader && !planning.has_errors_in(shader->at) && !is_unused(planning, resource)) shaders.push_back(shader);
  }
  planning.compiled = compile_shaders(
      planning.scenario, shaders, {.cache = planning.options.cache, .dxc = planning.options.dxc}, planning.diagnostics);
}

void plan_expectations(Planning& planning) {
  for (const Resource& resource : planning.scenario.resources) {
    std::visit(
        [&]<class T>(const T& of) {
          if constexpr (requires { of.results; }) {
            for (const Expect& expect : of.results.expect) {
              auto made = expectation(planning.scenario, planning.plan, planning.resources, resource, expect,
                                      planning.diagnostics);
              if (made) planning.plan.expectations.push_back(std::move(*made));
            }
          }
        },
        resource);
  }
}

std::optional<launch::Plan> plan_scenario(const Scenario& scenario, const ScenarioOptions& options,
                                          Diagnostics& diagnostics, const std::set<std::string, std::less<>>& unused) {
  Planning planning{.scenario = scenario, .options = options, .diagnostics = diagnostics, .unused = unused};
  for (const Diagnostic& problem : diagnostics.all()) {
    if (problem.severity == Severity::Error) planning.with_errors.insert(element_of(problem.path));
  }
  planning.plan.name = scenario.document->source()->name();
  planning.plan.document = scenario.document;
  plan_resources(planning);
  plan_shaders(planning);
  plan_commands(planning);
  plan_expectations(planning);
  if (diagnostics.has_errors()) return std::nullopt;
  return std::move(planning.plan);
}

}  // namespace slipway::scenario
