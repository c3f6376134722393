// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on shapes of TOSA 1.1 with known operands: they are evaluated while reading.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::tosa {

using ShapeValues = std::vector<std::int64_t>;

// `name`: of the operator, `ADD_SHAPE`; not CONST_SHAPE and DIM. The error is a message.
std::expected<ShapeValues, std::string> fold_shape_operator(std::string_view name,
                                                            std::span<const ShapeValues> operands);
bool is_shape_operator(std::string_view name);

}  // namespace slipway::tosa
