// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter of kernels reports: kernels that are wrong on purpose, each with what makes it right.
#include "testing/kernel/interpreter.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KernelError;
using testing::KernelFinding;

constexpr std::int64_t kCount = 128;  // elements of each buffer, two workgroups
constexpr std::uint32_t kSubgroup = 32;

auto finding(KernelError error, std::string_view text) {
  return AllOf(Field(&KernelFinding::error, error), Field(&KernelFinding::text, HasSubstr(text)));
}

// Kernels that read and write buffers of ints: an input, two buffers of one arena, an output.
class KernelInterpreter : public ::testing::Test {
 protected:
  enum BufferIndex : std::uint32_t { kIn, kFirst, kSecond, kOut };

  KernelInterpreter() {
    constexpr std::uint64_t kSize = kCount * sizeof(std::int32_t);
    program_.buffers = {{.kind = BufferKind::Input, .size = kSize},
                        {.size = kSize},
                        {.size = kSize, .offset = kSize},
                        {.kind = BufferKind::Output, .size = kSize}};
    program_.arena_size = 2 * kSize;
    std::iota(input_.begin(), input_.end(), 0);
  }

  using Body = std::function<void(Kernel&, BufferRef, BufferRef)>;
  void dispatch(std::uint32_t from, std::uint32_t to, std::uint32_t stage, const Body& body, Grid grid = {}) {
    Kernel kernel({}, grid);
    const BufferRef read = kernel.buffer(ElementType::I32, Access::Read);
    const BufferRef write = kernel.buffer(ElementType::I32, Access::Write);
    body(kernel, read, write);
    program_.kernels.push_back({.name = "TEST",
                                .spirv = std::make_shared<const Words>(kernel.finish()),
                                .bindings = 2,
                                .addresses = grid.addresses});
    program_.dispatches.push_back({.kernel = static_cast<std::uint32_t>(program_.dispatches.size()),
                                   .buffers = {from, to},
                                   .groups = {kCount / kLocalSize, 1, 1},
                                   .stage = stage});
  }
  std::vector<KernelFinding> run() {
    const Bytes input = std::as_bytes(std::span(input_));
    testing::Interpreted result = testing::interpret({}, program_, std::array{input}, kSubgroup);
    output_.resize(kCount);
    std::memcpy(output_.data(), result.outputs.at(0).data(), result.outputs[0].size());
    return std::move(result.findings);
  }
  std::vector<std::string> divergences() const { return testing::divergences(program_.kernels.at(0)); }

  KernelProgram program_;
  std::array<std::int32_t, kCount> input_{};
  std::vector<std::int32_t> output_;
};

void copy(Kernel& k, BufferRef from, BufferRef to) {
  const Value i = k.element_index();
  k.store(to, i, k.load(from, i));
}

TEST_F(KernelInterpreter, ComputesWhatTheKernelsSay) {
  for (const bool addresses : {false, true}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kIn, kFirst, 0, copy, {.addresses = addresses});
    dispatch(kFirst, kOut, 1,
             [](Kernel& k, BufferRef from, BufferRef to) {
               const Value i = k.element_index();
               const Variable sum = k.variable(k.integer(0));
               k.loop(i & 3, [&](Value n) { k.set(sum, k.get(sum) + k.load(from, i) * (n + 1)); });
               k.when(k.get(sum) < 0, [&] { k.set(sum, k.integer(-1)); });
               k.store(to, i, k.get(sum));
             },
             {.addresses = addresses});
    EXPECT_THAT(run(), IsEmpty());
    for (std::int32_t i = 0; i < kCount; ++i) {
      const std::int32_t times = i & 3;
      EXPECT_EQ(output_[i], i * times * (times + 1) / 2);
    }
  }
}

TEST_F(KernelInterpreter, TwoInvocationsWriteOneElement) {
  dispatch(kIn, kOut, 0, [](Kernel& k, BufferRef from, BufferRef to) {
    copy(k, from, to);
    k.store(to, k.element_index() & -2, k.load(from, k.element_index()));
  });
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::TwoWriters,
                                         "TEST, dispatch 0, workgroup 0, invocation 1: OpStore at word ")));
}

TEST_F(KernelInterpreter, TwoDispatchesOfAStageWriteOneElement) {
  dispatch(kIn, kOut, 0, copy);
  dispatch(kIn, kOut, 0, [](Kernel& k, BufferRef, BufferRef to) { k.store(to, k.element_index(), k.integer(7)); });
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::TwoWriters, "dispatch 1")));
  program_.dispatches[1].stage = 1;
  EXPECT_THAT(run(), IsEmpty());
}

// At the end of a row, an element may be computed twice.
TEST_F(KernelInterpreter, TwoInvocationsWriteTheSame) {
  dispatch(kIn, kOut, 0, [](Kernel& k, BufferRef from, BufferRef to) {
    const Value i = k.min(k.element_index() + 5, k.integer(kCount - 1));
    k.store(to, k.element_index(), k.load(from, k.element_index()));
    k.store(to, i, k.load(from, i));
  });
  EXPECT_THAT(run(), IsEmpty());
}

TEST_F(KernelInterpreter, AccessesOutsideABuffer) {
  for (const bool addresses : {false, true}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kIn, kOut, 0,
             [](Kernel& k, BufferRef from, BufferRef to) {
               const Value i = k.element_index();
               k.store(to, i, k.load(from, i - 1) + k.load(from, i + 2));
             },
             {.addresses = addresses});
    EXPECT_THAT(run(), ElementsAre(finding(KernelError::OutsideBuffer, "4 bytes at offset -4 of buffer 0"),
                                   finding(KernelError::OutsideBuffer, "4 bytes at offset 512 of buffer 0")));
  }
}

TEST_F(KernelInterpreter, StoresToAnInput) {
  dispatch(kIn, kOut, 0, copy);
  program_.dispatches[0].buffers = {kOut, kIn};
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotWritten, "offset 0 of buffer 3"),
                                 finding(KernelError::OutsideBuffer, "changes constant buffer 0"),
                                 finding(KernelError::NotWritten, "nothing wrote offset 0 of output 0")));
}

TEST_F(KernelInterpreter, ReadsWhatNothingWrote) {
  dispatch(kIn, kFirst, 0, copy);
  dispatch(kSecond, kOut, 1, copy);
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotWritten, "dispatch 1")));
  // The memory was written, as another buffer.
  program_.buffers[kSecond].offset = 0;
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotWritten, "dispatch 1")));
  program_.dispatches[1].buffers[0] = kFirst;
  EXPECT_THAT(run(), IsEmpty());
}

// What is read only to be multiplied by zero need not be there.
TEST_F(KernelInterpreter, ReadsWhatHasNoEffect) {
  for (const std::int64_t factor : {0, 1}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kSecond, kOut, 0, [&](Kernel& k, BufferRef from, BufferRef to) {
      const Value i = k.element_index();
      k.store(to, i, k.load(from, i) * (k.groups_deep() - 1 + factor));
    });
    EXPECT_EQ(run().size(), static_cast<std::size_t>(factor));
  }
}

TEST_F(KernelInterpreter, OutputsAreWrittenCompletely) {
  dispatch(kIn, kOut, 0, copy);
  program_.dispatches[0].groups[0] = 1;
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotWritten, "nothing wrote offset 256 of output 0")));
}

TEST_F(KernelInterpreter, ADispatchReadsWhatAnotherOneOfItsStageWrites) {
  dispatch(kIn, kFirst, 0, copy);
  dispatch(kFirst, kOut, 0, copy);
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::MissingBarrier, "of buffer 1, which another invocation writes")));
}

TEST_F(KernelInterpreter, NoBarrierBetweenPhasesOfSharedMemory) {
  for (const bool before : {true, false}) {
    for (const bool after : {true, false}) {
      program_.kernels.clear();
      program_.dispatches.clear();
      dispatch(kIn, kOut, 0, [&](Kernel& k, BufferRef from, BufferRef to) {
        const SharedRef shared = k.shared(Scalar::Int, kLocalSize);
        const Value i = k.element_index(), local = k.local_index();
        const Variable sum = k.variable(k.integer(0));
        k.loop(k.integer(2), [&](Value round) {
          k.store(shared, local, k.load(from, i) + round);
          if (before) k.barrier();
          k.set(sum, k.get(sum) + k.load(shared, k.integer(kLocalSize - 1) - local));
          if (after) k.barrier();
        });
        k.store(to, i, k.get(sum));
      });
      EXPECT_THAT(divergences(), IsEmpty());
      // In the second round invocations store what others still read.
      std::vector<::testing::Matcher<KernelFinding>> expected;
      if (!before) expected.push_back(finding(KernelError::MissingBarrier, "which another invocation writes"));
      if (!after) expected.push_back(finding(KernelError::MissingBarrier, "which another invocation reads"));
      EXPECT_THAT(run(), ElementsAreArray(expected));
    }
  }
}

TEST_F(KernelInterpreter, ABarrierOfASubgroupOrdersNoOthers) {
  for (const std::int64_t distance : {std::int64_t{kSubgroup} - 1, std::int64_t{kLocalSize} - 1}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kIn, kOut, 0, [&](Kernel& k, BufferRef from, BufferRef to) {
      const SharedRef shared = k.shared(Scalar::Int, kLocalSize);
      const Value i = k.element_index(), local = k.local_index();
      k.store(shared, local, k.load(from, i));
      k.subgroup_barrier();
      k.store(to, i, k.load(shared, local ^ k.integer(distance)));
    });
    if (distance < kSubgroup)
      EXPECT_THAT(run(), IsEmpty());
    else
      EXPECT_THAT(run(), ElementsAre(finding(KernelError::MissingBarrier, "OpLoad")));
  }
}

TEST_F(KernelInterpreter, ABarrierThatSomeInvocationsExecute) {
  dispatch(kIn, kOut, 0, [](Kernel& k, BufferRef from, BufferRef to) {
    copy(k, from, to);
    k.when(k.local_index() < 40, [&] { k.barrier(); });
    k.when(k.local_index() < 40, [&] { k.subgroup_barrier(); });
    k.when(k.group_index() < 1, [&] { k.barrier(); });
  });
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotUniform, "invocation 0: OpControlBarrier"),
                                 finding(KernelError::NotUniform, "invocation 32: OpControlBarrier")));
  EXPECT_THAT(divergences(), ElementsAre(HasSubstr("not all invocations of a workgroup"),
                                         HasSubstr("not all invocations of a subgroup")));
}

// A stage counts its workgroups, and the next one waits for them.
TEST_F(KernelInterpreter, ALinkedKernelWaitsForWorkgroups) {
  for (const std::uint32_t awaited : {1, 2, 3}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kIn, kFirst, 0, [](Kernel& k, BufferRef, BufferRef to) { k.store(to, k.element_index(), k.integer(0)); });
    for (const std::uint32_t stage : {1, 2}) {
      Kernel kernel({}, {.addresses = true, .vulkan_memory_model = true, .linked = true});
      const BufferRef waits = kernel.buffer(ElementType::U32, Access::Exchange);
      const BufferRef counts = kernel.buffer(ElementType::U32, Access::Exchange);
      const BufferRef read = kernel.buffer(ElementType::I32, Access::Read);
      const BufferRef write = kernel.buffer(ElementType::I32, Access::Write);
      kernel.wait_for_stage(waits);
      copy(kernel, read, write);
      kernel.count_for_stage(counts);
      program_.kernels.push_back({.name = "LINKED",
                                  .spirv = std::make_shared<const Words>(kernel.finish()),
                                  .bindings = 4,
                                  .exchanged = {0, 1},
                                  .addresses = true,
                                  .linked = true});
      program_.dispatches.push_back(
          {.kernel = stage,
           .buffers = {kFirst, kFirst, stage == 1 ? kIn : kSecond, stage == 1 ? kSecond : kOut},
           .groups = {kCount / kLocalSize, 1, 1},
           .stage = stage,
           .link = {.waits_at = 4, .counts_at = stage * 4, .counts = stage == 1}});
    }
    program_.dispatches.back().link.workgroups = awaited;
    if (awaited == kCount / kLocalSize)
      EXPECT_THAT(run(), IsEmpty());
    else
      EXPECT_THAT(run(), ElementsAre(finding(KernelError::WaitsForever, "LINKED, dispatch 2")));
    EXPECT_TRUE(std::ranges::equal(output_, input_));
  }
}

// The last workgroup that asks at a counter reads what the others wrote.
TEST_F(KernelInterpreter, WhatOtherWorkgroupsOfADispatchWrote) {
  for (const bool asks : {true, false}) {
    program_.kernels.clear();
    program_.dispatches.clear();
    dispatch(kIn, kFirst, 0, [](Kernel& k, BufferRef, BufferRef to) { k.store(to, k.element_index(), k.integer(0)); });
    Kernel kernel({}, {.addresses = true, .vulkan_memory_model = true});
    const BufferRef counters = kernel.buffer(ElementType::U32, Access::Exchange);
    const BufferRef parts = kernel.buffer(ElementType::I32, Access::Exchange);
    const BufferRef write = kernel.buffer(ElementType::I32, Access::Write);
    const Value i = kernel.element_index();
    kernel.store(parts, i, i * 3);
    constexpr std::int64_t kGroups = kCount / kLocalSize;
    const Value is_last = asks ? kernel.is_last_of(counters, kernel.integer(0), kGroups)
                               : kernel.group_index() == kernel.integer(kGroups - 1);
    kernel.when(is_last, [&] {
      kernel.loop(kernel.integer(kGroups), [&](Value group) {
        const Value at = group * kLocalSize + kernel.local_index();
        kernel.store(write, at, kernel.load(parts, at));
      });
    });
    program_.kernels.push_back({.name = "PARTS",
                                .spirv = std::make_shared<const Words>(kernel.finish()),
                                .bindings = 3,
                                .exchanged = {0, 1},
                                .addresses = true});
    program_.dispatches.push_back(
        {.kernel = 1, .buffers = {kFirst, kSecond, kOut}, .groups = {kGroups, 1, 1}, .stage = 1});
    if (asks)
      EXPECT_THAT(run(), IsEmpty());
    else
      EXPECT_THAT(run(), ElementsAre(finding(KernelError::MissingBarrier, "PARTS, dispatch 1, workgroup 1")));
    for (std::int32_t at = 0; at < kCount; ++at) EXPECT_EQ(output_[at], 3 * at);
  }
}

// Which subgroup it is differs in a workgroup, but not in a subgroup.
TEST_F(KernelInterpreter, ABarrierThatSomeSubgroupsExecute) {
  dispatch(kIn, kOut, 0, [](Kernel& k, BufferRef from, BufferRef to) {
    copy(k, from, to);
    k.when(k.subgroup_index() < 1, [&] {
      k.subgroup_barrier();
      k.barrier();
    });
  });
  EXPECT_THAT(run(), ElementsAre(finding(KernelError::NotUniform, "OpControlBarrier")));
  EXPECT_THAT(divergences(), ElementsAre(HasSubstr("not all invocations of a workgroup")));
}

}  // namespace
}  // namespace slipway::lower
