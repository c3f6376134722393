// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as a whole: caching, time-outs, shared memory, threads, and what is refused. That kernels compute what the
// interpreter does is tested with all others (src/model/device_tests).
#include "cpu/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp11>

#include <functional>
#include <thread>

#include "base/format.hpp"
#include "cpu/code.hpp"
#include "cpu/kernel_store.hpp"
#include "cpu/library.hpp"
#include "lower/kernel/kernel.hpp"
#include "lower/lower.hpp"
#include "platform/process.hpp"
#include "spirv/builder.hpp"
#include "testing/cpu_levels.hpp"
#include "testing/kernel/interpreter.hpp"
#include "testing/scratch_directory.hpp"
#include "tosa/text.hpp"

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

  static lower::KernelProgram lowered(const Target& target, bool fuse = false) {
    return *lower::lower_graph(*graph(), {.fuse = fuse, .device = facts_of(target), .max_groups = kMaxGroups});
  }
  static Result<Program> make(const Cache& cache = {}, bool fuse = false) {
    const Target target = host_target();
    return compile(graph(), lowered(target, fuse), {.target = target, .cache = cache, .owner = nullptr});
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

TEST_F(ProgramTest, ACacheThatAnotherMachineFilledHasAllKernels) {
  const slipway::testing::ScratchDirectory scratch;
  const Cache cache(scratch.path() / "objects");
  const Target target = host_target();
  ASSERT_TRUE(compile_into_cache(lowered(target), {.target = target, .cache = cache}));
  const Result<Program> program = make(cache);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->compiled_kernels(), 0U);
  EXPECT_EQ(program->cached_kernels(), lowered(target).kernels.size());
  EXPECT_EQ(run(*program, 1), run(*make(), 1));
  EXPECT_EQ(make(cache, true)->cached_kernels(), 0U);  // another kernel

  ASSERT_TRUE(write_file(scratch.path() / "file", "not a directory"));
  const Result<> unwritable =
      compile_into_cache(lowered(target), {.target = target, .cache = Cache(scratch.path() / "file" / "objects")});
  ASSERT_FALSE(unwritable);
  EXPECT_EQ(unwritable.error().front().kind, DiagnosticKind::FileUnwritable);
}

// Not for this machine: what is not loaded counts as missing there.
TEST_F(ProgramTest, KernelsAreCompiledForEachLevelOfTheGeneratorsThatThereAre) {
  const slipway::testing::ScratchDirectory scratch;
  std::size_t compiled = 0;
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i) {
    const auto level = static_cast<Level>(i);
    const Target target = any_target_of(level);
    const Cache cache(scratch.path() / std::string(kLevelNames[i]));
    const Result<> done = compile_into_cache(lowered(target), {.target = target, .cache = cache});
    if (!done) {
      EXPECT_NE(architecture_of(level), host_target().architecture);
      EXPECT_THAT(done.error().front().message, HasSubstr("no code generator for that architecture"));
      continue;
    }
    ++compiled;
    std::size_t entries = 0;
    for (const auto& entry : std::filesystem::directory_iterator(cache.directory())) entries += entry.is_regular_file();
    EXPECT_EQ(entries, lowered(target).kernels.size()) << kLevelNames[i];
    if (level != host_level()) {
      EXPECT_EQ(make(cache)->cached_kernels(), 0U) << kLevelNames[i];
    }
  }
  EXPECT_GE(compiled, std::size(slipway::testing::kLevels));
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
  for (const Level level : slipway::testing::kLevels) {
    const auto target = slipway::testing::emulated_target_of(level);
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

// --- matrices ---

// The first level with matrices of this architecture, and the one before it.
#if defined(__aarch64__)
constexpr Level kWithMatrices = Level::I8mm, kWithoutMatrices = Level::DotProd;
#else
constexpr Level kWithMatrices = Level::Amx, kWithoutMatrices = Level::Avx512Vnni;
#endif

constexpr std::int64_t kRows = 37, kProducts = 70, kChannels = 40, kZero = -5;
std::int64_t element_of_a(std::int64_t row, std::int64_t product) { return (row * 31 + product * 7) % 256 - 128; }
std::int64_t element_of_b(std::int64_t product, std::int64_t channel) {
  return (product * 13 + channel * 5) % 255 - 127;
}

// A product of 8-bit integers with a constant.
std::shared_ptr<const tosa::Graph> product_of_bytes(std::int64_t zero_of_b = 0, std::int64_t channels = kChannels,
                                                    std::int64_t products = kProducts) {
  std::string numbers;
  for (std::int64_t product = 0; product < products; ++product) {
    for (std::int64_t channel = 0; channel < channels; ++channel)
      numbers += formatted("{}{}", numbers.empty() ? "" : ", ", element_of_b(product, channel));
  }
  const std::string text = formatted(
      "graph g {{\n  %0 = input i8[1, {}, {}]\n  %1 = const i8[1, {}, {}] [{}]\n  %2 = MATMUL(%0, %1) i32[1, {}, {}] "
      "A_zp={} B_zp={}\n  output %2\n}}\n",
      kRows, products, products, channels, numbers, kRows, channels, kZero, zero_of_b);
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source("product", text), diagnostics);
  if (!graph) throw std::runtime_error(diagnostics.all().front().message);
  return std::make_shared<const tosa::Graph>(std::move(*graph));
}

std::vector<std::int8_t> rows_of_a() {
  std::vector<std::int8_t> a(kRows * kProducts);
  for (std::int64_t i = 0; i < std::ssize(a); ++i)
    a[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(element_of_a(i / kProducts, i % kProducts));
  return a;
}

std::vector<std::int32_t> sums_of_products(std::int64_t zero_of_b = 0, std::int64_t channels = kChannels) {
  std::vector<std::int32_t> sums;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < kProducts; ++i)
        sum += (element_of_a(row, i) - kZero) * (element_of_b(i, channel) - zero_of_b);
      sums.push_back(static_cast<std::int32_t>(sum));
    }
  }
  return sums;
}

// The configuration of this thread.
std::array<std::uint8_t, 64> configuration_of_tiles() {
  std::array<std::uint8_t, 64> configuration{};
#if defined(__x86_64__)
  asm volatile("sttilecfg %0" : "=m"(configuration) : : "memory");
#endif
  return configuration;
}

// The factors of bytes are matrices, words, or pairs, which have other instructions on each architecture and level.
TEST_F(ProgramTest, ProductsOfBytesAreCompiledForEachLevelOfTheGeneratorsThatThereAre) {
  const slipway::testing::ScratchDirectory scratch;
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i) {
    const Target target = any_target_of(static_cast<Level>(i));
    for (const auto& graph : {product_of_bytes(0), product_of_bytes(3), product_of_bytes(0, kChannels, 3)}) {
      const auto program = lower::lower_graph(*graph, {.device = facts_of(target), .max_groups = kMaxGroups});
      ASSERT_TRUE(program);
      const Result<> done = compile_into_cache(*program, {.target = target, .cache = Cache(scratch.path())});
      if (!done) {
        EXPECT_NE(target.architecture, host_target().architecture);
        EXPECT_THAT(done.error().front().message, HasSubstr("no code generator for that architecture"));
      }
    }
  }
}

TEST_F(ProgramTest, ProductsOfBytesAreExactOnEachLevel) {
  std::vector<std::int8_t> a = rows_of_a();
  std::size_t tested = 0;
  for (const Level level : slipway::testing::kLevels) {
    const auto target = slipway::testing::emulated_target_of(level);
    if (!target) continue;
    for (const std::int64_t zero : {0, 3}) {
      SCOPED_TRACE(formatted("{}, {}", kLevelNames[static_cast<std::size_t>(level)], zero));
      const auto graph = product_of_bytes(zero);
      const auto lowered = lower::lower_graph(*graph, {.device = facts_of(*target), .max_groups = kMaxGroups});
      ASSERT_TRUE(lowered);
      const Result<Program> program = compile(graph, *lowered, {.target = *target, .cache = {}, .owner = nullptr});
      ASSERT_TRUE(program) << program.error().front().message;
      std::vector<std::int32_t> sums(kRows * kChannels, -1);
      const std::array<MutableBytes, 2> arguments = {std::as_writable_bytes(std::span(a)),
                                                     std::as_writable_bytes(std::span(sums))};
      ASSERT_TRUE(program->run(arguments, {.threads = 1}));
      EXPECT_EQ(sums, sums_of_products(zero));
      ++tested;
    }
  }
  EXPECT_GE(tested, 2U);
}

// Also those of the other architecture. The channels are 23 vectors of four lanes, which no tile of several divides.
TEST_F(ProgramTest, KernelsForEachLevelAreExactInTheInterpreter) {
  constexpr std::int64_t kOddChannels = 92;
  const std::vector<std::int8_t> a = rows_of_a();
  const std::array<Bytes, 1> inputs = {std::as_bytes(std::span(a))};
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i) {
    const Target target = any_target_of(static_cast<Level>(i));
    for (const std::int64_t zero : {0, 3}) {
      SCOPED_TRACE(formatted("{}, {}", kLevelNames[i], zero));
      const auto graph = product_of_bytes(zero, kOddChannels);
      const auto program = lower::lower_graph(*graph, {.device = facts_of(target), .max_groups = kMaxGroups});
      ASSERT_TRUE(program);
      const auto result = slipway::testing::interpret(*graph, *program, inputs, target.lanes);
      EXPECT_TRUE(result.findings.empty());
      const auto expected = sums_of_products(zero, kOddChannels);
      ASSERT_EQ(result.outputs.size(), 1U);
      EXPECT_TRUE(std::ranges::equal(result.outputs[0], std::as_bytes(std::span(expected))));
    }
  }
}

// A word of A is a lane of a vector, and no instruction copies it to all lanes or flips its signs.
TEST_F(ProgramTest, FactorsAreLanesOnAArch64) {
  const Target target = any_target_of(Level::DotProd);
  const auto program =
      lower::lower_graph(*product_of_bytes(0, kChannels, 64), {.device = facts_of(target), .max_groups = kMaxGroups});
  ASSERT_TRUE(program);
  const lower::ProgramKernel& kernel = program->kernels.back();
  const auto module = spirv::read_module(spirv::Words(*kernel.spirv), kernel.name);
  ASSERT_TRUE(module);
  const auto text = (*load_compiler())->print(*module, target, kernel.bindings, true);
  if (!text && text.error().front().message.contains("no code generator")) GTEST_SKIP() << text.error().front().message;
  ASSERT_TRUE(text) << text.error().front().message;
  std::size_t products = 0, of_lanes = 0;
  for (std::size_t at = text->find("\tsdot\t"); at != text->npos; at = text->find("\tsdot\t", at + 1)) {
    ++products;
    if (text->substr(at, text->find('\n', at) - at).contains(".4b[")) ++of_lanes;
  }
  EXPECT_GT(products, 40U);
  EXPECT_EQ(of_lanes, products);
}

TEST_F(ProgramTest, ProductsOfMatrices) {
  const auto target = slipway::testing::emulated_target_of(kWithMatrices);
  if (!target) GTEST_SKIP() << "this CPU has no AVX-512 VNNI, or no I8MM and BF16";
  const auto graph = product_of_bytes();
  const auto lowered = lower::lower_graph(*graph, {.device = facts_of(*target), .max_groups = kMaxGroups});
  ASSERT_TRUE(lowered);
  const Result<Program> program = compile(graph, *lowered, {.target = *target, .cache = {}, .owner = nullptr});
  ASSERT_TRUE(program) << program.error().front().message;
  std::vector<std::int8_t> a = rows_of_a();
  const std::vector<std::int32_t> expected = sums_of_products();
  const std::uint64_t before = slipway::testing::emulated_instructions();
  for (const unsigned threads : {1U, 3U}) {
    std::vector<std::int32_t> sums(expected.size(), -1);
    const std::array<MutableBytes, 2> arguments = {std::as_writable_bytes(std::span(a)),
                                                   std::as_writable_bytes(std::span(sums))};
    ASSERT_TRUE(program->run(arguments, {.threads = threads}));
    EXPECT_EQ(sums, expected);
    // Nothing of a kernel stays in the thread.
    EXPECT_EQ(configuration_of_tiles(), (std::array<std::uint8_t, 64>{}));
  }
  const bool native = !target->has_tiles || slipway::testing::is_native(slipway::testing::InstructionSet::Amx);
  EXPECT_EQ(slipway::testing::emulated_instructions() > before + 100, !native);
  // Other levels have no matrices.
  const auto module = spirv::read_module(spirv::Words(*lowered->kernels.back().spirv), "tiles");
  ASSERT_TRUE(module);
  const auto refused = (*load_compiler())->compile(*module, any_target_of(kWithoutMatrices), 4);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().front().message, HasSubstr("a variable of this type of matrices"));
}

// Products of matrices in vectors: SMMLA and BFMMLA, also where the rows are odd.
TEST_F(ProgramTest, FormsOfMatricesInVectors) {
  using enum tensor::ElementType;
  using lower::MatrixUse;
  const Target target = any_target_of(Level::I8mm);
  struct Wanted {
    tensor::ElementType factors, sum;
    std::uint32_t rows, products, columns, instructions;
  };
  const auto assembly = [&](const Wanted& wanted) -> Result<std::string> {
    lower::Kernel k({}, {.local_size = target.lanes,
                         .addresses = true,
                         .lanes = target.lanes,
                         .vulkan_memory_model = true,
                         .native_vectors = true});
    const lower::BufferRef a = k.buffer(wanted.factors, lower::Access::Read), b = k.buffer(I32, lower::Access::Read),
                           to = k.buffer(wanted.sum, lower::Access::Write);
    const lower::MatrixVariable sum =
        k.matrix_variable(k.matrix_type(wanted.sum, wanted.rows, wanted.columns, MatrixUse::Sum));
    const lower::Matrix of_a = k.load_matrix(k.matrix_type(wanted.factors, wanted.rows, wanted.products, MatrixUse::A),
                                             k.pointer(a, k.integer(0)), 0, 64, lower::MatrixOrder::ByRow);
    const lower::Matrix of_b =
        k.load_matrix(k.matrix_type(wanted.factors, wanted.products, wanted.columns, MatrixUse::B),
                      k.pointer(b, k.integer(0)), 0, 2, lower::MatrixOrder::ByColumn);
    k.set(sum, k.multiply_add(of_a, of_b, k.get(sum)));
    k.store_matrix(to, k.integer(0), k.get(sum), target.lanes);
    SLIPWAY_TRY(const spirv::Module module, spirv::read_module(k.finish(), "matrices"));
    return (*load_compiler())->print(module, target, 3, true);
  };
  if (const auto probe = assembly({I8, I32, 4, 8, 4, 0});
      !probe && probe.error().front().message.contains("no code generator"))
    GTEST_SKIP() << probe.error().front().message;
  const auto count = [](std::string_view text, std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  for (const Wanted& wanted : {Wanted{I8, I32, 4, 8, 4, 4}, Wanted{I8, I32, 3, 8, 4, 4}, Wanted{I8, I32, 1, 8, 4, 2},
                               Wanted{BF16, F32, 4, 4, 4, 4}, Wanted{BF16, F32, 2, 4, 4, 2}}) {
    SCOPED_TRACE(formatted("{} rows, {} products", wanted.rows, wanted.products));
    const auto text = assembly(wanted);
    ASSERT_TRUE(text) << text.error().front().message;
    EXPECT_EQ(count(*text, wanted.factors == I8 ? "smmla" : "bfmmla"), wanted.instructions) << *text;
  }
  for (const Wanted& wanted : {Wanted{I8, I32, 17, 8, 4, 0}, Wanted{I8, I32, 4, 16, 4, 0}, Wanted{I8, I32, 4, 4, 4, 0},
                               Wanted{I8, I32, 4, 8, 8, 0}, Wanted{F16, F32, 4, 4, 4, 0}}) {
    SCOPED_TRACE(formatted("{} rows, {} products, {} columns", wanted.rows, wanted.products, wanted.columns));
    EXPECT_FALSE(assembly(wanted));
  }
}

// Matrices are refused in forms that `lower` does not make.
TEST_F(ProgramTest, FormsOfMatrices) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "a build for another architecture need not have the code generator for AMX";
#endif
  using enum tensor::ElementType;
  using lower::MatrixUse;
  const Target target = any_target_of(Level::Amx);
  struct Matrices {
    lower::Kernel& k;
    lower::Pointer bytes, words;
    lower::MatrixType a, b, sum;
    lower::Matrix load_a() { return k.load_matrix(a, bytes, 0, 64, lower::MatrixOrder::ByRow); }
    lower::Matrix load_b() { return k.load_matrix(b, words, 0, 16, lower::MatrixOrder::ByWords); }
  };
  const auto message = [&](const std::function<void(Matrices&)>& fill) -> std::string {
    lower::Kernel k({}, {.local_size = target.lanes,
                         .addresses = true,
                         .lanes = target.lanes,
                         .vulkan_memory_model = true,
                         .native_vectors = true});
    const lower::BufferRef bytes = k.buffer(I8, lower::Access::Read), words = k.buffer(I32, lower::Access::Read);
    Matrices matrices{k,
                      k.pointer(bytes, k.integer(0)),
                      k.pointer(words, k.integer(0)),
                      k.matrix_type(I8, 16, 64, MatrixUse::A),
                      k.matrix_type(I8, 64, 16, MatrixUse::B),
                      k.matrix_type(I32, 16, 16, MatrixUse::Sum)};
    fill(matrices);
    const auto module = spirv::read_module(k.finish(), "matrices");
    if (!module) return module.error().front().message;
    const auto object = (*load_compiler())->compile(*module, target, 2);
    return object ? "" : object.error().front().message;
  };
  EXPECT_EQ(message([](Matrices& m) {
              const lower::MatrixVariable sum = m.k.matrix_variable(m.sum);
              m.k.set(sum, m.k.multiply_add(m.load_a(), m.load_b(), m.k.get(sum)));
            }),
            "");
  EXPECT_THAT(message([](Matrices& m) { m.k.matrix_variable(m.k.matrix_type(I32, 17, 16, MatrixUse::Sum)); }),
              HasSubstr("a variable of this type of matrices"));
  EXPECT_THAT(message([](Matrices& m) {
                for (int i = 0; i < 9; ++i) m.k.matrix_variable(m.sum);
              }),
              HasSubstr("a variable of this type of matrices"));
  EXPECT_THAT(message([](Matrices& m) {
                const lower::MatrixVariable from = m.k.matrix_variable(m.sum), to = m.k.matrix_variable(m.sum);
                m.k.set(to, m.k.get(from));
              }),
              HasSubstr("OpStore"));
  EXPECT_THAT(message([](Matrices& m) {
                const lower::MatrixVariable sum = m.k.matrix_variable(m.sum);
                m.k.multiply_add(m.load_a(), m.load_b(), m.k.get(sum));
              }),
              HasSubstr("a sum of matrices that is not stored"));
  EXPECT_THAT(message([](Matrices& m) { m.k.multiply_add(m.load_a(), m.load_b(), m.k.zero_matrix(m.sum)); }),
              HasSubstr("OpCooperativeMatrixMulAddKHR"));
  EXPECT_THAT(message([](Matrices& m) {
                const lower::MatrixVariable sum = m.k.matrix_variable(m.sum);
                const lower::Matrix old = m.k.get(sum);
                m.k.set(sum, m.k.multiply_add(m.load_a(), m.load_b(), m.k.get(sum)));
                m.k.set(sum, m.k.multiply_add(m.load_a(), m.load_b(), old));
              }),
              HasSubstr("OpCooperativeMatrixMulAddKHR"));
  EXPECT_THAT(message([](Matrices& m) {
                const lower::MatrixVariable sum = m.k.matrix_variable(m.sum);
                const lower::Matrix a = m.load_a();
                m.k.loop(m.k.integer(3),
                         [&](lower::Value) { m.k.set(sum, m.k.multiply_add(a, m.load_b(), m.k.get(sum))); });
              }),
              HasSubstr("OpCooperativeMatrixMulAddKHR"));
  EXPECT_THAT(message([](Matrices& m) {
                const lower::MatrixVariable sum = m.k.matrix_variable(m.sum);
                const lower::Matrix b = m.k.load_matrix(m.b, m.bytes, 0, 16, lower::MatrixOrder::ByRow);
                m.k.set(sum, m.k.multiply_add(m.load_a(), b, m.k.get(sum)));
              }),
              HasSubstr("OpCooperativeMatrixLoadKHR"));
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
  for (const bool is_signed : {false, true}) {
    const spirv::Words words = kernel([&](spirv::Builder& b) {
      b.capability(spv::Capability::DotProduct);
      b.capability(spv::Capability::DotProductInput4x8BitPacked);
      const spirv::Id two = b.constant_u32(2);
      b.op(is_signed ? spv::Op::OpSDot : spv::Op::OpSUDot, b.type_int(32, true), {two, two, 0});
    });
    const auto module = spirv::read_module(words, "dots");
    ASSERT_TRUE(module);
    for (const Level level : slipway::testing::kLevels) {
      const auto target = slipway::testing::emulated_target_of(level);
      if (!target) continue;
      const auto object = (*load_compiler())->compile(*module, *target, 1);
      EXPECT_EQ(object.has_value(), target->has_dot_products && facts_of(*target).signed_dot_products == is_signed);
      if (!object) {
        EXPECT_THAT(object.error().front().message, HasSubstr(is_signed ? "OpSDot" : "OpSUDot"));
      }
    }
  }
}

TEST(Code, AnotherArchitectureIsRefused) {
  if (compiler_file().empty()) GTEST_SKIP() << "this build has no CPU engine";
  const auto module = spirv::read_module(kernel([](spirv::Builder&) {}), "empty");
  ASSERT_TRUE(module);
  const bool is_x86 = host_target().architecture == Architecture::X86;
  const Target other = any_target_of(is_x86 ? Level::Neon : Level::Sse42);
  const auto object = (*load_compiler())->compile(*module, other, 1);
  // An object of another machine is not loaded.
  if (object)
    EXPECT_FALSE(load_code(*object));
  else
    EXPECT_THAT(object.error().front().message, HasSubstr("no code generator for that architecture"));
  auto own = (*load_compiler())->compile(*module, host_target(), 1);
  ASSERT_TRUE(own);
  constexpr std::size_t kMachine = 18;  // of the header of ELF
  (*own)[kMachine] ^= std::byte{0x40};
  EXPECT_FALSE(load_code(*own));
}

// A machine that compiles for others does not know whose order of instructions they like best.
TEST(Code, OfAnotherTuningIsFound) {
  if (compiler_file().empty()) GTEST_SKIP() << "this build has no CPU engine";
  const testing::ScratchDirectory scratch;
  const Cache cache(scratch.path());
  const lower::ProgramKernel empty{
      .name = "empty", .spirv = std::make_shared<const spirv::Words>(kernel([](spirv::Builder&) {})), .bindings = 1};
  Target target = host_target();
  target.tuning = "generic";
  ASSERT_TRUE(store_kernel(empty, target, cache));
  const auto loaded = load_kernel(empty, host_target(), cache);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->is_cached);
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

TEST(Target, TheEnvironmentLimitsTheLevel) {
  const char* const set = std::getenv("SLIPWAY_CPU_LEVEL");
  const std::string before = set ? set : "";
  platform::remove_environment("SLIPWAY_CPU_LEVEL");
  const Level best = host_level();
  EXPECT_TRUE(target_of(best));
  for (const Level limit : slipway::testing::kLevels) {
    const std::string name(kLevelNames[static_cast<std::size_t>(limit)]);
    platform::set_environment("SLIPWAY_CPU_LEVEL", name);
    const Level level = host_level();
    EXPECT_LE(level, limit);
    EXPECT_EQ(level == limit, target_of(limit).has_value()) << name;
    EXPECT_EQ(host_target(), any_target_of(level));
  }
  EXPECT_TRUE(check_level_setting());
  platform::set_environment("SLIPWAY_CPU_LEVEL", "avx9");
  EXPECT_EQ(host_level(), best);
  const Result<> unknown = check_level_setting();
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().front().message.starts_with("SLIPWAY_CPU_LEVEL is `avx9`, and not one of"));
  if (set)
    platform::set_environment("SLIPWAY_CPU_LEVEL", before);
  else
    platform::remove_environment("SLIPWAY_CPU_LEVEL");
}

TEST(Target, LevelsOfOtherMachinesHaveNames) {
  EXPECT_EQ(level_named("aarch64+i8mm"), Level::I8mm);
  EXPECT_EQ(level_named("x86_64+avx512vnni"), Level::Avx512Vnni);
  EXPECT_EQ(level_named("aarch64"), Level::Neon);
  EXPECT_EQ(level_named("x86_64"), Level::Sse42);
  for (const std::string_view wrong : {"", "i8mm", "aarch64+", "aarch64+avx2", "x86_64+i8mm", "arm64+i8mm"})
    EXPECT_EQ(level_named(wrong), std::nullopt) << wrong;
  EXPECT_TRUE(level_names().starts_with("`x86_64+sse4.2`, "));
  EXPECT_TRUE(level_names().ends_with("`aarch64+sve2`"));
}

TEST(Target, LevelsDifferInTheirProducts) {
  for (const Level level : slipway::testing::kX86Levels) {
    const Target target = any_target_of(level);
    const bool has_dots = level == Level::Avx2Vnni || level >= Level::Avx512Vnni;
    EXPECT_EQ(target.has_dot_products, has_dots);
    EXPECT_EQ(target.has_tiles, level == Level::Amx);
    EXPECT_EQ(facts_of(target).matrices.empty(), !target.has_tiles);
    EXPECT_EQ(target.vector_bits, level >= Level::Avx512 ? 512U : level >= Level::Avx2 ? 256U : 128U);
  }
}

TEST(Target, LevelsOfAArch64DifferInTheirProducts) {
  for (const Level level : slipway::testing::kAarch64Levels) {
    const Target target = any_target_of(level);
    EXPECT_EQ(target.architecture, Architecture::Aarch64);
    EXPECT_EQ(target.has_dot_products, level != Level::Neon);
    EXPECT_EQ(facts_of(target).signed_dot_products, target.has_dot_products);
    EXPECT_EQ(target.has_vector_matrices, level >= Level::I8mm);
    EXPECT_EQ(facts_of(target).matrices.empty(), level < Level::I8mm);
    EXPECT_EQ(target.lanes, 4U);
    EXPECT_TRUE(target.has_fma);
    EXPECT_EQ(facts_of(target).vector_registers, 32U);
  }
#if !defined(__aarch64__)
  EXPECT_FALSE(target_of(Level::Neon));
  platform::set_environment("SLIPWAY_CPU_LEVEL", "neon");  // of another architecture
  const Level level = host_level();
  platform::remove_environment("SLIPWAY_CPU_LEVEL");
  EXPECT_EQ(level, host_level());
#endif
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
