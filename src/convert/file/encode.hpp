// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A converted graph as calls of the VGF encoder, in the order that determines the bytes of the file
// (docs/spec/converter.md#encoder-call-order).
#pragma once

#include <span>
#include <string>

#include "convert/passes/simplify.hpp"
#include "convert/segments/views.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

namespace slipway::convert {

struct ModelNames {
  std::span<const std::string> inputs, outputs;  // as many as the graph has
};

// `graph`: its constants have indices (constants.hpp); it must outlive the writing of the file. `numbered`: the values
// of those constants. `deferred`: what the encoder makes when it writes them. Errors are those of
// tosa::write_graph_module, for all segments.
Result<vgf::Encoder> encode(const tosa::Graph& graph, std::span<const tosa::ValueId> numbered,
                            const DeferredTransposes& deferred, const Segments& segments, const Shaders& shaders,
                            const ModelNames& names, const tosa::SpirvOptions& options);

}  // namespace slipway::convert
