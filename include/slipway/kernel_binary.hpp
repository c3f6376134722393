// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of Intel GPUs: the contents of a zebin or a text of ZE Info, its validity, the layout of the arguments, and
// the block of argument data that a loader passes to the hardware.
//
//   auto binary = slipway::KernelBinary::load("k.bin");
//   for (const slipway::Problem& problem : binary->check("consistency")) std::puts(problem.text.c_str());
//   slipway::KernelLaunch launch;
//   launch.groups = {64, 1, 1};
//   launch.local_size = {256, 1, 1};
//   launch.arguments = {slipway::PointerArgument{0x10000}, slipway::ValueArgument::of(2.0f)};
//   auto data = binary->pack("saxpy", launch);
//
// C++17.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "slipway/bytes.hpp"
#include "slipway/problem.hpp"

namespace slipway {

struct KernelBinaryOptions {
  std::string member;         // selects this member of a fat archive
  std::string product;        // the device: selects a member, and is the target of a bare text
  bool instructions = false;  // count the instructions of kernels, with Intel's library libiga64
};

// The metrics of a kernel. Bytes of spills and private memory are per hardware thread.
struct KernelFigures {
  std::string name;
  std::int32_t simd = 0;       // lanes of a hardware thread
  std::int32_t registers = 0;  // of a hardware thread
  std::optional<int> threads_per_eu;
  std::optional<std::uint64_t> code_bytes;  // absent for a text
  std::uint64_t spill_bytes = 0, private_bytes = 0, scratch_bytes = 0, local_memory_bytes = 0;
  std::int32_t barriers = 0;
  std::uint64_t argument_bytes = 0;  // of the cross-thread data
  // Absent without KernelBinaryOptions::instructions, and for kernels whose code cannot be read.
  std::optional<std::uint64_t> instructions, sends;
};

struct OccupancyQuestion {
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};  // of kernels that require none
  int eus = 0;                                          // of a subslice; 0: those of the device
  std::uint64_t local_memory = 0;                       // bytes of local arguments
};

// The work groups that run at the same time on a subslice.
struct KernelOccupancy {
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};  // the required one, else that of the question
  int eus = 0;                                          // of the subslice
  int threads_per_eu = 0;
  std::uint64_t threads_per_group = 0;   // hardware threads
  std::uint64_t local_memory_bytes = 0;  // of a work group, as the hardware allocates it
  std::uint64_t groups = 0;
  std::string limited_by;  // "threads", "barriers", "slm"
};

// A field that differs between two binaries. `before` and `after` are set if both values are numbers.
struct KernelChange {
  std::string kernel;    // empty: the field is one of the whole binary
  std::string field;     // simd, grf, threads, spill, scratch, private, slm, barriers, code, cross_thread, inline,
                         // per_thread, args, flags, attributes, added, removed; of a whole binary: target, version
  std::string from, to;  // as `slipway diff` prints them; empty where one binary has nothing
  std::optional<double> before, after;
};

// A range of the cross-thread data.
struct PayloadPart {
  std::uint32_t offset = 0, size = 0;  // bytes
  std::int32_t argument = -1;          // index of the kernel's argument; -1: none
  std::string what;                    // "stateless address", "local_size", "(hole)"
};

// An argument by value; structures are split into the pieces that the kernel declares.
struct ValueArgument {
  std::vector<std::byte> bytes;
  template <class T>
  static ValueArgument of(const T& value) {
    static_assert(std::is_trivially_copyable<T>::value, "an argument by value is plain data");
    ValueArgument argument{std::vector<std::byte>(sizeof value)};
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
  }
};
struct PointerArgument {
  std::uint64_t address = 0;
  std::optional<std::uint64_t> size;         // of the buffer, for kernels that take it as an argument
  std::optional<std::uint64_t> heap_offset;  // of the surface state, for bindless access
};
struct LocalArgument {
  std::uint64_t size = 0;  // bytes of shared local memory
};
struct ImageArgument {
  std::optional<std::uint64_t> heap_offset;  // of the surface state, or the message descriptor of the device
  std::uint32_t width = 0, height = 0, depth = 0, array_size = 0, mip_levels = 0, samples = 0;
  std::uint32_t channel_type = 0, channel_order = 0;  // codes of OpenCL: CL_UNORM_INT8, CL_RGBA
  std::optional<std::uint64_t> flat_base;             // for kernels that read the memory of the image
  std::uint32_t flat_width = 0, flat_height = 0, flat_pitch = 0;
};
enum class SamplerAddressing : std::uint8_t { None, ClampToBorder, ClampToEdge, Repeat, MirroredRepeat };
struct SamplerArgument {
  std::optional<std::uint64_t> heap_offset;  // of the sampler state
  SamplerAddressing addressing = SamplerAddressing::None;
  bool linear = false, normalized = false;
};
using KernelArgument =
    std::variant<std::monostate, ValueArgument, PointerArgument, LocalArgument, ImageArgument, SamplerArgument>;

// What a kernel takes besides its arguments. The ranges of absent values are in `PackedArguments::open`.
struct ImplicitArguments {
  std::optional<std::uint64_t> private_memory, printf_buffer, implicit_buffer, sync_buffer, ray_tracing_globals,
      assert_buffer, indirect_data, scratch, constants, globals, region_barriers;  // addresses
  std::optional<std::uint64_t> inline_samplers;                                    // heap offset of sampler state 0
  std::optional<std::array<std::uint32_t, 3>> region_size;
  std::optional<std::uint32_t> region_dimension, region_groups;
};

struct KernelLaunch {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};      // work groups
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};  // work items of a group
  std::array<std::uint32_t, 3> global_offset = {0, 0, 0};
  std::vector<KernelArgument> arguments;  // by index
  // groups x local_size when absent; the last groups of a dimension may be smaller.
  std::optional<std::array<std::uint32_t, 3>> global_size;
  ImplicitArguments implicit;
};

struct PackedArguments {
  std::vector<std::byte> bytes;    // the cross-thread data
  std::uint32_t inline_bytes = 0;  // of these, passed in the command
  std::uint32_t local_memory = 0;  // bytes of shared local memory that the launch needs
  // Ranges whose value is not known (addresses of implicit buffers). They are zero, and the loader fills them.
  std::vector<PayloadPart> open;
};

// The kernels of one file. The const members may be called from several threads at once. An object that was moved from
// may only be assigned or destroyed; other calls throw std::logic_error.
class SLIPWAY_API KernelBinary {
 public:
  // Reads a zebin, a member of a fat archive, a text of ZE Info or its JSON; the format is detected from the contents.
  // Errors: the problems of reading; no-backend for instructions without libiga64.
  static Outcome<KernelBinary> load(const std::filesystem::path& file, const KernelBinaryOptions& options = {});
  // The same for bytes, which are copied. `name` is shown in problems.
  static Outcome<KernelBinary> parse(ByteView bytes, std::string name, const KernelBinaryOptions& options = {});

  KernelBinary(KernelBinary&&) noexcept;
  KernelBinary& operator=(KernelBinary&&) noexcept;
  ~KernelBinary();

  // `1.49`; empty for a text without one.
  std::string version() const;
  std::vector<KernelFigures> kernels() const;
  // The problems that a level of checks finds: `spec`, `consistency`, `runtime`, `runtime=YY.WW`, `runtime=all`.
  // Errors: unknown-value (the level).
  Outcome<std::vector<Problem>> check(std::string_view level = "consistency") const;
  // What `other` has instead: first the fields of the whole binary, then those of each kernel in the order of this
  // binary, then the kernels that only `other` has. Empty: they are equal.
  std::vector<KernelChange> diff(const KernelBinary& other) const;
  // The cross-thread data of a kernel in address order, including holes. Errors: unknown-reference.
  Outcome<std::vector<PayloadPart>> layout(std::string_view kernel) const;
  // The same as a diagram in SVG: a row for each 32 bytes, arguments as boxes, holes hatched. Errors:
  // unknown-reference.
  Outcome<std::string> layout_svg(std::string_view kernel) const;
  // Errors: unknown-reference; work-group-size for a group that cannot run, or without a device.
  Outcome<KernelOccupancy> occupancy(std::string_view kernel, const OccupancyQuestion& question) const;
  // Errors: unknown-reference; missing-argument, argument-size, argument-kind, address-range, invalid-kernel.
  Outcome<PackedArguments> pack(std::string_view kernel, const KernelLaunch& launch) const;
  // The local ids of each hardware thread of a work group, in thread order; empty if the kernel takes none. Errors:
  // unknown-reference, local-id-size, needs-device, out-of-range.
  Outcome<std::vector<std::byte>> pack_local_ids(std::string_view kernel,
                                                 std::array<std::uint32_t, 3> local_size) const;

 private:
  struct State;
  explicit KernelBinary(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slipway
