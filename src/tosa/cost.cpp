// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/cost.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace slipway::tosa {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return checked_multiply(a, b).value_or(kMax); }
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return checked_add(a, b).value_or(kMax); }

class Counter {
 public:
  Counter(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  // The multiply-adds of an operator; 0 for operators without any.
  std::uint64_t multiply_adds() const {
    switch (node_.op) {
      case Op::CONV2D:
      case Op::CONV3D:
        // Each element of the result reads the weights of its channel.
        return times(elements(output()), elements(input(1)) / extent(1, 0));
      case Op::DEPTHWISE_CONV2D:
        return times(elements(output()), times(extent(1, 0), extent(1, 1)));
      case Op::TRANSPOSE_CONV2D:
        return times(elements(input(0)), elements(input(1)) / extent(1, 3));
      case Op::MATMUL:
      case Op::MATMUL_T:
      case Op::MATMUL_T_BLOCK_SCALED:
        return times(elements(output()), extent(0, 2));
      default:
        return 0;
    }
  }

  // Of an operator without multiply-adds.
  std::uint64_t operations() const {
    switch (node_.op) {
      case Op::AVG_POOL2D:
      case Op::MAX_POOL2D:
        return times(elements(output()), area("kernel"));
      case Op::ARGMAX:
      case Op::REDUCE_ALL:
      case Op::REDUCE_ANY:
      case Op::REDUCE_MAX:
      case Op::REDUCE_MIN:
      case Op::REDUCE_PRODUCT:
      case Op::REDUCE_SUM:
        return elements(input(0));
      case Op::FFT2D:
        return fourier(5);
      case Op::RFFT2D:
        return fourier(5) / 2;
      case Op::RESIZE:
        // Bilinear: four weighted neighbours.
        return node_.attributes.enumerant<ResizeMode>("mode") == ResizeMode::Bilinear ? times(elements(output()), 8)
                                                                                      : 0;
      case Op::MIN_SAD:
      case Op::MIN_SAD_COST:
      case Op::RAW_SAD: {
        // A difference and a sum for each pixel of each candidate of each pixel.
        const std::uint64_t pixels = elements(input(0)) / std::max<std::uint64_t>(area("input_strides"), 1);
        return times(times(pixels, area("kernel_sizes")), 2 * area("search_window_sizes"));
      }
      case Op::CONCAT:
      case Op::PAD:
      case Op::RESHAPE:
      case Op::REVERSE:
      case Op::SLICE:
      case Op::TILE:
      case Op::TRANSPOSE:
      case Op::GATHER:
      case Op::ROW_GATHER:
      case Op::SCATTER:
      case Op::CUSTOM:
        return 0;
      default:
        return elements(output());
    }
  }

 private:
  // Null: the node lacks this operand.
  const TensorType* input(std::size_t i) const {
    return i < node_.inputs.size() ? &graph_[node_.inputs[i]].type : nullptr;
  }
  const TensorType* output() const { return node_.outputs.empty() ? nullptr : &graph_[node_.outputs[0]].type; }

  static std::uint64_t elements(const TensorType* type) {
    return type ? tensor::element_count(type->shape).value_or(kMax) : 0;
  }

  // 1 if the input lacks this dimension.
  std::uint64_t extent(std::size_t i, std::size_t dimension) const {
    const TensorType* type = input(i);
    if (!type || dimension >= type->shape.size()) return 1;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(type->shape[dimension], 1));
  }

  std::uint64_t area(std::string_view list) const {
    std::uint64_t area = 1;
    for (const std::int64_t extent : node_.attributes.list(list))
      area = times(area, static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
    return area;
  }

  // n log2 n of each image, times the operations of a fast transform.
  std::uint64_t fourier(std::uint64_t factor) const {
    const std::uint64_t points = times(extent(0, 1), extent(0, 2));
    return times(times(elements(input(0)), factor), std::bit_width(points - 1));
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  multiply_adds = plus(multiply_adds, other.multiply_adds);
  operations = plus(operations, other.operations);
  return *this;
}

Cost cost_of(const Graph& graph, const Node& node) {
  const auto is_known = [&](ValueId value) { return graph[value].type.is_static(); };
  if (!std::ranges::all_of(node.inputs, is_known) || !std::ranges::all_of(node.outputs, is_known)) return {};
  const Counter counter(graph, node);
  const std::uint64_t multiply_adds = counter.multiply_adds();
  return {multiply_adds, multiply_adds > 0 ? times(multiply_adds, 2) : counter.operations()};
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) cost += cost_of(graph, node);
  return cost;
}

Parameters parameters_of(const Graph& graph) {
  Parameters parameters;
  for (const Constant& constant : graph.constants) {
    const TensorType& type = graph[constant.value].type;
    ++parameters.count;
    parameters.elements = plus(parameters.elements, tensor::element_count(type.shape).value_or(kMax));
    parameters.bytes =
        plus(parameters.bytes, constant.splat ? tensor::size_of(storage_of(type.data)) : constant.data.size());
  }
  return parameters;
}

}  // namespace slipway::tosa
