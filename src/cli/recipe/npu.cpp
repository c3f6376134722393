// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` and `slipway check` on xclbin files and control-code ELF files.

#include "base/format.hpp"
#include "cli/recipe/npu_verbs.hpp"
#include "recipe/control_code/print.hpp"
#include "recipe/xclbin/print.hpp"

namespace slipway::cli {
namespace {

// How to read and print one of the formats.
template <class File>
struct Reader {
  std::string_view what;
  std::optional<File> (*read)(Bytes bytes, std::string_view file, Diagnostics& diagnostics);
  std::string (*print)(const File& file);
  void (*write)(const File& file, json::Writer& out);
};

constexpr Reader<recipe::xclbin::Xclbin> kXclbin = {"xclbin files", recipe::xclbin::read_xclbin,
                                                    recipe::xclbin::print_xclbin, recipe::xclbin::write_xclbin};
constexpr Reader<recipe::control_code::ControlCode> kControlCode = {
    "control-code and configuration ELF files", recipe::control_code::read_control_code,
    recipe::control_code::print_control_code, recipe::control_code::write_control_code};

template <class File>
std::optional<File> read_file(const Reader<File>& reader, const std::string& path, Diagnostics& diagnostics) {
  const std::optional<ContentOf> content = diagnostics.take(ContentOf::read(path));
  if (!content) return std::nullopt;
  return reader.read(content->content().bytes, path == "-" ? "<stdin>" : path, diagnostics);
}

template <class File>
int inspect(const Reader<File>& reader, const Arguments& arguments) {
  CommandLine line("slipway inspect",
                   formatted("Shows what is in {}: no section contents, no disassembly.", reader.what),
                   "slipway inspect examples/npu/design.xclbin");
  ReportStyle style;
  std::string path;
  line.add_report_options(style);
  line.add_option("file", path, "the file; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  if (const std::optional<File> file = read_file(reader, path, diagnostics)) {
    if (style.json) {
      json::Writer out;
      reader.write(*file, out);
      print(out.text());
    } else {
      print(reader.print(*file));
    }
  }
  // The readable part is on standard output; diagnostics go to standard error.
  return diagnostics.empty() ? 0 : report(diagnostics, style);
}

template <class File>
int check(const Reader<File>& reader, const Arguments& arguments) {
  CommandLine line("slipway check", formatted("Finds errors in the structure of {}.", reader.what),
                   "slipway check examples/npu/design.xclbin");
  ReportStyle style;
  std::vector<std::string> paths;
  line.add_report_options(style);
  line.add_option("files", paths, "the files; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& path : paths) (void)read_file(reader, path, diagnostics);
  return report_check(diagnostics, style, paths);
}

}  // namespace

bool is_xclbin(const Content& content) { return recipe::xclbin::is_xclbin(content.bytes); }
int inspect_xclbin(const Arguments& arguments) { return inspect(kXclbin, arguments); }
int check_xclbin(const Arguments& arguments) { return check(kXclbin, arguments); }

bool is_control_code(const Content& content) { return recipe::control_code::is_control_code(content.bytes); }
int inspect_control_code(const Arguments& arguments) { return inspect(kControlCode, arguments); }
int check_control_code(const Arguments& arguments) { return check(kControlCode, arguments); }

}  // namespace slipway::cli
