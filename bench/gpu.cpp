// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast graphs run on a GPU, by its own clock: bench_gpu [--as-gpu] [--separate-attention] [--candidates] [TEXT]
//
// Matrix products, convolutions, memory-bound operators, attention, and whole networks; with TEXT, those whose lines
// contain it. With --as-gpu, a driver for CPUs gets the kernels of a GPU; with --separate-attention,
// networks compute attention by several kernels. --candidates also measures all parameters of kernels that tuning could
// choose for products and attention.
// gpu_networks.py compares them with PyTorch. `host` is the time from submitting a run until the host sees its end,
// without the time of that run on the GPU: the median and the minimum over all runs.
#include <cstdio>
#include <print>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "gpu/device/instance.hpp"
#include "graphs.hpp"
#include "model/device_facts.hpp"
#include "model/tuning/tuning_table.hpp"
#include "networks.hpp"

namespace {

using namespace slipway;
using namespace slipway::bench;
using enum tosa::DataType;

std::string_view wanted;
bool as_gpu = false, separate_attention = false, all_candidates = false;

bool wants(const std::string& line) { return line.contains(wanted); }

// With the tables that the program contains or that SLIPWAY_TUNING names, and not with those of the cache.
lower::LowerOptions options_for(const gpu::Device& device) {
  Diagnostics diagnostics;
  lower::LowerOptions options{.device = model::tuned_facts(device.snapshot(), Cache(), diagnostics)};
  if (as_gpu) options.device.lanes = 0;
  options.fuse_attention = !separate_attention;
  return options;
}

// The times of all candidates of a graph, the estimated best one first.
void print_candidates(const tosa::Graph& graph, const gpu::Device& device) {
  if (!all_candidates) return;
  lower::LowerOptions options = options_for(device);
  options.list_sites = true;
  const auto program = lower::lower_graph(graph, options);
  options.list_sites = false;
  for (const lower::TuningSite& site : program->sites) {
    std::println("  {}", site.what);
    for (const lower::Parameters& candidate : site.candidates) {
      options.device.tuning = {{site.what, candidate}};
      std::string text;
      for (const auto& [name, value] : candidate) text += formatted(" {} {}", name, value);
      std::println("  {:9.1f} us {}", time_for(graph, options, device, 60).device.best * 1e3, text);
    }
  }
}

void products(const gpu::Device& device) {
  struct Kind {
    std::string_view name;
    tosa::DataType factors, sum;
  };
  for (const Kind& kind : {Kind{"f32", F32, F32}, Kind{"f16 to f32", F16, F32}, Kind{"f16 to f16", F16, F16},
                           Kind{"bf16 to f32", BF16, F32}, Kind{"i8 to i32", I8, I32}}) {
    for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
      const std::string line = formatted("product {:11} {:5}", kind.name, n);
      if (!wants(line)) continue;
      const tosa::Graph graph = matmul(n, n, n, kind.factors, kind.sum);
      const double time = time_for(graph, device).device.best;
      std::println("{} {:8.1f} TFLOP/s or TOP/s", line, 2e-9 * static_cast<double>(n * n * n) / time);
      print_candidates(graph, device);
    }
  }
}

void convolutions(const gpu::Device& device) {
  for (const auto& [size, channels] : {std::pair{56, 64}, std::pair{28, 128}, std::pair{14, 256}, std::pair{7, 512}}) {
    const std::string line = formatted("convolution f16 3x3 {:2} x {:2} x {:3}", size, size, channels);
    if (!wants(line)) continue;
    const bench::Image image{.size = size, .channels = channels, .out_channels = channels};
    const double time = time_for(convolution(image, F16), device).device.best;
    std::println("{} {:8.2f} TFLOP/s {:8.1f} us", line, 2e-9 * size * size * 9 * channels * channels / time,
                 time * 1e3);
  }
}

void memory_bound(const gpu::Device& device) {
  constexpr std::int64_t kElements = 1 << 28;
  const double bytes = 8.0 * static_cast<double>(kElements);
  for (const int operators : {1, 8}) {
    const std::string line = formatted("pointwise x{}, 1 GiB", operators);
    if (wants(line))
      std::println("{} {:8.1f} GB/s", line,
                   bytes / time_for(pointwise(kElements, operators), device).device.best * 1e-6);
  }
}

// One kernel against separate ones.
void attentions(const gpu::Device& device) {
  constexpr AttentionSize kSizes[] = {
      {4, 128, 128, 64}, {12, 128, 128, 64}, {96, 128, 128, 64}, {16, 1024, 1024, 64}, {16, 4096, 4096, 128}};
  for (const tosa::DataType type : {F16, F32}) {
    for (const AttentionSize& size : kSizes) {
      const std::string line = formatted("attention {} {:2} x {:4} x {:4} of {:3}", tosa::name_of(type), size.batches,
                                         size.rows, size.keys, size.depth);
      if (!wants(line)) continue;
      const tosa::Graph graph = attention(size, type);
      lower::LowerOptions options = options_for(device);
      double fused = 1e9, apart = 1e9;
      // In turn, since clock rates and other load change.
      for (int round = 0; round < 2; ++round) {
        options.fuse_attention = true;
        fused = std::min(fused, time_for(graph, options, device).device.best);
        options.fuse_attention = false;
        apart = std::min(apart, time_for(graph, options, device).device.best);
      }
      const double products = 4.0 * static_cast<double>(size.batches * size.rows * size.keys * size.depth);
      std::println("{} {:9.1f} us, separate kernels {:9.1f} us, speed {:5.2f}, {:6.2f} TFLOP/s", line, fused * 1e3,
                   apart * 1e3, apart / fused, products / fused * 1e-9);
      print_candidates(graph, device);
    }
  }
}

void networks(const gpu::Device& device) {
  struct Row {
    std::string_view name;
    Network (*make)(Precision, std::int64_t);
    std::int64_t batch = 1;
    bool only_f16 = false;
  };
  constexpr Row kRows[] = {{"mobilenet_v2", mobilenet_v2},     {"resnet_50", resnet_50},
                           {"transformer", transformer_block}, {"encoder", encoder, 1, true},
                           {"encoder", encoder, 8, true},      {"mobilenet_v2", mobilenet_v2, 32, true},
                           {"resnet_50", resnet_50, 32, true}};
  for (const auto& [name, make, batch, only_f16] : kRows) {
    for (const Precision precision : {Precision::F32, Precision::F16, Precision::I8}) {
      if (only_f16 && precision != Precision::F16) continue;
      const std::string line =
          formatted("network {}.{}{}", name, name_of(precision), batch > 1 ? formatted(".{}", batch) : "");
      if (!wants(line)) continue;
      const RunTimes time = time_for(make(precision, batch).graph, options_for(device), device);
      std::println("{:28} {:8.1f} us  host {:6.1f} us (at least {:.1f})", line, time.device.best * 1e3,
                   time.host.median * 1e3, time.host.best * 1e3);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    if (std::string_view(arguments[i]) == "--as-gpu")
      as_gpu = true;
    else if (std::string_view(arguments[i]) == "--separate-attention")
      separate_attention = true;
    else if (std::string_view(arguments[i]) == "--candidates")
      all_candidates = true;
    else
      wanted = arguments[i];
  }
  launch::DeviceOpening opening({.timestamps = true});
  const auto device = opening.get({.timestamps = true});
  if (!device) {
    std::println(stderr, "{}", device.error().front().message);
    return 5;
  }
  const lower::DeviceFacts facts = model::device_facts((*device)->snapshot());
  std::println("device: {}, {} multiprocessors of {} invocations", (*device)->snapshot().name, facts.multiprocessors,
               facts.invocations_of_multiprocessor);
  std::fflush(stdout);
  products(**device);
  convolutions(**device);
  memory_bound(**device);
  attentions(**device);
  networks(**device);
}
