// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/open_any_model.hpp"

#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "executorch/program.hpp"

namespace slipway::model {
namespace {

std::shared_ptr<const ModelFile> read_and_convert(Bytes bytes, const std::string& name, convert::ReadModelOptions read,
                                                  Diagnostics& diagnostics, Stages* stages) {
  read.io_names = convert::IoNames::Tensor;
  read.done_with = nullptr;
  auto model = convert::read_model(bytes, name, read, diagnostics);
  return model ? open_converted(std::move(*model), name, diagnostics, stages) : nullptr;
}

// `open_vgf`: opens the file if it is a VGF file. The last stage, the shaders, is the caller's.
template <class OpenVgf>
std::shared_ptr<const ModelFile> open_either(Bytes bytes, const std::string& name, convert::ReadModelOptions read,
                                             Diagnostics& diagnostics, Stages* stages, OpenVgf open_vgf) {
  if (executorch::is_program(bytes)) {
    const auto model = executorch::find_model(bytes, name, read.entry, diagnostics);
    if (!model) return nullptr;
    read.entry.clear();
    return open_any_model(model->bytes, model->name, read, diagnostics, stages);
  }
  read.format = convert::detect_format(bytes, name);
  const bool vgf = read.format == convert::ModelFormat::Vgf;
  if (stages) {
    stages->set_count(vgf ? 2 : kConversionStages + 1);
    stages->begin("read");
  }
  // The caller gives them to the plan of a model of other formats.
  if (!convert::is_imported(bytes, name)) read.import.shapes.clear();
  if (!vgf) return read_and_convert(bytes, name, std::move(read), diagnostics, stages);
  return convert::options_apply(*read.format, name, read, diagnostics) ? open_vgf() : nullptr;
}

}  // namespace

std::shared_ptr<const ModelFile> open_converted(tosa::Model model, const std::string& name, Diagnostics& diagnostics,
                                                Stages* stages) {
  convert::ConvertOptions options;
  options.simplify.defers_transposes = true;
  if (stages) options.observe = [&](std::string_view pass, const tosa::Graph&) { stages->begin(stage_after(pass)); };
  auto converted = convert::convert(model, options, diagnostics);
  auto file = converted ? diagnostics.take(converted->file.finish()) : std::nullopt;
  if (!file) return nullptr;
  return open_model(std::move(*file), name, diagnostics, true,
                    {std::move(model.declared_inputs), std::move(model.declared_outputs)});
}

std::shared_ptr<const ModelFile> open_any_model(const Path& path, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages) {
  const auto mapped = diagnostics.take(map_file(path));
  if (!mapped) return nullptr;
  return open_either(mapped->bytes(), name, convert::beside(path, read), diagnostics, stages,
                     [&] { return open_model(path, name, diagnostics); });
}

std::shared_ptr<const ModelFile> open_any_model(Bytes bytes, const std::string& name,
                                                const convert::ReadModelOptions& read, Diagnostics& diagnostics,
                                                Stages* stages) {
  return open_either(bytes, name, read, diagnostics, stages,
                     [&] { return open_model(std::vector(bytes.begin(), bytes.end()), name, diagnostics); });
}

}  // namespace slipway::model
