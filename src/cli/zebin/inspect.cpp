// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` on Intel GPU kernels.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "cli/zebin/inspect_page.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/diagnostics.hpp"
#include "zeinfo/zebin/carve.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"

namespace slipway::cli {
namespace {

struct InspectVerbOptions {
  ReportStyle style;
  std::string file;
  zebin::InputOptions open;
  zebin::InspectOptions show;
  std::optional<std::string> layout;  // a file to draw; empty: print
  std::string local_size, page;
};

void check_kernel_name(const std::vector<zebin::Input>& inputs, const std::string& name, Diagnostics& diagnostics) {
  if (name.empty() || inputs.empty()) return;
  std::vector<std::string_view> names;
  for (const zebin::Input& input : inputs) {
    for (const zeinfo::Kernel& kernel : input.document.kernels) names.push_back(kernel.name);
  }
  if (std::ranges::contains(names, name)) return;
  Diagnostic& diagnostic =
      diagnostics.error(DiagnosticKind::UnknownReference, {}, formatted("there is no kernel `{}`", name));
  if (const auto near = closest(name, names)) diagnostic.hint(formatted("did you mean `{}`?", *near));
}

void draw(const std::vector<zebin::Input>& inputs, const InspectVerbOptions& options, Diagnostics& diagnostics) {
  std::vector<zeinfo::PayloadLayout> layouts;
  for (const zebin::Input& input : inputs) {
    for (const zeinfo::Kernel* kernel : chosen_kernels(input, options.show)) {
      layouts.push_back(layout_of(input.document, *kernel, input.target));
    }
  }
  std::string text;
  if (!options.layout->ends_with(".svg")) {
    text = zebin::layout_page(options.file, layouts);
  } else if (layouts.size() == 1) {
    text = zebin::layout_svg(layouts[0]);
  } else {
    diagnostics.error(DiagnosticKind::Usage, {},
                      formatted("an SVG shows one kernel, but there are {}; choose one with --kernel, or write a .html",
                                layouts.size()));
    return;
  }
  if (Result<> written = write_file(*options.layout, text); !written) diagnostics.add(std::move(written.error()));
}

void print_json(const std::vector<zebin::Input>& inputs, const InspectVerbOptions& options, Bytes archive) {
  if (!archive.empty()) {
    print(zebin::archive_json(options.file, archive, inputs, options.show));
  } else if (!inputs.empty()) {
    json::Writer out;
    write_input(out, inputs[0], options.show);
    print(out.text());
  }
}

std::string print_archive(const std::string& file, Bytes archive) {
  const std::vector<zebin::MemberInfo> members = zebin::members_of(archive);
  const bool is_host = zebin::is_host_file(archive);
  const std::string_view host = zebin::is_offload_bundle(archive) ? "offload bundle" : "file for a CPU";
  std::string text = formatted("{}: {} with {} {}{}, {} bytes\n", file, is_host ? host : "archive", members.size(),
                               is_host ? "zebin" : "member", members.size() == 1 ? "" : "s", archive.size());
  for (const zebin::MemberInfo& member : members) {
    text += formatted("  {} @{:#x}, {} bytes{}\n", zebin::printable(member.name), member.offset, member.size,
                      member.is_zebin ? "" : ", not an ELF file");
  }
  return text;
}

// Returns an exit status if the verb has to end. Combinations that are not valid are reported.
std::optional<int> parse_options(const Arguments& arguments, InspectVerbOptions& options, Diagnostics& diagnostics) {
  CommandLine line(
      "slipway inspect",
      "Shows the contents of Intel GPU kernels: zebin files, archives of them, programs and libraries that "
      "contain them, ZE Info text and JSON.",
      "slipway inspect --kernel saxpy --layout kernel.bin");
  line.add_option(
      "file", options.file,
      "a zebin, an archive, a program or library with zebins, an unpacked directory, or ZE Info; `-` is standard "
      "input");
  line.add_report_options(options.style);
  line.add_option("--kernel", options.show.kernel, "show only this kernel");
  line.add_flag("--layout", options.layout, "FILE",
                "show where each argument is in the payload, or draw it as FILE.html or FILE.svg");
  line.add_flag("--sections", options.show.sections, "show the sections of the container");
  line.add_flag("--symbols", options.show.symbols, "show its symbols");
  line.add_flag("--relocations", options.show.relocations, "show its relocations");
  line.add_flag("--notes", options.show.notes, "show its notes");
  line.add_flag("--isa", options.show.isa, "show the instructions of kernels; needs Intel's library libiga64");
  line.add_option("--html", options.page, "also write everything as a page to this file, with layouts and occupancy");
  add_open_options(line, options.open);
  line.add_flag("--defaults", options.show.defaults, "in JSON: also show values that are the default");
  bool occupancy = false;
  line.add_flag("--occupancy", occupancy, "show how many work groups run at the same time; needs --local-size");
  line.add_option("--local-size", options.local_size, "the work-group size: X, X,Y or X,Y,Z");
  line.add_option("--eus", options.show.eus, "EUs of a subslice (those of the device)").range(1, 1024);
  line.add_option("--local-memory", options.show.local_memory, "bytes of local arguments, for --occupancy");
  if (const std::optional<int> status = line.parse(arguments)) return status;
  options.show.layout = options.layout && options.layout->empty();

  if (options.file.empty()) diagnostics.error(DiagnosticKind::Usage, {}, "no file is given");
  if (occupancy && options.local_size.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "--occupancy needs --local-size X,Y,Z");
  if (!options.local_size.empty()) {
    if (!occupancy) diagnostics.error(DiagnosticKind::Usage, {}, "--local-size needs --occupancy");
    options.show.occupancy_of = work_group_size(options.local_size, diagnostics);
  }
  check_product(options.open.product, diagnostics);
  options.open.limit = options.style.max_errors;
  return std::nullopt;
}

}  // namespace

int inspect_zebin(const Arguments& arguments) {
  InspectVerbOptions options;
  Diagnostics diagnostics;
  if (const std::optional<int> status = parse_options(arguments, options, diagnostics)) return *status;
  if (diagnostics.has_errors()) return report(diagnostics, options.style);

  std::optional<ContentOf> content;
  if (Result<ContentOf> read = ContentOf::read(options.file)) content = std::move(*read);
  const Bytes bytes = content ? content->content().bytes : Bytes();
  const Bytes archive = zebin::is_archive(bytes) || zebin::is_host_file(bytes) ? bytes : Bytes();
  std::vector<zebin::Input> inputs = open_inputs(options.file, options.open, diagnostics);
  if (options.show.isa) read_instructions(inputs, diagnostics);
  check_kernel_name(inputs, options.show.kernel, diagnostics);
  if (options.style.json) {
    print_json(inputs, options, archive);
  } else {
    if (!archive.empty()) print(print_archive(options.file, archive));
    for (const zebin::Input& input : inputs) print(print_input(input, options.show));
  }
  for (const zebin::Input& input : inputs) {
    for (std::string& problem : occupancy_problems(input, options.show))
      diagnostics.error(DiagnosticKind::WorkGroupSize, SourceLocation::in_file(options.file), std::move(problem));
  }
  if (!options.page.empty() && !inputs.empty() && !diagnostics.has_errors()) {
    if (Result<> written = write_file(options.page, inspect_page(options.file, inputs, options.show)); !written)
      diagnostics.add(std::move(written.error()));
  }
  const bool drawn = options.layout && !options.layout->empty() && !inputs.empty() && !diagnostics.has_errors();
  if (drawn) draw(inputs, options, diagnostics);
  if (diagnostics.empty()) return 0;
  return report(diagnostics, options.style);
}

}  // namespace slipway::cli
