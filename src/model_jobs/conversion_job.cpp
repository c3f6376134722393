// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/conversion_job.hpp"

#include <algorithm>

#include "base/system/files.hpp"
#include "convert/report.hpp"
#include "convert/segments/merge_segments.hpp"
#include "convert/verify_on_device.hpp"
#include "executorch/program.hpp"
#include "model/graph_segment.hpp"
#include "model_jobs/model_runner.hpp"
#include "vgf/read.hpp"

namespace slipway::model {

ConversionJob::ConversionJob(ConversionRequest request) : request_(std::move(request)) {
  if (executorch::is_program(request_.bytes)) {
    auto model = executorch::find_model(request_.bytes, request_.name, request_.read.entry, unread_);
    if (!model) return;
    request_.bytes = model->bytes;
    request_.name = std::move(model->name);
    request_.read.entry.clear();
  }
  request_.read.format = convert::detect_format(request_.bytes, request_.name);
}

std::optional<std::vector<std::byte>> ConversionJob::reencode(Diagnostics& diagnostics) const {
  if (!options_apply(diagnostics)) return std::nullopt;
  const auto file = vgf::read_vgf(request_.bytes, request_.name, diagnostics);
  return file ? diagnostics.take(vgf::reencode(*file, request_.bytes, diagnostics)) : std::nullopt;
}

bool ConversionJob::read(Diagnostics& diagnostics) {
  if (unread_.has_errors()) {
    diagnostics.add(unread_.release());
    return false;
  }
  if (is_vgf()) {
    if (!options_apply(diagnostics)) return false;
    source_ = vgf::read_vgf(request_.bytes, request_.name, diagnostics);
    if (!source_) return false;
    model_ = convert::merge_segments(
        *source_, [&](std::size_t segment) { return read_graph_segment(*source_, segment, diagnostics); }, diagnostics);
  } else {
    model_ = convert::read_model(request_.bytes, request_.name, request_.read, diagnostics);
  }
  if (request_.keeps_original) original_ = model_;
  return model_.has_value();
}

bool ConversionJob::options_apply(Diagnostics& diagnostics) const {
  return convert::options_apply(*request_.read.format, request_.name, request_.read, diagnostics);
}

bool ConversionJob::make_file(Diagnostics& diagnostics) {
  auto made = convert::make_file(*model_, request_.settings, diagnostics);
  if (made) converted_.emplace(std::move(*made));
  return made.has_value();
}

bool ConversionJob::encode(Diagnostics& diagnostics) {
  auto bytes = diagnostics.take(converted_->file.finish());
  if (!bytes) return false;
  bytes_ = std::move(*bytes);
  return true;
}

bool ConversionJob::check(Diagnostics& diagnostics) { return check(bytes_, diagnostics); }

bool ConversionJob::check(Bytes bytes, Diagnostics& diagnostics) {
  Diagnostics problems;
  file_ = vgf::read_vgf(bytes, request_.file_name, problems);
  if (file_ && request_.settings.shader.check == convert::ShaderCheck::Full) check_model(*file_, problems);
  if (!problems.has_errors()) return file_.has_value();
  for (Diagnostic& problem : problems.release()) {
    if (problem.severity != Severity::Error) continue;
    problem.note("the converted file is not valid, and is not written");
    diagnostics.add(std::move(problem));
  }
  return false;
}

bool ConversionJob::write_to(OutputFile& out, Diagnostics& diagnostics) {
  if (Result<> written = converted_->file.write_to(out); !written) {
    diagnostics.add(std::move(written.error()));
    return false;
  }
  const auto made = diagnostics.take(out.map());
  const bool is_valid = made && check(made->bytes(), diagnostics);
  file_.reset();  // it refers to the mapping
  return is_valid;
}

convert::VerifyReport ConversionJob::verify(const convert::VerifyOptions& options, Diagnostics& diagnostics) const {
  return convert::verify(*original_, *model_, *converted_, *file_, options, diagnostics);
}

convert::VerifyReport ConversionJob::verify_shaders(const convert::VerifyOptions& options, ModelRunner& runner,
                                                    Diagnostics& diagnostics) const {
  runner.set_time_out(options.time_out);
  return convert::verify_on_device(
      *original_, *model_, *file_, bytes_, request_.settings, options,
      [&](const auto& to_run, auto inputs, auto outputs) { return runner.run(to_run, inputs, outputs); }, diagnostics);
}

std::size_t ConversionJob::count_shaders() const {
  return static_cast<std::size_t>(std::ranges::count_if(original_->graph.nodes, convert::is_shader));
}

Result<std::string> ConversionJob::requirements() const { return convert::requirements_json(*file_, model_->graph); }

}  // namespace slipway::model
