// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shaders with tensors (SPV_ARM_tensors) for devices that have none: every tensor becomes a storage buffer at the same
// set and binding, and every access address arithmetic with the shape and the strides as constants
// (docs/spec/scenario.md#tensor-modules).
//
//   TensorBinding input{.set = 0, .binding = 0, .elements = {packed_layout(ElementType::I8, {1, 16, 16, 4})}};
//   Result<Words> words = emulate_tensors(module, {{input, output}});
//
// A module is valid for the shapes that it was rewritten for; other shapes need another module.
//
// Reads and writes behave as SPV_ARM_tensors specifies: an element outside the shape reads as the `OutOfBoundsValue`
// operand, or 0, and is not written; the elements of an array follow each other along the innermost dimension and are
// handled one by one. Elements of `bool` are a byte, anything but 0 is true. Each kind of access becomes a function
// at the end of the module, so that the control flow of the shader does not change. A function that takes
// tensors is copied for each set of tensors that calls pass.
//
// The result requires StorageBuffer8BitAccess or StorageBuffer16BitAccess where elements are that narrow: a store of
// one must not touch its neighbours, which other invocations may be storing. Elements of bfloat16, e4m3 and e5m2 become
// integers with the same bits, because few devices have such floats (small_floats.hpp), unless the shader does more
// than copy and convert them.
#pragma once

#include <span>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "spirv/tensors/layout.hpp"

namespace slipway::spirv {

// Whether a module declares that it uses tensors and must be rewritten.
bool has_tensors(const Module& module);

// Tensors without a binding have no elements: reads return the out-of-bounds value, writes do nothing.
// Bindings that the module does not declare as tensors are ignored. `specialization` decides what constants the shape
// of a tensor's type and the dimension of a size query have. A module without tensors is returned unchanged.
//
// Errors: binding-mismatch, when a tensor is declared with another element type, rank or shape than its binding;
// out-of-range, when a tensor reaches beyond the 4 GiB that a storage buffer can have; unsupported, for uses of tensors
// that cannot be followed (a choice between two tensors, graphs); file-format.
Result<Words> emulate_tensors(const Module& module, std::span<const TensorBinding> bindings,
                              const Specialization& specialization = {});

// Rewrites a module so that it accesses tensors by address, each as its record describes it. One module serves all
// shapes and strides. It needs 64-bit integers, buffer addresses, and storage of 8 and 16 bits for elements that
// narrow. Errors: those of `emulate_tensors`; a tensor of more than kMaxRank dimensions is unsupported.
Result<Words> emulate_tensors_by_record(const Module& module);

}  // namespace slipway::spirv
