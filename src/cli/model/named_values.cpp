// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/named_values.hpp"

#include <charconv>

#include "base/format.hpp"

namespace slipway::cli {
namespace {

// `1x224x224x3`
std::optional<tensor::Shape> shape_of(std::string_view text) {
  tensor::Shape shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view number = text.substr(begin, end - begin);
    std::int64_t extent = 0;
    const auto [end_of_number, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
    if (error != std::errc() || end_of_number != number.data() + number.size() || extent < 1) return std::nullopt;
    shape.push_back(extent);
    begin = end + 1;
  }
  return shape;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> split_named(const std::string& given, std::string_view form,
                                                               Diagnostics& diagnostics) {
  const std::size_t equals = given.rfind('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < given.size())
    return std::pair(given.substr(0, equals), given.substr(equals + 1));
  diagnostics.error(DiagnosticKind::Usage, {}, formatted("{}, but `{}` is given", form, given));
  return std::nullopt;
}

std::optional<model::NamedShape> named_shape(const std::string& given, Diagnostics& diagnostics) {
  const auto named = split_named(given, "--shape takes NAME=SHAPE", diagnostics);
  if (!named) return std::nullopt;
  if (auto shape = shape_of(named->second)) return model::NamedShape{named->first, std::move(*shape)};
  diagnostics.error(DiagnosticKind::Usage, {},
                    formatted("`{}` is not a shape; a shape is like 1x224x224x3", named->second));
  return std::nullopt;
}

}  // namespace slipway::cli
