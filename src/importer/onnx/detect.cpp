// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read_onnx.hpp"
#include "importer/onnx/wire/wire.hpp"

namespace slipway::importer {
namespace {

constexpr int kMaxInspectedFields = 4096;
constexpr std::uint32_t kGraphField = 7, kOperatorSetField = 8;

// Whether a field of ModelProto has the wire type that it must have. False for numbers that are not fields of it.
bool is_model_field(const onnx::WireField& field) {
  switch (field.number) {
    case 1:  // ir_version
    case 5:  // model_version
      return field.type == onnx::WireType::Varint;
    case 2:
    case 3:
    case 4:
    case 6:
    case kGraphField:
    case kOperatorSetField:
    case 14:
    case 20:
    case 25:
    case 26:
      return field.type == onnx::WireType::Length;
    default:
      return false;
  }
}

}  // namespace

bool is_onnx(Bytes bytes) {
  onnx::WireReader reader(bytes);
  onnx::WireField field;
  bool has_contents = false;
  for (int i = 0; i < kMaxInspectedFields && reader.next(field); ++i) {
    if (!is_model_field(field)) return false;
    has_contents |= field.number == kGraphField || field.number == kOperatorSetField;
  }
  return reader.fault() == onnx::WireFault::None && has_contents;
}

}  // namespace slipway::importer
