// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_networks DIRECTORY [BATCH [NAME.PRECISION]]: writes each network in each precision as NAME.PRECISION.vgf and,
// for other runtimes, NAME.PRECISION.json with its layers and NAME.PRECISION.weights with their weights. The large ones
// (`encoder`) are written only by name.
#include <cstdlib>
#include <print>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "convert/write_model.hpp"
#include "networks.hpp"

int main(int count, char** arguments) {
  using namespace slipway;
  const std::int64_t batch = count >= 3 ? std::atoll(arguments[2]) : 1;
  const std::string_view wanted = count == 4 ? arguments[3] : "";
  if (count < 2 || count > 4 || batch < 1) {
    std::println(stderr, "usage: make_networks DIRECTORY [BATCH [NAME.PRECISION]]");
    return 2;
  }
  struct Entry {
    std::string_view name;
    bench::Network (*make)(bench::Precision, std::int64_t);
    bool by_name_only = false;
  };
  constexpr Entry kEntries[] = {{"mobilenet_v2", bench::mobilenet_v2},
                                {"resnet_50", bench::resnet_50},
                                {"transformer", bench::transformer_block},
                                {"encoder", bench::encoder, true}};
  std::size_t made = 0;
  for (const bench::Precision precision : {bench::Precision::F32, bench::Precision::F16, bench::Precision::I8}) {
    for (const Entry& entry : kEntries) {
      const std::string name = formatted("{}.{}", entry.name, bench::name_of(precision));
      if (wanted.empty() ? entry.by_name_only : wanted != name) continue;
      ++made;
      const bench::Network network = entry.make(precision, batch);
      const Path stem = Path(arguments[1]) / name;
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
  if (made > 0) return 0;
  std::println(stderr, "make_networks: there is no network `{}`; names are like `encoder.fp16`", wanted);
  return 2;
}
