// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads FlexBuffers, the form of options of custom operators and of composites in TensorFlow Lite files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "importer/net.hpp"

namespace slipway::importer {

// The map that is the root: integers and bools, floats, strings, lists of these, and blobs, which are views of the
// bytes. Keys with other values (maps, lists of lists, null) are left out. Empty if the bytes are not a FlexBuffer, or
// one whose root is not a map.
std::optional<std::map<std::string, AttributeValue, std::less<>>> read_flexbuffer(Bytes bytes);

}  // namespace slipway::importer
