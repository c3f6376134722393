// What an RPL shader calls its resources: bindings by name, parameters by name (scenario page 3.7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "rpl/metadata.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// A buffer, sampler or image of the metadata, in whichever set.
struct NamedSlot {
  std::uint32_t set = 0, binding = 0;
  std::uint32_t count = 1;  // descriptors: more for an array of images
  const rpl::Metadata::Buffer* buffer = nullptr;
};
std::optional<NamedSlot> find_slot(const rpl::Metadata& metadata, std::string_view name);

// "unknown name, did you mean": an error for a word that is none of the names.
Diagnostic unknown_name(json::Value at, SourceLocation word, std::string_view name, std::string message,
                        const std::vector<std::string_view>& names);

// Bindings with their numbers instead of their names; an element of an array of images is named `layers[2]`. Those
// whose name is none of the shader's are errors, and left out.
std::vector<Binding> number_bindings(const std::vector<Binding>& bindings, const std::string& shader,
                                     const rpl::Metadata& metadata, Diagnostics& diagnostics);

// A buffer that the runner makes of parameters.
struct ParameterBuffer {
  NamedSlot slot;
  std::string name;
  std::vector<std::byte> bytes;
  json::Value at;  // its first parameter
};

// The parameters "buffer.field" of a command, packed by the metadata's offsets, the rest zeros. A value is a number, or
// an array of numbers, nested or flat, of all items: vectors by component, matrices by column, arrays by element. The
// items of a tail that is no struct are as many as are given.
std::vector<ParameterBuffer> pack_parameters(const std::vector<NamedValue>& parameters,
                                             const std::vector<Binding>& bindings, const std::string& shader,
                                             const rpl::Metadata& metadata, Diagnostics& diagnostics);

}  // namespace slipway::scenario
