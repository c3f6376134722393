// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/random_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

class RandomGraphGenerator {
 public:
  RandomGraphGenerator(std::uint64_t seed, const RandomGraphShape& shape)
      : shape_(shape), make_(seed, Pattern::Random), vocabulary_(seed / kGraphsOfAVocabulary), decide_(vocabulary_) {}

  GraphBuilder run() {
    graph_.takes_shape = [&](const Shape& shape) { return takes_shape(shape); };
    const std::int64_t operators = random().between(shape_.least_operators, shape_.most_operators);
    const std::int64_t inputs = random().between(1, 4);
    for (std::int64_t i = 0; i < inputs; ++i) {
      decide_ = Random(tensor::draw(vocabulary_, static_cast<std::uint64_t>(random().between(0, 4))));
      const DataType type = any_type();
      graph_.input(fresh(type, any_shape()));
    }
    for (int tries = 0; tries < 4000 && std::ssize(graph_.graph.nodes) < operators; ++tries) step();
    outputs();
    graph_.takes_shape = {};
    return std::move(graph_);
  }

 private:
  // For everything that is not part of a kernel: which values are used, and contents of tensors.
  Random& random() { return make_.random; }
  // For everything that is part of a kernel: operators, types, shapes and attributes.
  Random& decide() { return decide_; }
  // Chooses one of the few operations that graphs of a vocabulary apply to values of this type.
  void decide_on(ValueId value) {
    constexpr std::int64_t kChoices = 4;
    const std::uint64_t seed = tensor::draw(number_of(type(value).shape), static_cast<std::uint64_t>(data(value)));
    decide_ = Random(tensor::draw(seed, static_cast<std::uint64_t>(random().between(0, kChoices - 1))));
  }
  // An extent from the vocabulary.
  std::uint64_t number_of(const Shape& shape) const {
    std::uint64_t number = vocabulary_;
    for (const std::int64_t extent : shape) number = tensor::draw(number, static_cast<std::uint64_t>(extent));
    return number;
  }
  // Existing shapes, and a quarter of all others: otherwise each operator would introduce a new one.
  bool takes_shape(const Shape& shape) const {
    const bool is_there =
        std::ranges::any_of(graph_.graph.values, [&](const tosa::Value& value) { return value.type.shape == shape; });
    return is_there || tensor::draw(number_of(shape), 0) % 4 == 0;
  }
  const tosa::TensorType& type(ValueId value) const { return graph_.type(value); }
  DataType data(ValueId value) const { return type(value).data; }
  std::size_t rank(ValueId value) const { return type(value).shape.size(); }

  DataType any_type() {
    using enum DataType;
    return decide().pick({I8, I8, I8, I16, I32, I32, F32, F32, F16, BF16, F8E4M3, F8E5M2, Bool});
  }
  Shape any_shape() {
    switch (decide().between(0, 5)) {
      case 0:
        return {decide().between(1, 64)};
      case 1:
        return {decide().between(1, 12), decide().between(1, 12)};
      case 2:
        return {decide().between(1, 2), decide().between(1, 8), decide().between(1, 12)};
      default:
        return {decide().between(1, 2), decide().between(1, 7), decide().between(1, 7), decide().between(1, 6)};
    }
  }
  // Floats are small whole numbers or halves, so that many results are exact.
  Tensor fresh(DataType type, const Shape& shape) {
    if (!tosa::is_float(type)) {
      if (type == DataType::I32) return make_.random_tensor(type, shape, ValueRange{-100000, 100000});
      return make_.random_tensor(type, shape);
    }
    const double unit = random().chance(30) ? 0.5 : 1;
    return make_.filled(type, shape, [&](std::size_t) { return unit * static_cast<double>(random().between(-6, 6)); });
  }

  // A value for which a predicate holds, preferably a late one; otherwise kNoValue.
  ValueId pick(const std::function<bool(ValueId)>& fits) {
    std::vector<ValueId> found;
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      const auto value = static_cast<ValueId>(v);
      if (!graph_.graph.constant(value) && fits(value)) found.push_back(value);
    }
    if (found.empty()) return tosa::kNoValue;
    const std::size_t first = random().chance(50) ? found.size() - std::min<std::size_t>(found.size(), 3) : 0;
    return found[static_cast<std::size_t>(random().between(static_cast<std::int64_t>(first), std::ssize(found) - 1))];
  }
  ValueId like(ValueId value) {
    return pick([&](ValueId other) { return type(other) == type(value); });
  }

  bool add(Op op, std::vector<ValueId> operands, Attributes attributes = {}, std::vector<DataType> results = {}) {
    return graph_.try_add(op, operands, std::move(attributes), std::move(results)).has_value();
  }
  // A second operand: another value of the same type, a constant, or a broadcast constant.
  ValueId other(ValueId value, std::optional<ValueRange> limits = {}) {
    if (!limits && decide().chance(60)) return like(value);
    Shape shape = type(value).shape;
    for (std::int64_t& extent : shape) extent = decide().chance(40) ? 1 : extent;
    return graph_.constant(limits ? make_.random_tensor(data(value), shape, limits) : fresh(data(value), shape));
  }

  void step() {
    const ValueId value = pick([](ValueId) { return true; });
    decide_on(value);
    if (tensor::element_count(type(value).shape).value_or(0) > static_cast<std::uint64_t>(shape_.max_elements)) {
      smaller(value);
      return;
    }
    if (decide().chance(25) && move(value)) return;
    const DataType of = data(value);
    if (of == DataType::Bool)
      logical(value);
    else if (of == DataType::I48)
      rescale(value);
    else if (tosa::is_float(of))
      real(value);
    else
      integer(value);
  }

  void smaller(ValueId value) {
    if (rank(value) == 0 || data(value) == DataType::I48) {
      if (data(value) == DataType::I48) rescale(value);
      return;
    }
    List start, size;
    for (const std::int64_t extent : type(value).shape) {
      size.push_back(std::min<std::int64_t>(extent, 4));
      start.push_back(decide().between(0, extent - size.back()));
    }
    add(Op::SLICE, {value}, {{"start", start}, {"size", size}});
  }

  // --- operators that move elements ---

  // Long, because it is a list of operators that move elements.
  bool move(ValueId value) {
    const Shape shape = type(value).shape;
    const std::int64_t dimensions = std::ssize(shape);
    if (data(value) == DataType::I48) return false;
    const std::int64_t axis = dimensions ? decide().between(0, dimensions - 1) : 0;
    switch (dimensions ? decide().between(0, 8) : 0) {
      case 0: {
        List dims = {1};
        for (const std::int64_t extent : shape) {
          if (decide().chance(50))
            dims.push_back(extent);
          else
            dims.back() *= extent;
        }
        return add(Op::RESHAPE, {value}, {{"shape", dims}});
      }
      case 1: {
        List perms(shape.size());
        std::iota(perms.begin(), perms.end(), 0);
        for (std::size_t i = perms.size(); i > 1; --i)
          std::swap(perms[i - 1],
                    perms[static_cast<std::size_t>(decide().between(0, static_cast<std::int64_t>(i) - 1))]);
        return add(Op::TRANSPOSE, {value}, {{"perms", perms}});
      }
      case 2:
        return add(Op::REVERSE, {value}, {{"axis", {axis}}});
      case 3: {
        List start, size;
        for (const std::int64_t extent : shape) {
          start.push_back(decide().between(0, extent - 1));
          size.push_back(decide().between(1, extent - start.back()));
        }
        return add(Op::SLICE, {value}, {{"start", start}, {"size", size}});
      }
      case 4: {
        List padding;
        for (std::size_t i = 0; i < 2 * shape.size(); ++i) padding.push_back(decide().between(0, 2));
        Attributes attributes = {{"padding", padding}};
        const std::int64_t fill = decide().between(-6, 6);
        if (tosa::is_float(data(value)))
          attributes.set_real("pad_const", static_cast<double>(fill));
        else
          attributes.set("pad_const", data(value) == DataType::Bool ? fill & 1 : fill);
        return add(Op::PAD, {value}, attributes);
      }
      case 5: {
        List multiples;
        for (std::size_t i = 0; i < shape.size(); ++i) multiples.push_back(decide().between(1, 2));
        return add(Op::TILE, {value}, {{"multiples", multiples}});
      }
      case 6: {
        std::vector<ValueId> parts = {value};
        for (std::int64_t i = decide().between(0, 2); i > 0; --i) parts.push_back(like(value));
        return add(Op::CONCAT, parts, {{"axis", {axis}}});
      }
      case 7:
        return gather(value);
      default: {
        const ValueId condition = graph_.constant(make_.random_tensor(DataType::Bool, shape));
        return add(Op::SELECT, {condition, value, other(value)});
      }
    }
  }

  bool gather(ValueId value) {
    if (rank(value) != 3) return false;
    const Shape shape = type(value).shape;
    if (decide().chance(70)) {
      const ValueId indices = graph_.constant(make_.random_tensor(DataType::I32, {shape[0], decide().between(1, 6)},
                                                                  ValueRange{0, static_cast<double>(shape[1] - 1)}));
      return add(Op::GATHER, {value, indices});
    }
    if (decide().chance(50)) {
      const std::int64_t count = decide().between(1, shape[1]);
      const ValueId first = graph_.constant(make_.random_tensor(DataType::I32, {shape[0], decide().between(1, 4)},
                                                                ValueRange{0, static_cast<double>(shape[1] - count)}));
      return add(Op::ROW_GATHER, {value, first}, {{"row_count", {count}}});
    }
    const ValueId indices = graph_.constant(make_.filled(DataType::I32, {shape[0], 1}, [&](std::size_t) {
      return static_cast<double>(random().between(0, shape[1] - 1));
    }));
    const ValueId rows = graph_.constant(fresh(data(value), {shape[0], 1, shape[2]}));
    return add(Op::SCATTER, {value, indices, rows});
  }

  // --- bool and integers ---

  bool logical(ValueId value) {
    const std::int64_t axis = rank(value) ? decide().between(0, std::ssize(type(value).shape) - 1) : 0;
    switch (decide().between(0, 5)) {
      case 0:
        return add(Op::LOGICAL_NOT, {value});
      case 1:
        return add(decide().pick({Op::LOGICAL_AND, Op::LOGICAL_OR, Op::LOGICAL_XOR}), {value, other(value)});
      case 2:
        return rank(value) && add(decide().pick({Op::REDUCE_ALL, Op::REDUCE_ANY}), {value}, {{"axis", {axis}}});
      case 3: {
        const ValueId chosen =
            pick([&](ValueId v) { return type(v).shape == type(value).shape && data(v) != DataType::I48; });
        return chosen != tosa::kNoValue && add(Op::SELECT, {value, chosen, like(chosen)});
      }
      default:
        return add(Op::CAST, {value}, {}, {decide().pick({DataType::I8, DataType::I16, DataType::I32})});
    }
  }

  bool rescale(ValueId value) {
    const DataType from = data(value), to = decide().pick({DataType::I8, DataType::I8, DataType::I16, DataType::I32});
    const bool scale32 = from != DataType::I48 && decide().chance(70);
    const bool per_channel = rank(value) > 0 && decide().chance(40);
    const std::int64_t channels = per_channel ? type(value).shape.back() : 1;
    // The largest value is scaled to about the range of the result.
    double size = 1;
    for (const std::int64_t x : graph_.value(value).integers) size = std::max(size, std::fabs(static_cast<double>(x)));
    const double wanted =
        std::ldexp(1.0, static_cast<int>(std::min(tosa::bits_of(to), 30u)) - 1) * random().real(0.1, 2);
    const int digits = scale32 ? 30 : 14;
    const double factor = std::min(wanted / size, scale32 ? 1024.0 : 0.9);
    const std::int64_t shift = std::clamp<std::int64_t>(digits - std::ilogb(factor) - 1, 2, 62);
    const auto multiplier = [&](std::size_t) {
      return std::floor(
          std::min(std::ldexp(factor, static_cast<int>(shift)) * random().real(0.6, 1), std::ldexp(2.0, digits) - 1));
    };
    const ValueId multipliers =
        graph_.constant(make_.filled(scale32 ? DataType::I32 : DataType::I16, {channels}, multiplier));
    const ValueId shifts = graph_.constant(
        make_.filled(DataType::I8, {channels}, [&](std::size_t) { return static_cast<double>(shift); }));
    const auto zero = [&](DataType of) { return of == DataType::I8 ? decide().between(-20, 20) : 0; };
    return add(Op::RESCALE, {value, multipliers, shifts},
               {{"scale32", {scale32}},
                {"rounding_mode", {scale32 && decide().chance(30) ? std::int64_t{3} : std::int64_t{1}}},
                {"per_channel", {per_channel}},
                {"input_unsigned", {0}},
                {"output_unsigned", {0}},
                {"input_zp", {zero(from)}},
                {"output_zp", {zero(to)}}},
               {to});
  }

  bool integer(ValueId value) {
    const DataType of = data(value);
    const bool is_i32 = of == DataType::I32;
    switch (decide().between(0, 11)) {
      case 0:
      case 1:
        return rescale(value);
      case 2:
        return is_i32 ? add(decide().pick({Op::ADD, Op::SUB, Op::MAXIMUM, Op::MINIMUM}), {value, other(value)},
                            {{"nan_mode", {1}}})
                      : window(value);
      case 3: {
        const std::int64_t shift = is_i32 ? decide().between(0, 20) : 0;
        return add(Op::MUL, {value, other(value, is_i32 ? std::optional(ValueRange{-300, 300}) : std::nullopt)},
                   {{"shift", {shift}}});
      }
      case 4:
        return add(decide().pick({Op::BITWISE_AND, Op::BITWISE_OR, Op::BITWISE_XOR}), {value, other(value)});
      case 5: {
        const ValueId amount = other(value, ValueRange{0, static_cast<double>(tosa::bits_of(of)) - 1});
        return add(decide().pick({Op::ARITHMETIC_RIGHT_SHIFT, Op::LOGICAL_LEFT_SHIFT, Op::LOGICAL_RIGHT_SHIFT}),
                   {value, amount}, {{"round", {decide().between(0, 1)}}});
      }
      case 6:
        if (is_i32) return add(decide().pick({Op::EQUAL, Op::GREATER, Op::GREATER_EQUAL}), {value, other(value)});
        return add(
            Op::CLAMP, {value},
            {{"min_val", {decide().between(-100, 0)}}, {"max_val", {decide().between(1, 100)}}, {"nan_mode", {1}}});
      case 7:
        return cast(value);
      case 8:
        return reduce(value);
      case 9:
        if (is_i32)
          return decide().chance(50) ? add(decide().pick({Op::CLZ, Op::ABS, Op::BITWISE_NOT}), {value})
                                     : add(Op::INTDIV, {value, other(value, ValueRange{1, 1000})});
        return table(value);
      case 10: {
        const auto zero = [&] { return of == DataType::I8 ? decide().between(-9, 9) : 0; };
        const std::int64_t in = zero();
        return add(Op::NEGATE, {value}, {{"input1_zp", {in}}, {"output_zp", {zero()}}});
      }
      default:
        return window(value);
    }
  }

  bool table(ValueId value) {
    const bool narrow = data(value) == DataType::I8;
    const ValueId entries =
        graph_.constant(make_.random_tensor(data(value), {narrow ? 256 : 513}, ValueRange{-120, 120}));
    return add(Op::TABLE, {value, entries});
  }

  bool cast(ValueId value) {
    using enum DataType;
    const DataType of = data(value);
    if (of == F8E4M3 || of == F8E5M2) return add(Op::CAST, {value}, {}, {decide().pick({F16, F32, BF16})});
    if (tosa::is_float(of))
      return add(Op::CAST, {value}, {}, {decide().pick({I8, I16, I32, F16, F32, BF16, F8E4M3, F8E5M2})});
    return add(Op::CAST, {value}, {}, {decide().pick({Bool, I8, I16, I32, F16, F32, BF16})});
  }

  // Half of the reduced values are combined with their elements again, as in softmax.
  bool reduce(ValueId value) {
    if (rank(value) == 0) return false;
    const Attributes attributes = {{"axis", {decide().between(0, std::ssize(type(value).shape) - 1)}},
                                   {"nan_mode", {decide().between(1, 2)}}};
    const Op op = decide().pick({Op::REDUCE_MAX, Op::REDUCE_MIN, Op::REDUCE_SUM, Op::ARGMAX, Op::REDUCE_PRODUCT});
    const auto reduced = graph_.try_add(op, std::array{value}, attributes);
    if (!reduced || op == Op::ARGMAX || decide().chance(50)) return reduced.has_value();
    const bool adds = tosa::is_float(data(value)) || data(value) == DataType::I32;
    const Op both = adds ? decide().pick({Op::SUB, Op::ADD, Op::MUL, Op::MAXIMUM, Op::GREATER})
                         : decide().pick({Op::BITWISE_AND, Op::BITWISE_XOR});
    add(both, {value, reduced->front()}, {{"nan_mode", {1}}, {"shift", {0}}});
    return true;
  }

  // --- windows and products, of integers and floats ---

  // The types of a convolution of a type: weight and result.
  struct Products {
    DataType weight, result;
    tosa::AccType accumulator;
  };
  std::optional<Products> products(DataType of) {
    using enum tosa::AccType;
    switch (of) {
      case DataType::I8:
        return Products{decide().chance(20) ? DataType::I4 : DataType::I8, DataType::I32, Int32};
      case DataType::I16:
        return Products{DataType::I8, DataType::I48, Int48};
      case DataType::F32:
        return Products{of, of, Fp32};
      case DataType::F16:
        return Products{of, of, decide().chance(50) ? Fp16 : Fp32};
      case DataType::BF16:
        return Products{of, of, Fp32};
      case DataType::F8E4M3:
      case DataType::F8E5M2:
        return Products{of, DataType::F16, Fp16};
      default:
        return std::nullopt;
    }
  }

  bool window(ValueId value) {
    if (rank(value) == 3) return product(value);
    if (rank(value) != 4) return false;
    switch (decide().between(0, 4)) {
      case 0:
        return pool(value);
      case 1:
        return resize(value);
      default:
        return convolution(value);
    }
  }

  bool convolution(ValueId value) {
    const auto types = products(data(value));
    if (!types) return false;
    const Shape in = type(value).shape;
    const Op op = decide().pick({Op::CONV2D, Op::CONV2D, Op::DEPTHWISE_CONV2D, Op::TRANSPOSE_CONV2D});
    const std::int64_t height = decide().between(1, 3), width = decide().between(1, 3);
    const std::int64_t channels = decide().between(1, 6), multiplier = decide().between(1, 2);
    const bool depthwise = op == Op::DEPTHWISE_CONV2D;
    const Shape shape = depthwise ? Shape{height, width, in[3], multiplier} : Shape{channels, height, width, in[3]};
    const ValueId weight = graph_.constant(fresh_weight(types->weight, shape));
    const std::int64_t biases = decide().chance(20) ? 1 : depthwise ? in[3] * multiplier : channels;
    const ValueRange small = tosa::is_float(types->result) ? ValueRange{-4, 4} : ValueRange{-1000, 1000};
    const ValueId bias = graph_.constant(make_.filled(
        types->result, {biases}, [&](std::size_t) { return std::floor(random().real(small.low, small.high)); }));
    const auto zero = [&](DataType of) { return of == DataType::I8 ? decide().between(-10, 10) : 0; };
    const List pad = {decide().between(0, 2), decide().between(0, 2), decide().between(0, 2), decide().between(0, 2)};
    const List stride = {decide().between(1, 2), decide().between(1, 2)};
    return add(op, {value, weight, bias},
               {{"pad", pad},
                {"out_pad", pad},
                {"stride", stride},
                {"dilation", {decide().between(1, 2), decide().between(1, 2)}},
                {"acc_type", {static_cast<std::int64_t>(types->accumulator)}},
                {"local_bound", {decide().between(0, 1)}},
                {"input_zp", {zero(data(value))}},
                {"weight_zp", {zero(types->weight)}}},
               {types->result});
  }
  Tensor fresh_weight(DataType type, const Shape& shape) {
    return tosa::is_float(type)
               ? make_.filled(type, shape, [&](std::size_t) { return static_cast<double>(random().between(-2, 2)); })
               : make_.random_tensor(type, shape);
  }

  bool product(ValueId value) {
    const auto types = products(data(value));
    if (!types) return false;
    const Shape in = type(value).shape;
    if (decide().chance(30)) return transposed_product(value, types->result);
    ValueId right = pick([&](ValueId v) {
      return data(v) == data(value) && rank(v) == 3 && type(v).shape[0] == in[0] && type(v).shape[1] == in[2];
    });
    if (right == tosa::kNoValue || decide().chance(40))
      right = graph_.constant(fresh_weight(data(value), {in[0], in[2], decide().between(1, 8)}));
    const bool widens = data(value) == DataType::BF16 || (data(value) == DataType::F16 && decide().chance(50));
    const auto zero = [&] { return data(value) == DataType::I8 ? decide().between(-10, 10) : 0; };
    const std::int64_t left_zero = zero();
    return add(Op::MATMUL, {value, right}, {{"A_zp", {left_zero}}, {"B_zp", {zero()}}},
               {widens ? DataType::F32 : types->result});
  }

  // With a B of one batch, or of the batches of A.
  bool transposed_product(ValueId value, DataType result) {
    const Shape in = type(value).shape;
    const DataType of = data(value);
    if (of == DataType::F8E4M3 || of == DataType::F8E5M2 || of == DataType::BF16)
      result = decide().chance(50) ? DataType::F32 : DataType::BF16;
    const ValueId right =
        graph_.constant(fresh_weight(of, {decide().chance(50) ? 1 : in[0], decide().between(1, 8), in[2]}));
    const std::int64_t zero = of == DataType::I8 ? decide().between(-10, 10) : 0;
    return add(Op::MATMUL_T, {value, right}, {{"A_zp", {zero}}, {"B_zp", {-zero}}}, {result});
  }

  bool pool(ValueId value) {
    const Shape in = type(value).shape;
    const List kernel = {decide().between(1, std::min<std::int64_t>(in[1], 3)),
                         decide().between(1, std::min<std::int64_t>(in[2], 3))};
    const bool mean = decide().chance(50);
    const auto types = products(data(value));
    if (!types) return false;
    List pad;
    for (std::size_t i = 0; i < 4; ++i) pad.push_back(decide().between(0, kernel[i / 2] - 1));
    const auto zero = [&] { return data(value) == DataType::I8 ? decide().between(-20, 20) : 0; };
    const std::int64_t in_zero = zero(), accumulator = static_cast<std::int64_t>(
                                             data(value) == DataType::I16 ? tosa::AccType::Int32 : types->accumulator);
    Attributes attributes = {
        {"kernel", kernel}, {"stride", {decide().between(1, 2), decide().between(1, 2)}}, {"pad", pad}};
    if (mean) {
      attributes.set("acc_type", accumulator);
      attributes.set("input_zp", in_zero);
      attributes.set("output_zp", zero());
    } else {
      attributes.set("nan_mode", decide().between(1, 2));
    }
    return add(mean ? Op::AVG_POOL2D : Op::MAX_POOL2D, {value}, attributes, {data(value)});
  }

  bool resize(ValueId value) {
    const Shape in = type(value).shape;
    const DataType of = data(value);
    const bool nearest = decide().chance(50);
    List scale, offset, border;
    for (const std::size_t d : {1u, 2u}) {
      const std::int64_t n = decide().between(1, 4), step = decide().between(1, 3);
      scale.insert(scale.end(), {n, step});
      offset.push_back(decide().between(-n, n));
      std::int64_t b = n - 1;
      while (b > -n && ((in[d] - 1) * n - offset.back() + b) % step != 0) --b;
      border.push_back(b);
    }
    const DataType result = nearest || tosa::is_float(of) ? of : of == DataType::I8 ? DataType::I32 : DataType::I48;
    return add(Op::RESIZE, {value},
               {{"mode", {nearest ? 1 : 2}}, {"scale", scale}, {"offset", offset}, {"border", border}}, {result});
  }

  // --- floats ---

  bool real(ValueId value) {
    const bool small = data(value) == DataType::F8E4M3 || data(value) == DataType::F8E5M2;
    if (small) return decide().chance(60) ? cast(value) : window(value);
    switch (decide().between(0, 12)) {
      case 0:
      case 1:
        return add(decide().pick({Op::ADD, Op::SUB, Op::MAXIMUM, Op::MINIMUM}), {value, other(value)},
                   {{"nan_mode", {decide().between(1, 2)}}});
      case 2:
        return add(Op::MUL, {value, other(value)}, {{"shift", {0}}});
      case 3: {
        Attributes attributes = {{"nan_mode", {decide().between(1, 2)}}};
        attributes.set_real("min_val", -2);
        attributes.set_real("max_val", 1.5);
        return add(Op::CLAMP, {value}, attributes);
      }
      case 4:
        return add(decide().pick({Op::ABS, Op::CEIL, Op::FLOOR}), {value});
      case 5:
        return add(Op::NEGATE, {value}, {{"input1_zp", {0}}, {"output_zp", {0}}});
      case 6:
        return add(decide().pick({Op::EQUAL, Op::GREATER, Op::GREATER_EQUAL}), {value, other(value)});
      case 7:
      case 8:
        return cast(value);
      case 9:
        return reduce(value);
      case 10:
        return curved(value);
      default:
        return window(value);
    }
  }

  bool curved(ValueId value) {
    const double size = graph_.size(value);
    if (graph_.min_size(value) > 0.1 && decide().chance(50))
      return add(decide().pick({Op::RECIPROCAL, Op::LOG, Op::RSQRT}), {value});
    if (size < 6 && decide().chance(50)) return add(decide().pick({Op::EXP, Op::SIN, Op::COS}), {value});
    return add(decide().pick({Op::SIGMOID, Op::TANH, Op::ERF}), {value});
  }

  // --- the end ---

  void outputs() {
    tosa::Graph& graph = graph_.graph;
    std::vector<bool> used(graph.values.size(), false);
    for (const tosa::Node& node : graph.nodes) {
      for (const ValueId input : node.inputs) used[tosa::index(input)] = true;
    }
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
      if (graph.values[v].kind != tosa::ValueKind::Result) continue;
      if (!used[v] || random().chance(8)) graph.outputs.push_back(static_cast<ValueId>(v));
    }
    // Sometimes an input is an output, or a result is two outputs.
    if (graph.outputs.empty() || random().chance(10)) graph.outputs.push_back(graph.inputs[0]);
    if (random().chance(10)) graph.outputs.push_back(graph.outputs[0]);
  }

  RandomGraphShape shape_;
  TensorBuilder make_;
  std::uint64_t vocabulary_;
  Random decide_;
  GraphBuilder graph_;
};

}  // namespace

GraphBuilder random_graph(std::uint64_t seed, const RandomGraphShape& shape) {
  return RandomGraphGenerator(seed, shape).run();
}

}  // namespace slipway::tosa_cases
