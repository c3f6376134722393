// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divergence analysis (uniformity): how the values of a kernel differ between the lanes of a vector.
//
// Most values are the same in all lanes and stay scalars: addresses, loop counters, factors that are broadcast. An
// index that is a uniform value plus the lane makes a load of neighbours, which is one vector load. Everything else is
// a vector. A variable is uniform if only uniform values are stored into it, and every store happens under exactly the
// mask under which the variable is used: then lanes that are masked off never see a wrong value.
#pragma once

#include <map>
#include <vector>

#include "cpu_compiler/kernel_module.hpp"

namespace slipway::cpu_compiler {

enum class Spread : std::uint8_t {
  Uniform,
  Linear,   // affine in the lane: a uniform integer plus the lane
  Varying,  // divergent
};

// A part of the body under one mask: the whole body (0), or the body of an If whose condition varies.
using Region = std::uint32_t;

struct VariableSpread {
  bool varying = false;
  Region owner = 0;  // the innermost region that has all of its uses
};

struct Spreads {
  std::vector<Spread> values;              // by id; constants are uniform
  std::map<Id, VariableSpread> variables;  // of the function
  std::map<const If*, Region> regions;     // of selections whose condition varies

  Spread of(Id id) const { return values[id]; }
};

// Which invocations are compared. The engine runs each vector, which is a subgroup, for itself.
enum class Among : std::uint8_t { Subgroup, Workgroup };

// Errors: unsupported (a loop whose lanes leave it at different times).
Result<Spreads> analyse_spreads(const KernelModule& kernel, Among among = Among::Subgroup);

}  // namespace slipway::cpu_compiler
