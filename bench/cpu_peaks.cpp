// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_peaks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace slipway::bench {
namespace {

#if defined(__x86_64__)

constexpr int kChains = 12;  // independent ones, more than an instruction takes cycles
constexpr std::uint64_t kRounds = 20'000;

// A function that runs kRounds times kChains instructions, and returns the operations of one instruction. A macro,
// because the instructions of a target can be used only in a function for that target, and not in a template.
#define SLIPWAY_PEAK(name, instructions, Vector, zero, one, step, operations)                         \
  [[gnu::target(instructions)]] double name() {                                                       \
    Vector a = zero, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;     \
    const Vector x = one;                                                                             \
    for (std::uint64_t round = 0; round < kRounds; ++round) {                                         \
      a = step(a, x), b = step(b, x), c = step(c, x), d = step(d, x), e = step(e, x), f = step(f, x); \
      g = step(g, x), h = step(h, x), i = step(i, x), j = step(j, x), k = step(k, x), l = step(l, x); \
      asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f));                        \
      asm volatile("" : "+x"(g), "+x"(h), "+x"(i), "+x"(j), "+x"(k), "+x"(l));                        \
    }                                                                                                 \
    return operations;                                                                                \
  }

#define SLIPWAY_FMA_512(sum, x) _mm512_fmadd_ps(x, x, sum)
#define SLIPWAY_FMA_256(sum, x) _mm256_fmadd_ps(x, x, sum)
#define SLIPWAY_ADD_128(sum, x) _mm_add_ps(_mm_mul_ps(sum, x), x)
#define SLIPWAY_DOT_512(sum, x) _mm512_dpbusd_epi32(sum, x, x)
#define SLIPWAY_DOT_256(sum, x) _mm256_dpbusd_avx_epi32(sum, x, x)
// Products of pairs of 16-bit integers, which the engine uses for bytes.
#define SLIPWAY_PAIR_512(sum, x) _mm512_add_epi32(x, _mm512_madd_epi16(sum, x))
#define SLIPWAY_PAIR_256(sum, x) _mm256_add_epi32(x, _mm256_madd_epi16(sum, x))
#define SLIPWAY_PAIR_128(sum, x) _mm_add_epi32(x, _mm_madd_epi16(sum, x))
SLIPWAY_PEAK(pairs_512, "avx512f,avx512bw", __m512i, _mm512_setzero_si512(), _mm512_set1_epi16(1), SLIPWAY_PAIR_512, 64)
SLIPWAY_PEAK(pairs_256, "avx2", __m256i, _mm256_setzero_si256(), _mm256_set1_epi16(1), SLIPWAY_PAIR_256, 32)
SLIPWAY_PEAK(pairs_128, "sse2", __m128i, _mm_setzero_si128(), _mm_set1_epi16(1), SLIPWAY_PAIR_128, 16)
SLIPWAY_PEAK(fused_512, "avx512f", __m512, _mm512_setzero_ps(), _mm512_set1_ps(1), SLIPWAY_FMA_512, 32)
SLIPWAY_PEAK(fused_256, "avx2,fma", __m256, _mm256_setzero_ps(), _mm256_set1_ps(1), SLIPWAY_FMA_256, 16)
SLIPWAY_PEAK(separate_128, "sse2", __m128, _mm_setzero_ps(), _mm_set1_ps(1), SLIPWAY_ADD_128, 8)
SLIPWAY_PEAK(bytes_512, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(), _mm512_set1_epi8(1), SLIPWAY_DOT_512,
             128)
SLIPWAY_PEAK(bytes_256, "avx2,avxvnni", __m256i, _mm256_setzero_si256(), _mm256_set1_epi8(1), SLIPWAY_DOT_256, 64)

// Products of whole tiles, with four sums as in kernels.
[[gnu::target("amx-tile,amx-int8")]] double bytes_of_tiles() {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> bytes{64, 64, 64, 64, 64, 64, 64, 64};
    std::array<std::uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
  } shapes;
  _tile_loadconfig(&shapes);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kChains / 4; ++i) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  _tile_release();
  return 2 * 16 * 16 * 64;
}

using Loop = double (*)();

// All threads together, in 10^9 operations per second.
double rate_of(Loop loop, unsigned threads, double duration) {
  using Clock = std::chrono::steady_clock;
  std::atomic<double> total = 0;
  {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < threads; ++i) {
      all.emplace_back([&] {
        double best = 0;
        for (const auto start = Clock::now();
             std::chrono::duration<double, std::milli>(Clock::now() - start).count() < duration;) {
          const auto begin = Clock::now();
          const double operations = loop() * kChains * kRounds;
          best = std::max(best, operations / std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
        }
        total.fetch_add(best);
      });
    }
  }
  return total.load();
}

#endif

}  // namespace

CpuPeaks measure_peaks(const cpu::Target& target, unsigned threads, double duration) {
  CpuPeaks peaks;
#if defined(__x86_64__)
  const Loop floats = target.vector_bits == 512 ? fused_512 : target.has_fma ? fused_256 : separate_128;
  peaks.floats = rate_of(floats, threads, duration);
  if (target.has_tiles)
    peaks.bytes = rate_of(bytes_of_tiles, threads, duration);
  else if (target.has_dot_products)
    peaks.bytes = rate_of(target.vector_bits == 512 ? bytes_512 : bytes_256, threads, duration);
  else
    peaks.bytes = rate_of(target.vector_bits == 512   ? pairs_512
                          : target.vector_bits == 256 ? pairs_256
                                                      : pairs_128,
                          threads, duration);
#else
  static_cast<void>(target), static_cast<void>(threads), static_cast<void>(duration);
#endif
  return peaks;
}

}  // namespace slipway::bench
