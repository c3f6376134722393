// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_peaks.hpp"

#include <algorithm>
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

// Each function runs kRounds times kChains instructions, and returns the operations of one instruction. The chains are
// unrolled, so that sums stay in registers.

[[gnu::target("avx512f")]] double fused_512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  const __m512 factor = _mm512_set1_ps(1.0F);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m512& sum : sums) {
      sum = _mm512_fmadd_ps(factor, factor, sum);
      asm volatile("" : "+v"(sum));
    }
  }
  return 32;
}

[[gnu::target("avx2,fma")]] double fused_256() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  const __m256 factor = _mm256_set1_ps(1.0F);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m256& sum : sums) {
      sum = _mm256_fmadd_ps(factor, factor, sum);
      asm volatile("" : "+x"(sum));
    }
  }
  return 16;
}

double separate_128() {
  __m128 sums[kChains];
  for (__m128& sum : sums) sum = _mm_setzero_ps();
  const __m128 factor = _mm_set1_ps(1.0F);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m128& sum : sums) {
      __m128 product = _mm_mul_ps(factor, factor);
      asm volatile("" : "+x"(product));
      sum = _mm_add_ps(product, sum);
      asm volatile("" : "+x"(sum));
    }
  }
  return 8;
}

[[gnu::target("avx512f,avx512vnni")]] double bytes_512() {
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  const __m512i factor = _mm512_set1_epi8(1);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m512i& sum : sums) {
      sum = _mm512_dpbusd_epi32(sum, factor, factor);
      asm volatile("" : "+v"(sum));
    }
  }
  return 128;
}

[[gnu::target("avx2,avxvnni")]] double bytes_256() {
  __m256i sums[kChains];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  const __m256i factor = _mm256_set1_epi8(1);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m256i& sum : sums) {
      sum = _mm256_dpbusd_avx_epi32(sum, factor, factor);
      asm volatile("" : "+x"(sum));
    }
  }
  return 64;
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
  if (target.has_dot_products)
    peaks.bytes = rate_of(target.vector_bits == 512 ? bytes_512 : bytes_256, threads, duration);
#else
  static_cast<void>(target), static_cast<void>(threads), static_cast<void>(duration);
#endif
  return peaks;
}

}  // namespace slipway::bench
