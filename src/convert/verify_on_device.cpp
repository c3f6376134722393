// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/verify_on_device.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "convert/segments/partition.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::convert {
namespace {

using reference::Tensor;

// A shader operator as a model of its own.
struct Alone {
  std::shared_ptr<const FileToRun> file;
  std::vector<bool> images;         // which outputs are images
  std::vector<std::size_t> inputs;  // indices of the operator's operands, each value once
};

class ShaderRuns {
 public:
  ShaderRuns(const DeviceRunner& run, const ConvertOptions& settings) : run_(run) {
    settings_.shader = settings.shader;
  }

  Result<std::vector<Tensor>> run(const tosa::Graph& graph, const tosa::Node& node,
                                  std::span<const Tensor* const> operands) {
    auto known = alone_.find(&node);
    if (known == alone_.end()) {
      auto made = make(graph, node, {});
      // An image output of a model cannot be read back. A graph operator after the shader converts it to a tensor.
      if (made && std::ranges::contains(made->images, true)) made = make(graph, node, made->images);
      if (!made) return fail(std::move(made.error()));
      known = alone_.emplace(&node, std::move(*made)).first;
    }
    std::vector<Tensor> inputs;
    for (const std::size_t operand : known->second.inputs) inputs.push_back(*operands[operand]);
    std::vector<tosa::TensorType> types;
    for (const tosa::ValueId output : node.outputs) types.push_back(graph[output].type);
    const auto outputs = run_(known->second.file, inputs, types);
    if (!outputs) return fail(outputs.error());
    std::vector<Tensor> results;
    for (const std::optional<Tensor>& output : *outputs) {
      if (!output) return fail(DiagnosticKind::Unsupported, node.location, "a result of a shader cannot be read back");
      results.push_back(*output);
    }
    return results;
  }

 private:
  Result<Alone> make(const tosa::Graph& graph, const tosa::Node& node, std::vector<bool> images) {
    tosa::Model model;
    tosa::Graph& one = model.graph;
    one.name = "main";
    Alone alone;
    std::map<tosa::ValueId, tosa::ValueId> moved;
    std::vector<tosa::ValueId> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto [at, is_new] = moved.try_emplace(node.inputs[i], tosa::kNoValue);
      if (is_new) {
        at->second = one.add_input(graph[node.inputs[i]].type);
        alone.inputs.push_back(i);
      }
      inputs.push_back(at->second);
    }
    std::vector<tosa::TensorType> types;
    for (const tosa::ValueId output : node.outputs) types.push_back(graph[output].type);
    one.outputs = one.add_node(tosa::Op::CUSTOM, inputs, {}, types);
    one.nodes.back().custom = node.custom;
    one.nodes.back().location = node.location;
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (images[i])
        one.outputs[i] = one.add(tosa::Op::RESHAPE, {one.outputs[i]}, {{"shape", types[i].shape}}, types[i]);
    }
    Diagnostics problems;
    auto converted = convert(model, settings_, problems);
    if (!converted) return fail(problems.release());
    auto bytes = converted->file.finish();
    if (!bytes) return fail(std::move(bytes.error()));
    const FileToRun file{.name = formatted("shader `{}`", node.custom->name), .bytes = std::move(*bytes)};
    const auto read = vgf::read_vgf(file.bytes, file.name, problems);
    if (!read) return fail(problems.release());
    for (const vgf::Slot& slot : read->outputs) alone.images.push_back(vgf::is_image(read->resources[slot.resource]));
    alone.file = std::make_shared<const FileToRun>(file);
    return alone;
  }

  const DeviceRunner& run_;
  ConvertOptions settings_;
  std::map<const tosa::Node*, Alone> alone_;
};

}  // namespace

VerifyReport verify_on_device(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file,
                              Bytes bytes, const ConvertOptions& settings, const VerifyOptions& options,
                              const DeviceRunner& run, Diagnostics& diagnostics) {
  if (std::ranges::none_of(original.graph.nodes, is_shader)) return {};
  ShaderRuns runs(run, settings);
  const auto whole = std::make_shared<const FileToRun>(FileToRun{file.name, {bytes.begin(), bytes.end()}});
  return verify_shaders(
      original, prepared, file, options,
      [&](const tosa::Graph& graph, const tosa::Node& node, std::span<const Tensor* const> inputs) {
        return runs.run(graph, node, inputs);
      },
      [&](std::span<const Tensor> inputs, std::span<const tosa::TensorType> outputs) {
        return run(whole, inputs, outputs);
      },
      diagnostics);
}

}  // namespace slipway::convert
