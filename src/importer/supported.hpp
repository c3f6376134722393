// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operators of a format are converted: the lists of `slipway inspect --supported`, and reasons in reports.
#pragma once

#include <string_view>
#include <vector>

#include "importer/net.hpp"

namespace slipway::importer {

struct OperatorSupport {
  std::string_view domain;  // empty: of the format itself
  std::string_view name;
  std::string_view obstacle;  // why it is not converted; empty: it is
};

// All operators that the format has, and those of other domains that are known, by domain and name.
std::vector<OperatorSupport> operators_of(NetFormat format);

// Why an operator is not converted; empty: it is.
std::string_view obstacle_of(NetFormat format, std::string_view domain, std::string_view name);

}  // namespace slipway::importer
