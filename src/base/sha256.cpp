// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/sha256.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "platform/cpu.hpp"

namespace slipway {
namespace {

constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

void add_block_plainly(State& state, const std::uint8_t* block) {
  std::uint32_t words[64];
  for (int i = 0; i < 16; ++i) words[i] = big_endian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State sum = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += sum[i];
}

using AddBlock = void (*)(State&, const std::uint8_t*);

#ifdef __x86_64__
// With the SHA instructions of the CPU, almost twenty times as fast. They keep the state as {f, e, b, a} and
// {h, g, d, c}, do two rounds each, and extend the message by four words each.
__attribute__((target("sha,sse4.1"))) void add_block_with_sha(State& state, const std::uint8_t* block) {
  const auto at = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i start_abef = _mm_set_epi32(static_cast<int>(state[0]), static_cast<int>(state[1]),
                                           static_cast<int>(state[4]), static_cast<int>(state[5]));
  const __m128i start_cdgh = _mm_set_epi32(static_cast<int>(state[2]), static_cast<int>(state[3]),
                                           static_cast<int>(state[6]), static_cast<int>(state[7]));
  const __m128i swap_bytes = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  __m128i abef = start_abef, cdgh = start_cdgh;
  __m128i words[16];
  for (int i = 0; i < 16; ++i) {
    if (i < 4) {
      words[i] = _mm_shuffle_epi8(at(block + 16 * i), swap_bytes);
    } else {
      const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i - 4], words[i - 3]),
                                        _mm_alignr_epi8(words[i - 1], words[i - 2], 4));
      words[i] = _mm_sha256msg2_epu32(sum, words[i - 1]);
    }
    const __m128i input = _mm_add_epi32(words[i], at(kRound + 4 * i));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0E));
  }
  alignas(16) std::uint32_t sums[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(sums), _mm_add_epi32(abef, start_abef));
  _mm_store_si128(reinterpret_cast<__m128i*>(sums + 4), _mm_add_epi32(cdgh, start_cdgh));
  state = {sums[3], sums[2], sums[7], sums[6], sums[1], sums[0], sums[5], sums[4]};
}

AddBlock choose_add_block() { return platform::has_sha_instructions() ? add_block_with_sha : add_block_plainly; }
#else
AddBlock choose_add_block() { return add_block_plainly; }
#endif

Sha256 digest_of(Bytes bytes, AddBlock add_block) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 64; left -= 64, data += 64) add_block(state, data);

  // The rest, a one bit, zeros, and the length in bits.
  std::uint8_t last[128] = {};
  if (left != 0) std::memcpy(last, data, left);
  last[left] = 0x80;
  const std::size_t size = left < 56 ? 64 : 128;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) last[size - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  for (std::size_t at = 0; at < size; at += 64) add_block(state, last + at);

  Sha256 digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace

Sha256 sha256(Bytes bytes) {
  static const AddBlock add_block = choose_add_block();
  return digest_of(bytes, add_block);
}

Sha256 sha256_plainly(Bytes bytes) { return digest_of(bytes, add_block_plainly); }

std::string hex_text(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace slipway
