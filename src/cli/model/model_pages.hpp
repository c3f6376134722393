// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pages of `slipway convert --explain-partitions=FILE.html` and `slipway tune --html`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slipway::cli {

// `partitions`: what convert::partition_json returns.
std::string partition_page(std::string_view file, const std::string& partitions);

// What was measured of a model.
struct TunedModel {
  std::string file, device;
  std::string report;  // what model::tuning_report_text returns
};
std::string tuning_page(std::span<const TunedModel> models);

}  // namespace slipway::cli
