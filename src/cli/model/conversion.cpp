// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/conversion.hpp"
#include "cli/model/model_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/resident_memory.hpp"
#include "base/text/base64.hpp"
#include "cli/content.hpp"
#include "cli/option_groups.hpp"
#include "convert/analyse.hpp"
#include "convert/report.hpp"
#include "convert/segments/merge_segments.hpp"
#include "convert/verify_on_device.hpp"
#include "launch/run.hpp"
#include "model/graph_segment.hpp"
#include "model_jobs/check_converted.hpp"
#include "model_jobs/model_runner.hpp"
#include "spirv/tools.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_mlir.hpp"
#include "tosa/write/write_tosa.hpp"
#include "vgf/read.hpp"

namespace slipway::cli {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

class Conversion {
 public:
  Conversion(const ConversionOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  void run() {
    if (options_.output != "-" && options_.input != "-" && is_same_file(options_.input, options_.output)) {
      diagnostics_.error(DiagnosticKind::Usage, SourceLocation::in_file(options_.output),
                         "Bad output filename: Won't overwrite input");
      return;
    }
    if (options_.input == "-" && isatty(STDIN_FILENO)) print_error("Warning: Using terminal input\n");
    content_ = diagnostics_.take(ContentOf::read(options_.input));
    if (!content_) return;
    name_ = options_.input == "-" ? "<stdin>" : options_.input;
    const Bytes bytes = content_->content().bytes;
    if (convert::detect_format(bytes) == convert::ModelFormat::Vgf) return convert_vgf(bytes);
    log("reading");
    convert::ReadModelOptions settings = options_.read;
    if (options_.input != "-") settings.done_with = [](Bytes part) { release_mapped_pages(part); };
    auto model = convert::read_model(bytes, name_, settings, diagnostics_);
    if (model) convert(*model);
  }

 private:
  bool ok() const { return !diagnostics_.has_errors() && !(options_.strict && diagnostics_.warnings() != 0); }
  void log(std::string_view text) const {
    if (options_.debug_log) print_error(formatted("debug: {}\n", text));
  }

  // Without options that need the graphs, a VGF file is only rewritten as the current version. Otherwise its segments
  // are merged into one graph, which is converted again.
  void convert_vgf(Bytes bytes) {
    const auto file = vgf::read_vgf(bytes, name_, diagnostics_);
    if (!file) return;
    const bool as_it_is = options_.emit == Emit::Vgf && !options_.verify && !options_.explain && !options_.analysis &&
                          !options_.dump_passes && options_.report.empty() && convert::keeps_graphs(options_.settings);
    if (as_it_is) {
      const auto encoded = diagnostics_.take(vgf::reencode(*file, bytes, diagnostics_));
      if (encoded) write(Bytes(*encoded), "vgf");
      return;
    }
    auto model = convert::merge_segments(
        *file, [&](std::size_t segment) { return model::read_graph_segment(*file, segment, diagnostics_); },
        diagnostics_);
    if (model) convert(*model);
  }

  void convert(tosa::Model& model) {
    const std::optional<tosa::Model> original = options_.verify ? std::optional(model) : std::nullopt;
    if (options_.analysis && !analyse(model.graph)) return;
    convert::ConvertOptions settings = options_.settings;
    settings.observe = [&](std::string_view pass, const tosa::Graph& graph) {
      log(pass);
      if (options_.dump_passes) print_error(formatted("// after `{}`\n{}", pass, convert::dump_text(graph)));
    };
    if (!convert::prepare(model, settings, diagnostics_)) return;
    if (options_.emit == Emit::Tosa) return write_tosa(model);
    if (options_.emit == Emit::Mlir) return write_mlir(model);
    if (options_.emit == Emit::TosaText) return write_text(tosa::print(model.graph, {.max_elements = UINT64_MAX}));
    log("partitions and segments");
    auto converted = convert::make_file(model, settings, diagnostics_);
    if (!converted || !ok()) return;
    explain(model.graph, converted->partitioning);
    if (options_.emit == Emit::SpirvAssembly || options_.verify || !options_.report.empty()) {
      if (!with_bytes(original, model, *converted)) return;
    } else if (!options_.explain || options_.output != "-") {
      write(*converted);
    }
  }

  // Encodes the whole file in memory, for options that need its bytes, and writes all outputs. Returns false after an
  // error.
  bool with_bytes(const std::optional<tosa::Model>& original, const tosa::Model& model, convert::Converted& converted) {
    const auto bytes = diagnostics_.take(converted.file.finish());
    if (!bytes) return false;
    const auto file = vgf::read_vgf(*bytes, options_.output == "-" ? "<stdout>" : options_.output, diagnostics_);
    if (!file) return false;
    if (original) verify(*original, model, converted, *file, *bytes);
    if (!ok() || !checked(*bytes)) return false;
    if (!options_.report.empty()) {
      const auto report = diagnostics_.take(convert::requirements_json(*file, model.graph));
      if (const auto written = report ? write_file(options_.report, *report) : Result<>(); !written)
        diagnostics_.add(written.error());
    }
    if (!ok()) return false;
    if (options_.emit == Emit::SpirvAssembly) {
      assembly(*file);
    } else if (!options_.explain || options_.output != "-") {
      write(Bytes(*bytes), "vgf");
    }
    // The conversion itself did not fail.
    if (uncompared_)
      diagnostics_.add(
          tensor::partly_compared(*uncompared_, options_.allow_uncompared, SourceLocation::in_file(name_)));
    return ok();
  }

  void verify(const tosa::Model& original, const tosa::Model& model, const convert::Converted& converted,
              const vgf::File& file, Bytes bytes) {
    convert::VerifyOptions settings;
    if (options_.timeout) settings.time_out = launch::time_out_of(*options_.timeout);
    settings.narrowed = options_.settings.narrow.mode != convert::TypeNarrowing::None;
    for (const std::string& text : options_.verify_shapes) {
      const std::size_t equals = text.find('=');
      if (const auto shape =
              equals == text.npos ? std::nullopt : parse_shape(std::string_view(text).substr(equals + 1)))
        settings.shapes[text.substr(0, equals)] = *shape;
    }
    const convert::VerifyReport report = convert::verify(original, model, converted, file, settings, diagnostics_);
    if (report.compared.is_partial()) uncompared_ = report.compared;
    if (report.runs == 0 || !ok()) return;
    print_error(formatted("verified: {} runs of the reference interpreter agree, {}{}\n", report.runs,
                          tensor::compared_text(report.compared),
                          settings.narrowed ? formatted("; the worst error is {}", report.worst_error) : ""));
    if (std::ranges::any_of(original.graph.nodes, convert::is_shader))
      verify_shaders(original, model, file, bytes, settings);
  }

  void verify_shaders(const tosa::Model& original, const tosa::Model& model, const vgf::File& file, Bytes bytes,
                      const convert::VerifyOptions& settings) {
    model::ModelRunner runner(options_.device, model::Engine::Reference);
    runner.set_time_out(settings.time_out);
    const convert::VerifyReport report = convert::verify_on_device(
        original, model, file, bytes, options_.settings, settings,
        [&](const auto& to_run, auto inputs, auto outputs) { return runner.run(to_run, inputs, outputs); },
        diagnostics_);
    if (report.compared.is_partial()) uncompared_ = report.compared;
    if (report.runs == 0 || !ok()) return;
    const auto shaders = std::ranges::count_if(original.graph.nodes, convert::is_shader);
    print_error(formatted("verified: {} runs with {} shader{} agree, {}, on {}\n", report.runs, shaders,
                          shaders == 1 ? "" : "s", tensor::compared_text(report.compared), runner.device_name()));
  }

  void explain(const tosa::Graph& graph, const convert::Partitioning& partitioning) {
    if (!options_.explain) return;
    const std::string text = convert::explain(graph, partitioning);
    if (options_.output == "-")
      print(text);
    else
      print_error(text);
    if (options_.explain->empty()) return;
    const std::string drawn = options_.explain->ends_with(".html")
                                  ? partition_page(name_, convert::partition_json(graph, partitioning))
                                  : convert::partition_dot(graph, partitioning);
    if (const auto written = write_file(*options_.explain, drawn); !written) diagnostics_.add(written.error());
  }

  // --experimental-analysis. Returns false if an operator cannot be converted; what is reported of others is reported
  // by the conversion.
  bool analyse(tosa::Graph& graph) {
    Diagnostics problems;
    for (const auto& [node, reason] : convert::analyse(graph, options_.settings, problems)) {
      const std::string where = format_location(node->location);
      print_error(reason.empty() ? formatted("Successfully lowered: {} at {}\n", name_of(node->op), where)
                                 : formatted("Failed to lower: {} at {}: {}\n", name_of(node->op), where, reason));
    }
    if (!problems.has_errors()) return true;
    diagnostics_.add(problems.release());
    return false;
  }

  // --- outputs ---

  void write_tosa(const tosa::Model& model) {
    const auto bytes = diagnostics_.take(tosa::write_tosa(model));
    if (!bytes || !ok()) return;
    if (options_.json_schema.empty()) return write(Bytes(*bytes), "tosa flatbuffer");
    if (const auto schema = map_file(options_.json_schema); !schema) return diagnostics_.add(schema.error());
    const auto json = diagnostics_.take(tosa::tosa_json(*bytes));
    if (json) write(*json, "tosa json");
  }

  void write_mlir(const tosa::Model& model) {
    const auto text = diagnostics_.take(tosa::write_mlir(model));
    if (text && ok()) write(*text, "mlir");
  }

  void write_text(const std::string& text) {
    if (ok()) write(text, "tosa text");
  }

  void assembly(const vgf::File& file) {
    std::string text;
    for (const vgf::Module& module : file.modules) {
      text += formatted("; module `{}`\n", module.name);
      if (module.words.empty()) continue;
      const auto words =
          std::span(reinterpret_cast<const std::uint32_t*>(module.words.data()), module.words.size() / 4);
      const auto shown = diagnostics_.take(spirv::disassemble(words, std::string(module.name)));
      if (!shown) return;
      text += *shown + "\n";
    }
    write(text, "spirv assembly");
  }

  std::optional<vgf::File> checked(Bytes bytes) {
    return model::check_converted(bytes, options_.output == "-" ? "<stdout>" : options_.output,
                                  options_.settings.shader.check, diagnostics_);
  }

  void warn_of_overwriting() const {
    const Path replaced = replaced_file(options_.output);
    if (!replaced.empty() && output_level() != OutputLevel::Quiet && file_exists(replaced))
      print_error(formatted("Warning: will overwrite existing output file: {}\n", options_.output));
  }
  void saved(std::string_view what) const {
    if (options_.output != "-")
      print_status(formatted("Successfully saved {} output to \"{}\"\n", what, options_.output));
  }

  // Bytes or text.
  template <class T>
  void write(const T& contents, std::string_view what) {
    if (!ok()) return;
    warn_of_overwriting();
    if (const auto written = write_file(options_.output, contents); !written) return diagnostics_.add(written.error());
    saved(what);
  }

  // Constants go from the input's mapping to the file.
  void write(convert::Converted& converted) {
    if (options_.output == "-") {
      const auto bytes = diagnostics_.take(converted.file.finish());
      if (bytes && checked(*bytes)) write(Bytes(*bytes), "vgf");
      return;
    }
    warn_of_overwriting();
    auto out = diagnostics_.take(OutputFile::create(options_.output));
    if (!out) return;
    if (const auto written = converted.file.write_to(*out); !written) return diagnostics_.add(written.error());
    const auto made = diagnostics_.take(out->map());
    if (!made || !checked(made->bytes())) return;
    if (const auto done = out->commit(); !done) return diagnostics_.add(done.error());
    saved("vgf");
  }

  const ConversionOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<ContentOf> content_;
  std::optional<tensor::ComparedOutputs> uncompared_;  // by --verify
  std::string name_;
};

}  // namespace

void run_conversion(const ConversionOptions& options, Diagnostics& diagnostics) {
  Conversion(options, diagnostics).run();
}

}  // namespace slipway::cli
