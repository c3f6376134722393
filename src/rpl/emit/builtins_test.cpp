// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every math built-in on a device, against C++.
#include <array>
#include <numbers>

#include "base/format.hpp"
#include "testing/rpl_checks.hpp"

namespace slipway::rpl {
namespace {

using RplBuiltins = RplDeviceTest;
using Unary = float (*)(float);

struct BuiltinFunction {
  const char* name;
  Unary expected;
  std::array<float, 4> values;
  float tolerance = 0;
};

float sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }

const BuiltinFunction kUnary[] = {
    // `round` may round halves either way, so they are not tested.
    {"round", [](float x) { return std::round(x); }, {1.25f, -1.75f, 2.0f, -0.25f}},
    {"round_even", [](float x) { return std::nearbyint(x); }, {1.5f, 2.5f, -3.5f, 7.25f}},
    {"trunc", [](float x) { return std::trunc(x); }, {1.75f, -1.75f, 2.0f, 9.5f}},
    {"abs", [](float x) { return std::abs(x); }, {1.75f, -1.75f, 2.0f, -9.5f}},
    {"sign", sign, {1.75f, -1.75f, 0.0f, -9.5f}},
    {"floor", [](float x) { return std::floor(x); }, {1.75f, -1.75f, 2.0f, -9.5f}},
    {"ceil", [](float x) { return std::ceil(x); }, {1.75f, -1.75f, 2.0f, -9.5f}},
    {"fract", [](float x) { return x - std::floor(x); }, {1.75f, -1.75f, 2.0f, -9.5f}},
    {"sin", [](float x) { return std::sin(x); }, {0.5f, -1.0f, 3.0f, 0.0f}, 1e-3f},
    {"cos", [](float x) { return std::cos(x); }, {0.5f, -1.0f, 3.0f, 0.0f}, 1e-3f},
    {"tan", [](float x) { return std::tan(x); }, {0.5f, -1.0f, 0.7f, 0.0f}, 2e-3f},
    {"asin", [](float x) { return std::asin(x); }, {0.5f, -1.0f, 0.7f, 0.0f}, 2e-3f},
    {"acos", [](float x) { return std::acos(x); }, {0.5f, -1.0f, 0.7f, 0.0f}, 2e-3f},
    {"atan", [](float x) { return std::atan(x); }, {0.5f, -1.0f, 7.0f, 0.0f}, 1e-3f},
    {"sinh", [](float x) { return std::sinh(x); }, {0.5f, -1.0f, 2.0f, 0.0f}, 1e-4f},
    {"cosh", [](float x) { return std::cosh(x); }, {0.5f, -1.0f, 2.0f, 0.0f}, 1e-4f},
    {"tanh", [](float x) { return std::tanh(x); }, {0.5f, -1.0f, 2.0f, 0.0f}, 1e-4f},
    {"asinh", [](float x) { return std::asinh(x); }, {0.5f, -1.0f, 2.0f, 0.0f}, 1e-4f},
    {"acosh", [](float x) { return std::acosh(x); }, {1.5f, 1.0f, 2.0f, 9.0f}, 1e-3f},
    {"atanh", [](float x) { return std::atanh(x); }, {0.5f, -0.75f, 0.25f, 0.0f}, 1e-4f},
    {"exp", [](float x) { return std::exp(x); }, {0.5f, -1.0f, 3.0f, 0.0f}, 1e-4f},
    {"log", [](float x) { return std::log(x); }, {0.5f, 1.0f, 3.0f, 100.0f}, 1e-4f},
    {"exp2", [](float x) { return std::exp2(x); }, {0.5f, -1.0f, 3.0f, 0.0f}, 1e-4f},
    {"log2", [](float x) { return std::log2(x); }, {0.5f, 1.0f, 3.0f, 100.0f}, 1e-4f},
    {"sqrt", [](float x) { return std::sqrt(x); }, {0.25f, 1.0f, 3.0f, 0.0f}, 1e-6f},
    {"inverse_sqrt", [](float x) { return 1 / std::sqrt(x); }, {0.25f, 1.0f, 3.0f, 16.0f}, 1e-5f},
};

TEST_F(RplBuiltins, OfOneFloat) {
  Checks checks{.floats = std::vector<float>(64)};
  for (const BuiltinFunction& function : kUnary) {
    for (std::size_t i = 0; i < 4; ++i) {
      checks.floats[i] = 0;  // values are in the text as sums with a run-time zero, which nothing folds
      const float value = function.values[i];
      checks.f(formatted("{}_f1 ({:f} + args.f[0])", function.name, value), function.expected(value),
               function.tolerance);
    }
    const auto& v = function.values;
    for (std::uint32_t n = 2; n <= 4; ++n) {
      std::string list = formatted("{:f} + args.f[0]", v[0]);
      for (std::uint32_t i = 1; i < n; ++i) list += formatted(", {:f}", v[i]);
      const char last = "xyzw"[n - 1];
      checks.f(formatted("{0}_f{1} (f{1} {{{2}}}).{3}", function.name, n, list, last), function.expected(v[n - 1]),
               function.tolerance);
    }
  }
  run_checks(checks);
}

TEST_F(RplBuiltins, OfTwoAndThreeFloats) {
  Checks checks{.floats = {0.5f, -1.5f, 2.0f, 3.0f, 0.25f, 4.0f}};
  checks.setup =
      "f2 a = f2 {args.f[0], args.f[1]}; f2 b = f2 {args.f[2], args.f[3]}; f3 i = f3 {args.f[0], args.f[1], "
      "args.f[2]};\n"
      "f3 n = f3 {0.0, 1.0, 0.0}; f4 q = f4 {args.f[0], args.f[1], args.f[2], args.f[3]};";
  checks.f("pi ()", std::numbers::pi_v<float>);
  checks.f("pow_f1 (args.f[0], args.f[3])", 0.125f, 1e-5f);
  checks.fs("pow_f2 (b, b)", {4, 27}, 1e-4f);
  checks.fs("min_f2 (a, b)", {0.5f, -1.5f});
  checks.fs("max_f2 (a, b)", {2, 3});
  checks.fs("step_f2 (a, f2 {0.25})", {0, 1});
  checks.f("step_f1 (args.f[2], args.f[2])", 1);
  checks.f("atan2_f1 (args.f[0], args.f[1])", std::atan2(0.5f, -1.5f), 1e-3f);
  checks.fs("atan2_f2 (a, b)", {std::atan2(0.5f, 2.0f), std::atan2(-1.5f, 3.0f)}, 1e-3f);
  checks.fs("reflect_f3 (i, n)", {0.5f, 1.5f, 2.0f}, 1e-6f);
  checks.fs("clamp_f2 (a, f2 {0.75}, f2 {1.0})", {0.75f, 0.75f});
  checks.fs("mix_f2 (a, b, f2 {0.25})", {0.5f * 0.75f + 0.5f, -1.5f * 0.75f + 0.75f}, 1e-6f);
  checks.f("fma_f1 (args.f[2], args.f[3], args.f[0])", 6.5f);
  checks.f("smooth_step_f1 (args.f[0], args.f[2], 1.0)", (1.0f / 3) * (1.0f / 3) * (3 - 2.0f / 3), 1e-6f);
  checks.fs("smooth_step_f2 (f2 {0.0}, f2 {1.0}, a)", {0.5f, 0}, 1e-6f);
  // refract (i, n, 0.5) of a ray that meets the surface straight is half of it.
  checks.fs("refract_f3 (f3 {0.0, -1.0, 0.0}, n, args.f[0])", {0, -1, 0}, 1e-5f);
  checks.fs("refract_f2 (f2 {0.6, -0.8}, f2 {0.0, 1.0}, args.f[0])", {0.3f, -std::sqrt(1 - 0.09f)}, 1e-5f);
  checks.f("length_f2 (b)", std::sqrt(13.0f), 1e-5f);
  checks.f("length_f4 (q)", std::sqrt(0.25f + 2.25f + 4 + 9), 1e-5f);
  checks.f("distance_f2 (a, b)", std::sqrt(1.5f * 1.5f + 4.5f * 4.5f), 1e-5f);
  checks.f("dot_f3 (i, i)", 0.25f + 2.25f + 4, 1e-6f);
  checks.fs("cross_f3 (i, n)", {-2, 0, 0.5f}, 1e-6f);
  checks.fs("normalize_f2 (b)", {2 / std::sqrt(13.0f), 3 / std::sqrt(13.0f)}, 1e-5f);
  run_checks(checks);
}

TEST_F(RplBuiltins, OfIntegers) {
  Checks checks{.uints = {5, 4294967295u, 7}, .sints = {-5, 5, 3, -1}};
  checks.u("min_u1 (args.u[0], args.u[1])", 5);
  checks.u("max_u1 (args.u[0], args.u[1])", 4294967295u);
  checks.u("clamp_u1 (args.u[1], args.u[0], args.u[2])", 7);
  checks.us("min_u2 (u2 {args.u[0], args.u[1]}, u2 {6u})", {5, 6});
  checks.s("min_s1 (args.s[0], args.s[1])", -5);
  checks.s("max_s1 (args.s[0], args.s[1])", 5);
  checks.s("clamp_s1 (args.s[0], args.s[3], args.s[2])", -1);
  checks.s("abs_s1 (args.s[0])", 5);
  checks.s("sign_s1 (args.s[0])", -1);
  checks.ss("sign_s3 (s3 {args.s[0], 0, args.s[2]})", {-1, 0, 1});
  checks.ss("abs_s4 (s4 {args.s[0], args.s[1], args.s[2], args.s[3]})", {5, 5, 3, 1});
  checks.ss("clamp_s2 (s2 {args.s[0], args.s[1]}, s2 {-2}, s2 {2})", {-2, 2});
  run_checks(checks);
}

}  // namespace
}  // namespace slipway::rpl
