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

// Adds what may be meant where a buffer and its elements differ in size.
void explain_size(Diagnostic& mismatch, std::uint64_t count, std::uint64_t element, std::uint64_t size) {
  if (element > 1 && count == size)
    mismatch.hint(formatted("`size` is in bytes, and {} elements of {} bytes are {}", count, element, count * element));
}

void explain_size(Diagnostic& mismatch, const tensor::NpyView& view, std::uint64_t size) {
  if (view.item_size == 0) return;
  const std::uint64_t count = view.payload.size() / view.item_size;
  explain_size(mismatch, count, view.item_size, size);
  if (view.item_size == 8 && count * 4 == size && std::string_view("fiu").contains(view.kind)) {
    mismatch.hint(formatted("the file has {} elements of dtype `{}`; as {}32 they have the size of the buffer", count,
                            view.descr,
                            view.kind == 'f'   ? "float"
                            : view.kind == 'i' ? "int"
                                               : "uint"));
  }
}

// Arrays of several types, one after the other.
std::optional<launch::Contents> joined_parts(const ContentsInput& input, Diagnostics& diagnostics) {
  std::vector<std::byte> joined;
  for (const InlineData& part : input.contents.data->parts) {
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

}  // namespace

std::optional<launch::Contents> buffer_contents(const ContentsInput& input, std::uint64_t size,
                                                Diagnostics& diagnostics) {
  const Contents& contents = input.contents;
  if (!contents.src.empty()) {
    auto npy = open_npy(input, diagnostics);
    if (!npy) return std::nullopt;
    if (npy->view.payload.size() != size) {
      Diagnostic mismatch = npy->mismatch(
          npy->view.shape_range, formatted("Buffer::upload: size mismatch: the file has {} bytes of data, but the "
                                           "buffer has {}",
                                           npy->view.payload.size(), size));
      explain_size(mismatch, npy->view, size);
      diagnostics.add(std::move(mismatch));
      return std::nullopt;
    }
    return npy_contents(std::move(*npy));
  }
  if (contents.data && !contents.data->parts.empty()) {
    auto joined = joined_parts(input, diagnostics);
    if (!joined || joined->size == size) return joined;
    diagnostics.add(json::problem(contents.data->at, DiagnosticKind::OutOfRange,
                                  formatted("these arrays have {} bytes, but the buffer has {}", joined->size, size)));
    return std::nullopt;
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
  Diagnostics found;
  auto made = inline_contents(contents, format, found);
  for (Diagnostic& problem : found.release()) {
    if (contents.data) explain_size(problem, contents.data->values.size(), element, size);
    diagnostics.add(std::move(problem));
  }
  return made;
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
    const bool ok = mismatch.severity != Severity::Error;
    if (ok) mismatch.hint("the number of bytes is the same, so that they are taken in order");
    diagnostics.add(std::move(mismatch));
    if (!ok) return std::nullopt;
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
  if (contents.data && !contents.data->parts.empty()) return joined_parts(input, diagnostics);
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
