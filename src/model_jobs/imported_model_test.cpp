// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of other formats through the public classes: shapes that the caller chooses, and elements of 64 bits.
#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "importer/onnx/testing.hpp"
#include "slipway/model.hpp"

namespace slipway {
namespace {

using namespace importer::onnx;  // NOLINT(google-build-using-namespace): the writer of models
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rows of a table, by indices whose number is open; and the indices plus one.
std::string lookup() {
  return model({.nodes = {node("Gather", {"table", "ids"}, {"rows"}), node("Add", {"ids", "one"}, {"next"})},
                .inputs = {value("ids", kI64, {-1})},
                .outputs = {value("rows", kF32, {-1, 2}), value("next", kI64, {-1})},
                .initializers = {raw_tensor<float>("table", kF32, {3, 2}, {0, 1, 10, 11, 20, 21}),
                                 raw_tensor<std::int64_t>("one", kI64, {}, {1})}});
}

Outcome<Model> parsed(const std::string& file, const ModelOptions& options) {
  return Model::parse(ByteView(reinterpret_cast<const std::byte*>(file.data()), file.size()), "lookup.onnx", options);
}

template <class T>
std::vector<T> elements(ByteView bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ImportedModel, HasTheTypesOfTheFile) {
  const std::string file = lookup();
  const auto model = parsed(file, {.shapes = {{"ids", {2}}}});
  ASSERT_TRUE(model) << model.error().front().text;
  EXPECT_EQ(model->inputs()[0].element_type, "i64");
  EXPECT_EQ(model->outputs()[1].element_type, "i64");
  auto prepared = model->prepare();
  ASSERT_TRUE(prepared) << prepared.error().front().text;
  const std::vector<std::int64_t> ids{2, -3};
  ASSERT_TRUE(prepared->set_input("ids", ByteView(reinterpret_cast<const std::byte*>(ids.data()), 16)));
  ASSERT_TRUE(prepared->run());
  EXPECT_THAT(elements<float>(*prepared->output("rows")), ElementsAre(20, 21, 0, 1));
  EXPECT_THAT(elements<std::int64_t>(*prepared->output("next")), ElementsAre(3, -2));
}

TEST(ImportedModel, RefusesIntegersThatDoNotFit) {
  const std::string file = lookup();
  const auto model = parsed(file, {.shapes = {{"ids", {1}}}});
  ASSERT_TRUE(model) << model.error().front().text;
  auto prepared = model->prepare();
  ASSERT_TRUE(prepared) << prepared.error().front().text;
  const std::int64_t id = std::int64_t{1} << 32;
  ASSERT_TRUE(prepared->set_input("ids", ByteView(reinterpret_cast<const std::byte*>(&id), 8)));
  const auto ran = prepared->run();
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().front().text,
              HasSubstr("element 0 of input `ids` is 4294967296; int64 is computed in 32 bits, which "
                        "do not hold it [out-of-range]"));
}

template <class T>
ByteView view(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

TEST(ImportedModel, TakesShapesWhenItIsPrepared) {
  const auto model = parsed(lookup(), {});
  ASSERT_TRUE(model) << model.error().front().text;
  EXPECT_TRUE(model->is_late());
  EXPECT_THAT(model->inputs()[0].shape, ElementsAre(-1));
  EXPECT_THAT(model->outputs()[0].shape, ElementsAre(-1, 2));
  for (const std::vector<std::int64_t>& ids : {std::vector<std::int64_t>{2, 1, 0}, {1}, {0, 0, 1}}) {
    auto prepared = model->prepare({.shapes = {{"ids", {static_cast<std::int64_t>(ids.size())}}}});
    ASSERT_TRUE(prepared) << prepared.error().front().text;
    EXPECT_THAT(prepared->bound_inputs(), ElementsAre());
    ASSERT_TRUE(prepared->set_input("ids", view(ids)));
    ASSERT_TRUE(prepared->run());
    std::vector<float> rows;
    for (const std::int64_t id : ids) rows.insert(rows.end(), {10.0f * static_cast<float>(id), 10.0f * id + 1});
    EXPECT_EQ(elements<float>(*prepared->output("rows")), rows);
  }
  const auto contradiction = model->prepare({.shapes = {{"ids", {1, 1}}}});
  ASSERT_FALSE(contradiction);
  EXPECT_THAT(contradiction.error().front().text, HasSubstr("has rank 1 and is given the shape [1, 1]"));
  EXPECT_FALSE(parsed(lookup(), {.shapes = {{"ids", {3}}}})->is_late());
}

TEST(ImportedModel, TakesElementsThatDecideShapes) {
  const std::string file = importer::onnx::model({.nodes = {node("Reshape", {"x", "shape"}, {"y"})},
                                                  .inputs = {value("x", kF32, {6}), value("shape", kI64, {2})},
                                                  .outputs = {value("y", kF32, {-1, -1})},
                                                  .initializers = {}});
  const auto model = parsed(file, {});
  ASSERT_TRUE(model) << model.error().front().text;
  EXPECT_TRUE(model->is_late());
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2, 3}, {3, 2}, {2, 3}}) {
    const ByteView bytes = view(shape);
    auto prepared =
        model->prepare({.values = {{"shape", {bytes.begin(), bytes.end()}}, {"x", std::vector<std::byte>(24)}}});
    ASSERT_TRUE(prepared) << prepared.error().front().text;
    EXPECT_THAT(prepared->bound_inputs(), ElementsAre("shape"));
    EXPECT_THAT(prepared->outputs()[0].shape, ::testing::ElementsAreArray(shape));
  }
  const auto unknown = model->prepare();
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().front().text, HasSubstr("cannot be converted"));
}

TEST(ImportedModel, OpenDimensionsAreNamed) {
  const std::string file = lookup();
  const auto model = parsed(file, {.shapes = {{"idx", {2}}}});
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().front().text, HasSubstr("the model has no input `idx`"));
}

}  // namespace
}  // namespace slipway
