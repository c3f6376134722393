// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/contents.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "json/record.hpp"
#include "scenario/contents/inline_contents.hpp"
#include "scenario/contents/npy_contents.hpp"
#include "tensor/element.hpp"

namespace slipway::scenario {
namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

// The `type` key that buffers and raw data require with their values.
std::optional<tensor::ElementType> given_type(const Contents& contents, json::Value object, Diagnostics& diagnostics) {
  const auto [type, at] = contents.data   ? std::pair(contents.data->type, contents.data->at)
                          : contents.fill ? std::pair(contents.fill->type, contents.fill->at)
                                          : std::pair(contents.random->type, contents.random->at);
  if (!type) {
    diagnostics.add(json::problem(at, DiagnosticKind::MissingKey,
                                  formatted("{} needs the type of its elements: {{\"type\": \"f32\", ...}}",
                                            json::subject_of("this array in", object))));
  }
  return type;
}

}  // namespace

std::optional<launch::Contents> buffer_contents(const ContentsInput& input, std::uint64_t size,
                                                Diagnostics& diagnostics) {
  const Contents& contents = input.contents;
  if (!contents.src.empty()) {
    auto npy = open_npy(input, diagnostics);
    if (!npy) return std::nullopt;
    if (npy->view.payload.size() != size) {
      diagnostics.add(npy->mismatch(npy->view.shape_range,
                                    formatted("Buffer::upload: size mismatch: the file has {} bytes of data, but the "
                                              "buffer has {}",
                                              npy->view.payload.size(), size)));
      return std::nullopt;
    }
    return npy_contents(std::move(*npy));
  }
  const auto type = given_type(contents, input.object, diagnostics);
  if (!type) return std::nullopt;
  const std::uint64_t element = tensor::size_of(*type);
  if (size % element != 0 || size > kMaxCount) {
    diagnostics.add(json::problem(input.object, DiagnosticKind::OutOfRange,
                                  formatted("{} bytes are not a whole number of {} elements, which have {} bytes each",
                                            size, tensor::name_of(*type), element)));
    return std::nullopt;
  }
  const auto format = ArrayFormat::of_elements(*type, {static_cast<std::int64_t>(size / element)});
  return inline_contents(contents, format, diagnostics);
}

std::optional<launch::Contents> array_contents(const ContentsInput& input, vk::Format format,
                                               const tensor::Shape& shape, ShapeRule rule, Diagnostics& diagnostics) {
  const ArrayFormat array = ArrayFormat::of_tensor(format, shape);
  if (input.contents.src.empty()) return inline_contents(input.contents, array, diagnostics);
  const tensor::ElementType type = array.type;
  auto npy = open_npy(input, diagnostics);
  if (!npy || !cast_or_check_dtype(*npy, type, input, diagnostics)) return std::nullopt;
  if (npy->view.shape != shape) {
    const bool taken = rule == ShapeRule::SameBytes && npy->view.payload.size() == tensor::byte_count(shape, type);
    Diagnostic mismatch =
        npy->mismatch(npy->view.shape_range, formatted("the file has shape {}, but {} is expected",
                                                       tensor::shape_text(npy->view.shape), tensor::shape_text(shape)));
    mismatch.severity = taken ? input.leniency : Severity::Error;
    const bool good = mismatch.severity != Severity::Error;
    if (good) mismatch.hint("the number of bytes is the same, so that they are taken in order");
    diagnostics.add(std::move(mismatch));
    if (!good) return std::nullopt;
  }
  return npy_contents(std::move(*npy));
}

std::optional<launch::Contents> raw_data_contents(const ContentsInput& input, Diagnostics& diagnostics) {
  const Contents& contents = input.contents;
  if (!contents.src.empty()) {
    auto npy = open_npy(input, diagnostics);
    if (!npy) return std::nullopt;
    return npy_contents(std::move(*npy));
  }
  if (contents.data && !contents.data->parts.empty()) {
    std::vector<std::byte> joined;
    for (const InlineData& part : contents.data->parts) {
      const auto bytes =
          raw_data_contents({input.scenario, Contents{.data = part}, input.object, input.leniency}, diagnostics);
      if (!bytes) return std::nullopt;
      const std::size_t before = joined.size();
      joined.resize(before + bytes->size);
      if (Result<> written = bytes->write(std::span(joined).subspan(before)); !written) {
        diagnostics.add(std::move(written.error()));
        return std::nullopt;
      }
    }
    return stored_contents(std::move(joined));
  }
  const auto type = given_type(contents, input.object, diagnostics);
  if (!type) return std::nullopt;
  const auto count = contents.data ? static_cast<std::int64_t>(contents.data->values.size()) : 1;
  return inline_contents(contents, ArrayFormat::of_elements(*type, {count}), diagnostics);
}

Result<std::vector<std::byte>> read_contents(const launch::Contents& contents) {
  std::vector<std::byte> bytes(contents.size);
  if (Result<> written = contents.write(bytes); !written) return fail(std::move(written.error()));
  return bytes;
}

}  // namespace slipway::scenario
