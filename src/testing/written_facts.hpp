// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of facts for kernels of all kinds, as they are written here: nothing depends on the machine.
#pragma once

#include <string>
#include <vector>

#include "cpu/program.hpp"
#include "cpu/target.hpp"
#include "lower/options.hpp"
#include "testing/device_facts.hpp"

namespace slipway::testing {

// A GPU with cooperative matrices, whose dispatches start in order.
inline lower::DeviceFacts matrix_gpu_facts() {
  using enum tensor::ElementType;
  lower::DeviceFacts facts = gpu_facts();
  facts.starts_in_order = true;
  facts.matrices = {{.m = 16, .n = 16, .k = 16, .factors = F16, .sum = F32},
                    {.m = 16, .n = 16, .k = 16, .factors = F16, .sum = F16},
                    {.m = 16, .n = 16, .k = 16, .factors = BF16, .sum = F32},
                    {.m = 16, .n = 16, .k = 32, .factors = I8, .sum = I32}};
  facts.floats = {
      .signed_zero_inf_nan_preserve = true, .denorm_preserve = true, .rounding_rte = true, .f16_conversions = true};
  return facts;
}

// A GPU of a phone.
inline lower::DeviceFacts mobile_gpu_facts() {
  lower::DeviceFacts facts{.addresses = true};
  facts.subgroup_size = 16;
  facts.shared_memory = 32768;
  facts.max_invocations = 512;
  facts.multiprocessors = 8;
  return facts;
}

struct NamedOptions {
  std::string name;
  lower::LowerOptions options;
};

inline std::vector<NamedOptions> options_of_all_kinds() {
  std::vector<NamedOptions> all = {{"plain", {}},
                                   {"gpu", {.device = gpu_facts()}},
                                   {"gpu-matrix", {.device = matrix_gpu_facts()}},
                                   {"gpu-small", {.device = small_gpu_facts(8)}},
                                   {"gpu-mobile", {.device = mobile_gpu_facts()}}};
  using enum cpu::Level;
  for (const cpu::Level level : {Sse42, Avx2, Avx2Vnni, Avx512, Amx, I8mm}) {
    all.push_back({std::string(cpu::kLevelNames[static_cast<std::size_t>(level)]),
                   {.device = cpu::facts_of(cpu::any_target_of(level)), .max_groups = cpu::kMaxGroups}});
  }
  return all;
}

}  // namespace slipway::testing
