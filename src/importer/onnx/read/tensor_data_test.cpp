// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/tensor_data.hpp"

#include <gtest/gtest.h>

#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

using Ints8 = std::vector<std::uint8_t>;

// A tensor as an initializer: its elements, or the messages.
std::string text_of_tensor(const Proto& tensor) {
  const std::string file = model({.outputs = {value("w", kF32, {})}, .initializers = {tensor}});
  std::string text = read(file).text();
  constexpr std::string_view kBegin = "g: -> w\n  w = ";
  return text.starts_with(kBegin) ? text.substr(kBegin.size(), text.size() - kBegin.size() - 1) : text;
}
std::string text_of_sparse(const Proto& values, const Proto& indices, const Dims& dims) {
  const Proto sparse = Proto().message(1, values).message(2, indices).packed(3, dims);
  const std::string file = model({.outputs = {value("w", kF32, {})}, .sparse_initializers = {sparse}});
  return read(file).text();
}

TEST(TensorData, ReadsRawData) {
  EXPECT_EQ(text_of_tensor(raw_tensor<float>("w", kF32, {2}, {1.5, -2})), "float32 [2] {1.5, -2}");
  EXPECT_EQ(text_of_tensor(raw_tensor<double>("w", kF64, {}, {0.1})), "float64 [] {0.1}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::int64_t>("w", kI64, {1, 1}, {-5})), "int64 [1, 1] {-5}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint16_t>("w", kF16, {1}, {0x3e00})), "float16 [1] {1.5}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint16_t>("w", kBF16, {1}, {0x3fc0})), "bfloat16 [1] {1.5}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kF8E4M3, {1}, {0x3c})), "float8e4m3fn [1] {1.5}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kBool, {2}, {1, 0})), "bool [2] {1, 0}");
  EXPECT_EQ(text_of_tensor(raw_tensor<float>("w", kF32, {0, 3}, {})), "float32 [0, 3] {}");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {0})), "float32 [0] {}");
}

TEST(TensorData, UnpacksSmallElements) {
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kI4, {3}, {0x8f, 0xf7})), "int4 [3] {-1, -8, 7}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kU4, {3}, {0x8f, 0xf7})), "uint4 [3] {15, 8, 7}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kI2, {5}, {0xe4, 0xfe})), "int2 [5] {0, 1, -2, -1, -2}");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kU2, {5}, {0xe4, 0xfe})), "uint2 [5] {0, 1, 2, 3, 2}");
  const std::string file = model(
      {.outputs = {value("w", kF32, {})}, .initializers = {raw_tensor<std::uint8_t>("w", kF4, {3}, {0x8f, 0xf7})}});
  const ReadNet read = onnx::read(file);
  const Array& bits = *read.net->main().values[0].constant;
  EXPECT_EQ(Ints8(reinterpret_cast<const std::uint8_t*>(bits.data.data()),
                  reinterpret_cast<const std::uint8_t*>(bits.data.data()) + bits.data.size()),
            (Ints8{15, 8, 7}));
}

TEST(TensorData, ReadsTypedFields) {
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {2}).packed_fixed<float>(4, {1, 2})), "float32 [2] {1, 2}");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {2}).fixed(4, 1.F).fixed(4, 2.F)), "float32 [2] {1, 2}");
  EXPECT_EQ(text_of_tensor(tensor("w", kF64, {1}).packed_fixed<double>(10, {0.1})), "float64 [1] {0.1}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI64, {2}).packed(7, {-1, 5})), "int64 [2] {-1, 5}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI64, {3}).packed(7, {-1, 5}).varint(7, 6)), "int64 [3] {-1, 5, 6}");
  EXPECT_EQ(text_of_tensor(tensor("w", kU64, {1}).packed(11, {3})), "uint64 [1] {3}");
  EXPECT_EQ(text_of_tensor(tensor("w", kU32, {1}).packed(11, {0xffffffff})), "uint32 [1] {4294967295}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI32, {2}).packed(5, {INT32_MIN, 7})), "int32 [2] {-2147483648, 7}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI16, {1}).packed(5, {-32768})), "int16 [1] {-32768}");
  EXPECT_EQ(text_of_tensor(tensor("w", kU8, {2}).packed(5, {0, 255})), "uint8 [2] {0, 255}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI8, {1}).packed(5, {-128})), "int8 [1] {-128}");
  EXPECT_EQ(text_of_tensor(tensor("w", kBool, {2}).packed(5, {1, 0})), "bool [2] {1, 0}");
  EXPECT_EQ(text_of_tensor(tensor("w", kF16, {1}).packed(5, {0x3e00})), "float16 [1] {1.5}");
  EXPECT_EQ(text_of_tensor(tensor("w", kF8E4M3, {1}).packed(5, {0x3c})), "float8e4m3fn [1] {1.5}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI4, {3}).packed(5, {0x8f, 0xf7})), "int4 [3] {-1, -8, 7}");
  EXPECT_EQ(text_of_tensor(tensor("w", kI4, {2}).packed(5, {-113})), "int4 [2] {-1, -8}");
  EXPECT_EQ(text_of_tensor(tensor("w", kU2, {5}).packed(5, {0xe4, 0xfe})), "uint2 [5] {0, 1, 2, 3, 2}");
  // An empty field of raw data does not count.
  EXPECT_EQ(text_of_tensor(tensor("w", kI64, {1}).packed(7, {4}).text(9, "")), "int64 [1] {4}");
}

TEST(TensorData, KeepsTheShapeOfWhatIsNotANumber) {
  EXPECT_EQ(text_of_tensor(tensor("w", kString, {2}).texts(6, {"a", "b"})), "string [2] {}");
  EXPECT_EQ(text_of_tensor(tensor("w", kComplex64, {1}).packed_fixed<float>(4, {1, 2})), "complex64 [1] {}");
}

TEST(TensorData, ChecksSizes) {
  EXPECT_EQ(text_of_tensor(raw_tensor<float>("w", kF32, {3}, {1, 2})),
            "`raw_data` of initializer `w` has 8 bytes, but its shape [3] of float32 needs 12 [file-format]\n");
  EXPECT_EQ(text_of_tensor(raw_tensor<std::uint8_t>("w", kI4, {3}, {1})),
            "`raw_data` of initializer `w` has 1 bytes, but its shape [3] of int4 needs 2 [file-format]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {1})),
            "`float_data` of initializer `w` has 0 entries, but its shape [1] of float32 needs 1 [file-format]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kU2, {5}).packed(5, {1})),
            "`int32_data` of initializer `w` has 1 entries, but its shape [5] of uint2 needs 2 [file-format]\n");
  EXPECT_EQ(text_of_tensor(raw_tensor<float>("w", kF32, {1}, {1}).packed(7, {1})),
            "initializer `w` has both `raw_data` and a typed field [file-format]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {-1})),
            "the shape [-1] of initializer `w` has a negative dimension or more than 2^47 elements [out-of-range]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {1 << 24, 1 << 24})),
            "the shape [16777216, 16777216] of initializer `w` has a negative dimension or more than 2^47 elements "
            "[out-of-range]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {INT64_MAX, INT64_MAX})),
            "the shape [9223372036854775807, 9223372036854775807] of initializer `w` has a negative dimension or more "
            "than 2^47 elements [out-of-range]\n");
}

TEST(TensorData, ChecksTypesAndRanges) {
  EXPECT_EQ(text_of_tensor(tensor("w", 0, {1})),
            "the type 0 of initializer `w` is not an element type [file-format]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", 27, {1})),
            "the type 27 of initializer `w` is not an element type [file-format]\n");
  EXPECT_EQ(text_of_tensor(tensor("w", kF32, {1}).message(3, Proto().varint(1, 0))),
            "initializer `w` is a segment of a tensor [unsupported]\n");
  const auto wrong_entry = [](std::int64_t type, std::int64_t entry) {
    return text_of_tensor(tensor("w", type, {2}).packed(5, {0, entry}));
  };
  EXPECT_EQ(wrong_entry(kI8, 128),
            "entry 1 of `int32_data` of initializer `w` is 128, but entries of int8 are -128 to 127 [out-of-range]\n");
  EXPECT_EQ(wrong_entry(kU8, -1),
            "entry 1 of `int32_data` of initializer `w` is -1, but entries of uint8 are 0 to 255 [out-of-range]\n");
  EXPECT_EQ(
      wrong_entry(kF16, 65536),
      "entry 1 of `int32_data` of initializer `w` is 65536, but entries of float16 are 0 to 65535 [out-of-range]\n");
  EXPECT_EQ(wrong_entry(kBool, 2),
            "entry 1 of `int32_data` of initializer `w` is 2, but entries of bool are 0 to 1 [out-of-range]\n");
  EXPECT_EQ(
      wrong_entry(kI32, std::int64_t{1} << 31),
      "entry 1 of `int32_data` of initializer `w` is 2147483648, but entries of int32 are -2147483648 to 2147483647 "
      "[out-of-range]\n");
}

TEST(TensorData, MakesSparseTensorsDense) {
  const Proto values = raw_tensor<float>("w", kF32, {2}, {5, 6});
  EXPECT_EQ(text_of_sparse(values, raw_tensor<std::int64_t>("", kI64, {2}, {1, 4}), {2, 3}),
            "g: -> w\n  w = float32 [2, 3] {0, 5, 0, 0, 6, 0}\n");
  EXPECT_EQ(text_of_sparse(values, raw_tensor<std::int64_t>("", kI64, {2, 2}, {0, 2, 1, 0}), {2, 3}),
            "g: -> w\n  w = float32 [2, 3] {0, 0, 5, 6, 0, 0}\n");
  EXPECT_EQ(text_of_sparse(tensor("w", kF32, {0}), tensor("", kI64, {0}), {2}), "g: -> w\n  w = float32 [2] {0, 0}\n");
}

TEST(TensorData, ChecksSparseTensors) {
  const Proto values = raw_tensor<float>("w", kF32, {2}, {5, 6});
  const auto indices = [](const std::vector<std::int64_t>& at, const Dims& dims) {
    return raw_tensor("", kI64, dims, at);
  };
  EXPECT_EQ(text_of_sparse(values, indices({1, 6}, {2}), {2, 3}),
            "index 1 of sparse initializer `w` is out of range [file-format]\n");
  EXPECT_EQ(text_of_sparse(values, indices({0, 3, 1, 0}, {2, 2}), {2, 3}),
            "index 0 of sparse initializer `w` is out of range [file-format]\n");
  EXPECT_EQ(text_of_sparse(values, indices({2, 2}, {2}), {2, 3}),
            "the indices of sparse initializer `w` are not sorted at 1 [file-format]\n");
  EXPECT_EQ(text_of_sparse(values, indices({1, 2, 3}, {3}), {2, 3}),
            "`indices` of sparse initializer `w` is [3] of int64, but 2 values of rank 2 need [2] or [2, 2] of int64 "
            "[file-format]\n");
  EXPECT_EQ(text_of_sparse(raw_tensor<float>("w", kF32, {1, 2}, {5, 6}), indices({1, 2}, {2}), {2, 3}),
            "the values of sparse initializer `w` are not a vector of numbers [file-format]\n");
  EXPECT_EQ(text_of_sparse(values, indices({1, 2}, {2}), {1 << 20, 1 << 20}),
            "sparse initializer `w` is dense with the shape [1048576, 1048576], which has a negative dimension or more "
            "than 67109030 bytes [out-of-range]\n");
}

TEST(TensorData, ReadsTensorsOfAttributes) {
  const Proto sparse = Proto()
                           .message(1, raw_tensor<float>("", kF32, {1}, {5}))
                           .message(2, raw_tensor<std::int64_t>("", kI64, {1}, {1}))
                           .packed(3, {2});
  const std::string file = model(
      {.nodes = {node("Constant", {}, {"a"}, {tensor_attribute("value", raw_tensor<float>("", kF32, {}, {3}))}),
                 node("Constant", {}, {"b"}, {Proto().text(1, "sparse_value").message(22, sparse).varint(20, 11)}),
                 node("Constant", {}, {"c"}, {tensor_attribute("value", tensor("", kF32, {1}))})},
       .outputs = {value("a", kF32, {})}});
  EXPECT_EQ(read(file).text(),
            "`float_data` of attribute `value` of `Constant #2` has 0 entries, but its shape [1] of float32 needs 1 "
            "[file-format]\n");
  const std::string ok = model(
      {.nodes = {node("Constant", {}, {"b"}, {Proto().text(1, "sparse_value").message(22, sparse).varint(20, 11)})},
       .outputs = {value("b", kF32, {})}});
  EXPECT_EQ(read(ok).text(), "g: -> b\n  b = Constant@20() {sparse_value=float32 [2] {0, 5}}\n");
}

}  // namespace
}  // namespace slipway::importer::onnx
