// The JSON form: the same keys, nesting and order as canonical text; text to JSON to text is lossless.
//
// Integers, booleans and strings are JSON's own, an int3 is an array of three; what is omitted has its default.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

struct JsonOptions {
  bool defaults = false;  // write what has its default too
};

// As one JSON value, into a writer that is in the middle of something.
void write_json(const Document& document, json::Writer& out, const JsonOptions& options = {});
// As a whole text. Strings that are not UTF-8 have no JSON form: error invalid-utf8.
Result<std::string> to_json(const Document& document, const JsonOptions& options = {});

// Reports with the same kinds as the reader of text, at the place and with the JSON pointer. The document's strings
// live in its arena; its `text` is the source's, which must outlive it.
Document read_json(const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace slipway::zeinfo
