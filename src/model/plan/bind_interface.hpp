// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs and outputs of a model in one dispatch: which resource of the plan its segments use for each.
//
// Inputs and outputs may share storage: an output that is an input, or that replaces one. Each keeps the memory that is
// bound to it, so that an input has its value after the run, and values are copied before the first and after the last
// segment. Segments never read an input in memory that they write an output to, whatever memory is bound.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "launch/plan/plan.hpp"
#include "model/plan/plan_model.hpp"

namespace slipway::model {

struct BoundInterface {
  std::map<std::uint32_t, launch::ResourceIndex> resources;  // by resource of the file
  std::map<std::uint32_t, std::uint32_t> levels;             // of images, by resource of the file
  std::vector<launch::Copy> before, after;                   // of the segments
};

// Adds a buffer of the size of another one, named after it and `name`.
launch::ResourceIndex add_buffer_like(launch::Plan& plan, const std::string& name, launch::ResourceIndex like);

// `storage`: vgf::storage_of. Several bindings with one logical number are for the inputs and outputs that have it, in
// order; inputs and outputs without one of their own share memory with the others. May add buffers to the plan, named
// after `name`.
BoundInterface bind_interface(launch::Plan& plan, const vgf::File& file, std::span<const std::uint32_t> storage,
                              const ModelDispatch& dispatch, const std::string& name);

}  // namespace slipway::model
