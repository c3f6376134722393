// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a recipe's CPU libraries are (docs/spec/recipe.md#library-lookup, docs/spec/recipe.md#decision-22).
//
// A library is named relative to a root: the root of the user, else XILINX_XRT, the directory that Slipway is installed
// in and the directory of the artifacts, in this order. `umd/convert.dll` finds `umd/libconvert.so`: recipes may name
// the libraries of another system, and omit `lib` and `.so`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::recipe::cpu {

struct LibraryRoots {
  std::vector<Path> roots;
  // The one of `roots` that belongs to the recipe, whose links must not lead out of it; empty: none. Directories of the
  // user and of installations may have any links.
  Path artifacts;
  bool allow_outside = false;  // absolute paths, `..`, and such links
};

// `given` replaces all other roots, unless it is empty.
LibraryRoots library_roots(const Path& given, const Path& artifacts, bool allow_outside = false);

// The parent of the directory of this program or library; empty if it is unknown.
Path install_prefix();

// The possible file names of a library, in search order.
std::vector<std::string> library_file_names(std::string_view name);

// The first file that exists. Errors: cpu-path for a name that is empty, absolute or has `..`,
// and for a link that leaves the artifacts; cpu-open, with notes for
// the files that were looked for. `location` is that of the name in the recipe.
Result<Path> find_library(std::string_view name, const LibraryRoots& roots, const SourceLocation& location = {});

}  // namespace slipway::recipe::cpu
