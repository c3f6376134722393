// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operator_codes.hpp"

#include <algorithm>
#include <array>

#include "tflite_generated.h"

namespace slipway::importer {
namespace {

constexpr auto kBuiltinOperators = std::to_array<BuiltinOperator>({
#define TFLITE_OPERATOR(code, name, options, options_2)                 \
  {code, #name, static_cast<std::uint8_t>(fb::BuiltinOptions::options), \
   static_cast<std::uint8_t>(fb::BuiltinOptions2::options_2)},
#include "importer/tflite/operators.def"
#undef TFLITE_OPERATOR
});
static_assert(std::ranges::is_sorted(kBuiltinOperators, {}, &BuiltinOperator::code));

}  // namespace

const BuiltinOperator* builtin_operator(std::int64_t code) {
  const auto* found = std::ranges::lower_bound(kBuiltinOperators, code, {}, &BuiltinOperator::code);
  return found != kBuiltinOperators.end() && found->code == code ? found : nullptr;
}

const BuiltinOperator* builtin_operator(std::string_view name) {
  const auto* found = std::ranges::find(kBuiltinOperators, name, &BuiltinOperator::name);
  return found != kBuiltinOperators.end() ? found : nullptr;
}

}  // namespace slipway::importer
