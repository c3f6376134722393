// One conversion of a model, as the command line asks for it: shared by `slipway convert` and `model-converter`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"

namespace slipway::cli {

enum class Emit { Vgf, Tosa, TosaText, Mlir, SpirvAssembly };

struct ConversionOptions {
  std::string input = "-", output = "-";
  Emit emit = Emit::Vgf;
  std::string json_schema;  // --tosa-flatbuffer-schema: `.tosa` content as JSON
  convert::ConvertOptions settings;
  convert::ReadModelOptions read;
  bool dump_passes = false, analysis = false, verify = false, strict = false, debug_log = false;
  std::vector<std::string> verify_shapes;  // NAME=1x8x8x3
  std::string device;                      // on which --verify runs shaders
  std::vector<std::string> shaders;        // NAME=FILE: code of shader operators
  // --explain-partitions: none; text for people; or a file for the picture.
  bool explain = false;
  std::string partition_picture;
  std::string report;  // a file, or `-`
};

// Adds the options that both command lines have. `parse_rest` makes of texts what they mean, after parsing; it gives
// what is wrong with them.
class ConversionLine {
 public:
  ConversionLine(CommandLine& line, ConversionOptions& options);
  void add_own_options();  // those of `slipway convert` alone
  void parse_rest(Diagnostics& diagnostics);

 private:
  CommandLine& line_;
  ConversionOptions& options_;
  std::vector<std::string> mappings_;
  std::string narrowing_ = "none", emit_ = "vgf", order_ = "bfs", shader_check_ = "full", io_names_ = "deserialized",
              log_level_ = "warning";
  bool flatbuffer_ = false, no_replicate_ = false, bespoke_ = false, no_fold_ = false;
};

// Converts and writes; says on standard output what it wrote. Nothing is written after an error.
void run_conversion(const ConversionOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::cli
