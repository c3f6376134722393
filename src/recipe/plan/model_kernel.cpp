// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/plan/model_kernel.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "recipe/plan.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::recipe {
namespace {

std::shared_ptr<const model::ModelFile> read_model(const Artifact& artifact, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  auto file = std::make_shared<model::ModelFile>();
  auto read = vgf::read_vgf(artifact.bytes, artifact.name, diagnostics);
  if (!read) return nullptr;
  file->vgf = std::move(*read);
  vgf::check_vgf(file->vgf, diagnostics);
  return diagnostics.errors() == before ? file : nullptr;
}

// Adds a buffer resource to the plan for an input or output of the model.
bool add_port(const vgf::File& file, const vgf::Slot& slot, std::string_view given_name, bool writes,
              std::span<const tensor::Shape> shapes, ModelKernel& kernel, Diagnostics& diagnostics) {
  vgf::Resource resource = file.resources[slot.resource];
  const std::string name =
      given_name.empty() ? formatted("{} {}", writes ? "output" : "input", slot.binding) : std::string(given_name);
  if (resource.descriptor_type == vk::DescriptorType::COMBINED_IMAGE_SAMPLER ||
      resource.descriptor_type == vk::DescriptorType::STORAGE_IMAGE) {
    diagnostics.error(DiagnosticKind::Unsupported, file.location(resource.range),
                      formatted("`{}` of the model is an image; recipes bind buffers to tensors and buffers", name));
    return false;
  }
  resource.shape = shapes[slot.resource];
  const Size size = vgf::byte_count(resource);
  if (!size || *size == 0) {
    diagnostics.error(DiagnosticKind::OutOfRange, file.location(resource.range),
                      formatted("`{}` of the model has no size that a buffer can have", name));
    return false;
  }
  const std::optional<tensor::ElementType> element = vgf::element_type(resource.format);
  kernel.ports.push_back({name, static_cast<launch::ResourceIndex>(kernel.plan.resources.size()), *size, writes,
                          element ? tensor::size_of(*element) : 1});
  launch::Resource& planned = kernel.plan.resources.emplace_back();
  planned.name = name;
  planned.kind = launch::Buffer{.size = *size};
  return true;
}

}  // namespace

std::shared_ptr<const ModelKernel> plan_model_kernel(const Artifact& artifact, const std::string& name,
                                                     const launch::Origin& origin, const Cache& cache,
                                                     const model::GraphOptions& graphs, Diagnostics& diagnostics) {
  auto kernel = std::make_shared<ModelKernel>();
  kernel->graphs = graphs;
  kernel->artifact = artifact;
  kernel->plan.name = name;
  kernel->file = read_model(artifact, diagnostics);
  if (!kernel->file) return nullptr;
  const vgf::File& file = kernel->file->vgf;
  auto shaders = model::compile_modules(*kernel->file, cache, diagnostics);
  if (!shaders) return nullptr;
  model::ModelOptions settings{.graphs = graphs, .shaders = std::move(*shaders)};
  auto planned = model::ModelPlan::make(kernel->file, name, std::move(settings), diagnostics);
  if (!planned) return nullptr;
  const auto shapes = planned->resolve_shapes({}, diagnostics);
  if (!shapes) return nullptr;

  bool ok = true;
  for (std::size_t i = 0; i < file.inputs.size(); ++i)
    ok &= add_port(file, file.inputs[i], vgf::input_name(file, i), false, *shapes, *kernel, diagnostics);
  for (std::size_t i = 0; i < file.outputs.size(); ++i)
    ok &= add_port(file, file.outputs[i], vgf::output_name(file, i), true, *shapes, *kernel, diagnostics);
  if (!ok) return nullptr;
  model::ModelDispatch dispatch{.bindings = {}, .origin = origin};
  for (std::size_t i = 0; i < kernel->ports.size(); ++i) {
    const vgf::Slot& slot = i < file.inputs.size() ? file.inputs[i] : file.outputs[i - file.inputs.size()];
    dispatch.bindings.push_back({.binding = slot.binding,
                                 .resource = kernel->ports[i].resource,
                                 .shape = (*shapes)[slot.resource],
                                 .level = std::nullopt,
                                 .origin = origin});
  }
  if (!planned->dispatch(kernel->plan, dispatch, diagnostics)) return nullptr;
  return kernel;
}

bool has_calls(const launch::Plan& plan) {
  return std::ranges::any_of(
      plan.steps, [](const launch::Step& step) { return std::holds_alternative<launch::Call>(step.action); });
}

Result<std::vector<const BufferArgument*>> port_arguments(const KernelPlan& kernel, const KernelRun& run) {
  std::vector<const BufferArgument*> arguments;
  for (const Parameter& parameter : kernel.signature.parameters) {
    const auto argument = std::ranges::find(run.buffers, parameter.argidx, &BufferArgument::argidx);
    if (argument == run.buffers.end() || argument->size != parameter.size) {
      return fail(DiagnosticKind::BufferSize, kernel.origin.location,
                  formatted("`{}` of the model needs a buffer of {} bytes, but argument {} of run `{}` {}",
                            parameter.name, parameter.size, parameter.argidx, run.id,
                            argument == run.buffers.end() ? "is not set" : formatted("has {}", argument->size)));
    }
    arguments.push_back(&*argument);
  }
  return arguments;
}

}  // namespace slipway::recipe
