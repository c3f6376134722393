// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One workgroup of a dispatch at a time: all invocations execute an instruction, then all execute the next one.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "testing/kernel/code.hpp"
#include "testing/kernel/interpreter.hpp"
#include "testing/kernel/memory.hpp"

namespace slipway::testing {

// What the workgroups of a dispatch have in common.
struct DispatchContext {
  const KernelCode& code;
  const lower::ProgramKernel& kernel;
  const lower::ProgramDispatch& dispatch;
  std::span<const Region> regions;  // by buffer of the program
  std::uint32_t subgroup_size = 1;
  std::uint32_t time = 0;         // of its stage
  std::uint32_t first_actor = 0;  // of the invocations of all dispatches
  std::byte fill{};               // what memory has that nothing wrote
  std::string name;               // `CONV2D, dispatch 1`
};

class Workgroup {
 public:
  Workgroup(const DispatchContext& context, std::vector<KernelFinding>& findings);
  void run(std::array<std::uint32_t, 3> group);

 private:
  using Instruction = spirv::Instruction;
  using Active = std::vector<std::uint32_t>;  // the invocations that execute an instruction
  struct Group {                              // a subgroup all of whose invocations execute an instruction
    std::uint32_t index = 0, first = 0;
  };

  void report(KernelError error, const Instruction& in, std::uint32_t invocation, std::string_view what);
  void block(const cpu_compiler::Block& block, const Active& active);
  void execute(const Instruction& in, const Active& active);
  void arithmetic(const Instruction& in, const Active& active);
  void extended(const Instruction& in, const Active& active);
  void select(const Instruction& in, const Active& active);
  void exchange_lanes(const Instruction& in, const Active& active);
  void barrier(const Instruction& in, const Active& active);
  void load(const Instruction& in, const Active& active);
  void store(const Instruction& in, const Active& active);
  void access_chain(const Instruction& in, const Active& active);
  void atomic(const Instruction& in, const Active& active);
  void matrix(const Instruction& in, const Active& active);
  void matrix_in_memory(const Instruction& in, const Active& active, bool is_load);
  void multiply_add(const Instruction& in, const Active& active);
  [[noreturn]] void unknown(const Instruction& in) const;

  std::vector<Group> groups_of(const Instruction& in, const Active& active);
  std::uint64_t push_constant(std::uint64_t offset) const;
  std::uint64_t built_in(spv::BuiltIn what, std::uint32_t component, std::uint32_t invocation) const;
  std::vector<std::uint64_t>& values(Id id);
  std::uint64_t value(Id id, std::uint32_t invocation, std::uint32_t component = 0) {
    return values(id)[component * size_ + invocation];
  }
  std::int64_t number(Id id, std::uint32_t invocation);  // with its sign
  std::vector<double>& matrices(Id id);

  enum class Way : std::uint8_t { Read, Write, AtomicRead, Atomic };
  // The bytes at an address, after the checks; null if they are in no buffer. `stored`: what is written there. Kernels
  // may compute an element twice, to the same value.
  std::byte* at(const Instruction& in, std::uint64_t address, std::uint64_t size, spv::StorageClass storage, Way way,
                std::uint32_t invocation, const Actor& actor, const void* stored = nullptr);
  Actor actor_of(std::uint32_t invocation) const {
    return {first_actor_ + invocation, invocation / context_.subgroup_size};
  }

  const DispatchContext& context_;
  const KernelCode& code_;
  std::vector<KernelFinding>& findings_;
  std::uint32_t size_;  // invocations
  std::uint32_t first_actor_ = 0;
  std::uint32_t time_ = 0, begin_ = 0;  // barriers of all workgroups, and where this one began
  std::array<std::uint32_t, 3> group_{};
  bool acquired_ = false;             // has asked at a counter whether it is the last workgroup
  std::vector<std::uint32_t> steps_;  // barriers of each subgroup
  std::vector<SharedArray> shared_;
  std::vector<std::vector<std::uint64_t>> values_;  // by id, component and invocation
  std::vector<std::vector<double>> matrices_;       // by id, subgroup, row and column
  std::set<std::uint32_t> exchanged_;               // buffers of the program
  std::set<std::pair<std::uint32_t, KernelError>> reported_;
};

}  // namespace slipway::testing
