// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between the metadata of two pipelines (docs/spec/rpl.md#pipeline-families): do they belong to one family,
// can they share buffers and descriptor sets?
#pragma once

#include <string>
#include <vector>

#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

// What is compared, each more than the one before.
enum class DiffScope : std::uint8_t {
  Family,     // attribute sources and the sets of material, object and shared
  Interface,  // all of `interface`
  Pipeline,   // all that decides the pipeline object: entry points, settings, outputs, code
};

struct Difference {
  std::string path;         // `set_material.buffers[grid].main_size`
  std::string left, right;  // as JSON; `nothing` if it is missing
};

std::vector<Difference> diff_metadata(const Metadata& left, const Metadata& right, DiffScope scope);

}  // namespace slipway::rpl
