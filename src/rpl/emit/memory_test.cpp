// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers, their layouts, copies between them, workgroup memory, atomics, and the inputs of compute shaders.
#include <numeric>

#include "testing/rpl_checks.hpp"

namespace slipway::rpl {
namespace {

using testing::ComputeBuffer;
using RplMemory = RplDeviceTest;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

// The values of docs/spec/rpl.md#layout-check-values: offsets 0, 16, 28, 32, 48, 96 and size 112.
constexpr std::string_view kMixed = R"(
struct t { f1 a; f3 b; f1 c; f2 d; f3x3 m; f1 e; };
struct item { f4 v; };
)";

TEST_F(RplMemory, StorageBuffersAreStd430) {
  const std::string text = std::string(kMixed) + R"(
set_object read_write_storage_buffer data
{
  t first; f3[2] threes; f2[3] twos; f1[3] ones; f1 n; t second; f3x3[2] matrices; u1 end; item... list;
};
void compute_main (void)
{
  data.first.a = 1.0; data.first.b = f3 {2.0, 3.0, 4.0}; data.first.c = 5.0; data.first.d = f2 {6.0, 7.0};
  data.first.m = f3x3 {f3 {8.0}, f3 {9.0}, f3 {10.0}}; data.first.e = 11.0;
  data.threes[1] = f3 {12.0}; data.twos[2] = f2 {13.0, 14.0}; data.ones[2] = 15.0; data.n = 16.0;
  data.second.d.y = 17.0; data.matrices[1].z.y = 18.0; data.end = tail_length (data); data.list[1].v.z = 19.0;
}
)";
  std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(108)}};
  dispatch(compile_compute(text), "compute_main", buffers);
  const std::vector<std::uint32_t>& words = buffers[0].words;
  // Words: first 0..27, threes 28..35, twos 36..41, ones 42..44, n 45, second (aligned to 16 bytes) 48..75,
  // matrices 76..99, end 100, list from 104.
  const std::pair<std::size_t, float> expected[] = {
      {0, 1},   {4, 2},   {5, 3},   {6, 4},   {7, 5},   {8, 6},   {9, 7},   {12, 8},  {14, 8},  {16, 9},
      {20, 10}, {22, 10}, {24, 11}, {32, 12}, {34, 12}, {40, 13}, {41, 14}, {44, 15}, {45, 16}, {57, 17}};
  for (const auto& [word, value] : expected) EXPECT_EQ(words[word], bits(value)) << word;
  EXPECT_EQ(words[76 + 12 + 8 + 1], bits(18));
  EXPECT_EQ(words[100], 1u);
  std::size_t zeros = 0;
  for (const std::uint32_t word : words) zeros += word == 0;
  EXPECT_GT(zeros, 60u);
}

TEST_F(RplMemory, TailsGrowWithTheBuffer) {
  const std::string text = std::string(kMixed) + R"(
struct tailed { u1 count; s1... values; };
struct outer { f2 x; tailed inner; };
set_object read_write_storage_buffer nested { f1 a; outer rest; };
set_object read_write_storage_buffer only { f3... list; };
set_object read_write_storage_buffer structs { f1 a; f1 b; item... list; };
void compute_main (void)
{
  nested.rest.inner.count = tail_length (nested);
  nested.rest.inner.values[tail_length (nested) - 1u] = -5;
  nested.rest.x.y = 3.0;
  only.list[1] = f3 {f1 {tail_length (only)}, 2.0, 3.0};
  structs.b = f1 {tail_length (structs)};
  structs.list[2] = item {f4 {1.0, 2.0, 3.0, 4.0}};
  alias (values, nested.rest.inner.values)
  values[1] = values[0] + 1;
}
)";
  // nested: a 0, rest at 8 (x 8, inner at 16: count 16, values from 20).
  std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(5 + 6)},
                                        {.set = 2, .binding = 1, .words = std::vector<std::uint32_t>(12)},
                                        {.set = 2, .binding = 2, .words = std::vector<std::uint32_t>(4 + 12)}};
  buffers[0].words[5] = 41;
  dispatch(compile_compute(text), "compute_main", buffers);
  EXPECT_EQ(buffers[0].words,
            (std::vector<std::uint32_t>{0, 0, 0, bits(3), 6, 41, 42, 0, 0, 0, static_cast<std::uint32_t>(-5)}));
  EXPECT_EQ(buffers[1].words, (std::vector<std::uint32_t>{0, 0, 0, 0, bits(3), bits(2), bits(3), 0, 0, 0, 0, 0}));
  EXPECT_EQ(buffers[2].words[1], bits(3));
  EXPECT_EQ(std::vector(buffers[2].words.begin() + 12, buffers[2].words.end()),
            (std::vector<std::uint32_t>{bits(1), bits(2), bits(3), bits(4)}));
}

// Structs and arrays between laid-out and plain memory, for the targets with and without an instruction for it.
TEST_F(RplMemory, CopiesStructsAndArrays) {
  const std::string_view text = R"(
struct inner { f3 v; u1 n; f3x3 m; };
struct outer { inner a; f1[100] long; inner[2] b; f2[2][3] c; };
set_object read_only_storage_buffer source { outer one; f1[70] list; };
set_object read_write_storage_buffer target { outer one; f1 sum; f1 third; outer two; };
workgroup_buffer shared { outer kept; };
f1 sum (in f1[70] list) { f1 s; for (u1 i = 0u; i < 70u; i = i + 1u) { s = s + list[i]; } return s; }
outer pass (in outer x, in out outer y) { y.a.n = x.a.n + 1u; return x; }
void compute_main (void)
{
  outer local = source.one;
  outer other;
  target.one = pass (local, other);
  target.one.a.n = other.a.n;
  target.sum = sum (source.list);
  target.third = local.long[3];
  shared.kept = local;
  shared.kept.b[1].m.z.z = 1.0;
  compute_stage_barrier ();
  target.two = shared.kept;
}
)";
  // inner: v 0, n 12, m 16, size 64. outer: a 0, long 64, b 464, c 592, size 640 (160 words).
  std::vector<std::uint32_t> source = counting(160 + 70);
  for (std::uint32_t& word : source) word = bits(static_cast<float>(word));
  source[3] = 7;
  for (const Target target : kAllTargets) {
    std::vector<ComputeBuffer> buffers = {
        {.set = 2, .binding = 0, .words = source},
        {.set = 2, .binding = 1, .words = std::vector<std::uint32_t>(160 + 4 + 160, 0xffffffff)}};
    dispatch(compile_compute(text, {}, target), "compute_main", buffers);
    const std::vector<std::uint32_t>& to = buffers[1].words;
    const auto is_padding = [](std::size_t word) {
      const std::size_t in_inner = word < 16 ? word : word >= 116 && word < 148 ? (word - 116) % 16 : 0;
      return in_inner == 7 || in_inner == 11 || in_inner == 15;
    };
    for (std::size_t i = 0; i < 160; ++i) {
      if (is_padding(i)) continue;
      EXPECT_EQ(to[i], i == 3 ? 8u : source[i]) << name_of(target) << " " << i;
      EXPECT_EQ(to[164 + i], i == 116 + 16 + 14 ? bits(1) : source[i]) << name_of(target) << " " << i;
    }
    float sum = 0;
    for (std::size_t i = 160; i < 230; ++i) sum += std::bit_cast<float>(source[i]);
    EXPECT_EQ(to[160], bits(sum)) << name_of(target);
    EXPECT_EQ(to[161], source[16 + 3]) << name_of(target);
  }
}

TEST_F(RplMemory, UniformBuffersAndPushConstants) {
  const std::string_view text = R"(
struct light { f4 color; u4[2] ids; };
set_pass uniform_buffer view { f4x4 m; light[2] lights; s4 last; };
push_constant push { f4 scale; light one; };
set_object read_write_storage_buffer result { f4 a; u4 b; s4 c; u4 d; f4 e; light copy; };
void compute_main (void)
{
  result.a = view.m * push.scale;
  result.b = view.lights[1].ids[push.one.ids[0].x];
  result.c = view.last;
  light local = push.one;
  result.d = local.ids[1];
  result.e = view.lights[local.ids[0].x].color;
  result.copy = view.lights[0];
}
)";
  std::vector<std::uint32_t> view(16 + 24 + 4);
  for (std::size_t i = 0; i < 16; ++i) view[i] = bits(static_cast<float>(i));
  for (std::size_t i = 16; i < view.size(); ++i) view[i] = static_cast<std::uint32_t>(i);
  std::vector<std::uint32_t> push = {bits(1), bits(2), bits(0), bits(-1), 0, 0, 0, 0, 1, 0, 0, 0, 9, 8, 7, 6};
  std::vector<ComputeBuffer> buffers = {{.set = 0, .binding = 0, .words = view, .uniform = true},
                                        {.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(32)}};
  dispatch(compile_compute(text), "compute_main", buffers, {1, 1, 1}, push);
  const std::vector<std::uint32_t>& to = buffers[1].words;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto row = static_cast<float>(i);
    EXPECT_EQ(to[i], bits(row + 2 * (4 + row) - (12 + row)));
    EXPECT_EQ(to[4 + i], 16 + 12 + 8 + i);
    EXPECT_EQ(to[8 + i], 40 + i);
    EXPECT_EQ(to[12 + i], 9 - i);
    EXPECT_EQ(to[16 + i], 16 + 12 + i);
  }
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(to[20 + i], 16 + i);
}

TEST_F(RplMemory, WorkgroupMemoryAndInputs) {
  const std::string_view text = R"(
instance group: uint 8;
setting workgroup_size_x = group;
setting workgroup_size_y = 2u;
set_object read_write_storage_buffer result { u1[64] reversed; u4[64] ids; };
workgroup_buffer scratch { u1[group * 2u] copy; u1 total; };
void compute_main (void)
{
  u1 l = compute_stage_input_local_index ();
  u1 n = compute_stage_input_group_size ().x * compute_stage_input_group_size ().y;
  u1 i = compute_stage_input_group_id ().x * n + l;
  if (l == 0u) { scratch.total = 0u; }
  scratch.copy[l] = i * 10u;
  compute_stage_barrier ();
  atomic_add_u1 (scratch.total, l);
  result.reversed[i] = scratch.copy[n - 1u - l];
  compute_stage_full_barrier ();
  u3 global = compute_stage_input_global_id ();
  u3 local = compute_stage_input_local_id ();
  result.ids[i] = u4 {global.x, global.y, local.x + 100u * local.y, scratch.total + 1000u * compute_stage_input_group_count ().x};
}
)";
  std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(64 * 5)}};
  dispatch(compile_compute(text), "compute_main", buffers, {2, 1, 1});
  const std::vector<std::uint32_t>& to = buffers[0].words;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t group = i / 16;
    const std::uint32_t l = i % 16;
    EXPECT_EQ(to[i], 10 * (group * 16 + 15 - l));
    EXPECT_EQ(to[64 + i * 4], group * 8 + l % 8);
    EXPECT_EQ(to[64 + i * 4 + 1], l / 8);
    EXPECT_EQ(to[64 + i * 4 + 2], l % 8 + 100 * (l / 8));
    EXPECT_EQ(to[64 + i * 4 + 3], 120u + 2000);
  }
}

TEST_F(RplMemory, Atomics) {
  const std::string_view text = R"(
setting workgroup_size_x = 64u;
set_object read_write_storage_buffer data { u1[8] u; s1[8] s; u1[10] old; s1[10] olds; };
workgroup_buffer shared { u1 n; s1[2] m; };
void compute_main (void)
{
  u1 l = compute_stage_input_local_index ();
  atomic_add_u1 (data.u[0], l);
  atomic_min_u1 (data.u[1], l + 5u);
  atomic_max_u1 (data.u[2], l);
  atomic_or_u1 (data.u[3], 1u << (l & 31u));
  atomic_and_u1 (data.u[4], ~(1u << (l & 7u)));
  atomic_xor_u1 (data.u[5], l);
  atomic_add_s1 (data.s[0], -s1 {l});
  atomic_min_s1 (data.s[1], -s1 {l});
  atomic_max_s1 (data.s[2], s1 {l} - 100);
  if (l == 0u) { shared.n = 0u; shared.m[1] = 5; }
  compute_stage_barrier ();
  atomic_add_u1 (shared.n, 2u);
  atomic_min_s1 (shared.m[1], -s1 {l});
  compute_stage_barrier ();
  if (l == 0u)
  {
    data.old[0] = atomic_exchange_u1 (data.u[6], 77u);
    data.old[1] = atomic_compare_exchange_u1 (data.u[6], 77u, 88u);
    data.old[2] = atomic_compare_exchange_u1 (data.u[6], 77u, 99u);
    data.old[3] = data.u[6];
    data.olds[0] = atomic_exchange_s1 (data.s[6], -7);
    data.olds[1] = atomic_compare_exchange_s1 (data.s[6], -7, -8);
    data.old[4] = shared.n;
    data.olds[2] = shared.m[1];
  }
}
)";
  std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(36)}};
  std::vector<std::uint32_t>& to = buffers[0].words;
  to[1] = 1000;
  to[4] = 0xffff;
  to[6] = 66;
  to[8 + 2] = static_cast<std::uint32_t>(-1000);
  dispatch(compile_compute(text), "compute_main", buffers);
  EXPECT_EQ(std::vector(to.begin(), to.begin() + 7),
            (std::vector<std::uint32_t>{2016, 5, 63, 0xffffffff, 0xff00, 0, 88}));
  const auto sint = [&](std::size_t i) { return static_cast<std::int32_t>(to[i]); };
  EXPECT_EQ(sint(8), -2016);
  EXPECT_EQ(sint(9), -63);
  EXPECT_EQ(sint(10), -37);
  EXPECT_EQ(sint(14), -8);
  EXPECT_EQ(std::vector(to.begin() + 16, to.begin() + 21), (std::vector<std::uint32_t>{66, 77, 88, 88, 128}));
  EXPECT_EQ(sint(26), 0);
  EXPECT_EQ(sint(27), -7);
  EXPECT_EQ(sint(28), -63);
}

}  // namespace
}  // namespace slipway::rpl
