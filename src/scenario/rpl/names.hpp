// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves the names of an RPL shader: bindings by name, parameters by name (docs/spec/scenario.md#additive-keys).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "rpl/metadata/metadata.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// A buffer, sampler or image of the metadata, in any set.
struct NamedSlot {
  std::uint32_t set = 0, binding = 0;
  std::uint32_t count = 1;  // descriptors; more than 1 for an array of images
  const rpl::MetadataBuffer* buffer = nullptr;
};
std::optional<NamedSlot> find_slot(const rpl::Metadata& metadata, std::string_view name);

// Reports an unknown name, with the most similar known one ("did you mean").
Diagnostic unknown_name(json::Value at, SourceLocation word, std::string_view name, std::string message,
                        const std::vector<std::string_view>& names);

// Replaces the names of bindings by sets and ids; an element of an array of images is named `layers[2]`. Bindings whose
// name the shader does not declare are reported and left out.
std::vector<Binding> number_bindings(const std::vector<Binding>& bindings, const std::string& shader,
                                     const rpl::Metadata& metadata, Diagnostics& diagnostics);

// A buffer that the runner makes of parameters.
struct ParameterBuffer {
  NamedSlot slot;
  std::string name;
  std::vector<std::byte> bytes;
  json::Value at;  // its first parameter
};

// Packs the parameters "buffer.field" of a command at the offsets of the metadata; the rest is zero. A value is a
// number, or an array of numbers, nested or flat, of all items: vectors by component, matrices by column, arrays by
// element. A tail that is not a struct has as many items as are given.
std::vector<ParameterBuffer> pack_parameters(const std::vector<NamedValue>& parameters,
                                             const std::vector<Binding>& bindings, const std::string& shader,
                                             const rpl::Metadata& metadata, Diagnostics& diagnostics);

}  // namespace slipway::scenario
