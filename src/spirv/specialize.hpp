// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module whose specialization constants have other defaults: for readers of modules that have no pipeline to set the
// values, such as the reader of graphs.
#pragma once

#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::spirv {

// Constants that the module does not have are ignored, as drivers do.
Words specialize(const Module& module, const Specialization& specialization);

}  // namespace slipway::spirv
