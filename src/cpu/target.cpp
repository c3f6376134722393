// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/target.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"
#include "cpu/target_aarch64.hpp"
#include "platform/cpu.hpp"

namespace slipway::cpu {
namespace {

#if defined(__x86_64__)
bool cpu_has_tiles() {
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16");
}

bool has(Level level) {
  __builtin_cpu_init();
  switch (level) {
    case Level::Sse42:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case Level::Avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") && has(Level::Sse42);
    case Level::Avx2Vnni:
      return __builtin_cpu_supports("avxvnni") && has(Level::Avx2);
    case Level::Avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && has(Level::Avx2);
    case Level::Avx512Vnni:
      return __builtin_cpu_supports("avx512vnni") && has(Level::Avx512);
    case Level::Amx:
      return cpu_has_tiles() && has(Level::Avx512Vnni) && platform::may_use_tiles();
    default:
      return false;
  }
}
bool is_amd() { return __builtin_cpu_is("amd"); }

std::vector<std::string> unused() {
  __builtin_cpu_init();
  std::vector<std::string> names;
  if (__builtin_cpu_supports("avx512bf16")) names.emplace_back("avx512_bf16");
  if (__builtin_cpu_supports("avx512fp16")) names.emplace_back("avx512_fp16");
  if (cpu_has_tiles() && !platform::may_use_tiles()) {
    names.emplace_back("amx_int8 (no permission)");
    names.emplace_back("amx_bf16 (no permission)");
  }
  return names;
}

std::string brand() { return platform::cpu_brand(); }
#else
bool has(Level level) { return aarch64::has(level); }
bool is_amd() { return false; }
std::vector<std::string> unused() { return aarch64::unused(); }
std::string brand() { return aarch64::brand(); }
#endif

#if defined(__aarch64__)
constexpr Level kFirstLevel = Level::Neon, kLastLevel = Level::Sve2;
#else
constexpr Level kFirstLevel = Level::Sse42, kLastLevel = Level::Amx;
#endif

}  // namespace

bool has_engine() { return has(kFirstLevel); }

Result<> check_level_setting() {
  const char* const level = std::getenv("SLIPWAY_CPU_LEVEL");
  if (!level || *level == 0 || std::ranges::contains(kLevelNames, std::string_view(level))) return {};
  std::string names;
  for (const std::string_view name : kLevelNames) names += formatted("{}`{}`", names.empty() ? "" : ", ", name);
  return fail(DiagnosticKind::Usage, {}, formatted("SLIPWAY_CPU_LEVEL is `{}`, and not one of {}", level, names));
}

namespace {

std::string_view name_of(Architecture architecture) {
  return architecture == Architecture::Aarch64 ? "aarch64" : "x86_64";
}

std::string full_name(std::size_t level) {
  return formatted("{}+{}", name_of(architecture_of(static_cast<Level>(level))), kLevelNames[level]);
}

}  // namespace

std::optional<Level> level_named(std::string_view text) {
  for (std::size_t level = 0; level < std::size(kLevelNames); ++level) {
    const auto found = static_cast<Level>(level);
    if (text == full_name(level) || text == name_of(architecture_of(found))) return found;
  }
  return std::nullopt;
}

std::string level_names() {
  std::string names;
  for (std::size_t level = 0; level < std::size(kLevelNames); ++level)
    names += formatted("{}`{}`", names.empty() ? "" : ", ", full_name(level));
  return names;
}

Level host_level() {
  constexpr auto kFirst = static_cast<int>(kFirstLevel), kLast = static_cast<int>(kLastLevel);
  int level = kLast;
  if (const char* limit = std::getenv("SLIPWAY_CPU_LEVEL")) {
    const auto found = static_cast<int>(std::ranges::find(kLevelNames, std::string_view(limit)) - kLevelNames);
    if (found >= kFirst && found <= kLast) level = found;
  }
  while (level > kFirst && !has(static_cast<Level>(level))) --level;
  return static_cast<Level>(level);
}

std::optional<Target> target_of(Level level) {
  if (!has(level)) return std::nullopt;
  return any_target_of(level);
}

Target any_target_of(Level level) {
  if (architecture_of(level) == Architecture::Aarch64) return aarch64::target_of(level);
  Target target{.features = "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16", .tuning = "generic"};
  if (level >= Level::Avx2) {
    target.features += ",+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe";
    target.tuning = is_amd() ? "znver3" : "haswell";
    target.vector_bits = 256;
    target.has_fma = target.has_f16 = true;
  }
  if (level == Level::Avx2Vnni) {
    target.features += ",+avxvnni";
    target.tuning = is_amd() ? "znver5" : "alderlake";
    target.has_dot_products = true;
  }
  if (level >= Level::Avx512) {
    target.features += ",+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl";
    target.tuning = is_amd() ? "znver4" : "icelake-server";
    target.vector_bits = 512;
  }
  if (level >= Level::Avx512Vnni) {
    target.features += ",+avx512vnni";
    target.has_dot_products = true;
  }
  if (level >= Level::Amx) {
    target.features += ",+amx-tile,+amx-int8,+amx-bf16";
    target.tuning = "sapphirerapids";
    target.has_tiles = true;
  }
  target.lanes = target.vector_bits / 32;
  return target;
}

Target host_target() { return target_of(host_level()).value_or(Target{}); }

std::vector<std::string> unused_instructions() { return unused(); }

std::string host_name() {
  std::string name = brand();
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? "CPU" : name;
}

std::string engine_name() {
  return formatted("{} (CPU engine, {})", host_name(), kLevelNames[static_cast<std::size_t>(host_level())]);
}

lower::DeviceFacts facts_of(const Target& target) {
  lower::DeviceFacts facts;
  facts.addresses = true;
  facts.lanes = target.lanes;
  facts.native_vectors = true;
  const bool has_many = target.vector_bits == 512 || target.architecture == Architecture::Aarch64;
  facts.vector_registers = has_many ? 32 : 16;
  facts.dot_products = target.has_dot_products;
  facts.lane_factors = target.architecture == Architecture::Aarch64;
  facts.signed_dot_products = target.has_dot_products && facts.lane_factors;
  facts.subgroup_size = target.lanes;
  using enum tensor::ElementType;
  if (target.has_vector_matrices) {
    facts.vector_matrices = true;
    facts.matrices = {{.m = 4, .n = 4, .k = 8, .factors = I8, .sum = I32},
                      {.m = 4, .n = 4, .k = 4, .factors = BF16, .sum = F32}};
  }
  if (target.has_tiles) {
    // Sixteen rows of 64 bytes.
    facts.matrices = {{.m = 16, .n = 16, .k = 64, .factors = I8, .sum = I32},
                      {.m = 16, .n = 16, .k = 32, .factors = BF16, .sum = F32}};
  }
  facts.floats = {.signed_zero_inf_nan_preserve = true,
                  .denorm_preserve = true,
                  .rounding_rte = true,
                  .exact_division = true,
                  .f16_conversions = target.has_f16,
                  .fused_multiply_add = target.has_fma};
  return facts;
}

unsigned default_threads() { return platform::allowed_cores(); }

}  // namespace slipway::cpu
