// What the parts of the OpenCL back end share.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recipe/backend.hpp"
#include "recipe/backends/opencl/devices.hpp"
#include "recipe/backends/opencl/library.hpp"
#include "recipe/plan.hpp"

namespace slipway::recipe::opencl {

// Destroyed when the back end and all its buffers, kernels and lists are.
struct State {
  const Functions* cl = nullptr;
  DeviceInfo device;
  Context context;
  Queue queue;
  std::mutex mutex;  // one list is put into the queue at a time, whole
};
using StatePtr = std::shared_ptr<State>;

class Buffer final : public buffer_storage {
 public:
  // Zeroed, and the host's.
  static Result<BufferPtr> create(StatePtr state, const BufferRequest& request);
  ~Buffer() override;

  std::size_t size() const noexcept override { return size_; }
  void* host_address() const override { return host_->host_address(); }
  std::uint64_t device_address() const override { return host_->device_address(); }
  void sync(sync_direction, std::size_t, std::size_t) override {}  // lists give contents to and fro

  const StatePtr& state() const { return state_; }
  cl_mem memory() const { return memory_.get(); }

  // Put into the queue; the caller has the lock. From one `to_device` to the next `to_host` the device owns the
  // contents.
  cl_int to_device();
  cl_int to_host();

 private:
  Buffer(StatePtr state, std::shared_ptr<buffer_storage> host, ClMemory memory, std::size_t size)
      : state_(std::move(state)), host_(std::move(host)), memory_(std::move(memory)), size_(size) {}

  StatePtr state_;
  std::shared_ptr<buffer_storage> host_;
  ClMemory memory_;
  std::size_t size_;
  bool mapped_ = false;
};

class Kernel final : public LoadedKernel {
 public:
  static Result<KernelPtr> load(StatePtr state, const KernelPlan& plan);

  // A kernel object of its own, because it holds the arguments.
  Result<ClKernel> instantiate() const;

  StatePtr state;
  Program program;
  std::string name, entry;
  SourceLocation location;
  Signature signature;
  Grid local{1, 1, 1};
};

// Errors: device-failed, device-lacks.
Result<ListPtr> make_list(StatePtr state, std::span<const KernelRun> runs, const ListOptions& options);

}  // namespace slipway::recipe::opencl
