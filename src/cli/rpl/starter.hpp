// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first project of render pipelines: `slipway new rpl -o DIRECTORY`.
#pragma once

#include <span>
#include <string_view>

namespace slipway::cli {

struct StarterFile {
  std::string_view name, text;
};
// The first is the project file.
std::span<const StarterFile> rpl_starter();

}  // namespace slipway::cli
