// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library rpl and the library slipway do differently: rpl_standalone/standalone.cpp and in_slipway.cpp.
#pragma once

#include "rpl/compile.hpp"

namespace slipway::rpl_c {

// CompileOptions::optimize; null in a library without SPIRV-Tools.
decltype(rpl::CompileOptions::optimize) optimizer();

}  // namespace slipway::rpl_c
