// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long hexadecimal literals of MLIR text and long constants of MLIR bytecode, which are removed before MLIR parses the
// file (docs/spec/converter.md#mlir-input).
//
// MLIR holds several copies of weights that are written as `dense<"0x...">`, or as resources at the end, while it
// parses. So it parses a copy of the text with short placeholders; the digits are decoded once, from the file. The same
// holds for constants in bytecode, whose bytes are used where they are.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::tosa {

// Called with a part of a file that is not needed for now and need not stay in memory; may be empty.
using DoneWith = std::function<void(Bytes)>;

struct LongLiteral {
  std::size_t begin = 0, end = 0;  // of the digits, or in bytecode of the bytes, in the file
};

struct ShortenedText {
  std::string text;
  std::vector<LongLiteral> literals;

  // The column in the file of a column of `text`; lines are the same. Both count from 1.
  std::uint64_t column(std::uint64_t line, std::uint64_t column) const;

  // The literal for the key or the data of a resource.
  const LongLiteral* by_key(std::string_view key) const;
  const LongLiteral* by_data(Bytes data) const;

  struct Cut {
    std::uint64_t line, column;  // of the end of the placeholder
    std::uint64_t taken;         // by which the literal was longer
  };
  std::vector<Cut> cuts;  // by line and column
};

// What `by_key` and `by_data` know placeholders by.
std::string placeholder_key(std::size_t literal);
std::string placeholder_data(std::size_t literal);

// Empty when no literal is long.
std::optional<ShortenedText> shorten(std::string_view text, const DoneWith& done_with);

// The same for bytecode, for constants of at least `min_size` bytes: `text` is bytecode. Empty also for bytecode that
// is damaged, which MLIR then reports.
std::optional<ShortenedText> shorten_bytecode(Bytes bytes, std::size_t min_size = 32 << 10);

struct BadDigit {
  std::size_t at;  // in the file
  std::string message;
};
std::expected<std::vector<std::byte>, BadDigit> decode(std::string_view text, const LongLiteral& literal,
                                                       const DoneWith& done_with);

}  // namespace slipway::tosa
