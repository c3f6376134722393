// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

const json::Record<PushConstantMap>& push_constant_map_record() {
  static const auto record =
      json::Record<PushConstantMap>("push_constant_map", "push constants of one module of a graph",
                                    &PushConstantMap::at)
          .required("push_data_ref", &PushConstantMap::push_data, Uid{}, "the uid of the push constants")
          .required("shader_target", &PushConstantMap::shader_target, json::kNotEmpty, "the name of the module");
  return record;
}

}  // namespace

const json::Record<DispatchGraph>& dispatch_graph_record() {
  static const auto record =
      json::Record<DispatchGraph>("dispatch_graph", "runs a graph of a VGF file", &DispatchGraph::at)
          .required("graph_ref", &DispatchGraph::graph, Uid{}, "the uid of the graph")
          .required("bindings", &DispatchGraph::bindings, json::List{json::Nested(binding_record())},
                    "its inputs and outputs, by `id`; `set` is ignored")
          .optional("push_constants", &DispatchGraph::push_constants,
                    json::List{json::Nested(push_constant_map_record())}, "push constants by module")
          .optional("shader_substitutions", &DispatchGraph::shader_substitutions,
                    json::List{json::Nested(substitution_record())},
                    "shaders that replace modules; they take precedence over those of the graph")
          .optional("implicit_barrier", &DispatchGraph::implicit_barrier, json::Boolean{}, kImplicitBarrier);
  return record;
}

const json::Record<DispatchSpirvGraph>& dispatch_spirv_graph_record() {
  static const auto record =
      json::Record<DispatchSpirvGraph>("dispatch_spirv_graph", "runs a graph of a SPIR-V module",
                                       &DispatchSpirvGraph::at)
          .required("graph_ref", &DispatchSpirvGraph::shader, Uid{},
                    "the uid of a shader of type SPIR-V; its `entry` is the graph")
          .required("bindings", &DispatchSpirvGraph::bindings, json::List{json::Nested(binding_record())},
                    "its tensors and images")
          .optional("graph_constants", &DispatchSpirvGraph::graph_constants, json::List{Uid{}},
                    "uids of graph constants; the position is the GraphConstantID")
          .optional("implicit_barrier", &DispatchSpirvGraph::implicit_barrier, json::Boolean{}, kImplicitBarrier)
          .rule([](json::Decoder&, json::Value, DispatchSpirvGraph& command) {
            expand_bindings(command.bindings);
            return true;
          });
  return record;
}

}  // namespace slipway::scenario
