// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators in the forms of old versions, whose parameters are attributes, and refusals. All operands are known, so
// that the results are.
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

class OneNode {
 public:
  OneNode(std::string kind, std::int64_t version) {
    node_.kind = std::move(kind);
    node_.version = version;
  }

  OneNode& with(std::string name, AttributeValue value) {
    node_.attributes[std::move(name)] = std::move(value);
    return *this;
  }
  OneNode& operand(FileType type, tensor::Shape shape, std::vector<double> numbers) {
    operands_.push_back(known_term(array_of(type, std::move(shape), std::span<const double>(numbers))));
    node_.inputs.push_back(static_cast<NetValueId>(node_.inputs.size()));
    return *this;
  }
  OneNode& absent() {
    operands_.emplace_back();
    node_.inputs.push_back(kAbsent);
    return *this;
  }
  // "[2] 1 2; [1] 3": the results, or the reason of a refusal.
  std::string run(std::size_t results = 1) {
    for (std::size_t i = 0; i < results; ++i) node_.outputs.push_back(static_cast<NetValueId>(100 + i));
    std::vector<const Term*> inputs;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      inputs.push_back(node_.inputs[i] == kAbsent ? nullptr : &operands_[i]);
    std::vector<std::optional<Term>> outputs(results);
    Builder builder;
    const Net net;
    const ImportOptions options;
    const NodeContext::RunGraph none;
    const NetGraph graph;
    std::map<std::string, Term> variables;
    NodeContext context(builder, node_, graph, net, options, inputs, outputs, variables, none);
    try {
      find_onnx_operator("", node_.kind)(context);
    } catch (const Refused& reason) {
      return reason.what();
    }
    std::string text;
    for (const std::optional<Term>& output : outputs) {
      if (!text.empty()) text += "; ";
      text += tensor::shape_text(output->shape);
      for (const double number : output->known->reals()) append_formatted(text, " {}", number);
    }
    return text;
  }

 private:
  NetNode node_;
  std::vector<Term> operands_;
};

using List = std::vector<std::int64_t>;
constexpr auto kInt64 = FileType::I64;
constexpr auto kFloat = FileType::F32;

TEST(OnnxVersions, ReadsShapesFromAttributes) {
  EXPECT_EQ(OneNode("Reshape", 1).with("shape", List{-1, 0}).operand(kFloat, {3, 2}, {1, 2, 3, 4, 5, 6}).run(),
            "[3, 2] 1 2 3 4 5 6");
  EXPECT_EQ(OneNode("Squeeze", 11).with("axes", List{-1}).operand(kFloat, {1, 2, 1}, {1, 2}).run(), "[1, 2] 1 2");
  EXPECT_EQ(OneNode("Unsqueeze", 11).with("axes", List{0, -1}).operand(kFloat, {2}, {1, 2}).run(), "[1, 2, 1] 1 2");
  EXPECT_EQ(OneNode("Concat", 1).operand(kFloat, {1, 1}, {1}).operand(kFloat, {1, 2}, {2, 3}).run(), "[1, 3] 1 2 3");
  EXPECT_EQ(OneNode("Tile", 1).operand(kFloat, {1, 2}, {1, 2}).operand(kInt64, {}, {2}).operand(kInt64, {}, {0}).run(),
            "[2, 2] 1 2 1 2");
}

TEST(OnnxVersions, SlicesAndSplitsByAttributes) {
  EXPECT_EQ(OneNode("Slice", 1)
                .with("starts", List{0, -2})
                .with("ends", List{1, 1000})
                .operand(kFloat, {2, 3}, {1, 2, 3, 4, 5, 6})
                .run(),
            "[1, 2] 2 3");
  EXPECT_EQ(OneNode("Split", 2).with("split", List{1, 2}).operand(kFloat, {3}, {1, 2, 3}).run(2), "[1] 1; [2] 2 3");
  EXPECT_EQ(OneNode("Split", 1).operand(kFloat, {3}, {1, 2, 3}).operand(kInt64, {2}, {2, 1}).run(2), "[2] 1 2; [1] 3");
  EXPECT_EQ(OneNode("Split", 13).operand(kFloat, {3}, {1, 2, 3}).run(2), "3 elements are not divided by 2 results");
  EXPECT_EQ(OneNode("Split", 18).with("num_outputs", std::int64_t{2}).operand(kFloat, {3}, {1, 2, 3}).run(2),
            "[2] 1 2; [1] 3");
}

// Of a backward slice the start is clamped to the first element, as the text of ONNX says.
TEST(OnnxVersions, ClampsTheStartOfBackwardSlices) {
  EXPECT_EQ(OneNode("Slice", 13)
                .operand(kFloat, {3}, {1, 2, 3})
                .operand(kInt64, {1}, {-9})
                .operand(kInt64, {1}, {-10})
                .operand(kInt64, {1}, {0})
                .operand(kInt64, {1}, {-1})
                .run(),
            "[1] 1");
}

TEST(OnnxVersions, PadsInAllForms) {
  EXPECT_EQ(OneNode("Pad", 1).with("paddings", List{1, 0}).with("value", 7.0).operand(kFloat, {2}, {1, 2}).run(),
            "[3] 7 1 2");
  EXPECT_EQ(
      OneNode("Pad", 2).with("pads", List{0, 2}).with("mode", std::string("edge")).operand(kFloat, {2}, {1, 2}).run(),
      "[4] 1 2 2 2");
  EXPECT_EQ(OneNode("Pad", 18)
                .operand(kFloat, {1, 2}, {1, 2})
                .operand(kInt64, {2}, {1, -1})
                .absent()
                .operand(kInt64, {1}, {-1})
                .run(),
            "[1, 2] 0 1");
  EXPECT_EQ(OneNode("Pad", 2).with("pads", List{0}).operand(kFloat, {2}, {1, 2}).run(), "it has 1 pads for 1 axes");
}

TEST(OnnxVersions, ReducesByAttributesAndOperands) {
  EXPECT_EQ(OneNode("ReduceSum", 11).with("axes", List{0}).operand(kFloat, {2, 2}, {1, 2, 3, 4}).run(), "[1, 2] 4 6");
  EXPECT_EQ(OneNode("ReduceMax", 13).with("keepdims", std::int64_t{0}).operand(kFloat, {2, 2}, {1, 2, 3, 4}).run(),
            "[] 4");
  EXPECT_EQ(OneNode("ReduceMean", 18)
                .with("noop_with_empty_axes", std::int64_t{1})
                .operand(kFloat, {2}, {1, 2})
                .operand(kInt64, {0}, {})
                .run(),
            "[2] 1 2");
  EXPECT_EQ(OneNode("TopK", 1).with("k", std::int64_t{2}).operand(kFloat, {3}, {1, 3, 2}).run(2), "[2] 3 2; [2] 1 2");
  EXPECT_EQ(OneNode("CumProd", 26).operand(kFloat, {4}, {1, 2, 3, 4}).operand(kInt64, {}, {0}).run(), "[4] 1 2 6 24");
  EXPECT_EQ(OneNode("CumProd", 26)
                .with("exclusive", std::int64_t{1})
                .with("reverse", std::int64_t{1})
                .operand(kInt64, {3}, {2, 3, 4})
                .operand(kInt64, {}, {-1})
                .run(),
            "[3] 12 4 1");
}

TEST(OnnxVersions, CastsByNamesOfTypes) {
  EXPECT_EQ(OneNode("Cast", 1).with("to", std::string("INT32")).operand(kFloat, {2}, {1.75, -1.75}).run(), "[2] 1 -1");
  EXPECT_EQ(OneNode("Cast", 1).with("to", std::string("STRING")).operand(kFloat, {1}, {1}).run(),
            "the element type `STRING` is not known");
  EXPECT_EQ(OneNode("Cast", 13).with("to", std::int64_t{8}).operand(kFloat, {1}, {1}).run(),
            "tensors of string are not converted");
}

TEST(OnnxVersions, SuppressesKnownBoxes) {
  EXPECT_EQ(OneNode("NonMaxSuppression", 11)
                .operand(kFloat, {1, 3, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11})
                .operand(kFloat, {1, 1, 3}, {0.9, 0.75, 0.6})
                .operand(kInt64, {1}, {3})
                .operand(kFloat, {1}, {0.5})
                .run(),
            "[2, 3] 0 0 0 0 0 2");
}

TEST(OnnxVersions, FindsWhatIsDistinct) {
  EXPECT_EQ(OneNode("Unique", 11).with("axis", std::int64_t{1}).operand(kFloat, {2, 3}, {2, 1, 2, 0, 5, 0}).run(4),
            "[2, 2] 1 2 5 0; [2] 1 0; [3] 1 0 1; [2] 1 2");
  EXPECT_EQ(OneNode("Unique", 11).with("sorted", std::int64_t{0}).operand(kInt64, {4}, {3, 1, 3, 2}).run(4),
            "[3] 3 1 2; [3] 0 1 3; [4] 0 1 0 2; [3] 2 1 1");
}

TEST(OnnxVersions, WritesIntoCaches) {
  EXPECT_EQ(OneNode("TensorScatter", 24)
                .with("axis", std::int64_t{1})
                .with("mode", std::string("circular"))
                .operand(kFloat, {2, 3, 1}, {1, 2, 3, 4, 5, 6})
                .operand(kFloat, {2, 2, 1}, {7, 8, 9, 10})
                .operand(kInt64, {2}, {2, 0})
                .run(),
            "[2, 3, 1] 8 2 7 9 10 6");
}

TEST(OnnxVersions, RefusesWhatDoesNotFit) {
  EXPECT_EQ(OneNode("Transpose", 13).with("perm", List{0, 0}).operand(kFloat, {1, 2}, {1, 2}).run(),
            "`perm` is not a permutation of the axes");
  EXPECT_EQ(OneNode("ConstantOfShape", 9).operand(kInt64, {2}, {2, -1}).run(), "the shape has the extent -1");
  EXPECT_EQ(OneNode("Expand", 13).operand(kFloat, {2}, {1, 2}).operand(kInt64, {1}, {3}).run(),
            "the shapes [2] and [3] do not fit together");
  EXPECT_EQ(OneNode("Tile", 13).operand(kFloat, {1}, {1}).operand(kInt64, {1}, {9223372036854775807.0}).run(),
            "a dimension of 1 elements is repeated 9223372036854775807 times");
  EXPECT_EQ(OneNode("Range", 11).operand(kInt64, {}, {0}).operand(kInt64, {}, {1e18}).operand(kInt64, {}, {1}).run(),
            "it has too many elements");
  EXPECT_EQ(OneNode("Resize", 19).operand(kFloat, {1, 2}, {1, 2}).absent().operand(kFloat, {2}, {1, 1e30}).run(),
            "a dimension of the result has 2.0000000300949324e+30 elements");
  EXPECT_EQ(OneNode("Resize", 19)
                .with("mode", "linear")
                .operand(kFloat, {1, 2}, {1, 2})
                .absent()
                .absent()
                .operand(kInt64, {2}, {1, 2147483647})
                .run(),
            "a tensor of shape [2147483647, 4] is too large to be computed before the run");
  EXPECT_EQ(OneNode("AffineGrid", 20)
                .operand(kFloat, {1, 2, 3}, {1, 0, 0, 0, 1, 0})
                .operand(kInt64, {4}, {1, 1, 2147483648.0, 2147483648.0})
                .run(),
            "a tensor of shape [2147483648, 2147483648, 3] is too large to be computed before the run");
  EXPECT_EQ(OneNode("DFT", 20).with("onesided", std::int64_t{1}).operand(kFloat, {1, 2, 2}, {1, 2, 3, 4}).run(),
            "one side is computed only of forward transforms of real signals");
}

}  // namespace
}  // namespace slipway::importer
