// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that compute values on a device, compared with what C++ computes.
//
//   Checks checks;
//   checks.u("7u % 4u", 3u);
//   checks.f("args.f[0] + 1.0", 2.5f);
//   run(checks);
//
// All checks of one object become one shader, because creating pipelines dominates the time. Expressions read run-time
// values, which the compiler cannot know, from `args.f`, `args.u` and `args.s`.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "rpl/emit/testing.hpp"
#include "testing/compute_fixture.hpp"

namespace slipway::rpl {

struct Check {
  std::string expression;
  char type;  // f, u, s; b for a boolean
  std::uint32_t expected = 0;
  float tolerance = 0;  // relative, and absolute below 1; 0 means the same bits
};

struct Checks {
  std::string declarations;  // functions, structs, more buffers
  std::string setup;         // statements before the checks
  std::vector<float> floats = {};
  std::vector<std::uint32_t> uints = {};
  std::vector<std::int32_t> sints = {};
  std::vector<Check> all = {};
  // Asks the device to keep NaNs, infinities and signed zeros. Otherwise it may ignore them (Vulkan, "Precision and
  // Operation of SPIR-V Instructions"), and some drivers do. The compiler does not request it, because modules must not
  // depend on device features. The checks are skipped on devices without support.
  bool keeps_nan = false;

  void f(std::string expression, float expected, float tolerance = 0) {
    all.push_back({std::move(expression), 'f', std::bit_cast<std::uint32_t>(expected), tolerance});
  }
  void u(std::string expression, std::uint32_t expected) { all.push_back({std::move(expression), 'u', expected}); }
  void s(std::string expression, std::int32_t expected) {
    all.push_back({std::move(expression), 's', static_cast<std::uint32_t>(expected)});
  }
  void b(std::string expression, bool expected) { all.push_back({std::move(expression), 'b', expected}); }
  // Components x, y... of an expression.
  void fs(const std::string& expression, std::initializer_list<float> expected, float tolerance = 0) {
    std::size_t i = 0;
    for (const float value : expected) f(formatted("({}).{}", expression, "xyzw"[i++]), value, tolerance);
  }
  void us(const std::string& expression, std::initializer_list<std::uint32_t> expected) {
    std::size_t i = 0;
    for (const std::uint32_t value : expected) u(formatted("({}).{}", expression, "xyzw"[i++]), value);
  }
  void ss(const std::string& expression, std::initializer_list<std::int32_t> expected) {
    std::size_t i = 0;
    for (const std::int32_t value : expected) s(formatted("({}).{}", expression, "xyzw"[i++]), value);
  }

  std::string text() const {
    std::string text = "set_object read_only_storage_buffer args { f1[64] f; u1[64] u; s1[64] s; };\n";
    text +=
        formatted("set_object read_write_storage_buffer results {{ f1[{0}] f; u1[{0}] u; s1[{0}] s; }};\n", all.size());
    text += declarations + "\nvoid compute_main (void)\n{\n" + setup + "\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Check& check = all[i];
      if (check.type == 'b') {
        text += formatted("  if ({}) {{ results.u[{}] = 1u; }}\n", check.expression, i);
      } else {
        text += formatted("  results.{}[{}] = {};\n", check.type, i, check.expression);
      }
    }
    return text + "}\n";
  }
};

inline bool close_enough(float seen, float expected, float tolerance) {
  if (std::isnan(expected)) return std::isnan(seen);
  if (tolerance == 0) return std::bit_cast<std::uint32_t>(seen) == std::bit_cast<std::uint32_t>(expected);
  if (std::isinf(expected)) return seen == expected;
  return std::abs(seen - expected) <= tolerance * std::max(1.0f, std::abs(expected));
}

// The module with the execution mode SignedZeroInfNanPreserve for 32-bit floats.
inline spirv::Words keeping_nan(const spirv::Words& words) {
  constexpr auto word = [](spv::Op op, std::uint32_t count) { return count << 16 | static_cast<std::uint32_t>(op); };
  spirv::Words made(words.begin(), words.begin() + spirv::kHeaderWords);
  made.push_back(word(spv::Op::OpCapability, 2));
  made.push_back(static_cast<std::uint32_t>(spv::Capability::SignedZeroInfNanPreserve));
  for (std::size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t count = words[at] >> 16;
    made.insert(made.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                words.begin() + static_cast<std::ptrdiff_t>(at + count));
    // Execution modes come after the entry points; there is one entry point.
    if ((words[at] & 0xFFFF) == static_cast<std::uint32_t>(spv::Op::OpEntryPoint)) {
      made.insert(made.end(), {word(spv::Op::OpExecutionMode, 4), words[at + 2],
                               static_cast<std::uint32_t>(spv::ExecutionMode::SignedZeroInfNanPreserve), 32u});
    }
  }
  return made;
}

class RplDeviceTest : public testing::ComputeTest {
 protected:
  void run_checks(const Checks& checks, Target target = Target::Vulkan13) {
    const std::string text = checks.text();
    spirv::Words words = compile_compute(text, {}, target);
    ASSERT_FALSE(words.empty()) << text;
    if (checks.keeps_nan) {
      const auto keeps = snapshot().limits_by_name.find("shaderSignedZeroInfNanPreserveFloat32");
      if (keeps == snapshot().limits_by_name.end() || keeps->second == 0) {
        GTEST_SKIP() << "the device does not promise to keep NaNs";
      }
      words = keeping_nan(words);
      ASSERT_EQ(problem_of(words, target), "");
    }
    std::vector<std::uint32_t> args(192);
    for (std::size_t i = 0; i < checks.floats.size(); ++i) args[i] = std::bit_cast<std::uint32_t>(checks.floats[i]);
    for (std::size_t i = 0; i < checks.uints.size(); ++i) args[64 + i] = checks.uints[i];
    for (std::size_t i = 0; i < checks.sints.size(); ++i) args[128 + i] = static_cast<std::uint32_t>(checks.sints[i]);
    const std::size_t count = checks.all.size();
    std::vector<testing::ComputeBuffer> buffers = {
        {.set = 2, .binding = 0, .words = std::move(args)},
        {.set = 2, .binding = 1, .words = std::vector<std::uint32_t>(count * 3)}};
    dispatch(words, "compute_main", buffers);
    for (std::size_t i = 0; i < count; ++i) {
      const Check& check = checks.all[i];
      const std::size_t part = check.type == 'f' ? 0 : check.type == 's' ? 2 : 1;
      const std::uint32_t seen = buffers[1].words[part * count + i];
      if (check.type == 'f') {
        const auto value = std::bit_cast<float>(seen);
        const auto expected = std::bit_cast<float>(check.expected);
        EXPECT_TRUE(close_enough(value, expected, check.tolerance))
            << check.expression << " is " << value << ", not " << expected;
      } else if (check.type == 's') {
        EXPECT_EQ(static_cast<std::int32_t>(seen), static_cast<std::int32_t>(check.expected)) << check.expression;
      } else {
        EXPECT_EQ(seen, check.expected) << check.expression;
      }
    }
  }
};

}  // namespace slipway::rpl
