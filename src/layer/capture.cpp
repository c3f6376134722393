// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/capture.hpp"

#include <algorithm>

#include "base/cache.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "json/writer.hpp"
#include "tensor/npy.hpp"
#include "tosa/vulkan_format.hpp"

namespace slipway::layer {
namespace {

constexpr std::size_t kNameDigits = 16;

std::string hash_of(std::initializer_list<std::string_view> parts) { return Cache::key(parts).substr(0, kNameDigits); }

Bytes bytes_of_words(std::span<const std::uint32_t> words) { return std::as_bytes(words); }

void write(const LayerDevice& device, const std::string& name, Bytes bytes) {
  const Path path = Path(device.instance->settings.capture) / name;
  if (file_exists(path)) return;
  if (const Result<> written = write_file(path, bytes); !written)
    device.instance->message(MessageLevel::Warning, written.error().front().message);
}

// Modules of graphs have integers without sign.
vk::Format in_module(vk::Format format) {
  switch (format) {
    case vk::Format::R8_SINT:
      return vk::Format::R8_UINT;
    case vk::Format::R16_SINT:
      return vk::Format::R16_UINT;
    case vk::Format::R32_SINT:
      return vk::Format::R32_UINT;
    case vk::Format::R64_SINT:
      return vk::Format::R64_UINT;
    default:
      return format;
  }
}

std::string tensor_uid(const tosa::Binding& at) { return formatted("tensor_{}_{}", at.set, at.binding); }

// A scenario that runs a graph module on random tensors. Written without the records of scenarios, because this module
// may not use the module `scenario`; tests run what is written.
std::string scenario_of(const std::string& name, const tosa::Graph& graph, const BoundTensors& tensors,
                        std::uint32_t constants) {
  json::Writer out;
  out.object([&] {
    out.key("resources").array([&] {
      out.object([&] {
        out.key("shader").object([&] {
          out.member("uid", "graph").member("type", "SPIR-V").member("src", name + ".spv").member("entry", graph.name);
        });
      });
      for (const auto* bindings : {&graph.input_bindings, &graph.output_bindings}) {
        for (const tosa::Binding& at : *bindings) {
          const TensorDescription& tensor = tensors.at({at.set, at.binding});
          out.object([&] {
            out.key("tensor").object([&] {
              out.member("uid", tensor_uid(at)).key("dims").array([&] {
                for (const std::int64_t extent : tensor.shape_of()) out.value(extent);
              });
              out.member("format", vk::name_of(in_module(static_cast<vk::Format>(tensor.format))));
              out.member("shader_access", "readwrite");
              if (bindings == &graph.input_bindings)
                out.key("random").object([&] { out.member("seed", std::int64_t{at.binding}); });
            });
          });
        }
      }
      for (std::uint32_t i = 0; i < constants; ++i) {
        const auto found =
            std::ranges::find_if(graph.constants, [&](const tosa::Constant& one) { return one.graph_constant == i; });
        if (found == graph.constants.end()) continue;
        out.object([&] {
          out.key("graph_constant").object([&] {
            out.member("uid", formatted("constant_{}", i)).member("src", formatted("{}.{}.npy", name, i));
            const tosa::TensorType& type = graph[found->value].type;
            out.member("format", vk::name_of(in_module(tosa::tensor_format(type.data)))).key("dims").array([&] {
              for (const std::int64_t extent : type.shape) out.value(extent);
            });
          });
        });
      }
    });
    out.key("commands").array([&] {
      out.object([&] {
        out.key("dispatch_spirv_graph").object([&] {
          out.member("graph_ref", "graph").key("bindings").array([&] {
            for (const auto* bindings : {&graph.input_bindings, &graph.output_bindings}) {
              for (const tosa::Binding& at : *bindings) {
                out.object([&] {
                  out.member("set", std::int64_t{at.set}).member("id", std::int64_t{at.binding});
                  out.member("resource_ref", tensor_uid(at));
                });
              }
            }
          });
          out.key("graph_constants").array([&] {
            for (std::uint32_t i = 0; i < constants; ++i) out.value(formatted("constant_{}", i));
          });
        });
      });
    });
  });
  return out.text();
}

}  // namespace

void capture_shader(const LayerDevice& device, std::span<const std::uint32_t> words) {
  if (device.instance->settings.capture.empty()) return;
  const Bytes bytes = bytes_of_words(words);
  write(device, formatted("shader-{}.spv", hash_of({text_of(bytes)})), bytes);
}

void capture_graph(const LayerDevice& device, const spirv::Words& words, const tosa::Graph& graph,
                   const BoundTensors& tensors) {
  if (device.instance->settings.capture.empty()) return;
  std::string shapes;
  for (const auto& [at, tensor] : tensors)
    shapes += formatted("{}.{}{};", at.first, at.second, tensor::shape_text(tensor.shape_of()));
  const std::string name = "graph-" + hash_of({text_of(bytes_of_words(words)), graph.name, shapes});
  write(device, name + ".spv", bytes_of_words(words));
  // Position in the list of a scenario is the id of a constant.
  std::uint32_t count = 0;
  for (const tosa::Constant& constant : graph.constants) {
    if (!constant.graph_constant) continue;
    count = std::max(count, *constant.graph_constant + 1);
    const tosa::TensorType& type = graph[constant.value].type;
    std::string file = tensor::npy_header(tensor::info_of(tosa::storage_of(type.data)).descr, type.shape);
    file += text_of(constant.data);
    write(device, formatted("{}.{}.npy", name, *constant.graph_constant), bytes_of(file));
  }
  const std::string scenario = scenario_of(name, graph, tensors, count);
  write(device, name + ".json", bytes_of(scenario));
}

}  // namespace slipway::layer
