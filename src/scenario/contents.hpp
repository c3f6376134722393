// What a resource holds before the first command, or must hold after the last: a file, or values in the scenario itself
// (scenario page 3.6, 3.7).
//
// Files are mapped, their headers checked against the resource, and their payload is read only when the contents are
// written, straight from the mapping. Every mismatch is reported at its bytes of the file with a note where the
// scenario names it.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// Contents to be made. `contents.given()` must hold.
struct ContentsRequest {
  const Scenario& scenario;
  const Contents& contents;
  json::Value object;  // whose members they are: a resource or an `expect`
  // Of a file whose shape, dtype or format is not the resource's, but whose bytes can be taken as they are.
  Severity leniency = Severity::Warning;
};

std::optional<launch::Contents> buffer_contents(const ContentsRequest& request, std::uint64_t size,
                                                Diagnostics& diagnostics);

// Tensors and graph constants, of a format that `tensor::tensor_element_type` takes. An equal byte count with another
// shape is accepted, with a warning, for tensors only.
enum class ShapeRule { Exact, SameBytes };
std::optional<launch::Contents> array_contents(const ContentsRequest& request, vk::Format format,
                                               const tensor::Shape& shape, ShapeRule rule, Diagnostics& diagnostics);

// A file may decide the format of its image; each level is in the device layout of `format`.
struct ImageContents {
  vk::Format format = vk::Format::UNDEFINED;  // as `tensor::created_as`
  std::vector<launch::Contents> levels;
};
std::optional<ImageContents> image_contents(const ContentsRequest& request, const Image& image,
                                            Diagnostics& diagnostics);

// Of any size. `fill` and `random` are one element, since raw data have no size of their own.
std::optional<launch::Contents> raw_data_contents(const ContentsRequest& request, Diagnostics& diagnostics);

// All bytes now.
Result<std::vector<std::byte>> read_contents(const launch::Contents& contents);

}  // namespace slipway::scenario
