// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a TOSA model of a net for given shapes and parameters.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "importer/import_options.hpp"
#include "importer/net.hpp"
#include "tosa/model.hpp"

namespace slipway::importer {

// Errors: those of ImportedModel::specialise.
std::optional<tosa::Model> specialise(const Net& net, const ImportOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::importer
