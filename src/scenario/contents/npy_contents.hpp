// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contents from npy files: functions that all kinds of resources share (docs/spec/scenario.md#data-files).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/plan/plan.hpp"
#include "scenario/contents/contents_input.hpp"
#include "scenario/contents/input_file.hpp"
#include "tensor/files/npy.hpp"

namespace slipway::scenario {

// An npy file with a valid header; its view points into the mapping.
struct OpenNpy {
  InputFile file;
  std::string name;  // shown in messages
  tensor::NpyView view;
  json::Value named_at;
  std::shared_ptr<const std::vector<std::byte>> cast = nullptr;  // the elements, if they were converted

  // Reports a file-mismatch error at bytes of the file, with a note at the location where the scenario names it.
  Diagnostic mismatch(Span range, std::string message) const;
};

// The file that `input.contents.src` names.
std::optional<OpenNpy> open_npy(const ContentsInput& input, Diagnostics& diagnostics);

// Whether the elements of a file can be used as elements of a type. They must have its size. A different kind is
// accepted silently for raw and integer dtypes that represent types numpy lacks, and reported with severity `leniency`
// between floats and integers.
bool check_dtype(const OpenNpy& npy, tensor::ElementType type, Severity leniency, Diagnostics& diagnostics);
// The same where the elements may be converted, if Scenario::cast_arrays is set.
bool cast_or_check_dtype(OpenNpy& npy, tensor::ElementType type, const ContentsInput& input, Diagnostics& diagnostics);

// All elements in C order, little-endian.
launch::Contents npy_contents(OpenNpy npy);

}  // namespace slipway::scenario
