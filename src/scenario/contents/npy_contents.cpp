// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/npy_contents.hpp"

#include "base/format.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {
namespace {

// Whether bytes of this dtype change their meaning as elements of the type.
bool reinterprets(const tensor::NpyView& view, tensor::ElementType type) {
  if (view.type == type) return false;
  const bool floats = view.kind == 'f' || view.kind == 'c';
  const bool integers = view.kind == 'i' || view.kind == 'u' || view.kind == 'b';
  switch (type) {
    case tensor::ElementType::F16:
    case tensor::ElementType::F32:
    case tensor::ElementType::F64:
      return integers || floats;
    default:  // integers, and floats that numpy lacks, which files store as raw or integer elements
      return floats;
  }
}

}  // namespace

Diagnostic OpenNpy::mismatch(Span range, std::string message) const {
  return named_by(Diagnostic{.kind = DiagnosticKind::FileMismatch,
                             .message = std::move(message),
                             .location = SourceLocation::in_bytes(name, range)},
                  named_at);
}

std::optional<OpenNpy> open_npy(const ContentsInput& input, Diagnostics& diagnostics) {
  const json::Value named_at = input.object["src"];
  const Path path = source_path(input.scenario, input.contents.src);
  InputFile file = open_input(path, named_at, diagnostics);
  if (!file) return std::nullopt;
  Diagnostics warnings;
  auto view = take_named_by(diagnostics, tensor::parse_npy(file->bytes(), path.string(), warnings), named_at);
  add_named_by(diagnostics, warnings.release(), named_at);
  if (!view) return std::nullopt;
  return OpenNpy{std::move(file), path.string(), std::move(*view), named_at};
}

bool check_dtype(const OpenNpy& npy, tensor::ElementType type, Severity leniency, Diagnostics& diagnostics) {
  const tensor::NpyView& view = npy.view;
  if (view.structured || view.item_size != tensor::size_of(type)) {
    diagnostics.add(npy.mismatch(
        view.descr_range, formatted("the file has elements of dtype `{}` and {} bytes, but {} is expected, of {} bytes",
                                    view.descr, view.item_size, tensor::name_of(type), tensor::size_of(type))));
    return false;
  }
  if (!reinterprets(view, type)) return true;
  Diagnostic mismatch = npy.mismatch(
      view.descr_range,
      formatted("the bits of dtype `{}` are taken as {}, without conversion", view.descr, tensor::name_of(type)));
  mismatch.severity = leniency;
  diagnostics.add(std::move(mismatch));
  return leniency != Severity::Error;
}

launch::Contents npy_contents(OpenNpy npy) {
  const std::uint64_t size = npy.view.payload.size();
  return {.size = size, .write = [file = std::move(npy.file), view = std::move(npy.view)](MutableBytes to) -> Result<> {
            if (const auto plain = tensor::plain_elements(view)) {
              file->copy_out(*plain, to);
            } else {
              tensor::copy_elements(view, to);
            }
            return {};
          }};
}

}  // namespace slipway::scenario
