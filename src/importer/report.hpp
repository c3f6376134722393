// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes that cannot be converted, by kind and reason.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "importer/net.hpp"

namespace slipway::importer {

class Report {
 public:
  std::size_t nodes = 0;  // that were visited

  void add(const NetNode& node, std::string_view path, std::string reason);
  void add_output(std::string name, std::string reason);
  bool empty() const { return lines_.empty() && outputs_.empty(); }

  // One error for all nodes, and one for each output. `missing`: inputs whose elements would decide what is not known.
  void print(const Net& net, std::span<const std::string> missing, Diagnostics& diagnostics) const;

 private:
  struct Line {
    std::string kind, reason;
    std::vector<std::string> names;  // of the first nodes
    std::size_t count = 0;
  };
  std::vector<Line> lines_;
  std::vector<std::pair<std::string, std::string>> outputs_;
  SourceLocation first_;
};

}  // namespace slipway::importer
