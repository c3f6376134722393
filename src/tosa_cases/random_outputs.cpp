// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/random_outputs.hpp"

#include <algorithm>
#include <numeric>

#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

// Few shapes and types, so that graphs share kernels.
class ViewGenerator {
 public:
  explicit ViewGenerator(std::uint64_t seed) : make_(seed, Pattern::Random) {}

  GraphBuilder run() {
    const std::int64_t inputs = random().between(1, 3), constants = random().between(0, 2);
    for (std::int64_t i = 0; i < inputs; ++i) graph_.input(fresh());
    for (std::int64_t i = 0; i < constants; ++i) graph_.constant(fresh());
    const std::int64_t operators = random().between(0, 6);
    for (int tries = 0; tries < 100 && std::ssize(graph_.graph.nodes) < operators; ++tries) step();
    pick_outputs(graph_.graph, random());
    return std::move(graph_);
  }

 private:
  Random& random() { return make_.random; }

  Tensor fresh() {
    const auto type = random().pick({DataType::I32, DataType::F32, DataType::I8, DataType::Bool});
    const Shape shape = random().pick({Shape{3}, Shape{2, 3}, Shape{1, 2, 3}});
    if (tosa::is_float(type))
      return make_.filled(type, shape, [&](std::size_t) { return static_cast<double>(random().between(-99, 99)); });
    if (type == DataType::I32) return make_.random_tensor(type, shape, ValueRange{-1000, 1000});
    return make_.random_tensor(type, shape);
  }

  void step() {
    const auto value = static_cast<ValueId>(random().between(0, std::ssize(graph_.values) - 1));
    const Shape shape = graph_.type(value).shape;
    const auto rank = std::ssize(shape);
    const std::int64_t axis = random().between(0, rank - 1);
    switch (random().between(0, 6)) {
      case 0:
        graph_.try_add(Op::RESHAPE, std::array{value}, {{"shape", shape}});  // the identity
        break;
      case 1: {
        Shape to = shape;
        rank == 3 ? void(to.erase(to.begin())) : void(to.insert(to.begin(), 1));
        graph_.try_add(Op::RESHAPE, std::array{value}, {{"shape", to}});
        break;
      }
      case 2: {
        std::vector<std::int64_t> perms(shape.size());
        std::iota(perms.begin(), perms.end(), 0);
        std::ranges::rotate(perms, perms.begin() + 1);
        graph_.try_add(Op::TRANSPOSE, std::array{value}, {{"perms", perms}});
        break;
      }
      case 3: {
        std::vector<std::int64_t> start(shape.size()), size(shape.begin(), shape.end());
        const auto of = static_cast<std::size_t>(axis);
        if (size[of] > 1) start[of] = 1, --size[of];
        graph_.try_add(Op::SLICE, std::array{value}, {{"start", start}, {"size", size}});
        break;
      }
      case 4:
        graph_.try_add(Op::REVERSE, std::array{value}, {{"axis", {axis}}});
        break;
      case 5:
        graph_.try_add(Op::CONCAT, std::array{value, value}, {{"axis", {axis}}});
        break;
      default:
        if (graph_.type(value).data == DataType::Bool)
          graph_.try_add(Op::LOGICAL_NOT, std::array{value}, {});
        else
          graph_.try_add(Op::ABS, std::array{value}, {});
    }
  }

  TensorBuilder make_;
  GraphBuilder graph_;
};

}  // namespace

GraphBuilder graph_of_views(std::uint64_t seed) { return ViewGenerator(seed).run(); }

}  // namespace slipway::tosa_cases
