// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_networks DIRECTORY [BATCH]: writes each network in each precision as NAME.PRECISION.vgf and, for other runtimes,
// NAME.PRECISION.json with its layers and NAME.PRECISION.weights with their weights.
#include <cstdlib>
#include <print>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "convert/write_model.hpp"
#include "networks.hpp"

int main(int count, char** arguments) {
  using namespace slipway;
  const std::int64_t batch = count == 3 ? std::atoll(arguments[2]) : 1;
  if (count < 2 || count > 3 || batch < 1) {
    std::println(stderr, "usage: make_networks DIRECTORY [BATCH]");
    return 2;
  }
  for (const bench::Precision precision : {bench::Precision::F32, bench::Precision::F16, bench::Precision::I8}) {
    for (const auto make : {bench::mobilenet_v2, bench::resnet_50, bench::transformer_block}) {
      const bench::Network network = make(precision, batch);
      const Path stem = Path(arguments[1]) / formatted("{}.{}", network.graph.name, bench::name_of(precision));
      const auto file = [&](std::string_view extension) { return Path(stem.string() + std::string(extension)); };
      const Result<> written = convert::write_model(network.graph)
                                   .and_then([&](const auto& bytes) { return write_file(file(".vgf"), Bytes(bytes)); })
                                   .and_then([&] { return write_file(file(".json"), network.layers); })
                                   .and_then([&] { return write_file(file(".weights"), Bytes(network.weights)); });
      if (written) continue;
      std::print(stderr, "{}", format_diagnostics(written.error()));
      return 5;
    }
  }
}
