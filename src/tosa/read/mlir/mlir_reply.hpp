// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The request and the reply of `kMlirService`, as bytes.
//
// The request is the file, without its long literals (long_literals.hpp). The reply is a graph or problems. It comes
// from a process that an invalid file may have taken over, so that reading it trusts nothing: every id, count and size
// is checked, and the graph is one that the verifier accepts as its input. Constants are in the reply, in the file, or
// a literal.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::tosa {

struct MlirRequest {
  Bytes contents;
  std::string name, entry;
  std::vector<std::uint64_t> literals;  // the digits of each literal
};
// What follows the contents.
std::vector<std::byte> tail_of(const MlirRequest& request);
MlirRequest read_mlir_request(Bytes request);  // the contents are a view

// A line and column, both from 1, in the contents of the request. Line 0: unknown.
struct MlirLine {
  bool in_file = false;  // else in the file of that name, of which MLIR has a note
  std::uint32_t line = 0, column = 0;
  std::string file;
};

struct MlirProblem {
  DiagnosticKind kind{};
  std::string text;
  MlirLine line;
  std::vector<std::pair<std::string, MlirLine>> notes;
};

// How MLIR stores the elements of a constant: whole bytes for each; a resource of i1 has bits.
struct MlirElements {
  std::uint32_t width = 0;  // bits
  bool is_f64 = false;

  std::size_t bytes() const { return (std::size_t{width} + 7) / 8; }
  bool holds(std::size_t count, std::size_t size) const;
  // Whether the bytes are those of the graph's constant.
  bool same_as(DataType type) const;
  // The error is the text of an out-of-range diagnostic. `raw` has a size that `holds` accepts.
  std::expected<std::vector<std::byte>, std::string> convert(Bytes raw, std::size_t count, DataType type) const;
  // The text of a warning where `convert` makes an infinity or a zero of another number; empty: it does not.
  std::string lost(Bytes raw, std::size_t count) const;
};

struct MlirLiteral {
  std::uint32_t constant = 0;  // of the graph, whose data is empty
  std::uint32_t literal = 0;
  MlirElements elements;
  MlirLine line;
};

struct MlirReply {
  std::vector<MlirProblem> problems;
  std::vector<MlirProblem> warnings;  // rules, which `check` makes errors
  Graph graph;                        // without locations
  std::vector<MlirLine> lines;        // of nodes
  std::vector<std::string> input_names, output_names;
  std::uint32_t functions = 1;  // that the graph was read from
  std::vector<MlirLiteral> literals;
};

// Only the problems, if there are some; otherwise the warnings and the graph. Data of constants that is part of
// `contents` is a reference to it.
std::vector<std::byte> write_mlir_reply(const MlirReply& reply, Bytes contents);

// Empty if the reply is damaged. Constants are views of `bytes` and `contents`. `digits`: of the literals.
std::optional<MlirReply> read_mlir_reply(Bytes bytes, Bytes contents, const std::vector<std::uint64_t>& digits);

}  // namespace slipway::tosa
