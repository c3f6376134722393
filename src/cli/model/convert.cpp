// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway convert` on models, and the drop-in names `model-converter` and `model_converter`
// (docs/spec/converter.md#command-line).
#include <algorithm>

#include "base/format.hpp"
#include "cli/model/conversion.hpp"
#include "cli/model/verbs.hpp"
#include "cli/version.hpp"

namespace slipway::cli {
namespace {

constexpr int kFailed = 255, kBadInput = 3, kDeviceLacks = 4;
// ExecuTorch reads the first version number in the text and requires at least this one.
constexpr std::string_view kCompatibleVersion = "0.10.0";

std::string converter_version() {
  std::string text = version_json();
  const std::string_view key = "\"version\": \"";
  if (const std::size_t at = text.find(key); at != text.npos) {
    text.insert(at + key.size(), formatted("{}+slipway.", kCompatibleVersion));
  }
  return text;
}

}  // namespace

int convert_model_file(const Arguments& arguments) {
  ReportStyle style;
  ConversionOptions options;
  CommandLine line("slipway convert", "Converts a model of TOSA operators and shaders to VGF.",
                   "slipway convert model.tosa -o model.vgf --verify");
  line.add_report_options(style);
  ConversionLine conversion(line, options, "file,-i,--input");
  conversion.add_own_options();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  options.strict = style.strict;
  conversion.parse_rest(diagnostics);
  if (!diagnostics.has_errors()) run_conversion(options, diagnostics);
  // Converting uses no device, so a model that cannot be converted is bad input
  // (docs/spec/converter.md#command-line).
  const bool timed_out = has_timed_out(diagnostics.all());
  const int status = report(diagnostics, style);
  if (timed_out) end_process(status);
  return status == kDeviceLacks ? kBadInput : status;
}

int model_converter(const Arguments& arguments) {
  ReportStyle style;
  ConversionOptions options;
  CommandLine line("model-converter", "Converts a model of TOSA operators and shaders to VGF.",
                   "model-converter -i model.tosa -o model.vgf");
  line.set_version(converter_version());
  ConversionLine conversion(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status == 0 ? 0 : kFailed;
  Diagnostics diagnostics;
  conversion.parse_rest(diagnostics);
  // The original tool stores shaders as it gets them.
  options.settings.shader.keep_source = true;
  options.settings.shader.check = convert::ShaderCheck::Magic;
  if (!diagnostics.has_errors()) run_conversion(options, diagnostics);
  const int status = report(diagnostics, style);
  if (status == 0) return 0;
  print_error("Failed to compile network\n");
  return kFailed;
}

}  // namespace slipway::cli
