// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast graphs run on a CPU driver: bench_graph [SLIPWAY]
//
// Rates are compared with those of OpenBLAS, which is measured in turn with Slipway. SLIPWAY is the program: with it,
// whole processes that run a model are measured too. (bench_gpu measures GPUs.)
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <print>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "convert/write_model.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "gpu/device/instance.hpp"
#include "graphs.hpp"
#include "model/device_facts.hpp"

#ifdef SLIPWAY_BENCH_OPENBLAS
#include <cblas.h>
#endif

extern char** environ;

namespace {

using namespace slipway;
using namespace slipway::bench;
using tosa::DataType;
using Clock = std::chrono::steady_clock;

constexpr bench::Image kSmall{.size = 32, .channels = 32, .out_channels = 32};
constexpr int kChain = 32;

int missed = 0;

void row(const std::string& what, double value, double limit, std::string_view unit, bool at_least) {
  const bool holds = at_least ? value >= limit : value <= limit;
  missed += !holds;
  std::println("{:66} {:8.2f} {:3} (at {} {}) {}", what, value, unit, at_least ? "least" : "most", limit,
               holds ? "holds" : "MISSED");
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Best time of a square matrix product by OpenBLAS on two cores, in milliseconds; 0 if it is not installed.
double openblas([[maybe_unused]] int size, [[maybe_unused]] int repeat) {
  double best = 0;
#ifdef SLIPWAY_BENCH_OPENBLAS
  const auto count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  std::vector<float> a(count, 0.5F), b(count, 0.25F), c(count);
  openblas_set_num_threads(2);
  for (int i = 0; i < repeat; ++i) {
    const auto start = Clock::now();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a.data(), size, b.data(), size, 0,
                c.data(), size);
    const double time = milliseconds_since(start);
    best = best == 0 ? time : std::min(best, time);
  }
#endif
  return best;
}

// The wall time of a process of the program that runs the model in `directory`, in milliseconds. Its caches are there
// too.
double process(std::string program, const std::string& directory) {
  ::setenv("XDG_CACHE_HOME", directory.c_str(), 1);
  std::string verb = "run", model = directory + "/chain.vgf", option = "--seed", seed = "1";
  char* arguments[] = {program.data(), verb.data(), model.data(), option.data(), seed.data(), nullptr};
  posix_spawn_file_actions_t silent;
  ::posix_spawn_file_actions_init(&silent);
  ::posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = Clock::now();
  pid_t child = 0;
  int status = 0;
  if (::posix_spawn(&child, program.c_str(), &silent, nullptr, arguments, environ) != 0 ||
      ::waitpid(child, &status, 0) != child || status != 0) {
    std::println(stderr, "`{} run {}` failed", program, model);
    std::exit(5);
  }
  const double time = milliseconds_since(start);
  ::posix_spawn_file_actions_destroy(&silent);
  return time;
}

void processes(const std::string& program, int repeat) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / formatted("slipway-bench-{}", ::getpid());
  const std::vector<std::byte> model = convert::write_model(chain(kSmall, kChain)).value();
  double cold = 1e9, warm = 1e9;
  for (int i = 0; i < repeat; ++i) {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    if (!write_file(directory / "chain.vgf", Bytes(model))) std::exit(5);
    cold = std::min(cold, process(program, directory));
    warm = std::min({warm, process(program, directory), process(program, directory)});
  }
  std::filesystem::remove_all(directory);
  row("32 convolutions, 31 clamps: whole process, cold caches", cold, 400, "ms", false);
  row("32 convolutions, 31 clamps: whole process, warm caches", warm, 100, "ms", false);
}

void memory(const vk::Snapshot& snapshot) {
  for (const auto& [name, graph] : {std::pair{"chain", chain(kSmall, kChain)}, std::pair{"residual", residual(6)}}) {
    const auto program = lower::lower_graph(graph, {.device = model::device_facts(snapshot)});
    row(formatted("arena / liveness lower bound: {} ({} dispatches, {} kernels)", name, program->dispatches.size(),
                  program->kernels.size()),
        static_cast<double>(program->arena_size) / static_cast<double>(program->arena_lower_bound), 1.15, "x", false);
  }
}

void on_cpu(const gpu::Device& device, int rounds) {
  const bench::Image image;
  double blas = 1e9, matmul_ms = 1e9, conv_ms = 1e9, int8_ms = 1e9, one = 1e9, eight = 1e9;
  for (int round = 0; round < rounds; ++round) {
    blas = std::min(blas, openblas(1024, 5));
    matmul_ms =
        std::min(matmul_ms, time_of(matmul(1024, 1024, 1024, DataType::F32, DataType::F32), device, 6).device.best);
    conv_ms = std::min(conv_ms, time_of(convolution(image, DataType::F32), device, 100).device.best);
    int8_ms = std::min(int8_ms, time_of(convolution(image, DataType::I8), device, 100).device.best);
    one = std::min(one, time_of(pointwise(1 << 20, 1), device, 60).device.best);
    eight = std::min(eight, time_of(pointwise(1 << 20, 8), device, 60).device.best);
  }
  const double products = 2.0 * 1024 * 1024 * 1024;
  const double conv_products = 2.0 * 64 * 64 * 9 * 32 * 32;
  const double rate = blas > 0 ? products / blas * 1e-6 : 0;
  std::println("OpenBLAS 1024 cubed, two threads      {:8.3f} ms {:8.1f} GFLOP/s", blas, rate);
  std::println("matrix product 1024 cubed             {:8.3f} ms {:8.1f} GFLOP/s", matmul_ms,
               products / matmul_ms * 1e-6);
  std::println("3x3 convolution, 32 to 32, 64x64      {:8.3f} ms {:8.1f} GFLOP/s", conv_ms,
               conv_products / conv_ms * 1e-6);
  std::println("the same, 8 bit with its rescale      {:8.3f} ms {:8.1f} GOP/s", int8_ms,
               conv_products / int8_ms * 1e-6);
  std::println("one pointwise operator, 2^20 floats   {:8.3f} ms\neight of them                         {:8.3f} ms",
               one, eight);
  if (rate > 0) {
    row("matrix product / OpenBLAS", products / matmul_ms * 1e-6 / rate, 0.60, "x", true);
    row("convolution / OpenBLAS's matrix product, rates", conv_products / conv_ms * 1e-6 / rate, 0.35, "x", true);
  }
  row("8-bit convolution / 32-bit floats, times", int8_ms / conv_ms, 1.5, "x", false);
  row("eight pointwise operators / one, times", eight / one, 1.5, "x", false);
}

}  // namespace

int main(int count, char** arguments) {
  launch::DeviceOpening opening({.timestamps = true});
  const auto device = opening.get({.timestamps = true});
  if (!device) {
    std::println(stderr, "{}", device.error().front().message);
    return 5;
  }
  const vk::Snapshot& snapshot = (*device)->snapshot();
  std::println("device: {}", snapshot.name);
  if (snapshot.type != vk::DeviceType::Cpu) {
    std::println("the device is not a CPU; bench_gpu measures it");
    return 0;
  }
  constexpr int kRounds = 4;
  on_cpu(**device, kRounds);
  memory(snapshot);
  if (count > 1) processes(arguments[1], kRounds);
  return missed ? 1 : 0;
}
