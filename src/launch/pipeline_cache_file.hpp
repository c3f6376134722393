// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file for the driver's pipeline data (docs/spec/scenario.md#pipeline-cache-file).
#pragma once

#include "base/system/files.hpp"

namespace slipway::launch {

// The pipeline cache that a user asks for (`--pipeline-caching`): one file for one plan.
struct PipelineCacheFile {
  Path path;
  bool clear = false;         // delete the file first
  bool fail_on_miss = false;  // only when the file holds a valid cache
};

}  // namespace slipway::launch
