// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the readers of model files need beside the bytes.
#pragma once

#include "base/system/files.hpp"

namespace slipway::importer {

struct ReadOptions {
  // Of the model: external data are read from here and from below; empty: they are refused.
  Path directory;
  // Symbolic links to files outside the directory are followed.
  bool follow_links = false;
};

}  // namespace slipway::importer
