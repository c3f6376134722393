// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a public Model (include/slipway/model.hpp), and what its functions share.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/public_problems.hpp"
#include "base/system/cache.hpp"
#include "model/plan/plan_model.hpp"
#include "slipway/model.hpp"

namespace slipway {

struct Model::State {
  std::shared_ptr<const model::ModelFile> file;
  model::ModuleShaders shaders;
  Cache cache;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<Problem> remarks;
};

}  // namespace slipway
