// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that ONNX files declare for values.
#pragma once

#include <optional>
#include <vector>

#include "importer/net.hpp"
#include "importer/onnx/wire/messages.hpp"

namespace slipway::importer::onnx {

struct DeclaredType {
  FileType type = FileType::Unknown;
  std::optional<std::vector<Dimension>> shape;  // empty: unknown rank
  std::string_view other;  // "sequence" and so on: what the value is instead of a tensor; empty for a tensor
};

DeclaredType read_type(OnnxFile& file, const Context& where, const Submessage& type);

}  // namespace slipway::importer::onnx
