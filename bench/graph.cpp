// How fast graphs run: bench_graph [--quick]
//
// On a processor's driver: rates as parts of OpenBLAS's, measured in turns with it, and the time of whole processes. On
// a GPU: rates by the device's own clock, against a copy.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <print>
#include <string>
#include <vector>

#include "graphs.hpp"
#include "gpu/instance.hpp"
#include "launch/open_device.hpp"
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

// Best time of a square matrix product by OpenBLAS on two cores; 0 where it is not installed.
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

// The wall time of this program run again for the chain, with its caches in a folder.
double process(const std::string& cache) {
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  std::string self = std::filesystem::read_symlink("/proc/self/exe"), argument = "--chain";
  char* arguments[] = {self.data(), argument.data(), nullptr};
  const auto start = Clock::now();
  pid_t child = 0;
  int status = 0;
  if (::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) != 0 ||
      ::waitpid(child, &status, 0) != child || status != 0) {
    std::println(stderr, "the process for the chain failed");
    std::exit(5);
  }
  return milliseconds_since(start);
}

void processes(int repeat) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / std::format("slipway-bench-{}", ::getpid());
  double cold = 1e9, warm = 1e9;
  for (int i = 0; i < repeat; ++i) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    cold = std::min(cold, process(folder));
    warm = std::min({warm, process(folder), process(folder)});
  }
  std::filesystem::remove_all(folder);
  row("32 convolutions, 31 clamps: whole process, cold caches", cold, 400, "ms", false);
  row("32 convolutions, 31 clamps: whole process, warm caches", warm, 100, "ms", false);
}

void memory(const gpu::Snapshot& snapshot) {
  for (const auto& [name, graph] : {std::pair{"chain", chain(kSmall, kChain)}, std::pair{"residual", residual(6)}}) {
    const auto program = lower::lower_graph(graph, {.device = model::device_facts(snapshot)});
    row(std::format("arena / liveness lower bound: {} ({} dispatches, {} kernels)", name, program->dispatches.size(),
                    program->kernels.size()),
        static_cast<double>(program->arena_size) / static_cast<double>(program->arena_lower_bound), 1.15, "x", false);
  }
}

void on_processor(const gpu::Device& device, int rounds) {
  const bench::Image image;
  double blas = 1e9, matmul_ms = 1e9, conv_ms = 1e9, int8_ms = 1e9, one = 1e9, eight = 1e9;
  for (int round = 0; round < rounds; ++round) {
    blas = std::min(blas, openblas(1024, 5));
    matmul_ms = std::min(matmul_ms, time_of(matmul(1024, 1024, 1024, DataType::F32, DataType::F32), device, 6).best);
    conv_ms = std::min(conv_ms, time_of(convolution(image, DataType::F32), device, 100).best);
    int8_ms = std::min(int8_ms, time_of(convolution(image, DataType::I8), device, 100).best);
    one = std::min(one, time_of(pointwise(1 << 20, 1), device, 60).best);
    eight = std::min(eight, time_of(pointwise(1 << 20, 8), device, 60).best);
  }
  const double products = 2.0 * 1024 * 1024 * 1024;
  const double conv_products = 2.0 * 64 * 64 * 9 * 32 * 32;
  const double rate = blas > 0 ? products / blas * 1e-6 : 0;
  std::println("OpenBLAS 1024 cubed, two threads      {:8.3f} ms {:8.1f} GFLOP/s", blas, rate);
  std::println("matrix product 1024 cubed             {:8.3f} ms {:8.1f} GFLOP/s", matmul_ms, products / matmul_ms * 1e-6);
  std::println("3x3 convolution, 32 to 32, 64x64      {:8.3f} ms {:8.1f} GFLOP/s", conv_ms,
               conv_products / conv_ms * 1e-6);
  std::println("the same, 8 bit with its rescale      {:8.3f} ms {:8.1f} GOP/s", int8_ms, conv_products / int8_ms * 1e-6);
  std::println("one pointwise operator, 2^20 floats   {:8.3f} ms\neight of them                         {:8.3f} ms", one,
               eight);
  if (rate > 0) {
    row("matrix product / OpenBLAS", products / matmul_ms * 1e-6 / rate, 0.45, "x", true);
    row("convolution / OpenBLAS's matrix product, rates", conv_products / conv_ms * 1e-6 / rate, 0.35, "x", true);
  }
  row("8-bit convolution / 32-bit floats, times", int8_ms / conv_ms, 1.5, "x", false);
  row("eight pointwise operators / one, times", eight / one, 1.5, "x", false);
}

void on_gpu(const gpu::Device& device) {
  const auto rate = [&](const tosa::Graph& graph, double operations) {
    return operations / time_of(graph, device, 60, true).best * 1e-9;
  };
  std::println("{:>6} {:>12} {:>12} {:>12}   TFLOP/s", "size", "f32", "f16 to f32", "f16 to f16");
  for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
    const double operations = 2.0 * static_cast<double>(n * n * n);
    std::println("{:6} {:12.1f} {:12.1f} {:12.1f}", n,
                 rate(matmul(n, n, n, DataType::F32, DataType::F32), operations),
                 rate(matmul(n, n, n, DataType::F16, DataType::F32), operations),
                 rate(matmul(n, n, n, DataType::F16, DataType::F16), operations));
  }
  std::println("3x3 convolutions of 16-bit floats, TFLOP/s, and their time");
  for (const auto& [size, channels] : {std::pair{56, 64}, std::pair{28, 128}, std::pair{14, 256}, std::pair{7, 512}}) {
    const bench::Image image{.size = size, .channels = channels, .out_channels = channels};
    const double operations = 2.0 * size * size * 9 * channels * channels;
    const double time = time_of(convolution(image, DataType::F16), device, 60, true).best;
    std::println("{:3} x {:3} x {:3} {:12.2f} {:10.1f} us", size, size, channels, operations / time * 1e-9, time * 1e3);
  }
  const std::int64_t elements = 1 << 28;
  const double bytes = 8.0 * static_cast<double>(elements);
  std::println("pointwise, 1 GiB: one operator {:8.1f} GB/s, eight {:8.1f} GB/s",
               bytes / time_of(pointwise(elements, 1), device, 20, true).best * 1e-6,
               bytes / time_of(pointwise(elements, 8), device, 20, true).best * 1e-6);
  const Times whole = time_of(chain(kSmall, kChain), device, 60, true), host = time_of(chain(kSmall, kChain), device, 60);
  std::println("32 convolutions, 31 clamps: {:.1f} us on the device, {:.1f} us from submitting to the end",
               whole.best * 1e3, host.best * 1e3);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view argument = count > 1 ? arguments[1] : "";
  if (argument == "--chain") {
    run_alone(chain(kSmall, kChain));
    return 0;
  }
  launch::DeviceOpening opening({.timestamps = true});
  const auto device = opening.get({.timestamps = true});
  if (!device) {
    std::println(stderr, "{}", device.error().front().message);
    return 5;
  }
  const gpu::Snapshot& snapshot = (*device)->snapshot();
  std::println("device: {}", snapshot.name);
  const int rounds = argument == "--quick" ? 1 : 4;
  if (snapshot.type == gpu::DeviceType::Cpu)
    on_processor(**device, rounds);
  else
    on_gpu(**device);
  memory(snapshot);
  processes(rounds);
  return missed ? 1 : 0;
}
