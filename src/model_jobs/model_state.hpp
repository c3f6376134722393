// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a public Model (include/slipway/model.hpp), and what its functions share.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/public_problems.hpp"
#include "base/system/cache.hpp"
#include "model/plan/plan_model.hpp"
#include "model_jobs/late_model.hpp"
#include "slipway/model.hpp"

namespace slipway {

struct Model::State {
  std::shared_ptr<const model::ModelFile> file;  // null: shapes are known when the model is prepared
  std::shared_ptr<model::LateModel> late;        // instead of `file`
  model::ModuleShaders shaders;
  Cache cache;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<Problem> remarks;

  // The file for shapes of inputs, and elements of those that decide shapes. Empty after an error.
  std::optional<model::LateModel::Imported> file_for(const model::LateModel::Shapes& shapes,
                                                     const model::LateModel::Values& values,
                                                     Diagnostics& diagnostics) const {
    if (file) return model::LateModel::Imported{file, {}};
    return late->import(shapes, values, diagnostics);
  }
};

}  // namespace slipway
