// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of operators that move elements, and of the remaining ones.
#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tosa/check/shape_rules.hpp"
#include "tosa/check/shapes.hpp"

namespace slipway::tosa {
namespace {

bool has_size(ShapeContext& node, std::string_view name, std::size_t size) {
  if (node.list(name).size() == size) return true;
  node.mismatch("`{}` has {} values instead of {}", name, node.list(name).size(), size);
  return false;
}

}  // namespace

Shapes shape_of_concat(ShapeContext& node) {
  const auto axis = node.axis();
  if (!axis) return std::nullopt;
  tensor::Shape shape = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    const tensor::Shape& other = node.input(i);
    if (other.size() != shape.size())
      return node.mismatch("inputs have the shapes {} and {}", tensor::shape_text(shape), tensor::shape_text(other));
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == *axis) {
        shape[d] = shape[d] < 0 || other[d] < 0 ? kDynamic : shape[d] + other[d];
      } else {
        const auto extent = node.equal(formatted("dimension {}", d), {shape[d], other[d]});
        if (!extent) return std::nullopt;
        shape[d] = *extent;
      }
    }
  }
  return {{std::move(shape)}};
}

Shapes shape_of_pad(ShapeContext& node) {
  tensor::Shape shape = node.input(0);
  if (!has_size(node, "padding", 2 * shape.size()) || !node.at_least("padding", 0)) return std::nullopt;
  const auto padding = node.list("padding");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) shape[d] += padding[2 * d] + padding[2 * d + 1];
  }
  return {{std::move(shape)}};
}

Shapes shape_of_reshape(ShapeContext& node) {
  tensor::Shape shape(node.list("shape").begin(), node.list("shape").end());
  const Size from = tensor::element_count(node.input(0));
  const auto dynamic = std::ranges::count_if(shape, [](std::int64_t extent) { return extent < 0; });
  if (dynamic > 1)
    return node.out_of_range("`shape` is {}; one dimension at most can follow from the others",
                             tensor::list_text(shape));
  std::uint64_t known = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return node.out_of_range("`shape` is {}; a dimension cannot be 0", tensor::list_text(shape));
    if (extent > 0 && __builtin_mul_overflow(known, static_cast<std::uint64_t>(extent), &known))
      return node.out_of_range("`shape` is {}, which is too large", tensor::list_text(shape));
  }
  if (!from) return {{std::move(shape)}};
  if (dynamic ? *from % known != 0 : *from != known) {
    return node.mismatch("{} has {} elements, and the shape {} does not", tensor::shape_text(node.input(0)), *from,
                         tensor::list_text(shape));
  }
  if (dynamic)
    *std::ranges::find_if(shape, [](std::int64_t extent) { return extent < 0; }) =
        static_cast<std::int64_t>(*from / known);
  return {{std::move(shape)}};
}

Shapes shape_of_reverse(ShapeContext& node) {
  if (!node.axis()) return std::nullopt;
  return {{node.input(0)}};
}

Shapes shape_of_slice(ShapeContext& node) {
  const tensor::Shape& from = node.input(0);
  if (!has_size(node, "start", from.size()) || !has_size(node, "size", from.size())) return std::nullopt;
  const auto start = node.list("start"), size = node.list("size");
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (start[d] < 0 || size[d] < 1 || (from[d] >= 0 && start[d] + size[d] > from[d])) {
      return node.out_of_range("{} elements from {} on are not inside dimension {} of {}", size[d], start[d], d,
                               tensor::shape_text(from));
    }
  }
  return {{tensor::Shape(size.begin(), size.end())}};
}

Shapes shape_of_tile(ShapeContext& node) {
  tensor::Shape shape = node.input(0);
  if (!has_size(node, "multiples", shape.size()) || !node.at_least("multiples", 1)) return std::nullopt;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = times(shape[d], node.list("multiples")[d]);
  return {{std::move(shape)}};
}

Shapes shape_of_transpose(ShapeContext& node) {
  const tensor::Shape& from = node.input(0);
  if (!has_size(node, "perms", from.size())) return std::nullopt;
  tensor::Shape shape;
  std::vector<bool> seen(from.size());
  for (const std::int64_t dimension : node.list("perms")) {
    if (dimension < 0 || dimension >= std::ssize(from) || seen[static_cast<std::size_t>(dimension)])
      return node.out_of_range("`perms` is {}, which is not an order of {} dimensions",
                               tensor::list_text(node.list("perms")), from.size());
    seen[static_cast<std::size_t>(dimension)] = true;
    shape.push_back(from[static_cast<std::size_t>(dimension)]);
  }
  return {{std::move(shape)}};
}

Shapes shape_of_gather(ShapeContext& node) {
  const auto batch = node.equal("the batch size", {node.input(0)[0], node.input(1)[0]});
  if (!batch) return std::nullopt;
  return {{{*batch, node.input(1)[1], node.input(0)[2]}}};
}

Shapes shape_of_row_gather(ShapeContext& node) {
  const tensor::Shape &values = node.input(0), &indices = node.input(1);
  const std::int64_t rows = node.attributes().integer("row_count");
  const auto batch = node.equal("the batch size", {values[0], indices[0]});
  if (!batch) return std::nullopt;
  if (rows < 1 || (values[1] >= 0 && rows > values[1]))
    return node.out_of_range("`row_count` is {}, and the values have {} rows", rows, values[1]);
  return {{{*batch, times(indices[1], rows), values[2]}}};
}

Shapes shape_of_scatter(ShapeContext& node) {
  const tensor::Shape &values = node.input(0), &indices = node.input(1), &input = node.input(2);
  const auto batch = node.equal("the batch size", {values[0], indices[0], input[0]});
  const auto width = node.equal("the number of indices", {indices[1], input[1]});
  const auto channels = node.equal("the number of channels", {values[2], input[2]});
  if (!batch || !width || !channels) return std::nullopt;
  if (values[1] >= 0 && *width > values[1])
    return node.mismatch("{} indices cannot all be different in {} rows", *width, values[1]);
  return {{{*batch, values[1], *channels}}};
}

// TOSA 1.0 RESIZE: p = o * d + offset runs over the input in steps of n.
Shapes shape_of_resize(ShapeContext& node) {
  constexpr std::int64_t kMaxExtent = 16384, kMaxScale = 2048;
  const auto scale = node.list("scale"), offset = node.list("offset"), border = node.list("border");
  // BILINEAR scales integers, so their results are wider; NEAREST_NEIGHBOR does not.
  const bool nearest = node.attributes().enumerant<ResizeMode>("mode") == ResizeMode::NearestNeighbor;
  if (!is_float(node.input_type(0)) && nearest != (node.input_type(0) == node.output_type(0))) {
    return node.out_of_range("{} results in {} of {}", nearest ? "BILINEAR" : "NEAREST_NEIGHBOR",
                             name_of(node.output_type(0)), name_of(node.input_type(0)));
  }
  if (!node.at_least("scale", 1)) return std::nullopt;
  tensor::Shape shape = node.input(0);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t n = scale[2 * i], d = scale[2 * i + 1];
    if (n > kMaxScale)
      return node.out_of_range("`scale` is {}; a numerator is at most {}", tensor::list_text(scale), kMaxScale);
    if (d >= 16 * n) return node.out_of_range("`scale` is {}; images shrink by less than 16", tensor::list_text(scale));
    if (offset[i] < -n || offset[i] >= 16 * n)
      return node.out_of_range("`offset` is {}; for a scale of {} it is in {} to {}", tensor::list_text(offset), n, -n,
                               16 * n - 1);
    if (border[i] < -16 * n || border[i] >= n)
      return node.out_of_range("`border` is {}; for a scale of {} it is in {} to {}", tensor::list_text(border), n,
                               -16 * n, n - 1);
    if (shape[1 + i] < 0) continue;
    if (shape[1 + i] >= kMaxExtent) return node.out_of_range("images have less than {} rows and columns", kMaxExtent);
    const std::int64_t last = (shape[1 + i] - 1) * n - offset[i] + border[i];
    if (last < 0 || last % d != 0) {
      return node.mismatch("steps of {} do not divide the {}: ({} - 1) * {} - {} + {} is {}", d,
                           i == 0 ? "height" : "width", shape[1 + i], n, offset[i], border[i], last);
    }
    shape[1 + i] = last / d + 1;
    if (shape[1 + i] >= kMaxExtent) return node.out_of_range("images have less than {} rows and columns", kMaxExtent);
  }
  return {{std::move(shape)}};
}

Shapes shape_of_fft2d(ShapeContext& node) {
  const tensor::Shape& shape = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    if (!may_be_equal(shape, node.input(i))) {
      return node.mismatch("the real and imaginary parts have the shapes {} and {}", tensor::shape_text(shape),
                           tensor::shape_text(node.input(i)));
    }
  }
  for (const std::size_t d : {1u, 2u}) {
    if (shape[d] >= 0 && !std::has_single_bit(static_cast<std::uint64_t>(shape[d])))
      return node.mismatch("height and width are powers of two, not {}", tensor::shape_text(shape));
  }
  return {{shape, shape}};
}

Shapes shape_of_rfft2d(ShapeContext& node) {
  Shapes shapes = shape_of_fft2d(node);
  if (!shapes) return shapes;
  for (tensor::Shape& shape : *shapes) {
    if (shape[2] >= 0) shape[2] = shape[2] / 2 + 1;
  }
  return shapes;
}

}  // namespace slipway::tosa
