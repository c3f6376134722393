// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts a text between versions, up and down; all losses are reported (docs/spec/zeinfo.md#version-conversion).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

struct LossItem {
  std::string path;    // "kernels[2].inline_samplers"
  std::string reason;  // "newer than 1.9, dropped"
  Loss loss = Loss::Information;
};
// "loss: kernels[2].inline_samplers: newer than 1.9, dropped (dispatch)"
std::string text_of(const LossItem& item);

struct Conversion {
  Document document;
  std::vector<LossItem> losses;
  std::vector<std::string> remarks;  // changes without a loss
  // The most severe class of loss, if any.
  std::optional<Loss> worst() const;
};

// The caller rejects results that lose more than it allows. Errors: needs-device (eu_thread_count must be added and the
// target is unknown), out-of-range (no such version).
Result<Conversion> convert(const Document& document, Version to, const Target& target);

// Renames a kernel everywhere in the text. Errors: unknown-reference, duplicate-name.
Result<Document> rename_kernel(const Document& document, std::string_view from, std::string_view to);

}  // namespace slipway::zeinfo
