// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/matrix/matrix.hpp"

#include <utility>

#include "base/format.hpp"

namespace slipway::tosa_cases {

const std::vector<Configuration>& matrix() {
  static const std::vector<Configuration> configurations = [] {
    MatrixBuilder builder;
    for (const auto add : {add_unary, add_binary, add_reductions, add_pools, add_convolutions, add_products, add_layout,
                           add_gathers, add_resizes, add_casts, add_rescales})
      add(builder);
    return std::move(builder.configurations);
  }();
  return configurations;
}

std::optional<OperatorCase> case_of(std::size_t number, Pattern pattern, Diagnostics& problems) {
  static constexpr std::string_view kNames[] = {"edge", "random", "random2"};
  const Configuration& configuration = matrix()[number];
  TensorBuilder builder(number * std::size(kPatterns) + static_cast<std::size_t>(pattern),
                        configuration.has_edges ? pattern : Pattern::Random);
  CaseParts parts = configuration.parts(builder);
  parts.constants = pattern == Pattern::Random2;  // kernels may prepare constants
  return make_case(formatted("{}/{}/{}", configuration.label, number, kNames[static_cast<std::size_t>(pattern)]),
                   configuration.op, std::move(parts), problems);
}

}  // namespace slipway::tosa_cases
