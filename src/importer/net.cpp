// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/net.hpp"

#include "base/format.hpp"

namespace slipway::importer {

std::string NetNode::label() const {
  const std::string of_domain = domain.empty() ? kind : formatted("{}.{}", domain, kind);
  std::string text = formatted("`{} #{}`", of_domain, index);
  if (!name.empty()) text += formatted(" (`{}`)", name);
  if (!path.empty()) text += formatted(" in `{}`", path);
  return text;
}

}  // namespace slipway::importer
