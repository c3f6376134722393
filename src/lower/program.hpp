// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of lowering: kernels, buffers and dispatches, as plain data without any device object.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lower/packing.hpp"
#include "lower/tuning.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

enum class BufferKind : std::uint8_t { Input, Output, Constant, Intermediate };

// Storage of one value. The caller owns inputs and outputs; constants are data to upload; intermediates are in one
// arena.
struct ProgramBuffer {
  BufferKind kind = BufferKind::Intermediate;
  std::uint32_t index = 0;         // Input, Output: of the graph; Constant: into graph.constants
  std::uint64_t size = 0;          // bytes
  std::uint64_t offset = 0;        // Intermediate: in the arena
  tosa::ValueId value{};           // whose elements it holds, unchanged or packed
  std::optional<Packing> packing;  // Constant: how its data are packed; empty: not packed
};

struct ProgramKernel {
  std::string name;  // `CONV2D+RESCALE`
  std::shared_ptr<const spirv::Words> spirv;
  // Buffers, the last one written: storage buffers 0 to bindings - 1 of set 0, or consecutive addresses in the push
  // constants.
  std::uint32_t bindings = 0;
  std::vector<std::uint32_t> exchanged;  // bindings that workgroups of a dispatch write and others of it read
  bool addresses = false;
  // Bindings 0 and 1 are counters of stages, and two numbers of 32 bits come before the addresses: StageLink.
  bool linked = false;
  // Elements of 8 and 16 bits are accessed in words of 32 bits, also the last ones: ranges of buffers are whole words.
  bool by_words = false;
};

// Stage-ordered dispatch. A linked dispatch waits until `workgroups` of the stage before have counted at its first
// binding, and counts its own at the second one if `counts`: the two numbers before its addresses.
struct StageLink {
  std::uint32_t waits_at = 0, counts_at = 0;  // offsets in the buffer of the bindings, in bytes
  std::uint32_t workgroups = 0;               // 0: does not wait
  bool counts = false;
};

struct ProgramDispatch {
  std::uint32_t kernel = 0;
  std::vector<std::uint32_t> buffers;  // indices into ProgramBuffers, by binding
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::vector<std::uint32_t> nodes;  // that it computes; it stores a result of the last one
  std::uint32_t stage = 0;           // dispatches of one stage are independent (plan/schedule.hpp)
  StageLink link = {};               // of linked kernels
};

struct KernelProgram {
  std::vector<ProgramBuffer> buffers;
  std::vector<ProgramKernel> kernels;       // all different
  std::vector<ProgramDispatch> dispatches;  // in order; each may depend on any of an earlier stage
  std::vector<TuningSite> sites;            // if they were asked for
  std::uint64_t arena_size = 0;             // bytes
  std::uint64_t arena_lower_bound = 0;      // the largest number of bytes of intermediates alive in a stage
};

// For people: a line for each dispatch with its nodes, shapes and buffers.
std::string print_program(const tosa::Graph& graph, const KernelProgram& program);

}  // namespace slipway::lower
