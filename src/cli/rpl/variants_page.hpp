// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `slipway compile --variants all --html`.
#pragma once

#include <span>
#include <string>

#include "rpl/variants/variants.hpp"

namespace slipway::cli {

// `files`: those of the command line. `summary`: what rpl::summary_text returns. The variants are emitted.
std::string variants_page(std::span<const std::string> files, const std::string& summary, const rpl::Program& program,
                          const rpl::Variants& variants);

}  // namespace slipway::cli
