// A graph as steps of a plan: its kernels as shaders, its constants and intermediates as resources, its dispatches as
// steps.
#pragma once

#include "launch/plan.hpp"
#include "lower/program.hpp"

namespace slipway::model {

// Adds the steps of a program to a plan. `inputs` and `outputs` are resources of the plan, as many as the graph has,
// each a buffer of the size that its tensor has. The constants' data must outlive the plan. `name` tells this graph's
// resources from others'.
void add_graph(launch::Plan& plan, const tosa::Graph& graph, const lower::KernelProgram& program,
               std::span<const launch::ResourceIndex> inputs, std::span<const launch::ResourceIndex> outputs,
               const std::string& name, const launch::Origin& origin);

}  // namespace slipway::model
