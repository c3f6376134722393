// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that are files: the program contains tests/corpus/known_wrong and tests/corpus/conformance.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::conformance {

struct CorpusFile {
  std::string_view name;  // below tests/corpus
  std::span<const unsigned char> content;

  std::string_view text() const { return {reinterpret_cast<const char*>(content.data()), content.size()}; }
  Bytes bytes() const { return std::as_bytes(content); }
};

// Sorted by name.
std::span<const CorpusFile> corpus();
// Null if there is no file of that name.
const CorpusFile* find_in_corpus(std::string_view name);
// What files below a directory are called there, without their extension, which is given: `mips/averages`.
std::vector<std::string> names_in_corpus(std::string_view directory, std::string_view extension);

}  // namespace slipway::conformance
