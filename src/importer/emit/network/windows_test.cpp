// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pools against loops over all elements. Elements are small integers, so that sums of floats are
// exact.
#include "importer/emit/network/windows.hpp"

#include <cmath>
#include <random>

#include "importer/emit/host.hpp"
#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

std::mt19937& source() {
  static std::mt19937 random(11);
  return random;
}

std::int64_t pick(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(source()() % static_cast<std::uint64_t>(high - low + 1));
}

std::vector<double> small_integers(const tensor::Shape& shape) {
  std::vector<double> numbers(static_cast<std::size_t>(product_of(shape)));
  for (double& number : numbers) number = static_cast<double>(pick(-4, 4));
  return numbers;
}

// Calls `use` with each coordinate of a shape.
template <class Use>
void for_each_coordinate(const tensor::Shape& shape, Use use) {
  for (std::int64_t i = 0; i < product_of(shape); ++i)
    use(tensor::coordinates_of(shape, static_cast<std::uint64_t>(i)));
}

Windows random_windows(std::size_t rank) {
  Windows windows = windows_of(tensor::Shape(rank, 1));
  for (std::size_t d = 0; d < rank; ++d) {
    windows.kernel[d] = pick(1, 3);
    windows.stride[d] = pick(1, 3);
    windows.dilation[d] = pick(1, 2);
    windows.before[d] = pick(-1, 2);
    windows.after[d] = pick(-1, 2);
  }
  return windows;
}

tensor::Shape shape_of(std::int64_t first, const tensor::Shape& middle, std::int64_t last) {
  tensor::Shape shape{first};
  shape.insert(shape.end(), middle.begin(), middle.end());
  shape.push_back(last);
  return shape;
}

struct Operands {
  Array x, weights, bias;
  Windows windows;
  std::int64_t groups = 1;
  tensor::Shape extents;
};

Operands random_operands(std::size_t rank, std::int64_t groups, std::int64_t inputs, std::int64_t outputs) {
  Operands made{.x = {}, .weights = {}, .bias = {}, .windows = random_windows(rank), .groups = groups, .extents = {}};
  for (std::size_t d = 0; d < rank; ++d) made.extents.push_back(pick(6, 8));
  const tensor::Shape x = shape_of(2, made.extents, groups * inputs);
  const tensor::Shape weights = shape_of(groups * outputs, made.windows.kernel, inputs);
  made.x = test_array(FileType::F32, x, small_integers(x));
  made.weights = test_array(FileType::F32, weights, small_integers(weights));
  made.bias = test_array(FileType::F32, {groups * outputs}, small_integers({groups * outputs}));
  return made;
}

// The element of a tensor, or 0 outside.
double element(const Array& array, const tensor::Shape& at) {
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= array.shape[d]) return 0;
  }
  return array.real(static_cast<std::size_t>(tensor::index_of(array.shape, at)));
}

Array convolved(const Operands& of) {
  const std::size_t rank = of.windows.rank();
  const tensor::Shape shape = shape_of(2, window_counts(of.windows, of.extents), of.weights.shape[0]);
  const std::int64_t inputs = of.weights.shape.back(), per_group = of.weights.shape[0] / of.groups;
  std::vector<double> numbers;
  for_each_coordinate(shape, [&](const tensor::Shape& at) {
    double sum = of.bias.real(static_cast<std::size_t>(at.back()));
    for_each_coordinate(of.windows.kernel, [&](const tensor::Shape& tap) {
      for (std::int64_t i = 0; i < inputs; ++i) {
        tensor::Shape from = at, weight = shape_of(at.back(), tap, i);
        for (std::size_t d = 0; d < rank; ++d)
          from[1 + d] = at[1 + d] * of.windows.stride[d] - of.windows.before[d] + tap[d] * of.windows.dilation[d];
        from.back() = at.back() / per_group * inputs + i;
        // What negative padding crops is not read by any window.
        sum += element(of.x, from) * element(of.weights, weight);
      }
    });
    numbers.push_back(sum);
  });
  return test_array(FileType::F32, shape, numbers);
}

Array transposed(const Operands& of) {
  const std::size_t rank = of.windows.rank();
  tensor::Shape extents;
  for (std::size_t d = 0; d < rank; ++d) {
    extents.push_back((of.extents[d] - 1) * of.windows.stride[d] + of.windows.reach(d) - of.windows.before[d] -
                      of.windows.after[d]);
  }
  const tensor::Shape shape = shape_of(2, extents, of.weights.shape[0]);
  const std::int64_t inputs = of.weights.shape.back(), per_group = of.weights.shape[0] / of.groups;
  std::vector<double> numbers;
  for_each_coordinate(shape, [&](const tensor::Shape& at) {
    double sum = of.bias.real(static_cast<std::size_t>(at.back()));
    for_each_coordinate(of.windows.kernel, [&](const tensor::Shape& tap) {
      tensor::Shape from = at;
      for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t distance = at[1 + d] + of.windows.before[d] - tap[d] * of.windows.dilation[d];
        if (distance < 0 || distance % of.windows.stride[d] != 0) return;
        from[1 + d] = distance / of.windows.stride[d];
      }
      for (std::int64_t i = 0; i < inputs; ++i) {
        from.back() = at.back() / per_group * inputs + i;
        sum += element(of.x, from) * element(of.weights, shape_of(at.back(), tap, i));
      }
    });
    numbers.push_back(sum);
  });
  return test_array(FileType::F32, shape, numbers);
}

using Convolve =
    std::function<Term(Builder&, const Term&, const Term&, const Term*, const Windows&, const ConvolutionForm&)>;

void expect_convolution(const Operands& of, const Convolve& convolve, const Array& expected) {
  SCOPED_TRACE(formatted("kernel {}, stride {}, dilation {}, padding {} {}, {} groups",
                         tensor::list_text(of.windows.kernel), tensor::list_text(of.windows.stride),
                         tensor::list_text(of.windows.dilation), tensor::list_text(of.windows.before),
                         tensor::list_text(of.windows.after), of.groups));
  BlockBench bench;
  const Term bias = known_term(of.bias);
  const Term made =
      convolve(bench.b, bench.given(of.x), known_term(of.weights), &bias, of.windows, {.groups = of.groups});
  expect_array(bench.run(made), expected);
}

TEST(Windows, Convolves) {
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    for (int round = 0; round < 25; ++round) {
      const std::int64_t groups = pick(1, 3);
      const Operands of = random_operands(rank, groups, pick(1, 2), pick(1, 2));
      expect_convolution(of, convolution, convolved(of));
    }
  }
}

TEST(Windows, ConvolvesManyGroups) {
  for (std::size_t rank = 2; rank <= 3; ++rank) {
    const Operands of = random_operands(rank, 66, 2, 1);
    expect_convolution(of, convolution, convolved(of));
  }
}

TEST(Windows, ConvolvesTransposed) {
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    for (int round = 0; round < 25; ++round) {
      const Operands of = random_operands(rank, pick(1, 2), pick(1, 2), pick(1, 2));
      expect_convolution(of, transposed_convolution, transposed(of));
    }
  }
}

TEST(Windows, ConvolvesIntegersWithZeroPoints) {
  const Array x = test_array(FileType::I8, {1, 2, 2, 1}, {1, 2, 3, 4});
  const Array weights = test_array(FileType::I8, {1, 2, 2, 1}, {1, 1, 1, 5});
  BlockBench bench;
  Windows windows = windows_of({2, 2});
  windows.after = {1, 0};
  const ConvolutionForm form{.input_zero = 1, .weight_zero = 1};
  const Term made = convolution(bench.b, bench.given(x), known_term(weights), nullptr, windows, form);
  // (x - 1) and (w - 1); padding is 0 after the zero point.
  expect_array(bench.run(made), test_array(FileType::I32, {1, 2, 1, 1}, {12, 0}));
}

// A pool by the elements of each window that are inside.
Array pooled(const Array& x, const Windows& windows, const tensor::Shape& extents,
             const std::function<double(const std::vector<double>&)>& of) {
  const tensor::Shape shape = shape_of(x.shape[0], window_counts(windows, extents), x.shape.back());
  std::vector<double> numbers;
  for_each_coordinate(shape, [&](const tensor::Shape& at) {
    std::vector<double> inside;
    for_each_coordinate(windows.kernel, [&](const tensor::Shape& tap) {
      tensor::Shape from = at;
      for (std::size_t d = 0; d < windows.rank(); ++d) {
        from[1 + d] = at[1 + d] * windows.stride[d] - windows.before[d] + tap[d] * windows.dilation[d];
        if (from[1 + d] < 0 || from[1 + d] >= extents[d]) return;
      }
      inside.push_back(element(x, from));
    });
    numbers.push_back(of(inside));
  });
  return test_array(x.type, shape, numbers);
}

using Pool = std::function<Term(Builder&, const Term&, const Windows&)>;

void expect_pools(const Pool& pool, const std::vector<FileType>& types, bool dilated,
                  const std::function<double(const std::vector<double>&)>& of) {
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    for (int round = 0; round < 20; ++round) {
      Windows windows = random_windows(rank);
      tensor::Shape extents;
      for (std::size_t d = 0; d < rank; ++d) {
        extents.push_back(pick(6, 8));
        if (!dilated) windows.dilation[d] = 1;
        // A window that is in the padding has no elements.
        windows.before[d] = std::clamp<std::int64_t>(windows.before[d], 0, windows.kernel[d] - 1);
        windows.after[d] = std::clamp<std::int64_t>(windows.after[d], 0, windows.kernel[d] - 1);
      }
      const tensor::Shape shape = shape_of(2, extents, 2);
      const FileType type = types[static_cast<std::size_t>(round) % types.size()];
      std::vector<double> numbers = small_integers(shape);
      if (is_unsigned(type)) {
        for (double& number : numbers) number += 126;
      }
      const Array x = test_array(type, shape, numbers);
      SCOPED_TRACE(formatted("{} kernel {}, stride {}, dilation {}, padding {} {}", name_of(type),
                             tensor::list_text(windows.kernel), tensor::list_text(windows.stride),
                             tensor::list_text(windows.dilation), tensor::list_text(windows.before),
                             tensor::list_text(windows.after)));
      BlockBench bench;
      const Array made = bench.run(pool(bench.b, bench.given(x), windows));
      const Array expected = pooled(x, windows, extents, of);
      ASSERT_EQ(made.shape, expected.shape);
      for (std::size_t i = 0; i < made.count(); ++i) ASSERT_NEAR(made.real(i), expected.real(i), 1e-5) << i;
    }
  }
}

TEST(Windows, TakesMaxima) {
  const std::vector<FileType> types{FileType::F32, FileType::I8, FileType::U8, FileType::I32, FileType::F16};
  expect_pools(max_pool, types, true, [](const std::vector<double>& window) { return std::ranges::max(window); });
}

TEST(Windows, TakesAverages) {
  const auto average = [](const std::vector<double>& window) {
    double sum = 0;
    for (const double number : window) sum += number;
    return sum / static_cast<double>(window.size());
  };
  const auto pool = [](Builder& b, const Term& x, const Windows& windows) { return average_pool(b, x, windows); };
  expect_pools(pool, {FileType::F32}, true, average);
}

TEST(Windows, TakesSums) {
  const auto sum = [](const std::vector<double>& window) { return std::accumulate(window.begin(), window.end(), 0.0); };
  const auto pool = [](Builder& b, const Term& x, const Windows& windows) { return sum_pool(b, x, windows); };
  expect_pools(pool, {FileType::F32}, true, sum);
}

TEST(Windows, PadsForEachStride) {
  Windows windows = windows_of({3, 2});
  windows.stride = {2, 3};
  set_padding(windows, std::vector<std::int64_t>{8, 7}, Padding::SameUpper);
  EXPECT_EQ(windows.before, (tensor::Shape{0, 0}));
  EXPECT_EQ(windows.after, (tensor::Shape{1, 1}));
  EXPECT_EQ(window_counts(windows, std::vector<std::int64_t>{8, 7}), (tensor::Shape{4, 3}));
  set_padding(windows, std::vector<std::int64_t>{8, 7}, Padding::SameLower);
  EXPECT_EQ(windows.before, (tensor::Shape{1, 1}));
  EXPECT_EQ(windows.after, (tensor::Shape{0, 0}));
}

TEST(Windows, RefusesWhatDoesNotFit) {
  Builder b;
  const Term x = known_term(test_array(FileType::F32, {1, 2, 2, 1}, {1, 2, 3, 4}));
  const Term weights = known_term(test_array(FileType::F32, {1, 3, 1, 1}, {1, 2, 3}));
  EXPECT_THROW(convolution(b, x, weights, nullptr, windows_of({3, 1})), Refused);
  EXPECT_THROW(convolution(b, x, weights, nullptr, windows_of({3, 1}), {.groups = 2}), Refused);
}

TEST(Windows, SumsNeighbours) {
  const auto block = [](Builder& b, const std::vector<Term>& in) { return neighbour_sum(b, in[0], 1, 1, 2); };
  expect_both(block, {test_array(FileType::F32, {1, 5}, {1, 2, 3, 4, 5})},
              test_array(FileType::F32, {1, 5}, {6, 10, 14, 12, 9}));
}

}  // namespace
}  // namespace slipway::importer
