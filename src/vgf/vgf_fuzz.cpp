// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read or rejected, and what is read can be checked, printed and written again.
#include "vgf/check.hpp"
#include "vgf/dump.hpp"
#include "vgf/read.hpp"
#include "vgf/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  Diagnostics diagnostics;
  const auto file = vgf::read_vgf(bytes, "fuzz.vgf", diagnostics);
  if (!file) return 0;
  vgf::check_vgf(*file, diagnostics);
  vgf::dump_json(*file);
  vgf::describe(*file);
  (void)vgf::scenario_template(*file, "fuzz.vgf", true);
  for (std::size_t i = 0; i < file->constants.size(); ++i) (void)vgf::constant_npy(*file, i);
  (void)vgf::reencode(*file, bytes, diagnostics);
  return 0;
}
