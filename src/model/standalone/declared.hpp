// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements as the users of a model see them (tosa::DeclaredTensor), and as its graphs compute with them: integers and
// floats of 64 bits in 32, unsigned integers as the bits of signed ones (docs/spec/import.md#types).
#pragma once

#include <cstddef>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/element_type.hpp"

namespace slipway::model {

// Whether elements of the types have the same bytes.
bool has_same_bytes(tensor::ElementType declared, tensor::ElementType stored);

// `to` has as many elements. Errors: out-of-range, for the first element that the graph cannot hold; the message calls
// the tensor `what`.
Result<> narrow_elements(tensor::ElementType declared, Bytes from, tensor::ElementType stored, MutableBytes to,
                         std::string_view what);
void widen_elements(tensor::ElementType stored, Bytes from, tensor::ElementType declared, MutableBytes to);

}  // namespace slipway::model
