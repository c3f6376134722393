// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a container, an archive or text: read, checked and printed without a crash.
#include <cstdint>

#include "json/writer.hpp"
#include "zeinfo/zebin/input.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  for (zebin::Input& input : zebin::read_inputs("fuzz", bytes, {}, diagnostics)) {
    zebin::check_input(input, {.level = zeinfo::Level::Runtime}, nullptr);
    const zebin::InspectOptions all{
        .layout = true, .sections = true, .symbols = true, .relocations = true, .notes = true};
    static_cast<void>(zebin::print_input(input, all));
    json::Writer out;
    zebin::write_input(out, input, all);
    for (const zeinfo::Kernel* kernel : zebin::chosen_kernels(input, {})) {
      static_cast<void>(zebin::layout_svg(zeinfo::layout_of(input.document, *kernel, input.target)));
    }
    if (input.zebin) static_cast<void>(zebin::spirv_of(input.zebin->elf));
  }
  return 0;
}
