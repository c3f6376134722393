// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of other programs: recognises those that Slipway does not run, and knows how to make a file that it runs.
//
//   if (const ForeignFormat* format = recognise({.bytes = bytes, .path = "net.onnx"}))
//     diagnostics.add(explain(*format, "net.onnx"));
//
// A format is recognised by its contents: magic numbers and structure. The suffix of the path decides only where the
// contents leave several formats open. Text is searched for words, which a file that Slipway reads may contain too:
// `recognise` is called only for files that no reader claims, or whose reader has failed. The formats that Slipway
// reads are not in the table, except where a file of them is only data for something else, such as an array or a
// picture.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::foreign {

struct ForeignFile {
  Bytes bytes;  // the whole file; empty for a directory
  Path path;
  bool directory = false;

  std::string_view text() const { return text_of(bytes); }
  bool has_suffix(std::string_view suffix) const;  // in lower case, with its dot
};

struct ForeignFormat {
  std::string_view name;  // a stable word, for tests and lists
  std::string_view what;  // "an ONNX model"
  std::string_view hint;  // what to do, one clause
  // What to type, in order. `{file}` is the path of the file, `{stem}` its name without directory and suffix, `{model}`
  // the path of the VGF file beside it: `a.vgf` for `a.json` and `a.vgf.json`.
  std::array<std::string_view, 3> commands;
  bool (*detect)(const ForeignFile& file);
  bool is_data = false;  // Slipway reads it as the contents of a resource, but it is not a workload
};

// In the order of detection.
std::span<const ForeignFormat> foreign_formats();

// Returns the first format that is detected, or null. Reads at most some kilobytes of text and the directory of an
// archive, however large the file is.
const ForeignFormat* recognise(const ForeignFile& file);

// An error of the kind not-recognised with the commands as notes. `name` is the path of the file, or `<stdin>`. `own`:
// what Slipway's reader reported, if a reader tried; its first error becomes a note.
Diagnostic explain(const ForeignFormat& format, const std::string& name, const Failure& own = {});

}  // namespace slipway::foreign
