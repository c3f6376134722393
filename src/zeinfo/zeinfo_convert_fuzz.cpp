// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first byte chooses a version; the rest is a text that is converted to it, laid out, packed and compared with
// itself.

#include <cstdint>
#include <cstdlib>

#include "zeinfo/kernel/compare.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/kernel/occupancy.hpp"
#include "zeinfo/kernel/pack.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/write/convert.hpp"
#include "zeinfo/write/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::zeinfo;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Diagnostics diagnostics;
  TextDiagnostics text_diagnostics("t.ze_info", text, diagnostics);
  const Document document = parse(text, text_diagnostics);
  const Target target = Target::of(devices()[size % devices().size()]);
  const auto converted = convert(document, Version::of_level(data[0] % 75 - 1), target);
  if (converted && !document.has_errors && !write(converted->document)) std::abort();
  LaunchValues launch{.groups = {data[0], 2, 3}, .local_size = {data[0], 2, 1}};
  launch.args = {ByValue{std::vector<std::byte>(data[0])}, BufferValue{.address = data[0], .size = 5},
                 ImageValue{.width = 7}, SamplerValue{}, LocalMemory{data[0]}};
  for (const Kernel& kernel : document.kernels) {
    print(layout_of(document, kernel, target));
    static_cast<void>(pack_cross_thread(kernel, target, launch));
    static_cast<void>(pack_local_ids(kernel, target, launch.local_size));
    static_cast<void>(occupancy(kernel, target, {.local_size = launch.local_size, .eus = 8, .local_memory = data[0]}));
  }
  // Only the first of two kernels with equal names is found.
  compare({&document, &target}, {&document, &target});
  return 0;
}
