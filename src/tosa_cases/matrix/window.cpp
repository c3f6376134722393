// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling, convolutions, matrix products and the Fourier transforms.

#include "base/format.hpp"
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t acc(tosa::AccType type) { return static_cast<std::int64_t>(type); }

// The types of a convolution: input, weight, bias and result, accumulator.
struct ConvTypes {
  DataType in, weight, out;
  tosa::AccType accumulator;
  std::string label() const {
    return formatted("{} {} {} {}", tosa::name_of(in), tosa::name_of(weight), tosa::name_of(out),
                     tosa::name_of(tosa::data_type_of(accumulator)));
  }
};
constexpr std::array kConvTypes = {ConvTypes{DataType::I8, DataType::I8, DataType::I32, tosa::AccType::Int32},
                                   ConvTypes{DataType::I8, DataType::I4, DataType::I32, tosa::AccType::Int32},
                                   ConvTypes{DataType::I16, DataType::I8, DataType::I48, tosa::AccType::Int48},
                                   ConvTypes{DataType::F32, DataType::F32, DataType::F32, tosa::AccType::Fp32},
                                   ConvTypes{DataType::F16, DataType::F16, DataType::F16, tosa::AccType::Fp16},
                                   ConvTypes{DataType::F16, DataType::F16, DataType::F16, tosa::AccType::Fp32},
                                   ConvTypes{DataType::BF16, DataType::BF16, DataType::BF16, tosa::AccType::Fp32},
                                   ConvTypes{DataType::F8E4M3, DataType::F8E4M3, DataType::F16, tosa::AccType::Fp16},
                                   ConvTypes{DataType::F8E5M2, DataType::F8E5M2, DataType::F16, tosa::AccType::Fp16}};

struct Convolution {
  ConvTypes types;
  Shape in, weight;
  std::int64_t biases;
  std::pair<std::int64_t, std::int64_t> zeros;
  Attributes attributes;
};

void add_convolution(MatrixBuilder& matrix, Op op, Convolution conv) {
  conv.attributes.set("acc_type", acc(conv.types.accumulator));
  conv.attributes.set("local_bound", 0);
  conv.attributes.set("input_zp", conv.zeros.first);
  conv.attributes.set("weight_zp", conv.types.weight == DataType::I8 ? conv.zeros.second : 0);
  const std::string label = conv.types.label();
  matrix.add(op, label, [conv = std::move(conv)](TensorBuilder& make) {
    const auto small = tosa::is_float(conv.types.in) ? std::optional(ValueRange{-2, 2}) : std::nullopt;
    CaseParts parts{{}, conv.attributes, {conv.types.out}};
    parts.tensors.push_back(make.tensor(conv.types.in, conv.in, small));
    parts.tensors.push_back(make.tensor(conv.types.weight, conv.weight, small));
    parts.tensors.push_back(make.random_tensor(conv.types.out, {conv.biases}, small ? small : ValueRange{-1e6, 1e6}));
    return parts;
  });
}

// Dimensions before the kernel, of the kernel, and after it.
Shape weight_shape(const Shape& before, const Shape& kernel, const Shape& after) {
  Shape shape = before;
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  shape.insert(shape.end(), after.begin(), after.end());
  return shape;
}

void add_conv2d(MatrixBuilder& matrix, const ConvTypes& types, const Shape& in, const Shape& kernel,
                std::int64_t channels) {
  for (const List& pad : {List{0, 0, 0, 0}, List{1, 1, 1, 1}, List{0, 1, 2, 0}}) {
    for (const List& stride : {List{1, 1}, List{2, 2}, List{1, 2}}) {
      for (const List& dilation : {List{1, 1}, List{2, 1}}) {
        const bool plain = stride == List{1, 1};
        const bool with_zeros = plain && pad == List{1, 1, 1, 1} && types.weight == DataType::I8;
        const auto all_zeros = zero_points(with_zeros ? types.in : DataType::I32);
        for (const auto& zeros : all_zeros) {
          for (const bool one_bias : {false, true}) {
            if (one_bias && !(plain && pad == List{0, 0, 0, 0})) continue;
            const Attributes attributes = {{"pad", pad}, {"stride", stride}, {"dilation", dilation}};
            add_convolution(
                matrix, Op::CONV2D,
                {types, in, weight_shape({channels}, kernel, {in[3]}), one_bias ? 1 : channels, zeros, attributes});
            if (channels == 1) continue;
            constexpr std::int64_t kMultiplier = 2;
            add_convolution(matrix, Op::DEPTHWISE_CONV2D,
                            {types, in, weight_shape({}, kernel, {in[3], kMultiplier}),
                             one_bias ? 1 : in[3] * kMultiplier, zeros, attributes});
          }
        }
      }
    }
  }
}

void add_transposed(MatrixBuilder& matrix, const ConvTypes& types) {
  for (const Shape& in : {Shape{1, 3, 2, 2}, Shape{2, 2, 3, 1}}) {
    for (const Shape& kernel : {Shape{1, 1}, Shape{2, 3}, Shape{3, 3}}) {
      for (const List& pad : {List{0, 0, 0, 0}, List{-1, 0, 0, -1}, List{1, 2, 0, 1}}) {
        for (const List& stride : {List{1, 1}, List{2, 2}, List{3, 1}}) {
          add_convolution(matrix, Op::TRANSPOSE_CONV2D,
                          {types,
                           in,
                           weight_shape({3}, kernel, {in[3]}),
                           3,
                           zero_points(types.in).back(),
                           {{"out_pad", pad}, {"stride", stride}}});
        }
      }
    }
  }
}

void add_conv3d(MatrixBuilder& matrix, const ConvTypes& types) {
  const Shape in = {1, 3, 3, 4, 2};
  for (const Shape& kernel : {Shape{1, 1, 1}, Shape{2, 2, 2}, Shape{3, 1, 2}}) {
    for (const List& pad : {List{0, 0, 0, 0, 0, 0}, List{1, 1, 1, 1, 1, 1}, List{0, 1, 1, 0, 0, 1}}) {
      for (const List& stride : {List{1, 1, 1}, List{2, 1, 2}}) {
        for (const List& dilation : {List{1, 1, 1}, List{1, 2, 1}}) {
          add_convolution(matrix, Op::CONV3D,
                          {types,
                           in,
                           weight_shape({2}, kernel, {in[4]}),
                           2,
                           zero_points(types.in).back(),
                           {{"pad", pad}, {"stride", stride}, {"dilation", dilation}}});
        }
      }
    }
  }
}

// Every window of the pooling operators, with its image.
void for_each_pool(const std::function<void(const Attributes&, const Shape&)>& use) {
  for (const List& kernel : {List{1, 1}, List{2, 2}, List{3, 2}, List{2, 3}}) {
    for (const List& stride : {List{1, 1}, List{2, 1}, List{2, 2}}) {
      for (const List& pad : {List{0, 0, 0, 0}, List{1, 1, 1, 1}, List{0, 1, 1, 0}}) {
        for (const Shape& in : {Shape{1, 4, 5, 1}, Shape{2, 5, 4, 3}})
          use({{"kernel", kernel}, {"stride", stride}, {"pad", pad}}, in);
      }
    }
  }
}

void add_average(MatrixBuilder& matrix, Attributes attributes, const Shape& in, DataType type,
                 tosa::AccType accumulator) {
  attributes.set("acc_type", acc(accumulator));
  const auto kernel = attributes.list("kernel");
  const bool with_zeros = kernel[0] == 2 && kernel[1] == 2;
  for (const auto& [in_zero, out_zero] : zero_points(with_zeros ? type : DataType::I32)) {
    attributes.set("input_zp", in_zero);
    attributes.set("output_zp", out_zero);
    matrix.add(Op::AVG_POOL2D, type, [=](TensorBuilder& make) {
      const auto limits = tosa::is_float(type) ? std::optional(ValueRange{-100, 100}) : std::nullopt;
      return CaseParts{{make.tensor(type, in, limits)}, attributes, {type}};
    });
  }
}

}  // namespace

void add_pools(MatrixBuilder& matrix) {
  using enum tosa::AccType;
  constexpr std::array kRanked = {DataType::I8,   DataType::I16,    DataType::F32,   DataType::F16,
                                  DataType::BF16, DataType::F8E4M3, DataType::F8E5M2};
  for_each_pool([&](const Attributes& attributes, const Shape& in) {
    for (const auto& [type, accumulator] : {std::pair{DataType::I8, Int32},
                                            {DataType::I16, Int32},
                                            {DataType::F32, Fp32},
                                            {DataType::F16, Fp16},
                                            {DataType::F16, Fp32},
                                            {DataType::BF16, Fp32},
                                            {DataType::F8E4M3, Fp16},
                                            {DataType::F8E5M2, Fp16}})
      add_average(matrix, attributes, in, type, accumulator);
    for (const DataType type : kRanked) {
      for (const std::int64_t nan_mode : nan_modes(type)) {
        Attributes of_max = attributes;
        of_max.set("nan_mode", nan_mode);
        matrix.add(Op::MAX_POOL2D, type,
                   [=](TensorBuilder& make) { return CaseParts{{make.tensor(type, in)}, of_max, {}}; });
      }
    }
  });
}

void add_convolutions(MatrixBuilder& matrix) {
  for (const ConvTypes& types : kConvTypes) {
    for (const Shape& in : {Shape{1, 4, 5, 2}, Shape{2, 6, 4, 3}}) {
      for (const Shape& kernel : {Shape{1, 1}, Shape{2, 3}, Shape{3, 3}}) {
        for (const std::int64_t channels : {1, 5}) add_conv2d(matrix, types, in, kernel, channels);
      }
    }
    add_transposed(matrix, types);
    add_conv3d(matrix, types);
  }
}

// Long, because it is a list of shapes for three operators.
void add_products(MatrixBuilder& matrix) {
  using enum DataType;
  constexpr std::array<std::array<DataType, 3>, 13> kTransposedTypes = {{{I8, I8, I32},
                                                                         {I16, I16, I48},
                                                                         {F32, F32, F32},
                                                                         {F16, F16, F16},
                                                                         {F16, F16, F32},
                                                                         {F16, F16, BF16},
                                                                         {BF16, BF16, F32},
                                                                         {BF16, BF16, BF16},
                                                                         {F16, BF16, F32},
                                                                         {F8E4M3, F8E4M3, F32},
                                                                         {F8E4M3, F8E5M2, BF16},
                                                                         {F8E5M2, F16, F32},
                                                                         {F8E5M2, F8E5M2, BF16}}};
  struct Types {
    DataType in, out;
  };
  for (const auto [in, out] :
       {Types{DataType::I8, DataType::I32}, Types{DataType::I16, DataType::I48}, Types{DataType::F32, DataType::F32},
        Types{DataType::F16, DataType::F16}, Types{DataType::F16, DataType::F32}, Types{DataType::BF16, DataType::F32},
        Types{DataType::F8E4M3, DataType::F16}, Types{DataType::F8E5M2, DataType::F16}}) {
    for (const auto [n, h, c, w] :
         {std::array{1, 1, 1, 1}, {1, 3, 4, 5}, {2, 4, 7, 3}, {3, 1, 9, 1}, {1, 5, 1, 4}, {2, 2, 33, 2}}) {
      for (const auto& [a_zero, b_zero] : zero_points(in)) {
        const Attributes attributes = {{"A_zp", {a_zero}}, {"B_zp", {b_zero}}};
        matrix.add(Op::MATMUL, in, [=](TensorBuilder& make) {
          const auto small = tosa::is_float(in) ? std::optional(ValueRange{-2, 2}) : std::nullopt;
          Tensor a = make.tensor(in, {n, h, c}, small);
          return CaseParts{{std::move(a), make.tensor(in, {n, c, w}, small)}, attributes, {out}};
        });
      }
    }
  }
  for (const auto [a_type, b_type, out] : kTransposedTypes) {
    for (const auto [n, h, c, w, batches] :
         {std::array{1, 1, 1, 1, 1}, {1, 3, 4, 5, 1}, {2, 4, 7, 3, 2}, {3, 2, 9, 4, 1}, {2, 2, 33, 2, 1}}) {
      for (const auto& [a_zero, b_zero] : zero_points(a_type)) {
        const Attributes attributes = {{"A_zp", {a_zero}}, {"B_zp", {b_zero}}};
        matrix.add(Op::MATMUL_T, formatted("{} {} {}", name_of(a_type), name_of(b_type), name_of(out)),
                   [=](TensorBuilder& make) {
                     const auto small = tosa::is_float(a_type) ? std::optional(ValueRange{-2, 2}) : std::nullopt;
                     Tensor a = make.tensor(a_type, {n, h, c}, small);
                     return CaseParts{{std::move(a), make.tensor(b_type, {batches, w, c}, small)}, attributes, {out}};
                   });
      }
    }
  }
  for (const std::int64_t height : {1, 2, 4, 8}) {
    for (const std::int64_t width : {1, 2, 4, 8}) {
      for (const std::int64_t local : {0, 1}) {
        const auto image = [=](TensorBuilder& make, std::int64_t count) {
          return make.random_tensor(DataType::F32, {count, height, width});
        };
        matrix.add(
            Op::RFFT2D, "f32",
            [=](TensorBuilder& make) { return CaseParts{{image(make, 1)}, {{"local_bound", {local}}}, {}}; }, false);
        for (const std::int64_t inverse : {0, 1}) {
          matrix.add(
              Op::FFT2D, "f32",
              [=](TensorBuilder& make) {
                Tensor real = image(make, 2);
                return CaseParts{
                    {std::move(real), image(make, 2)}, {{"inverse", {inverse}}, {"local_bound", {local}}}, {}};
              },
              false);
        }
      }
    }
  }
}

}  // namespace slipway::tosa_cases
