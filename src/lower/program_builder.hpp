// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a program: buffers, kernels (equal ones once), dispatches, offsets in the arena.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lower/group_key.hpp"
#include "lower/kernel_builder.hpp"
#include "lower/options.hpp"
#include "lower/program.hpp"

namespace slipway::lower {

class ProgramBuilder {
 public:
  ProgramBuilder(const tosa::Graph& graph, const LowerOptions& options, std::vector<bool> stored);

  const tosa::Graph& graph() const { return graph_; }
  const DeviceFacts& device() const { return options_.device; }
  const std::vector<bool>& stored() const { return stored_; }
  std::optional<Widened> widened(tosa::ValueId value) const { return widened_[index(value)]; }
  KernelBuilder kernel(Grid grid) const {
    grid.native_vectors = options_.device.native_vectors;
    return KernelBuilder(graph_, stored_, widened_, options_.device.floats, addressed(grid));
  }
  // A linked kernel if the device permits that and the workgroups are few: KernelBuilder::wait_for_stage must come
  // before its first access to what another dispatch stores. `dispatch` makes it count. `registers`: of an invocation,
  // about.
  KernelBuilder linked_kernel(Grid grid, std::uint64_t groups, std::uint64_t registers = 32);
  static constexpr std::uint64_t kRegistersOfTiles = 128;  // of kernels with sums and operands in registers
  // A plain kernel, by address if the options want that.
  Grid addressed(Grid grid) const {
    grid.plain = !grid.addresses;
    grid.addresses |= options_.addresses_only;
    grid.narrow_accesses = options_.device.narrow_accesses;
    grid.longs = options_.device.longs;
    return grid;
  }

  // The index of the candidate that was measured to be best for the key `what`, otherwise 0: the candidate that is
  // estimated to be best comes first. `node`: whose kernels have these parameters. `otherwise`: the key of kernels for
  // which tables have the same parameters, where they do not have `what`.
  std::size_t choose(const std::string& what, const tosa::Node& node, std::size_t count,
                     const std::function<Parameters(std::size_t)>& candidate, const std::string& otherwise = {});

  // The index of the buffer of a value, which is added on first use.
  std::uint32_t buffer(tosa::ValueId value);
  // The index of the buffer of a constant in another order.
  std::uint32_t packed_constant(tosa::ValueId value, const Packing& packing);
  // The index of an additional intermediate, for elements of `value`. Value and purpose identify it: a second call
  // returns the same one. The flag is whether it is new.
  std::pair<std::uint32_t, bool> packed(tosa::ValueId value, std::uint64_t size, const std::string& purpose);

  // The index of a buffer of at least `count` counters for Kernel::is_last_of, of a kernel that computes `value`.
  std::uint32_t counters(tosa::ValueId value, std::uint64_t count);

  // Adds a dispatch of the kernel that was built for an equal key before, and returns whether there is one. `packed`:
  // the buffers besides those of values.
  bool repeat(const GroupKey& key, std::span<const std::uint32_t> packed = {});
  // Adds a dispatch of `groups` workgroups, to be repeated for equal keys. `note` is prepended to the name of the
  // kernel.
  void dispatch(KernelBuilder& builder, std::uint64_t groups, const GroupKey& key,
                std::span<const std::uint32_t> packed = {}, const std::string& note = {});
  // Copies outputs that no kernel has stored into their own buffer: inputs, constants, and values that are two outputs.
  void copy_outputs();

  KernelProgram finish();

 private:
  std::uint32_t add_buffer(tosa::ValueId value, BufferKind kind, std::uint32_t source, std::uint64_t size);
  std::uint64_t size_of(tosa::ValueId value) const;
  void copy(tosa::ValueId value, std::uint32_t output);
  void add_dispatch(KernelBuilder& builder, std::uint64_t groups, std::string name, std::vector<std::uint32_t> buffers,
                    std::vector<std::uint32_t> nodes);
  void clear_counters();
  bool link_stages();
  void place_intermediates();

  // A dispatch relative to the values of its key.
  struct Made {
    std::uint32_t kernel = 0;
    std::array<std::uint32_t, 3> groups{1, 1, 1};
    struct Source {
      enum class From : std::uint8_t { Values, Packed, Links } from = From::Values;
      std::size_t index = 0;  // in the values of the key, or of the packed buffer
    };
    std::vector<Source> buffers;
    std::vector<std::size_t> nodes;  // each by the index of one of its results in the values of the key
  };
  std::string text_of(const GroupKey& key) const;
  void remember(const GroupKey& key, std::span<const std::uint32_t> packed, const KernelBuilder& builder);

  const tosa::Graph& graph_;
  const LowerOptions& options_;
  std::vector<bool> stored_;
  Widening widened_;
  std::vector<std::uint32_t> buffer_of_;  // by value
  std::map<std::pair<tosa::ValueId, std::string>, std::uint32_t> packed_;
  std::optional<std::uint32_t> counters_, links_;                // the buffers
  std::unordered_multimap<std::size_t, std::uint32_t> kernels_;  // by the count of their words, which few share
  std::map<std::string, Made> made_;                             // by key
  KernelProgram program_;
};

}  // namespace slipway::lower
