// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of the builder in tests: with known operands, and with operands that the run decides, which the interpreter
// computes.
//
//   expect_both([](Builder& b, const std::vector<Term>& in) { return b.add(in[0], in[1]); }, {x, y}, sum);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "importer/emit/builder.hpp"
#include "reference/run.hpp"
#include "testing/messages.hpp"
#include "tosa/check/verify.hpp"

namespace slipway::importer {

inline Array test_array(FileType type, tensor::Shape shape, const std::vector<double>& numbers) {
  return array_of(type, std::move(shape), std::span<const double>(numbers));
}

class BlockBench {
 public:
  Builder b;

  // An input of the graph.
  Term given(const Array& array) {
    const tosa::DataType type = info_of(array.type).graph;
    const tensor::Shape shape = array.shape.empty() ? tensor::Shape{1} : array.shape;
    const bool is_wide = array.type == FileType::I64 || array.type == FileType::F64;
    const Array stored = !is_wide                      ? array
                         : array.type == FileType::I64 ? array_of(FileType::I32, shape, array.integers())
                                                       : array_of(FileType::F32, shape, array.reals());
    inputs_.push_back(reference::Tensor::from_bytes({type, shape}, stored.data));
    return b.reshape(b.term(b.graph().add_input({type, shape}, "x"), array.type), array.shape);
  }

  // The elements of a term; the graph is verified.
  Array run(const Term& term) {
    if (term.known) return *term.known;
    b.graph().outputs = {b.value(term)};
    tosa::Graph graph = b.graph();
    Diagnostics problems;
    tosa::verify(graph, problems);
    EXPECT_EQ(testing::messages(problems), "");
    const auto results = reference::run(graph, inputs_);
    if (!results) {
      ADD_FAILURE() << "the graph does not run";
      return array_of(term.type, {0}, std::vector<std::byte>());
    }
    const bool is_wide = term.type == FileType::I64 || term.type == FileType::F64;
    const FileType stored = !is_wide ? term.type : term.type == FileType::I64 ? FileType::I32 : FileType::F32;
    Array made = array_of(stored, term.shape, (*results)[0].to_bytes());
    if (!is_wide) return made;
    return term.type == FileType::I64 ? array_of(term.type, term.shape, made.integers())
                                      : array_of(term.type, term.shape, made.reals());
  }

 private:
  std::vector<reference::Tensor> inputs_;
};

using Block = std::function<Term(Builder&, const std::vector<Term>&)>;

inline void expect_array(const Array& actual, const Array& expected) {
  EXPECT_EQ(actual.type, expected.type);
  EXPECT_EQ(actual.shape, expected.shape);
  if (is_real(expected.type)) {
    // A NaN is equal to a NaN.
    EXPECT_THAT(actual.reals(), ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), expected.reals()));
  } else {
    EXPECT_EQ(actual.integers(), expected.integers());
  }
}

// Operands that `known` marks are known in both runs.
inline void expect_both(const Block& block, const std::vector<Array>& operands, const Array& expected,
                        const std::vector<bool>& known = {}) {
  for (const bool fold : {true, false}) {
    SCOPED_TRACE(fold ? "known" : "given");
    BlockBench bench;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < operands.size(); ++i)
      terms.push_back(fold || (i < known.size() && known[i]) ? known_term(operands[i]) : bench.given(operands[i]));
    const Term made = block(bench.b, terms);
    EXPECT_EQ(made.known.has_value(), fold);
    expect_array(bench.run(made), expected);
  }
}

}  // namespace slipway::importer
