// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast graphs run on a GPU, by its own clock: bench_gpu [TEXT]
//
// Matrix products, convolutions, memory-bound operators, and whole networks; with TEXT, those whose lines contain it.
// gpu_networks.py compares them with PyTorch. `host` is the time from submitting a run until the host sees its end,
// without the time of that run on the GPU: the median and the minimum over all runs.
#include <print>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "gpu/device/instance.hpp"
#include "graphs.hpp"
#include "launch/execute/open_device.hpp"
#include "networks.hpp"

namespace {

using namespace slipway;
using namespace slipway::bench;
using enum tosa::DataType;

std::string_view wanted;

bool wants(const std::string& line) { return line.contains(wanted); }

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
      const double time = time_for(matmul(n, n, n, kind.factors, kind.sum), device).device.best;
      std::println("{} {:8.1f} TFLOP/s or TOP/s", line, 2e-9 * static_cast<double>(n * n * n) / time);
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

void networks(const gpu::Device& device) {
  for (const auto& [make, batch] : {std::pair{mobilenet_v2, 1}, std::pair{resnet_50, 1},
                                    std::pair{transformer_block, 1}, std::pair{resnet_50, 32}}) {
    for (const Precision precision : {Precision::F32, Precision::F16, Precision::I8}) {
      if (batch > 1 && precision != Precision::F16) continue;
      const Network network = make(precision, batch);
      const std::string line = formatted("network {}.{}{}", network.graph.name, name_of(precision),
                                         batch > 1 ? formatted(".{}", batch) : "");
      if (!wants(line)) continue;
      const RunTimes time = time_for(network.graph, device);
      std::println("{:28} {:8.1f} us  host {:6.1f} us (at least {:.1f})", line, time.device.best * 1e3,
                   time.host.median * 1e3, time.host.best * 1e3);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) wanted = arguments[1];
  launch::DeviceOpening opening({.timestamps = true});
  const auto device = opening.get({.timestamps = true});
  if (!device) {
    std::println(stderr, "{}", device.error().front().message);
    return 5;
  }
  std::println("device: {}", (*device)->snapshot().name);
  products(**device);
  convolutions(**device);
  memory_bound(**device);
  networks(**device);
}
