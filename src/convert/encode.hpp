// A converted graph as calls of the VGF encoder, in the order that decides the bytes of the file (converter page 3.12,
// encoder call order).
#pragma once

#include <span>
#include <string>

#include "convert/views.hpp"
#include "tosa/write/write_spirv.hpp"
#include "vgf/write.hpp"

namespace slipway::convert {

struct ModelNames {
  std::span<const std::string> inputs, outputs;  // as many as the graph has
};

// `graph`: constants numbered (constants.hpp); it has to live until the encoder has written the file. `numbered`: the
// values of those constants. Errors are those of tosa::write_graph_module, of all segments together.
Result<vgf::Encoder> encode(const tosa::Graph& graph, std::span<const tosa::ValueId> numbered, const Segments& segments,
                            const Shaders& shaders, const ModelNames& names, const tosa::SpirvSettings& settings);

}  // namespace slipway::convert
