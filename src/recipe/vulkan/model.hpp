// A whole model as one run of a list: the launch plan of its kernel on a device, recorded between copies of the
// recipe's buffers into and out of the model's own.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "launch/bindings.hpp"
#include "launch/pipelines.hpp"
#include "launch/resources.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "recipe/vulkan/queue_spread.hpp"
#include "recipe/vulkan/vulkan_device.hpp"

namespace slipway::recipe {

// What the device lacks for a model, at the kernel's place.
Result<> check_model(const VulkanDevice& device, const ModelKernel& kernel);

// Not shared between lists: it has memory for intermediates.
class ModelOnDevice {
 public:
  // Constants are uploaded, pipelines made.
  static Result<std::unique_ptr<ModelOnDevice>> make(VulkanDevice& device, std::shared_ptr<const ModelKernel> kernel);

  // `parts` are the user's bytes, by argidx. Everything before is over when it begins, and it is over when anything
  // behind it begins.
  void record(gpu::CommandList& commands, std::span<const UsedPart> parts) const;

 private:
  explicit ModelOnDevice(std::shared_ptr<const ModelKernel> kernel) : kernel_(std::move(kernel)) {}

  std::shared_ptr<const ModelKernel> kernel_;
  std::optional<launch::Resources> resources_;
  std::optional<launch::Pipelines> pipelines_;
  std::optional<launch::StepBindings> bindings_;
};

}  // namespace slipway::recipe
