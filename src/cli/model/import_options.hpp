// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of verbs that read models: which function, and the shapes and parameters of models that are imported.
#pragma once

#include <string>
#include <vector>

#include "cli/option_groups.hpp"
#include "convert/read_model.hpp"

namespace slipway::model {
struct NamedInput;
}

namespace slipway::cli {

void add_read_model_options(OptionGroup& group, ReadModelArguments& arguments);

// `inputs` and `input_directory` name arrays that the model will run on: they decide shapes, and parameters that the
// graph needs. Errors: usage.
convert::ReadModelOptions read_model_options(const ReadModelArguments& arguments,
                                             const std::vector<model::NamedInput>& inputs,
                                             const std::string& input_directory, Diagnostics& diagnostics);

}  // namespace slipway::cli
