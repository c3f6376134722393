// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of loading a scenario; reading, checking and planning share them.
#pragma once

#include <cstdint>
#include <functional>

#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "model/plan/graph_options.hpp"

namespace slipway::scenario {

// How far loading goes (docs/spec/scenario.md#phases).
enum class Depth : std::uint8_t { Structure, References, Files };

// Whether tensors and graphs are emulated with buffers and compute shaders. Auto: where the device has no native
// support.
enum class Emulation : std::uint8_t { Auto, Never, Always };

struct ScenarioOptions {
  Path output;            // directory that relative `dst` paths are resolved against; empty: the scenario's
  bool confine = false;   // reject paths outside the scenario's directory (for `dst` also outside the output directory)
  bool checking = false;  // `check`: unknown keys and keys without effect are errors, unused resources are noted
  Depth depth = Depth::Files;
  Cache cache;              // of compiled shaders
  bool dxc = false;         // HLSL is compiled by the program `dxc`
  bool cast = false;        // arrays of files with elements of another type are converted
  bool legacy_dds = false;  // DDS files are written without a DX10 header
  Emulation emulation = Emulation::Auto;
  // Called when there is a graph or a shader with tensors: what computes graphs, on which device, and who may run both
  // natively (model/graph_target.hpp). Empty: the device is unknown, kernels use only what every device has, and
  // everything is emulated.
  std::function<model::GraphOptions()> target = {};
};

}  // namespace slipway::scenario
