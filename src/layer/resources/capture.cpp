// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/capture.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "json/writer.hpp"
#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/resources/tensor_capture.hpp"
#include "spirv/reflect/reflect.hpp"
#include "tensor/element.hpp"
#include "tensor/files/npy.hpp"
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

std::string tensor_uid(const tosa::Binding& at) {
  return formatted("tensor_{}_{}{}", at.set, at.binding, at.element == 0 ? "" : formatted("_{}", at.element));
}

// Scenarios are written without their records, because this module may not use the module `scenario`; tests run what is
// written.

// A scenario with the entry points of a module as shaders. Which tensors they get is known only when they run.
std::string shader_scenario(const std::string& name, const spirv::Reflection& reflection) {
  json::Writer out;
  out.object([&] {
    out.key("resources").array([&] {
      for (const spirv::EntryPoint& entry : reflection.entry_points) {
        out.object([&] {
          out.key("shader").object([&] {
            out.member("uid", entry.name).member("type", "SPIR-V").member("src", name + ".spv");
            out.member("entry", entry.name).member("stage", spirv::name_of(entry.stage));
          });
        });
      }
    });
    out.key("commands").array([] {});
  });
  return out.text();
}

struct DispatchTensor {
  const spirv::Binding* binding;
  const TensorDescription* tensor;
};

void write_binding(json::Writer& out, std::uint32_t set, std::uint32_t binding, std::string_view uid) {
  out.object(
      [&] { out.member("set", std::int64_t{set}).member("id", std::int64_t{binding}).member("resource_ref", uid); });
}

// The shader of a dispatch, as a resource.
void write_shader(json::Writer& out, const CapturedShader& shader, std::size_t pushed_size) {
  out.object([&] {
    out.key("shader").object([&] {
      out.member("uid", "shader").member("type", "SPIR-V").member("src", shader.name + ".spv");
      out.member("entry", shader.entry);
      if (pushed_size != 0) out.member("push_constants_size", static_cast<std::int64_t>(pushed_size));
      if (shader.specialization.empty()) return;
      out.key("specialization_constants").array([&] {
        for (const spirv::SpecializationConstant& constant : shader.reflection->specialization_constants) {
          const auto found = shader.specialization.find(constant.spec_id);
          if (found == shader.specialization.end()) continue;
          out.object([&] {
            out.member("id", std::int64_t{constant.spec_id}).key("value");
            std::visit([&](auto value) { out.value(value); },
                       tensor::number_of(constant.type, reinterpret_cast<const std::byte*>(&found->second)));
          });
        }
      });
    });
  });
}

// A scenario that dispatches a compute shader on random tensors.
std::string dispatch_scenario(const std::string& name, const CapturedShader& shader,
                              std::span<const DispatchTensor> tensors, std::span<const std::byte> pushed,
                              const std::array<std::uint32_t, 3>& groups) {
  const auto uid_of = [](const DispatchTensor& one) { return tensor_uid({one.binding->set, one.binding->binding, 0}); };
  json::Writer out;
  out.object([&] {
    out.key("resources").array([&] {
      write_shader(out, shader, pushed.size());
      for (const DispatchTensor& one : tensors) {
        out.object([&] {
          out.key("tensor").object([&] {
            out.member("uid", uid_of(one)).key("dims").array([&] {
              for (const std::int64_t extent : one.tensor->shape_of()) out.value(extent);
            });
            out.member("format", vk::name_of(static_cast<vk::Format>(one.tensor->format)));
            out.member("shader_access", "readwrite");
            if (one.binding->reads)
              out.key("random").object([&] { out.member("seed", std::int64_t{one.binding->binding}); });
            if (one.binding->writes) out.member("dst", formatted("{}.{}.npy", name, uid_of(one)));
          });
        });
      }
      if (pushed.empty()) return;
      out.object([&] {
        out.key("raw_data").object([&] {
          out.member("uid", "push_constants").key("data").object([&] {
            out.member("type", "u8").key("values").array([&] {
              for (const std::byte byte : pushed) out.value(std::to_integer<std::int64_t>(byte));
            });
          });
        });
      });
    });
    out.key("commands").array([&] {
      out.object([&] {
        out.key("dispatch_compute").object([&] {
          out.member("shader_ref", "shader").key("rangeND").array([&] {
            for (const std::uint32_t count : groups) out.value(std::int64_t{count});
          });
          out.key("bindings").array([&] {
            for (const DispatchTensor& one : tensors)
              write_binding(out, one.binding->set, one.binding->binding, uid_of(one));
          });
          if (!pushed.empty()) out.member("push_data_ref", "push_constants");
        });
      });
    });
  });
  return out.text();
}

std::string captured_file(const std::string& name, const tosa::Binding& at) {
  return formatted("{}.{}.captured.npy", name, tensor_uid(at));
}

// The constants of a graph, as resources.
void write_constants(json::Writer& out, const std::string& name, const tosa::Graph& graph, std::uint32_t constants) {
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
}

// A scenario that runs a graph module on random tensors, or on those of an execution.
std::string scenario_of(const std::string& name, const tosa::Graph& graph, const BoundTensors& tensors,
                        std::uint32_t constants, bool with_data) {
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
          const TensorDescription& tensor = tensors.at(at);
          out.object([&] {
            out.key("tensor").object([&] {
              out.member("uid", tensor_uid(at)).key("dims").array([&] {
                for (const std::int64_t extent : tensor.shape_of()) out.value(extent);
              });
              out.member("format", vk::name_of(in_module(static_cast<vk::Format>(tensor.format))));
              out.member("shader_access", "readwrite");
              if (bindings != &graph.input_bindings) {
                out.member("dst", formatted("{}.{}.npy", name, tensor_uid(at)));
                if (with_data) out.key("expect").object([&] { out.member("src", captured_file(name, at)); });
              } else if (with_data) {
                out.member("src", captured_file(name, at));
              } else {
                out.key("random").object([&] { out.member("seed", std::int64_t{at.binding}); });
              }
            });
          });
        }
      }
      write_constants(out, name, graph, constants);
    });
    out.key("commands").array([&] {
      out.object([&] {
        out.key("dispatch_spirv_graph").object([&] {
          out.member("graph_ref", "graph").key("bindings").array([&] {
            for (const auto* bindings : {&graph.input_bindings, &graph.output_bindings}) {
              for (const tosa::Binding& at : *bindings) write_binding(out, at.set, at.binding, tensor_uid(at));
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

std::optional<CapturedShader> capture_shader(const LayerDevice& device, const spirv::Module& module) {
  if (device.instance->settings.capture.empty()) return std::nullopt;
  const Bytes bytes = bytes_of_words(module.words());
  const std::string name = "shader-" + hash_of({text_of(bytes)});
  write(device, name + ".spv", bytes);
  auto reflection = spirv::reflect(module);
  if (!reflection) return std::nullopt;
  write(device, name + ".json", bytes_of(shader_scenario(name, *reflection)));
  return CapturedShader{.name = name,
                        .reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection)),
                        .entry = {},
                        .specialization = {}};
}

void capture_dispatch(const LayerDevice& device, const CapturedShader& shader, const CommandState& state,
                      const std::array<std::uint32_t, 3>& groups) {
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, spirv::Stage::Compute);
  if (entry == nullptr) return;
  std::vector<DispatchTensor> tensors;
  std::string key = formatted("{} {} {} {} {}", shader.name, shader.entry, groups[0], groups[1], groups[2]);
  for (const spirv::Binding& binding : entry->bindings) {
    if (!binding.used) continue;
    const SetContents* set =
        binding.set < state.compute_sets.size() ? device.sets.find(state.compute_sets[binding.set]) : nullptr;
    const TensorViewObject* view = set == nullptr ? nullptr : set->view(binding.binding, 0);
    if (binding.kind != spirv::BindingKind::Tensor || binding.count != 1 || view == nullptr) return;
    tensors.push_back({&binding, &view->tensor->description});
    key += formatted(" {}.{} {}", binding.set, binding.binding, tensor::shape_text(tensors.back().tensor->shape_of()));
  }
  std::vector<std::byte> pushed(entry->push_constants ? entry->push_constants->size : 0);
  for (const PushedConstants& one : state.pushed) {
    for (std::size_t i = 0; i < one.bytes.size() && one.offset + i < pushed.size(); ++i)
      pushed[one.offset + i] = one.bytes[i];
  }
  key += text_of(pushed);
  for (const auto& [id, bits] : shader.specialization) key += formatted(" {}={}", id, bits);
  const std::string name = "dispatch-" + hash_of({key});
  write(device, name + ".json", bytes_of(dispatch_scenario(name, shader, tensors, pushed, groups)));
}

std::optional<CapturedGraph> capture_graph(const LayerDevice& device, const spirv::Words& words,
                                           const tosa::Graph& graph, const BoundTensors& tensors) {
  if (device.instance->settings.capture.empty()) return std::nullopt;
  std::string shapes;
  for (const auto& [at, tensor] : tensors)
    shapes += formatted("{}.{}.{}{};", at.set, at.binding, at.element, tensor::shape_text(tensor.shape_of()));
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
  write(device, name + ".json", bytes_of(scenario_of(name, graph, tensors, count, false)));
  CapturedGraph captured{.name = name, .tensors = {}, .scenario = scenario_of(name, graph, tensors, count, true)};
  const auto add = [&](const std::vector<tosa::ValueId>& values, const std::vector<tosa::Binding>& bindings) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const TensorDescription& tensor = tensors.at(bindings[i]);
      const std::string_view descr = tensor::info_of(tosa::storage_of(graph[values[i]].type.data)).descr;
      captured.tensors.push_back(
          {captured_file(name, bindings[i]), tensor::npy_header(descr, tensor.shape_of()), tensor});
    }
  };
  add(graph.inputs, graph.input_bindings);
  add(graph.outputs, graph.output_bindings);
  return captured;
}

void write_tensors(const LayerDevice& device, const CapturedGraph& graph, std::span<const Bytes> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::string file = graph.tensors[i].header + std::string(text_of(contents[i]));
    write(device, graph.tensors[i].file, bytes_of(file));
  }
  write(device, graph.name + "-data.json", bytes_of(graph.scenario));
}

}  // namespace slipway::layer
