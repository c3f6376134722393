// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_classifier FILE [SEED [SIZE [CHANNELS]]]: writes the network of network.hpp as a VGF file.
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "convert/write_model.hpp"
#include "network.hpp"

int main(int count, char** arguments) {
  classifier::Settings settings;
  const auto read = [&](int argument, auto& value) {
    if (argument >= count) return true;
    const char* end = arguments[argument] + std::strlen(arguments[argument]);
    return std::from_chars(arguments[argument], end, value).ptr == end;
  };
  // Three convolutions halve the size of the image, and blocks have 1.5 and 2 times the channels.
  const bool good = count >= 2 && count <= 5 && read(2, settings.seed) && read(3, settings.size) &&
                    read(4, settings.channels) && settings.size >= 8 && settings.size <= 1024 &&
                    settings.size % 8 == 0 && settings.channels >= 2 && settings.channels <= 1024 &&
                    settings.channels % 2 == 0;
  if (!good) {
    std::fputs(
        "usage: make_classifier FILE [SEED [SIZE [CHANNELS]]]\n"
        "SIZE is a multiple of 8 up to 1024 (32), CHANNELS an even number up to 1024 (16)\n",
        stderr);
    return 2;
  }
  const auto written = slipway::convert::write_model(classifier::network(settings)).and_then([&](const auto& bytes) {
    return slipway::write_file(arguments[1], slipway::Bytes(bytes));
  });
  if (written) return 0;
  std::fputs(slipway::format_diagnostics(written.error()).c_str(), stderr);
  return 5;
}
