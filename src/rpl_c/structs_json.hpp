// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structures of slipway/rpl_structs.h as JSON, and the JSON Schema of that, by the table of structures
// (rpl_runtime/structs.def): a structure is an object, an enumerant its name, and SPIR-V its count of bytes.
#pragma once

#include <cstddef>
#include <string>

#include "json/writer.hpp"
#include "slipway/rpl_pack.h"

namespace slipway::rpl_c {

void write_pipeline(json::Writer& out, const rpl_pipeline& pipeline);
void write_options(json::Writer& out, const rpl_options& options);

// What `slipway inspect --json` prints of a pack: {"programs": [{"name", "options", "variants": [{"reason",
// "pipeline"}]}]}.
std::string pack_schema_text();

}  // namespace slipway::rpl_c
