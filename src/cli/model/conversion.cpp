// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/conversion.hpp"
#include "cli/model/model_pages.hpp"

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/resident_memory.hpp"
#include "cli/content.hpp"
#include "cli/terminal.hpp"
#include "convert/analyse.hpp"
#include "model_jobs/conversion_job.hpp"
#include "model_jobs/model_runner.hpp"
#include "platform/file.hpp"
#include "platform/text.hpp"
#include "spirv/tools.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_mlir.hpp"
#include "tosa/write/write_tosa.hpp"

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
    const bool is_binary = (options_.emit == Emit::Vgf && !options_.explain) ||
                           (options_.emit == Emit::Tosa && options_.json_schema.empty());
    if (is_binary && !allows_binary(options_.output, diagnostics_)) return;
    if (options_.input == "-" && platform::is_terminal(platform::kStandardInput))
      print_error("Warning: Using terminal input\n");
    content_ = diagnostics_.take(ContentOf::read(options_.input));
    if (!content_) return;
    name_ = options_.input == "-" ? "<stdin>" : options_.input;
    model::ConversionRequest request{.bytes = content_->content().bytes,
                                     .name = name_,
                                     .file_name = options_.output == "-" ? "<stdout>" : options_.output,
                                     .read = options_.read,
                                     .settings = options_.settings,
                                     .keeps_original = options_.verify};
    // Other outputs and the comparison need the elements in the graph.
    request.settings.simplify.defers_transposes =
        !options_.verify && (options_.emit == Emit::Vgf || options_.emit == Emit::SpirvAssembly);
    if (options_.input != "-") {
      request.read = convert::beside(options_.input, std::move(request.read));
      request.read.done_with = [](Bytes part) { release_mapped_pages(part); };
    }
    if (!convert::is_imported(request.bytes, name_)) {
      // `--shader` is for shader operators, not for kinds of nodes.
      request.read.import.shaders.clear();
      request.settings.shader.given = given_code(options_.model.shaders, diagnostics_);
      if (!ok()) return;
    }
    request.settings.observe = [&](std::string_view pass, const tosa::Graph& graph) {
      log(pass);
      if (options_.dump_passes) print_error(formatted("// after `{}`\n{}", pass, convert::dump_text(graph)));
    };
    job_.emplace(std::move(request));
    if (job_->is_vgf() && keeps_graphs()) {
      if (const auto encoded = job_->reencode(diagnostics_)) write(Bytes(*encoded), "vgf");
      return;
    }
    log("reading");
    if (job_->read(diagnostics_)) convert();
  }

 private:
  bool ok() const { return !diagnostics_.has_errors() && !(options_.strict && diagnostics_.warnings() != 0); }
  void log(std::string_view text) const {
    if (options_.debug_log) print_error(formatted("debug: {}\n", text));
  }

  // Without options that need the graphs, a VGF file is only rewritten as the current version. Otherwise its segments
  // are merged into one graph, which is converted again.
  bool keeps_graphs() const {
    return options_.emit == Emit::Vgf && !options_.verify && !options_.explain && !options_.analysis &&
           !options_.dump_passes && options_.report.empty() && options_.model.shaders.empty() &&
           convert::keeps_graphs(options_.settings);
  }

  void convert() {
    tosa::Model& model = job_->model();
    if (options_.analysis && !analyse(model.graph)) return;
    if (!job_->prepare(diagnostics_)) return;
    if (options_.emit == Emit::Tosa) return write_tosa(model);
    if (options_.emit == Emit::Mlir) return write_mlir(model);
    if (options_.emit == Emit::TosaText)
      return write(tosa::print(model.graph, {.max_elements = UINT64_MAX}), "tosa text");
    log("partitions and segments");
    if (!job_->make_file(diagnostics_) || !ok()) return;
    explain(model.graph, job_->partitioning());
    if (options_.emit == Emit::SpirvAssembly || options_.verify || !options_.report.empty())
      write_results();
    else if (!options_.explain || options_.output != "-")
      write_file_of_job();
  }

  // All outputs of options that need the bytes of the file.
  void write_results() {
    if (!job_->encode(diagnostics_) || !job_->check(diagnostics_)) return;
    if (options_.verify) verify();
    if (!ok()) return;
    if (!options_.report.empty()) {
      const auto report = diagnostics_.take(job_->requirements());
      if (const auto written = report ? write_file(options_.report, *report) : Result<>(); !written)
        diagnostics_.add(written.error());
    }
    if (!ok()) return;
    if (options_.emit == Emit::SpirvAssembly) {
      assembly(job_->file());
    } else if (!options_.explain || options_.output != "-") {
      write(job_->bytes(), "vgf");
    }
    // The conversion itself did not fail.
    if (uncompared_)
      diagnostics_.add(
          tensor::partly_compared(*uncompared_, options_.allow_uncompared, SourceLocation::in_file(name_)));
  }

  void verify() {
    const convert::VerifyOptions& settings = options_.verification;
    const convert::VerifyReport report = job_->verify(settings, diagnostics_);
    if (report.compared.is_partial()) uncompared_ = report.compared;
    if (report.runs == 0 || !ok()) return;
    print_error(formatted("verified: {} runs of the reference interpreter agree, {}{}\n", report.runs,
                          tensor::compared_text(report.compared),
                          settings.narrowed ? formatted("; the worst error is {}", report.worst_error) : ""));
    if (job_->count_shaders() > 0) verify_shaders(job_->count_shaders());
  }

  void verify_shaders(std::size_t shaders) {
    model::ModelRunner runner(options_.device, model::Engine::Reference);
    const convert::VerifyReport report = job_->verify_shaders(options_.verification, runner, diagnostics_);
    if (report.compared.is_partial()) uncompared_ = report.compared;
    if (report.runs == 0 || !ok()) return;
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
    if (const auto text = diagnostics_.take(tosa::write_mlir(model))) write(*text, "mlir");
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

  void warn_of_overwriting() const {
    if (replaced_file(options_.output) && output_level() != OutputLevel::Quiet && file_exists(options_.output))
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
  void write_file_of_job() {
    if (options_.output == "-") {
      if (job_->encode(diagnostics_) && job_->check(diagnostics_)) write(job_->bytes(), "vgf");
      return;
    }
    warn_of_overwriting();
    auto out = diagnostics_.take(OutputFile::create(options_.output));
    if (!out || !job_->write_to(*out, diagnostics_)) return;
    if (const auto done = out->commit(); !done) return diagnostics_.add(done.error());
    saved("vgf");
  }

  const ConversionOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<ContentOf> content_;
  std::optional<model::ConversionJob> job_;
  std::optional<tensor::ComparedOutputs> uncompared_;  // by --verify
  std::string name_;
};

}  // namespace

void run_conversion(const ConversionOptions& options, Diagnostics& diagnostics) {
  Conversion(options, diagnostics).run();
}

}  // namespace slipway::cli
