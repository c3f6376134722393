// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators of TensorFlow Lite share.
#pragma once

#include "importer/emit/network/windows.hpp"
#include "importer/emit/node_context.hpp"
#include "importer/quant/tables.hpp"

namespace slipway::importer {

// In what the kernels of integers are repeated; the reference kernels unless the user says otherwise.
Arithmetic arithmetic_of(const NodeContext& node);

// Whether an operator computes with quantised integers: its first operand is one.
bool is_quantised(const NodeContext& node);
// Of a result, as the graph has it. Refused: it has no quantisation.
QuantisedType result_type(const NodeContext& node, std::size_t i = 0);
QuantisedTerm quantised_operand(NodeContext& node, std::size_t i);
// Both have the same scale and zero point.
bool same_quantisation(const QuantisedType& a, const QuantisedType& b);
// A result in the type of the graph, with the bits of the file.
void out_quantised(NodeContext& node, const Term& x, std::size_t i = 0);

// The result of a quantised operator by the table that the format makes for a function of reals.
void out_by_function(NodeContext& node, const RealFunction& function);

// `fused_activation_function`.
enum class Activation : std::uint8_t { None, Relu, ReluN1To1, Relu6, Tanh, SignBit };
Activation activation_of(const NodeContext& node);
// Of floats and integers that are not quantised.
Term activated(NodeContext& node, const Term& x);
// Of quantised numbers of the graph, by their limits.
Term activated(NodeContext& node, const Term& x, const QuantisedType& type);

// The windows of a convolution or a pool with two dimensions, for x [N, H, W, C].
Windows windows_of(const NodeContext& node, const Term& x, std::int64_t height, std::int64_t width, bool dilates);
Padding padding_of(const NodeContext& node);

// One integer of an operand that has to be known.
std::int64_t single_integer(const NodeContext& node, std::size_t i, std::string_view what);
// The type that an attribute names.
FileType type_named(const NodeContext& node, std::string_view name, FileType otherwise);

}  // namespace slipway::importer
