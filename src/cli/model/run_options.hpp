// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `slipway run` on models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_groups.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::cli {

// --compare with another device: `device:NAME`.
inline constexpr std::string_view kDevicePrefix = "device:";

struct ModelRunOptions : LaunchGroup {
  std::vector<std::string> files;
  std::vector<std::string> inputs;  // NAME=FILE
  ReadModelArguments read;
  std::string input_directory, output_directory, range, fill = "random", compare;
  std::uint64_t seed = 0;
  bool profile = false, layers = false;
  std::string picture_path;
  std::string against;  // a directory of .npy files, or an .npz archive
  std::optional<double> absolute, relative;
  bool cast = false, allow_uncompared = false;

  std::vector<std::string> outputs() const override {
    std::vector<std::string> files = LaunchGroup::outputs();
    files.push_back(picture_path);
    return files;
  }
  bool is_timed() const { return profile || !picture_path.empty() || !trace_path.empty() || !profiling_path.empty(); }
};

// Returns an exit status if the verb has to end.
std::optional<int> parse_model_run_options(const Arguments& arguments, ModelRunOptions& options);
// Reports values that cannot be meant. `request` gets those that name inputs, shapes and the range of data, `compared`
// the selector of the other device of --compare.
void read_model_run_options(const ModelRunOptions& options, model::StandaloneOptions& request,
                            std::optional<std::string>& compared, Diagnostics& diagnostics);

}  // namespace slipway::cli
