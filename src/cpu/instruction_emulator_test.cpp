// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulator of tests against plain arithmetic. On a CPU that has the instructions, the same tests run them.
#include "testing/instruction_emulator.hpp"

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace slipway::testing {
namespace {

constexpr std::size_t kRows = 16, kBytes = 64;

struct alignas(64) Configuration {
  std::uint8_t palette = 1, start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> bytes{};
  std::array<std::uint8_t, 16> rows{};
  bool operator==(const Configuration&) const = default;

  Configuration& with(std::size_t tile, std::size_t row_count, std::size_t byte_count) {
    rows[tile] = static_cast<std::uint8_t>(row_count);
    bytes[tile] = static_cast<std::uint16_t>(byte_count);
    return *this;
  }
};

void load(const Configuration& configuration) { asm volatile("ldtilecfg %0" : : "m"(configuration) : "memory"); }
Configuration stored() {
  Configuration configuration;
  asm volatile("sttilecfg %0" : "=m"(configuration) : : "memory");
  return configuration;
}
void release() { asm volatile("tilerelease" : : : "memory"); }

constexpr Configuration kReleased{.palette = 0};

class TileInstructions : public ::testing::Test {
 protected:
  void SetUp() override {
    emulate(InstructionSet::Amx);
    count_ = emulated_instructions();
  }
  // Either the CPU executed the instructions of a test, or the emulator.
  void TearDown() override {
    release();
    EXPECT_EQ(emulated_instructions() == count_, is_native(InstructionSet::Amx));
  }

 private:
  std::uint64_t count_ = 0;
};

struct Matrix {
  std::array<std::uint8_t, kRows * kBytes> data{};
  std::uint8_t& at(std::size_t row, std::size_t byte) { return data[row * kBytes + byte]; }
};
Matrix random_matrix(std::minstd_rand& random) {
  Matrix matrix;
  for (std::uint8_t& byte : matrix.data) byte = static_cast<std::uint8_t>(random() >> 8);
  return matrix;
}

enum class Signs : std::uint8_t { Both, OfA, OfB, Neither };

// tmm3 = tmm3 + tmm5 * tmm6.
void multiply(Signs signs, Matrix& sum, const Matrix& a, const Matrix& b) {
  const std::uint64_t stride = kBytes;
  asm volatile("tileloadd (%0,%1,1), %%tmm3" : : "r"(&sum), "r"(stride) : "memory");
  asm volatile("tileloaddt1 (%0,%1,2), %%tmm5" : : "r"(&a), "r"(stride / 2) : "memory");
  asm volatile("tileloadd 64(%0,%1,4), %%tmm6" : : "r"(b.data.data() - 64), "r"(stride / 4) : "memory");
  switch (signs) {
    case Signs::Both:
      asm volatile("tdpbssd %%tmm6, %%tmm5, %%tmm3" : :);
      break;
    case Signs::OfA:
      asm volatile("tdpbsud %%tmm6, %%tmm5, %%tmm3" : :);
      break;
    case Signs::OfB:
      asm volatile("tdpbusd %%tmm6, %%tmm5, %%tmm3" : :);
      break;
    case Signs::Neither:
      asm volatile("tdpbuud %%tmm6, %%tmm5, %%tmm3" : :);
      break;
  }
  asm volatile("tilestored %%tmm3, (%0,%1,8)" : : "r"(&sum), "r"(stride / 8) : "memory");
}

int number(std::uint8_t byte, bool is_signed) { return is_signed ? static_cast<std::int8_t>(byte) : byte; }

TEST_F(TileInstructions, ProductsOfEveryShapeAndSign) {
  std::minstd_rand random(3);
  for (const std::size_t rows : {1UL, 5UL, 16UL}) {
    for (const std::size_t words : {1UL, 3UL, 16UL}) {
      for (const std::size_t columns : {1UL, 7UL, 16UL}) {
        load(Configuration().with(3, rows, 4 * columns).with(5, rows, 4 * words).with(6, words, 4 * columns));
        for (const Signs signs : {Signs::Both, Signs::OfA, Signs::OfB, Signs::Neither}) {
          Matrix a = random_matrix(random), b = random_matrix(random), sum = random_matrix(random), expected = sum;
          const bool a_signed = signs == Signs::Both || signs == Signs::OfA;
          const bool b_signed = signs == Signs::Both || signs == Signs::OfB;
          // Memory after the rows and bytes of the tile stays as it was.
          for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
              std::uint32_t total = 0;
              std::memcpy(&total, &expected.at(row, 4 * column), 4);
              for (std::size_t i = 0; i < 4 * words; ++i) {
                total += static_cast<std::uint32_t>(number(a.at(row, i), a_signed) *
                                                    number(b.at(i / 4, 4 * column + i % 4), b_signed));
              }
              std::memcpy(&expected.at(row, 4 * column), &total, 4);
            }
          }
          multiply(signs, sum, a, b);
          EXPECT_EQ(sum.data, expected.data) << rows << " rows, " << words << " words, " << columns << " columns";
        }
      }
    }
  }
}

std::uint16_t bfloat(float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); }

// Sums of up to three words, in one row and column.
float sum_of_bfloats(float sum, const std::vector<float>& a, const std::vector<float>& b) {
  std::array<std::uint16_t, 6> of_a{}, of_b{};
  for (std::size_t i = 0; i < a.size(); ++i) of_a[i] = bfloat(a[i]), of_b[i] = bfloat(b[i]);
  load(Configuration().with(3, 1, 4).with(5, 1, 12).with(6, 3, 4));
  asm volatile(
      "tileloadd (%0,%3,1), %%tmm3\n tileloadd (%1,%3,1), %%tmm5\n tileloadd (%2,%3,1), %%tmm6\n"
      "tdpbf16ps %%tmm6, %%tmm5, %%tmm3\n tilestored %%tmm3, (%0,%3,1)"
      :
      : "r"(&sum), "r"(&of_a), "r"(&of_b), "r"(4UL)
      : "memory");
  return sum;
}

TEST_F(TileInstructions, ProductsOfBfloats) {
  std::minstd_rand random(11);
  // Small whole numbers, which are summed exactly.
  for (const std::size_t rows : {1UL, 6UL, 16UL}) {
    for (const std::size_t words : {1UL, 5UL, 16UL}) {
      const std::size_t columns = 17 - rows;
      load(Configuration().with(3, rows, 4 * columns).with(5, rows, 4 * words).with(6, words, 4 * columns));
      std::array<float, kRows * 16> sum{}, expected{};
      std::array<std::uint16_t, kRows * 32> a{}, b{};
      const auto small = [&] { return static_cast<float>(static_cast<int>(random() >> 8 & 15) - 8); };
      std::array<float, kRows * 32> a_numbers{}, b_numbers{};
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = bfloat(a_numbers[i] = small());
        b[i] = bfloat(b_numbers[i] = small());
      }
      for (float& one : sum) one = small() / 4;
      expected = sum;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
          for (std::size_t i = 0; i < 2 * words; ++i)
            expected[row * 16 + column] += a_numbers[row * 32 + i] * b_numbers[i / 2 * 32 + 2 * column + i % 2];
        }
      }
      asm volatile(
          "tileloadd (%0,%3,1), %%tmm3\n tileloadd (%1,%3,1), %%tmm5\n tileloadd (%2,%3,1), %%tmm6\n"
          "tdpbf16ps %%tmm6, %%tmm5, %%tmm3\n tilestored %%tmm3, (%0,%3,1)"
          :
          : "r"(&sum), "r"(&a), "r"(&b), "r"(kBytes)
          : "memory");
      EXPECT_EQ(sum, expected) << rows << " rows, " << words << " words";
    }
  }
  // Even and odd products are summed apart, and then added to the sum.
  EXPECT_EQ(sum_of_bfloats(1, {0x1p24F, 1, -0x1p24F, 1}, {1, 1, 1, 1}), 3);
  EXPECT_EQ(sum_of_bfloats(0, {0x1p24F, 0, 1, 0, -0x1p24F, 0}, {1, 1, 1, 1, 1, 1}), 0);
  EXPECT_EQ(sum_of_bfloats(0x1p24F, {1, 1}, {1, 1}), 0x1p24F + 2);
  // Subnormal numbers are zeros.
  EXPECT_EQ(sum_of_bfloats(0x1p-130F, {1}, {0}), 0);
  EXPECT_EQ(sum_of_bfloats(1, {0x1p-130F}, {0x1p127F}), 1);
  EXPECT_EQ(sum_of_bfloats(0, {0x1p-100F}, {0x1p-30F}), 0);
  EXPECT_TRUE(std::isnan(sum_of_bfloats(0, {HUGE_VALF}, {0})));
  EXPECT_EQ(sum_of_bfloats(0, {HUGE_VALF}, {1}), HUGE_VALF);
}

TEST_F(TileInstructions, ConfigurationsAreReturned) {
  EXPECT_EQ(stored(), kReleased);
  const Configuration configuration = Configuration().with(0, 16, 64).with(7, 3, 5);
  load(configuration);
  EXPECT_EQ(stored(), configuration);
  load(kReleased);
  EXPECT_EQ(stored(), kReleased);
  load(configuration);
  release();
  EXPECT_EQ(stored(), kReleased);
}

TEST_F(TileInstructions, PartialRowsAndZeros) {
  std::minstd_rand random(5);
  const Matrix from = random_matrix(random);
  // Rows of eight bytes, 13 bytes apart.
  load(Configuration().with(2, 4, 8));
  Matrix to = random_matrix(random), expected = to;
  for (std::size_t row = 0; row < 4; ++row) std::copy_n(&from.data[13 * row], 8, &expected.data[9 * row]);
  asm volatile("tileloadd (%0,%1,1), %%tmm2\n tilestored %%tmm2, (%2,%3,1)"
               :
               : "r"(&from), "r"(13UL), "r"(&to), "r"(9UL)
               : "memory");
  EXPECT_EQ(to.data, expected.data);
  for (std::size_t row = 0; row < 4; ++row) std::fill_n(&expected.data[9 * row], 8, std::uint8_t{0});
  asm volatile("tilezero %%tmm2\n tilestored %%tmm2, (%0,%1,1)" : : "r"(&to), "r"(9UL) : "memory");
  EXPECT_EQ(to.data, expected.data);
  // A configuration clears all tiles.
  asm volatile("tileloadd (%0,%1,1), %%tmm2" : : "r"(&from), "r"(13UL) : "memory");
  load(Configuration().with(2, 4, 8));
  asm volatile("tilestored %%tmm2, (%0,%1,1)" : : "r"(&to), "r"(9UL) : "memory");
  EXPECT_EQ(to.data, expected.data);
}

TEST_F(TileInstructions, FormsOfAddresses) {
  std::minstd_rand random(7);
  const Matrix from = random_matrix(random);
  Matrix to;
  load(Configuration().with(7, 3, 64));
  const auto expect = [&](std::size_t first, std::size_t stride) {
    asm volatile("tilestored %%tmm7, (%0,%1,1)" : : "r"(&to), "r"(kBytes) : "memory");
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_TRUE(std::equal(&to.at(row, 0), &to.at(row, 0) + kBytes, &from.data[first + row * stride]))
          << first << ", " << stride << ", row " << row;
    }
  };
  const std::uint8_t* const base = from.data.data();
  asm volatile("mov %0, %%r12\n mov $96, %%r13\n tileloadd (%%r12,%%r13,1), %%tmm7" : : "r"(base) : "r12", "r13");
  expect(0, 96);
  asm volatile("mov %0, %%r13\n mov $24, %%r12\n tileloadd (%%r13,%%r12,4), %%tmm7" : : "r"(base) : "r12", "r13");
  expect(0, 96);
  asm volatile("mov %0, %%rbx\n tileloadd 5(%%rbx,%1,1), %%tmm7" : : "r"(base), "r"(80UL) : "rbx");
  expect(5, 80);
  asm volatile("tileloadd -1000(%0,%1,8), %%tmm7" : : "r"(base + 1003), "r"(10UL));
  expect(3, 80);
  asm volatile("tileloadd 1(%0), %%tmm7" : : "r"(base));  // without an index all rows are the same
  expect(1, 0);
  asm volatile("tileloadd (%0,%1,1), %%tmm7" : : "r"(base + 200), "r"(-70L));
  expect(200, static_cast<std::size_t>(-70L));
  // Relative to the instruction, and with an index.
  static const Configuration configuration = Configuration().with(1, 2, 3);
  asm volatile("ldtilecfg %0" : : "m"(configuration));
  EXPECT_EQ(stored(), configuration);
  const std::array<Configuration, 2> two = {kReleased, Configuration().with(4, 5, 6)};
  asm volatile("ldtilecfg 32(%0,%1,8)" : : "r"(two.data()), "r"(4UL) : "memory");
  EXPECT_EQ(stored(), two[1]);
}

TEST_F(TileInstructions, ThreadsHaveTilesOfTheirOwn) {
  const Configuration mine = Configuration().with(0, 1, 4);
  load(mine);
  // A new thread may have the configuration of the thread that made it: real CPUs copy it.
  std::jthread([] {
    const Configuration other = Configuration().with(0, 2, 8);
    load(other);
    EXPECT_EQ(stored(), other);
  }).join();
  EXPECT_EQ(stored(), mine);
}

TEST_F(TileInstructions, WrongConfigurationsAndShapesEndTheProcess) {
  std::vector<Configuration> wrong(6, Configuration().with(0, 16, 64));
  wrong[0].palette = 2;
  wrong[1].reserved[13] = 1;
  wrong[2].bytes[0] = 65;
  wrong[3].rows[0] = 17;
  wrong[4].rows[1] = 1;
  wrong[5].with(8, 1, 4);
  for (const Configuration& one : wrong) EXPECT_DEATH(load(one), "");
  const auto use = [](const Configuration& configuration) {
    load(configuration);
    asm volatile("tdpbssd %%tmm2, %%tmm1, %%tmm0" : :);
  };
  const Configuration right = Configuration().with(0, 4, 16).with(1, 4, 8).with(2, 2, 16);
  use(right);
  std::vector<Configuration> others(4, right);
  others[0].with(0, 3, 16);
  others[1].with(2, 2, 12);
  others[2].with(1, 4, 12);
  others[3].with(2, 0, 0);
  for (const Configuration& one : others) EXPECT_DEATH(use(one), "");
  EXPECT_DEATH(
      {
        release();
        asm volatile("tilezero %%tmm0" : :);
      },
      "");
  // Rows of whole words only.
  EXPECT_DEATH(
      {
        load(Configuration().with(2, 4, 7));
        Matrix matrix;
        asm volatile("tileloadd (%0,%1,1), %%tmm2\n tilestored %%tmm2, (%0,%1,1)\n tilezero %%tmm2"
                     :
                     : "r"(&matrix), "r"(13UL)
                     : "memory");
      },
      "");
}

// --- AVX-VNNI ---

using Vector = std::array<std::uint8_t, 32>;

class VectorInstructions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this CPU has no AVX2";
    emulate(InstructionSet::AvxVnni);
    std::minstd_rand random(9);
    for (Vector* vector : {&sum_, &a_, &b_}) {
      for (std::uint8_t& byte : *vector) byte = static_cast<std::uint8_t>(random() >> 8);
    }
  }
  // Of words of 16 bits.
  Vector expected_of_words(std::size_t size) const {
    Vector result{};
    for (std::size_t at = 0; at < size; at += 4) {
      std::uint32_t lane = 0;
      std::memcpy(&lane, &sum_[at], 4);
      for (const std::size_t i : {at, at + 2}) {
        std::int16_t a = 0, b = 0;
        std::memcpy(&a, &a_[i], 2);
        std::memcpy(&b, &b_[i], 2);
        lane += static_cast<std::uint32_t>(a * b);
      }
      std::memcpy(&result[at], &lane, 4);
    }
    return result;
  }
  Vector expected(std::size_t size) const {
    Vector result{};
    for (std::size_t at = 0; at < size; at += 4) {
      std::uint32_t lane = 0;
      std::memcpy(&lane, &sum_[at], 4);
      for (std::size_t i = at; i < at + 4; ++i)
        lane += static_cast<std::uint32_t>(int{a_[i]} * static_cast<std::int8_t>(b_[i]));
      std::memcpy(&result[at], &lane, 4);
    }
    return result;
  }
  Vector sum_{}, a_{}, b_{}, result_{};
};

#define SLIPWAY_VECTORS(instruction)                                                               \
  asm volatile("vmovdqu (%0), %%ymm12\n vmovdqu (%1), %%ymm3\n vmovdqu (%2), %%ymm9\n" instruction \
               "\n vmovdqu %%ymm12, (%3)\n vzeroupper"                                             \
               :                                                                                   \
               : "r"(&sum_), "r"(&a_), "r"(&b_), "r"(&result_), "r"(16UL)                          \
               : "memory", "xmm12", "xmm3", "xmm9")

TEST_F(VectorInstructions, ProductsOfRegistersAndMemory) {
  SLIPWAY_VECTORS("%{vex%} vpdpbusd %%ymm9, %%ymm3, %%ymm12");
  EXPECT_EQ(result_, expected(32));
  SLIPWAY_VECTORS("%{vex%} vpdpbusd (%2), %%ymm3, %%ymm12");
  EXPECT_EQ(result_, expected(32));
  SLIPWAY_VECTORS("%{vex%} vpdpbusd -64(%2,%4,4), %%ymm3, %%ymm12");
  EXPECT_EQ(result_, expected(32));
  // The upper half of the register is cleared.
  SLIPWAY_VECTORS("%{vex%} vpdpbusd %%xmm9, %%xmm3, %%xmm12");
  EXPECT_EQ(result_, expected(16));
  SLIPWAY_VECTORS("%{vex%} vpdpbusd (%2), %%xmm3, %%xmm12");
  EXPECT_EQ(result_, expected(16));
}

TEST_F(VectorInstructions, ProductsOfWords) {
  SLIPWAY_VECTORS("%{vex%} vpdpwssd %%ymm9, %%ymm3, %%ymm12");
  EXPECT_EQ(result_, expected_of_words(32));
  SLIPWAY_VECTORS("%{vex%} vpdpwssd (%2), %%xmm3, %%xmm12");
  EXPECT_EQ(result_, expected_of_words(16));
}

// The vectors may be in their initial state, which signals do not save.
TEST_F(VectorInstructions, RegistersThatWereNotUsed) {
  asm volatile("vzeroall\n %{vex%} vpdpbusd (%0), %%ymm3, %%ymm12\n vmovdqu %%ymm12, (%1)"
               :
               : "r"(&b_), "r"(&result_)
               : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                 "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  EXPECT_EQ(result_, Vector());
}

// --- other instructions ---

int handled = 0;
void skip(int, siginfo_t*, void* context) {
  ++handled;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
}

TEST(InstructionEmulator, OtherInstructionsGoToTheHandlerBefore) {
  const InstructionSet set = is_native(InstructionSet::Amx) ? InstructionSet::AvxVnni : InstructionSet::Amx;
  if (is_native(set)) GTEST_SKIP() << "this CPU needs no emulator";
  struct sigaction action{};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
  emulate(set);
  asm volatile("ud2" : :);
  EXPECT_EQ(handled, 1);
  // Later tests have the default after the emulator.
  ::signal(SIGILL, SIG_DFL);
  emulate(set);
  EXPECT_DEATH(asm volatile("ud2" : :), "");
}

}  // namespace
}  // namespace slipway::testing

#endif
