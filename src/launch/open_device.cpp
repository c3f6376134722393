#include "launch/open_device.hpp"

#include <algorithm>

#include "gpu/choose_device.hpp"

namespace slipway::launch {
namespace {

bool serves(const gpu::DevicePlan& made, const gpu::DevicePlan& wanted) {
  return std::ranges::includes(made.extensions, wanted.extensions) &&
         std::ranges::includes(made.features, wanted.features) &&
         (made.queue_flags & wanted.queue_flags) == wanted.queue_flags && made.queues >= wanted.queues;
}

}  // namespace

DeviceOpening::DeviceOpening(DeviceRequest request)
    : request_(std::move(request)), opening_(std::async(std::launch::async, [this] { return open(); })) {}

DeviceOpening::~DeviceOpening() {
  if (opening_.valid()) opening_.wait();
}

void DeviceOpening::add_known(gpu::Needs& needs) const {
  needs.timestamps |= request_.timestamps;
  needs.robustness |= request_.robustness;
  needs.queues = std::max(needs.queues, request_.queues);
  needs.disabled_extensions.insert(needs.disabled_extensions.end(), request_.disabled_extensions.begin(),
                                   request_.disabled_extensions.end());
}

Result<DeviceOpening::Opened> DeviceOpening::open() const {
  Result<gpu::Instance> instance = gpu::create_instance(request_.instance);
  if (!instance) return fail(std::move(instance.error()));
  const Result<std::size_t> chosen = gpu::choose_device(instance->snapshots(), request_.selector);
  if (!chosen) return fail(chosen.error());
  Opened opened{.index = *chosen};
  // Mips prefer a queue with graphics, which suits every plan; what is missing for them is told when a plan needs it.
  gpu::Needs guess{.blit = request_.queues == 1, .frame_boundary = true};
  add_known(guess);
  if (const Result<gpu::DevicePlan> plan = gpu::plan_device(instance->snapshots()[*chosen], guess)) {
    Result<gpu::Device> device = gpu::create_device(*instance, *chosen, *plan, request_.device);
    if (!device) return fail(std::move(device.error()));
    opened.device.emplace(std::move(*device));
  }
  opened.instance.emplace(std::move(*instance));
  return opened;
}

Result<DeviceOpening::Opened*> DeviceOpening::wait() {
  if (!opened_) opened_.emplace(opening_.get());
  if (!*opened_) return fail(opened_->error());
  return &**opened_;
}

Result<const gpu::Snapshot*> DeviceOpening::snapshot() {
  return wait().transform([](Opened* opened) { return &opened->instance->snapshots()[opened->index]; });
}

Result<gpu::Device*> DeviceOpening::get(gpu::Needs needs) {
  const Result<Opened*> waited = wait();
  if (!waited) return fail(waited.error());
  Opened& opened = **waited;
  add_known(needs);
  const Result<gpu::DevicePlan> wanted = gpu::plan_device(opened.instance->snapshots()[opened.index], needs);
  if (!wanted) return fail(wanted.error());
  if (!opened.device || !serves(opened.device->plan(), *wanted)) {
    opened.device.reset();
    Result<gpu::Device> device = gpu::create_device(*opened.instance, opened.index, *wanted, request_.device);
    if (!device) return fail(std::move(device.error()));
    opened.device.emplace(std::move(*device));
  }
  return &*opened.device;
}

}  // namespace slipway::launch
