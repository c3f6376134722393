// What `slipway inspect` shows of a zebin or of ZE Info text: for people, and as JSON for scripts (ZE Info page, 3.12).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "zeinfo/layout.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::zebin {

struct InspectOptions {
  std::string kernel;  // this one alone; all when empty
  bool layout = false, sections = false, symbols = false, relocations = false, notes = false;
  bool defaults = false;                                     // in JSON: values that have their default too
  std::optional<std::array<std::uint32_t, 3>> occupancy_of;  // work-group size
  int eus = 16;                                              // of a subslice, for the occupancy
};

// The first line, then a paragraph for each kernel, then the tables that were asked for.
std::string print_input(const Input& input, const InspectOptions& options);
void write_input(json::Writer& out, const Input& input, const InspectOptions& options);

// The kernels that were asked for; the pseudo-kernel only by its name.
std::vector<const zeinfo::Kernel*> chosen_kernels(const Input& input, const InspectOptions& options);

// Where the argument is, in words: "stateless @24+8", "value @40+4".
std::string where_text(const zeinfo::Kernel& kernel, const zeinfo::PayloadArgument& argument);

// --- the layout as a picture -----------------------------------------------------------------------------------------

// One kernel's payload as an SVG: a row for each 32 bytes, arguments as boxes, holes hatched, the end of inline data
// marked.
std::string layout_svg(const zeinfo::PayloadLayout& layout);
// All of them as one HTML page without anything from elsewhere.
std::string layout_page(const std::string& title, const std::vector<zeinfo::PayloadLayout>& layouts);

}  // namespace slipway::zebin
