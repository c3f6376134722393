// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/capture.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "json/writer.hpp"
#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/resources/recorder.hpp"
#include "spirv/reflect/reflect.hpp"
#include "tensor/element.hpp"
#include "tensor/files/npy.hpp"
#include "tosa/vulkan_format.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

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
  TensorDescription tensor;
};

std::string uid_of(const DispatchTensor& one) { return tensor_uid({one.binding->set, one.binding->binding, 0}); }

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

// A scenario that dispatches a compute shader on random tensors, or on those of a recorded dispatch, whose results are
// expected.
std::string dispatch_scenario(const std::string& name, const CapturedShader& shader,
                              std::span<const DispatchTensor> tensors, std::span<const std::byte> pushed,
                              const std::array<std::uint32_t, 3>& groups, bool with_data = false) {
  json::Writer out;
  out.object([&] {
    out.key("resources").array([&] {
      write_shader(out, shader, pushed.size());
      for (const DispatchTensor& one : tensors) {
        out.object([&] {
          out.key("tensor").object([&] {
            out.member("uid", uid_of(one)).key("dims").array([&] {
              for (const std::int64_t extent : one.tensor.shape_of()) out.value(extent);
            });
            out.member("format", vk::name_of(static_cast<vk::Format>(one.tensor.format)));
            out.member("shader_access", "readwrite");
            if (with_data) {
              out.member("src", recorded_file(name, true, uid_of(one)));
              if (one.binding->writes)
                out.key("expect").object([&] { out.member("src", recorded_file(name, false, uid_of(one))); });
              return;
            }
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

// A scenario that runs a graph module on random tensors.
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

// The graph as a model of one segment: with the specialization and the shapes of the pipeline, and with its constants.
Result<std::vector<std::byte>> model_of(tosa::Graph graph, std::span<const RecordedTensor> tensors) {
  const auto none = std::optional<vk::DescriptorType>();
  vgf::Encoder encoder;
  std::vector<vgf::ConstantRef> constants;
  for (tosa::Constant& constant : graph.constants) {
    if (!constant.graph_constant) continue;
    const tosa::TensorType& type = graph[constant.value].type;
    constant.graph_constant = static_cast<std::uint32_t>(constants.size());
    constants.push_back(
        encoder.add_constant(encoder.add_resource({.category = vgf::Category::Constant,
                                                   .descriptor_type = none,
                                                   .format = tosa::tensor_format(type.data),
                                                   .shape = type.shape.empty() ? tensor::Shape{1} : type.shape}),
                             constant.data));
  }
  // Tensors are bound in their order; arrays of tensors are tensors.
  graph.input_bindings.clear();
  graph.output_bindings.clear();
  SLIPWAY_TRY(const spirv::Words words, tosa::write_graph_module(graph));
  std::vector<vgf::SlotRef> slots;
  std::vector<std::string_view> names;
  for (const RecordedTensor& one : tensors) {
    slots.push_back(
        encoder.add_slot(static_cast<std::uint32_t>(slots.size()),
                         encoder.add_resource({.category = one.is_input ? vgf::Category::Input : vgf::Category::Output,
                                               .format = static_cast<vk::Format>(one.description.format),
                                               .shape = one.shape})));
    names.push_back(one.name);
  }
  const vgf::ModuleRef module = encoder.add_module(
      {.kind = vgf::ModuleKind::Graph, .name = graph.name, .entry_point = graph.name, .words = words});
  const vgf::SetRef set = encoder.add_set(slots);
  const std::span all_slots(slots);
  const std::span all_names(names);
  const std::size_t inputs = graph.inputs.size();
  encoder.add_segment({.module = module,
                       .name = graph.name,
                       .sets = std::span(&set, 1),
                       .inputs = all_slots.first(inputs),
                       .outputs = all_slots.subspan(inputs),
                       .constants = constants});
  encoder.set_model(all_slots.first(inputs), all_names.first(inputs), all_slots.subspan(inputs),
                    all_names.subspan(inputs));
  return encoder.finish();
}

// Null after a message.
std::shared_ptr<const RecordedWork> recorded_graph(const LayerDevice& device, const tosa::Graph& graph,
                                                   const BoundTensors& tensors) {
  auto work = std::make_shared<RecordedWork>();
  for (const bool is_input : {true, false}) {
    const auto& values = is_input ? graph.inputs : graph.outputs;
    const auto& bindings = is_input ? graph.input_bindings : graph.output_bindings;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const tensor::Shape& shape = graph[values[i]].type.shape;
      work->tensors.push_back({tensor_uid(bindings[i]), tensors.at(bindings[i]),
                               shape.empty() ? tensor::Shape{1} : shape, is_input, !is_input});
    }
  }
  auto model = model_of(graph, work->tensors);
  if (!model) {
    device.instance->report(model.error());
    return nullptr;
  }
  work->file = formatted("graph-{}.vgf", hash_of({text_of(*model)}));
  work->contents = std::make_shared<const std::vector<std::byte>>(std::move(*model));
  work->text = [file = work->file](const std::string&) { return file; };
  return work;
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
                        .code = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()),
                        .entry = {},
                        .specialization = {}};
}

std::optional<CapturedDispatch> capture_dispatch(const LayerDevice& device, const CapturedShader& shader,
                                                 const CommandState& state,
                                                 const std::array<std::uint32_t, 3>& groups) {
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, spirv::Stage::Compute);
  if (entry == nullptr) return std::nullopt;
  CapturedDispatch captured;
  std::vector<DispatchTensor> tensors;
  std::string key = formatted("{} {} {} {} {}", shader.name, shader.entry, groups[0], groups[1], groups[2]);
  for (const spirv::Binding& binding : entry->bindings) {
    if (!binding.used) continue;
    const SetContents* set =
        binding.set < state.compute_sets.size() ? device.sets.find(state.compute_sets[binding.set]) : nullptr;
    const TensorViewObject* view = set == nullptr ? nullptr : set->view(binding.binding, 0);
    if (binding.kind != spirv::BindingKind::Tensor || binding.count != 1 || view == nullptr) return std::nullopt;
    tensors.push_back({&binding, view->tensor->description});
    captured.tensors.push_back({view->tensor->buffer, 0, &view->tensor->description});
    key += formatted(" {}.{} {}", binding.set, binding.binding, tensor::shape_text(tensors.back().tensor.shape_of()));
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
  if (!device.recorder) return std::nullopt;
  RecordedWork work{.tensors = {}, .suffix = "json", .text = {}, .file = shader.name + ".spv", .contents = shader.code};
  // What the shader leaves as it is counts too, so that all tensors have their contents before it.
  for (const DispatchTensor& one : tensors)
    work.tensors.push_back({uid_of(one), one.tensor, one.tensor.shape_of(), true, one.binding->writes});
  work.text = [shader, tensors = std::move(tensors), pushed = std::move(pushed), groups](const std::string& number) {
    return dispatch_scenario(number, shader, tensors, pushed, groups, true);
  };
  captured.work = std::make_shared<const RecordedWork>(std::move(work));
  return captured;
}

std::shared_ptr<const RecordedWork> capture_graph(const LayerDevice& device, const spirv::Words& words,
                                                  const tosa::Graph& graph, const BoundTensors& tensors) {
  if (device.instance->settings.capture.empty()) return nullptr;
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
    write(device, formatted("{}.{}.npy", name, *constant.graph_constant),
          bytes_of(tensor::npy_file(tensor::info_of(tosa::storage_of(type.data)).descr, type.shape, constant.data)));
  }
  write(device, name + ".json", bytes_of(scenario_of(name, graph, tensors, count)));
  return device.recorder ? recorded_graph(device, graph, tensors) : nullptr;
}

}  // namespace slipway::layer
