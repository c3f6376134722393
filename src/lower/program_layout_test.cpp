// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program_layout.hpp"

#include <gmock/gmock.h>

#include "lower/lower.hpp"
#include "lower/testing.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

using ::testing::Each;

constexpr ConstantMemory kMemories[] = {ConstantMemory::Host, ConstantMemory::Device};

// Constants that own their data: elements, a splat, and a matrix whose elements are their own offsets.
class Constants {
 public:
  Constants() {
    for (std::size_t i = 0; i < matrix_.size(); ++i) matrix_[i] = static_cast<float>(i);
    graph.constants.push_back({.data = std::as_bytes(std::span(elements_)), .graph_constant = {}});
    graph.constants.push_back({.data = std::as_bytes(std::span(splat_)), .splat = true, .graph_constant = {}});
    graph.constants.push_back({.data = std::as_bytes(std::span(matrix_)), .graph_constant = {}});
    graph.constants.push_back({.data = {}, .graph_constant = 0});
  }

  tosa::Graph graph;

 private:
  alignas(8) std::array<std::int16_t, 12> elements_{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  alignas(8) std::array<std::uint8_t, 3> splat_{7, 8, 9};
  alignas(8) std::array<float, 96> matrix_;
};

ProgramBuffer constant(std::uint32_t index, std::uint64_t size) {
  return {.kind = BufferKind::Constant, .index = index, .size = size, .packing = {}};
}

// Columns after the last one are zero; the sums of rows; rows in groups.
const std::vector<Packing> kPackings = {
    {.rows = 8, .row_stride = 12, .columns = 12, .width = 8},
    {.rows = 12, .row_stride = 1, .columns = 8, .column_stride = 12, .width = 4},
    {.rows = 8, .row_stride = 12, .columns = 12, .width = 5, .to = tensor::ElementType::F16},
    {.rows = 9,
     .row_stride = 10,
     .columns = 9,
     .width = 4,
     .from = tensor::ElementType::I8,
     .to = tensor::ElementType::I32,
     .zero = 3,
     .sums = true},
    {.rows = 10,
     .row_stride = 1,
     .columns = 7,
     .column_stride = 10,
     .width = 4,
     .from = tensor::ElementType::I8,
     .to = tensor::ElementType::I8,
     .group = 4,
     .block = 10},
};

// What memory contains before does not matter: it is not read.
std::vector<std::byte> written(const tosa::Graph& graph, const ProgramBuffer& buffer, ConstantMemory memory,
                               std::uint8_t before) {
  std::vector<std::byte> bytes(buffer.size + 1, std::byte{before});
  write_constant(graph, buffer, memory, std::span(bytes).first(buffer.size));
  EXPECT_EQ(bytes.back(), std::byte{before});
  bytes.pop_back();
  return bytes;
}

TEST(ProgramLayout, ConstantsInAllMemoriesAreEqual) {
  const Constants constants;
  std::vector<ProgramBuffer> buffers = {constant(0, 24), constant(1, 3), constant(1, 20), constant(2, 384)};
  for (const Packing& packing : kPackings) {
    buffers.push_back(constant(2, packing.size()));
    buffers.back().packing = packing;
  }
  for (const ProgramBuffer& buffer : buffers) {
    const Bytes data = constants.graph.constants[buffer.index].data;
    std::vector<std::byte> expected(buffer.size);
    if (buffer.packing) {
      pack(*buffer.packing, data, false, expected);
    } else {
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = data[i % data.size()];
    }
    for (const ConstantMemory memory : kMemories) {
      for (const std::uint8_t before : {0x00, 0x5a, 0xff})
        EXPECT_EQ(written(constants.graph, buffer, memory, before), expected)
            << formatted("constant {}, {} bytes", buffer.index, buffer.size);
    }
  }
}

TEST(ProgramLayout, ConstantsWithoutDataAreNotWritten) {
  const Constants constants;
  for (const ConstantMemory memory : kMemories)
    EXPECT_THAT(written(constants.graph, constant(3, 16), memory, 0x5a), Each(std::byte{0x5a}));
}

TEST(ProgramLayout, ConstantsThatAreReadInPlace) {
  Constants constants;
  tosa::Graph& graph = constants.graph;
  const Bytes data = graph.constants[0].data;
  const Bytes found = readable_constant(graph, constant(0, 24));
  EXPECT_EQ(found.data(), data.data());
  EXPECT_EQ(found.size(), 24u);
  EXPECT_EQ(readable_constant(graph, constant(1, 3)).size(), 3u);
  EXPECT_EQ(readable_constant(graph, constant(1, 6)).size(), 0u);
  EXPECT_EQ(readable_constant(graph, constant(3, 16)).size(), 0u);
  EXPECT_EQ(readable_constant(graph, {.kind = BufferKind::Input, .size = 24, .packing = {}}).size(), 0u);
  ProgramBuffer packed = constant(2, kPackings[0].size());
  packed.packing = kPackings[0];
  EXPECT_EQ(readable_constant(graph, packed).size(), 0u);
  graph.constants[0].data = data.subspan(4);
  EXPECT_EQ(readable_constant(graph, constant(0, 16)).size(), 0u);
  graph.constants[0].data = data.subspan(8);
  EXPECT_EQ(readable_constant(graph, constant(0, 16)).size(), 16u);
}

std::string text_of(const ConstantLayout& layout) {
  std::string text;
  for (const auto& [buffer, offset] : layout.ranges) text += formatted("{} at {}, ", buffer, offset);
  return text + formatted("{} bytes", layout.size);
}

TEST(ProgramLayout, OffsetsAreMultiplesOfTheAlignment) {
  const Constants constants;
  KernelProgram program;
  program.buffers = {{.kind = BufferKind::Input, .size = 8, .packing = {}},        constant(1, 65), constant(0, 24),
                     {.kind = BufferKind::Intermediate, .size = 8, .packing = {}}, constant(1, 64), constant(1, 6)};
  const ConstantLayout device = layout_of_constants(constants.graph, program, ConstantMemory::Device, 64);
  EXPECT_EQ(text_of(device), "1 at 0, 2 at 128, 4 at 192, 5 at 256, 320 bytes");
  // The elements are read in place.
  const ConstantLayout host = layout_of_constants(constants.graph, program, ConstantMemory::Host, 32);
  EXPECT_EQ(text_of(host), "1 at 0, 4 at 96, 5 at 160, 192 bytes");
  EXPECT_EQ(layout_of_constants(constants.graph, {}, ConstantMemory::Device, 64).size, 0u);
}

TEST(ProgramLayout, AddressesOfBuffers) {
  const std::vector<ProgramBuffer> buffers = {
      {.kind = BufferKind::Output, .index = 0, .packing = {}},
      {.kind = BufferKind::Input, .index = 1, .packing = {}},
      constant(7, 4),
      {.kind = BufferKind::Intermediate, .offset = 256, .packing = {}},
  };
  const std::vector<std::uint64_t> inputs = {10, 11}, outputs = {20}, others = {0, 0, 32, 33};
  const ProgramAddresses<std::uint64_t> with{buffers, inputs, outputs, others, 4096},
      without{buffers, inputs, outputs, others};
  const std::array<std::uint64_t, 4> in_arena = {20, 11, 32, 4352}, alone = {20, 11, 32, 33};
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(with(i), in_arena[i]);
    EXPECT_EQ(without(i), alone[i]);
  }
  const std::array<std::byte, 512> arena{};
  const ProgramAddresses<const std::byte*> pointers{buffers, {}, {}, {}, arena.data()};
  EXPECT_EQ(pointers(3), arena.data() + 256);
}

TEST(ProgramLayout, AStageHasAllDispatchesBetweenTwoBarriers) {
  KernelProgram program;
  EXPECT_TRUE(stages_of(program).empty());
  for (const std::uint32_t stage : {1, 1, 2, 5, 5, 5})
    program.dispatches.push_back({.buffers = {}, .nodes = {}, .stage = stage});
  std::string text;
  for (const ProgramStage& stage : stages_of(program)) text += formatted("{} to {}\n", stage.begin, stage.end);
  EXPECT_EQ(text, "0 to 2\n2 to 3\n3 to 6\n");
  text.clear();
  for (std::size_t i = 0; i < program.dispatches.size(); ++i) text += ends_stage(program, i) ? "end " : "- ";
  EXPECT_EQ(text, "- end end - - end ");
}

TEST(ProgramLayout, PushConstants) {
  ProgramKernel kernel{.name = {}, .spirv = {}, .bindings = 3, .exchanged = {}};
  EXPECT_EQ(push_constant_size(kernel), 0u);
  kernel.addresses = true;
  EXPECT_EQ(push_constant_size(kernel), 24u);
  EXPECT_EQ(address_offset(kernel, 2), 16u);
  kernel.linked = true;
  EXPECT_EQ(push_constant_size(kernel), 32u);
  EXPECT_EQ(address_offset(kernel, 0), 8u);
}

// Every buffer of a real program is laid out once, and its packed constants are those of its kernels.
TEST(ProgramLayout, ProgramsOfDevices) {
  const tosa::Graph graph = graph_of(
      "%0 = input f32[1, 16, 24]\n"
      "%1 = const f32[1, 24, 20] splat 2.0\n"
      "%2 = MATMUL(%0, %1) f32[1, 16, 20] A_zp=0 B_zp=0\n"
      "%3 = EXP(%2) f32[1, 16, 20]\n"
      "output %3\n"
      "output %2\n");
  for (const DeviceFacts& device : {slipway::testing::kGpu, slipway::testing::cpu_facts()}) {
    const auto program = lower_graph(graph, {.addresses_only = true, .device = device});
    ASSERT_TRUE(program);
    const ConstantLayout layout = layout_of_constants(graph, *program, ConstantMemory::Device, 256);
    ASSERT_THAT(layout.ranges, ::testing::SizeIs(1));
    EXPECT_GE(layout.size, program->buffers[layout.ranges[0].buffer].size);
    EXPECT_EQ(stages_of(*program).back().end, program->dispatches.size());
  }
}

}  // namespace
}  // namespace slipway::lower
