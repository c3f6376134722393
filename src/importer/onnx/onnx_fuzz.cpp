// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read as an ONNX file or refused. The values of a net that was read are within its graphs.
#include <cstdlib>

#include "importer/onnx/read_onnx.hpp"

namespace {

using namespace slipway::importer;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const NetGraph& graph, std::size_t outer_values) {
  const auto check_ids = [&](const std::vector<NetValueId>& ids) {
    for (const NetValueId id : ids) require(id == kAbsent || id < graph.values.size());
  };
  check_ids(graph.inputs);
  check_ids(graph.outputs);
  for (const auto& [here, there] : graph.captured) require(here < graph.values.size() && there < outer_values);
  for (const NetValue& value : graph.values) {
    if (!value.constant) continue;
    const Array& array = *value.constant;
    if (is_computable(array.type)) require(array.count() == slipway::tensor::element_count(array.shape));
  }
  for (const NetNode& node : graph.nodes) {
    check_ids(node.inputs);
    check_ids(node.outputs);
    for (const auto& [name, value] : node.attributes) {
      if (const auto* inner = std::get_if<std::shared_ptr<const NetGraph>>(&value)) check(**inner, graph.values.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const slipway::Bytes bytes = std::as_bytes(std::span(data, size));
  (void)is_onnx(bytes);
  slipway::Diagnostics diagnostics;
  const auto net = read_onnx(bytes, "fuzz.onnx", {}, diagnostics);
  require(net.has_value() == !diagnostics.has_errors());
  if (net) check(net->main(), 0);
  return 0;
}
