// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON form: the same keys, nesting and order as canonical text; text to JSON to text is lossless.
//
// Integers, booleans and strings are those of JSON, an int3 is an array of three; omitted keys have their default.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

struct JsonOptions {
  bool defaults = false;  // also write keys with their default value
};

// Writes one JSON value to a writer that may be inside another value.
void write_json(const Document& document, json::Writer& out, const JsonOptions& options = {});
// Returns a complete JSON text. Strings that are not UTF-8 have no JSON form: error invalid-utf8.
Result<std::string> to_json(const Document& document, const JsonOptions& options = {});

// Reports the same kinds as the reader of text, with the location and the JSON pointer. The document's strings live in
// its arena; its `text` is the source's, which must outlive it.
Document read_json(const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace slipway::zeinfo
