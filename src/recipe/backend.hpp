// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between recipes and back ends, which run kernels: Vulkan, OpenCL, XRT, and one in tests
// (docs/spec/recipe.md#back-end-interface).
//
// The runner decides everything that the recipe specifies: the order of runs, which buffers exist, what is copied
// where. A back end allocates memory, loads kernels, and runs lists of them:
//
//   BufferPtr x = *backend.create_buffer({.size = 64, .name = "x"});
//   KernelPtr inc = *backend.load_kernel(planned);
//   ListPtr list = *backend.make_list(runs, {});
//   list->submit(); list->wait({});          // any number of times
//
// A list is made once and submitted many times. Submissions of one list do not overlap; those of several lists may. The
// runner gives each copy of its lists buffers of its own. Copies share buffers that are `external`, and the back end
// synchronises runs that write an external buffer with others that use it.
//
// Threads: several runners use one device, so objects may be created, destroyed and submitted on several threads at
// once. A back end locks what its library does not. One list is used by one thread at a time.
#pragma once

#include <any>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "recipe/signature.hpp"
#include "slipway/buffer_storage.hpp"

namespace slipway::recipe {

struct KernelPlan;   // plan.hpp
struct ContextPlan;  // plan.hpp

enum class BackendKind : std::uint8_t { Cpu, Vulkan, OpenCl, Xrt, Engine };
// The names in reports and of --backend, by value of BackendKind: the list of all back ends.
inline constexpr std::array<std::string_view, 5> kBackendNames = {"cpu", "vulkan", "opencl", "xrt", "engine"};
// Those that --backend may name: all but `cpu`, which runs the functions of CPU libraries, and `engine`, which runs
// models on the CPU engine or in the interpreter (--engine). Kernels with a `module` of their own ("embedded" ones) run
// on Vulkan or OpenCL, others on XRT.
inline constexpr std::span<const std::string_view> kKernelBackendNames = std::span(kBackendNames).subspan(1, 3);

constexpr std::string_view name_of(BackendKind kind) { return kBackendNames[static_cast<std::size_t>(kind)]; }
std::string kernel_backend_list();  // `vulkan, opencl, xrt`
// The back end of kernels with a name; nothing for other names.
std::optional<BackendKind> kernel_backend_from_name(std::string_view name);

// Memory that the host sees at one address, initially zero: what handles (`slipway::bo`) and CPU functions share
// (slipway/buffer_storage.hpp). A back end recognises its own buffers by their class.
using BufferPtr = std::shared_ptr<buffer_storage>;

MutableBytes host_bytes(const buffer_storage& buffer);
// `buffer_storage::sync`, with exceptions returned as failures (device-failed).
Result<> sync_buffer(buffer_storage& buffer, sync_direction direction, std::uint64_t offset, std::uint64_t size);

struct BufferOptions {
  std::uint64_t size = 0;
  std::string name;           // for messages
  bool kernels_only = false;  // neither CPU functions nor callers use it: fast memory is preferred
  std::string context;        // XRT: the hardware context of a debug buffer
};

// A kernel that a back end has loaded.
class LoadedKernel {
 public:
  explicit LoadedKernel(std::vector<Diagnostic> remarks = {}) : remarks_(std::move(remarks)) {}
  virtual ~LoadedKernel() = default;
  // Warnings and notes of loading it.
  const std::vector<Diagnostic>& remarks() const { return remarks_; }

 private:
  std::vector<Diagnostic> remarks_;
};
using KernelPtr = std::shared_ptr<const LoadedKernel>;

// A buffer, or a part of one, for the parameter `argidx`.
struct BufferArgument {
  std::uint32_t argidx = 0;
  BufferPtr buffer;
  std::uint64_t offset = 0, size = 0;  // bytes; never past the end
  bool external = false;               // lists of other copies or runners may use it at the same time
};

// A number for the parameter `argidx`, in the type and bytes of the parameter's target.
struct ScalarArgument {
  std::uint32_t argidx = 0;
  std::vector<std::byte> bytes;
};

// One run of a kernel. Parameters that are not set have the fixed values of their rules, or are zero.
struct KernelRun {
  std::string id;  // for messages
  KernelPtr kernel;
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::vector<BufferArgument> buffers;
  std::vector<ScalarArgument> scalars;
  std::string trace_script;  // XRT: the text of a dtrace script; empty: none
};

struct ListOptions {
  bool timings = false;                 // measure each run on the device, if the device can
  bool overlaps = false;                // other lists of the runner are in flight at the same time (depth)
  std::uint32_t runlist_threshold = 6;  // XRT: at least this many runs become an xrt::runlist; 0: never
};

// What became of one run of a list.
enum class RunResult : std::uint8_t { Completed, Failed, NotCompleted };

// Runs that are submitted together. They run in order, and each sees what the ones before it wrote.
class KernelList {
 public:
  virtual ~KernelList() = default;  // waits for a submission in flight

  virtual Result<> submit() = 0;
  // Waits until the last submission has ended; returns at once without one. Returns false if the time-out has
  // passed and the submission still runs. With `poll` it does not sleep. After an error the list is not used again.
  virtual Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) = 0;
  // Nanoseconds of each run of the last submission; empty without ListOptions::timings, or if the device cannot
  // measure.
  virtual std::vector<double> timings() { return {}; }
  // After an error or a time-out of `wait` or `submit`: the result of each run. Empty if the device does not report it.
  virtual std::vector<RunResult> results() const { return {}; }
  // Whether `wait` does the work of a submission, so that a thread of the runner must call it.
  virtual bool runs_in_wait() const { return false; }
  // Whether the runs were submitted to the device as one object.
  virtual bool chained() const { return true; }
};
using ListPtr = std::unique_ptr<KernelList>;

struct BackendInfo {
  std::string device, driver;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  virtual BackendInfo describe() const = 0;
  // Diagnostics are located at the kernel. `context` is the hardware context of the kernel, or null.
  virtual Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan* context) = 0;
  // Errors: device-lacks if the buffer is too large.
  virtual Result<BufferPtr> create_buffer(const BufferOptions& request) = 0;
  // Whether kernels of this back end can use a buffer that another component made. If not, the runner uses a staging
  // copy, and copies the data before and after each list.
  virtual bool can_use(const buffer_storage& buffer) const = 0;
  // The argument for a part of a buffer of a CPU library that was built for XRT (cpu::BufferAbi::Xrt). Empty for back
  // ends without such objects.
  virtual std::any native_buffer(const BufferPtr& /*buffer*/, std::uint64_t /*offset*/, std::uint64_t /*size*/) {
    return {};
  }
  // All buffers of the runs satisfy `can_use`, and are fixed for the life of the list.
  virtual Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) = 0;
};
using BackendPtr = std::shared_ptr<Backend>;

}  // namespace slipway::recipe
