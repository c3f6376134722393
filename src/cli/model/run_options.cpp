// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/run_options.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "cli/confine.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/named_values.hpp"
#include "executors/open.hpp"
#include "model_jobs/format_runtime.hpp"

namespace slipway::cli {
namespace {

void add_data_options(OptionGroup& group, ModelRunOptions& options) {
  group
      .add_option("--input", options.inputs,
                  "NAME=FILE.npy: the data of an input, by its name or as input_0, input_1...")
      .values(1)
      .take_all();
  group.add_option("--inputs", options.input_directory,
                   "directory of files NAME.npy, or an archive of numpy.savez; inputs without an array are filled");
  add_cast_option(group, options.cast);
  group.add_option("--fill", options.fill, "inputs without a file: random, zeros, ramp, or edges (random)")
      .choices({"random", "zeros", "ramp", "edges"});
  add_seed_option(group, options.seed);
  group.add_option("--range", options.range,
                   "LOW:HIGH of random inputs and ramps (all values of an integer type; -1:1 for floats)");
  add_read_model_options(group, options.read);
  group.add_option("--output,--output-dir", options.output_directory,
                   "directory for NAME.npy of every output, created if missing; or an archive, FILE.npz");
}

void add_result_options(OptionGroup& group, ModelRunOptions& options) {
  group.add_option(
      "--compare", options.compare,
      "compare every output: `reference` with the interpreter, `cpu` with the CPU engine, `device:NAME` with "
      "another device, `onnxruntime` or `tflite` with the runtime of the file, if it is installed");
  group.add_flag("--layers", options.layers,
                 "with --compare: compare each kernel too, with the inputs that it had, and name the first wrong one; "
                 "with a runtime: each node of the file");
  group.add_option("--against", options.against,
                   "compare the outputs with these: a directory of NAME.npy, or an archive of numpy.savez");
  group
      .add_option("--atol", options.absolute,
                  "--against accepts this absolute difference (0), and --compare with a runtime")
      .not_negative();
  group
      .add_option("--rtol", options.relative,
                  "--against accepts this relative difference (0), and --compare with a runtime")
      .not_negative();
  add_uncompared_option(group, options.allow_uncompared);
  group.add_flag("--profile", options.profile, "print the times of all segments and kernels");
  group.add_option("--graph", options.picture_path, "draw the model with its times: a page (.html) or Graphviz (.dot)")
      .not_empty();
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class OptionReader {
 public:
  OptionReader(const ModelRunOptions& options, model::StandaloneOptions& request, std::optional<std::string>& compared,
               Diagnostics& diagnostics)
      : options_(options), request_(request), compared_(compared), diagnostics_(diagnostics) {}

  void read() {
    if (options_.files.size() != 1) usage(options_.files.empty() ? "no model is given" : "one model is run at a time");
    if (options_.repeat <= 0 || options_.repeat > UINT32_MAX)
      usage(formatted("--repeat takes a number from 1 to {}, not {}", UINT32_MAX, options_.repeat));
    if (options_.repeat > 0) check_repeat(options_, diagnostics_);
    check_compared();
    if (options_.layers && options_.compare.empty()) usage("--layers needs --compare");
    const bool with_runtime = model::format_runtime_called(options_.compare).has_value();
    if (with_runtime && std::ranges::contains(options_.files, "-"))
      usage(formatted("--compare {} reads the file again; give its name instead of `-`", options_.compare));
    if (options_.layers && options_.engine == "reference" && !with_runtime)
      usage("--layers compares kernels, and the reference interpreter runs no kernels; leave out --engine reference");
    if (options_.compare == "reference" && options_.engine == "reference")
      usage(
          "--compare reference compares with the reference interpreter, and --engine reference runs the graphs in it, "
          "so nothing would be compared; leave out one of the two");
    if (options_.allow_uncompared && options_.compare.empty() && options_.against.empty())
      usage("--allow-uncompared needs --compare or --against");
    if (options_.against.empty() && !with_runtime && (options_.absolute || options_.relative))
      usage("--atol and --rtol need --against, or --compare with a runtime");
    for (const std::string& given : options_.inputs) {
      if (const auto named = split_named(given, "--input takes NAME=FILE", diagnostics_))
        request_.inputs.push_back({named->first, named->second});
    }
    for (const std::string& given : options_.read.shapes) {
      if (auto shape = named_shape(given, diagnostics_)) request_.shapes.push_back(std::move(*shape));
    }
    if (!options_.range.empty()) read_range();
    if (!options_.input_directory.empty() && !directory_exists(options_.input_directory) &&
        !options_.input_directory.ends_with(".npz"))
      usage(formatted("--inputs names `{}`, which is neither a directory nor an archive (.npz)",
                      options_.input_directory));
    const std::string& picture = options_.picture_path;
    if (!picture.empty() && !picture.ends_with(".html") && !picture.ends_with(".dot"))
      usage(formatted("--graph takes a file that ends in .html or .dot, not `{}`", picture));
    if (options_.dry_run &&
        (options_.profile || !options_.compare.empty() || !options_.against.empty() || !picture.empty()))
      usage("a dry run does not measure or compare");
  }

 private:
  void usage(std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); }

  // What --compare names: nothing for `reference` and runtimes, otherwise the selector of a device.
  void check_compared() {
    const std::string& value = options_.compare;
    if (model::format_runtime_called(value) && is_confined())
      usage(formatted("--compare {} starts `python3`, which --confine forbids; leave out one of them", value));
    if (value.empty() || value == "reference" || model::format_runtime_called(value)) return;
    if (executors::kind_of(value).runs_graphs_on_host)
      compared_ = value;
    else if (value.starts_with(kDevicePrefix) && value.size() > kDevicePrefix.size())
      compared_ = value.substr(kDevicePrefix.size());
    else
      usage(formatted(
          "--compare takes `reference`, `cpu`, `device:NAME`, where NAME is as in --device, `onnxruntime`, `tflite` or "
          "`tflite:reference`, but `{}` is given",
          value));
  }

  void read_range() {
    const std::size_t colon = options_.range.find(':');
    const std::string_view text = options_.range;
    if (colon != std::string::npos) {
      request_.fill.low = number<double>(text.substr(0, colon));
      request_.fill.high = number<double>(text.substr(colon + 1));
    }
    if (!request_.fill.low || !request_.fill.high)
      usage(formatted("--range takes two numbers, LOW:HIGH, but `{}` is given", options_.range));
  }

  const ModelRunOptions& options_;
  model::StandaloneOptions& request_;
  std::optional<std::string>& compared_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<int> parse_model_run_options(const Arguments& arguments, ModelRunOptions& options) {
  CommandLine line("slipway run", "Runs a model: a VGF file, or another model, which is converted in memory.",
                   "slipway run model.vgf --seed 1 --compare reference --profile");
  line.add_option("file", options.files, "the model; `-` is standard input");
  add_launch_group(line, options);
  add_data_options(line, options);
  add_result_options(line, options);
  return line.parse(arguments);
}

void read_model_run_options(const ModelRunOptions& options, model::StandaloneOptions& request,
                            std::optional<std::string>& compared, Diagnostics& diagnostics) {
  OptionReader(options, request, compared, diagnostics).read();
}

}  // namespace slipway::cli
