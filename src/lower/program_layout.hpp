// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a program is run, for all that run one (the plan of a device, the CPU engine, command buffers of others): the
// bytes of its constants, where its buffers are, where barriers are, what the push constants contain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "lower/program.hpp"

namespace slipway::lower {

// Where constants are written. The memory of a device, mapped for the host, is slow unless it is written once, in the
// order of the addresses, and never read.
enum class ConstantMemory : std::uint8_t { Host, Device };

// The elements of a constant as they are, repeated (a splat), or packed. `to` has buffer.size bytes; all are written.
// A constant without data leaves them as they are.
void write_constant(const tosa::Graph& graph, const ProgramBuffer& buffer, ConstantMemory memory, MutableBytes to);

// The data of a constant that kernels of the CPU may read in place; empty for one that must be written, and for other
// buffers.
Bytes readable_constant(const tosa::Graph& graph, const ProgramBuffer& buffer);

// Of the constants that are written into one allocation: on the host, all that are not read in place.
struct ConstantLayout {
  struct Range {
    std::uint32_t buffer = 0;  // of the program
    std::uint64_t offset = 0;  // a multiple of the alignment
  };
  std::vector<Range> ranges;
  std::uint64_t size = 0;
};
ConstantLayout layout_of_constants(const tosa::Graph& graph, const KernelProgram& program, ConstantMemory memory,
                                   std::uint64_t alignment);

// Where the buffers of a program are. `A` is a pointer to bytes, or a number.
template <class A>
struct ProgramAddresses {
  std::span<const ProgramBuffer> buffers;
  std::span<const A> inputs, outputs;  // of the graph
  std::span<const A> others;           // by buffer: constants, and without an arena intermediates
  std::optional<A> arena = {};

  A operator()(std::uint32_t index) const {
    const ProgramBuffer& buffer = buffers[index];
    if (buffer.kind == BufferKind::Input) return inputs[buffer.index];
    if (buffer.kind == BufferKind::Output) return outputs[buffer.index];
    const bool in_arena = arena && buffer.kind == BufferKind::Intermediate;
    return in_arena ? static_cast<A>(*arena + buffer.offset) : others[index];
  }
};

// Whether a barrier is needed after a dispatch, unless the next ones wait themselves (StageLink).
bool ends_stage(const KernelProgram& program, std::size_t dispatch);
struct ProgramStage {
  std::uint32_t begin = 0, end = 0;  // dispatches
};
std::vector<ProgramStage> stages_of(const KernelProgram& program);

// Bytes. Two numbers of a linked kernel, which are as large as an address, come before the addresses.
std::uint32_t address_offset(const ProgramKernel& kernel, std::uint32_t binding);
std::uint32_t push_constant_size(const ProgramKernel& kernel);  // 0 for kernels with storage buffers

}  // namespace slipway::lower
