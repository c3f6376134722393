// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replies of the process that reads MLIR: what is written is read again, and what is damaged is refused.
#include "tosa/read/mlir/mlir_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "testing/source_directory.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

constexpr std::string_view kContents = "0123456789abcdef";
const std::vector<std::uint64_t> kDigits = {8};

// A graph with a constant of each kind.
MlirReply example() {
  MlirReply reply;
  Graph& graph = reply.graph;
  const ValueId x = graph.add_input({DataType::I32, {4}}, "x");
  const ValueId inside = graph.add_constant({DataType::I32, {4}}, bytes_of(kContents));
  const ValueId splat = graph.add_constant({DataType::I32, {4}}, std::vector<std::byte>(4, std::byte{1}), true);
  const ValueId literal = graph.add_constant({DataType::I8, {4}}, Bytes());
  reply.literals.push_back(
      {.constant = 2, .literal = 0, .elements = {.width = 8, .is_f64 = false}, .line = {true, 2, 3, {}}});
  const ValueId sum = graph.add_node(Op::ADD, {x, inside}, {}, {{DataType::I32, {4}}})[0];
  reply.lines.push_back({true, 3, 5, {}});
  const ValueId wide = graph.add_node(Op::CAST, {literal}, {}, {{DataType::I32, {4}}})[0];
  reply.lines.push_back({false, 7, 9, "other.mlir"});
  const ValueId high = graph.add_node(Op::MAXIMUM, {sum, splat}, {{"nan_mode", {1}}}, {{DataType::I32, {4}}})[0];
  graph.nodes.back().name = "high";
  reply.lines.emplace_back();
  graph.add_node(Op::CUSTOM, {wide, high}, {}, {{DataType::I32, {4}}});
  graph.nodes.back().custom = std::make_shared<CustomOperator>("domain", "name", "{}");
  reply.lines.emplace_back();
  graph.outputs = {high};
  reply.input_names = {"x"};
  reply.output_names = {"y"};
  return reply;
}

TEST(MlirReply, RoundTrip) {
  const MlirReply reply = example();
  const std::vector<std::byte> bytes = write_mlir_reply(reply, bytes_of(kContents));
  const auto read = read_mlir_reply(bytes, bytes_of(kContents), kDigits);
  ASSERT_TRUE(read);
  EXPECT_EQ(print(read->graph), print(reply.graph));
  EXPECT_EQ(read->input_names, reply.input_names);
  EXPECT_EQ(read->output_names, reply.output_names);
  EXPECT_EQ(read->graph.constants[0].data.data(), bytes_of(kContents).data());
  ASSERT_EQ(read->literals.size(), 1u);
  EXPECT_EQ(read->literals[0].constant, 2u);
  EXPECT_EQ(read->literals[0].line.column, 3u);
  ASSERT_EQ(read->lines.size(), 4u);
  EXPECT_EQ(read->lines[1].file, "other.mlir");
  EXPECT_EQ(read->graph.nodes[3].custom->attributes, "{}");
  if (std::getenv("UPDATE_CORPUS")) {
    EXPECT_TRUE(write_file(testing::source_directory() / "tests/fuzz/corpus/mlir_reply_fuzz/graph.bin", bytes));
  }
}

TEST(MlirReply, Problems) {
  MlirReply reply;
  reply.problems.push_back({DiagnosticKind::TextSyntax, "no", {true, 1, 2, {}}, {{"a note", {false, 3, 4, "f"}}}});
  const auto read = read_mlir_reply(write_mlir_reply(reply, {}), {}, {});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->problems.size(), 1u);
  EXPECT_EQ(read->problems[0].kind, DiagnosticKind::TextSyntax);
  EXPECT_EQ(read->problems[0].notes[0].first, "a note");
}

// A damaged reply is refused, or is a graph that the verifier can read.
TEST(MlirReply, Damaged) {
  const std::vector<std::byte> bytes = write_mlir_reply(example(), bytes_of(kContents));
  std::size_t refused = 0, accepted = 0;
  const auto attempt = [&](const std::vector<std::byte>& damaged) {
    auto read = read_mlir_reply(damaged, bytes_of(kContents), kDigits);
    ++(read ? accepted : refused);
    Diagnostics diagnostics;
    if (read && read->literals.empty()) verify(read->graph, diagnostics);
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    attempt({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
  EXPECT_EQ(accepted, 0u);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> damaged = bytes;
      damaged[at] = static_cast<std::byte>(value);
      attempt(damaged);
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(MlirReply, ElementsOfConstants) {
  const MlirElements bits{.width = 1, .is_f64 = false}, index{.width = 64, .is_f64 = false},
      real{.width = 64, .is_f64 = true};
  EXPECT_TRUE(bits.holds(9, 2));
  EXPECT_TRUE(bits.holds(9, 9));
  EXPECT_FALSE(bits.holds(9, 3));
  EXPECT_FALSE(index.holds(std::size_t{1} << 61, 0));  // 8 * 2^61 is 0 in 64 bits
  const std::vector<std::byte> packed = {std::byte{0x05}, std::byte{0x01}};
  EXPECT_EQ(*bits.convert(packed, 9, DataType::Bool),
            (std::vector<std::byte>{std::byte{1}, std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0},
                                    std::byte{0}, std::byte{0}, std::byte{1}}));
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(index.convert(std::as_bytes(std::span(&large, 1)), 1, DataType::I32).error(),
            "element 0 is 1099511627776, which 32 bits do not hold");
  const double half = 0.5;
  const double numbers[] = {0, -1e300, 1e-300};
  EXPECT_EQ(real.lost(std::as_bytes(std::span(numbers, 1)), 1), "");
  EXPECT_EQ(real.lost(std::as_bytes(std::span(numbers)), 3),
            "element 1 is -1e+300 of f64, which becomes -inf in 32 bits");
  EXPECT_EQ(real.lost(std::as_bytes(std::span(&numbers[2], 1)), 1),
            "element 0 is 1e-300 of f64, which becomes 0 in 32 bits");
  EXPECT_EQ(load<float>(real.convert(std::as_bytes(std::span(&half, 1)), 1, DataType::F32)->data()), 0.5f);
}

}  // namespace
}  // namespace slipway::tosa
