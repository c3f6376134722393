// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/open_any_model.hpp"

#include "convert/convert.hpp"

namespace slipway::model {
namespace {

// Whether the file is a VGF file. The last stage of both forms, the shaders, is the caller's.
bool begin_reading(Bytes bytes, Stages* stages) {
  const bool vgf = convert::detect_format(bytes) == convert::ModelFormat::Vgf;
  if (stages) {
    stages->set_count(vgf ? 2 : kConversionStages + 1);
    stages->begin("read");
  }
  return vgf;
}

std::shared_ptr<const ModelFile> open_converted(Bytes bytes, const std::string& name, convert::ReadModelOptions read,
                                                Diagnostics& diagnostics, Stages* stages) {
  read.io_names = convert::IoNames::Tensor;
  read.done_with = nullptr;
  auto model = convert::read_model(bytes, name, read, diagnostics);
  convert::ConvertOptions options;
  if (stages) options.observe = [&](std::string_view pass, const tosa::Graph&) { stages->begin(stage_after(pass)); };
  auto converted = model ? convert::convert(*model, options, diagnostics) : std::nullopt;
  auto file = converted ? diagnostics.take(converted->file.finish()) : std::nullopt;
  if (!file) return nullptr;
  return open_model(std::move(*file), name, diagnostics, true,
                    {std::move(model->declared_inputs), std::move(model->declared_outputs)});
}

// `open_vgf`: opens the file if it is a VGF file.
template <class OpenVgf>
std::shared_ptr<const ModelFile> open_either(Bytes bytes, const std::string& name,
                                             const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                             Stages* stages, OpenVgf open_vgf) {
  if (!begin_reading(bytes, stages)) return open_converted(bytes, name, read, diagnostics, stages);
  return convert::has_entry(convert::ModelFormat::Vgf, name, read.entry, diagnostics) ? open_vgf() : nullptr;
}

}  // namespace

std::shared_ptr<const ModelFile> open_any_model(const Path& path, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages) {
  const auto mapped = diagnostics.take(map_file(path));
  if (!mapped) return nullptr;
  convert::ReadModelOptions beside = read;
  beside.files.directory = directory_of(path);
  return open_either(mapped->bytes(), name, beside, diagnostics, stages,
                     [&] { return open_model(path, name, diagnostics); });
}

std::shared_ptr<const ModelFile> open_any_model(Bytes bytes, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages) {
  return open_either(bytes, name, read, diagnostics, stages,
                     [&] { return open_model(std::vector(bytes.begin(), bytes.end()), name, diagnostics); });
}

}  // namespace slipway::model
