// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a model as TOSA FlatBuffers, version 1.0.0 (docs/spec/converter.md#writing-tosa-files).
//
// One region `main` with one block `main`; CONST and CONST_SHAPE operators first, then the others in program order.
// Attributes that the format stores as tensors or shapes become constants again, equal ones once. Tensors keep their
// names where these are unique.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::tosa {

// Errors: unsupported (operators that TOSA does not have, a file beyond 2 GiB), missing-key (a constant without data).
Result<std::vector<std::byte>> write_tosa(const Model& model);

// The same content as JSON with the names of the schema.
Result<std::string> tosa_json(Bytes file);

}  // namespace slipway::tosa
