// Families of kernels: ways to compute a group of operators, each good for some groups on some devices.
//
// A group is a stored result with everything that is computed on the way to it (fusion.hpp). Each function adds what is
// needed to the program and says true, or says false and leaves it as it was.
//
//   contraction   convolutions and matrix products with what follows them, on processors: a tile of results in
//                 registers, operands packed in panels
//   windows       depthwise convolutions and pools with what follows them, on processors: vectors of channels
//   tiles         the same on GPUs: tiles in the memory of workgroups, cooperative matrices
//   rows          reductions along an axis with the pointwise operators around them (softmax, layer norm), on GPUs:
//   many
//                 invocations a row
//   vectors       everything whose last dimension is long enough: neighbours side by side
//   plain         everything: an invocation computes an element
#pragma once

#include "lower/program_builder.hpp"

namespace slipway::lower {

bool lower_contraction(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_windows(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_tiles(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_rows(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
bool lower_vectors(ProgramBuilder& program, const tosa::Node& node, std::size_t result);
void lower_plain(ProgramBuilder& program, const tosa::Node& node, std::size_t result);

}  // namespace slipway::lower
