// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts one model as the command line asks; shared by `slipway convert` and `model-converter`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/option_groups.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "convert/verify.hpp"

namespace slipway::cli {

enum class Emit { Vgf, Tosa, TosaText, Mlir, SpirvAssembly };

struct ConversionOptions {
  std::string input = "-", output = "-";
  Emit emit = Emit::Vgf;
  std::string json_schema;  // --tosa-flatbuffer-schema: `.tosa` content as JSON
  convert::ConvertOptions settings;
  ReadModelArguments model;
  convert::ReadModelOptions read;
  bool dump_passes = false, analysis = false, verify = false, allow_uncompared = false, strict = false,
       debug_log = false;
  convert::VerifyOptions verification;
  std::string device;                  // on which --verify runs shaders
  std::optional<std::string> explain;  // the file of the diagram, or empty
  std::string report;                  // a file, or `-`
};

// Declares the options that both command lines share. After parsing, `parse_rest` converts the texts of options to
// values and reports the invalid ones.
class ConversionLine {
 public:
  ConversionLine(CommandLine& line, ConversionOptions& options, const std::string& input = "-i,--input");
  void add_own_options();  // those that only `slipway convert` has
  void parse_rest(Diagnostics& diagnostics);

 private:
  CommandLine& line_;
  ConversionOptions& options_;
  std::vector<std::string> mappings_, verify_shapes_;
  std::optional<double> timeout_;
  std::string narrowing_ = "none", emit_ = "vgf", order_ = "bfs", shader_check_ = "full", io_names_ = "deserialized",
              log_level_ = "warning";
  bool flatbuffer_ = false, no_replicate_ = false, bespoke_ = false, no_fold_ = false;
};

// The code that replaces that of shader operators. `shaders`: NAME=FILE, checked.
std::map<std::string, convert::GivenCode, std::less<>> given_code(const std::vector<std::string>& shaders,
                                                                  Diagnostics& diagnostics);

// Converts the model, writes the output, and prints what was written. Writes nothing after an error.
void run_conversion(const ConversionOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::cli
