// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/device_opening.hpp"

#include <algorithm>

#include "vk/choose_device.hpp"

namespace slipway::launch {
namespace {

bool serves(const vk::DevicePlan& made, const vk::DevicePlan& wanted) {
  return std::ranges::includes(made.extensions, wanted.extensions) &&
         std::ranges::includes(made.features, wanted.features) &&
         (made.queue_flags & wanted.queue_flags) == wanted.queue_flags && made.queues >= wanted.queues;
}

}  // namespace

DeviceOpening::DeviceOpening(OpenDeviceOptions options)
    : options_(std::move(options)), opening_(std::async(std::launch::async, [this] { return open(); })) {}

DeviceOpening::~DeviceOpening() { join(); }

void DeviceOpening::join() const {
  if (opening_.valid()) opening_.wait();
}

void DeviceOpening::add_known(vk::Needs& needs) const {
  needs.timestamps |= options_.timestamps;
  needs.robustness |= options_.robustness;
  needs.robustness |= options_.robustness_on_cpus && snapshot_ && snapshot_->type == vk::DeviceType::Cpu;
  needs.queues = std::max(needs.queues, options_.queues);
  needs.disabled_extensions.insert(needs.disabled_extensions.end(), options_.disabled_extensions.begin(),
                                   options_.disabled_extensions.end());
}

Result<DeviceOpening::Opened> DeviceOpening::open() {
  const Result<std::size_t> chosen = gpu::create_instance(options_.instance).and_then([&](gpu::Instance instance) {
    instance_.emplace(std::move(instance));
    return vk::choose_device(instance_->snapshots(), options_.selector);
  });
  asking_.set_value(chosen.transform([&](std::size_t i) {
    return snapshot_ = std::make_shared<const vk::Snapshot>(
               vk::without_extensions(instance_->snapshots()[i], options_.disabled_extensions));
  }));
  if (!chosen) return fail(chosen.error());
  Opened opened{.index = *chosen};
  // Mips prefer a queue with graphics, which works for every plan; what is missing for them is reported when a plan
  // needs it.
  vk::Needs guess{.blit = options_.queues == 1, .frame_boundary = true};
  guess.data_graph = vk::missing_for_graphs(*snapshot_).empty();
  guess.tensors = vk::missing_for_tensors(*snapshot_).empty();
  add_known(guess);
  if (const Result<vk::DevicePlan> plan = vk::plan_device(instance_->snapshots()[*chosen], guess)) {
    Result<gpu::Device> device = gpu::create_device(*instance_, *chosen, *plan, options_.device);
    if (!device) return fail(std::move(device.error()));
    opened.device = std::make_shared<gpu::Device>(std::move(*device));
  }
  return opened;
}

Result<DeviceOpening::Opened*> DeviceOpening::wait() {
  if (!opened_) opened_.emplace(opening_.get());
  if (!*opened_) return fail(opened_->error());
  return &**opened_;
}

Result<std::shared_ptr<const vk::Snapshot>> DeviceOpening::snapshot() {
  if (!asked_) asked_.emplace(asking_.get_future().get());
  return *asked_;
}

Result<> DeviceOpening::replace_instance(Opened& opened) {
  opened.device.reset();
  return gpu::create_instance(options_.instance).and_then([&](gpu::Instance instance) {
    instance_ = std::move(instance);
    return vk::choose_device(instance_->snapshots(), options_.selector).transform([&](std::size_t index) {
      opened.index = index;
    });
  });
}

Result<gpu::Device*> DeviceOpening::get(vk::Needs needs) {
  const Result<Opened*> waited = wait();
  if (!waited) return fail(waited.error());
  Opened& opened = **waited;
  if (opened.device && opened.device->is_lost()) {
    if (Result<> replaced = replace_instance(opened); !replaced) return fail(std::move(replaced.error()));
  }
  add_known(needs);
  const Result<vk::DevicePlan> wanted = vk::plan_device(instance_->snapshots()[opened.index], needs);
  if (!wanted) return fail(wanted.error());
  if (!opened.device || !serves(opened.device->plan(), *wanted)) {
    opened.device.reset();
    Result<gpu::Device> device = gpu::create_device(*instance_, opened.index, *wanted, options_.device);
    if (!device) return fail(std::move(device.error()));
    opened.device = std::make_shared<gpu::Device>(std::move(*device));
  }
  return opened.device.get();
}

}  // namespace slipway::launch
