// A module whose specialization constants have other defaults: for what reads constants from modules itself, as graphs
// are read, and has no pipeline to give values to.
#pragma once

#include "spirv/module.hpp"
#include "spirv/reflect.hpp"

namespace slipway::spirv {

// Constants that the module does not have are ignored, as drivers do.
Words specialize(const Module& module, const Specialization& specialization);

}  // namespace slipway::spirv
