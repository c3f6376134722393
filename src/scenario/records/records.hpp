// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of the language: each is a table of keys with their types and meanings. One family per file.
#pragma once

#include "json/record.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// contents.cpp
const json::Record<Contents>& typed_contents_record();    // tensors, images: their format is the type
const json::Record<Contents>& untyped_contents_record();  // buffers: inline contents name their type
const json::Record<Results>& results_record();
const json::Record<MemoryGroup>& memory_group_record();
// A rule for resources that require contents.
bool need_contents(json::Decoder& decoder, json::Value object, const Contents& contents, std::string_view kind);

// resources
const json::Record<Buffer>& buffer_record();                          // buffer.cpp
const json::Record<RawData>& raw_data_record();                       // buffer.cpp
const json::Record<Tensor>& tensor_record();                          // tensor.cpp
const json::Record<GraphConstant>& graph_constant_record();           // tensor.cpp
const json::Record<Image>& image_record();                            // image.cpp
const json::Record<Shader>& shader_record();                          // shader.cpp
const json::Record<SpecializationConstant>& specialization_record();  // shader.cpp
const json::Record<Graph>& graph_record();                            // graph.cpp
const json::Record<Substitution>& substitution_record();              // graph.cpp
const json::Record<MemoryBarrier>& memory_barrier_record();           // barriers.cpp
const json::Record<BufferBarrier>& buffer_barrier_record();           // barriers.cpp
const json::Record<ImageBarrier>& image_barrier_record();             // barriers.cpp
const json::Record<TensorBarrier>& tensor_barrier_record();           // barriers.cpp

// commands
const json::Record<Binding>& binding_record();  // dispatch_compute.cpp
// The bindings of a command: each resource of an array of descriptors is a binding of its own.
void expand_bindings(std::vector<Binding>& bindings);    // dispatch_compute.cpp
const json::Record<PushAddress>& push_address_record();  // dispatch_compute.cpp
inline constexpr std::string_view kPushAddresses = "addresses of buffers in the push constants";
const json::Record<DispatchCompute>& dispatch_compute_record();           // dispatch_compute.cpp
const json::Record<DispatchGraph>& dispatch_graph_record();               // dispatch_graph.cpp
const json::Record<DispatchSpirvGraph>& dispatch_spirv_graph_record();    // dispatch_graph.cpp
const json::Record<DispatchFragment>& dispatch_fragment_record();         // draws.cpp
const json::Record<Draw>& draw_record();                                  // draws.cpp
const json::Record<DispatchOpticalFlow>& dispatch_optical_flow_record();  // optical_flow.cpp
const json::Record<DispatchBarrier>& dispatch_barrier_record();           // boundaries.cpp
const json::Record<MarkBoundary>& mark_boundary_record();                 // boundaries.cpp

const json::Record<Requirements>& requirements_record();  // requirements.cpp

// A kind of resource or command: the one key of an element of `resources` or `commands`, and its body.
template <class Variant>
struct Kind {
  std::string_view key;
  std::string_view meaning;
  std::function<std::optional<Variant>(json::Decoder&, json::Value)> read;
  std::function<void(json::Schema&)> schema;
};
// In the order of the alternatives of the variants.
const std::vector<Kind<Resource>>& resource_kinds();
const std::vector<Kind<Command>>& command_kinds();
// The key in the file: "buffer", "dispatch_compute".
std::string_view key_of(const Resource& resource);
std::string_view key_of(const Command& command);

}  // namespace slipway::scenario
