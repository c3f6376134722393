// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/strided_view.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

using Digit = StridedView::Digit;
using Digits = std::vector<Digit>;

// Appends a digit after a more significant one; both become one where their strides allow it.
void append(Digits& digits, Digit digit) {
  if (digit.extent == 1) return;
  if (!digits.empty() && digits.back().stride == digit.extent * digit.stride)
    digits.back() = {digits.back().extent * digit.extent, digit.stride};
  else
    digits.push_back(digit);
}

// All digits in order, divided among the dimensions of another shape. False where a dimension ends inside a digit whose
// extent it does not divide.
bool reshape(StridedView& view, const tensor::Shape& shape) {
  Digits all;
  for (const Digits& digits : view.dimensions) {
    for (const Digit& digit : digits) append(all, digit);
  }
  std::vector<Digits> dimensions(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::int64_t left = shape[d];
    Digits reversed;
    while (left > 1) {
      if (all.empty()) return false;
      Digit& last = all.back();
      if (left % last.extent == 0) {
        reversed.push_back(last);
        left /= last.extent;
        all.pop_back();
      } else if (last.extent % left == 0) {
        reversed.push_back({left, last.stride});
        last = {last.extent / left, last.stride * left};
        left = 1;
      } else {
        return false;
      }
    }
    for (std::size_t i = reversed.size(); i-- > 0;) append(dimensions[d], reversed[i]);
  }
  view.dimensions = std::move(dimensions);
  return all.empty();
}

bool slice(StridedView& view, const tosa::Node& node, const tensor::Shape& from, const tensor::Shape& to) {
  const auto start = node.attributes.list("start");
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == to[d]) continue;
    if (view.dimensions[d].size() != 1) return false;
    const Digit digit = view.dimensions[d][0];
    view.offset += start[d] * digit.stride;
    view.dimensions[d].clear();
    append(view.dimensions[d], {to[d], digit.stride});
  }
  return true;
}

bool apply(const tosa::Graph& graph, const tosa::Node& node, StridedView& view) {
  const tensor::Shape &from = graph[node.inputs[0]].type.shape, &to = graph[node.outputs[0]].type.shape;
  switch (node.op) {
    case tosa::Op::RESHAPE:
      return reshape(view, to);
    case tosa::Op::SLICE:
      return slice(view, node, from, to);
    case tosa::Op::TRANSPOSE: {
      std::vector<Digits> dimensions;
      for (const std::int64_t d : node.attributes.list("perms"))
        dimensions.push_back(view.dimensions[static_cast<std::size_t>(d)]);
      view.dimensions = std::move(dimensions);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

Value StridedView::index(Kernel& k, const Coordinates& at) const {
  Value index = k.integer(offset);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    Value rest = at[d];
    for (std::size_t i = dimensions[d].size(); i-- > 0;) {
      const Digit& digit = dimensions[d][i];
      const Value next = i == 0 ? k.integer(0) : k.unsigned_divide(rest, k.integer(digit.extent));
      index = index + (i == 0 ? rest : rest - next * digit.extent) * digit.stride;
      rest = next;
    }
  }
  return index;
}

bool StridedView::has_chunks(std::size_t dimension, std::int64_t chunk) const {
  if (offset % chunk != 0) return false;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Digits& digits = dimensions[d];
    if (d == dimension) {
      if (digits.size() != 1 || digits[0].stride != 1 || digits[0].extent % chunk != 0) return false;
    } else if (!std::ranges::all_of(digits, [&](const Digit& digit) { return digit.stride % chunk == 0; })) {
      return false;
    }
  }
  return true;
}

std::optional<StridedView> strided_view(const tosa::Graph& graph, const std::vector<bool>& stored,
                                        tosa::ValueId value) {
  std::vector<const tosa::Node*> views;
  while (!stored[index(value)]) {
    views.push_back(graph.producer(value));
    if (views.back()->inputs.empty()) return std::nullopt;
    value = views.back()->inputs[0];
  }
  const tensor::Shape& shape = graph[value].type.shape;
  StridedView view{.source = value, .dimensions = std::vector<Digits>(shape.size())};
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    append(view.dimensions[d], {shape[d], stride});
    stride *= shape[d];
  }
  for (std::size_t i = views.size(); i-- > 0;) {
    if (!apply(graph, *views[i], view)) return std::nullopt;
  }
  return view;
}

std::string print_strided_view(const tosa::Graph& graph, const StridedView& view) {
  std::string text = tosa::value_names(graph)[tosa::index(view.source)];
  if (view.offset != 0) text += formatted(" + {}", view.offset);
  text += ": [";
  for (std::size_t d = 0; d < view.dimensions.size(); ++d) {
    if (d > 0) text += ", ";
    if (view.dimensions[d].empty()) text += '1';
    for (std::size_t i = 0; i < view.dimensions[d].size(); ++i)
      text += formatted("{}{} x {}", i == 0 ? "" : " of ", view.dimensions[d][i].extent, view.dimensions[d][i].stride);
  }
  return text + "]";
}

}  // namespace slipway::lower
