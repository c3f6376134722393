// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/npy_contents.hpp"

#include <algorithm>

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
  InputFile file = open_input(input.scenario, path, named_at, diagnostics);
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

bool cast_or_check_dtype(OpenNpy& npy, tensor::ElementType type, const ContentsInput& input, Diagnostics& diagnostics) {
  const bool castable = npy.view.type && !npy.view.structured;
  const bool differs = npy.view.item_size != tensor::size_of(type) || reinterprets(npy.view, type);
  if (!castable || !differs) return check_dtype(npy, type, input.leniency, diagnostics);
  if (!input.scenario.cast_arrays) {
    Diagnostics found;
    const bool usable = check_dtype(npy, type, input.leniency, found);
    for (Diagnostic& one : found.release()) diagnostics.add(std::move(one.hint("`--cast` converts them")));
    return usable;
  }
  auto cast = take_named_by(diagnostics, tensor::cast_npy(npy.view, type, npy.name), npy.named_at);
  if (!cast) return false;
  npy.cast = std::move(cast->bytes);
  npy.view = std::move(cast->view);
  return true;
}

launch::Contents npy_contents(OpenNpy npy) {
  const std::uint64_t size = npy.view.payload.size();
  if (npy.cast) {
    return {.size = size, .write = [cast = std::move(npy.cast)](MutableBytes to) -> Result<> {
              std::ranges::copy(*cast, to.begin());
              return {};
            }};
  }
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
