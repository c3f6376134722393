// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/vgf_verbs.hpp"

#include <algorithm>

#include "base/system/files.hpp"
#include "cli/model/draw_model.hpp"
#include "cli/terminal.hpp"
#include "model/describe.hpp"
#include "model/graph_segment.hpp"
#include "model/plan/module_code.hpp"
#include "tosa/text.hpp"
#include "vgf/check.hpp"
#include "vgf/dump.hpp"
#include "vgf/read.hpp"

namespace slipway::cli {
namespace {

// A model with the bytes that it refers to.
struct LoadedVgf {
  ContentOf content;
  vgf::File file;
};

std::optional<LoadedVgf> load_vgf(const std::string& path, Diagnostics& diagnostics) {
  std::optional<ContentOf> content = diagnostics.take(ContentOf::read(path));
  if (!content) return std::nullopt;
  std::optional<vgf::File> file = vgf::read_vgf(content->content().bytes, path == "-" ? "<stdin>" : path, diagnostics);
  if (!file) return std::nullopt;
  return LoadedVgf{std::move(*content), std::move(*file)};
}

std::string graphs_text(const vgf::File& file, Diagnostics& diagnostics) {
  std::string text;
  for (std::size_t i = 0; i < file.segments.size(); ++i) {
    if (file.segments[i].kind != vgf::ModuleKind::Graph || file.modules[file.segments[i].module].is_placeholder())
      continue;
    if (const auto graph = model::read_graph_segment(file, i, diagnostics)) text += tosa::print(*graph);
  }
  return text;
}

struct Extraction {
  std::optional<std::uint64_t> module, constant;
};

// Returns the code of a module or the data of a constant; a constant as a NumPy file if `output` ends in .npy.
Result<std::vector<std::byte>> extract(const vgf::File& file, const Extraction& what, const std::string& output) {
  if (what.constant) {
    if (output.ends_with(".npy")) return vgf::constant_npy(file, *what.constant);
    const Result<Bytes> data = vgf::constant_bytes(file, *what.constant);
    if (!data) return fail(data.error());
    return std::vector(data->begin(), data->end());
  }
  const std::uint64_t index = *what.module;
  const bool is_text =
      index < file.modules.size() && file.modules[index].words.empty() && !file.modules[index].text.empty();
  if (is_text) {
    const Bytes text = bytes_of(file.modules[index].text);
    return std::vector(text.begin(), text.end());
  }
  const Result<Bytes> words = vgf::module_words(file, index);
  if (!words) return fail(words.error());
  return std::vector(words->begin(), words->end());
}

// The code of a shader may be text.
bool is_binary(Bytes bytes, const Extraction& extraction) {
  return extraction.constant || std::ranges::contains(bytes, std::byte{0});
}

}  // namespace

bool is_vgf_file(const Content& content) { return vgf::is_vgf(content.bytes); }

void check_vgf(Bytes bytes, const std::string& name, Diagnostics& diagnostics) {
  const std::optional<vgf::File> file = vgf::read_vgf(bytes, name, diagnostics);
  if (!file) return;
  model::check_model(*file, diagnostics);
  model::check_code(*file, Cache::of_user(), diagnostics);
}

int check_vgf_file(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check", "Finds every error in VGF models: the file, its tables, its graphs.",
                   "slipway check model.vgf");
  line.add_report_options(style);
  line.add_option("files", files, "VGF files; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& path : files) {
    if (const auto content = diagnostics.take(ContentOf::read(path)))
      check_vgf(content->content().bytes, path == "-" ? "<stdin>" : path, diagnostics);
  }
  diagnostics.enforce_rules();
  return report(diagnostics, style, stdout);
}

int inspect_vgf_file(const Arguments& arguments) {
  ReportStyle style;
  std::string path, output = "-", picture;
  bool scenario = false, boundaries = false, graphs = false, kernels = false;
  lower::LowerOptions lowering;
  Extraction extraction;
  CommandLine line("slipway inspect", "Shows the contents of a VGF model and how it would run.",
                   "slipway inspect model.vgf --graph model.html");
  line.add_report_options(style);
  line.add_option("file", path, "a VGF file; `-` is standard input").required();
  line.add_option("-o,--output", output, "the file to write to; `-` is standard output");
  OptionGroup what = line.add_group("what", "the part to show (a summary; with --json the layout of vgf_dump)");
  what.add_flag("--graphs", graphs, "show the graphs as text, a line for each operator");
  what.add_flag("--kernels", kernels, "list the kernels of the graphs");
  what.add_option("--graph", picture, "draw the model: a page (.html) or a file for Graphviz (.dot)");
  what.add_flag("--scenario", scenario, "write a scenario that runs the model, with placeholders for paths");
  what.add_option("--module", extraction.module, "write the code of a module: SPIR-V words, or the text of a shader");
  what.add_option("--constant", extraction.constant,
                  "write the data of a constant, as a NumPy file if --output ends in .npy");
  what.require_one_at_most();
  line.add_flag("--boundaries", boundaries, "with --scenario: mark the model as one frame");
  line.add_flag("--no-fuse", [&] { lowering.fuse = false; }, "do not fuse: one kernel for each operator");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  const std::optional<LoadedVgf> loaded = load_vgf(path, diagnostics);
  if (!loaded) return report(diagnostics, style);
  const vgf::File& file = loaded->file;
  std::optional<std::vector<std::byte>> bytes;
  std::optional<std::string> text;
  if (extraction.module || extraction.constant) {
    bytes = diagnostics.take(extract(file, extraction, output));
    if (bytes && is_binary(*bytes, extraction)) allows_binary(output, diagnostics);
  } else if (scenario) {
    text = diagnostics.take(vgf::scenario_template(file, Path(path).filename().string(), boundaries));
  } else if (graphs) {
    text = graphs_text(file, diagnostics);
  } else if (kernels) {
    text = model::list_kernels(file, model::lower_segments(file, lowering, diagnostics));
  } else if (!picture.empty()) {
    draw_model(file, picture, lowering, diagnostics);
    return report(diagnostics, style);
  } else {
    text = style.json ? vgf::dump_json(file) + "\n" : vgf::describe(file);
    vgf::check_vgf(file, diagnostics);
    // Lowering reads the graphs and reports errors in them.
    const std::vector<model::LoweredSegment> lowered = model::lower_segments(file, lowering, diagnostics);
    if (!style.json) *text += model::describe_run(file, lowered);
    // An invalid model is shown nevertheless.
    if (const Result<> written = write_file(output, *text); !written) diagnostics.add(written.error());
    report(diagnostics, style);
    return 0;
  }
  if ((text || bytes) && !diagnostics.has_errors()) {
    const Result<> written = text ? write_file(output, *text) : write_file(output, Bytes(*bytes));
    if (!written) diagnostics.add(written.error());
  }
  return report(diagnostics, style);
}

}  // namespace slipway::cli
