// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused products and activations of com.microsoft (docs/spec/import.md#operators-of-commicrosoft).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/network/activations.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/products.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"

namespace slipway::importer {
namespace {

// The first dimension becomes the last but one.
Term with_rows_last(Builder& b, const Term& x) {
  if (x.rank() < 3) throw Refused("a matrix without batches has none to transpose");
  std::vector<std::int64_t> permutation;
  for (std::size_t d = 1; d + 1 < x.rank(); ++d) permutation.push_back(static_cast<std::int64_t>(d));
  permutation.push_back(0);
  permutation.push_back(static_cast<std::int64_t>(x.rank() - 1));
  return b.transpose(x, std::move(permutation));
}

Term matmul_operand(const NodeContext& node, std::size_t operand, std::string_view batches, std::string_view matrix) {
  Term x = node.in(operand);
  if (node.flag(batches)) x = with_rows_last(node.b, x);
  return node.flag(matrix) && x.rank() >= 2 ? swapped(node.b, x) : x;
}

// The function that a fused operator applies to its sum; `parameters`: of the attributes.
Term activated(Builder& b, const Term& x, const std::string& name, const std::vector<double>& parameters) {
  const auto parameter = [&](std::size_t i, double otherwise) {
    return i < parameters.size() ? parameters[i] : otherwise;
  };
  if (name.empty()) return x;
  if (name == "Relu") return relu(b, x);
  if (name == "Tanh") return b.unary(Unary::Tanh, x);
  if (name == "Sigmoid") return b.unary(Unary::Sigmoid, x);
  if (name == "LeakyRelu") return leaky_relu(b, x, parameter(0, 0.01F));
  if (name == "HardSigmoid") return hard_sigmoid(b, x, parameter(0, 0.2F), parameter(1, 0.5));
  const double infinity = std::numeric_limits<double>::infinity();
  if (name == "Clip") return b.clamp(x, parameter(0, -infinity), parameter(1, infinity));
  throw Refused(formatted("the activation `{}` is not known", name));
}

}  // namespace

void emit_microsoft_FusedMatMul(NodeContext& node) {
  const Term a = matmul_operand(node, 0, "transBatchA", "transA"),
             other = matmul_operand(node, 1, "transBatchB", "transB");
  node.out(0, node.b.affine(node.b.matmul(a, other), node.real("alpha", 1), 0));
}

void emit_microsoft_TransposeMatMul(NodeContext& node) { emit_microsoft_FusedMatMul(node); }

void emit_microsoft_FusedConv(NodeContext& node) {
  Builder& b = node.b;
  const Term* bias = node.has(2) ? &node.in(2) : nullptr;
  Term made = onnx_convolution(node, node.in(0), node.in(1), bias, {});
  if (node.has(3)) made = b.add(made, node.in(3));
  const std::vector<double> parameters = node.reals("activation_params").value_or(std::vector<double>());
  node.out(0, activated(b, made, node.text("activation", ""), parameters));
}

void emit_microsoft_FusedGemm(NodeContext& node) {
  const Term made = gemm(node, node.in(0), node.in(1), node.has(2) ? &node.in(2) : nullptr);
  std::vector<double> parameters;
  for (const std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (node.has(name)) parameters.push_back(node.real(name, 0));
  }
  node.out(0, activated(node.b, made, node.text("activation", ""), parameters));
}

void emit_microsoft_Gelu(NodeContext& node) { node.out(0, gelu(node.b, node.in(0))); }

void emit_microsoft_BiasGelu(NodeContext& node) { node.out(0, gelu(node.b, node.b.add(node.in(0), node.in(1)))); }

void emit_microsoft_FastGelu(NodeContext& node) {
  node.out(0, gelu_tanh(node.b, node.has(1) ? node.b.add(node.in(0), node.in(1)) : node.in(0)));
}

void emit_microsoft_QuickGelu(NodeContext& node) { node.out(0, swish(node.b, node.in(0), node.real("alpha", 1.702F))); }

namespace {

// Numbers of `bits` bits, low bits first, one to an element; each row of `packed` bytes has `count` of them.
Array unpacked(const Array& bytes, std::int64_t bits, std::int64_t rows, std::int64_t count) {
  const std::int64_t per_byte = 8 / bits, packed = static_cast<std::int64_t>(bytes.data.size()) / rows;
  if (packed * per_byte < count || rows * packed != static_cast<std::int64_t>(bytes.data.size()))
    throw Refused("the packed weights have another size than the attributes demand");
  std::vector<std::byte> numbers;
  numbers.reserve(static_cast<std::size_t>(rows * count));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto byte = std::to_integer<unsigned>(bytes.data[static_cast<std::size_t>(row * packed + i / per_byte)]);
      const auto shift = static_cast<unsigned>(i % per_byte * bits);
      numbers.push_back(static_cast<std::byte>((byte >> shift) & ((1U << bits) - 1)));
    }
  }
  return array_of(FileType::U8, {rows, count}, std::move(numbers));
}

}  // namespace

void emit_microsoft_MatMulNBits(NodeContext& node) {
  Builder& b = node.b;
  const std::int64_t inputs = node.integer("K"), outputs = node.integer("N"), bits = node.integer("bits", 4),
                     block = node.integer("block_size");
  if (bits != 2 && bits != 4 && bits != 8) throw Refused(formatted("weights of {} bits are not supported", bits));
  if (inputs < 1 || outputs < 1 || block < 1) throw Refused("`K`, `N` and `block_size` are at least 1");
  if (node.has(4)) throw Refused("the order of `g_idx` is not supported");
  const std::int64_t blocks = (inputs + block - 1) / block;
  const FileType type = node.in(0).type;
  const auto narrow_type = bits == 8 ? FileType::U8 : bits == 4 ? FileType::U4 : FileType::U2;
  const auto numbers = [&](std::size_t operand, std::string_view what, std::int64_t rows, std::int64_t count) {
    Array array = unpacked(node.known(operand, what), bits, rows, count);
    array.type = narrow_type;
    return known_term(std::move(array));
  };
  const Term weights = b.reshape(numbers(1, "B", outputs, blocks * block), {outputs, blocks, block});
  const tensor::Shape per_block{outputs, blocks, 1};
  const Term scales = b.reshape(b.cast(node.in(2), FileType::F32), per_block);
  Term zeros = b.number(FileType::F32, static_cast<double>(std::int64_t{1} << (bits - 1)));
  if (node.has(3)) {
    const Term& given = node.in(3);
    zeros = b.reshape(is_real(given.type) ? b.cast(given, FileType::F32)
                                          : b.cast(numbers(3, "zero_points", outputs, blocks), FileType::F32),
                      per_block);
  }
  const Term real = b.mul(b.sub(b.cast(weights, FileType::F32), zeros), scales);
  const Term rows = b.slice_axis(b.reshape(b.cast(real, type), {outputs, blocks * block}), 1, 0, inputs);
  node.out(0, b.linear(node.in(0), rows, node.has(5) ? &node.in(5) : nullptr));
}

}  // namespace slipway::importer
