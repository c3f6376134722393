// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a model of any format, to run or draw it.
#pragma once

#include <memory>
#include <string>

#include "model/plan/plan_model.hpp"
#include "model_jobs/stages.hpp"

namespace slipway::convert {
struct ReadModelOptions;
}
namespace slipway::tosa {
struct Model;
}

namespace slipway::model {

// Opens a VGF file, which stays mapped, or converts another model in memory; inputs and outputs keep the names of their
// tensors. Of an ExecuTorch program, it opens the model in it. `read`: the function of an MLIR module or the method of
// a program, the shapes and parameters of a model that is imported. Messages call the file `name`. Errors: those of
// reading, converting, and of the check that the model can run. `stages` begins `read` and those of the conversion; it
// may be null.
std::shared_ptr<const ModelFile> open_any_model(const Path& path, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages = nullptr);
// The same for the bytes of a file, which are copied.
std::shared_ptr<const ModelFile> open_any_model(Bytes bytes, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages = nullptr);

// Converts a model that was read in memory.
std::shared_ptr<const ModelFile> open_converted(tosa::Model model, const std::string& name, Diagnostics& diagnostics,
                                                Stages* stages = nullptr);

}  // namespace slipway::model
