// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of verbs that read models: which function, and the shapes and parameters of models that are imported.
#pragma once

#include "cli/option_groups.hpp"
#include "convert/read_model.hpp"

namespace slipway::model {
struct StandaloneOptions;
}

namespace slipway::cli {

void add_read_model_options(OptionGroup& group, ReadModelArguments& arguments);
// Only those that are about models that are imported, and about nothing else.
void add_import_options(OptionGroup& group, ReadModelArguments& arguments);

// `run`: names the arrays that the model will run on, which decide shapes and parameters that the graph needs, and has
// what opens them; null: none. Errors: usage.
convert::ReadModelOptions read_model_options(const ReadModelArguments& arguments, Diagnostics& diagnostics,
                                             const model::StandaloneOptions* run = nullptr);

}  // namespace slipway::cli
