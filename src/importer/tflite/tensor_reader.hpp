// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of TensorFlow Lite files as values of a net: shapes, quantisation, constants (docs/spec/import.md#buffers).
#pragma once

#include <map>
#include <tuple>

#include "importer/net.hpp"
#include "importer/tflite/tflite_file.hpp"

namespace slipway::importer {

namespace fb {
struct Tensor;
}

// What the graph does with a tensor.
struct TensorRole {
  bool is_input = false;
  bool is_result = false;
};

class TensorReader {
 public:
  explicit TensorReader(TfliteFile& file) : file_(file) {}

  // `label`: how messages name the tensor.
  NetValue read(const fb::Tensor& tensor, const std::string& label, TensorRole role);
  // Files of one buffer. Empty with an error if there is no such buffer.
  std::optional<Bytes> buffer(std::uint32_t index, std::string_view label, const void* table);

 private:
  void read_shape(const fb::Tensor& tensor, const std::string& label, TensorRole role, NetValue& value);
  void read_quantization(const fb::Tensor& tensor, const std::string& label, NetValue& value);
  bool check_quantization(const fb::Tensor& tensor, const std::string& label, const NetValue& value);
  void read_constant(const fb::Tensor& tensor, const std::string& label, NetValue& value);
  // Of the external buffer of a tensor.
  std::optional<ExternalData> external(const fb::Tensor& tensor, const std::string& label);
  std::optional<Array> unpacked(const fb::Tensor& tensor, FileType type, std::size_t count, Bytes packed);
  std::optional<Array> dense(const fb::Tensor& tensor, const std::string& label, const NetValue& value,
                             const tensor::Shape& shape, Bytes values);

  TfliteFile& file_;
  // Tensors may share data that have to be unpacked.
  std::map<std::tuple<const std::byte*, std::size_t, FileType>, Array> unpacked_;
};

}  // namespace slipway::importer
