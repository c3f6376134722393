// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the files of the OpenCL back end.
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

// Destroyed after the back end and all its buffers, kernels and lists.
struct State {
  const OpenClFunctions* cl = nullptr;
  DeviceInfo device;
  Context context;
  Queue queue;
  std::mutex mutex;  // locked while a whole list is enqueued
};
using StatePtr = std::shared_ptr<State>;

class OpenClBuffer final : public buffer_storage {
 public:
  // Zeroed, and owned by the host.
  static Result<BufferPtr> create(StatePtr state, const BufferOptions& request);
  ~OpenClBuffer() override;

  std::size_t size() const noexcept override { return size_; }
  void* host_address() const override { return host_->host_address(); }
  std::uint64_t device_address() const override { return host_->device_address(); }
  void sync(sync_direction, std::size_t, std::size_t) override {}  // lists transfer the ownership

  const StatePtr& state() const { return state_; }
  cl_mem memory() const { return memory_.get(); }

  // Enqueue the transfer of ownership; the caller holds the lock. The device owns the contents between `to_device` and
  // the next `to_host`.
  cl_int to_device();
  cl_int to_host();

 private:
  OpenClBuffer(StatePtr state, std::shared_ptr<buffer_storage> host, ClMemory memory, std::size_t size)
      : state_(std::move(state)), host_(std::move(host)), memory_(std::move(memory)), size_(size) {}

  StatePtr state_;
  std::shared_ptr<buffer_storage> host_;
  ClMemory memory_;
  std::size_t size_;
  bool mapped_ = false;
};

class OpenClKernel final : public LoadedKernel {
 public:
  static Result<KernelPtr> load(StatePtr state, const KernelPlan& plan);

  // A new kernel object, which holds its own arguments.
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
