// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directories as inputs of verbs that take none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/content.hpp"

namespace slipway::cli {

// Reports the directories among the files of a verb that takes none, each with a file in it or below it that the verb
// takes.
void refuse_directories(const std::vector<std::string>& files, std::string_view verb, bool (*takes)(const Content&),
                        Diagnostics& diagnostics);

}  // namespace slipway::cli
