// The seam between recipes and what runs kernels: Vulkan, OpenCL, XRT, and the one in tests (recipe page 3.10).
//
// The runner decides everything that is the recipe's own: which run comes when, which buffers exist, what is copied
// where. A back end has memory, loads kernels, and runs lists of them:
//
//   BufferPtr x = *backend.create_buffer({.size = 64, .name = "x"});
//   KernelPtr inc = *backend.load_kernel(planned);
//   ListPtr list = *backend.make_list(runs, {});
//   list->submit(); list->wait({});          // as often as wanted
//
// A list is made once and submitted many times. Submissions of one list do not overlap; those of several lists may. The
// runner gives each copy of its lists buffers of its own; what is `external` they share, and the back end keeps runs
// that write it and others that use it apart.
//
// Threads: creating and destroying objects and submitting may happen on several threads at once (several runners use
// one device): a back end locks what its library does not. One list is used by one thread at a time.
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

struct KernelPlan;   // plan.hpp: what to load
struct ContextPlan;  // plan.hpp: the hardware context it is for

enum class BackendKind : std::uint8_t { Cpu, Vulkan, OpenCl, Xrt };
std::string_view name_of(BackendKind kind);  // cpu, vulkan, opencl, xrt: as in reports

// Memory that the host sees at one address and that begins as zeros: what handles (`slipway::bo`) and CPU functions
// share (slipway/buffer_storage.hpp). A back end knows its own by their class.
using BufferPtr = std::shared_ptr<buffer_storage>;

MutableBytes host_bytes(const buffer_storage& buffer);
// `buffer_storage::sync` with its exceptions as failures.
Result<> sync_buffer(buffer_storage& buffer, sync_direction direction, std::uint64_t offset, std::uint64_t size);

struct BufferRequest {
  std::uint64_t size = 0;
  std::string name;           // for messages
  bool kernels_only = false;  // no CPU function and nobody outside uses it: fast memory is preferred
  std::string context;        // XRT: the hardware context of a debug buffer
};

// A kernel that a back end has loaded.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
};
using KernelPtr = std::shared_ptr<const LoadedKernel>;

// A buffer, or a part of one, for the parameter with this argidx.
struct BufferArgument {
  std::uint32_t argidx = 0;
  BufferPtr buffer;
  std::uint64_t offset = 0, size = 0;  // bytes; never past the end
  bool external = false;               // not the runner's own: lists of others may use it at the same time
};

// A number for the parameter with this argidx, in the bytes and the type that the target asks for.
struct ScalarArgument {
  std::uint32_t argidx = 0;
  std::vector<std::byte> bytes;
};

// One run of a kernel. Parameters that are not set have the fixed values of their rules, or zeros.
struct KernelRun {
  std::string id;  // for messages
  KernelPtr kernel;
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::vector<BufferArgument> buffers;
  std::vector<ScalarArgument> scalars;
  std::string trace_script;  // XRT: the contents of a dtrace script; empty: none
};

struct ListOptions {
  bool timings = false;                 // measure each run on the device, where it can
  bool overlaps = false;                // other lists of the runner are under way at the same time (depth)
  std::uint32_t runlist_threshold = 6;  // XRT: lists of at least so many runs become one xrt::runlist; 0 never
};

// Runs that are submitted together and run one after the other, each seeing what those before it wrote.
class KernelList {
 public:
  virtual ~KernelList() = default;  // waits for a submission under way

  virtual Result<> submit() = 0;
  // Until the last submission has ended; at once without one. False: the time is over and it is still running. `poll`:
  // look again and again instead of sleeping. After an error the list is not used again.
  virtual Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) = 0;
  // Of the last submission, in nanoseconds, one for each run; empty without ListOptions::timings or where the device
  // measures nothing.
  virtual std::vector<double> timings() { return {}; }
  // Whether the runs were given to the device as one object.
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
  // Problems are at the kernel's place. `context` is the one it belongs to; null without.
  virtual Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan* context) = 0;
  // Errors: device-lacks when it is too large.
  virtual Result<BufferPtr> create_buffer(const BufferRequest& request) = 0;
  // Whether kernels of this back end can use a buffer that something else made. Where they cannot, the runner gives
  // them a copy and copies the data before and after each list.
  virtual bool can_use(const buffer_storage& buffer) const = 0;
  // What a CPU library that was built for XRT (cpu::BufferAbi::Xrt) gets for a part of a buffer; nothing from back ends
  // that do not have such objects.
  virtual std::any native_buffer(const BufferPtr& /*buffer*/, std::uint64_t /*offset*/, std::uint64_t /*size*/) {
    return {};
  }
  // The runs' buffers satisfy `can_use`, and stay as they are for the life of the list.
  virtual Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) = 0;
};
using BackendPtr = std::shared_ptr<Backend>;

}  // namespace slipway::recipe
