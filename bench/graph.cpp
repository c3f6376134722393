// How fast graphs run: bench_graph [SLIPWAY]
//
// On a processor's driver: rates as parts of OpenBLAS's, measured in turns with it. On a GPU: rates by the device's own
// clock. With the program SLIPWAY, the time of whole processes that run a model.
#include <fcntl.h>
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

#include "base/files.hpp"
#include "convert/write_model.hpp"
#include "gpu/instance.hpp"
#include "graphs.hpp"
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

// The wall time of the program running a model, with its caches in a folder.
double process(std::string program, const std::string& folder) {
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  std::string verb = "run", model = folder + "/chain.vgf", option = "--seed", seed = "1";
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
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / std::format("slipway-bench-{}", ::getpid());
  const std::vector<std::byte> model = convert::write_model(chain(kSmall, kChain)).value();
  double cold = 1e9, warm = 1e9;
  for (int i = 0; i < repeat; ++i) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    if (!write_file(folder / "chain.vgf", Bytes(model))) std::exit(5);
    cold = std::min(cold, process(program, folder));
    warm = std::min({warm, process(program, folder), process(program, folder)});
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
    matmul_ms =
        std::min(matmul_ms, time_of(matmul(1024, 1024, 1024, DataType::F32, DataType::F32), device, 6, true).best);
    conv_ms = std::min(conv_ms, time_of(convolution(image, DataType::F32), device, 100, true).best);
    int8_ms = std::min(int8_ms, time_of(convolution(image, DataType::I8), device, 100, true).best);
    one = std::min(one, time_of(pointwise(1 << 20, 1), device, 60, true).best);
    eight = std::min(eight, time_of(pointwise(1 << 20, 8), device, 60, true).best);
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

// The best time on a GPU by its own clock, in milliseconds. GPUs get up to speed only under load, so that the runs go
// on for a while.
double gpu_time(const tosa::Graph& graph, const gpu::Device& device) {
  constexpr double kLong = 300;
  const double once = time_of(graph, device, 5).median;
  return time_of(graph, device, static_cast<std::uint32_t>(std::clamp(kLong / once, 20.0, 5000.0)), true).best;
}

void on_gpu(const gpu::Device& device) {
  const auto rate = [&](const tosa::Graph& graph, double operations) {
    return operations / gpu_time(graph, device) * 1e-9;
  };
  std::println("{:>6} {:>12} {:>12} {:>12}   TFLOP/s", "size", "f32", "f16 to f32", "f16 to f16");
  for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
    const double operations = 2.0 * static_cast<double>(n * n * n);
    std::println("{:6} {:12.1f} {:12.1f} {:12.1f}", n, rate(matmul(n, n, n, DataType::F32, DataType::F32), operations),
                 rate(matmul(n, n, n, DataType::F16, DataType::F32), operations),
                 rate(matmul(n, n, n, DataType::F16, DataType::F16), operations));
  }
  std::println("3x3 convolutions of 16-bit floats, TFLOP/s, and their time");
  for (const auto& [size, channels] : {std::pair{56, 64}, std::pair{28, 128}, std::pair{14, 256}, std::pair{7, 512}}) {
    const bench::Image image{.size = size, .channels = channels, .out_channels = channels};
    const double operations = 2.0 * size * size * 9 * channels * channels;
    const double time = gpu_time(convolution(image, DataType::F16), device);
    std::println("{:3} x {:3} x {:3} {:12.2f} {:10.1f} us", size, size, channels, operations / time * 1e-9, time * 1e3);
  }
  const std::int64_t elements = 1 << 28;
  const double bytes = 8.0 * static_cast<double>(elements);
  std::println("pointwise, 1 GiB: one operator {:8.1f} GB/s, eight {:8.1f} GB/s",
               bytes / gpu_time(pointwise(elements, 1), device) * 1e-6,
               bytes / gpu_time(pointwise(elements, 8), device) * 1e-6);
  std::println("32 convolutions, 31 clamps: {:.1f} us on the device, {:.1f} us from submitting to the end",
               gpu_time(chain(kSmall, kChain), device) * 1e3, time_of(chain(kSmall, kChain), device, 2000).best * 1e3);
}

}  // namespace

int main(int count, char** arguments) {
  launch::DeviceOpening opening({.timestamps = true});
  const auto device = opening.get({.timestamps = true});
  if (!device) {
    std::println(stderr, "{}", device.error().front().message);
    return 5;
  }
  const gpu::Snapshot& snapshot = (*device)->snapshot();
  std::println("device: {}", snapshot.name);
  constexpr int kRounds = 4;
  const bool is_processor = snapshot.type == gpu::DeviceType::Cpu;
  if (is_processor)
    on_processor(**device, kRounds);
  else
    on_gpu(**device);
  memory(snapshot);
  // What a GPU's driver takes to start is not ours.
  if (is_processor && count > 1) processes(arguments[1], kRounds);
  return missed ? 1 : 0;
}
