// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/verify_shaders.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "cli/model/run_in_memory.hpp"
#include "cli/terminal.hpp"

namespace slipway::cli {
namespace {

using reference::Tensor;

bool is_image(vk::DescriptorType type) {
  return type == vk::DescriptorType::STORAGE_IMAGE || type == vk::DescriptorType::SAMPLED_IMAGE ||
         type == vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
}

// A shader operator as a model of its own.
struct Alone {
  std::shared_ptr<const model::ModelFile> file;
  std::vector<std::size_t> inputs;  // indices of the operator's operands, each value once
};

class ShaderRuns {
 public:
  ShaderRuns(ModelRunner& runner, const convert::ConvertOptions& settings) : runner_(runner) {
    settings_.shader = settings.shader;
  }

  Result<std::vector<Tensor>> run(const tosa::Graph& graph, const tosa::Node& node,
                                  std::span<const Tensor* const> operands) {
    auto known = alone_.find(&node);
    if (known == alone_.end()) {
      auto made = make(graph, node, {});
      // An image output of a model cannot be read back. A graph operator after the shader converts it to a tensor.
      if (made) {
        const std::vector<bool> images = image_outputs(*made->file);
        if (std::ranges::contains(images, true)) made = make(graph, node, images);
      }
      if (!made) return fail(std::move(made.error()));
      known = alone_.emplace(&node, std::move(*made)).first;
    }
    std::vector<Tensor> inputs;
    for (const std::size_t operand : known->second.inputs) inputs.push_back(*operands[operand]);
    std::vector<tosa::TensorType> types;
    for (const tosa::ValueId output : node.outputs) types.push_back(graph[output].type);
    const auto outputs = runner_.run(known->second.file, inputs, types);
    if (!outputs) return fail(outputs.error());
    std::vector<Tensor> results;
    for (const std::optional<Tensor>& output : *outputs) {
      if (!output) return fail(DiagnosticKind::Unsupported, node.location, "a result of a shader cannot be read back");
      results.push_back(*output);
    }
    return results;
  }

 private:
  Result<Alone> make(const tosa::Graph& graph, const tosa::Node& node, const std::vector<bool>& images) {
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
    auto converted = convert::convert(model, settings_, problems);
    if (!converted) return fail(problems.release());
    auto bytes = converted->file.finish();
    if (!bytes) return fail(std::move(bytes.error()));
    alone.file = model::open_model(std::move(*bytes), formatted("shader `{}`", node.custom->name), problems);
    if (!alone.file) return fail(problems.release());
    return alone;
  }

  static std::vector<bool> image_outputs(const model::ModelFile& file) {
    std::vector<bool> images;
    for (const vgf::Slot& slot : file.vgf.outputs) {
      const auto type = file.vgf.resources[slot.resource].descriptor_type;
      images.push_back(type && is_image(*type));
    }
    return images;
  }

  ModelRunner& runner_;
  convert::ConvertOptions settings_;
  std::map<const tosa::Node*, Alone> alone_;
};

}  // namespace

void verify_on_device(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file, Bytes bytes,
                      const convert::ConvertOptions& settings, const convert::VerifyOptions& verify,
                      const std::string& device, Diagnostics& diagnostics) {
  const auto shaders = std::ranges::count_if(original.graph.nodes, convert::is_shader);
  if (shaders == 0) return;
  ModelRunner runner(device, model::Engine::Reference);
  ShaderRuns runs(runner, settings);
  const auto whole = model::open_model(std::vector<std::byte>(bytes.begin(), bytes.end()), file.name, diagnostics);
  if (!whole) return;
  const convert::VerifyReport report = convert::verify_shaders(
      original, prepared, file, verify,
      [&](const tosa::Graph& graph, const tosa::Node& node, std::span<const Tensor* const> inputs) {
        return runs.run(graph, node, inputs);
      },
      [&](std::span<const Tensor> inputs, std::span<const tosa::TensorType> outputs) {
        return runner.run(whole, inputs, outputs);
      },
      diagnostics);
  for (const std::string& note : report.notes) print_error(formatted("note: {}\n", note));
  if (report.runs != 0 && !diagnostics.has_errors()) {
    print_error(formatted("verified: {} runs with {} shader{} agree, on {}\n", report.runs, shaders,
                          shaders == 1 ? "" : "s", runner.device_name()));
  }
}

}  // namespace slipway::cli
