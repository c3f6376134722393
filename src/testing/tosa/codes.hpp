// All codes of small types, and all places where rounding turns: the exhaustive cases of TOSA operators (layer C of the
// page on test cases).
#pragma once

#include <functional>

#include "testing/tosa/operator_case.hpp"

namespace slipway::testing {

// How much: what every run of the tests can afford (i8 and fp8, and all codes of 16-bit floats), or everything.
enum class Codes : std::uint8_t { Quick, All };
void for_each_code_case(Codes codes, const std::function<void(OperatorCase)>& use);

}  // namespace slipway::testing
