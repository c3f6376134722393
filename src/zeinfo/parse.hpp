// ZE Info text to values: a subset of YAML, read in one pass straight into the model.
//
// The schema drives: what a scalar means comes from its field, never from YAML's core rules, so a kernel may be called
// `y` or `1e5`. The reader goes on after an error, reports all with exact places, and gives what it could read. It
// takes spellings that some readers refuse (flow mappings, quoted numbers, comments...) and lists them as oddities.
//
// Texts are at most 4 GiB - 1 (32-bit offsets), nested at most 16 deep. Nothing is copied but strings with escapes;
// nothing is allocated but the arena's blocks, however many nodes there are.
//
// Errors (kinds; ZE Info page, 3.4 and 3.8): bad-indentation, tab-indentation, bad-token, bad-escape,
// unterminated-string, unsupported-yaml, nesting-too-deep, invalid-utf8, second-document, trailing-data,
// duplicate-key, unknown-key, missing-key, not-a-mapping, not-a-sequence, not-a-scalar, bad-integer, integer-range,
// bad-boolean, bad-float, missing-value, unknown-value, list-length, bad-version, unsupported-version.
#pragma once

#include <optional>
#include <string_view>

#include "zeinfo/model.hpp"
#include "zeinfo/problems.hpp"

namespace slipway::zeinfo {

inline constexpr int kMaxDepth = 16;
inline constexpr std::uint64_t kMaxTextSize = 0xffffffffu;

struct ParseOptions {
  // Of the container, for texts without a version of their own (note 4).
  std::optional<Version> container_version;
  // The reader has a quick way for lines in canonical form, which must make no difference; tests switch it off.
  bool quick = true;
};

// `text` must outlive the document. `problems` must be about the same text.
Document parse(std::string_view text, Problems& problems, const ParseOptions& options = {});

// The version whose rules hold for a document: the declared one, else the container's, else `pre` if a name occurs that
// only texts before 1.0 have, else the least that has all that is used.
Version effective_version(const Document& document, std::optional<Version> container_version = {});

// Whether bytes look like ZE Info text: the first entry of the root, after blanks, comments and markers, is one of the
// root's keys. For telling files apart by content.
bool looks_like_text(std::string_view bytes);

}  // namespace slipway::zeinfo
