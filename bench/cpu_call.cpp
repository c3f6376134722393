// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of calling a CPU function as recipes do, compared with a direct call: bench_cpu_call LIBRARY
//
// LIBRARY is tests/cpu_libraries/arithmetic.cpp, built. Its function `nothing` is empty, so only the call takes time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "recipe/cpu/call.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// Nanoseconds per call, in the fastest of several rounds.
template <class F>
double nanoseconds(F call) {
  constexpr int kRounds = 20, kCalls = 1'000'000;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kCalls);
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  using namespace slipway::recipe::cpu;
  if (count != 2) return 2;
  const auto library = load_library(arguments[1]);
  if (!library) return 3;
  const auto function = find_function(**library, "nothing");
  if (!function) return 3;
  FunctionCall call{.function = *function, .run = "bench", .location = {}, .arguments = {}};
  const auto callable = (*function)->callable;
  std::vector<std::any> values;
  const double direct = nanoseconds([&] { callable(values); });
  const double through = nanoseconds([&] { (void)run_call(call); });
  std::printf("direct %.2f ns, through run_call %.2f ns, more by %.2f ns\n", direct, through, through - direct);
  return 0;
}
