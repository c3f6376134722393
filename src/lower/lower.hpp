// From a graph to kernels (architecture, "Lowering, in stages").
//
//   Result<KernelProgram> program = lower_graph(graph, {});
//
// The stages: `plan_fusion` decides which values are stored at all; each stored value becomes a kernel, of the family
// that suits its group of operators and the device (families/family.hpp), with everything that is not stored computed
// on the way; `plan_memory` gives the stored ones their places.
#pragma once

#include "base/diagnostic.hpp"
#include "lower/device_facts.hpp"
#include "lower/program.hpp"

namespace slipway::lower {

struct LowerSettings {
  bool fuse = true;
  bool list_sites = false;  // for tuning
  DeviceFacts device;
  std::uint64_t alignment = 256;      // of intermediates in the arena, bytes
  std::uint32_t most_groups = 65535;  // of a dispatch, in one dimension
};

// The graph must be verified and static, and its constants must have their data. Errors: unsupported (CUSTOM
// operators, tensors of more than 2^31 - 1 elements).
Result<KernelProgram> lower_graph(const tosa::Graph& graph, const LowerSettings& settings);

}  // namespace slipway::lower
