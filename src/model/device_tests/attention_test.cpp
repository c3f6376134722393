// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention against the interpreter: head sizes from 1 to 256, numbers of rows and keys that fill no block, masks,
// scales at every position, and the views and casts of exporters.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/format.hpp"
#include "reference/run.hpp"
#include "testing/device_facts.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/graph_builder.hpp"
#include "tosa_cases/matrix/tensor_builder.hpp"

namespace slipway::model {
namespace {

using slipway::tosa_cases::GraphBuilder;
using slipway::tosa_cases::Pattern;
using slipway::tosa_cases::TensorBuilder;
using slipway::tosa_cases::ValueRange;
using tensor::Shape;
using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

enum class Mask : std::uint8_t { None, Rows, Keys, Causal, Select };
enum class Scale : std::uint8_t { None, Scores, Queries, AfterMask };
enum class Layout : std::uint8_t { Plain, Transposed, Heads, Projection };

struct Settings {
  std::int64_t batch = 1, heads = 2, rows = 40, keys = 24, depth = 16, columns = 16;
  DataType type = DataType::F32;
  Mask mask = Mask::None;
  Scale scale = Scale::Scores;
  Layout layout = Layout::Plain;
  bool wide = false;  // the softmax is computed with 32 bits
  bool first_keys_hidden = false;

  std::string text() const {
    return formatted("{} x {} heads, {} rows, {} keys, {} to {}, {}, mask {}, scale {}, layout {}{}{}", batch, heads,
                     rows, keys, depth, columns, tosa::name_of(type), static_cast<int>(mask), static_cast<int>(scale),
                     static_cast<int>(layout), wide ? ", wide" : "", first_keys_hidden ? ", first keys hidden" : "");
  }
};

class AttentionGraph {
 public:
  AttentionGraph(const Settings& settings, std::uint64_t seed) : s_(settings), make_(seed, Pattern::Random) {
    builder.only_comparable = false;
    result = make();
    builder.graph.outputs = {result};
  }

  GraphBuilder builder;
  ValueId result{}, scores{}, shares{};
  double largest = 0;  // magnitude of V

 private:
  std::int64_t all() const { return s_.batch * s_.heads; }
  DataType soft() const { return s_.wide ? DataType::F32 : s_.type; }

  ValueId random(DataType type, Shape shape, ValueRange limits) {
    return builder.input(make_.random_tensor(type, std::move(shape), limits));
  }
  ValueId number(DataType type, double value, std::size_t rank) {
    return builder.constant(make_.filled(type, Shape(rank, 1), [&](std::size_t) { return value; }));
  }
  ValueId reshaped(ValueId x, Shape shape) {
    if (builder.type(x).shape == shape) return x;
    return builder.add(Op::RESHAPE, {x}, {{"shape", std::vector<std::int64_t>(shape.begin(), shape.end())}});
  }
  ValueId transposed(ValueId x, std::vector<std::int64_t> order) {
    return builder.add(Op::TRANSPOSE, {x}, {{"perms", std::move(order)}});
  }
  ValueId product(ValueId a, ValueId b) { return builder.add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}}); }
  ValueId add(Op op, std::vector<ValueId> operands) {
    const std::int64_t axis = std::ssize(builder.type(operands[0]).shape) - 1;
    return builder.add(op, std::move(operands), {{"axis", {axis}}, {"nan_mode", {1}}, {"shift", {0}}});
  }
  ValueId cast(ValueId x, DataType to) { return builder.type(x).data == to ? x : builder.add(Op::CAST, {x}, {}, {to}); }

  // [batches, rows, width], or transposed, from one of the layouts.
  ValueId operand(std::int64_t rows, std::int64_t width, ValueRange limits, bool turned) {
    if (s_.layout == Layout::Plain)
      return random(s_.type, turned ? Shape{all(), width, rows} : Shape{all(), rows, width}, limits);
    if (s_.layout == Layout::Transposed) {
      const ValueId x = random(s_.type, turned ? Shape{all(), rows, width} : Shape{all(), width, rows}, limits);
      return transposed(x, {0, 2, 1});
    }
    ValueId x = random(s_.type, {s_.batch, rows, (s_.layout == Layout::Projection ? 3 : 1) * s_.heads * width}, limits);
    if (s_.layout == Layout::Projection)
      x = builder.add(Op::SLICE, {x},
                      {{"start", {0, 0, s_.heads * width}}, {"size", {s_.batch, rows, s_.heads * width}}});
    x = transposed(reshaped(x, {s_.batch, rows, s_.heads, width}),
                   turned ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1, 3});
    return reshaped(x, turned ? Shape{all(), width, rows} : Shape{all(), rows, width});
  }

  ValueId masked(ValueId x) {
    const Shape& shape = builder.type(x).shape;
    const std::size_t rank = shape.size();
    Shape of(rank, 1);
    of[rank - 1] = s_.keys;
    const double hidden = -10000;
    const auto is_hidden = [&](std::size_t i) {
      return s_.first_keys_hidden && static_cast<std::int64_t>(i) % s_.keys < s_.keys / 2;
    };
    switch (s_.mask) {
      case Mask::None:
        return x;
      case Mask::Keys:
        return add(Op::ADD, {x, builder.input(make_.filled(soft(), of, [&](std::size_t i) {
                               return is_hidden(i) ? hidden : static_cast<double>(i % 3) / 4;
                             }))});
      case Mask::Rows:
        return add(Op::ADD, {x, random(soft(), shape, {-1, 1})});
      case Mask::Causal:
        of[rank - 2] = s_.rows;
        return add(Op::ADD, {x, builder.input(make_.filled(soft(), of, [&](std::size_t i) {
                               const auto row = static_cast<std::int64_t>(i) / s_.keys,
                                          key = static_cast<std::int64_t>(i) % s_.keys;
                               return key * s_.rows > row * s_.keys ? hidden : 0.0;
                             }))});
      case Mask::Select:
        break;
    }
    of[rank - 2] = s_.rows;
    const ValueId seen = builder.input(make_.filled(DataType::Bool, of, [&](std::size_t i) {
      return static_cast<std::int64_t>(i) % s_.keys == 0 || i % 5 != 2 ? 1.0 : 0.0;
    }));
    return builder.add(Op::SELECT, {seen, x, number(soft(), -1e4, rank)});
  }

  ValueId make() {
    ValueId q = operand(s_.rows, s_.depth, {-1, 1}, false);
    const ValueId k = operand(s_.keys, s_.depth, {-1, 1}, true), v = operand(s_.keys, s_.columns, {-1, 1}, false);
    largest = builder.size(v);
    const double factor = 2 / std::sqrt(static_cast<double>(s_.depth));
    if (s_.scale == Scale::Queries) q = add(Op::MUL, {q, number(s_.type, factor, 3)});
    scores = product(q, k);
    ValueId x = scores;
    if (s_.layout >= Layout::Heads) x = reshaped(x, {s_.batch, s_.heads, s_.rows, s_.keys});
    x = cast(x, soft());
    const std::size_t rank = builder.type(x).shape.size();
    if (s_.scale == Scale::Scores) x = add(Op::MUL, {x, number(soft(), factor, rank)});
    x = masked(x);
    if (s_.scale == Scale::AfterMask) x = add(Op::MUL, {number(soft(), factor, rank), x});
    const ValueId powers = add(Op::EXP, {add(Op::SUB, {x, add(Op::REDUCE_MAX, {x})})});
    const ValueId inverse = add(Op::RECIPROCAL, {add(Op::REDUCE_SUM, {powers})});
    shares = cast(add(Op::MUL, {powers, inverse}), s_.type);
    const ValueId y = product(reshaped(shares, {all(), s_.rows, s_.keys}), v);
    if (s_.layout < Layout::Heads) return y;
    return reshaped(transposed(reshaped(y, {s_.batch, s_.heads, s_.rows, s_.columns}), {0, 2, 1, 3}),
                    {s_.batch, s_.rows, s_.heads * s_.columns});
  }

  Settings s_;
  TensorBuilder make_;
};

// Every setting occurs with many of the others.
std::vector<Settings> settings() {
  std::vector<Settings> all;
  const std::int64_t depths[] = {1, 3, 8, 16, 20, 32, 40, 64, 65, 80, 96, 128, 160, 200, 256};
  const std::int64_t lengths[] = {1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 130, 200};
  std::minstd_rand random(11);
  const auto one_of = [&](const auto& values) { return values[random() % std::size(values)]; };
  for (std::size_t i = 0; i < 180; ++i) {
    Settings s{.batch = 1 + static_cast<std::int64_t>(random() % 2),
               .heads = 1 + static_cast<std::int64_t>(random() % 3),
               .rows = one_of(lengths),
               .keys = one_of(lengths),
               .depth = depths[i % std::size(depths)],
               .columns = random() % 3 ? depths[i % std::size(depths)] : one_of(depths),
               .type = std::array{DataType::F32, DataType::F16, DataType::BF16}[random() % 3],
               .mask = static_cast<Mask>(random() % 5),
               .scale = static_cast<Scale>(random() % 4),
               .layout = static_cast<Layout>(i % 4),
               .wide = random() % 3 == 0,
               .first_keys_hidden = random() % 2 == 0};
    if (s.type == DataType::F32) s.wide = false;
    // The interpreter takes long for large products.
    while (s.batch * s.heads * s.rows * s.keys * (s.depth + s.columns) > 1'500'000) {
      s.batch = s.heads = 1;
      (s.rows > 33 ? s.rows : s.keys) -= 17;
    }
    all.push_back(s);
  }
  return all;
}

class AttentionTest : public KernelTest {
 protected:
  // TOSA's bounds add up to more than is useful. Here a deviation is a few roundings of the logits, which are below 8,
  // and of the shares.
  void check(const Settings& settings, AttentionGraph& graph) {
    SCOPED_TRACE(settings.text());
    const std::vector<Tensor> given = run_kernels(graph.builder.graph, graph.builder.inputs());
    if (std::isfinite(graph.builder.error(graph.result))) {
      EXPECT_EQ(graph.builder.disagreement(given, graph.builder.graph.outputs), "");
    }
    const Tensor& wanted = graph.builder.value(graph.result);
    const int bits = settings.type == DataType::F32 ? 24 : settings.type == DataType::F16 ? 11 : 8;
    const double bound = std::ldexp(64 * std::max(graph.largest, 1e-3), -bits);
    for (std::size_t i = 0; i < wanted.reals.size(); ++i) {
      const double a = given[0].reals[i], b = wanted.reals[i];
      if (std::isnan(a) && std::isnan(b)) continue;
      ASSERT_LE(std::fabs(a - b), bound) << "element " << i << " is " << a << " instead of " << b;
    }
  }
};

TEST_P(AttentionTest, AgreesWithTheInterpreter) {
  const std::vector<Settings> all = settings();
  const std::size_t count = amount(all.size(), 8, GetParam() == Kernels::Gpu ? 12 : 4);
  const std::size_t step = std::max<std::size_t>(all.size() / count, 1);
  std::size_t tried = 0;
  for (std::size_t i = slipway::testing::part().number; i < all.size(); i += step) {
    AttentionGraph graph(all[i], i);
    check(all[i], graph);
    if (HasFailure()) return;
    ++tried;
  }
  EXPECT_GE(tried, 4u);
}

// More keys than several blocks have, with a maximum that grows from block to block.
TEST_P(AttentionTest, LongRows) {
  std::vector<DataType> types = {DataType::F32, DataType::F16};
  if (slipway::testing::whole_suite()) types.push_back(DataType::BF16);
  for (const DataType type : types) {
    Settings s{.heads = 1, .rows = 5, .keys = 700, .depth = 8, .columns = 24, .type = type, .mask = Mask::Keys};
    s.first_keys_hidden = true;
    AttentionGraph graph(s, 3);
    check(s, graph);
  }
}

// NaN and infinities reach the rows that they belong to, and no others. Row 3 has no key at all.
TEST_P(AttentionTest, SpecialValues) {
  for (const std::string_view type : {"f32", "f16"}) {
    SCOPED_TRACE(type);
    Diagnostics diagnostics;
    const auto graph = tosa::parse(make_source("t.graph", formatted(R"(graph g {{
  %0 = input {0}[1, 6, 8]
  %1 = input {0}[1, 8, 40]
  %2 = input {0}[1, 40, 8]
  %3 = input {0}[1, 6, 40]
  %4 = MATMUL(%0, %1) {0}[1, 6, 40] A_zp=0 B_zp=0
  %5 = ADD(%4, %3) {0}[1, 6, 40]
  %6 = REDUCE_MAX(%5) {0}[1, 6, 1] axis=2 nan_mode=PROPAGATE
  %7 = SUB(%5, %6) {0}[1, 6, 40]
  %8 = EXP(%7) {0}[1, 6, 40]
  %9 = REDUCE_SUM(%8) {0}[1, 6, 1] axis=2
  %10 = RECIPROCAL(%9) {0}[1, 6, 1]
  %11 = MUL(%8, %10) {0}[1, 6, 40] shift=0
  %12 = MATMUL(%11, %2) {0}[1, 6, 8] A_zp=0 B_zp=0
  output %12
}})",
                                                                    type)),
                                   diagnostics);
    ASSERT_TRUE(graph);
    TensorBuilder make(1, Pattern::Random);
    const auto input = [&](std::size_t index, const std::function<double(std::size_t)>& value) {
      const tosa::TensorType& of = (*graph)[graph->inputs[index]].type;
      return make.filled(of.data, of.shape, value);
    };
    const auto number = [](std::size_t i) { return static_cast<double>(i * 7 % 5) / 4 - 0.5; };
    const std::vector<Tensor> inputs = {
        input(0, [&](std::size_t i) { return i == 0   ? std::nan("")
                                             : i == 8 ? HUGE_VAL
                                                      : number(i); }),
        input(1, [&](std::size_t i) { return 1 + number(i); }), input(2, number),
        input(3, [](std::size_t i) { return i / 40 == 3 || (i / 40 == 4 && i % 40 < 37) ? -HUGE_VAL : 0; })};
    const auto wanted = reference::run(*graph, inputs);
    ASSERT_TRUE(wanted);
    const std::vector<Tensor> given = run_kernels(*graph, inputs);
    std::size_t special = 0;
    for (std::size_t i = 0; i < (*wanted)[0].reals.size(); ++i) {
      const double a = given[0].reals[i], b = (*wanted)[0].reals[i];
      special += std::isnan(b);
      EXPECT_TRUE(std::isnan(b) ? std::isnan(a) : std::fabs(a - b) < 0.01) << i << ": " << a << " instead of " << b;
    }
    EXPECT_EQ(special, 24u);
  }
}

// All candidates of the blocks compute the same.
TEST_P(AttentionTest, EveryCandidateAgrees) {
  constexpr std::array kOnGpus = {Kernels::Gpu, Kernels::Device, Kernels::MobileGpu, Kernels::Interpreted};
  if (!std::ranges::contains(kOnGpus, GetParam())) return;
  for (const DataType type : {DataType::F32, DataType::F16}) {
    const Settings s{.batch = 1,
                     .heads = 2,
                     .rows = 37,
                     .keys = 90,
                     .depth = 24,
                     .columns = 40,
                     .type = type,
                     .mask = Mask::Rows,
                     .layout = Layout::Heads};
    AttentionGraph graph(s, 5);
    for (const lower::TuningSite& site : sites_of(graph.builder.graph)) {
      if (!site.what.starts_with("attention")) continue;
      // Otherwise two of them.
      const std::size_t every = slipway::testing::whole_suite() ? 1 : site.candidates.size() / 2;
      for (std::size_t i = 1; i < site.candidates.size(); i += every) {
        SCOPED_TRACE(formatted("candidate {}", i));
        tuning_ = {{site.what, site.candidates[i]}};
        check(s, graph);
      }
    }
  }
}
SLIPWAY_WITH_ALL_KERNELS(AttentionTest);

// On GPUs each of them is one dispatch. A value that is needed elsewhere prevents that.
TEST(Attention, IsOneKernel) {
  lower::DeviceFacts gpu = slipway::testing::gpu_facts();
  for (const bool matrices : {false, true}) {
    if (matrices) gpu.matrices = {{16, 16, 16, tensor::ElementType::F16, tensor::ElementType::F32}};
    for (std::size_t i = 0; const Settings& s : settings()) {
      if (i++ % 9 != 0) continue;
      SCOPED_TRACE(s.text());
      AttentionGraph graph(s, 1);
      const auto dispatches = [&] {
        return lower::lower_graph(graph.builder.graph, {.device = gpu}).value().dispatches.size();
      };
      EXPECT_EQ(dispatches(), s.scale == Scale::Queries && s.layout == Layout::Plain ? 2u : 1u);
      graph.builder.graph.outputs = {graph.result, graph.scores};
      EXPECT_GE(dispatches(), 3u);
    }
  }
}

}  // namespace
}  // namespace slipway::model
