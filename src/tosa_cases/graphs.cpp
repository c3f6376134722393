// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/graphs.hpp"

#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

// Builds graphs from typical parts of models.
class Model {
 public:
  explicit Model(std::uint64_t seed) : make(seed, Pattern::Random) {}

  ValueId random_input(DataType type, Shape shape, std::optional<ValueRange> limits = {}) {
    return graph.input(make.random_tensor(type, std::move(shape), limits));
  }
  ValueId random_constant(DataType type, Shape shape, std::optional<ValueRange> limits = {}) {
    return graph.constant(make.random_tensor(type, std::move(shape), limits));
  }
  ValueId constant(DataType type, double value, std::size_t rank) {
    return graph.constant(make.filled(type, Shape(rank, 1), [&](std::size_t) { return value; }));
  }
  const Shape& shape(ValueId value) const { return graph.type(value).shape; }
  DataType type(ValueId value) const { return graph.type(value).data; }
  std::size_t rank(ValueId value) const { return shape(value).size(); }
  ValueId add(Op op, std::vector<ValueId> operands, Attributes attributes = {}, std::vector<DataType> results = {}) {
    return graph.add(op, std::move(operands), std::move(attributes), std::move(results));
  }
  void output(ValueId value) { graph.graph.outputs.push_back(value); }

  // By factors 2^-shift * multiplier: one, or one for each channel.
  ValueId rescale(ValueId value, DataType to, double factor, bool per_channel = false, std::int64_t out_zero = 0) {
    const bool scale32 = type(value) != DataType::I48;
    const int digits = scale32 ? 30 : 14;
    const std::int64_t shift = digits - std::ilogb(factor) - 1, channels = per_channel ? shape(value).back() : 1;
    const ValueId multiplier =
        graph.constant(make.filled(scale32 ? DataType::I32 : DataType::I16, {channels}, [&](std::size_t) {
          return std::floor(std::ldexp(factor, static_cast<int>(shift)) * make.random.real(0.9, 1));
        }));
    const ValueId shifts =
        graph.constant(make.filled(DataType::I8, {channels}, [&](std::size_t) { return static_cast<double>(shift); }));
    return rescaled(value, multiplier, shifts, to, per_channel, false, out_zero);
  }
  ValueId rescaled(ValueId value, ValueId multiplier, ValueId shift, DataType to, bool per_channel, bool out_unsigned,
                   std::int64_t out_zero) {
    return add(Op::RESCALE, {value, multiplier, shift},
               {{"scale32", {type(value) != DataType::I48}},
                {"rounding_mode", {1}},
                {"per_channel", {per_channel}},
                {"input_unsigned", {0}},
                {"output_unsigned", {out_unsigned}},
                {"input_zp", {0}},
                {"output_zp", {out_zero}}},
               {to});
  }

  ValueId conv(Op op, ValueId input, DataType weight, DataType result, std::int64_t channels, std::int64_t kernel) {
    const std::int64_t in = shape(input).back(), pad = kernel / 2;
    const Shape shape = op == Op::DEPTHWISE_CONV2D ? Shape{kernel, kernel, in, 1} : Shape{channels, kernel, kernel, in};
    const std::int64_t out = op == Op::DEPTHWISE_CONV2D ? in : channels;
    const bool real = tosa::is_float(result);
    const auto accumulator = result == DataType::I48 ? tosa::AccType::Int48
                             : !real                 ? tosa::AccType::Int32
                                                     : tosa::AccType::Fp32;
    return add(op,
               {input, random_constant(weight, shape, real ? std::optional(ValueRange{-1, 1}) : std::nullopt),
                random_constant(result, {out}, real ? ValueRange{-1, 1} : ValueRange{-500, 500})},
               {{"pad", {pad, pad, pad, pad}},
                {"stride", {1, 1}},
                {"dilation", {1, 1}},
                {"acc_type", {static_cast<std::int64_t>(accumulator)}},
                {"local_bound", {0}},
                {"input_zp", {type(input) == DataType::I8 ? 3 : 0}},
                {"weight_zp", {0}}},
               {result});
  }
  ValueId clamp(ValueId value, double low, double high) {
    Attributes attributes = {{"nan_mode", {1}}};
    if (tosa::is_float(type(value))) {
      attributes.set_real("min_val", low);
      attributes.set_real("max_val", high);
    } else {
      attributes.set("min_val", static_cast<std::int64_t>(low));
      attributes.set("max_val", static_cast<std::int64_t>(high));
    }
    return add(Op::CLAMP, {value}, attributes);
  }
  ValueId reduce(Op op, ValueId value, std::int64_t axis) {
    return add(op, {value}, {{"axis", {axis}}, {"nan_mode", {1}}});
  }
  ValueId mul(ValueId a, ValueId b) { return add(Op::MUL, {a, b}, {{"shift", {0}}}); }
  ValueId reshape(ValueId value, Shape to) { return add(Op::RESHAPE, {value}, {{"shape", to}}); }
  ValueId transpose(ValueId value, List perms) { return add(Op::TRANSPOSE, {value}, {{"perms", perms}}); }
  ValueId matmul(ValueId a, ValueId b, DataType result) {
    return add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}}, {result});
  }

  ValueId softmax(ValueId value) {
    const std::int64_t last = std::ssize(shape(value)) - 1;
    const ValueId top = reduce(Op::REDUCE_MAX, value, last);
    const ValueId e = add(Op::EXP, {add(Op::SUB, {value, top})});
    return mul(e, add(Op::RECIPROCAL, {reduce(Op::REDUCE_SUM, e, last)}));
  }

  TensorBuilder make;
  GraphBuilder graph;
};

class Collector {
 public:
  // Builds a graph in `with` and keeps it.
  template <class Build>
  void add(std::string name, Build&& with) {
    Model model(graphs.size() + 1);
    model.graph.only_comparable = false;
    with(model);
    graphs.push_back({std::move(name), std::move(model.graph)});
  }
  std::vector<NamedGraph> graphs;
};

// Long, because it is a list of graphs.
void quantised_blocks(Collector& all) {
  struct Types {
    DataType in, weight, sum, out;
  };
  for (const auto& [in, weight, sum, out] : {Types{DataType::I8, DataType::I8, DataType::I32, DataType::I8},
                                             Types{DataType::I8, DataType::I4, DataType::I32, DataType::I8},
                                             Types{DataType::I16, DataType::I8, DataType::I48, DataType::I16},
                                             Types{DataType::I8, DataType::I8, DataType::I32, DataType::I16}}) {
    for (const bool per_channel : {false, true}) {
      all.add(formatted("conv block {} {} {} per_channel={}", tosa::name_of(in), tosa::name_of(weight),
                        tosa::name_of(out), per_channel),
              [&](Model& m) {
                const ValueId x = m.random_input(in, {1, 6, 7, 4});
                ValueId y = m.conv(Op::CONV2D, x, weight, sum, 6, 3);
                y = m.rescale(y, out, in == DataType::I16 ? 1.0 / 600 : 1.0 / 200, per_channel);
                y = m.clamp(y, 0, 100);
                if (out == DataType::I8) {  // as unsigned bytes
                  const ValueId one =
                      m.graph.constant(m.make.filled(DataType::I32, {1}, [](std::size_t) { return 0x1p30; }));
                  const ValueId shift =
                      m.graph.constant(m.make.filled(DataType::I8, {1}, [](std::size_t) { return 30; }));
                  y = m.rescaled(y, one, shift, DataType::I8, false, true, -128);
                }
                m.output(y);
              });
    }
  }
  for (const std::int64_t channels : {3, 8, 16, 20}) {
    all.add(formatted("depthwise separable {}", channels), [&](Model& m) {
      ValueId y = m.random_input(DataType::I8, {1, 8, 8, channels});
      y = m.clamp(
          m.rescale(m.conv(Op::DEPTHWISE_CONV2D, y, DataType::I8, DataType::I32, 0, 3), DataType::I8, 1.0 / 90, true),
          0, 127);
      y = m.clamp(
          m.rescale(m.conv(Op::CONV2D, y, DataType::I8, DataType::I32, 2 * channels, 1), DataType::I8, 1.0 / 150, true),
          -100, 100);
      m.output(y);
    });
    all.add(formatted("residual {}", channels), [&](Model& m) {
      const ValueId a = m.random_input(DataType::I8, {1, 5, 5, channels}),
                    b = m.random_input(DataType::I8, {1, 5, 5, channels});
      const ValueId sum = m.add(Op::ADD, {m.rescale(a, DataType::I32, 900), m.rescale(b, DataType::I32, 700)});
      m.output(m.rescale(sum, DataType::I8, 1.0 / 1500, false, -5));
    });
  }
  all.add("mean of a quantised image", [](Model& m) {
    const ValueId x = m.random_input(DataType::I8, {2, 7, 7, 5});
    m.output(m.add(Op::AVG_POOL2D, {x},
                   {{"kernel", {7, 7}},
                    {"stride", {1, 1}},
                    {"pad", {0, 0, 0, 0}},
                    {"acc_type", {1}},
                    {"input_zp", {-4}},
                    {"output_zp", {9}}}));
  });
  all.add("softmax i16 by tables", [](Model& m) {
    const ValueId x = m.random_input(DataType::I16, {4, 16});
    const ValueId wide = m.add(Op::CAST, {x}, {}, {DataType::I32});
    const ValueId below = m.add(Op::SUB, {wide, m.reduce(Op::REDUCE_MAX, wide, 1)});
    const ValueId half = m.rescale(below, DataType::I16, 0.45);
    const ValueId table = m.graph.constant(m.make.filled(DataType::I16, {513}, [](std::size_t i) {
      return std::floor(32767 * std::exp((static_cast<double>(i) - 512) / 64));
    }));
    const ValueId e = m.rescale(m.add(Op::TABLE, {half, table}), DataType::I32, 1.0 / 16);
    m.output(m.add(
        Op::INTDIV,
        {m.add(Op::LOGICAL_LEFT_SHIFT, {m.rescale(e, DataType::I32, 1.0 / 40), m.constant(DataType::I32, 7, 2)}),
         m.add(Op::MAXIMUM,
               {m.reduce(Op::REDUCE_SUM, m.rescale(e, DataType::I32, 1.0 / 40), 1), m.constant(DataType::I32, 1, 2)},
               {{"nan_mode", {1}}})}));
  });
  for (const auto& [n, d] : {std::pair{2, 1}, {4, 2}, {8, 2}, {3, 2}}) {
    all.add(formatted("upsample {}:{}", n, d), [&](Model& m) {
      const ValueId x = m.random_input(DataType::I8, {1, 4, 5, 3});
      const auto border = [&](std::int64_t steps) {
        std::int64_t least = n - 1;
        while ((steps * n + least) % d != 0) --least;
        return least;
      };
      const ValueId big =
          m.add(Op::RESIZE, {x},
                {{"mode", {2}}, {"scale", {n, d, n, d}}, {"offset", {0, 0}}, {"border", {border(3), border(4)}}},
                {DataType::I32});
      m.output(m.rescale(big, DataType::I8, 0.999 / (n * n)));
    });
  }
}

// Long, because it is a list of graphs.
void float_blocks(Collector& all) {
  for (const DataType type : kFloats) {
    const std::string name(tosa::name_of(type));
    all.add("softmax " + name,
            [&](Model& m) { m.output(m.softmax(m.random_input(type, {3, 10}, ValueRange{-3, 3}))); });
    all.add("layer norm " + name, [&](Model& m) {
      const ValueId x = m.random_input(type, {4, 16}, ValueRange{-2, 2}), mean_of = m.constant(type, 1.0 / 16, 2);
      const ValueId mean = m.mul(m.reduce(Op::REDUCE_SUM, x, 1), mean_of);
      const ValueId centred = m.add(Op::SUB, {x, mean});
      const ValueId variance = m.mul(m.reduce(Op::REDUCE_SUM, m.mul(centred, centred), 1), mean_of);
      const ValueId scale = m.add(Op::RSQRT, {m.add(Op::ADD, {variance, m.constant(type, 0.125, 2)})});
      m.output(m.add(Op::ADD, {m.mul(m.mul(centred, scale), m.random_constant(type, {1, 16}, ValueRange{0.5, 1.5})),
                               m.random_constant(type, {1, 16}, ValueRange{-1, 1})}));
    });
    all.add("GELU " + name, [&](Model& m) {
      const ValueId x = m.random_input(type, {5, 9}, ValueRange{-3, 3});
      const ValueId e = m.add(Op::ERF, {m.mul(x, m.constant(type, std::numbers::sqrt2 / 2, 2))});
      m.output(m.mul(m.mul(x, m.constant(type, 0.5, 2)), m.add(Op::ADD, {e, m.constant(type, 1, 2)})));
    });
    all.add("attention " + name, [&](Model& m) {
      // Two heads of 4 out of 8 features, 6 tokens.
      const DataType product = type == DataType::BF16 ? DataType::F32 : type;
      const auto heads = [&](ValueId x) {
        return m.reshape(m.transpose(m.reshape(x, {1, 6, 2, 4}), {0, 2, 1, 3}), {2, 6, 4});
      };
      const auto narrowed = [&](ValueId x) { return product == type ? x : m.add(Op::CAST, {x}, {}, {type}); };
      const ValueId q = heads(m.random_input(type, {1, 6, 8}, ValueRange{-1, 1})),
                    k = heads(m.random_input(type, {1, 6, 8}, ValueRange{-1, 1})),
                    v = heads(m.random_input(type, {1, 6, 8}, ValueRange{-1, 1}));
      const ValueId scores = m.mul(narrowed(m.matmul(q, m.transpose(k, {0, 2, 1}), product)), m.constant(type, 0.5, 3));
      const ValueId mixed = narrowed(m.matmul(m.softmax(scores), v, product));
      m.output(m.reshape(m.transpose(m.reshape(mixed, {1, 2, 6, 4}), {0, 2, 1, 3}), {1, 6, 8}));
    });
    all.add("convolution and swish " + name, [&](Model& m) {
      const ValueId y = m.conv(Op::CONV2D, m.random_input(type, {1, 5, 6, 3}, ValueRange{-1, 1}), type, type, 4, 3);
      m.output(m.mul(y, m.add(Op::SIGMOID, {y})));
    });
    all.add("clamped residual " + name, [&](Model& m) {
      const ValueId x = m.random_input(type, {1, 4, 4, 4}, ValueRange{-1, 1});
      m.output(m.clamp(m.add(Op::ADD, {x, m.conv(Op::DEPTHWISE_CONV2D, x, type, type, 0, 3)}), -1, 1.5));
    });
  }
  for (const DataType type : kSmallFloats) {
    all.add(formatted("product of {}", tosa::name_of(type)), [&](Model& m) {
      const ValueId x = m.random_input(DataType::F16, {1, 5, 12}, ValueRange{-2, 2});
      const ValueId y = m.add(Op::CAST, {x}, {}, {type}), w = m.random_constant(type, {1, 12, 7}, ValueRange{-2, 2});
      m.output(m.matmul(y, w, DataType::F16));
    });
  }
  for (const std::int64_t side : {4, 8}) {
    all.add(formatted("transform and back {}", side), [&](Model& m) {
      const ValueId re = m.random_input(DataType::F32, {1, side, side}),
                    im = m.random_input(DataType::F32, {1, side, side});
      const auto forward = m.graph.try_add(Op::FFT2D, std::array{re, im}, {{"inverse", {0}}, {"local_bound", {0}}});
      const auto back = m.graph.try_add(Op::FFT2D, *forward, {{"inverse", {1}}, {"local_bound", {0}}});
      const ValueId scale = m.constant(DataType::F32, 1.0 / static_cast<double>(side * side), 3);
      m.output(m.mul((*back)[0], scale));
      m.output(m.mul((*back)[1], scale));
    });
  }
}

// Unusual graph structures, independent of operators.
// Long, because it is a list of graphs.
void odd_graphs(Collector& all) {
  all.add("a constant of two operators", [](Model& m) {
    const ValueId x = m.random_input(DataType::I32, {3, 4}, ValueRange{-1000, 1000}),
                  c = m.random_constant(DataType::I32, {3, 4}, ValueRange{-1000, 1000});
    m.output(m.add(Op::ADD, {x, c}));
    m.output(m.add(Op::SUB, {c, x}));
  });
  all.add("a tensor twice in one operator", [](Model& m) {
    const ValueId x = m.random_input(DataType::I32, {17}, ValueRange{-1000, 1000});
    m.output(m.mul(x, x));
    m.output(m.add(Op::CONCAT, {x, x, x}, {{"axis", {0}}}));
  });
  all.add("a result that is used and returned", [](Model& m) {
    const ValueId x = m.random_input(DataType::F32, {5, 3}), y = m.add(Op::ABS, {x});
    m.output(y);
    m.output(m.add(Op::FLOOR, {y}));
  });
  all.add("an input returned", [](Model& m) {
    const ValueId x = m.random_input(DataType::I8, {7});
    m.output(x);
    m.output(m.add(Op::BITWISE_NOT, {x}));
  });
  all.add("a constant returned", [](Model& m) {
    m.random_input(DataType::I8, {3});
    m.output(m.random_constant(DataType::F16, {2, 2}));
  });
  all.add("a result returned twice", [](Model& m) {
    const ValueId y = m.add(Op::CLZ, {m.random_input(DataType::I32, {9})});
    m.output(y);
    m.output(y);
  });
  all.add("an input that nothing uses", [](Model& m) {
    const ValueId x = m.random_input(DataType::F32, {4});
    m.random_input(DataType::I16, {3, 3});
    m.output(m.add(Op::CEIL, {x}));
  });
  all.add("a result that nothing uses", [](Model& m) {
    const ValueId x = m.random_input(DataType::F32, {4});
    m.add(Op::FLOOR, {x});
    m.output(m.add(Op::CEIL, {x}));
  });
  all.add("views of views returned", [](Model& m) {
    const ValueId x = m.random_input(DataType::I16, {2, 3, 4});
    const ValueId y = m.transpose(m.reshape(m.add(Op::REVERSE, {x}, {{"axis", {1}}}), {4, 6}), {1, 0});
    m.output(y);
    m.output(m.add(Op::SLICE, {y}, {{"start", {1, 1}}, {"size", {4, 2}}}));
  });
  for (const DataType type : {DataType::I32, DataType::F32}) {
    all.add(formatted("scalars {}", tosa::name_of(type)), [&](Model& m) {
      const ValueId x = m.random_input(type, {}, ValueRange{-8, 8}), y = m.random_input(type, {}, ValueRange{1, 9});
      m.output(m.mul(m.add(Op::ADD, {x, y}), y));
      m.output(m.reshape(m.add(Op::ABS, {x}), {1, 1, 1}));
    });
    all.add(formatted("six dimensions {}", tosa::name_of(type)), [&](Model& m) {
      const ValueId x = m.random_input(type, {2, 1, 3, 1, 2, 2}, ValueRange{-8, 8}),
                    y = m.random_input(type, {1, 2, 1, 3, 1, 2}, ValueRange{-8, 8});
      m.output(m.transpose(m.add(Op::MAXIMUM, {x, y}, {{"nan_mode", {1}}}), {5, 3, 1, 0, 2, 4}));
    });
    all.add(formatted("ones everywhere {}", tosa::name_of(type)), [&](Model& m) {
      const ValueId x = m.random_input(type, {1, 1, 1, 1}, ValueRange{-8, 8});
      m.output(m.reduce(Op::REDUCE_SUM, m.add(Op::TILE, {x}, {{"multiples", {1, 1, 1, 1}}}), 3));
    });
  }
  all.add("one operator in a long chain", [](Model& m) {
    ValueId x = m.random_input(DataType::I32, {11}, ValueRange{-1000, 1000});
    for (int i = 0; i < 40; ++i)
      x = m.add(Op::BITWISE_XOR, {x, m.random_constant(DataType::I32, {11}, ValueRange{0, 1000})});
    m.output(x);
  });
  all.add("a tree that reads one tensor many times", [](Model& m) {
    std::vector<ValueId> layer = {m.random_input(DataType::I32, {6, 5}, ValueRange{-10, 10})};
    for (int i = 0; i < 7; ++i) {
      const ValueId last = layer.back();
      layer.push_back(m.add(Op::ADD, {last, last}));
    }
    m.output(layer.back());
  });
}

}  // namespace

std::vector<NamedGraph> model_graphs() {
  Collector all;
  quantised_blocks(all);
  float_blocks(all);
  odd_graphs(all);
  return std::move(all.graphs);
}

}  // namespace slipway::tosa_cases
