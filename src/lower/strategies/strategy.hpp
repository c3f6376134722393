// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies: ways to make a kernel of a group of operators, each fast for some groups on some devices.
//
// A group is a stored result with everything that is computed on the way to it (fusion.hpp). Each function returns
// whether the strategy applies. If so, it has added the kernels and dispatches to the program; if not, the program is
// unchanged.
//
//   attention     two matrix products with a softmax between them, on GPUs: no score is stored
//   contraction   convolutions and matrix products with what follows them, on CPUs: a tile of results in registers,
//                 operands packed in panels
//   windows       depthwise convolutions and pooling with what follows them, on CPUs: vectors of channels
//   tiles         contractions on GPUs: tiles in shared memory, cooperative matrices
//   reductions    reductions along an axis with the pointwise operators around them (softmax, layer norm): several
//                 invocations share a row
//   wide concat   CONCAT of more inputs than a kernel may have buffers
//   vectors       everything whose last dimension is long enough: neighbouring elements together
//   plain         everything: one invocation computes one element
#pragma once

#include "lower/program_builder.hpp"

namespace slipway::lower {

bool lower_attention(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_contraction(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_windows(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_tiles(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_reductions(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_wide_concat(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_vectors(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
void lower_plain(ProgramBuilder& program, const tosa::Node& node, std::size_t result);

}  // namespace slipway::lower
