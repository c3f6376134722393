// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the library slipway: it has SPIRV-Tools, and the memory of its process.
#include "rpl/emit/optimize.hpp"
#include "rpl_c/host.hpp"
#include "slipway/rpl.h"

namespace slipway::rpl_c {

decltype(rpl::CompileOptions::optimize) optimizer() { return rpl::optimize_modules; }

}  // namespace slipway::rpl_c

rpl_status rpl_set_allocator(const rpl_allocator* /*allocator*/) { return RPL_LACKS; }
