// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All names of one entity, in all sources of the programs that share them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rpl/lsp/workspace.hpp"

namespace slipway::rpl::lsp {

struct Occurrence {
  Span at;  // in the source
  bool declaration = false;
  bool operator==(const Occurrence&) const = default;
};

// By URI, in order. Begins with the programs that have the source of `view`; a program that shares a source with an
// occurrence is searched, too, so that a name that several passes declare for one material is complete.
std::map<std::string, std::vector<Occurrence>> occurrences_of(Workspace& workspace, const SourceView& view,
                                                              const Symbol& symbol);

// The sources with another name for the entity, by URI.
std::map<std::string, std::string> renamed_texts(Workspace& workspace,
                                                 const std::map<std::string, std::vector<Occurrence>>& occurrences,
                                                 const std::string& name);

}  // namespace slipway::rpl::lsp
