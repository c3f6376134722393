// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as a whole: caching, time-outs, shared memory, threads, and what is refused. That kernels compute what the
// interpreter does is tested with all others (src/model/device_tests).
#include "cpu/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp11>

#include <functional>
#include <thread>

#include "cpu/code.hpp"
#include "cpu/library.hpp"
#include "lower/kernel/kernel.hpp"
#include "lower/lower.hpp"
#include "spirv/builder.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::cpu {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCount = 1000;

// y = x * x + x, of many elements.
std::shared_ptr<const tosa::Graph> graph() {
  auto made = std::make_shared<tosa::Graph>();
  const tosa::TensorType type{tosa::DataType::F32, {10, 100}};
  const tosa::ValueId x = made->add_input(type);
  tosa::Attributes none;
  const tosa::ValueId square = made->add_node(tosa::Op::POW, {x, x}, none, {type})[0];
  made->outputs = made->add_node(tosa::Op::ADD, {square, x}, none, {type});
  return made;
}

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (compiler_file().empty()) GTEST_SKIP() << "this build has no CPU engine";
  }

  static Result<Program> make(const Cache& cache = {}, bool fuse = false) {
    const Target target = host_target();
    const auto lowered =
        lower::lower_graph(*graph(), {.fuse = fuse, .device = facts_of(target), .max_groups = kMaxGroups});
    return compile(graph(), *lowered, {.target = target, .cache = cache, .owner = nullptr});
  }

  static std::vector<float> run(const Program& program, unsigned threads) {
    std::vector<float> x(kCount), y(kCount, -1);
    for (std::size_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i % 7 + 1);
    const std::array<MutableBytes, 2> arguments = {std::as_writable_bytes(std::span(x)),
                                                   std::as_writable_bytes(std::span(y))};
    const Result<> done = program.run(arguments, {.threads = threads});
    EXPECT_TRUE(done) << (done ? "" : done.error().front().message);
    return y;
  }
};

TEST_F(ProgramTest, ThreadsComputeTheSame) {
  const Result<Program> program = make();
  ASSERT_TRUE(program) << program.error().front().message;
  const std::vector<float> one = run(*program, 1);
  EXPECT_NE(one[0], -1.F);
  for (const unsigned threads : {2U, 5U}) EXPECT_EQ(run(*program, threads), one);
  std::vector<std::vector<float>> results(4);
  {
    std::vector<std::jthread> callers;
    for (std::vector<float>& result : results) callers.emplace_back([&] { result = run(*program, 2); });
  }
  for (const std::vector<float>& result : results) EXPECT_EQ(result, one);
}

TEST_F(ProgramTest, AnOutputMayShareMemoryWithAnInput) {
  const Result<Program> program = make();
  ASSERT_TRUE(program);
  const std::vector<float> expected = run(*program, 1);
  std::vector<float> x(kCount + 3);
  for (std::size_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i % 7 + 1);
  const MutableBytes all = std::as_writable_bytes(std::span(x));
  const std::array<MutableBytes, 2> arguments = {all.first(4 * kCount), all.subspan(12)};
  ASSERT_TRUE(program->run(arguments));
  EXPECT_EQ(std::vector(x.begin() + 3, x.end()), expected);
}

TEST_F(ProgramTest, CompiledKernelsAreCachedAndBrokenEntriesAreNot) {
  const slipway::testing::ScratchDirectory scratch;
  const Cache cache(scratch.path() / "objects");
  const Result<Program> first = make(cache);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->cached_kernels(), 0U);
  EXPECT_GE(first->compiled_kernels(), 2U);
  const Result<Program> second = make(cache);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->cached_kernels(), first->compiled_kernels());
  EXPECT_EQ(second->compiled_kernels(), 0U);
  EXPECT_EQ(run(*second, 1), run(*first, 1));
  // A flipped bit.
  std::size_t flipped = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.directory())) {
    if (!entry.is_regular_file()) continue;
    std::string text = *read_text(entry.path());
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 4);
    ASSERT_TRUE(write_file(entry.path(), text));
    ++flipped;
  }
  EXPECT_GE(flipped, 2U);
  const Result<Program> third = make(cache);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->cached_kernels(), 0U);
  EXPECT_EQ(run(*third, 1), run(*first, 1));
}

TEST_F(ProgramTest, TimeOut) {
  const Result<Program> program = make();
  ASSERT_TRUE(program);
  std::vector<float> x(kCount), y(kCount);
  const std::array<MutableBytes, 2> arguments = {std::as_writable_bytes(std::span(x)),
                                                 std::as_writable_bytes(std::span(y))};
  const Result<> done = program->run(arguments, {.deadline = std::chrono::steady_clock::time_point()});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().front().kind, DiagnosticKind::TimedOut);
  EXPECT_TRUE(program->run(arguments));
}

TEST_F(ProgramTest, TimesOfDispatches) {
  const Result<Program> program = make();
  ASSERT_TRUE(program);
  std::vector<float> x(kCount), y(kCount);
  const std::array<MutableBytes, 2> arguments = {std::as_writable_bytes(std::span(x)),
                                                 std::as_writable_bytes(std::span(y))};
  std::vector<DispatchTime> times;
  ASSERT_TRUE(program->run(arguments, {.times = &times}));
  ASSERT_EQ(times.size(), program->program().dispatches.size());
  for (const DispatchTime& time : times) EXPECT_LE(time.begin, time.end);
}

// --- compiled kernels ---

// LLVM 22 stores too much where it knows that one lane is active and the elements are narrowed.
TEST_F(ProgramTest, AStoreOfOneLaneWritesOneElement) {
  std::size_t tested = 0;
  for (const Level level : {Level::Sse42, Level::Avx2, Level::Avx512, Level::Avx512Vnni}) {
    const auto target = target_of(level);
    if (!target) continue;
    for (const tensor::ElementType type : {tensor::ElementType::I8, tensor::ElementType::I16}) {
      for (std::uint32_t lane = 0; lane < target->lanes; ++lane, ++tested) {
        lower::Kernel k(
            {}, {.local_size = target->lanes, .addresses = true, .lanes = target->lanes, .native_vectors = true});
        const lower::BufferRef x = k.buffer(tensor::ElementType::I32, lower::Access::Read),
                               y = k.buffer(type, lower::Access::Write);
        const lower::Value high = k.load(x, k.local_index()) >> 8;
        k.when(k.local_index() == lane, [&] { k.store(y, k.local_index(), high); });
        const auto module = spirv::read_module(k.finish(), "store");
        ASSERT_TRUE(module);
        const auto object = (*load_compiler())->compile(*module, *target, 2);
        ASSERT_TRUE(object) << object.error().front().message;
        const auto code = load_code(*object);
        ASSERT_TRUE(code);
        const std::size_t size = tensor::size_of(type), at = lane * size;
        std::vector<std::int32_t> from(target->lanes, 0x03030303);
        std::vector<std::uint8_t> to(2 * target->lanes * size, 0xee), expected = to;
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), size, std::uint8_t{3});
        const std::array<const void*, 2> buffers = {from.data(), to.data()};
        code->function()(buffers.data(), 0, 1, 1);
        EXPECT_EQ(to, expected) << kLevelNames[static_cast<std::size_t>(level)] << ", lane " << lane << ", " << size
                                << " bytes";
      }
    }
  }
  EXPECT_GE(tested, 8U);
}

// --- what is refused ---

std::string refusal(const spirv::Words& words) {
  const auto module = spirv::read_module(words, "odd");
  if (!module) return module.error().front().message;
  const auto compiler = load_compiler();
  const auto object = (*compiler)->compile(*module, host_target(), 1);
  if (object) return "";
  EXPECT_EQ(object.error().front().kind, DiagnosticKind::Unsupported);
  return object.error().front().message;
}

// A kernel whose body is that of `fill`.
spirv::Words kernel(const std::function<void(spirv::Builder&)>& fill) {
  spirv::Builder b;
  b.capability(spv::Capability::Shader);
  b.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);
  const spirv::Id nothing = b.type_void();
  const spirv::Id main = b.begin_function(nothing, b.type_function(nothing, {}));
  b.label();
  fill(b);
  b.op_void(spv::Op::OpReturn);
  b.end_function();
  b.entry_point(spv::ExecutionModel::GLCompute, main, "main", {});
  b.execution_mode(main, spv::ExecutionMode::LocalSize, {64, 1, 1});
  return b.words();
}

TEST_F(ProgramTest, UnknownInstructionsAreRefusedByName) {
  EXPECT_EQ(refusal(kernel([](spirv::Builder&) {})), "");
  EXPECT_THAT(refusal(kernel(
                  [](spirv::Builder& b) { b.op(spv::Op::OpBitReverse, b.type_int(32, false), {b.constant_u32(3)}); })),
              HasSubstr("kernel `odd`: the CPU engine does not know the instruction OpBitReverse"));
  EXPECT_THAT(refusal(kernel([](spirv::Builder& b) { b.capability(spv::Capability::Kernel); })),
              HasSubstr("the capability Kernel"));
  EXPECT_THAT(refusal(kernel([](spirv::Builder& b) {
                b.variable(b.type_pointer(spv::StorageClass::Workgroup, b.type_int(32, false)),
                           spv::StorageClass::Workgroup);
              })),
              HasSubstr("the storage class Workgroup"));
  EXPECT_THAT(refusal(kernel([](spirv::Builder& b) {
                const spirv::Id two = b.constant_u32(2);
                b.op_void(spv::Op::OpControlBarrier, {two, two, two});
              })),
              HasSubstr("OpControlBarrier"));
}

TEST_F(ProgramTest, ProductsOfBytesNeedACpuThatHasThem) {
  const spirv::Words words = kernel([](spirv::Builder& b) {
    b.capability(spv::Capability::DotProduct);
    b.capability(spv::Capability::DotProductInput4x8BitPacked);
    const spirv::Id two = b.constant_u32(2);
    b.op(spv::Op::OpSUDot, b.type_int(32, true), {two, two, 0});
  });
  const auto module = spirv::read_module(words, "dots");
  ASSERT_TRUE(module);
  for (const Level level : {Level::Sse42, Level::Avx2, Level::Avx512, Level::Avx512Vnni}) {
    const auto target = target_of(level);
    if (!target) continue;
    const auto object = (*load_compiler())->compile(*module, *target, 1);
    EXPECT_EQ(object.has_value(), target->has_dot_products);
    if (!object) {
      EXPECT_THAT(object.error().front().message, HasSubstr("OpSUDot"));
    }
  }
}

TEST(Code, DamagedObjectsAreRefused) {
  EXPECT_FALSE(load_code({}));
  if (compiler_file().empty()) GTEST_SKIP() << "this build has no CPU engine";
  const auto module = spirv::read_module(kernel([](spirv::Builder&) {}), "empty");
  const auto object = (*load_compiler())->compile(*module, host_target(), 1);
  ASSERT_TRUE(object) << object.error().front().message;
  EXPECT_TRUE(load_code(*object));
  for (std::size_t size = 0; size < object->size(); size += 7) {
    static_cast<void>(load_code(Bytes(*object).first(size)));
    std::vector<std::byte> changed = *object;
    changed[size] ^= std::byte{0xff};
    static_cast<void>(load_code(changed));
  }
  EXPECT_FALSE(load_code(Bytes(*object).first(100)));
}

TEST(Target, LevelsHaveLanes) {
  const auto sse = target_of(Level::Sse42), avx2 = target_of(Level::Avx2), avx512 = target_of(Level::Avx512);
  if (sse) {
    EXPECT_EQ(sse->lanes, 4U);
  }
  if (avx2) {
    EXPECT_EQ(avx2->lanes, 8U);
  }
  if (avx512) {
    EXPECT_EQ(avx512->lanes, 16U);
  }
  if (avx512) {
    EXPECT_FALSE(avx512->has_dot_products);
  }
  if (const auto vnni = target_of(Level::Avx512Vnni)) {
    EXPECT_EQ(vnni->lanes, 16U);
    EXPECT_TRUE(vnni->has_dot_products);
  }
  EXPECT_GE(default_threads(), 1U);
  EXPECT_FALSE(host_name().empty());
}

}  // namespace
}  // namespace slipway::cpu
