// Converts a model of TOSA operators and shader operators to a VGF file (converter page).
//
//   std::optional<Converted> converted = convert(model, settings, diagnostics);
//   converted->file.write_to(out);
//
// convert.cpp reads as the list of stages: verify, narrow types, simplify, shaders, partitions, segments, file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "convert/narrow.hpp"
#include "convert/segments.hpp"
#include "convert/shader_code.hpp"
#include "convert/simplify.hpp"
#include "tosa/model.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

namespace slipway::convert {

struct Settings {
  bool require_static_shape = false;
  NarrowSettings narrow;
  SimplifySettings simplify;
  PartitionOrder order = PartitionOrder::BreadthFirst;
  bool rematerialize_rescale = false;  // narrow tensors between segments
  ShaderSettings shader;
  tosa::SpirvSettings spirv;
  // Sees the graph behind each pass, under its name.
  std::function<void(std::string_view pass, const tosa::Graph&)> observe;
};

struct Converted {
  vgf::Encoder file;
  Partitioning partitioning;
  Segments segments;
};

// The passes on the graph: verify, static shapes, narrowing, simplifying. False after an error.
bool prepare(tosa::Model& model, const Settings& settings, Diagnostics& diagnostics);

// The file of a prepared model, which has to live until it is written. Names are the model's, else `input_0`, ... Empty
// after an error.
std::optional<Converted> make_file(tosa::Model& model, const Settings& settings, Diagnostics& diagnostics);

// Both.
std::optional<Converted> convert(tosa::Model& model, const Settings& settings, Diagnostics& diagnostics);

}  // namespace slipway::convert
