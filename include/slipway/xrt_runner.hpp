// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `xrt::runner` for programs that were written for XRT's class of that name. The names below are Slipway's classes;
// nothing of XRT is needed to compile, link or run.
#pragma once

#if defined(SLIPWAY_WITH_XRT)
#error "slipway/xrt_runner.hpp has the names of XRT's classes; it cannot be used together with XRT itself"
#endif

#include "slipway/recipe.hpp"

namespace xrt {
using slipway::device;
using slipway::runner;
}  // namespace xrt

namespace xrt_core {
using slipway::runner;
}  // namespace xrt_core
