// slipway inspect on Intel GPU kernels.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/diagnostics.hpp"
#include "zeinfo/zebin/inspect.hpp"

namespace slipway::cli {
namespace {

struct Settings {
  ReportStyle style;
  std::string file;
  zebin::OpenOptions open;
  zebin::InspectOptions show;
  std::string picture;  // --layout=FILE
  std::string local_size;
};

// `--layout` alone prints; `--layout=FILE` draws.
Arguments with_picture(const Arguments& arguments, Settings& settings) {
  Arguments rest;
  constexpr std::string_view kPicture = "--layout=";
  for (const std::string& argument : arguments) {
    if (argument.starts_with(kPicture)) {
      settings.picture = argument.substr(kPicture.size());
    } else {
      rest.push_back(argument);
    }
  }
  return rest;
}

// One to three positive numbers; those left out are 1.
std::optional<std::array<std::uint32_t, 3>> size_of(std::string_view text) {
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  for (std::uint32_t& number : size) {
    const std::string_view word = text.substr(0, text.find(','));
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number == 0) return std::nullopt;
    if (word.size() == text.size()) return size;
    text.remove_prefix(word.size() + 1);
  }
  return std::nullopt;
}

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

void draw(const std::vector<zebin::Input>& inputs, const Settings& settings, Diagnostics& diagnostics) {
  std::vector<zeinfo::PayloadLayout> layouts;
  for (const zebin::Input& input : inputs) {
    for (const zeinfo::Kernel* kernel : chosen_kernels(input, settings.show)) {
      layouts.push_back(layout_of(input.document, *kernel, input.target));
    }
  }
  std::string text;
  if (!settings.picture.ends_with(".svg")) {
    text = zebin::layout_page(settings.file, layouts);
  } else if (layouts.size() == 1) {
    text = zebin::layout_svg(layouts[0]);
  } else {
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("an SVG shows one kernel, and there are {}; choose with --kernel, or write a .html", layouts.size()));
    return;
  }
  if (Result<> written = write_file(settings.picture, text); !written) diagnostics.add(std::move(written.error()));
}

void print_json(const std::vector<zebin::Input>& inputs, const Settings& settings, Bytes archive) {
  json::Writer out;
  if (archive.empty()) {
    if (!inputs.empty()) write_input(out, inputs[0], settings.show);
  } else {
    out.object([&] {
      out.member("format", "archive").member("path", settings.file).member("size", archive.size());
      out.key("members").array([&] {
        for (const zebin::MemberInfo& member : zebin::members_of(archive)) {
          out.object([&] {
            out.member("name", zebin::printable(member.name))
                .member("offset", member.offset)
                .member("size", member.size);
            out.member("zebin", member.is_zebin);
          });
        }
      });
      out.key("zebins").array([&] {
        for (const zebin::Input& input : inputs) write_input(out, input, settings.show);
      });
    });
  }
  if (!inputs.empty() || !archive.empty()) print(out.text());
}

std::string print_archive(const std::string& file, Bytes archive) {
  const std::vector<zebin::MemberInfo> members = zebin::members_of(archive);
  std::string text = formatted("{}: archive with {} member{}, {} bytes\n", file, members.size(),
                               members.size() == 1 ? "" : "s", archive.size());
  for (const zebin::MemberInfo& member : members) {
    text += formatted("  {} @{:#x}, {} bytes{}\n", zebin::printable(member.name), member.offset, member.size,
                      member.is_zebin ? "" : ", no ELF file");
  }
  return text;
}

}  // namespace

int inspect_zebin(const Arguments& arguments) {
  Settings settings;
  CommandLine line("slipway inspect",
                   "Shows what is in Intel GPU kernels: zebin files, archives of them, ZE Info text and JSON.",
                   "slipway inspect --kernel saxpy --layout kernel.bin");
  line.add_option("file", settings.file,
                  "a zebin, an archive, an unpacked directory, or ZE Info; `-` is standard input");
  line.add_report_options(settings.style);
  line.add_option("--kernel", settings.show.kernel, "this kernel alone");
  line.add_flag("--layout", settings.show.layout,
                "where each argument is in the payload; --layout=FILE.html or FILE.svg draws it");
  line.add_flag("--sections", settings.show.sections, "the sections of the container");
  line.add_flag("--symbols", settings.show.symbols, "its symbols");
  line.add_flag("--relocations", settings.show.relocations, "its relocations");
  line.add_flag("--notes", settings.show.notes, "its notes");
  add_open_options(line, settings.open);
  line.add_flag("--defaults", settings.show.defaults, "in JSON: values that have their default too");
  bool occupancy = false;
  line.add_flag("--occupancy", occupancy, "how many work groups run at once; needs --local-size");
  line.add_option("--local-size", settings.local_size, "the work-group size: X, X,Y or X,Y,Z");
  line.add_option("--eus", settings.show.eus, "EUs of a subslice (16)").range(1, 1024);
  if (const std::optional<int> status = line.parse(with_picture(arguments, settings))) return *status;

  Diagnostics diagnostics;
  if (settings.file.empty()) diagnostics.error(DiagnosticKind::Usage, {}, "no file is given");
  if (occupancy && settings.local_size.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "--occupancy needs --local-size X,Y,Z");
  if (!settings.local_size.empty()) {
    if (!occupancy) diagnostics.error(DiagnosticKind::Usage, {}, "--local-size goes with --occupancy");
    settings.show.occupancy_of = size_of(settings.local_size);
    if (!settings.show.occupancy_of) {
      diagnostics.error(DiagnosticKind::Usage, {},
                        formatted("`{}` is no work-group size; it is X, X,Y or X,Y,Z", settings.local_size));
    }
  }
  check_product(settings.open.product, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, settings.style);
  settings.open.limit = settings.style.max_errors;

  std::optional<ContentOf> content;
  if (Result<ContentOf> read = ContentOf::read(settings.file)) content = std::move(*read);
  const Bytes bytes = content ? content->content().bytes : Bytes();
  const Bytes archive = zebin::is_archive(bytes) ? bytes : Bytes();
  const std::vector<zebin::Input> inputs = open_inputs(settings.file, settings.open, diagnostics);
  check_kernel_name(inputs, settings.show.kernel, diagnostics);
  if (settings.style.json) {
    print_json(inputs, settings, archive);
  } else {
    if (!archive.empty()) print(print_archive(settings.file, archive));
    for (const zebin::Input& input : inputs) print(print_input(input, settings.show));
  }
  if (!settings.picture.empty()) draw(inputs, settings, diagnostics);
  if (diagnostics.empty()) return 0;
  return report(diagnostics, settings.style);
}

}  // namespace slipway::cli
