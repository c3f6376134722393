// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/import.hpp"

#include <map>

#include "base/format.hpp"
#include "importer/bind.hpp"
#include "importer/emit/bound_shader.hpp"
#include "importer/onnx/read_onnx.hpp"
#include "importer/specialise.hpp"
#include "importer/supported.hpp"
#include "importer/tflite/read_tflite.hpp"

namespace slipway::importer {

std::optional<ImportedModel> ImportedModel::open(Bytes bytes, const std::string& name, const ReadOptions& options,
                                                 Diagnostics& diagnostics) {
  std::optional<Net> net =
      is_tflite(bytes) ? read_tflite(bytes, name, options, diagnostics) : read_onnx(bytes, name, options, diagnostics);
  if (!net) return std::nullopt;
  return ImportedModel(std::make_shared<const Net>(std::move(*net)));
}

namespace {

std::vector<InterfaceTensor> interface_of(const NetGraph& graph,
                                          const std::vector<std::pair<std::string, NetValueId>>& names) {
  std::vector<InterfaceTensor> tensors;
  for (const auto& [name, id] : names) {
    const NetValue& value = graph.values[id];
    tensors.push_back({.name = name,
                       .type = value.type,
                       .shape = value.shape.value_or(std::vector<Dimension>()),
                       .has_shape = value.shape.has_value(),
                       .is_optional = value.is_optional});
  }
  return tensors;
}

}  // namespace

std::vector<InterfaceTensor> ImportedModel::inputs(const std::string& signature) const {
  Diagnostics ignored;
  const auto names = named_interface(*net_, signature, ignored);
  return names ? interface_of(*names->graph, names->inputs) : std::vector<InterfaceTensor>();
}

std::vector<InterfaceTensor> ImportedModel::outputs(const std::string& signature) const {
  Diagnostics ignored;
  const auto names = named_interface(*net_, signature, ignored);
  return names ? interface_of(*names->graph, names->outputs) : std::vector<InterfaceTensor>();
}

std::vector<OperatorCount> ImportedModel::operators(const ImportOptions& options) const {
  std::map<std::string, OperatorCount> counts;
  for (const auto& graph : net_->graphs) {
    for (const NetNode& node : graph->nodes) {
      const std::string kind = node.domain.empty() ? node.kind : formatted("{}.{}", node.domain, node.kind);
      OperatorCount& count = counts[kind];
      count.kind = kind;
      ++count.count;
      count.obstacle = options.shaders.contains(shader_kind(*net_, node))
                           ? std::string_view()
                           : obstacle_of(net_->format, node.domain, node.kind);
    }
  }
  std::vector<OperatorCount> list;
  for (auto& [kind, count] : counts) list.push_back(std::move(count));
  return list;
}

std::vector<WeightCount> ImportedModel::weights() const {
  std::map<FileType, WeightCount> counts;
  for (const auto& graph : net_->graphs) {
    for (const NetValue& value : graph->values) {
      if (!value.constant) continue;
      WeightCount& count = counts[value.constant->type];
      count.type = value.constant->type;
      ++count.count;
      count.bytes += value.constant->data.size();
    }
  }
  std::vector<WeightCount> list;
  for (const auto& [type, count] : counts) list.push_back(count);
  return list;
}

std::optional<tosa::Model> ImportedModel::specialise(const ImportOptions& options, Diagnostics& diagnostics) const {
  return importer::specialise(*net_, options, diagnostics);
}

}  // namespace slipway::importer
