// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shaders with tensors: native, or rewritten for devices without tensors (docs/spec/scenario.md#devices-and-emulation).
#include <algorithm>

#include "base/format.hpp"
#include "launch/plan/image_formats.hpp"
#include "model/native.hpp"
#include "scenario/plan/planning.hpp"
#include "spirv/tensors/emulate.hpp"
#include "spirv/tools.hpp"

namespace slipway::scenario {
namespace {

spirv::Specialization values_of(const launch::Shader& shader) {
  spirv::Specialization values;
  for (const launch::Specialization& constant : shader.specializations) {
    std::uint64_t bits = 0;
    std::ranges::copy(constant.bytes, std::as_writable_bytes(std::span(&bits, 1)).begin());
    values[constant.id] = bits;
  }
  return values;
}

// The tensor that a shader declares at a binding; null if it declares none.
const spirv::TensorType* declared_at(const launch::Shader& shader, const launch::Binding& binding) {
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, shader.stage);
  const auto found = std::ranges::find_if(entry->bindings, [&](const spirv::Binding& one) {
    return one.set == binding.set && one.binding == binding.binding && one.tensor;
  });
  return found == entry->bindings.end() ? nullptr : &*found->tensor;
}

class Emulator {
 public:
  Emulator(Planning& planning, const launch::Shader& shader, std::string because) : planning_(planning), made_(shader) {
    made_.emulated_because = std::move(because);
    for (const spirv::SpecializationConstant& constant : shader.reflection->specialization_constants) {
      used_constants_.insert(constant.spec_id);
    }
  }

  void bind(const launch::Binding& binding) {
    const PlannedTensor& planned = planning_.tensors.at(binding.resource);
    spirv::TensorLayout layout = spirv::packed_layout(planned.element, planned.tensor->dims);
    // A shader may declare narrower elements than the tensor has.
    if (const auto* declared = declared_at(made_, binding)) layout.element = declared->element;
    const auto& buffer = std::get<launch::Buffer>(planning_.plan.resources[binding.resource].kind);
    if (buffer.rows && layout.shape.size() >= 3) {
      const std::uint32_t constant = unused_constant();
      layout.stride_ids.emplace(layout.shape.size() - 3, constant);
      made_.row_strides.push_back({.constant = constant, .rows = binding.resource});
    }
    const auto known = std::ranges::find_if(bindings_, [&](const spirv::TensorBinding& one) {
      return one.set == binding.set && one.binding == binding.binding;
    });
    // Elements of an array that nothing is bound to are like the first one that is.
    if (known == bindings_.end()) {
      bindings_.push_back(
          {.set = binding.set, .binding = binding.binding, .elements = std::vector(binding.count, layout)});
    } else {
      known->elements[binding.element] = std::move(layout);
    }
  }

  // The key that distinguishes rewritten modules.
  std::string key() const {
    std::string text;
    for (const spirv::TensorBinding& binding : bindings_) {
      text += formatted(" {}.{}", binding.set, binding.binding);
      for (const spirv::TensorLayout& layout : binding.elements) {
        text += formatted(" {}", tensor::shape_text(layout.shape));
        if (!layout.strides.empty()) text += formatted(" by {}", layout.strides.back());
        for (const auto& [dimension, constant] : layout.stride_ids) text += formatted(" {} {}", dimension, constant);
      }
    }
    for (const launch::RowStride& stride : made_.row_strides) text += formatted(" rows of {}", stride.rows);
    return text;
  }

  std::optional<launch::Shader> make() {
    const spirv::Specialization values = values_of(made_);
    auto words = spirv::read_module(*made_.spirv, made_.name).and_then([&](const spirv::Module& module) {
      return spirv::emulate_tensors(module, bindings_, values);
    });
    if (!words) return report(std::move(words.error()));
    auto reflection = spirv::validate(*words, made_.name)
                          .and_then([&] { return spirv::read_module(*words, made_.name); })
                          .and_then([&](const spirv::Module& module) { return spirv::reflect(module, values); });
    if (!reflection) return report(std::move(reflection.error()));
    made_.spirv = std::make_shared<const spirv::Words>(std::move(*words));
    made_.reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection));
    made_.emulates_tensors = true;
    return std::move(made_);
  }

 private:
  std::uint32_t unused_constant() {
    std::uint32_t id = 0;
    while (!used_constants_.insert(id).second) ++id;
    return id;
  }

  std::nullopt_t report(Failure failure) {
    for (Diagnostic& problem : failure) {
      problem.note(formatted("in shader `{}`, whose tensors are emulated", made_.name), made_.origin.location());
      planning_.diagnostics.add(std::move(problem.at(made_.origin.path(), made_.origin.uid())));
    }
    return std::nullopt;
  }

  Planning& planning_;
  launch::Shader made_;
  std::vector<spirv::TensorBinding> bindings_;
  std::set<std::uint32_t> used_constants_;
};

bool has_tensors(const launch::Shader& shader) {
  return std::ranges::contains(shader.reflection->capabilities, "TensorsARM");
}

// The shader in the plan, with emulated tensors if the device has none.
std::optional<launch::ShaderIndex> rewritten_for(Planning& planning, const std::string& key,
                                                 const launch::Shader& shader,
                                                 const std::vector<launch::Binding>& bindings,
                                                 const TensorChoice& choice) {
  if (choice.native || !has_tensors(shader)) return shader_in_plan(planning, key, shader);
  Emulator emulator(planning, shader, choice.emulated_because);
  for (const launch::Binding& binding : bindings) {
    if (binding.type == vk::DescriptorType::TENSOR_ARM) emulator.bind(binding);
  }
  const auto [known, fresh] = planning.rewritten.try_emplace({key, emulator.key()});
  if (fresh) {
    if (std::optional<launch::Shader> made = emulator.make()) {
      known->second = static_cast<launch::ShaderIndex>(planning.plan.shaders.size());
      planning.plan.shaders.push_back(std::move(*made));
    }
  }
  return known->second;
}

}  // namespace

TensorChoice choose_tensors(Planning& planning, std::span<const launch::Shader* const> shaders,
                            const std::vector<launch::Binding>& bindings) {
  if (!std::ranges::any_of(shaders, [](const launch::Shader* shader) { return has_tensors(*shader); })) return {};
  const vk::Snapshot* device = graph_settings(planning).native;
  if (!device) return {};
  std::vector<model::NativeTensor> tensors;
  for (const launch::Binding& binding : bindings) {
    if (binding.type != vk::DescriptorType::TENSOR_ARM) continue;
    const Tensor& tensor = *planning.tensors.at(binding.resource).tensor;
    tensors.push_back({.format = *tensor.format.value, .shape = tensor.dims});
    for (const launch::Shader* shader : shaders) {
      const auto* declared = declared_at(*shader, binding);
      if (declared && declared->element != planning.tensors.at(binding.resource).element)
        return {.native = false, .emulated_because = "a tensor has other elements than the shader declares"};
    }
  }
  for (const launch::Shader* shader : shaders) {
    if (!has_tensors(*shader)) continue;
    if (std::string why = model::why_not_native(*device, *shader, tensors); !why.empty())
      return {.native = false, .emulated_because = std::move(why)};
  }
  return {.native = true, .emulated_because = {}};
}

std::optional<launch::ShaderIndex> shader_for(Planning& planning, const std::string& key, const launch::Shader& shader,
                                              const std::vector<launch::Binding>& bindings,
                                              const TensorChoice& choice) {
  if (const auto formats = launch::other_image_formats(shader, bindings, planning.plan); !formats.empty()) {
    auto changed = launch::with_image_formats(shader, formats);
    if (!changed) {
      for (Diagnostic& problem : changed.error()) {
        problem.note(formatted("in shader `{}`, changed to the formats of its images", shader.name),
                     shader.origin.location());
        planning.diagnostics.add(std::move(problem.at(shader.origin.path(), shader.origin.uid())));
      }
      return std::nullopt;
    }
    return rewritten_for(planning, key + launch::key_of(formats), *changed, bindings, choice);
  }
  return rewritten_for(planning, key, shader, bindings, choice);
}
void bind_tensors(Planning& planning, std::vector<launch::Binding>& bindings, const TensorChoice& choice) {
  for (launch::Binding& binding : bindings) {
    if (binding.type != vk::DescriptorType::TENSOR_ARM) continue;
    if (!choice.native) {
      binding.type = vk::DescriptorType::STORAGE_BUFFER;
      continue;
    }
    const Tensor& tensor = *planning.tensors.at(binding.resource).tensor;
    binding.tensor = model::add_tensor(planning.plan, binding.resource,
                                       {.format = *tensor.format.value, .shape = tensor.dims, .shaders = true});
  }
}

}  // namespace slipway::scenario
