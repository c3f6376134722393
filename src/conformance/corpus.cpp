// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/corpus.hpp"

#include <algorithm>

namespace slipway::conformance {

const CorpusFile* find_in_corpus(std::string_view name) {
  const auto found = std::ranges::find(corpus(), name, &CorpusFile::name);
  return found == corpus().end() ? nullptr : &*found;
}

std::vector<std::string> names_in_corpus(std::string_view directory, std::string_view extension) {
  std::vector<std::string> names;
  for (const CorpusFile& file : corpus()) {
    std::string_view name = file.name;
    if (!name.starts_with(directory) || !name.ends_with(extension)) continue;
    name.remove_prefix(directory.size());
    name.remove_suffix(extension.size());
    names.emplace_back(name);
  }
  return names;
}

}  // namespace slipway::conformance
