// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts a model of TOSA operators and shader operators to a VGF file (docs/spec/converter.md).
//
//   std::optional<Converted> converted = convert(model, options, diagnostics);
//   converted->file.write_to(out);
//
// convert.cpp reads as the list of stages: verify, narrow types, simplify, shaders, partitions, segments, file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "convert/passes/narrow.hpp"
#include "convert/passes/simplify.hpp"
#include "convert/segments/segments.hpp"
#include "convert/shaders/shader_code.hpp"
#include "tosa/model.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

namespace slipway::convert {

struct ConvertOptions {
  bool require_static_shape = false;
  NarrowOptions narrow;
  SimplifyOptions simplify;
  PartitionOrder order = PartitionOrder::BreadthFirst;
  bool rematerialize_rescale = false;  // narrow tensors between segments
  ShaderCodeOptions shader;
  tosa::SpirvOptions spirv;
  // Called with the graph after each pass and the name of the pass.
  std::function<void(std::string_view pass, const tosa::Graph&)> observe;
};

struct Converted {
  vgf::Encoder file;
  Partitioning partitioning;
  Segments segments;
};

// Runs the passes on the graph: verify, static shapes, narrowing, simplifying. Returns false after an error.
bool prepare(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics);

// Makes the file of a prepared model, which must outlive the writing of the file. Names are the model's, otherwise
// `input_0`, ... Empty after an error. Constants whose transposes are deferred have no data in the graph afterwards.
std::optional<Converted> make_file(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics);

// `prepare`, then `make_file`.
std::optional<Converted> convert(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::convert
