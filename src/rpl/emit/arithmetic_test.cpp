// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, conversions, constructors and matrices on a device, against C++.
#include <array>

#include "base/format.hpp"
#include "testing/rpl_checks.hpp"

namespace slipway::rpl {
namespace {

using RplArithmetic = RplDeviceTest;

// Each operation once with values the compiler knows, which it folds, and once with values it does not.
TEST_F(RplArithmetic, FloatOperatorsFoldedAndAtRunTime) {
  Checks checks{.floats = {1.5f, -2.25f, 1e20f, 0.1f}};
  const std::array<std::string, 4> known = {"1.5", "-2.25", "1.0e20", "0.1"};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const float a = checks.floats[i];
      const float b = checks.floats[j];
      for (const bool folded : {false, true}) {
        const std::string x = folded ? known[i] : formatted("args.f[{}]", i);
        const std::string y = folded ? known[j] : formatted("args.f[{}]", j);
        checks.f(x + " + " + y, a + b);
        checks.f(x + " - " + y, a - b);
        if (std::isfinite(a * b) || !folded) checks.f(x + " * " + y, a * b);
        checks.f(x + " / " + y, a / b, folded ? 0.0f : 3e-7f);
        checks.b(x + " < " + y, a < b);
        checks.b(x + " <= " + y, a <= b);
        checks.b(x + " > " + y, a > b);
        checks.b(x + " >= " + y, a >= b);
        checks.b(x + " == " + y, a == b);
        checks.b(x + " != " + y, a != b);
      }
    }
  }
  checks.f("-args.f[0]", -1.5f);
  checks.f("+args.f[0]", 1.5f);
  checks.f("-0.0", -0.0f);
  checks.f("f2 {-0.0}.x", -0.0f);
  run_checks(checks);
}

// The sign of a remainder is the divisor's.
std::int32_t modulo(std::int32_t a, std::int32_t b) {
  const std::int64_t rest = static_cast<std::int64_t>(a) % b;
  return static_cast<std::int32_t>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

TEST_F(RplArithmetic, SignedOperatorsFoldedAndAtRunTime) {
  Checks checks{.sints = {7, -7, 3, -3, 0, 2147483647, -2147483647, -1}};
  const std::array<std::string, 8> known = {"7", "-7", "3", "-3", "0", "2147483647", "-2147483647", "-1"};
  auto wrapped = [](std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); };
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      const std::int64_t a = checks.sints[i];
      const std::int64_t b = checks.sints[j];
      for (const bool folded : {false, true}) {
        const std::string x = folded ? known[i] : formatted("args.s[{}]", i);
        const std::string y = folded ? known[j] : formatted("args.s[{}]", j);
        checks.s(x + " + " + y, wrapped(a + b));
        checks.s(x + " - " + y, wrapped(a - b));
        checks.s(x + " * " + y, wrapped(a * b));
        if (b != 0) checks.s(x + " / " + y, static_cast<std::int32_t>(a / b));
        if (b != 0) checks.s(x + " % " + y, modulo(checks.sints[i], checks.sints[j]));
        checks.s(x + " & " + y, static_cast<std::int32_t>(a & b));
        checks.s(x + " | " + y, static_cast<std::int32_t>(a | b));
        checks.s(x + " ^ " + y, static_cast<std::int32_t>(a ^ b));
        checks.b(x + " < " + y, a < b);
        checks.b(x + " >= " + y, a >= b);
        checks.b(x + " == " + y, a == b);
        checks.b(x + " != " + y, a != b);
      }
    }
    checks.s(formatted("-args.s[{}]", i), wrapped(-std::int64_t{checks.sints[i]}));
    checks.s(formatted("~args.s[{}]", i), ~checks.sints[i]);
    checks.s(formatted("args.s[{}] >> args.s[2]", i), checks.sints[i] >> 3);
    checks.s(formatted("args.s[{}] << args.s[2]", i), wrapped(static_cast<std::int64_t>(checks.sints[i]) * 8));
    checks.s(formatted("{} >> 3", known[i]), checks.sints[i] >> 3);
    checks.s(formatted("{} << 3", known[i]), wrapped(static_cast<std::int64_t>(checks.sints[i]) * 8));
  }
  run_checks(checks);
}

TEST_F(RplArithmetic, VectorModuloTakesTheSignOfTheDivisorInEachComponent) {
  Checks checks{.sints = {7, -7, 6, -6, 4, 4, -4, -4}};
  checks.ss("s4 {args.s[0], args.s[1], args.s[2], args.s[3]} % s4 {args.s[4], args.s[5], args.s[6], args.s[7]}",
            {3, 1, -2, -2});
  checks.ss("s4 {7, -7, 6, -6} % s4 {4, 4, -4, -4}", {3, 1, -2, -2});
  run_checks(checks);
}

TEST_F(RplArithmetic, UnsignedOperatorsFoldedAndAtRunTime) {
  Checks checks{.uints = {7, 3, 0, 4294967295u, 2147483648u, 31}};
  const std::array<std::string, 6> known = {"7u", "3u", "0u", "4294967295u", "0x80000000", "0b11111"};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const std::uint32_t a = checks.uints[i];
      const std::uint32_t b = checks.uints[j];
      for (const bool folded : {false, true}) {
        const std::string x = folded ? known[i] : formatted("args.u[{}]", i);
        const std::string y = folded ? known[j] : formatted("args.u[{}]", j);
        checks.u(x + " + " + y, a + b);
        checks.u(x + " - " + y, a - b);
        checks.u(x + " * " + y, a * b);
        if (b != 0) checks.u(x + " / " + y, a / b);
        if (b != 0) checks.u(x + " % " + y, a % b);
        if (b < 32) checks.u(x + " << " + y, a << b);
        if (b < 32) checks.u(x + " >> " + y, a >> b);
        checks.u(x + " & " + y, a & b);
        checks.u(x + " | " + y, a | b);
        checks.u(x + " ^ " + y, a ^ b);
        checks.b(x + " < " + y, a < b);
        checks.b(x + " <= " + y, a <= b);
        checks.b(x + " > " + y, a > b);
      }
    }
    checks.u(formatted("~args.u[{}]", i), ~checks.uints[i]);
  }
  run_checks(checks);
}

TEST_F(RplArithmetic, VectorsWorkByComponentAndWithScalars) {
  Checks checks{.floats = {1, 2, 3, 4, 0.5f}, .uints = {1, 2, 3, 4, 5}, .sints = {-1, 2, -3, 4, -2}};
  checks.setup =
      "f4 v = f4 {args.f[0], args.f[1], args.f[2], args.f[3]}; f1 h = args.f[4];\n"
      "u4 u = u4 {args.u[0], args.u[1], args.u[2], args.u[3]};\n"
      "s4 s = s4 {args.s[0], args.s[1], args.s[2], args.s[3]};";
  checks.fs("v + v", {2, 4, 6, 8});
  checks.fs("v * v", {1, 4, 9, 16});
  checks.fs("v * h", {0.5f, 1, 1.5f, 2});
  checks.fs("h * v", {0.5f, 1, 1.5f, 2});
  checks.fs("v / h", {2, 4, 6, 8});
  checks.fs("v / v", {1, 1, 1, 1});
  checks.fs("-v", {-1, -2, -3, -4});
  checks.us("u * args.u[4]", {5, 10, 15, 20});
  checks.us("args.u[4] * u", {5, 10, 15, 20});
  checks.us("u / args.u[1]", {0, 1, 1, 2});
  checks.us("~u", {~1u, ~2u, ~3u, ~4u});
  checks.us("u << u4 {args.u[0]}", {2, 4, 6, 8});
  checks.ss("s * args.s[4]", {2, -4, 6, -8});
  checks.ss("s / args.s[4]", {0, -1, 1, -2});
  checks.ss("s >> s4 {1}", {-1, 1, -2, 2});
  checks.ss("-s", {1, -2, 3, -4});
  checks.b("v == v", true);
  checks.b("v == v.xyzz", false);
  checks.b("v != v.xyzz", true);
  checks.b("u == u4 {1u, 2u, 3u, 4u}", true);
  checks.b("s != s4 {-1, 2, -3, 4}", false);
  checks.b("(v == v) == (u == u)", true);
  checks.b("(v == v) != (u == u)", false);
  checks.b("!(v == v)", false);
  run_checks(checks);
}

TEST_F(RplArithmetic, NotANumberIsUnlikeItself) {
  Checks checks{.floats = {0}, .keeps_nan = true};
  checks.setup = "f1 n = args.f[0] / args.f[0]; f2 m = f2 {1.0, n};";
  checks.b("n == n", false);
  checks.b("n != n", true);
  checks.b("m == m", false);
  checks.b("m != m", true);
  checks.b("n < 1.0", false);
  run_checks(checks);
}

TEST_F(RplArithmetic, Converts) {
  Checks checks{.floats = {2.75f, -2.75f, 3e9f}, .uints = {4294967295u, 16777217u, 5}, .sints = {-1, -16777217, 9}};
  checks.u("u1 {args.f[0]}", 2);
  checks.u("u1 {args.f[2]}", 3000000000u);
  checks.s("s1 {args.f[0]}", 2);
  checks.s("s1 {args.f[1]}", -2);
  checks.f("f1 {args.u[0]}", 4294967296.0f);
  checks.f("f1 {args.u[1]}", 16777216.0f);
  checks.f("f1 {args.s[0]}", -1.0f);
  checks.f("f1 {args.s[1]}", -16777216.0f);
  checks.u("u1 {args.s[0]}", 4294967295u);
  checks.s("s1 {args.u[0]}", -1);
  checks.ss("s3 {f3 {args.f[0], args.f[1], 9.9}}", {2, -2, 9});
  checks.us("u2 {s2 {args.s[0], args.s[2]}}", {4294967295u, 9});
  checks.fs("f2 {s2 {args.s[0], args.s[2]}}", {-1, 9});
  // The same, folded.
  checks.u("u1 {2.75}", 2);
  checks.s("s1 {-2.75}", -2);
  checks.f("f1 {4294967295u}", 4294967296.0f);
  checks.f("f1 {16777217}", 16777216.0f);
  checks.u("u1 {-1}", 4294967295u);
  checks.s("s1 {4294967295u}", -1);
  checks.f("f1 {1.5}", 1.5f);
  run_checks(checks);
}

TEST_F(RplArithmetic, ConstructsAndTakesApart) {
  Checks checks{.floats = {1, 2, 3, 4}};
  checks.setup =
      "f4 v = f4 {args.f[0], f2 {args.f[1], args.f[2]}, args.f[3]}; f3 filled = f3 {args.f[1]};\n"
      "f4 w; w.x = 5.0; w.w = v.y; w.y = w.x;\n"
      "f4 known = f4 {f2 {1.0, 2.0}.yx, 3.0, 4.0};";
  checks.fs("v", {1, 2, 3, 4});
  checks.fs("v.wzyx", {4, 3, 2, 1});
  checks.fs("v.xxy", {1, 1, 2});
  checks.fs("v.xyzw.zw.yx", {4, 3});
  checks.fs("filled", {2, 2, 2});
  checks.fs("w", {5, 5, 0, 2});
  checks.fs("f2 {v.xy}", {1, 2});
  checks.fs("f4 {v.zw, v.xy}", {3, 4, 1, 2});
  checks.fs("f4 {f4 {1.0, 2.0, 3.0, 4.0}.wzyx}", {4, 3, 2, 1});
  checks.fs("known", {2, 1, 3, 4});
  run_checks(checks);
}

TEST_F(RplArithmetic, Matrices) {
  Checks checks{.floats = {2, 0, 1, 1, 3, 0, 0, 1, 4, 5, 6, 7, 1}};
  checks.setup =
      "f3x3 m = f3x3 {f3 {args.f[0], args.f[1], args.f[2]}, f3 {args.f[3], args.f[4], args.f[5]},\n"
      "               f3 {args.f[6], args.f[7], args.f[8]}};\n"
      "f3 v = f3 {args.f[9], args.f[10], args.f[11]};\n"
      "f4x4 wide = f4x4 {f4 {m.x, 0.0}, f4 {m.y, 0.0}, f4 {m.z, 0.0}, f4 {v, args.f[12]}};\n"
      "f3x3 changed = m; changed.y = v; changed.z.x = 9.0;";
  // Columns are (2,0,1), (1,3,0), (0,1,4).
  checks.fs("m * v", {2 * 5 + 6.0f, 3 * 6 + 7.0f, 5 + 4 * 7.0f});
  checks.fs("v * m", {2 * 5 + 7.0f, 5 + 3 * 6.0f, 6 + 4 * 7.0f});
  checks.fs("(m * m).x", {4, 1, 6});
  checks.fs("(m * m).y", {5, 9, 1});
  checks.fs("(m + m).x", {4, 0, 2});
  checks.fs("(m - f3x3 {v, v, v}).z", {-5, -5, -3});
  checks.fs("(m / f3x3 {v, v, v}).x", {0.4f, 0, 1.0f / 7}, 1e-6f);
  checks.fs("(m * 2.0).y", {2, 6, 0});
  checks.fs("(2.0 * m).y", {2, 6, 0});
  checks.fs("(-m).z", {-0.0f, -1, -4});
  checks.fs("(+m).z", {0, 1, 4});
  checks.f("m.y.y", 3);
  checks.fs("m.x.zx", {1, 2});
  checks.fs("f3x3 {wide}.y", {1, 3, 0});
  checks.fs("wide.w", {5, 6, 7, 1});
  checks.fs("(wide * f4 {1.0, 1.0, 1.0, 1.0})", {2 + 1 + 0 + 5, 3 + 1 + 6, 1 + 4 + 7, 1});
  checks.fs("changed.x", {2, 0, 1});
  checks.fs("changed.y", {5, 6, 7});
  checks.fs("changed.z", {9, 1, 4});
  checks.fs("transpose_matrix_f3x3 (m).x", {2, 1, 0});
  checks.fs("transpose_matrix_f4x4 (wide).w", {0, 0, 0, 1});
  checks.f("determinant_f3x3 (m)", 2 * (3 * 4 - 0) - 1 * (0 * 4 - 1 * 1), 1e-6f);
  checks.f("determinant_f4x4 (wide)", 25, 1e-6f);
  const std::array<std::array<float, 3>, 3> identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto& e = identity[c];
    checks.fs(formatted("(inverse_f3x3 (m) * m).{}", "xyz"[c]), {e[0], e[1], e[2]}, 1e-5f);
    checks.fs(formatted("(wide * inverse_f4x4 (wide)).{}", "xyz"[c]), {e[0], e[1], e[2], 0}, 1e-5f);
  }
  checks.fs("f3x3 {m}.x", {2, 0, 1});
  checks.fs("f3x3 {f3 {1.0}, f3 {2.0}, f3 {3.0}}.y", {2, 2, 2});
  run_checks(checks);
}

}  // namespace
}  // namespace slipway::rpl
