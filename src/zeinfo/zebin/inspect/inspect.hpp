// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of `slipway inspect` for a zebin or ZE Info text: for people, and as JSON for scripts
// (docs/spec/zeinfo.md#commands).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::zebin {

struct InspectOptions {
  std::string kernel;  // only this kernel; all when empty
  bool layout = false, sections = false, symbols = false, relocations = false, notes = false;
  bool isa = false;                                          // the instructions, if they were read (isa.hpp)
  bool defaults = false;                                     // in JSON: also keys with their default value
  std::optional<std::array<std::uint32_t, 3>> occupancy_of;  // work-group size
  int eus = 0;                                               // EUs of a subslice, for the occupancy; 0: the device's
  std::uint64_t local_memory = 0;                            // bytes of local arguments, for the occupancy
};

// A summary line, then a paragraph per kernel, then the requested tables.
std::string print_input(const Input& input, const InspectOptions& options);
// Work groups of the chosen size that cannot run, one message per kernel.
std::vector<std::string> occupancy_problems(const Input& input, const InspectOptions& options);
void write_input(json::Writer& out, const Input& input, const InspectOptions& options);
// Of an archive; `inputs` are its zebins.
std::string archive_json(const std::string& path, Bytes archive, std::span<const Input> inputs,
                         const InspectOptions& options);
std::string inspect_schema();  // of both

// The requested kernels; the pseudo-kernel only if requested by name.
std::vector<const zeinfo::Kernel*> chosen_kernels(const Input& input, const InspectOptions& options);

// The position of the argument as text: "stateless @24+8", "value @40+4".
std::string where_text(const zeinfo::Kernel& kernel, const zeinfo::PayloadArgument& argument);

// --- the layout as a diagram -----------------------------------------------------------------------------------------

// One kernel's payload as an SVG: a row per 32 bytes, arguments as boxes, holes hatched, the end of inline data marked.
std::string layout_svg(const zeinfo::PayloadLayout& layout);
// All kernels as one self-contained HTML page.
std::string layout_page(const std::string& title, const std::vector<zeinfo::PayloadLayout>& layouts);

}  // namespace slipway::zebin
