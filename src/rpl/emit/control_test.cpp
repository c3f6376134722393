// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements, functions and their arguments on a device.
#include "base/format.hpp"
#include "testing/rpl_checks.hpp"

namespace slipway::rpl {
namespace {

using RplControl = RplDeviceTest;

TEST_F(RplControl, Branches) {
  Checks checks{.uints = {0, 1, 2, 3}};
  checks.declarations = R"(
u1 pick (in u1 n)
{
  if (n == 0u) { return 10u; }
  else if (n == 1u) { return 20u; }
  else
  {
    if (n == 2u) { return 30u; } else { return 40u; }
  }
}
u1 late (in u1 n)
{
  u1 result = 5u;
  if (n > 1u) { result = result + n; }
  if (n == 3u) { } else { result = result * 2u; }
  return result;
}
u1 both_return (in u1 n)
{
  u1 i = 0u;
  while (i < 10u)
  {
    if (i == n) { return i + 100u; } else { i = i + 1u; continue; }
  }
  return 7u;
}
)";
  for (std::uint32_t i = 0; i < 4; ++i) {
    checks.u(formatted("pick (args.u[{}])", i), 10 * (i + 1));
    const std::uint32_t late = 5 + (i > 1 ? i : 0);
    checks.u(formatted("late (args.u[{}])", i), i == 3 ? late : late * 2);
    checks.u(formatted("both_return (args.u[{}])", i), i + 100);
  }
  checks.u("both_return (args.u[3] * 5u)", 7);
  run_checks(checks);
}

TEST_F(RplControl, Loops) {
  Checks checks{.uints = {0, 1, 5, 100}};
  checks.declarations = R"(
u1 sum_to (in u1 n)
{
  u1 sum;
  for (u1 i = 1u; i <= n; i = i + 1u) { sum = sum + i; }
  return sum;
}
u1 odd_until (in u1 n)
{
  u1 sum;
  for (u1 i = 0u; i < 1000u; i = i + 1u)
  {
    if (i % 2u == 0u) { continue; }
    if (i > n) { break; }
    sum = sum + i;
  }
  return sum;
}
u1 nested (in u1 n)
{
  u1 count;
  for (u1 i = 0u; i < n; i = i + 1u)
  {
    u1 j;                       // starts at zero each time
    while (j < 10u && j < n)
    {
      j = j + 1u;
      if (j == 3u) { continue; }
      if (j > 4u) { break; }
      count = count + 1u;
    }
  }
  return count;
}
u1 endless (in u1 n)
{
  u1 i = 0u;
  while (1u == 1u)
  {
    i = i + 1u;
    if (i > n) { return i; }
  }
  return 0u;  // is asked for, and never reached
}
u1 forever_break (in u1 n)
{
  u1 i = 0u;
  while (1u < 2u)
  {
    i = i + 3u;
    if (i > n) { break; }
  }
  return i;
}
)";
  checks.u("sum_to (args.u[3])", 5050);
  checks.u("sum_to (args.u[0])", 0);
  checks.u("odd_until (args.u[3])", 2500);
  checks.u("nested (args.u[2])", 5 * 3);
  checks.u("nested (args.u[1])", 1);
  checks.u("endless (args.u[2])", 6);
  checks.u("forever_break (args.u[2])", 6);
  run_checks(checks);
}

TEST_F(RplControl, LocalsStartAtZeroEachTime) {
  Checks checks{.uints = {4}};
  checks.declarations = R"(
struct pair { u1 a; f2[2] b; };
u1 fresh (in u1 n)
{
  u1 seen;
  for (u1 i = 0u; i < n; i = i + 1u)
  {
    u1 x; pair p; u1[3] list;
    if (x != 0u || p.a != 0u || p.b[1].y != 0.0 || list[i % 3u] != 0u) { seen = seen + 1u; }
    x = 9u; p.a = 9u; p.b[1].y = 9.0; list[(i + 1u) % 3u] = 9u;
  }
  return seen;
}
)";
  checks.u("fresh (args.u[0])", 0);
  run_checks(checks);
}

TEST_F(RplControl, ShortCircuitSkipsTheRightSide) {
  Checks checks{.uints = {0, 1}};
  checks.declarations = R"(
u1 count_up (in out u1 counter, in u1 result) { counter = counter + 1u; return result; }
u1 with_and (in u1 a, in u1 b)
{
  u1 calls;
  u1 taken = 0u;
  if (count_up (calls, a) == 1u && count_up (calls, b) == 1u) { taken = 10u; }
  return calls + taken;
}
u1 with_or (in u1 a, in u1 b)
{
  u1 calls;
  u1 taken = 0u;
  if (count_up (calls, a) == 1u || count_up (calls, b) == 1u) { taken = 10u; }
  return calls + taken;
}
u1 mixed (in u1 a, in u1 b)
{
  u1 calls;
  u1 taken = 0u;
  if ((count_up (calls, a) == 1u && count_up (calls, b) == 1u) || (count_up (calls, b) == 1u && count_up (calls, a) == 0u))
  { taken = 10u; }
  return calls + taken;
}
)";
  checks.u("with_and (args.u[0], args.u[1])", 1);
  checks.u("with_and (args.u[1], args.u[0])", 2);
  checks.u("with_and (args.u[1], args.u[1])", 12);
  checks.u("with_or (args.u[0], args.u[0])", 2);
  checks.u("with_or (args.u[0], args.u[1])", 12);
  checks.u("with_or (args.u[1], args.u[0])", 11);
  checks.u("mixed (args.u[1], args.u[1])", 12);
  checks.u("mixed (args.u[0], args.u[1])", 13);
  checks.u("mixed (args.u[1], args.u[0])", 3);
  checks.b("args.u[0] == 1u && args.u[1] == 1u", false);
  checks.b("args.u[0] == 1u || args.u[1] == 1u", true);
  run_checks(checks);
}

TEST_F(RplControl, ArgumentsAreCopiedInAndOut) {
  Checks checks{.floats = {1, 2, 3, 4}, .uints = {1, 2}};
  checks.declarations = R"(
struct thing { f1 a; f2 b; f3[2] c; };
void set (out f1 x) { x = 5.0; }
void leave (out f1 x) { }
void twice (in out f1 x) { x = x * 2.0; }
void two (in out f1 x, in out f1 y) { x = x + 1.0; y = y + 10.0; }
void advance (in out u1 i) { i = i + 1u; }
f1 sum (in f1[4] list, in u1 n)
{
  f1 total;
  for (u1 i = 0u; i < n; i = i + 1u) { total = total + list[i]; }
  return total + list[3] * 100.0;
}
void fill (out f1[4] list, in f1 value) { for (u1 i = 0u; i < 4u; i = i + 1u) { list[i] = value + f1 {i}; } }
thing make (in f1 x) { thing t; t.a = x; t.b.y = x + 1.0; t.c[1].z = x + 2.0; return t; }
void change (in out thing t) { t.a = t.a + 1.0; t.c[0] = t.c[1]; }
f3 column (in f3x3 m, in u1 unused) { return m.y; }
)";
  checks.setup = R"(
  f1 a = args.f[0]; set (a);
  f1 b = args.f[1]; leave (b);
  f3 v = f3 {args.f[0], args.f[1], args.f[2]}; twice (v.y);
  f1[4] list; list[2] = 7.0; twice (list[args.u[1]]);
  f1 same = args.f[0]; two (same, same);
  f1[4] filled; fill (filled, args.f[3]);
  thing t = make (args.f[1]); change (t);
  f3x3 m; m.y = v; twice (m.y.z);
  // The index is computed before the call, and the target is the one of then.
  u1 k = 1u; f1[4] late; late[1] = 1.0; late[2] = 2.0;
  two (late[k], late[k + 1u]);
  u1[4] steps; u1 at = 0u; advance (at); advance (steps[at]); advance (at); advance (steps[at]);
)";
  checks.f("a", 5);
  checks.f("b", 0);
  checks.fs("v", {1, 4, 3});
  checks.f("list[2]", 14);
  checks.f("same", 11);  // stored from left to right: the last one stays
  checks.f("filled[0]", 4);
  checks.f("filled[3]", 7);
  checks.f("sum (filled, args.u[1])", 4 + 5 + 700);
  checks.f("t.a", 3);
  checks.f("t.b.y", 3);
  checks.f("t.c[1].z", 4);
  checks.f("t.c[0].z", 4);
  checks.f("make (args.f[2]).b.y", 4);
  checks.f("make (args.f[2]).c[args.u[0]].z", 5);
  checks.fs("column (m, 0u)", {1, 4, 6});
  checks.f("late[1]", 2);
  checks.f("late[2]", 12);
  checks.u("steps[1] + steps[2] * 10u + at * 100u", 211);
  run_checks(checks);
}

TEST_F(RplControl, EvaluatesFromLeftToRight) {
  Checks checks{.uints = {3}};
  checks.declarations = R"(
u1 next (in out u1 counter) { counter = counter + 1u; return counter; }
u1 pack (in u1 a, in u1 b, in u1 c) { return a * 100u + b * 10u + c; }
)";
  checks.setup = R"(
  u1 n; u1 packed = pack (next (n), next (n), next (n));
  u1 m; u1 minus = next (m) * 10u - next (m);
  u1 o; u1[4] list; list[next (o)] = next (o);
  u1 p; u3 v = u3 {next (p), next (p), next (p)};
  u1 q = args.u[0]; u1 old = q + next (q);
  u1 r; u1 x; u1 y; x = y = next (r);
)";
  checks.u("packed", 123);
  checks.u("minus", 8);
  checks.u("list[1]", 2);
  checks.us("v", {1, 2, 3});
  checks.u("old", 7);
  checks.u("x * 10u + y", 11);
  run_checks(checks);
}

TEST_F(RplControl, AliasesEvaluateAtEachUse) {
  Checks checks{.floats = {1, 2}, .uints = {2}};
  checks.setup = R"(
  f4 v; u1 i = 0u; f1[4] list; list[0] = 5.0; list[1] = 6.0;
  alias (y, v.y)
  y = args.f[1];
  alias (current, list[i]);
  f1 first = current; i = i + 1u; f1 second = current; current = 9.0;
  alias (sum, v.y + args.f[0])
  f1 before = sum; v.y = 10.0;
)";
  checks.f("first", 5);
  checks.f("second", 6);
  checks.f("list[1]", 9);
  checks.f("before", 3);
  checks.f("sum", 11);
  run_checks(checks);
}

TEST_F(RplControl, ConditionalsChooseCode) {
  const std::string_view text = R"(
instance fast: flag off;
instance mode: enum "a" "b";
instance n: uint 2;
set_object read_write_storage_buffer result { u1[4] u; };
void add (in out u1 x, conditional (fast) in u1 more) { x = x + 1u; conditional (fast) { x = x + more; } }
void compute_main (void)
{
  u1[n] list;
  u1 x = 10u;
  conditional (fast) { add (x, 5u); }
  conditional (!fast) { add (x); }
  conditional (mode == "b") { x = x * 2u; }
  result.u[0] = x;
  result.u[1] = n;
}
)";
  const struct {
    std::vector<std::string> assignment;
    std::uint32_t x, n;
  } cases[] = {{{}, 11, 2}, {{"fast=on"}, 16, 2}, {{"mode=b", "n=7"}, 22, 7}, {{"fast=1", "mode=b"}, 32, 2}};
  for (const auto& [assignment, x, n] : cases) {
    std::vector<testing::ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = std::vector<std::uint32_t>(4)}};
    dispatch(compile_compute(text, assignment), "compute_main", buffers);
    EXPECT_EQ(buffers[0].words, (std::vector<std::uint32_t>{x, n, 0, 0}));
  }
}

}  // namespace
}  // namespace slipway::rpl
