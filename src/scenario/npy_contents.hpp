// Contents from npy files: what all kinds of resources share (scenario page 3.6).
#pragma once

#include <optional>
#include <string>

#include "scenario/contents.hpp"
#include "scenario/input_file.hpp"
#include "tensor/npy.hpp"

namespace slipway::scenario {

// An npy file with a sound header; its view points into the mapping.
struct OpenNpy {
  InputFile file;
  std::string name;  // shown in messages
  tensor::NpyView view;
  json::Value named_at;

  // A file-mismatch error at bytes of the file, with a note where the scenario names it.
  Diagnostic mismatch(Span range, std::string message) const;
};

// The file that `request.contents.src` names.
std::optional<OpenNpy> open_npy(const ContentsRequest& request, Diagnostics& diagnostics);

// Whether the elements of a file can be taken as elements of a type: they must have its size; another kind is silent
// for raw and integer dtypes that stand for types numpy does not have, and reported with `leniency` between floats and
// integers.
bool check_dtype(const OpenNpy& npy, tensor::ElementType type, Severity leniency, Diagnostics& diagnostics);

// All elements in C order, little-endian.
launch::Contents npy_contents(OpenNpy npy);

}  // namespace slipway::scenario
