// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions.
#include <algorithm>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/network/windows.hpp"

namespace slipway::importer {
namespace {

using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

// More groups are computed with weights that are 0 between groups.
constexpr std::int64_t kMaxSplit = 64;

// The types of one convolution.
struct Accumulation {
  FileType result;
  DataType value;
  tosa::AccType accumulator;
};

Accumulation accumulation_of(FileType type) {
  if (type == FileType::I8) return {FileType::I32, DataType::I32, tosa::AccType::Int32};
  if (type == FileType::I16) return {FileType::I64, DataType::I48, tosa::AccType::Int48};
  if (!is_real(type)) throw Refused(formatted("convolutions of {} are not supported", name_of(type)));
  return {type, info_of(type).graph, tosa::AccType::Fp32};
}

// A bias, or zeros.
ValueId bias_value(Builder& b, const Term* bias, const Accumulation& sums) {
  if (bias && sums.value != DataType::I48) return b.value(*bias);
  if (sums.value != DataType::I48) return b.value(b.number(sums.result, 0, {1}));
  // 48 bits are 8 bytes on the host.
  if (!bias) return b.graph().add_constant({DataType::I48, {1}}, std::vector<std::byte>(8));
  if (!bias->known) throw Refused("a bias of 48 bits has to be known before the run");
  const Array wide = array_of(FileType::I64, bias->shape, bias->known->integers());
  return b.graph().add_constant({DataType::I48, bias->shape}, std::vector(wide.data.begin(), wide.data.end()));
}

tosa::Attributes attributes_of(const Accumulation& sums, const ConvolutionForm& form) {
  tosa::Attributes attributes{{"acc_type", {static_cast<std::int64_t>(sums.accumulator)}}, {"local_bound", {0}}};
  if (is_real(sums.result)) {
    attributes.set_real("input_zp", 0);
    attributes.set_real("weight_zp", 0);
  } else {
    attributes.set("input_zp", form.input_zero);
    attributes.set("weight_zp", form.weight_zero);
  }
  return attributes;
}

Term emit(Builder& b, Op op, const Term& x, const Term& weights, const Term* bias, const Windows& windows,
          const ConvolutionForm& form) {
  Windows fit = windows;
  const Term source = fitted(b, x, fit);
  const Accumulation sums = accumulation_of(x.type);
  tosa::Attributes attributes = attributes_of(sums, form);
  std::vector<std::int64_t> pads;
  for (std::size_t d = 0; d < fit.rank(); ++d) pads.insert(pads.end(), {fit.before[d], fit.after[d]});
  attributes.set("pad", std::move(pads));
  attributes.set("stride", fit.stride);
  attributes.set("dilation", fit.dilation);
  const ValueId made =
      b.add(op, {b.value(source), b.value(weights), bias_value(b, bias, sums)}, std::move(attributes), sums.value);
  return b.term(made, sums.result);
}

// [O, spatial..., I / groups] as [O, spatial..., I], with zeros for inputs of other groups.
Term dense_weights(Builder& b, const Term& weights, std::int64_t groups, const ConvolutionForm& form) {
  if (form.weight_zero != 0 || !is_real(weights.type))
    throw Refused(formatted("a convolution of integers with {} groups is not supported", groups));
  const std::int64_t outputs = weights.shape[0], inputs = weights.extent(-1);
  tensor::Shape multiples(weights.rank(), 1), line(weights.rank(), 1);
  multiples.back() = groups;
  line.front() = outputs;
  line.back() = inputs * groups;
  std::vector<double> mask(static_cast<std::size_t>(outputs * inputs * groups), 0);
  for (std::int64_t o = 0; o < outputs; ++o) {
    const std::int64_t group = o / (outputs / groups);
    for (std::int64_t i = 0; i < inputs; ++i)
      mask[static_cast<std::size_t>(o * inputs * groups + group * inputs + i)] = 1;
  }
  return b.mul(b.tile(weights, multiples), known_term(array_of(weights.type, line, std::span<const double>(mask))));
}

// Calls `one` for the operands of each group, and concatenates the channels of the results.
template <class One>
Term by_groups(Builder& b, const Term& x, const Term& weights, const Term* bias, std::int64_t groups, One one) {
  const std::int64_t inputs = x.extent(-1) / groups, outputs = weights.shape[0] / groups;
  std::vector<Term> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Term part = b.slice_axis(x, -1, g * inputs, inputs);
    const Term own = b.slice_axis(weights, 0, g * outputs, outputs);
    const Term own_bias = bias ? b.slice_axis(*bias, 0, g * outputs, outputs) : Term{};
    parts.push_back(one(part, own, bias ? &own_bias : nullptr));
  }
  return b.concat(parts, -1);
}

void check_operands(const Term& x, const Term& weights, const Term* bias, const Windows& windows, std::int64_t groups) {
  if (x.rank() != windows.rank() + 2 || weights.rank() != x.rank())
    throw Refused(formatted("weights of rank {} meet a tensor of rank {}", weights.rank(), x.rank()));
  if (groups < 1 || weights.extent(-1) * groups != x.extent(-1) || weights.shape[0] % groups != 0) {
    throw Refused(formatted("the weights {} do not fit {} input channels in {} groups",
                            tensor::shape_text(weights.shape), x.extent(-1), groups));
  }
  if (bias && bias->shape != tensor::Shape{weights.shape[0]})
    throw Refused(
        formatted("the bias {} does not fit {} output channels", tensor::shape_text(bias->shape), weights.shape[0]));
  if (is_real(x.type) && (weights.type != x.type || (bias && bias->type != x.type)))
    throw Refused("the operands of the convolution have different types");
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    if (windows.kernel[d] != weights.shape[1 + d])
      throw Refused(
          formatted("the windows have {} elements and the weights {}", windows.kernel[d], weights.shape[1 + d]));
    if (windows.stride[d] < 1 || windows.dilation[d] < 1) throw Refused("strides and dilations are at least 1");
  }
}

// One dimension as two, the first of which has one element.
Term with_height(Builder& b, const Term& x) { return b.reshape(x, {x.shape[0], 1, x.shape[1], x.shape[2]}); }

Windows with_height(Windows windows) {
  for (tensor::Shape* list : {&windows.kernel, &windows.stride, &windows.dilation}) list->insert(list->begin(), 1);
  for (tensor::Shape* list : {&windows.before, &windows.after}) list->insert(list->begin(), 0);
  return windows;
}

Term without_height(Builder& b, const Term& x) { return b.reshape(x, {x.shape[0], x.shape[2], x.shape[3]}); }

Term transposed_2d(Builder& b, const Term& x, const Term& weights, const Term* bias, const Windows& windows,
                   const ConvolutionForm& form) {
  Term taps = weights;
  for (std::size_t d = 0; d < 2; ++d) taps = with_zeros_between(b, taps, 1 + d, windows.dilation[d]);
  // A kernel can be cropped by less than itself; the rest is cropped afterwards.
  std::vector<std::int64_t> pads;
  tensor::Shape before(4, 0), after(4, 0);
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t most = taps.shape[1 + d] - 1;
    before[1 + d] = std::min<std::int64_t>(most - windows.before[d], 0);
    after[1 + d] = std::min<std::int64_t>(most - windows.after[d], 0);
    pads.insert(pads.end(), {-std::min(windows.before[d], most), -std::min(windows.after[d], most)});
  }
  const Accumulation sums = accumulation_of(x.type);
  tosa::Attributes attributes = attributes_of(sums, form);
  attributes.set("out_pad", std::move(pads));
  attributes.set("stride", windows.stride);
  const ValueId made = b.add(Op::TRANSPOSE_CONV2D, {b.value(x), b.value(taps), bias_value(b, bias, sums)},
                             std::move(attributes), sums.value);
  const Term whole = b.term(made, sums.result);
  return before == tensor::Shape(4, 0) && after == before ? whole
                                                          : b.pad(whole, before, after, b.number(whole.type, 0));
}

// A convolution over an input with zeros between its elements, with reversed weights.
Term transposed_3d(Builder& b, const Term& x, const Term& weights, const Term* bias, const Windows& windows) {
  if (!is_real(x.type)) throw Refused("transposed convolutions of integers over three dimensions are not supported");
  Term source = x, taps = weights;
  Windows forward = windows_of(windows.kernel);
  forward.dilation = windows.dilation;
  for (std::size_t d = 0; d < 3; ++d) {
    source = with_zeros_between(b, source, 1 + d, windows.stride[d]);
    taps = b.reverse(taps, static_cast<std::int64_t>(1 + d));
    forward.before[d] = windows.reach(d) - 1 - windows.before[d];
    forward.after[d] = windows.reach(d) - 1 - windows.after[d];
  }
  return emit(b, Op::CONV3D, source, taps, bias, forward, {});
}

}  // namespace

Term with_zeros_between(Builder& b, const Term& x, std::size_t axis, std::int64_t count) {
  if (count == 1) return x;
  const std::span<const std::int64_t> dimensions = x.shape;
  const std::int64_t outer = product_of(dimensions.first(axis)), inner = product_of(dimensions.subspan(axis + 1));
  const Term apart =
      b.pad(b.reshape(x, {outer, x.shape[axis], 1, inner}), {0, 0, 0, 0}, {0, 0, count - 1, 0}, b.number(x.type, 0));
  tensor::Shape shape = x.shape;
  shape[axis] *= count;
  return b.slice_axis(b.reshape(apart, std::move(shape)), static_cast<std::int64_t>(axis), 0,
                      (x.shape[axis] - 1) * count + 1);
}

Term convolution(Builder& b, const Term& x, const Term& weights, const Term* bias, Windows windows,
                 const ConvolutionForm& form) {
  check_operands(x, weights, bias, windows, form.groups);
  if (windows.rank() == 1)
    return without_height(b,
                          convolution(b, with_height(b, x), with_height(b, weights), bias, with_height(windows), form));
  if (windows.rank() > 3) throw Refused("convolutions over more than three dimensions are not supported");
  if (b.computable(x).type != x.type) {
    const Term half_bias = bias ? b.computable(*bias) : Term{};
    return b.cast(convolution(b, b.computable(x), b.computable(weights), bias ? &half_bias : nullptr, windows, form),
                  x.type);
  }
  const Op op = windows.rank() == 2 ? Op::CONV2D : Op::CONV3D;
  if (form.groups == 1) return emit(b, op, x, weights, bias, windows, form);
  const std::int64_t outputs = weights.shape[0];
  if (weights.extent(-1) == 1 && windows.rank() == 2) {
    const Term by_channel =
        b.reshape(weights, {form.groups, outputs / form.groups, weights.shape[1], weights.shape[2]});
    return depthwise(b, x, b.transpose(by_channel, {2, 3, 0, 1}), bias, windows, form);
  }
  ConvolutionForm own = form;
  own.groups = 1;
  if (form.groups > kMaxSplit) return emit(b, op, x, dense_weights(b, weights, form.groups, form), bias, windows, own);
  return by_groups(b, x, weights, bias, form.groups, [&](const Term& part, const Term& taps, const Term* own_bias) {
    return emit(b, op, part, taps, own_bias, windows, own);
  });
}

Term depthwise(Builder& b, const Term& x, const Term& weights, const Term* bias, Windows windows,
               const ConvolutionForm& form) {
  if (x.rank() != 4 || weights.rank() != 4 || weights.shape[2] != x.shape[3])
    throw Refused(formatted("the weights {} do not fit the channels of {}", tensor::shape_text(weights.shape),
                            tensor::shape_text(x.shape)));
  if (b.computable(x).type != x.type) {
    const Term half_bias = bias ? b.computable(*bias) : Term{};
    return b.cast(depthwise(b, b.computable(x), b.computable(weights), bias ? &half_bias : nullptr, windows, form),
                  x.type);
  }
  return emit(b, Op::DEPTHWISE_CONV2D, x, weights, bias, windows, form);
}

Term transposed_convolution(Builder& b, const Term& x, const Term& weights, const Term* bias, const Windows& windows,
                            const ConvolutionForm& form) {
  check_operands(x, weights, bias, windows, form.groups);
  if (windows.rank() == 1) {
    return without_height(
        b, transposed_convolution(b, with_height(b, x), with_height(b, weights), bias, with_height(windows), form));
  }
  if (windows.rank() > 3) throw Refused("convolutions over more than three dimensions are not supported");
  if (b.computable(x).type != x.type) {
    const Term half_bias = bias ? b.computable(*bias) : Term{};
    return b.cast(
        transposed_convolution(b, b.computable(x), b.computable(weights), bias ? &half_bias : nullptr, windows, form),
        x.type);
  }
  ConvolutionForm own = form;
  own.groups = 1;
  const auto one = [&](const Term& part, const Term& taps, const Term* own_bias) {
    return windows.rank() == 2 ? transposed_2d(b, part, taps, own_bias, windows, own)
                               : transposed_3d(b, part, taps, own_bias, windows);
  };
  if (form.groups == 1) return one(x, weights, bias);
  if (form.groups > kMaxSplit) return one(x, dense_weights(b, weights, form.groups, form), bias);
  return by_groups(b, x, weights, bias, form.groups, one);
}

}  // namespace slipway::importer
