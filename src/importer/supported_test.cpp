// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/supported.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/format.hpp"
#include "importer/emit/node_context.hpp"

namespace slipway::importer {
namespace {

TEST(Supported, ListsEachOperatorOnce) {
  for (const NetFormat format : {NetFormat::Onnx, NetFormat::Tflite}) {
    std::set<std::string> names;
    for (const OperatorSupport& each : operators_of(format)) {
      EXPECT_TRUE(names.insert(formatted("{}.{}", each.domain, each.name)).second) << each.name;
    }
    EXPECT_GT(names.size(), 100u);
  }
}

TEST(Supported, AgreesWithTheConverters) {
  for (const OperatorSupport& each : operators_of(NetFormat::Onnx)) {
    EXPECT_EQ(find_onnx_operator(each.domain, each.name) != nullptr, each.obstacle.empty()) << each.name;
    EXPECT_EQ(obstacle_of(NetFormat::Onnx, each.domain, each.name), each.obstacle) << each.name;
  }
  for (const OperatorSupport& each : operators_of(NetFormat::Tflite)) {
    EXPECT_EQ(find_tflite_operator(each.domain, each.name) != nullptr, each.obstacle.empty()) << each.name;
    EXPECT_EQ(obstacle_of(NetFormat::Tflite, each.domain, each.name), each.obstacle) << each.name;
  }
}

TEST(Supported, NamesTheReason) {
  EXPECT_EQ(obstacle_of(NetFormat::Onnx, "", "Relu"), "");
  EXPECT_EQ(obstacle_of(NetFormat::Onnx, "", "Bernoulli"), "random numbers");
  EXPECT_EQ(obstacle_of(NetFormat::Onnx, "ai.onnx.ml", "Scaler"), "classical machine learning");
  EXPECT_EQ(obstacle_of(NetFormat::Onnx, "", "Frobnicate"), "unknown operator");
  EXPECT_EQ(obstacle_of(NetFormat::Onnx, "com.acme", "Warp"), "unknown domain or operator");
  EXPECT_EQ(obstacle_of(NetFormat::Tflite, "", "RESHAPE"), "");
  EXPECT_EQ(obstacle_of(NetFormat::Tflite, "", "HASHTABLE_FIND"), "hash tables");
}

}  // namespace
}  // namespace slipway::importer
