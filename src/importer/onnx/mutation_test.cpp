// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files with random damage are read or refused. SLIPWAY_ONNX_MUTATIONS is the count, SLIPWAY_ONNX_MODELS a directory
// with further models: each is read, and damaged too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/system/files.hpp"
#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

// A model with most parts of the format.
std::string rich_model() {
  const Proto body = graph({.nodes = {node("Add", {"x", "w"}, {"s"})}, .outputs = {value("s", kF32, {})}, .name = "b"});
  const Proto sparse = Proto()
                           .message(1, raw_tensor<float>("sparse", kF32, {1}, {5}))
                           .message(2, raw_tensor<std::int64_t>("", kI64, {1}, {1}))
                           .packed(3, {2, 2});
  const Proto scale = function(
      {.domain = "a",
       .name = "f",
       .inputs = {"p", "q"},
       .outputs = {"r"},
       .attributes = {"one"},
       .nodes = {node("Abs", {"p"}, {"t"}), node("Mul", {"t", "q"}, {"r"}, {reference_attribute("i", "one", 2)})},
       .defaults = {integer_attribute("two", 2)}});
  const GraphParts parts{
      .nodes = {node("f", {"x", "w"}, {"y"}, {integer_attribute("one", 1)}, "a"),
                node("If", {"c"}, {"z"}, {graph_attribute("then_branch", body), graph_attribute("else_branch", body)}),
                node("Conv", {"y", "sparse", "i"}, {"v"},
                     {integers_attribute("pads", {1, -1}), reals_attribute("g", {1}), text_attribute("s", "t")})},
      .inputs = {value("x", kF32, {-1, 3}), value("c", kBool, {})},
      .outputs = {value("v", kF32, {4}), value("z", kF32, {})},
      .initializers = {raw_tensor<float>("w", kF32, {2}, {1, 2}), tensor("i", kI4, {3}).packed(5, {0x8f, 0xf7}),
                       tensor("e", kF32, {2}).varint(14, 1).message(13, Proto().text(1, "location").text(2, "w.bin"))},
      .sparse_initializers = {sparse},
      .value_infos = {value("y", kF32, {4})}};
  return model(graph(parts), {.operator_sets = {operator_set("", 20), operator_set("a", 1)}, .functions = {scale}});
}

std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, 1 + below(8));
        break;
      case 4:
        bytes.insert(at, 1 + below(3), static_cast<char>(below(256)));
        break;
      case 5:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(64)));
        break;
    }
  }
  return bytes;
}

std::size_t count_from(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::stoul(text) : otherwise;
}

TEST(OnnxMutations, AreReadOrRefused) {
  std::mt19937 random(7);
  std::vector<std::string> models = {rich_model()};
  const ReadNet whole = read(models[0]);
  EXPECT_EQ(whole.messages(),
            "initializer `e` is in `w.bin`, but the model has no directory; `--data-dir` names one [path-outside]\n");
  if (const char* const directory = std::getenv("SLIPWAY_ONNX_MODELS")) {
    for (const Path& path : files_below(directory)) {
      if (extension_of(path) == ".onnx") models.push_back(read_text(path).value());
    }
    EXPECT_GT(models.size(), 1U);
  }
  std::size_t accepted = 0;
  const std::size_t count = count_from("SLIPWAY_ONNX_MUTATIONS", 2'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string bytes = mutated(models[i % models.size()], random);
    (void)is_onnx(bytes_of(bytes));
    const ReadNet result = read(bytes);
    ASSERT_EQ(result.net.has_value(), !result.diagnostics.has_errors());
    accepted += result.net.has_value();
    if (result.net) (void)result.text();
  }
  RecordProperty("accepted", std::to_string(accepted));
  EXPECT_LT(accepted, count);
}

// Models of the directory SLIPWAY_ONNX_MODELS, which are known to be valid.
TEST(OnnxModels, AreRead) {
  const char* const directory = std::getenv("SLIPWAY_ONNX_MODELS");
  if (!directory) GTEST_SKIP() << "SLIPWAY_ONNX_MODELS is not set";
  std::size_t files = 0, refused = 0;
  for (const Path& path : files_below(directory)) {
    if (extension_of(path) != ".onnx") continue;
    ++files;
    const std::string bytes = read_text(path).value();
    EXPECT_TRUE(is_onnx(bytes_of(bytes))) << path;
    const ReadNet result = read(bytes, {.directory = path.parent_path()});
    for (const Diagnostic& diagnostic : result.diagnostics.all()) {
      if (diagnostic.kind != DiagnosticKind::Unsupported) ADD_FAILURE() << path << ": " << diagnostic.message;
    }
    refused += result.diagnostics.has_errors();
  }
  std::printf("%zu models, %zu with types at the interface that are not supported\n", files, refused);
  EXPECT_GT(files, 0U);
  EXPECT_LT(refused, files / 10);
}

}  // namespace
}  // namespace slipway::importer::onnx
