// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON form of metadata (docs/spec/rpl.md#metadata). The tables of metadata_records.cpp describe it once for
// writing, reading and the JSON Schema.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "base/text/source.hpp"
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

// Sets `hashes` from everything else: the last step of making metadata.
void seal(Metadata& metadata);
// The same in two steps, the first of which is the same for equal interfaces.
std::string interface_hash_of(const Metadata& metadata);
void seal(Metadata& metadata, std::string interface_hash);

std::string metadata_text(const Metadata& metadata);

// Empty when there are errors. The kinds are those of JSON in general, and out-of-range for a version that this
// program does not know. Hashes are not checked: compare with `seal` on a copy.
std::optional<Metadata> read_metadata(const SourcePtr& source, Diagnostics& diagnostics);

// The content of `schema/rpl-metadata.schema.json`.
std::string metadata_schema_text();

}  // namespace slipway::rpl
