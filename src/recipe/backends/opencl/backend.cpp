// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/backend.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"
#include "recipe/backends/opencl/state.hpp"
#include "recipe/cpu/host_buffer.hpp"

namespace slipway::recipe::opencl {
namespace {

class OpenClBackend final : public Backend {
 public:
  explicit OpenClBackend(StatePtr state) : state_(std::move(state)) {}

  BackendKind kind() const override { return BackendKind::OpenCl; }
  BackendInfo describe() const override {
    return {.device = state_->device.name,
            .driver = formatted("{} {}", state_->device.platform, state_->device.driver)};
  }
  Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan*) override {
    return OpenClKernel::load(state_, kernel);
  }
  Result<BufferPtr> create_buffer(const BufferOptions& request) override {
    return OpenClBuffer::create(state_, request);
  }
  bool can_use(const buffer_storage& buffer) const override {
    const auto* ours = dynamic_cast<const OpenClBuffer*>(&buffer);
    return ours && ours->state() == state_;
  }
  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) override {
    return opencl::make_list(state_, runs, options);
  }

 private:
  StatePtr state_;
};

std::string_view type_name(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu" : "other";
}

}  // namespace

Result<BufferPtr> OpenClBuffer::create(StatePtr state, const BufferOptions& request) {
  const OpenClFunctions& cl = *state->cl;
  const std::size_t size = std::max<std::uint64_t>(request.size, 1);  // OpenCL does not allow empty buffers
  if (size > state->device.max_allocation) {
    return fail(DiagnosticKind::DeviceLacks, {},
                formatted("buffer `{}` has {} bytes, but the maximum of OpenCL device `{}` is {}", request.name, size,
                          state->device.name, state->device.max_allocation));
  }
  SLIPWAY_TRY(std::shared_ptr<buffer_storage> host, cpu::make_host_buffer(size));
  cl_int error = CL_SUCCESS;
  ClMemory memory(cl, cl.clCreateBuffer(state->context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size,
                                        host->host_address(), &error));
  if (error != CL_SUCCESS) {
    return fail(Failure(call_failed("clCreateBuffer", error, {}, DiagnosticKind::DeviceLacks).error()),
                formatted("for buffer `{}` of {} bytes", request.name, size));
  }
  std::shared_ptr<OpenClBuffer> buffer(
      new OpenClBuffer(std::move(state), std::move(host), std::move(memory), request.size));
  {
    const std::scoped_lock lock(buffer->state_->mutex);
    error = buffer->to_host();
    if (error == CL_SUCCESS) error = cl.clFinish(buffer->state_->queue.get());
  }
  if (error != CL_SUCCESS) return call_failed("clEnqueueMapBuffer", error);
  return buffer;
}

OpenClBuffer::~OpenClBuffer() {
  const std::scoped_lock lock(state_->mutex);
  if (mapped_ && to_device() == CL_SUCCESS) state_->cl->clFinish(state_->queue.get());
}

cl_int OpenClBuffer::to_host() {
  if (mapped_) return CL_SUCCESS;
  cl_int error = CL_SUCCESS;
  state_->cl->clEnqueueMapBuffer(state_->queue.get(), memory_.get(), CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                 std::max<std::size_t>(size_, 1), 0, nullptr, nullptr, &error);
  mapped_ = error == CL_SUCCESS;
  return error;
}

cl_int OpenClBuffer::to_device() {
  if (!mapped_) return CL_SUCCESS;
  mapped_ = false;
  return state_->cl->clEnqueueUnmapMemObject(state_->queue.get(), memory_.get(), host_->host_address(), 0, nullptr,
                                             nullptr);
}

Result<BackendPtr> open_backend(std::string_view selector, const SourceLocation& location) {
  SLIPWAY_TRY(const OpenClFunctions* functions, load_functions(location));
  const OpenClFunctions& cl = *functions;
  if (const char* chosen = std::getenv("SLIPWAY_OPENCL_DEVICE"); selector.empty() && chosen) selector = chosen;
  SLIPWAY_TRY(const std::vector<DeviceInfo> devices, list_devices(cl, location));
  SLIPWAY_TRY(const DeviceInfo device, choose_device(devices, selector, location));

  auto state = std::make_shared<State>();
  state->cl = &cl;
  state->device = device;
  cl_int error = CL_SUCCESS;
  state->context = Context(cl, cl.clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return call_failed("clCreateContext", error, location);
  // Profiling measures runs. It is always enabled, because runners with and without timings share the queue.
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  state->queue = Queue(cl, cl.clCreateCommandQueueWithProperties(state->context.get(), device.id, properties, &error));
  if (error != CL_SUCCESS) return call_failed("clCreateCommandQueueWithProperties", error, location);
  return std::make_shared<OpenClBackend>(std::move(state));
}

Result<std::vector<DeviceDescription>> describe_devices() {
  SLIPWAY_TRY(const OpenClFunctions* functions, load_functions());
  SLIPWAY_TRY(const std::vector<DeviceInfo> devices, list_devices(*functions));
  std::vector<DeviceDescription> descriptions;
  for (const DeviceInfo& device : devices) {
    descriptions.push_back({.name = device.name,
                            .platform = device.platform,
                            .driver = device.driver,
                            .type = std::string(type_name(device.type)),
                            .il_version = device.il_version,
                            .base_alignment = device.base_alignment,
                            .max_allocation = device.max_allocation});
  }
  return descriptions;
}

}  // namespace slipway::recipe::opencl
