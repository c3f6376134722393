// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines that several runs use.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace slipway::launch {

struct LaidOutPipeline;  // of pipelines.hpp

// Pipelines by their keys, for several runs on one device, one run at a time. The device must outlive it.
using SharedPipelines = std::map<std::string, std::shared_ptr<const LaidOutPipeline>>;

}  // namespace slipway::launch
