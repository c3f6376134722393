// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of one call of a trivial model on the CPU through the C++ interface: two inputs are written, the model runs,
// and the output is copied. Prints microseconds of one call: of the clock, and of the CPU. python_call.py compares
// Python with it.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "slipway/model.hpp"

namespace {

double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

}  // namespace

int main(int, char** arguments) {
  slipway::PrepareOptions options;
  options.threads = 1;
  const slipway::Model model = slipway::Model::load(arguments[1]).value();
  slipway::PreparedModel prepared = model.prepare(options).value();
  const std::vector<std::byte> a(prepared.inputs()[0].size()), b(prepared.inputs()[1].size());
  std::vector<std::byte> y(prepared.outputs()[0].size());
  const auto call = [&] {
    prepared.set_input("a", slipway::ByteView(a.data(), a.size())).value();
    prepared.set_input("b", slipway::ByteView(b.data(), b.size())).value();
    prepared.run().value();
    std::memcpy(y.data(), prepared.output_data(0), y.size());
  };
  for (int i = 0; i < 500; ++i) call();
  constexpr int kCalls = 5000;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = thread_microseconds();
  for (int i = 0; i < kCalls; ++i) call();
  const double used = thread_microseconds() - cpu;
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%.3f %.3f\n", passed.count() / kCalls, used / kCalls);
  return 0;
}
