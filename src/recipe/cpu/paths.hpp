// Where a recipe's CPU libraries are (recipe page 3.6, decision 22).
//
// A library is named relative to a root: the one that the user gives, else XILINX_XRT, the directory that Slipway is
// installed in and the directory of the artifacts, in this order. `umd/convert.dll` finds `umd/libconvert.so`: recipes
// name the libraries of another system, and XRT leaves `lib` and `.so` to the loader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/files.hpp"

namespace slipway::recipe::cpu {

struct LibraryRoots {
  std::vector<Path> roots;
  bool allow_outside = false;  // absolute paths, and `..`
};

// `given` (empty: none) replaces all other roots.
LibraryRoots library_roots(const Path& given, const Path& artifacts, bool allow_outside = false);

// The directory above the one that this program or library lies in; empty when it is not known.
Path install_prefix();

// The file names that a library name may stand for, in the order in which they are looked for.
std::vector<std::string> library_file_names(std::string_view name);

// The first file that exists. Errors: cpu-path for a name that is empty, absolute or has `..`; cpu-open, naming the
// files that were looked for. `place` is that of the name in the recipe.
Result<Path> find_library(std::string_view name, const LibraryRoots& roots, const SourceLocation& location = {});

}  // namespace slipway::recipe::cpu
