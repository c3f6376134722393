// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A conversion, with the rules of the file that it makes: what the public functions wrap, and `slipway convert` calls.
//
//   ConversionJob job({.bytes = bytes, .name = "net.tosa", .file_name = "net.vgf"});
//   if (job.read(diagnostics) && job.prepare(diagnostics) && job.make_file(diagnostics) && job.encode(diagnostics) &&
//       job.check(diagnostics))
//     store(job.take_bytes());
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "convert/verify.hpp"

namespace slipway {
class OutputFile;
}

namespace slipway::model {

class ModelRunner;

struct ConversionRequest {
  Bytes bytes;                  // of the model; they must outlive the job
  std::string name, file_name;  // of the model and of the converted file, in messages
  convert::ReadModelOptions read;
  convert::ConvertOptions settings;
  bool keeps_original = false;  // to verify the file
};

class ConversionJob {
 public:
  // Of an ExecuTorch program, the model in it is converted.
  explicit ConversionJob(ConversionRequest request);

  bool is_vgf() const { return request_.read.format == convert::ModelFormat::Vgf; }
  // A VGF file as one of the current version, without the stages.
  std::optional<std::vector<std::byte>> reencode(Diagnostics& diagnostics) const;

  // The stages, each after the one before. They return false after an error.
  // The segments of a VGF file are merged into one graph.
  bool read(Diagnostics& diagnostics);
  bool prepare(Diagnostics& diagnostics) { return convert::prepare(*model_, request_.settings, diagnostics); }
  // Partitions and segments.
  bool make_file(Diagnostics& diagnostics);
  bool encode(Diagnostics& diagnostics);
  // Checks the file as a model that is to run: completely with ShaderCheck::Full, otherwise only its structure. Rules
  // of Slipway were reported where the model breaks them. Errors have the note that the file is not written.
  bool check(Diagnostics& diagnostics);

  // Instead of `encode`: without the whole file in memory. It is checked.
  bool write_to(OutputFile& out, Diagnostics& diagnostics);

  // Compare the model as it was read with the checked file.
  convert::VerifyReport verify(const convert::VerifyOptions& options, Diagnostics& diagnostics) const;
  convert::VerifyReport verify_shaders(const convert::VerifyOptions& options, ModelRunner& runner,
                                       Diagnostics& diagnostics) const;
  std::size_t count_shaders() const;  // of the model as it was read

  tosa::Model& model() { return *model_; }
  const convert::Partitioning& partitioning() const { return converted_->partitioning; }
  const vgf::File& file() const { return *file_; }  // checked
  // JSON: what a device needs to run the checked file.
  Result<std::string> requirements() const;
  Bytes bytes() const { return bytes_; }
  std::vector<std::byte> take_bytes() { return std::move(bytes_); }

 private:
  bool check(Bytes bytes, Diagnostics& diagnostics);
  bool options_apply(Diagnostics& diagnostics) const;

  ConversionRequest request_;
  Diagnostics unread_;               // why a program has no model
  std::optional<vgf::File> source_;  // a VGF file that is converted again
  std::optional<tosa::Model> model_, original_;
  std::optional<convert::Converted> converted_;
  std::vector<std::byte> bytes_;
  std::optional<vgf::File> file_;
};

}  // namespace slipway::model
