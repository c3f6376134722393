// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ZE Info text, a subset of YAML, in one pass into the model.
//
// The schema determines the meaning of a scalar, never YAML's core rules, so a kernel may be called `y` or `1e5`. The
// reader continues after an error, reports all errors with exact locations, and returns what it could read. It accepts
// spellings that some readers refuse (flow mappings, quoted numbers, comments...) and lists them as deviations.
//
// Texts are at most 4 GiB - 1 (32-bit offsets), nested at most 16 deep. Only strings with escapes are copied, and only
// the arena's blocks are allocated.
//
// Errors (docs/spec/zeinfo.md#text-syntax, docs/spec/zeinfo.md#check-rules): bad-indentation, tab-indentation,
// bad-token, bad-escape, unterminated-string, unsupported-yaml, nesting-too-deep, invalid-utf8, second-document,
// trailing-data, duplicate-key, unknown-key, missing-key, not-a-mapping, not-a-sequence, not-a-scalar, bad-integer,
// integer-range, bad-boolean, bad-float, missing-value, unknown-value, list-length, bad-version,
// unsupported-version.
#pragma once

#include <optional>
#include <string_view>

#include "zeinfo/model.hpp"
#include "zeinfo/text_diagnostics.hpp"

namespace slipway::zeinfo {

struct ParseOptions {
  // The version of the container (note 4), for texts without a version.
  std::optional<Version> container_version;
  // The reader has a quick path for lines in canonical form, which must not change results; tests disable it.
  bool quick = true;
};

// `text` must outlive the document. `diagnostics` must be those of the same text.
Document parse(std::string_view text, TextDiagnostics& diagnostics, const ParseOptions& options = {});

// The version whose rules hold for a document: the declared one, otherwise the container's, otherwise `pre` if a name
// occurs that only texts before 1.0 have, otherwise the lowest that has all keys and values in use.
Version effective_version(const Document& document, std::optional<Version> container_version = {});

// Whether bytes look like ZE Info text: the first entry of the root, after blanks, comments and markers, is one of the
// root's keys. Used to detect the format of files.
bool looks_like_text(std::string_view bytes);

}  // namespace slipway::zeinfo
