// For tests that run graphs by their kernels, on the software device (or on the one that a bundle finds).
#pragma once

#include <algorithm>
#include <format>
#include <stdexcept>
#include <vector>

#include "lower/lower.hpp"
#include "model/plan_graph.hpp"
#include "reference/tensor.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::model {

class LoweredFixture : public launch::LaunchTest {
 protected:
  // The graph's outputs, computed by its kernels.
  std::vector<reference::Tensor> run_lowered(const tosa::Graph& graph, std::span<const reference::Tensor> inputs,
                                             const lower::LowerSettings& settings) {
    const auto program = lower::lower_graph(graph, settings);
    if (!program) throw std::runtime_error(program.error()[0].message);
    launch::Plan plan;
    std::vector<launch::ResourceIndex> in, out;
    const auto add = [&](const tosa::TensorType& type, std::vector<std::byte> contents) {
      const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
      launch::Resource resource{.name = std::format("r{}", plan.resources.size()),
                                .kind = launch::Buffer{.size = size}};
      if (!contents.empty()) {
        resource.initial.push_back({size, [contents = std::move(contents)](MutableBytes to) -> Result<> {
                                      std::ranges::copy(contents, to.begin());
                                      return {};
                                    }});
      }
      plan.resources.push_back(std::move(resource));
      return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
    };
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      in.push_back(add(graph[graph.inputs[i]].type, inputs[i].to_bytes()));
    std::vector<reference::Tensor> results(graph.outputs.size());
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const tosa::TensorType type = graph[graph.outputs[i]].type;
      out.push_back(add(type, {}));
      plan.captures.push_back(
          {out.back(), [&results, i, type](Bytes bytes) { results[i] = reference::Tensor::from_bytes(type, bytes); }});
    }
    add_graph(plan, graph, *program, in, out, "g", {});
    run_it(plan);
    return results;
  }
};

}  // namespace slipway::model
