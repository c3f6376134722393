// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of planning, which the stages of plan.cpp share.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "model/plan/plan_model.hpp"
#include "scenario/options.hpp"
#include "scenario/plan/bindings.hpp"
#include "scenario/plan/resource_indices.hpp"
#include "scenario/shaders/shaders.hpp"

namespace slipway::scenario {

// A multisampled image that draws use in place of an attachment.
struct SampledTarget {
  launch::ResourceIndex image = 0;
  std::size_t steps = 0;  // steps of the plan after the last draw to it; 0: no draw yet
};

// A `graph` resource: its file and its plans.
struct OpenGraph {
  // The plan for one set of substitutions.
  struct Model {
    model::ModuleShaders shaders;
    std::optional<model::ModelPlan> plan;  // empty after an error
  };
  std::shared_ptr<const model::ModelFile> file;
  std::map<std::string, Model> models;
  bool targets_checked = false;
};

// A `graph_constant`, read.
struct ConstantData {
  tensor::ElementType type = tensor::ElementType::F32;
  tensor::Shape shape;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

// A tensor of the plan, which is a buffer there.
struct PlannedTensor {
  const Tensor* tensor = nullptr;
  tensor::ElementType element = tensor::ElementType::F32;
};

struct Planning {
  const Scenario& scenario;
  const ScenarioOptions& options;
  Diagnostics& diagnostics;
  const std::set<std::string, std::less<>>& unused;  // uids of resources that nothing uses
  // JSON pointers of the elements of `resources` and `commands` with errors of earlier phases.
  std::set<std::string, std::less<>> with_errors;

  launch::Plan plan;
  ResourceIndices resources;
  std::map<launch::ResourceIndex, PlannedTensor> tensors;
  std::map<std::string, launch::Contents, std::less<>> raw_data;
  std::map<std::string, OpenGraph, std::less<>> graphs;
  std::map<std::string, ConstantData, std::less<>> graph_constants;
  std::optional<model::GraphOptions> graph_settings;                // set at the first use
  std::map<std::string, CompiledShader, std::less<>> compiled;      // those without errors
  std::map<std::string, launch::ShaderIndex, std::less<>> shaders;  // those that commands use, in the plan
  // By shader and the types of its tensors; empty after a failure.
  std::map<std::pair<std::string, std::string>, std::optional<launch::ShaderIndex>> rewritten;
  // By image, level and samples of the attachment.
  std::map<std::tuple<launch::ResourceIndex, std::uint32_t, std::uint32_t>, SampledTarget> sampled_targets;

  bool has_errors_in(json::Value object) const;
};

// Whether nothing uses a resource whose file is missing, which is reported.
bool lacks_unused_file(Planning& planning, const Resource& resource);
// Whether nothing uses a resource, so that its file is not opened. Reports a missing file.
bool is_unused(Planning& planning, const Resource& resource);

// `/resources/3` for a pointer into that element.
std::string element_of(std::string_view pointer);
launch::Origin origin_of(json::Value object);

// The shader of the plan under that key; added if absent.
launch::ShaderIndex shader_in_plan(Planning& planning, const std::string& key, const launch::Shader& shader);
StageInterface interface_of(const Planning& planning, launch::ShaderIndex shader);
StageInterface interface_of(const launch::Shader& shader);

// Whether the tensors of a command are native, and otherwise why not, if the device is known.
struct TensorChoice {
  bool native = false;
  std::string emulated_because;
};
TensorChoice choose_tensors(Planning& planning, std::span<const launch::Shader* const> shaders,
                            const std::vector<launch::Binding>& bindings);
// A shader as steps run it. A shader with tensors that are not native is rewritten for the bound shapes; each set of
// shapes has its own shader in the plan. Empty after an error.
std::optional<launch::ShaderIndex> shader_for(Planning& planning, const std::string& key, const launch::Shader& shader,
                                              const std::vector<launch::Binding>& bindings, const TensorChoice& choice);
// The bindings of a command whose shaders are in the plan; tensors that are not native are bound as storage buffers.
void bind_tensors(Planning& planning, std::vector<launch::Binding>& bindings, const TensorChoice& choice);

// In this order: contents and outputs of all resources, then all shaders, then commands and expectations, which use
// both.
void plan_resources(Planning& planning);
void plan_sharing(Planning& planning);  // memory groups and aliases; the last part of plan_resources
void plan_shaders(Planning& planning);
void plan_commands(Planning& planning);
void plan_draw(Planning& planning, const Draw& command);  // one of them
// How graphs are computed, and who may run them and tensors natively.
const model::GraphOptions& graph_settings(Planning& planning);
void open_graph(Planning& planning, const Graph& graph);
void plan_graph(Planning& planning, const DispatchGraph& command);
void open_graph_constant(Planning& planning, const GraphConstant& constant);
void plan_spirv_graph(Planning& planning, const DispatchSpirvGraph& command);
void plan_optical_flow(Planning& planning, const DispatchOpticalFlow& command);
void plan_expectations(Planning& planning);

}  // namespace slipway::scenario
